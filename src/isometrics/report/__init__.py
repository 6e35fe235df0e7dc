"""The interactive page: a report in one file, and a server of it for this machine."""

from __future__ import annotations

from isometrics.report.html import report_html, write_report
from isometrics.report.model import BandLike
from isometrics.report.serve import serve

__all__ = ["BandLike", "report_html", "serve", "write_report"]
