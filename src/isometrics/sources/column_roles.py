"""Which column of a table of predictions is what: labels, scores, models, weights, groups."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from difflib import get_close_matches
from typing import TYPE_CHECKING, NamedTuple

from isometrics._core.labels import CONVENTIONS, are_truth_words, is_positive_word
from isometrics._core.results import Value, join_names
from isometrics._core.score_arrays import class_name, classes_of_columns, columns_of_classes
from isometrics.errors import BETWEEN, Advice, ParameterError
from isometrics.sources.written_numbers import is_number, looks_like_number

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Sequence

    Scores = str | Iterable[str] | Mapping[str, str] | None
    Choice = str | bool | None


_TRUTH = {
    **dict.fromkeys(("true", "t", "yes", "y", "1"), True),
    **dict.fromkeys(("false", "f", "no", "n", "0"), False),
}
"""What a truth value may be called."""
_LABEL_KINDS = {"boolean": "booleans", "integer": "whole numbers", "float": "numbers"}


def as_label(pos_label: object, label: str, peek: Peek) -> object:
    """Return a positive label that was given as text in the type of its column."""
    if peek.kind == "string":
        return str(pos_label)
    if peek.kind == "boolean" and pos_label in (0, 1):
        return bool(pos_label)
    if not isinstance(pos_label, str) or peek.kind not in _LABEL_KINDS:
        return pos_label
    text = pos_label.strip()
    if peek.kind == "boolean" and text.lower() in _TRUTH:
        return _TRUTH[text.lower()]
    if peek.kind != "boolean" and is_number(text) and not math.isnan(number := float(text)):
        if peek.kind == "float":
            return number
        if number.is_integer():
            return int(Decimal(text))
    found = [repr(value) for value in peek.distinct()]
    examples = f" such as {join_names(found, most=3)}" if found else ""
    raise ParameterError(
        f"{pos_label!r} cannot be a value of the label column {label!r}, which holds "
        f"{_LABEL_KINDS[peek.kind]}{examples}",
        parameter="pos_label",
    )


class ScoreColumns(NamedTuple):
    """Score columns by model or class."""

    columns: dict[str, str]
    classes: dict[str, object]
    """The label of each class; empty where the columns are those of models."""
    reason: str | None
    """By what they were guessed; None where they were given."""
    others: Collection[str] = ()
    """Columns of classes that are not asked for."""


def scores_among(
    free: Mapping[str, Peek], given: Mapping[str, str], label: Peek, positive: object
) -> ScoreColumns:
    """Return the score columns: those given, else guesses among columns of no other use."""
    numeric = [name for name, peek in free.items() if peek.kind in NUMBERS]
    # One column alone is that of no class, so that nobody needs to know the classes.
    classes = label.distinct() if given or len(numeric) > 1 else []
    values = {class_name(value): value for value in classes}
    named: dict[str, str] = {}
    if given:
        named = _given_classes(given, list(values), positive)
    elif len(values) > 1:
        named = _guessed_classes(numeric, list(values), free)
    if named:
        reason = None if given else "columns named after the labels"
        return _of_classes(named, values, positive, reason)
    if given:
        return ScoreColumns(dict(given), {}, None)
    names, reason = named_scores(free), ""
    if not names:
        names, reason = guess_scores(free)
    return ScoreColumns({name: name for name in names}, {}, reason)


def _given_classes(
    given: Mapping[str, str], classes: list[str], positive: object
) -> dict[str, str]:
    """Return the given column of each class, where three classes or more are known."""
    if len(classes) < 3:
        return {}
    if set(given) <= set(classes):
        return dict(given)
    columns = list(given.values())
    if len(columns) > 1:
        return classes_of_columns(columns, classes)
    return {} if positive is None else classes_of_columns(columns, [class_name(positive)])


_OF_A_CLASS = {"class", "label", "proba", "predict", "predicted", "logit"}
"""Words in the names of columns of classes, besides those of scores."""


def _guessed_classes(
    numbers: list[str], classes: list[str], free: Mapping[str, Peek]
) -> dict[str, str]:
    """Return the column of each class, in the order of the table, if every class has one."""
    found = columns_of_classes(classes, numbers)
    if len(found) != 2:
        return {name: column for column in numbers for name in found if found[name] == column}
    label, column = next(iter(found.items()))
    said = set(filter(None, re.split(r"[\W_]+", column.replace(label, " ").lower())))
    says_class = said <= {*SCORES, *PREDICTIONS, *_OF_A_CLASS}
    if all(map(is_number, classes)) and not says_class:
        before, _, after = column.partition(label)
        numbered = re.compile(rf"{re.escape(before)}-?\d+{re.escape(after)}")
        if len(list(filter(numbered.fullmatch, numbers))) > 2:
            return {}
        low, high = sorted(classes, key=float)
        raise ParameterError(
            f"the columns {found[low]!r} and {found[high]!r} could be two models, or the scores "
            f"of the labels {low} and {high}",
            Advice(
                "name both with {scores} if they are models, and else {} alone", repr(found[high])
            ),
        )
    others = {name: peek for name, peek in free.items() if name not in found.values()}
    if score := named_scores(others):
        fitting = join_names([repr(column) for column in found.values()])
        raise ParameterError(
            f"scores could be the column {score[0]!r}, or {fitting}, which are named after the "
            "labels",
            Advice("say which with {scores}"),
        )
    return found


def _of_classes(
    named: dict[str, str], values: dict[str, object], positive: object, reason: str | None
) -> ScoreColumns:
    """Keep the positive class, where there is one; else each class has its turn."""
    if positive is None and set(values.values()) in CONVENTIONS:
        positive = 1
    if positive is None and len(values) == 2 and are_truth_words(values.values()):
        positive = next(filter(is_positive_word, values.values()))
    if positive is None:
        return ScoreColumns(named, {name: values[name] for name in named}, reason)
    name = next((name for name, value in values.items() if value == positive), None)
    if name not in named:
        raise ParameterError(
            f"{positive!r} has no score column; there are columns for the classes "
            f"{join_names(list(named))}",
            parameter="pos_label",
        )
    if len(values) == 2:
        return ScoreColumns({named[name]: named[name]}, {}, reason, named.values())
    return ScoreColumns({name: named[name]}, {name: positive}, reason, named.values())


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
_SEVERAL_MODELS = "; a list of columns is several models"
PREDICTIONS = ("pred", "prediction")
"""Names of scores, but also of decided classes; only where no name of `SCORES` is there."""

_OTHERS = (
    *("id", "ids", "row_id", "rowid", "row", "index", "idx", "key", "uuid", "unnamed: 0", ""),
    *("y_pred", "predicted", "predicted_label", "predicted_class", "__index_level_0__"),
)
_RESERVED = {name for names in NAMES.values() for name in names}
NUMBERS = ("integer", "float")

_KINDS = {
    "model": ("string", "integer"),
    "weight": NUMBERS,
    "group": ("string", "integer"),
}


MOST_CLASSES = 1000
"""A column with more values than this holds no classes."""


class Peek(NamedTuple):
    """What is known of a column before it is counted.

    The first rows can only rule out what a column is; all rows decide.
    """

    kind: str
    """``"boolean"``, ``"integer"``, ``"float"``, ``"string"`` or ``"other"``, by all rows."""
    values: list[object]
    """Its first values, None for null."""
    distinct_of_all: Callable[[int], list[object]] | None = None
    """Returns the values of all rows, or more than so many of them; None if there are no others."""
    extent_of_all: Callable[[], tuple[float, float]] | None = None
    """Returns the smallest and the largest number of all rows."""

    def first_distinct(self) -> list[object]:
        """Return the different values among the first ones, in their order, without null."""
        # NaN differs from itself.
        present = (value for value in self.values if value is not None and value == value)  # noqa: PLR0124
        return list(dict.fromkeys(present))

    def distinct(self) -> list[object]:
        """Return the different values of all rows, those of the first rows first, without null.

        Of more than `MOST_CLASSES` only some are returned.
        """
        first = self.first_distinct()
        most = {"boolean": 1, "other": -1}.get(self.kind, MOST_CLASSES)
        if self.distinct_of_all is None or len(first) > most:
            return first
        later = set(self.distinct_of_all(MOST_CLASSES)) - set(first)
        return first + sorted(later, key=str)

    def has_only(self, fits: Callable[[list[object]], bool]) -> bool:
        """Tell whether the values fit, of the first rows, and then of all."""
        return fits(self.first_distinct()) and fits(self.distinct())

    def holds_classes(self) -> bool:
        """Tell whether a column may be a label: no measurement, but whole numbers or words."""
        if self.kind == "float":
            return self.has_only(lambda values: all(float(value).is_integer() for value in values))  # type: ignore[arg-type]
        return self.kind != "other"

    def is_binary(self) -> bool:
        """Tell whether a column has two values; numbers must be those of a convention."""
        if self.kind in ("boolean", "other"):
            return self.kind == "boolean"
        conventional = self.kind == "string" or self.has_only(_are_conventional)
        return conventional and len(self.first_distinct()) <= 2 and len(self.distinct()) == 2

    def extent(self) -> tuple[float, float]:
        """Return the smallest and the largest number of all rows; NaN where there is none."""
        if self.extent_of_all is not None:
            return self.extent_of_all()
        numbers = [value for value in self.first_distinct() if isinstance(value, int | float)]
        return (min(numbers), max(numbers)) if numbers else (math.nan, math.nan)


def guess_label(columns: Mapping[str, Peek]) -> tuple[str, str]:
    """Return the label column among columns that have no other use, and what tells it."""
    known = [name for name in columns if _known(name, NAMES["label"])]
    if named := [name for name in known if columns[name].holds_classes()]:
        return _only(named, "label"), ""
    taken = {*_RESERVED, *SCORES, *PREDICTIONS, *_OTHERS}
    other = [name for name in columns if not _known(name, taken)]
    if two_valued := [name for name in other if columns[name].is_binary()]:
        return _only(two_valued, "label"), "the only column with two values"
    raise ParameterError(
        f"no column looks like the label among {listed(columns)}",
        Advice("say which it is with {label}"),
    )


def guess_role(columns: Mapping[str, Peek], role: str) -> str | None:
    """Return the column of models, weights or groups, if one is there."""
    named = [name for name in columns if _known(name, NAMES[role])]
    fitting = [name for name in named if columns[name].kind in _KINDS[role]]
    return _only(fitting, role, f", or {{{role}:False}} for none") if fitting else None


def named_scores(columns: Mapping[str, Peek]) -> list[str]:
    """Return the column that is called a score, if one is; not one of decided classes."""
    numeric = [name for name, peek in columns.items() if peek.kind in NUMBERS]
    named = [name for name in numeric if _known(name, SCORES)] or [
        name
        for name in numeric
        if _known(name, PREDICTIONS) and not columns[name].has_only(_are_conventional)
    ]
    return [_only(named, "scores", _SEVERAL_MODELS)] if named else []


def guess_scores(columns: Mapping[str, Peek]) -> tuple[list[str], str]:
    """Return the score columns where none is called so, and what tells them."""
    # Predictions that are no scores are classes that were decided, 0 and 1.
    decided = [name for name in columns if _known(name, PREDICTIONS)]
    decided = [name for name in decided if columns[name].kind in NUMBERS]
    models = [
        name
        for name, peek in columns.items()
        if name not in decided
        and may_be_model(name)
        and (peek.kind == "float" or (peek.kind == "string" and _mostly(peek, ".,%")))
    ]
    if models:
        return _comparable(models, columns), REMAINING
    if decided:
        return [_only(decided, "scores", _SEVERAL_MODELS)], ""
    texts = [
        name
        for name, peek in columns.items()
        if peek.kind == "string"
        and (_known(name, {*SCORES, *PREDICTIONS}) or (may_be_model(name) and _mostly(peek, ())))
    ]
    if texts:
        # The reader reports which texts are not numbers, and where.
        return texts, REMAINING
    raise ParameterError(
        f"no column looks like scores among {listed(columns)}",
        Advice("say which they are with {scores}"),
    )


def _comparable(models: list[str], columns: Mapping[str, Peek]) -> list[str]:
    """Return the columns that can be scores of rivals: where some are probabilities, those alone.

    A measurement beside them, such as an amount, would become a model, and so would no values.
    """
    if len(models) < 2:
        return models
    # The reader reports what is wrong with texts.
    texts = [name for name in models if columns[name].kind == "string"]
    extents = {name: columns[name].extent() for name in models if name not in texts}
    present = [name for name, (low, _) in extents.items() if not math.isnan(low)]
    shares = [name for name in present if extents[name][0] >= 0 and extents[name][1] <= 1]
    chosen = {*texts, *(shares or present)}
    return [name for name in models if name in chosen] or models


_FEW_WHOLE = 10


def _left_out(name: str, peek: Peek) -> str:
    """Return why a column that is not used may have been meant as scores; nothing if it is not."""
    if not may_be_model(name) or peek.kind not in NUMBERS:
        return ""
    n_present = sum(value is not None for value in peek.values)
    # Identifiers are all different, and flags, days and the like have few values.
    if peek.kind == "integer" and not _FEW_WHOLE < len(peek.first_distinct()) < n_present:
        return ""
    low, high = peek.extent()
    return "" if math.isnan(low) else f"holds numbers from {low:.6g} to {high:.6g}"


def _mostly(peek: Peek, marks: Collection[str]) -> bool:
    """Tell whether more than half of the first texts of a column are numbers with one of marks.

    It would be one of scores but for a word among them or a decimal comma, which the reader
    reports.
    """
    texts = [value for value in peek.values if isinstance(value, str)]
    marked = [text for text in texts if not marks or any(mark in text for mark in marks)]
    return sum(map(looks_like_number, marked)) * 2 > len(texts)


def may_be_model(name: str) -> bool:
    """Tell whether a column of floats of this name is taken for the scores of a model."""
    return not _known(name, {*_RESERVED, *_OTHERS})


def _only(fitting: list[str], role: str, advice: str = "") -> str:
    if len(fitting) > 1:
        both = join_names([repr(name) for name in fitting], "or")
        raise ParameterError(
            f"{role} could be the column {both}", Advice(f"say which with {{{role}}}{advice}")
        )
    return fitting[0]


def _known(name: str, names: Collection[str]) -> bool:
    return name.strip().lower() in names


def _are_conventional(values: Sequence[object]) -> bool:
    """Tell whether values are labels that need no positive one to be named."""
    return any(map(set(values).issubset, CONVENTIONS))


def listed(columns: Mapping[str, Peek]) -> str:
    """Return the names of columns for a sentence."""
    return join_names([repr(name) for name in columns]) if columns else "no columns"


def columns_in_question(names: Sequence[str], roles: Mapping[str, object]) -> set[str]:
    """Return the columns that say which is what by their names, beside labels and scores."""
    given = [*roles.values(), *_columns_of(roles["scores"])]
    guessed = {name for role, chosen in roles.items() if chosen is None for name in NAMES[role]}
    return {name for name in names if name in given or _known(name, guessed)}


def _columns_of(scores: object) -> list[object]:
    if isinstance(scores, Mapping):
        return list(scores.values())
    return list(scores) if isinstance(scores, list | tuple) else [scores]


_NAMED = 20


@dataclass(frozen=True, slots=True, eq=False)
class Layout(Value):
    """Which column is what.

    Attributes
    ----------
    label
        The column of labels.
    scores
        The score column of each model, or of each class, in the order of the table. Where a
        column names the models, there is one score column, under its own name.
    model
        The column that names the model of a row; None where each model has its own column.
    weight, group
        The columns of weights and of groups, or None.
    pos_label
        The positive label, in the type of the label column; None is by convention, True or 1.
    multiclass
        Whether each score column belongs to one class of the label.
    classes
        For each class its value in the label column; empty unless `multiclass`.
    guessed
        What was guessed, and by what.
    unused
        The columns that are not used.
    left_out
        Those of them that may have been meant as scores, where scores were guessed, and why they
        were not taken.

    Examples
    --------
    >>> from isometrics.sources.column_roles import Peek, layout_of
    >>> peeks = {
    ...     "id": Peek("integer", [1, 2]),
    ...     "y": Peek("integer", [0, 1]),
    ...     "rf": Peek("float", [0.2, 0.9]),
    ...     "logit": Peek("float", [0.4, 0.8]),
    ... }
    >>> layout_of(peeks).describe()
    'label: y (guessed); models: rf, logit (guessed: the remaining numeric columns); not used: id'
    """

    label: str
    scores: dict[str, str]
    model: str | None = None
    weight: str | None = None
    group: str | None = None
    pos_label: object = None
    multiclass: bool = False
    classes: dict[str, object] = field(default_factory=dict)
    guessed: dict[str, str] = field(default_factory=dict)
    unused: tuple[str, ...] = ()
    left_out: dict[str, str] = field(default_factory=dict)

    def describe(self) -> str:
        """Return one sentence that says which column is what, and what was guessed."""
        columns = [
            name if name == column else f"{name} = {column}" for name, column in self.scores.items()
        ]
        what = "classes" if self.multiclass else "models" if len(columns) > 1 else "score"
        said = []
        for role, called, named in (
            ("label", "label", self.label),
            ("model", "model", self.model),
            ("scores", what, ", ".join(columns)),
            ("weight", "weight", self.weight),
            ("group", "group", self.group),
        ):
            reason = self.guessed.get(role)
            how = "" if reason is None else f" (guessed: {reason})" if reason else " (guessed)"
            if named is not None:
                said.append(f"{called}: {named}{how}")
            if role == "label" and self.pos_label is not None:
                said.append(f"positive: {self.pos_label}")
        if self.unused:
            more = [f"and {len(self.unused) - _NAMED} more"] * (len(self.unused) > _NAMED)
            said.append(f"not used: {', '.join([*self.unused[:_NAMED], *more])}")
        return " ".join("; ".join(said).split())

    def warning(self) -> Advice:
        """Return one sentence about the columns that may have been meant as scores."""
        said = [f"{name!r} {reason}" for name, reason in self.left_out.items()]
        return Advice(
            "not used as scores: {}; name the score columns with {scores}",
            join_names(said, most=_NAMED),
        )

    def refuse_guesses(self) -> None:
        """Refuse what was guessed, and say what to write instead."""
        if not self.guessed:
            return
        roles: dict[str, list[str | None]] = {
            "label": [self.label],
            "scores": list(self.scores.values()),
            **{role: [getattr(self, role)] for role in ("model", "weight", "group")},
        }
        asked = [
            f"{{{role}:{BETWEEN.join(name for name in roles[role] if name is not None)}}}"
            for role in self.guessed
        ]
        written = " ".join(asked)
        if any(mark in name for name in self.scores.values() for mark in "{}"):
            written = " ".join(f"{{{role}}}" for role in self.guessed)
        raise ParameterError(
            f"takes no guesses, and {join_names(list(self.guessed))} had to be guessed",
            Advice(f"if these are right, write {written}"),
            parameter="strict",
        )


def layout_of(
    columns: Mapping[str, Peek],
    *,
    label: str | None = None,
    scores: Scores = None,
    model: Choice = None,
    weight: Choice = None,
    group: Choice = None,
    pos_label: object = None,
) -> Layout:
    """Find out which column is what; what is not given is guessed where only one column fits.

    Parameters
    ----------
    columns
        What is known of each column, in the order of the table.
    label
        The label column. By default the one with a name such as ``label``, ``y``, ``target`` or
        ``class``; where none has, the only one with two values.
    scores
        The score column, several, or the column of each model by name. By default the one with
        a name such as ``score``, ``prob`` or ``p``; where none has, all other columns of floats.
        Columns that are named after the labels, such as ``p_cat`` and ``p_dog``, are those of
        classes.
    model
        The column that names the model of a row; there is one score column then. By default the
        one with a name such as ``model`` or ``algorithm``; False for none.
    weight, group
        The columns of weights and groups. By default those with names such as ``weight`` and
        ``fold``; False for none.
    pos_label
        The positive label; text is turned into the type of the label column.
    """
    roles = {"label": label, "model": model, "weight": weight, "group": group}
    taken = {
        role: _present(name, role, columns)
        for role, name in roles.items()
        if name is not None and (name is not False or role == "label")
    }
    given = {} if scores is None else _given_scores(scores, columns)
    seen: dict[str, str] = {}
    for role, column in [*taken.items(), *(("scores", column) for column in given.values())]:
        if column in seen:
            raise ParameterError(
                f"the column {column!r} is given as {seen[column]} and as {role}; "
                "a column has one use"
            )
        seen[column] = role
    guessed: dict[str, str] = {}
    free = {name: peek for name, peek in columns.items() if name not in seen}
    if "label" not in taken:
        taken["label"], guessed["label"] = guess_label(free)
        del free[taken["label"]]
    for role in ("weight", "group", "model"):
        if roles[role] is None and (found := guess_role(free, role)) is not None:
            taken[role], guessed[role] = found, ""
            del free[found]
    labels = columns[taken["label"]]
    positive = None if pos_label is None else as_label(pos_label, taken["label"], labels)
    chosen = scores_among(free, given, labels, positive)
    if chosen.reason is not None:
        guessed["scores"] = chosen.reason
    if "model" in taken:
        _settle_models(taken, guessed, chosen)
    in_use = {*taken.values(), *chosen.columns.values()}
    unused = tuple(name for name in columns if name not in in_use)
    guesses = (
        () if chosen.reason is None else [each for each in unused if each not in chosen.others]
    )
    reasons = {name: _left_out(name, columns[name]) for name in guesses}
    return Layout(
        taken["label"],
        # One column serves all models, so it has the name of none.
        {column: column for column in chosen.columns.values()}
        if "model" in taken
        else chosen.columns,
        taken.get("model"),
        taken.get("weight"),
        taken.get("group"),
        positive,
        bool(chosen.classes),
        chosen.classes,
        guessed,
        unused,
        {name: reason for name, reason in reasons.items() if reason},
    )


def _settle_models(taken: dict[str, str], guessed: dict[str, str], chosen: ScoreColumns) -> None:
    """Keep the column that names models only where all of them share one score column."""
    if len(chosen.columns) == 1 and not chosen.classes:
        return
    if "model" in guessed and chosen.reason is None:
        # Whoever names several score columns has a column for each model.
        del taken["model"], guessed["model"]
        return
    names = join_names([repr(column) for column in chosen.columns.values()])
    raise ParameterError(
        f"the column {taken['model']!r} names the model of a row, so one column must hold the "
        f"scores, but there are {names}",
        Advice("say which with {scores}, or {model:False} if each column is a model or a class"),
    )


def _present(name: object, role: str, columns: Mapping[str, Peek]) -> str:
    if not isinstance(name, str):
        raise ParameterError(f"must be the name of a column but is {name!r}", parameter=role)
    if name in columns:
        return name
    known = {column.lower(): column for column in columns}
    near = get_close_matches(name.lower(), known, n=1)
    advice = f"did you mean {known[near[0]]!r}?" if near else f"there are {listed(columns)}"
    raise ParameterError(f"is {name!r}, which is no column; {advice}", parameter=role)


def _given_scores(scores: Scores, columns: Mapping[str, Peek]) -> dict[str, str]:
    """Return the score columns that a user named, by model."""
    if not isinstance(scores, str | list | tuple | Mapping):
        raise ParameterError(
            "must be a column, a list of columns or a mapping of names to columns but is "
            f"{scores!r:.60}",
            parameter="scores",
        )
    named = _columns_of(scores)
    if not named:
        raise ParameterError("is empty; name one column or more", parameter="scores")
    found: dict[str, str] = {}
    for name, column in zip(scores if isinstance(scores, Mapping) else named, named, strict=True):
        if not isinstance(name, str) or name in found:
            raise ParameterError(
                f"must have different names of models but has {name!r}", parameter="scores"
            )
        found[name] = _present(column, "scores", columns)
    return found
