"""The data of the page, in a versioned format of JSON."""

from __future__ import annotations

import json
import math
import warnings
import zlib
from statistics import NormalDist
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, cast

import numpy as np

from isometrics._core.arrays import plain
from isometrics._core.json_files import finite_or_null
from isometrics._core.parameters import check_choice, index_of
from isometrics._core.sample import HIGHEST_SCORE
from isometrics.errors import LengthError, NoCurveError, ParameterError, UndefinedWarning
from isometrics.measures import area_brackets
from isometrics.points.models import named_models
from isometrics.report.groups import groups_data
from isometrics.report.packing import packed, packed_below, text_of, unpacked
from isometrics.report.tuning import tuning_data
from isometrics.spaces.trace import rows_to_explore
from isometrics.verdict.verdict import Verdict

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from numpy.typing import ArrayLike

    from isometrics._core.arrays import Counts
    from isometrics._core.sample import Sample
    from isometrics._table.table import Table
    from isometrics.points import OperatingPoints
    from isometrics.points.bounds import Bracket
    from isometrics.report.groups import Groups
    from isometrics.report.tuning import Rules


__all__ = [
    "SPACES",
    "VERSION",
    "BandLike",
    "Histogram",
    "as_json",
    "histogram_of",
    "packed",
    "report_model",
    "start_model",
    "unpacked",
]

VERSION = 2
"""The page refuses data of another version."""

SPACES = ("roc", "pr", "prg", "tradeoff")


class BandLike(Protocol):
    """A confidence band around the curve of a model, such as `Band`."""

    @property
    def space(self) -> str:
        """``"roc"``, ``"pr"``, ``"prg"`` or ``"tradeoff"``."""

    @property
    def model(self) -> str:
        """The name of the model; it may be ``""`` if there is only one."""

    @property
    def kind(self) -> str:
        """The kind of coverage, such as ``"pointwise"``."""

    @property
    def confidence_level(self) -> float:
        """The confidence."""

    @property
    def x(self) -> ArrayLike:
        """Positions on the first axis."""

    @property
    def lower(self) -> ArrayLike:
        """The lower end of the band at each position."""

    @property
    def upper(self) -> ArrayLike:
        """The upper end of the band at each position."""

    @property
    def index(self) -> str:
        """The index in tradeoff space, else ``""``."""


def report_model(
    models: Mapping[str, OperatingPoints],
    *,
    title: str | None = None,
    description: str | None = None,
    bands: Iterable[BandLike] = (),
    verdict: Verdict | Mapping[str, Verdict] | None = None,
    one_vs_rest: bool = False,
    groups: Groups | None = None,
    rows: Sample | None = None,
    other_verdicts: Iterable[Verdict] = (),
    thresholds_from: Mapping[str, OperatingPoints] | None = None,
) -> dict[str, Any]:
    """Return the data of a page about models, ready for `json.dumps`.

    Parameters
    ----------
    models
        The operating points of one model or more, by name.
    title, description
        The title of the page, and where the data come from.
    bands
        Confidence bands of the curves, if there are any.
    verdict
        The verdict with which the page begins; or one for each class, by name.
    one_vs_rest
        Whether the models are the classes of one classifier, each against all others; they are
        then shown as classes, and none of them is called the best.
    groups
        What one rule does in each group of rows; `Analysis.report` makes it.
    rows
        The rows of all models, such as `Analysis.rows`. The page then finds the verdicts of other
        objectives by itself; of more than `MOST_ROWS` rows in all models they are left out.
    other_verdicts
        Verdicts for other settings, which the page shows where the reader sets just these; where
        the page has the rows, it finds them by itself.
    thresholds_from
        The operating points of the same models on tuning data. The page then shows what their
        thresholds promised there beside what they achieve here, and chooses on the tuning data.

    Notes
    -----
    Rows are thinned by `rows_to_explore`. Areas, histograms and totals are those of all rows.

    Examples
    --------
    >>> import isometrics as iso
    >>> pts = iso.OperatingPoints.from_scores([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1])
    >>> data = report_model({"forest": pts})
    >>> data["version"], data["models"][0]["name"], data["models"][0]["tp"]
    (2, 'forest', {'whole': '000001-F0'})
    """
    named = named_models(models)
    if not named:
        raise ParameterError("a report needs one model or more but got none")
    bands_of: dict[str, list[dict[str, Any]]] = {name: [] for name in named}
    level = 0.95
    for band in bands:
        bands_of[_model_of(band, list(named))].append(_band(band))
        level = float(band.confidence_level)
    if verdict is None:
        verdicts: Mapping[str, Verdict] = {}
    else:
        verdicts = {"": verdict} if isinstance(verdict, Verdict) else verdict
    tuning = None if thresholds_from is None else named_models(thresholds_from)
    rules = {} if tuning is None else tuning_data(tuning, named)
    packed_models = [
        _model(name, points, bands_of[name], rules.get(name)) for name, points in named.items()
    ]
    packed_rows = None
    # Whole clusters and folds that were given are not drawn and dealt out by the page, nor does it
    # judge what was chosen on other rows.
    is_judged_here = tuning is None and all(each._rows_alone for each in verdicts.values())
    if rows is not None and is_judged_here:
        packed_rows = rows_of_models(rows, named, packed_models)
    document = _document(
        title,
        description,
        packed_models,
        [_verdict(name, each, has_rows=packed_rows is not None) for name, each in verdicts.items()],
        level,
    )
    if one_vs_rest:
        document["classes"] = True
    if groups is not None:
        document["groups"] = groups_data(groups)
    if packed_rows is not None:
        document["rows"] = packed_rows
    else:
        document |= _others(list(other_verdicts))
    return document


def start_model(*, title: str | None = None) -> dict[str, Any]:
    """Return the data of a page without models, which asks for a file."""
    return _document(title, None, [], [])


def lean(model: Mapping[str, Any]) -> dict[str, Any]:
    """Return the data of a page without what it counts by itself.

    Where rows are there, the page counts and thins them, and comes to the same tables.
    """
    rows = model.get("rows")
    if rows is None or rows["prevalence"] is not None:
        return dict(model)
    counted = dict.fromkeys(("thresholds", "below", "tp", "fp"))
    return {**model, "models": [each | counted for each in model["models"]]}


def as_json(model: Mapping[str, Any] | list[Any]) -> str:
    r"""Return the data as text that is safe inside a script element of a page.

    Every ``<``, ``>`` and ``&`` is escaped, so that no name can end the element or open a comment
    in it.

    Examples
    --------
    >>> print(as_json({"name": "</script>"}))
    {"name":"\u003c/script\u003e"}
    """
    text = json.dumps(model, separators=(",", ":"), allow_nan=False)
    for character in "<>&":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text


def _document(
    title: str | None,
    description: str | None,
    models: list[dict[str, Any]],
    verdicts: list[dict[str, Any]],
    level: float = 0.95,
) -> dict[str, Any]:
    for name, text in (("title", title), ("description", description)):
        if text is not None and not isinstance(text, str):
            raise ParameterError(f"must be a text but is {text!r}", parameter=name)
    return {
        "version": VERSION,
        "title": title or "Which model, which threshold?",
        "description": description or "",
        "models": models,
        # Intervals have the confidence of the bands beside them.
        "confidence": {"level": level, "z": NormalDist().inv_cdf((1 + level) / 2)},
        "verdicts": verdicts,
    }


def _verdict(name: str, verdict: Verdict, *, has_rows: bool) -> dict[str, Any]:
    return {
        "name": name,
        "objective": str(verdict.objective),
        "settings": settings_of(verdict),
        # The β of F without constraints, for the widget; None for other objectives.
        "beta": settings_of(verdict).get("beta"),
        "lines": verdict.lines(),
        "replicates": verdict.replicates,
        "level": float(verdict.confidence_level),
        "picture": _picture(verdict) if verdict.models else None,
        # A page that has the rows counts the wins by itself.
        "shares": None if has_rows else _shares(verdict),
    }


def _others(verdicts: list[Verdict]) -> dict[str, Any]:
    """Return what the page shows of verdicts for other settings, deflated; nothing of none.

    Objectives that the page cannot ask for are left out. Sentences that differ in few numbers take
    a fifth of their space when deflated.
    """
    stored: list[dict[str, Any]] = [
        {
            "settings": settings_of(each),
            "lines": each.lines(),
            "picture": _picture(each) if each.models else None,
        }
        for each in verdicts
        if settings_of(each)["goal"] != "given"
    ]
    if not stored:
        return {}
    packer = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS)
    text = packer.compress(as_json(stored).encode("ascii")) + packer.flush()
    betas = [each["settings"]["beta"] for each in stored if each["settings"]["goal"] == "f"]
    return {
        "others": {
            "betas": sorted(betas, key=float),
            "replicates": min(each.replicates for each in verdicts),
            "verdicts": text_of(text),
        }
    }


def settings_of(verdict: Verdict) -> dict[str, Any]:
    """Return the settings of the page that ask for the same; some objectives have none."""
    objective = verdict.objective
    settings: dict[str, Any] = {"goal": "given"}
    if objective.index is not None or objective.criterion is not None or objective.sure is not None:
        return settings
    if not objective.constraints:
        if objective.costs is not None:
            miss, alarm = objective.costs
            return {"goal": "money", "missCost": miss, "falseAlarmCost": alarm}
        beta = cast("float", objective.beta)
        # JSON has no infinity.
        return {"goal": "f", "beta": beta if math.isfinite(beta) else "inf"}
    # A constraint asks for the most of what it leaves free.
    constraint, *others = objective.constraints
    quantity, level = constraint.quantity, constraint.level
    if others or objective.beta != (0.0 if quantity == "recall" else math.inf):
        return settings
    if quantity in ("precision", "recall"):
        return {"goal": quantity, f"min{quantity.capitalize()}": level}
    decision = verdict.decision
    items = decision.tp + decision.fp + decision.fn + decision.tn
    budget = constraint.budget if constraint.budget is not None else level * items
    return {"goal": "budget", "budget": float(f"{budget:.12g}"), "budgetItems": None}


def _picture(verdict: Verdict) -> dict[str, Any]:
    """Return the values of the models, and of flagging everything or nothing, to be drawn."""
    nothing = verdict.doing_nothing
    return {
        "models": [
            {
                "name": each.name,
                "here": finite_or_null(each.here),
                "expected": finite_or_null(each.expected),
                "lower": finite_or_null(each.interval.lower),
                "upper": finite_or_null(each.interval.upper),
            }
            for each in verdict.models
        ],
        "chosen": verdict.model,
        "everything": finite_or_null(nothing["flagging everything"]),
        "nothing": finite_or_null(nothing["flagging nothing"]),
    }


def _shares(verdict: Verdict) -> dict[str, Any] | None:
    """Return who wins how often at other weights of recall, to four digits."""
    weights = verdict.other_weights
    if weights is None:
        return None
    wins = [[finite_or_null(round(share, 4)) for share in row] for row in weights.shares.tolist()]
    return {"costs": verdict.objective.costs is not None, "wins": wins}


MOST_ROWS = 20_000
"""Rows times models up to which a page has the rows."""


def rows_of_models(
    rows: Sample, models: Mapping[str, OperatingPoints], packed_models: list[dict[str, Any]]
) -> dict[str, Any] | None:
    """Return the label, the weight and the ranks of every row; None of rows the page cannot use.

    The rank of a row is the number of its score among the distinct ones, from the highest on.
    """
    if rows.size * len(models) > MOST_ROWS or list(rows.scores) != list(models):
        return None
    ranks, thresholds = [], []
    for scores, points, model in zip(
        rows.scores.values(), models.values(), packed_models, strict=True
    ):
        distinct, score_index = np.unique(scores, return_inverse=True)
        # Items that were never scored are in the table and not among the rows.
        if model["rounded"] or points.table.size != distinct.size + 1:
            return None
        ranks.append(packed(distinct.size - score_index.reshape(-1).astype(np.int64)))
        thresholds.append(packed(distinct[::-1].astype(np.float64)))
    weight = np.ones(rows.size) if rows.weights is None else rows.weights
    own = float((weight * rows.labels).sum() / weight.sum())
    prevalence = next(iter(models.values())).prevalence
    return {
        "labels": packed(rows.labels.astype(np.int64)),
        "weights": None if rows.weights is None else packed(rows.weights),
        "ranks": ranks,
        "thresholds": thresholds,
        "prevalence": None if math.isclose(own, prevalence, rel_tol=1e-9) else float(prevalence),
    }


def _model(
    name: str,
    points: OperatingPoints,
    bands: list[dict[str, Any]],
    rules: Rules | None,
) -> dict[str, Any]:
    table = points.table
    rows = rows_to_explore(table) if table.nested else np.arange(table.size)
    if rules is not None:
        rows = np.union1d(rows, rules.rows)
    thinned = table.take(rows, table.kind)
    thresholds = thinned.thresholds.astype(np.float64)
    complete = thinned.size == table.size and not table.partial
    return {
        "name": name,
        "kind": "compact" if table.partial else table.kind.name.lower(),
        "positives": plain(table.positives),
        "negatives": plain(table.negatives),
        "whole": _has_integer_counts(table),
        "rows": table.size,
        "complete": complete,
        "thresholds": packed(thresholds),
        # Integers beyond 2**53 are long doubles in Python, which browsers do not have.
        "rounded": not np.array_equal(thresholds, thinned.thresholds, equal_nan=True),
        # Of a table with all its rows, the next row has it.
        "below": None if complete else packed_below(thresholds, table.next_lower(rows)),
        "tp": packed(thinned.tp),
        "fp": packed(thinned.fp),
        "labels": (
            None if thinned.labels is None else [str(plain(label)) for label in thinned.labels]
        ),
        "areas": {
            measure: [finite_or_null(bracket.lo), finite_or_null(bracket.hi)]
            for measure, bracket in _areas(points).items()
        },
        "histogram": _histogram(histogram_of(table)),
        "bands": bands,
    } | ({} if rules is None else {"tuning": rules.data})


def _areas(points: OperatingPoints) -> dict[str, Bracket]:
    """Return the areas; an empty dict for points that are not nested and have no curve."""
    try:
        with warnings.catch_warnings():
            # The page shows which areas are not defined.
            warnings.simplefilter("ignore", UndefinedWarning)
            return area_brackets(points)
    except NoCurveError:
        return {}


def _has_integer_counts(table: Table) -> bool:
    """Return whether items were counted, not weighted."""
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
    # Positions without defined limits are left out.
    finite = np.flatnonzero(np.isfinite(x) & np.isfinite(lo) & np.isfinite(hi))
    return {
        "space": band.space,
        "index": band.index,
        "kind": band.kind,
        "level": float(band.confidence_level),
        "x": packed(x[finite]),
        "lo": packed(lo[finite]),
        "hi": packed(hi[finite]),
    }


BINS = 40


class Histogram(NamedTuple):
    """Counts of both classes in bins of equal width; infinite scores are counted separately.

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
    """Return the histogram of a complete table of scores, and None for other tables.

    A score s falls into bin floor((s - lo)/(hi - lo)·40); the highest one into the last bin.

    Examples
    --------
    >>> import isometrics as iso
    >>> pts = iso.OperatingPoints.from_scores([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1])
    >>> histogram = histogram_of(pts.table)
    >>> histogram.lo, histogram.hi, int(histogram.positives[-1]), int(histogram.negatives[0])
    (0.1, 0.9, 1, 1)
    """
    if not table.complete:
        return None
    scores = table.thresholds[1:].astype(np.float64)
    counts = np.diff(table.tp), np.diff(table.fp)
    is_below, is_above = np.isneginf(scores), scores >= HIGHEST_SCORE
    below, above = (
        tuple(count[there].sum().item() for count in counts) for there in (is_below, is_above)
    )
    finite = ~(is_below | is_above)
    lo, hi = (float(scores[finite].min()), float(scores[finite].max())) if finite.any() else (0, 0)
    # Division by 2 keeps the width of the widest range finite.
    half_width = hi / 2 - lo / 2
    share = (
        (scores[finite] / 2 - lo / 2) / half_width if half_width else np.zeros(int(finite.sum()))
    )
    bin_index = np.minimum((share * BINS).astype(np.intp), BINS - 1)
    bin_counts = []
    for count in counts:
        in_bins = np.zeros(BINS, count.dtype)
        np.add.at(in_bins, bin_index, count[finite])
        bin_counts.append(in_bins)
    return Histogram(lo, hi, bin_counts[0], bin_counts[1], below, above)
