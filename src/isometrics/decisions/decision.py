"""A chosen rule ``score >= threshold`` with its counts and its objective, and its JSON file."""

from __future__ import annotations

import hashlib
import math
import re
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from isometrics._core import __version__
from isometrics._core.arrays import column, plain
from isometrics._core.files import (
    is_count,
    json_number,
    number_or_null,
    parse_real,
    read_json,
    write_json,
)
from isometrics._core.results import ResultTable, join_names, number
from isometrics._core.threshold_text import threshold_text
from isometrics._counting.confusion import Confusion, f_name, f_weights
from isometrics.decisions.objective import ObjectiveOptions
from isometrics.errors import FileError, NotAnswerableError, ScoreError

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Sequence

    from numpy.typing import ArrayLike, NDArray

    from isometrics._core.arrays import Total
    from isometrics._table.table import Table
    from isometrics.decisions.objective import Objective


class Origin(NamedTuple):
    """Where the scores of a rule come from, and the rows that it was chosen on."""

    model: str | None = None
    """The model whose scores are compared; None if it has no name."""
    scores: str | None = None
    """The column of scores; None if the data had no such column."""
    model_column: str | None = None
    """The column that names the model of each row; None if each model has its own scores."""
    pos_label: object = None
    """The label of the positive class; None if it is 1 or true."""
    fingerprint: str | None = None
    """The SHA-256 of the data that the counts are of, whatever the order of its rows; None if the
    data are not known to their last row."""


UNKNOWN = Origin()


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Decision(ResultTable):
    """A chosen rule ``score >= threshold``: its counts, its measures, and its objective.

    ``float(decision)`` is the threshold: +inf for the empty rule, NaN where the table has none. It
    raises an error where the threshold is an integer that a float of 64 bits cannot represent.

    Attributes
    ----------
    threshold
        The threshold; an integer where it is one that floats cannot represent.
    tp, fp, fn, tn
        The counts of the rule.
    objective, value
        What was maximised, in words, and its value.
    parameters
        The objective and the constraints as arguments of `best_threshold` or `Analysis.verdict`.
    label
        The name of the row, in a family of sets.
    prevalence
        The prevalence for which the rule was chosen: that of the data, or of `at_prevalence`.
    origin
        The model, its columns and its data, as far as they are known: `Analysis.decision` and
        `Analysis.verdict` know them, `best_threshold` knows a table alone.
    """

    threshold: float
    tp: Total
    fp: Total
    fn: Total
    tn: Total
    objective: str
    value: float
    parameters: dict[str, float | str] = field(default_factory=dict)
    label: object = None
    prevalence: float = math.nan
    origin: Origin = UNKNOWN
    _below: Any = field(default=None, compare=False)
    """The next lower score, as in `threshold_text`."""

    def __float__(self) -> float:
        """Return the threshold, unless it would be rounded to that of another rule."""
        threshold = float(self.threshold)
        if threshold != self.threshold and not math.isnan(threshold):
            raise NotAnswerableError(
                f"the threshold {self.threshold} is not a float of 64 bits; use .threshold, which "
                "is exact"
            )
        return threshold

    @property
    def counts(self) -> Confusion:
        """The true and false positives, and the totals of both classes."""
        return Confusion(self.tp, self.fp, self.tp + self.fn, self.fp + self.tn)

    @property
    def beta(self) -> float:
        """The β of `f` and `f_gain`; 1 where the objective has none."""
        return float(self.parameters.get("beta", 1.0))

    @property
    def threshold_text(self) -> str:
        """The shortest decimal that flags the same rows as the threshold."""
        return threshold_text(self.threshold, self._below)

    @property
    def precision(self) -> float:
        """The precision of the rule; NaN for the empty rule."""
        return float(self.counts.precision)

    @property
    def recall(self) -> float:
        """The recall of the rule."""
        return float(self.counts.recall)

    @property
    def f(self) -> float:
        """F_β of the rule, for `beta`."""
        return float(self.counts.f(*f_weights(self.beta)))

    @property
    def f_gain(self) -> float:
        """The gain of F_β, for `beta`."""
        return float(self.counts.f_gain(*f_weights(self.beta)))

    @property
    def flagged_share(self) -> float:
        """The share of all rows that the rule flags, at its prevalence; NaN if it is not known."""
        false_positive_rate = float(self.counts.false_positive_rate)
        return self.prevalence * self.recall + (1 - self.prevalence) * false_positive_rate

    def predict(self, scores: ArrayLike) -> NDArray[np.bool_]:
        """Tell which scores are flagged: those at or above the threshold.

        The numbers are compared exactly, whatever their types: nothing is rounded. Missing scores
        are refused. The threshold +inf flags nothing, not even a score of +inf.

        Parameters
        ----------
        scores
            The scores of new rows, as `OperatingPoints.from_scores` takes them.

        Examples
        --------
        >>> import isometrics as iso
        >>> labels, scores = [1, 0, 1, 1, 0, 0], [0.9, 0.8, 0.7, 0.6, 0.5, 0.4]
        >>> decision = iso.analyse(labels, {"forest": scores}).decision()
        >>> decision.threshold, decision.predict([0.7, 0.2, 0.6])
        (0.6, array([ True, False,  True]))
        """
        self.check_threshold()
        values: NDArray[Any] = column(scores, "scores").numbers(ScoreError)
        threshold: Any = self.threshold
        if math.isinf(threshold):
            return np.full(values.shape, threshold < 0)
        if values.dtype.kind == "f":
            # The wider of both types holds both numbers.
            kind = np.longdouble if isinstance(threshold, int) else np.float64
            exact = np.asarray(threshold, np.result_type(values, threshold, kind))
            return np.asarray(values >= exact)
        whole = values.astype(np.uint8) if values.dtype.kind == "b" else values
        return np.asarray(whole >= math.ceil(Fraction(*threshold.as_integer_ratio())))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the rule to a JSON file, which `load_decision` reads.

        Parameters
        ----------
        path
            The file.
        """
        write_json(data_of(self), path)

    def check_threshold(self) -> None:
        """Refuse a decision that is not about scores."""
        if math.isnan(self.threshold):
            raise NotAnswerableError(
                "this decision has no threshold: it chose a set, or a point of a curve whose "
                "scores are not known; choose from OperatingPoints.from_scores"
            )

    def _title(self) -> str:
        where = self.threshold_text if self.label is None else repr(self.label)
        what = "threshold" if self.label is None else "row"
        whose = "" if self.origin.model is None else f" of {self.origin.model}"
        return f"Decision: {what} {where}{whose}, best for {self.objective}: {number(self.value)}"

    def _columns(self) -> dict[str, Any]:
        shown = ("threshold", "tp", "fp", "fn", "tn", "precision", "recall", "f", "f_gain")
        columns = {name: [getattr(self, name)] for name in (*shown, "objective", "value", "beta")}
        names = {"model": self.origin.model, "label": self.label}
        return {key: [str(name)] for key, name in names.items() if name is not None} | columns

    def _shown(self) -> dict[str, Any]:
        measures = ("tp", "fp", "fn", "tn", "precision", "recall")
        f = f_name(self.beta)
        return {name: [getattr(self, name)] for name in measures} | {
            f: [self.f],
            "F gain": [self.f_gain],
        }


def threshold_array(thresholds: Sequence[float]) -> NDArray[Any]:
    """Return thresholds of decisions as an array that represents each of them exactly."""
    is_wide = any(isinstance(threshold, int) for threshold in thresholds)
    return np.array(thresholds, np.longdouble if is_wide else np.float64)


def decision_of(table: Table, row: int, objective: Objective) -> Decision:
    """Return a row as a decision for an objective."""
    rule = np.array([row])
    counts = Confusion(table.tp[rule], table.fp[rule], table.positives, table.negatives)
    tp, fp = counts.tp[0].item(), counts.fp[0].item()
    return Decision(
        threshold=plain(table.thresholds[row]),  # type: ignore[arg-type]
        tp=tp,
        fp=fp,
        fn=table.positives - tp,
        tn=table.negatives - fp,
        objective=objective.label,
        value=float(objective.value(counts)[0]),
        parameters=objective.parameters,
        label=None if table.labels is None else table.labels[row],
        prevalence=table.prevalence,
        _below=table.next_lower(rule)[0],
    )


def fingerprint_of(table: Table) -> str | None:
    """Return the SHA-256 of a table with a row for every distinct score; None of another one.

    What is hashed are the distinct scores from the highest on, then for each of them the positives
    and the negatives at or above it, all as float64, little-endian. Where a score has more digits,
    what is left of each comes last.
    """
    if not table.complete:
        return None
    hashed = hashlib.sha256()
    # Adding 0 makes -0.0, which is the same score, 0.0.
    scores = table.thresholds[1:] + 0
    rounded = scores.astype("<f8")
    for values in (rounded, table.tp[1:], table.fp[1:]):
        hashed.update(np.ascontiguousarray(values, "<f8").data)
    if scores.dtype.itemsize > 8:
        with np.errstate(invalid="ignore"):
            rest = np.where(np.isinf(scores), 0, scores - rounded).astype("<f8")
        if rest.any():
            hashed.update(rest.data)
    return hashed.hexdigest()


FORMAT = "isometrics/decision-1"
"""The name of the form that `Decision.save` writes; docs/rules.md describes it."""

_MAX_BYTES = 2**20
_KIND = "saved decision"
_LARGEST_SCORE = 2**64
_DIGEST = re.compile("[0-9a-f]{64}")


def load_decision(path: str | os.PathLike[str]) -> Decision:
    """Read a decision that `Decision.save` wrote; a file that deviates from the format is refused.

    Parameters
    ----------
    path
        The file.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import isometrics as iso
    >>> labels, scores = [1, 0, 1, 1, 0, 0], [0.9, 0.8, 0.7, 0.6, 0.5, 0.4]
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     rule = Path(folder, "rule.json")
    ...     iso.analyse(labels, {"forest": scores}).decision(beta=2).save(rule)
    ...     decision = iso.load_decision(rule)
    >>> decision
    Decision: threshold 0.6 of forest, best for F (β 2): 0.9375
    tp  fp  fn  tn  precision  recall  F (β 2)    F gain
     3   1   0   2       0.75       1   0.9375  0.933333
    """
    return read_json(path, decision_of_data, kind=_KIND, max_bytes=_MAX_BYTES)


# ---------------------------------------------------------------------- to JSON


def data_of(decision: Decision) -> dict[str, Any]:
    """Return a decision as JSON data; numbers are written so that they are read back exactly."""
    decision.check_threshold()
    threshold = plain(decision.threshold)
    if not isinstance(threshold, int | float):
        raise NotAnswerableError(
            f"the threshold {threshold} needs more than 64 bits, which readers of JSON would "
            "round; divide the scores by a power of two before you count them"
        )
    origin = decision.origin
    return {
        "format": FORMAT,
        "isometrics": __version__,
        "model": origin.model,
        "model_column": origin.model_column,
        "scores": origin.scores,
        "threshold": json_number(threshold),
        "pos_label": origin.pos_label,
        "objective": decision.objective,
        "parameters": {
            name: value if isinstance(value, str) else json_number(value)
            for name, value in decision.parameters.items()
        },
        "value": number_or_null(decision.value),
        "prevalence": number_or_null(decision.prevalence),
        **{name: getattr(decision, name) for name in ("tp", "fp", "fn", "tn")},
        "beta": json_number(decision.beta),
        "fingerprint": origin.fingerprint,
    }


# ---------------------------------------------------------------------- from JSON


def decision_of_data(data: object) -> Decision:
    """Return the decision that JSON data describe; raise FileError if they are not valid."""
    if not isinstance(data, dict) or not isinstance(data.get("format"), str):
        raise FileError(f"it should be an object with the format {FORMAT!r}")
    if data["format"] != FORMAT:
        raise FileError(
            f"its format is {data['format']!r:.60}, but isometrics {__version__} reads {FORMAT!r} "
            "alone"
        )
    missing = [name for name in _PARSERS if name not in data]
    if missing:
        raise FileError(f"it lacks {join_names(missing)}")
    unknown = [name for name in data if name not in _PARSERS and name != "format"]
    if unknown:
        raise FileError(f"it has the unknown field {unknown[0]!r:.60}")
    fields = {name: parse(data[name], name) for name, parse in _PARSERS.items()}
    # The first tells who wrote it, and the second follows from the parameters.
    del fields["isometrics"], fields["beta"]
    origin = Origin(**{name: fields.pop(name) for name in Origin._fields})
    return Decision(**fields, origin=origin)


def _accepting(accepted: str, holds: Callable[[Any], bool]) -> Callable[[object, str], Any]:
    """Return a function that refuses all values but some."""

    def parse(value: object, name: str) -> object:
        if holds(value):
            return value
        raise FileError(f"{name} should be {accepted} but is {value!r:.60}")

    return parse


_text = _accepting("a text", lambda value: isinstance(value, str))
_text_or_null = _accepting("a text", lambda value: value is None or isinstance(value, str))
_label = _accepting(
    "a text, a number or a truth value", lambda value: not isinstance(value, dict | list)
)
_count = _accepting("a whole number, or a sum of weights, of 0 or more", is_count)
_digest = _accepting(
    "64 hexadecimal digits",
    lambda value: value is None or (isinstance(value, str) and bool(_DIGEST.fullmatch(value))),
)


def _number_or_null(value: object, name: str) -> float:
    return math.nan if value is None else parse_real(value, name)


def _threshold(value: object, name: str) -> float:
    if type(value) is int and abs(value) < _LARGEST_SCORE:
        number = float(value)
        return number if number == value else value
    return parse_real(value, name)


def _parameters(value: object, name: str) -> dict[str, float | str]:
    if not isinstance(value, dict):
        raise FileError(f"{name} should be an object but is {value!r:.60}")
    parsed: dict[str, float | str] = {}
    for option, given in value.items():
        if option not in (*ObjectiveOptions.__annotations__, "sure", "guarantee"):
            raise FileError(f"{name} has the unknown name {option!r:.60}")
        parse = _text if option in ("index", "objective") else parse_real
        parsed[option] = parse(given, f"{option!r} of {name}")
    return parsed


_PARSERS: dict[str, Callable[[Any, str], Any]] = {
    "isometrics": _text,
    "model": _text_or_null,
    "model_column": _text_or_null,
    "scores": _text_or_null,
    "threshold": _threshold,
    "pos_label": _label,
    "objective": _text,
    "parameters": _parameters,
    "value": _number_or_null,
    "prevalence": _number_or_null,
    **dict.fromkeys(("tp", "fp", "fn", "tn"), _count),
    "beta": parse_real,
    "fingerprint": _digest,
}
