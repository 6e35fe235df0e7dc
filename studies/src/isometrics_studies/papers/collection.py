"""All items of the papers, and their numbers in one table."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from isometrics._core.parameters import check_choice
from isometrics._core.results import ResultTable
from isometrics_studies.papers import davis_goadrich, flach_kull, hanczar_nadif

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from os import PathLike

    from isometrics_studies.papers.item import Item, Number

PAPERS = {
    "DG06": "Davis & Goadrich (2006), The relationship between precision-recall and ROC curves",
    "FK15": "Flach & Kull (2015), Precision-recall-gain curves: PR analysis done right",
    "HN": "Hanczar & Nadif, their paper on performance indices and the tradeoff space",
}
"""The papers by short name."""


def all_items(
    only: str | None = None, *, data: str | PathLike[str] | None = None
) -> tuple[Item, ...]:
    """Return the figures, tables and theorems of the papers.

    Parameters
    ----------
    only
        ``"DG06"``, ``"FK15"`` or ``"HN"``; by default all three.
    data
        A folder with the white-clover data, for Figure 5 of Flach & Kull (2015); without it,
        other rankings are used.
    """
    if only is not None:
        check_choice(only, "only", tuple(PAPERS))
    folder = None if data is None else Path(data)
    if folder is not None:
        flach_kull.clover_file(folder)
    makers = {
        "DG06": davis_goadrich.items,
        "FK15": lambda: flach_kull.items(folder),
        "HN": hanczar_nadif.items,
    }
    return tuple(item for paper in ([only] if only else PAPERS) for item in makers[paper]())


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class PaperNumbers(ResultTable):
    """Numbers computed here, with those that the papers print.

    Attributes
    ----------
    items
        The item of each number.
    numbers
        The numbers.
    """

    items: tuple[Item, ...]
    numbers: tuple[Number, ...]

    _left: ClassVar[tuple[str, ...]] = ("item", "number", "source", "difference")
    _most_rows: ClassVar[int] = 1000

    def __len__(self) -> int:
        """Return the number of numbers."""
        return len(self.numbers)

    def of(self, item: Item) -> PaperNumbers:
        """Return the numbers of one item."""
        pairs = zip(self.items, self.numbers, strict=True)
        return _from_pairs((owner, number) for owner, number in pairs if owner.id == item.id)

    def _title(self) -> str:
        names = dict.fromkeys(item.paper for item in self.items)
        printed = [number for number in self.numbers if number.agrees is not None]
        fitted = sum(number.fitted for number in printed)
        same = sum(bool(number.agrees) and not number.fitted for number in printed)
        counts = [f"{same} the same", f"{len(printed) - same - fitted} with a reason to differ"]
        counts += [f"{fitted} that our data were chosen for"] * (fitted > 0)
        return (
            f"{', '.join(names)}: {len(self)} numbers, {len(printed)} of them in the "
            f"paper{'s' * (len(names) > 1)} too: {', '.join(counts)}"
        )

    def _columns(self) -> dict[str, Any]:
        return {
            "item": [item.id for item in self.items],
            "number": [number.name for number in self.numbers],
            "ours": [number.ours for number in self.numbers],
            "paper": [number.printed for number in self.numbers],
            "difference": [number.difference for number in self.numbers],
            "agrees": [number.agrees for number in self.numbers],
            "fitted": [number.fitted for number in self.numbers],
            "source": ["" if number.agrees is None else number.source for number in self.numbers],
            "reason": [self._reason(number) for number in self.numbers],
        }

    @staticmethod
    def _reason(number: Number) -> str:
        return number.reason if number.agrees is False else ""

    def _reasons(self) -> dict[str, int]:
        """Return the reasons, numbered from 1."""
        reasons = dict.fromkeys(filter(None, map(self._reason, self.numbers)))
        return {reason: index for index, reason in enumerate(reasons, 1)}

    def _shown(self) -> dict[str, Any]:
        reasons = self._reasons()
        columns = self._columns()
        return {
            "item": columns["item"],
            "number": columns["number"],
            "ours": [short(value) for value in columns["ours"]],
            "paper": [short(value) for value in columns["paper"]],
            "source": columns["source"],
            "difference": [_difference(number) for number in self.numbers],
            "why": [str(reasons.get(reason, "")) for reason in columns["reason"]],
        }

    def _notes(self, shown: Mapping[str, Any]) -> Sequence[str]:  # noqa: ARG002
        return [f"{index}: {reason}" for reason, index in self._reasons().items()]


def short(value: float | str | None) -> str:
    """Return a number with four decimals, an integer without any, and an empty text for None.

    Examples
    --------
    >>> short(0.123456), short(7.0), short(None), short("0.50")
    ('0.1235', '7', '', '0.50')
    """
    if value is None or isinstance(value, str):
        return value or ""
    return f"{value:.4f}" if value % 1 else f"{value:.0f}"


def _difference(number: Number) -> str:
    if number.agrees is None:
        return ""
    if number.agrees:
        return "chosen so" if number.fitted else "same"
    if number.difference is None:
        return "differs"
    return f"{'+' * (number.difference > 0)}{short(number.difference)}"


def paper_numbers(items: Iterable[Item]) -> PaperNumbers:
    """Compute the numbers of items.

    Parameters
    ----------
    items
        From `all_items`.

    Examples
    --------
    >>> from isometrics_studies.papers import all_items, paper_numbers
    >>> figure_7 = [item for item in all_items("DG06") if item.name == "Fig. 7"]
    >>> for number in paper_numbers(figure_7).numbers:
    ...     print(number.name, round(number.ours, 4), number.printed)
    AUROC, Curve I 0.8135 0.813
    AUPR, Curve I 0.5138 0.514
    AUROC, Curve II 0.875 0.875
    AUPR, Curve II 0.0385 0.038
    """
    return _from_pairs((item, number) for item in items for number in item.numbers())


def _from_pairs(pairs: Iterable[tuple[Item, Number]]) -> PaperNumbers:
    pairs = list(pairs)
    return PaperNumbers(tuple(item for item, _ in pairs), tuple(number for _, number in pairs))
