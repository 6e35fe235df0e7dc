"""A decision as a readable JSON file: a rule to apply to new scores, and where it comes from."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Any

from isometrics._core.arrays import plain
from isometrics._core.json_files import (
    is_count,
    json_number,
    number_or_null,
    parse_real,
    read_json,
    write_json,
)
from isometrics._core.results import several
from isometrics._core.version import __version__
from isometrics.decisions.best import parse_goal
from isometrics.decisions.decision import Decision
from isometrics.decisions.objective import parse_objective
from isometrics.errors import FileError, NotAnswerableError, ParameterError
from isometrics.spaces.indices import INDICES

if TYPE_CHECKING:
    import os
    from collections.abc import Callable

FORMAT = "isometrics/decision-1"
"""The name of the form that `Decision.save` writes; docs/rules.md describes it."""

_MAX_BYTES = 2**20
_KIND = "saved decision"
_TEXTS = ("index", "objective")
_NUMBERS = (
    "beta",
    "cost",
    "miss_cost",
    "false_alarm_cost",
    "lam",
    "min_precision",
    "min_recall",
    "budget",
    "sure",
)
_LARGEST_SCORE = 2**64
_DIGEST = re.compile("[0-9a-f]{64}")


def write_decision(decision: Decision, path: str | os.PathLike[str]) -> None:
    """Write a decision to a JSON file."""
    write_json(data_of(decision), path)


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
    return {
        "format": FORMAT,
        "isometrics": __version__,
        "model": decision.model,
        "model_column": decision.model_column,
        "scores": decision.scores,
        "threshold": json_number(threshold),
        "pos_label": decision.pos_label,
        "objective": decision.objective,
        "parameters": {
            name: value if isinstance(value, str) else json_number(value)
            for name, value in decision.parameters.items()
        },
        "value": number_or_null(decision.value),
        "prevalence": number_or_null(decision.prevalence),
        **{name: getattr(decision, name) for name in ("tp", "fp", "fn", "tn")},
        "beta": json_number(decision.beta),
        "fingerprint": decision.fingerprint,
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
    fields = {name: value for name, value in data.items() if name != "format"}
    _refuse_other_fields(fields)
    _text("isometrics")(fields.pop("isometrics"))
    decision = Decision(**{name: _PARSERS[name](value) for name, value in fields.items()})
    _refuse_contradictions(decision)
    return decision


def _refuse_contradictions(decision: Decision) -> None:
    """Refuse counts that no data have, or not with this threshold or this value."""
    counts = decision.counts
    if not (counts.positives > 0 and counts.negatives > 0):
        raise FileError("its counts have only one class: tp + fn and fp + tn must be above 0")
    if decision.threshold == math.inf and counts.budget > 0:
        raise FileError(
            f"it flags nothing, with the threshold Infinity, but tp + fp is {counts.budget:g}"
        )
    parameters: dict[str, Any] = decision.parameters
    # Of an index of the user's own, the name alone does not tell the value.
    is_known = parameters and parameters.get("index", "cost") in INDICES
    if not is_known or math.isnan(decision.value):
        return
    try:
        # A cost proportion is told as an accuracy by thresholds, and as a cost by a verdict.
        objectives = (parse_goal(**parameters)[0], parse_objective(**parameters))
    except ParameterError as error:
        raise FileError(f"its parameters are not valid: {error}") from error
    if 0 < decision.prevalence < 1:
        counts = counts.at_ratio((1 - decision.prevalence) / decision.prevalence)
    values = [float(objective.value(counts)) for objective in objectives]
    if not any(math.isclose(decision.value, each, rel_tol=1e-9, abs_tol=1e-9) for each in values):
        raise FileError(
            f"its value is {decision.value:g}, but its counts have {values[0]:g} for its parameters"
        )


def _refuse_other_fields(fields: dict[str, Any]) -> None:
    missing = [name for name in ("isometrics", *_PARSERS) if name not in fields]
    if missing:
        raise FileError(f"it lacks {several(missing)}")
    unknown = [name for name in fields if name not in _PARSERS and name != "isometrics"]
    if unknown:
        raise FileError(f"it has the unknown field {unknown[0]!r:.60}")


def _text(name: str, *, optional: bool = False) -> Callable[[object], Any]:
    def parse(value: object) -> object:
        if isinstance(value, str) or (optional and value is None):
            return value
        raise FileError(f"{name} should be a text but is {value!r:.60}")

    return parse


def _number(name: str, lowest: float, highest: float) -> Callable[[object], float]:
    """Parse a number between two others, or null, which is NaN."""

    def parse(value: object) -> float:
        number = math.nan if value is None else parse_real(value, name)
        if number < lowest or number > highest:
            raise FileError(f"{name} should lie between {lowest:g} and {highest:g} but is {value}")
        return number

    return parse


def _beta(value: object) -> float:
    number = parse_real(value, "beta")
    if number < 0:
        raise FileError(f"beta should be 0 or more but is {value}")
    return number


def _count(name: str) -> Callable[[object], Any]:
    def parse(value: object) -> object:
        if is_count(value):
            return value
        raise FileError(
            f"{name} should be a whole number, or a sum of weights, of 0 or more but is "
            f"{value!r:.60}"
        )

    return parse


def _threshold(value: object) -> float:
    if type(value) is int and abs(value) < _LARGEST_SCORE:
        number = float(value)
        return number if number == value else value
    return parse_real(value, "threshold")


def _label(value: object) -> object:
    if isinstance(value, dict | list):
        raise FileError(
            f"pos_label should be a text, a number or a truth value but is {value!r:.60}"
        )
    return value


def _digest(value: object) -> object:
    if value is None or (isinstance(value, str) and _DIGEST.fullmatch(value)):
        return value
    raise FileError(f"fingerprint should be 64 hexadecimal digits but is {value!r:.60}")


def _parameters(value: object) -> dict[str, float | str]:
    if not isinstance(value, dict):
        raise FileError(f"parameters should be an object but is {value!r:.60}")
    parsed: dict[str, float | str] = {}
    for name, given in value.items():
        where = f"{name!r:.60} of parameters"
        if name in _TEXTS:
            parsed[name] = _text(where)(given)
        elif name in _NUMBERS:
            parsed[name] = parse_real(given, where)
        else:
            raise FileError(f"parameters has the unknown name {name!r:.60}")
    return parsed


_PARSERS: dict[str, Callable[[Any], Any]] = {
    "model": _text("model", optional=True),
    "model_column": _text("model_column", optional=True),
    "scores": _text("scores", optional=True),
    "threshold": _threshold,
    "pos_label": _label,
    "objective": _text("objective"),
    "parameters": _parameters,
    "value": _number("value", -math.inf, math.inf),
    "prevalence": _number("prevalence", 0, 1),
    **{name: _count(name) for name in ("tp", "fp", "fn", "tn")},
    "beta": _beta,
    "fingerprint": _digest,
}
