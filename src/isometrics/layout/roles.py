"""Which column of a table of predictions is what: labels, scores, models, weights, groups."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import TYPE_CHECKING

from isometrics.errors import ParameterError
from isometrics.layout.guesses import Peek, guess_label, guess_role, listed
from isometrics.layout.label_values import as_label
from isometrics.layout.score_columns import FoundScores, scores_among
from isometrics.printing import several
from isometrics.values import Value

if TYPE_CHECKING:
    from collections.abc import Iterable

    Scores = str | Iterable[str] | Mapping[str, str] | None
    Choice = str | bool | None

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

    Examples
    --------
    >>> from isometrics.layout.roles import Peek, layout_of
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

    def describe(self) -> str:
        """Return one sentence that says which column is what, and what was guessed."""
        said = [self._role("label", self.label)]
        if self.pos_label is not None:
            said.append(f"positive: {self.pos_label}")
        if self.model is not None:
            said.append(self._role("model", self.model))
        columns = [
            name if name == column else f"{name} = {column}" for name, column in self.scores.items()
        ]
        what = "classes" if self.multiclass else "models" if len(columns) > 1 else "score"
        said.append(self._role("scores", ", ".join(columns), what))
        for role, column in (("weight", self.weight), ("group", self.group)):
            if column is not None:
                said.append(self._role(role, column))
        if self.unused:
            more = [f"and {len(self.unused) - _NAMED} more"] * (len(self.unused) > _NAMED)
            said.append(f"not used: {', '.join([*self.unused[:_NAMED], *more])}")
        return " ".join("; ".join(said).split())

    def _role(self, role: str, columns: str, what: str | None = None) -> str:
        said = f"{what or role}: {columns}"
        if role not in self.guessed:
            return said
        reason = self.guessed[role]
        return f"{said} (guessed: {reason})" if reason else f"{said} (guessed)"


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
    given = _given_scores(scores, columns)
    _refuse_double([*taken.items(), *(("scores", column) for column in given.values())])
    guessed: dict[str, str] = {}

    def free() -> dict[str, Peek]:
        used = {*taken.values(), *given.values()}
        return {name: peek for name, peek in columns.items() if name not in used}

    if "label" not in taken:
        taken["label"], guessed["label"] = guess_label(free())
    for role in ("weight", "group", "model"):
        if roles[role] is None and (found := guess_role(free(), role)) is not None:
            taken[role], guessed[role] = found, ""
    positive = as_label(pos_label, taken["label"], columns[taken["label"]])
    chosen = scores_among(free(), given, columns[taken["label"]], positive)
    if chosen.reason is not None:
        guessed["scores"] = chosen.reason
    if "model" in taken:
        _settle_models(taken, guessed, chosen)
    in_use = {*taken.values(), *chosen.columns.values()}
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
        tuple(name for name in columns if name not in in_use),
    )


def _settle_models(taken: dict[str, str], guessed: dict[str, str], chosen: FoundScores) -> None:
    """Keep the column that names models only where all of them share one score column."""
    if len(chosen.columns) == 1 and not chosen.classes:
        return
    if "model" in guessed and chosen.reason is None:
        # Whoever names several score columns has a column for each model.
        del taken["model"], guessed["model"]
        return
    names = several([repr(column) for column in chosen.columns.values()])
    raise ParameterError(
        f"the column {taken['model']!r} names the model of a row, so one column must hold the "
        f"scores, but there are {names}; say which with scores=, or model=False if each column "
        "is a model or a class"
    )


def _present(name: object, role: str, columns: Mapping[str, Peek]) -> str:
    if not isinstance(name, str):
        raise ParameterError(f"{role} must be the name of a column but is {name!r}")
    if name in columns:
        return name
    known = {column.lower(): column for column in columns}
    near = get_close_matches(name.lower(), known, n=1)
    advice = f"did you mean {known[near[0]]!r}?" if near else f"there are {listed(columns)}"
    raise ParameterError(f"{role}: there is no column {name!r}; {advice}")


def _given_scores(scores: Scores, columns: Mapping[str, Peek]) -> dict[str, str]:
    """Return the score columns that a user named, by model; none where nothing was said."""
    if scores is None:
        return {}
    if isinstance(scores, str):
        named: list[tuple[object, object]] = [(scores, scores)]
    elif isinstance(scores, Mapping):
        named = list(scores.items())
    elif isinstance(scores, list | tuple):
        named = [(name, name) for name in scores]
    else:
        raise ParameterError(
            "scores must be a column, a list of columns or a mapping of names to columns but is "
            f"{scores!r:.60}"
        )
    if not named:
        raise ParameterError("scores is empty; name one column or more")
    found: dict[str, str] = {}
    for name, column in named:
        if not isinstance(name, str) or name in found:
            raise ParameterError(f"scores must have different names of models but has {name!r}")
        found[name] = _present(column, "scores", columns)
    return found


def _refuse_double(roles: Iterable[tuple[str, str]]) -> None:
    seen: dict[str, str] = {}
    for role, column in roles:
        if column in seen:
            raise ParameterError(
                f"the column {column!r} is given as {seen[column]} and as {role}; "
                "a column has one use"
            )
        seen[column] = role
