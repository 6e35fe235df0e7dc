"""What the page is given: plain data in a fixed, versioned shape, and nothing else."""

from __future__ import annotations

import json
import math
import warnings
from base64 import b64decode, b64encode
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np

from isometrics._core.arrays import plain
from isometrics._core.parameters import check_choice, index_of
from isometrics.errors import LengthError, NoCurveError, ParameterError, UndefinedWarning
from isometrics.measures import area_brackets
from isometrics.points.models import named_models
from isometrics.spaces.trace import rows_to_explore

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from numpy.typing import ArrayLike, NDArray

    from isometrics._core.arrays import Counts
    from isometrics._table.table import Table
    from isometrics.points import OperatingPoints
    from isometrics.points.bounds import Bracket

    Words = NDArray[np.uint64]


BINS = 40


class Histogram(NamedTuple):
    """Counts of both classes in bins of equal width; infinite scores stand apart.

    Attributes
    ----------
    lo, hi
        The lowest and the highest finite score.
    positives, negatives
        The counts in each bin.
    below, above
        The positives and negatives with a score of -inf (items that were never scored among
        them) and of +inf.
    """

    lo: float
    hi: float
    positives: Counts
    negatives: Counts
    below: tuple[float, float]
    above: tuple[float, float]


def histogram_of(table: Table) -> Histogram | None:
    """Return the histogram of a table of scores; other tables do not know their scores.

    A score s falls into bin floor((s - lo)/(hi - lo)·40); the highest one into the last bin.

    Examples
    --------
    >>> import isometrics as iso
    >>> pts = iso.OperatingPoints.from_scores([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1])
    >>> found = histogram_of(pts.table)
    >>> found.lo, found.hi, int(found.positives[-1]), int(found.negatives[0])
    (0.1, 0.9, 1, 1)
    """
    if not table.complete:
        return None
    scores = table.thresholds[1:].astype(np.float64)
    counts = np.diff(table.tp), np.diff(table.fp)
    finite = np.isfinite(scores)
    apart = [
        tuple(count[scores == end].sum().item() for count in counts) for end in (-np.inf, np.inf)
    ]
    lo, hi = (float(scores[finite].min()), float(scores[finite].max())) if finite.any() else (0, 0)
    # Halves keep the width of the widest range finite.
    width = hi / 2 - lo / 2
    share = (scores[finite] / 2 - lo / 2) / width if width else np.zeros(int(finite.sum()))
    bins = np.minimum((share * BINS).astype(np.intp), BINS - 1)
    sums = []
    for count in counts:
        total = np.zeros(BINS, count.dtype)
        np.add.at(total, bins, count[finite])
        sums.append(total)
    return Histogram(lo, hi, sums[0], sums[1], apart[0], apart[1])


_SIGN = np.uint64(1 << 63)
_ONE, _SEVEN = np.uint64(1), np.uint64(7)
_LONGEST = 10


def packed(values: Counts) -> dict[str, str]:
    """Pack numbers exactly: ``{"integers": …}`` or ``{"floats": …}``.

    Notes
    -----
    Floats are read as 64-bit integers in the order of the floats: the bits of negative numbers
    are inverted, and the sign bit of the others is set. Differences are taken modulo 2**64 and
    folded (0, -1, 1, -2 … become 0, 1, 2, 3 …); each is written seven bits a byte, lowest first,
    and the highest bit of a byte says that another follows.

    Examples
    --------
    >>> packed(np.array([0, 1, 3, 3]))
    {'integers': 'AAIEAA=='}
    >>> unpacked(packed(np.array([np.inf, 0.75, -0.5]))).tolist()
    [inf, 0.75, -0.5]
    """
    if values.dtype.kind == "i":
        return {"integers": _text(values.astype(np.int64).view(np.uint64))}
    bits = values.astype(np.float64).view(np.uint64)
    return {"floats": _text(np.where(bits & _SIGN, ~bits, bits | _SIGN))}


def unpacked(text: dict[str, str]) -> NDArray[Any]:
    """Return the numbers of `packed`."""
    ((kind, data),) = text.items()
    words = _words(data)
    if kind == "integers":
        return words.view(np.int64)
    return np.where(words & _SIGN, words ^ _SIGN, ~words).view(np.float64)


def _text(words: Words) -> str:
    differences = np.diff(words, prepend=np.uint64(0)).view(np.int64)
    folded = ((differences << 1) ^ (differences >> 63)).view(np.uint64)
    shifts = _SEVEN * np.arange(_LONGEST, dtype=np.uint64)
    digits = (folded[:, None] >> shifts) & np.uint64(127)
    # A byte is needed as long as it or a higher one is not zero; the first always is.
    needed = (folded[:, None] >> shifts) > 0
    needed[:, 0] = True
    follows = np.zeros_like(needed)
    follows[:, :-1] = needed[:, 1:]
    written = (digits | (follows.astype(np.uint64) << _SEVEN)).astype(np.uint8)
    return b64encode(written[needed].tobytes()).decode("ascii")


def _words(data: str) -> Words:
    written = np.frombuffer(b64decode(data), np.uint8).astype(np.uint64)
    last = np.flatnonzero(written < 128)
    starts = np.concatenate([[0], last[:-1] + 1])[: last.size]
    place = np.arange(written.size) - np.repeat(starts, last - starts + 1)
    shifted = (written & np.uint64(127)) << (_SEVEN * place.astype(np.uint64))
    folded = np.add.reduceat(shifted, starts) if last.size else shifted
    differences = (folded >> _ONE) ^ (~(folded & _ONE) + _ONE)
    return np.cumsum(differences, dtype=np.uint64)


VERSION = 1
"""The page refuses data of another version."""

SPACES = ("roc", "pr", "prg", "tradeoff")
"""Kinds of tables that lack no row."""


class BandLike(Protocol):
    """A confidence band around the curve of a model, as the library makes them."""

    @property
    def space(self) -> str:
        """``"roc"``, ``"pr"``, ``"prg"`` or ``"tradeoff"``."""

    @property
    def model(self) -> str:
        """The name of the model; ``""`` will do where there is one only."""

    @property
    def kind(self) -> str:
        """What the band promises, such as ``"pointwise"``."""

    @property
    def confidence_level(self) -> float:
        """The confidence."""

    @property
    def x(self) -> ArrayLike:
        """Places on the first axis."""

    @property
    def lower(self) -> ArrayLike:
        """The lower end of the band at each place."""

    @property
    def upper(self) -> ArrayLike:
        """The upper end of the band at each place."""

    @property
    def index(self) -> str:
        """The index in tradeoff space, else ``""``."""


def report_model(
    models: Mapping[str, OperatingPoints],
    *,
    title: str | None = None,
    description: str | None = None,
    bands: Iterable[BandLike] = (),
) -> dict[str, Any]:
    """Return the data of a page about models, ready for `json.dumps`.

    Parameters
    ----------
    models
        The operating points of one model or more, by name.
    title, description
        What stands on top of the page, and where the data came from.
    bands
        Confidence bands of their curves, where there are any.

    Notes
    -----
    Rows are thinned by `rows_to_explore`. Areas, histograms and totals are those of all rows.

    Examples
    --------
    >>> import isometrics as iso
    >>> pts = iso.OperatingPoints.from_scores([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1])
    >>> data = report_model({"forest": pts})
    >>> data["version"], data["models"][0]["name"], data["models"][0]["tp"]
    (1, 'forest', {'integers': 'AAIAAgA='})
    """
    named = named_models(models)
    if not named:
        raise ParameterError("a report needs one model or more but got none")
    drawn: dict[str, list[dict[str, Any]]] = {name: [] for name in named}
    for band in bands:
        drawn[_model_of(band, list(named))].append(_band(band))
    return _document(
        title,
        description,
        [_model(name, points, drawn[name]) for name, points in named.items()],
    )


def start_model(*, title: str | None = None) -> dict[str, Any]:
    """Return the data of a page without models, which asks for a file."""
    return _document(title, None, [])


def _document(
    title: str | None, description: str | None, models: list[dict[str, Any]]
) -> dict[str, Any]:
    for name, text in (("title", title), ("description", description)):
        if text is not None and not isinstance(text, str):
            raise ParameterError(f"{name} must be a text but is {text!r}")
    return {
        "version": VERSION,
        "title": title or "Which model, which threshold?",
        "description": description or "",
        "models": models,
    }


def _model(name: str, points: OperatingPoints, bands: list[dict[str, Any]]) -> dict[str, Any]:
    table = points.table
    rows = rows_to_explore(table) if table.nested else np.arange(table.size)
    kept = table.take(rows, table.kind)
    thresholds = kept.thresholds.astype(np.float64)
    return {
        "name": name,
        "kind": "compact" if table.partial else table.kind.name.lower(),
        "positives": plain(table.positives),
        "negatives": plain(table.negatives),
        "whole": _is_whole(table),
        "rows": table.size,
        "complete": kept.size == table.size and not table.partial,
        "thresholds": packed(thresholds),
        # Integers beyond 2**53 are long doubles in Python; a browser has none.
        "rounded": not np.array_equal(thresholds, kept.thresholds, equal_nan=True),
        "tp": packed(kept.tp),
        "fp": packed(kept.fp),
        "labels": None if kept.labels is None else [str(plain(label)) for label in kept.labels],
        "areas": {
            measure: [_number(bracket.lo), _number(bracket.hi)]
            for measure, bracket in _areas(points).items()
        },
        "histogram": _histogram(histogram_of(table)),
        "bands": bands,
    }


def _areas(points: OperatingPoints) -> dict[str, Bracket]:
    """Return the areas; none where points are not nested and so have no curve."""
    try:
        with warnings.catch_warnings():
            # A reader sees which area is not defined.
            warnings.simplefilter("ignore", UndefinedWarning)
            return area_brackets(points)
    except NoCurveError:
        return {}


def _is_whole(table: Table) -> bool:
    """Tell whether items were counted, not weighed."""
    kinds = {table.tp.dtype.kind, table.fp.dtype.kind}
    return kinds == {"i"} and all(
        isinstance(plain(total), int) for total in (table.positives, table.negatives)
    )


def _histogram(histogram: Histogram | None) -> dict[str, Any] | None:
    if histogram is None:
        return None
    return {
        "lo": histogram.lo,
        "hi": histogram.hi,
        "positives": packed(histogram.positives),
        "negatives": packed(histogram.negatives),
        "below": list(histogram.below),
        "above": list(histogram.above),
    }


def _model_of(band: BandLike, names: list[str]) -> str:
    return names[index_of(band.model, "the model of a band", tuple(names))]


def _band(band: BandLike) -> dict[str, Any]:
    check_choice(band.space, "space", SPACES)
    x, lo, hi = (np.asarray(values, np.float64) for values in (band.x, band.lower, band.upper))
    if not x.shape == lo.shape == hi.shape or x.ndim != 1:
        raise LengthError(
            "a band must have x, lower and upper of one length but their shapes are "
            f"{x.shape}, {lo.shape} and {hi.shape}"
        )
    # Where a limit is not defined the band has a gap.
    known = np.flatnonzero(np.isfinite(x) & np.isfinite(lo) & np.isfinite(hi))
    return {
        "space": band.space,
        "index": band.index,
        "kind": band.kind,
        "level": float(band.confidence_level),
        "x": packed(x[known]),
        "lo": packed(lo[known]),
        "hi": packed(hi[known]),
    }


def _number(value: float) -> float | None:
    """JSON has no NaN and no infinity; what is not defined is null."""
    return float(value) if math.isfinite(value) else None


def as_json(model: Mapping[str, Any]) -> str:
    r"""Return the data as text that can stand inside a script element of a page.

    Every ``<``, ``>`` and ``&`` becomes an escape of JSON, so no name can end the element or open
    a comment in it.

    Examples
    --------
    >>> print(as_json({"name": "</script>"}))
    {"name":"\u003c/script\u003e"}
    """
    text = json.dumps(model, separators=(",", ":"), allow_nan=False)
    for character in "<>&":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text
