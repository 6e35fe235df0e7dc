"""Every figure, table and theorem of the three papers that can be computed."""

from __future__ import annotations

from isometrics_studies.papers.collection import PAPERS, PaperNumbers, all_items, paper_numbers
from isometrics_studies.papers.folder import write_papers
from isometrics_studies.papers.item import Item, Number

__all__ = [
    "PAPERS",
    "Item",
    "Number",
    "PaperNumbers",
    "all_items",
    "paper_numbers",
    "write_papers",
]
