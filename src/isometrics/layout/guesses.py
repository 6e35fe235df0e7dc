"""What columns are likely to be, from their names and their first values."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from isometrics.errors import ParameterError
from isometrics.printing import several
from isometrics.values import tuple_value

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

NAMES = {
    "label": (
        *("label", "labels", "y", "y_true", "target", "truth", "true", "actual"),
        *("ground_truth", "class", "correct", "outcome"),
    ),
    "model": ("model", "algorithm", "classifier", "method", "system"),
    "weight": ("weight", "weights", "sample_weight", "w"),
    "group": ("group", "fold", "site", "query", "qid", "split", "part", "repeat"),
}
"""Names of columns, in small letters, by what such a column is."""

SCORES = (
    *("score", "scores", "prob", "proba", "probability", "p"),
    *("y_score", "y_prob", "y_pred_proba", "confidence"),
)
REMAINING = "the remaining numeric columns"
"""By what columns are guessed to be the scores of models."""
PREDICTIONS = ("pred", "prediction")
"""Names of scores, but also of decided classes; only where no name of `SCORES` is there."""

_OTHERS = (
    *("id", "ids", "row_id", "rowid", "row", "index", "idx", "key", "uuid", "unnamed: 0", ""),
    *("y_pred", "predicted", "predicted_label", "predicted_class"),
)
_RESERVED = {name for names in NAMES.values() for name in names}
NUMBERS = ("integer", "float")
CONVENTIONS: tuple[set[object], ...] = ({0, 1}, {-1, 1})
"""Labels that need no positive one to be named: it is 1, or True."""

_KINDS = {
    "model": ("string", "integer"),
    "weight": NUMBERS,
    "group": ("string", "integer"),
}


@tuple_value
class Peek(NamedTuple):
    """What is known of a column before all of it is read."""

    kind: str
    """``"boolean"``, ``"integer"``, ``"float"``, ``"string"`` or ``"other"``."""
    values: list[object]
    """Its first values, None for null."""

    def distinct(self) -> list[object]:
        """Return the different values among the first ones, in their order, without null."""
        found: dict[object, None] = {}
        for value in self.values:
            # NaN differs from itself.
            if value is not None and value == value:  # noqa: PLR0124
                found.setdefault(value)
        return list(found)


def guess_label(columns: Mapping[str, Peek]) -> tuple[str, str]:
    """Return the label column among columns that have no other use, and what tells it."""
    named = [
        name
        for name, peek in columns.items()
        if _known(name, NAMES["label"]) and _holds_classes(peek)
    ]
    if named:
        return _only(named, "label"), ""
    two_valued = [
        name
        for name, peek in columns.items()
        if not _known(name, {*_RESERVED, *SCORES, *PREDICTIONS, *_OTHERS}) and _is_binary(peek)
    ]
    if two_valued:
        return _only(two_valued, "label"), "the only column with two values"
    raise ParameterError(
        f"no column looks like the label among {listed(columns)}; say which it is with label="
    )


def guess_role(columns: Mapping[str, Peek], role: str) -> str | None:
    """Return the column of models, weights or groups, if one is there."""
    fitting = [
        name
        for name, peek in columns.items()
        if _known(name, NAMES[role]) and peek.kind in _KINDS[role]
    ]
    return _only(fitting, role, f", or {role}=False for none") if fitting else None


def named_scores(columns: Mapping[str, Peek]) -> list[str]:
    """Return the column that is called a score, if one is."""
    for names in (SCORES, PREDICTIONS):
        named = [
            name for name, peek in columns.items() if _known(name, names) and peek.kind in NUMBERS
        ]
        if named:
            return [_only(named, "scores", "; a list of columns is several models")]
    return []


def guess_scores(columns: Mapping[str, Peek]) -> tuple[list[str], str]:
    """Return the score columns among columns that have no other use, and what tells them."""
    if named := named_scores(columns):
        return named, ""
    models = [name for name, peek in columns.items() if peek.kind == "float" and may_be_model(name)]
    if models:
        return models, REMAINING
    texts = [
        name
        for name, peek in columns.items()
        if _known(name, {*SCORES, *PREDICTIONS}) and peek.kind == "string"
    ]
    if len(texts) == 1:
        # Who reads it says which values are no numbers, and where.
        return texts, ""
    raise ParameterError(
        f"no column looks like scores among {listed(columns)}; say which they are with scores="
    )


def may_be_model(name: str) -> bool:
    """Tell whether a column of floats of this name is taken for the scores of a model."""
    return not _known(name, {*_RESERVED, *_OTHERS})


def _only(fitting: list[str], role: str, advice: str = "") -> str:
    if len(fitting) > 1:
        both = several([repr(name) for name in fitting], "or")
        raise ParameterError(f"{role} could be the column {both}; say which with {role}={advice}")
    return fitting[0]


def _known(name: str, names: Collection[str]) -> bool:
    return name.strip().lower() in names


def _holds_classes(peek: Peek) -> bool:
    """Tell whether a column may be a label: no measurement, but whole numbers or words."""
    if peek.kind == "float":
        return all(float(value).is_integer() for value in peek.distinct())  # type: ignore[arg-type]
    return peek.kind in ("boolean", "integer", "string")


def _is_binary(peek: Peek) -> bool:
    if peek.kind in NUMBERS:
        return set(peek.distinct()) in CONVENTIONS
    return peek.kind == "boolean" or (peek.kind == "string" and len(peek.distinct()) == 2)


def listed(columns: Mapping[str, Peek]) -> str:
    """Return the names of columns for a sentence."""
    return several([repr(name) for name in columns]) if columns else "no columns"
