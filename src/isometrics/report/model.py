"""The data of the page, in a versioned format of JSON."""

from __future__ import annotations

import json
import math
import warnings
import zlib
from base64 import b85decode, b85encode
from statistics import NormalDist
from typing import TYPE_CHECKING, Any, TypedDict, Unpack

import numpy as np

from isometrics._core.arrays import plain
from isometrics._core.counts import HIGHEST_SCORE
from isometrics._core.files import finite_or_null
from isometrics._core.parameters import check_options, index_of
from isometrics._core.results import join_names
from isometrics._counting.keys import flip_negatives
from isometrics._table.table import rows_at
from isometrics.decisions.objective import Linear, Ratio
from isometrics.errors import (
    NoCurveError,
    NotAnswerableError,
    ParameterError,
    UndefinedWarning,
)
from isometrics.measures import area_brackets
from isometrics.points.compact import rows_to_keep
from isometrics.points.models import named_models
from isometrics.spaces.drawing import rows_to_explore
from isometrics.verdict.verdict import Verdict

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from numpy.typing import NDArray

    from isometrics._core.arrays import Counts
    from isometrics._core.sample import Sample
    from isometrics._table.table import Table
    from isometrics.points import OperatingPoints
    from isometrics.points.bounds import Bracket
    from isometrics.uncertainty.bands import Band

    Words = NDArray[np.uint64]


MOST_TUNING_ROWS = 2000
"""Rows of the tuning data of all models together up to which the page has all of them."""


VERSION = 2
"""The page refuses data of another version."""


class PageOptions(TypedDict, total=False):
    """What a page shows beside its models; see `report_model`."""

    title: str | None
    description: str | None
    bands: Iterable[Band]
    verdict: Verdict | Mapping[str, Verdict] | None
    one_vs_rest: bool
    groups: dict[str, Any] | None
    rows: Sample | None
    other_verdicts: Iterable[Verdict]
    thresholds_from: Mapping[str, OperatingPoints] | None


def report_model(
    models: Mapping[str, OperatingPoints], **options: Unpack[PageOptions]
) -> dict[str, Any]:
    """Return the data of a page about models, ready for `json.dumps`.

    Parameters
    ----------
    models
        The operating points of each model, by name. Without any, the page asks for a file.
    title, description, bands, verdict, one_vs_rest, groups, rows, other_verdicts, thresholds_from
        As for `report_html`. Of more than `MOST_ROWS` rows in all models the page has none.

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
    check_options(report_model, options, PageOptions.__annotations__)
    named = named_models(models)
    for name in ("title", "description"):
        text = options.get(name)
        if text is not None and not isinstance(text, str):
            raise ParameterError(f"must be a text but is {text!r}", parameter=name)
    bands = list(options.get("bands", ()))
    level = float(bands[-1].confidence_level) if bands else 0.95
    verdict = options.get("verdict")
    # One of all models has no name.
    verdicts = {"": verdict} if isinstance(verdict, Verdict) else verdict or {}
    others = list(options.get("other_verdicts", ()))
    rows = options.get("rows")
    # Whole clusters and folds that were given are not drawn and dealt out by the page, nor does it
    # judge what was chosen on other rows.
    is_judged_here = all(each._rows_alone for each in verdicts.values())
    if not is_judged_here or options.get("thresholds_from") is not None:
        rows = None
    if rows is not None and rows.size * len(named) > MOST_ROWS:
        rows = None
    # A verdict may choose any row: where the page judges all are there, else those that are chosen.
    kept = {
        name: np.arange(points.table.size)
        if rows is not None
        else _chosen_rows(name, points.table, [*verdicts.values(), *others])
        for name, points in named.items()
    }
    packed_models = _models(named, bands, options.get("thresholds_from"), kept)
    packed_rows = rows_of_models(rows, named, packed_models)
    data: dict[str, Any] = {
        "version": VERSION,
        "title": options.get("title") or "Which model, which threshold?",
        "description": options.get("description") or "",
        "models": packed_models,
        # Intervals have the confidence of the bands beside them.
        "confidence": {"level": level, "z": NormalDist().inv_cdf((1 + level) / 2)},
        "verdicts": [
            _verdict(name, each, has_rows=packed_rows is not None)
            for name, each in verdicts.items()
        ],
    }
    if options.get("one_vs_rest"):
        data["classes"] = True
    if options.get("groups") is not None:
        data["groups"] = options["groups"]
    if packed_rows is not None:
        return data | {"rows": packed_rows}
    return data | _others(others)


def _chosen_rows(name: str, table: Table, verdicts: Iterable[Verdict]) -> NDArray[np.intp]:
    """Return the rows that verdicts chose for a model."""
    values = [each for verdict in verdicts for each in verdict.models if each.name == name]
    thresholds = [each.threshold for each in values if not np.isnan(each.threshold)]
    return rows_at(table, np.array(thresholds)) if table.complete else np.empty(0, np.intp)


def _models(
    models: Mapping[str, OperatingPoints],
    bands: Iterable[Band],
    thresholds_from: Mapping[str, OperatingPoints] | None,
    kept: Mapping[str, NDArray[np.intp]],
) -> list[dict[str, Any]]:
    """Return the data of each model, with its bands, its tuning data and the rows to keep."""
    bands_of: dict[str, list[dict[str, Any]]] = {name: [] for name in models}
    for band in bands:
        row = index_of(band.model, "the model of a band", tuple(models))
        bands_of[list(models)[row]].append(_band(band))
    if thresholds_from is None:
        return [_model(name, each, bands_of[name], kept[name]) for name, each in models.items()]
    tuning = named_models(thresholds_from)
    if set(tuning) != set(models):
        raise ParameterError(
            f"the tuning data has the models {join_names(list(tuning))} but the page has "
            f"{join_names(list(models))}; give both the same models"
        )
    every_row = sum(each.table.size for each in tuning.values()) <= MOST_TUNING_ROWS
    found = []
    for name, points in models.items():
        chosen = tuning[name].table
        if not chosen.nested or np.isnan(chosen.thresholds).any():
            raise NotAnswerableError(
                f"the tuning data of {join_names([name])} is {chosen.name}, which has no threshold "
                "for every row; build it from scores"
            )
        judged = points.table
        rows = np.arange(chosen.size) if every_row else rows_to_keep(chosen, 0)
        thresholds = chosen.thresholds[rows]
        here = rows_at(judged, thresholds)
        below = np.fmax(chosen.next_lower(rows), judged.next_lower(here))
        data = {
            "positives": plain(chosen.positives),
            "negatives": plain(chosen.negatives),
            "complete": rows.size == chosen.size and not chosen.partial,
            "thresholds": packed(thresholds.astype(np.float64)),
            "below": packed(below.astype(np.float64)),
            "tp": packed(chosen.tp[rows]),
            "fp": packed(chosen.fp[rows]),
            # At the same thresholds, in the data of the page.
            "tpHere": packed(judged.tp[here]),
            "fpHere": packed(judged.fp[here]),
        }
        found.append(
            _model(name, points, bands_of[name], np.union1d(here, kept[name])) | {"tuning": data}
        )
    return found


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


def _verdict(name: str, verdict: Verdict, *, has_rows: bool) -> dict[str, Any]:
    data = _answer(verdict)
    return data | {
        "name": name,
        "objective": str(verdict.objective),
        # The β of F without constraints, for the widget; None for other objectives.
        "beta": data["settings"].get("beta"),
        "replicates": verdict.replicates,
        "level": float(verdict.confidence_level),
        # A page that has the rows counts the wins by itself.
        "shares": None if has_rows else _shares(verdict),
    }


def _answer(verdict: Verdict) -> dict[str, Any]:
    """Return what asks for a verdict, and what it says."""
    found = {"settings": settings_of(verdict), "lines": verdict.lines(), "picture": None}
    if verdict.models:
        # The values of the models, and of flagging everything or nothing, to be drawn.
        nothing, names = verdict.doing_nothing, ("here", "expected", "lower", "upper")
        found["picture"] = {
            "models": [
                {
                    "name": each.name,
                    # JSON has no infinity.
                    "threshold": "inf"
                    if each.threshold == math.inf
                    else finite_or_null(float(each.threshold)),
                    **dict(
                        zip(
                            names,
                            map(finite_or_null, (each.here, each.expected, *each.interval)),
                            strict=True,
                        )
                    ),
                }
                for each in verdict.models
            ],
            "chosen": verdict.model,
            "everything": finite_or_null(nothing["flagging everything"]),
            "nothing": finite_or_null(nothing["flagging nothing"]),
        }
    return found


def _others(verdicts: Iterable[Verdict]) -> dict[str, Any]:
    """Return what the page shows of verdicts for other settings, deflated; nothing of none.

    Objectives that the page cannot ask for are left out. Sentences that differ in few numbers take
    a fifth of their space when deflated.
    """
    asked = [each for each in verdicts if settings_of(each)["goal"] != "given"]
    if not asked:
        return {}
    stored: list[dict[str, Any]] = list(map(_answer, asked))
    packer = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS)
    text = packer.compress(as_json(stored).encode("ascii")) + packer.flush()
    betas = [each["settings"]["beta"] for each in stored if each["settings"]["goal"] == "f"]
    return {
        "others": {
            "betas": sorted(betas, key=float),
            "replicates": min(each.replicates for each in asked),
            "verdicts": text_of(text),
        }
    }


_LEVEL_SETTINGS = {
    "precision": ("precision", "minPrecision"),
    "recall": ("recall", "minRecall"),
    "false_positive_rate": ("alarms", "maxFpr"),
    "specificity": ("specificity", "minSpecificity"),
}
"""The goal of the page for a level of a quantity, and the setting that holds the level."""


def settings_of(verdict: Verdict) -> dict[str, Any]:
    """Return the settings of the page that ask for the same; some objectives have none."""
    objective = verdict.objective
    settings: dict[str, Any] = {"goal": "given"}
    if isinstance(objective, Linear) and not objective.as_accuracy and not objective.constraints:
        miss, alarm = objective.costs
        return {"goal": "money", "missCost": miss, "falseAlarmCost": alarm}
    is_seen = objective.sure is None and objective.guarantee is None
    if not (isinstance(objective, Ratio) and is_seen):
        return settings
    if not objective.constraints:
        # JSON has no infinity.
        return {"goal": "f", "beta": objective.beta if math.isfinite(objective.beta) else "inf"}
    # A constraint asks for the most of what it leaves free.
    constraint, *others = objective.constraints
    quantity, level = constraint.quantity, constraint.level
    if others or objective.beta != (0.0 if quantity == "recall" else math.inf):
        return settings
    if quantity in _LEVEL_SETTINGS:
        goal, setting = _LEVEL_SETTINGS[quantity]
        return {"goal": goal, setting: level}
    decision = verdict.decision
    items = decision.tp + decision.fp + decision.fn + decision.tn
    budget = constraint.budget if constraint.budget is not None else level * items
    return {"goal": "budget", "budget": float(f"{budget:.12g}"), "budgetItems": None}


def _shares(verdict: Verdict) -> dict[str, Any] | None:
    """Return who wins how often at other weights of recall, to four digits."""
    weights = verdict.other_weights
    if weights is None:
        return None
    wins = [[finite_or_null(round(share, 4)) for share in row] for row in weights.shares.tolist()]
    return {"costs": isinstance(verdict.objective, Linear), "wins": wins}


MOST_ROWS = 20_000
"""Rows times models up to which a page has the rows."""


def rows_of_models(
    rows: Sample | None,
    models: Mapping[str, OperatingPoints],
    packed_models: list[dict[str, Any]],
) -> dict[str, Any] | None:
    """Return the label, the weight and the ranks of every row; None of rows the page cannot use.

    The rank of a row is the number of its score among the distinct ones, from the highest on.
    """
    if rows is None or list(rows.scores) != list(models):
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
    kept: NDArray[np.intp],
) -> dict[str, Any]:
    table = points.table
    positives, negatives = plain(table.positives), plain(table.negatives)
    rows = rows_to_explore(table) if table.nested else np.arange(table.size)
    rows = np.union1d(rows, kept).astype(np.intp)
    thinned = table.take(rows, table.kind)
    thresholds = thinned.thresholds.astype(np.float64)
    complete = thinned.size == table.size and not table.partial
    return {
        "name": name,
        "kind": "compact" if table.partial else table.kind.name.lower(),
        "positives": positives,
        "negatives": negatives,
        # Items were counted, not weighted.
        "whole": {table.tp.dtype.kind, table.fp.dtype.kind} == {"i"}
        and all(isinstance(total, int) for total in (positives, negatives)),
        "rows": table.size,
        "complete": complete,
        "thresholds": packed(thresholds),
        # Integers beyond 2**53 are long doubles in Python, which browsers do not have.
        "rounded": not np.array_equal(thresholds, thinned.thresholds, equal_nan=True),
        # Of a table with all its rows, the next row has it.
        # In steps from each float to the next.
        "below": None
        if complete
        else {"whole": _encode(_words(thresholds) - _words(table.next_lower(rows)))},
        "tp": packed(thinned.tp),
        "fp": packed(thinned.fp),
        "labels": (
            None if thinned.labels is None else [str(plain(label)) for label in thinned.labels]
        ),
        "areas": {
            measure: [finite_or_null(bracket.lo), finite_or_null(bracket.hi)]
            for measure, bracket in _areas(points).items()
        },
        "histogram": histogram_of(table),
        "bands": bands,
    }


def _areas(points: OperatingPoints) -> dict[str, Bracket]:
    """Return the areas; an empty dict for points that are not nested and have no curve."""
    try:
        with warnings.catch_warnings():
            # The page shows which areas are not defined.
            warnings.simplefilter("ignore", UndefinedWarning)
            return area_brackets(points)
    except NoCurveError:
        return {}


def _band(band: Band) -> dict[str, Any]:
    x, lo, hi = (np.asarray(values, np.float64) for values in (band.x, band.lower, band.upper))
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


def histogram_of(table: Table) -> dict[str, Any] | None:
    """Return the histogram of a complete table of scores, and None for other tables.

    A score s falls into bin floor((s - lo)/(hi - lo)·40); the highest one into the last bin. ``lo``
    and ``hi`` are the lowest and the highest finite score; ``below`` and ``above`` the positives
    and negatives with a score of -inf (items that were never scored among them) and of +inf.
    """
    if not table.complete:
        return None
    scores = table.thresholds[1:].astype(np.float64)
    counts = np.diff(table.tp), np.diff(table.fp)
    is_below, is_above = np.isneginf(scores), scores >= HIGHEST_SCORE
    below, above = (
        [count[there].sum().item() for count in counts] for there in (is_below, is_above)
    )
    finite = ~(is_below | is_above)
    lo, hi = (float(scores[finite].min()), float(scores[finite].max())) if finite.any() else (0, 0)
    # Division by 2 keeps the width of the widest range finite.
    half_width = hi / 2 - lo / 2
    share = (
        (scores[finite] / 2 - lo / 2) / half_width if half_width else np.zeros(int(finite.sum()))
    )
    bin_index = np.minimum((share * BINS).astype(np.intp), BINS - 1)
    positives, negatives = (
        packed(np.bincount(bin_index, count[finite], BINS).astype(count.dtype)) for count in counts
    )
    return {
        "lo": lo,
        "hi": hi,
        "positives": positives,
        "negatives": negatives,
        "below": below,
        "above": above,
    }


# ---------------------------------------------------------------------- numbers packed into text
#
# Exactly: differences of neighbours in as many bits as they need.

_SIGN = np.uint64(1 << 63)
_ONE = np.uint64(1)
_POWERS = _ONE << np.arange(64, dtype=np.uint64)
_ESCAPED, _PLAIN = b"$&<>`", b"[,./:"
"""Letters of base 85 that HTML, JSON, templates or replacements escape, and those instead."""
_COUNT_BYTES = 4
"""Bytes of the header that hold how many numbers there are."""


def text_of(octets: bytes) -> str:
    """Return bytes as text that needs no escapes, four of them in five letters.

    Examples
    --------
    >>> text_of(b"four"), bytes_of("W^Z)")
    ('W^Z+J', b'fou')
    """
    return b85encode(octets).translate(bytes.maketrans(_ESCAPED, _PLAIN)).decode("ascii")


def bytes_of(text: str) -> bytes:
    """Return the bytes of `text_of`."""
    return b85decode(text.encode("ascii").translate(bytes.maketrans(_PLAIN, _ESCAPED)))


def packed(values: Counts) -> dict[str, str]:
    """Pack numbers exactly: ``{"whole": …}`` or ``{"real": …}``.

    Notes
    -----
    Floats are mapped to 64-bit integers in the order of the floats: the bits of negative numbers
    are inverted, and the sign bit of the others is set. Differences are computed modulo 2**64 and
    zigzag-encoded (0, -1, 1, -2 … become 0, 1, 2, 3 …). Each is written in the exponential Golomb
    code of one order k for all of them (Teuhola 1978, Inf. Process. Lett. 7:308): the length n of
    ``(z >> k) + 1`` in bits as n - 1 zeros and a one, and ``z + 2**k`` without its highest bit.
    First come k, the number of values, all lengths, then all bits; `text_of` makes text of them.

    Examples
    --------
    >>> packed(np.array([0, 1, 3, 3]))
    {'whole': '000001gAg'}
    >>> unpacked(packed(np.array([np.inf, 0.75, -0.5]))).tolist()
    [inf, 0.75, -0.5]
    """
    if values.dtype.kind == "i":
        return {"whole": _encode(values.astype(np.int64).view(np.uint64))}
    return {"real": _encode(_words(values))}


def _words(values: Counts) -> Words:
    """Return integers in the order of floats."""
    order: NDArray[np.int64] = flip_negatives(values.astype(np.float64).view(np.int64), 64)
    return order.view(np.uint64) ^ _SIGN


def unpacked(text: dict[str, str]) -> NDArray[Any]:
    """Return the numbers of `packed`."""
    ((kind, data),) = text.items()
    words = _decode(data)
    if kind == "whole":
        return words.view(np.int64)
    bits: NDArray[np.int64] = flip_negatives((words ^ _SIGN).view(np.int64), 64)
    return bits.view(np.float64)


def _lengths(words: Words) -> NDArray[np.int64]:
    """Return how many bits each word needs."""
    return np.asarray(np.searchsorted(_POWERS, words, "right"), np.int64)


def _order(zigzag: Words) -> int:
    """Return the order of the code that is shortest, if lengths of 0 cost nothing."""
    lengths = _lengths(zigzag)
    # An order of 0 has no code for 2**64 - 1.
    orders = np.arange(0 if lengths.max(initial=0) < 64 else 1, 63)
    beyond = np.maximum(np.arange(65) - orders[:, None], 0)
    costs = (2 * beyond + orders[:, None]) @ np.bincount(lengths, minlength=65)
    return int(orders[costs.argmin()])


def _encode(words: Words) -> str:
    differences = np.diff(words, prepend=np.uint64(0)).view(np.int64)
    zigzag = ((differences << 1) ^ (differences >> 63)).view(np.uint64)
    order = _order(zigzag)
    lengths = _lengths((zigzag >> np.uint64(order)) + _ONE)
    unary = np.zeros(int(lengths.sum()), np.uint8)
    unary[np.cumsum(lengths) - 1] = 1
    widths = lengths - 1 + order
    rest = zigzag + _POWERS[order]
    # Each bit of each number, from the highest on.
    shifts = np.repeat(np.cumsum(widths), widths) - 1 - np.arange(widths.sum())
    bits = (np.repeat(rest, widths) >> shifts.astype(np.uint64)) & _ONE
    header = bytes([order]) + zigzag.size.to_bytes(_COUNT_BYTES, "big")
    octets = np.packbits(np.concatenate([unary, bits.astype(np.uint8)]))
    return text_of(header + octets.tobytes())


def _decode(data: str) -> Words:
    octets = bytes_of(data)
    order, size = octets[0], int.from_bytes(octets[1 : 1 + _COUNT_BYTES], "big")
    bits = np.unpackbits(np.frombuffer(octets[1 + _COUNT_BYTES :], np.uint8))
    ends = np.flatnonzero(bits)[:size] + 1
    lengths = np.diff(ends, prepend=0)
    widths = lengths - 1 + order
    written = bits[ends[-1] if size else 0 :][: widths.sum()].astype(np.uint64)
    shifts = np.repeat(np.cumsum(widths), widths) - 1 - np.arange(written.size)
    zigzag = np.zeros(size, np.uint64)
    np.add.at(zigzag, np.repeat(np.arange(size), widths), written << shifts.astype(np.uint64))
    # The highest bit of z + 2**k, modulo 2**64.
    highest = np.where(widths < 64, _POWERS[np.minimum(widths, 63)], np.uint64(0))
    zigzag += highest - _POWERS[order]
    differences = (zigzag >> _ONE) ^ (~(zigzag & _ONE) + _ONE)
    return np.cumsum(differences, dtype=np.uint64)
