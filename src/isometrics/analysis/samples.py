"""One sample with the scores of several models: checked once, counted whole and by group."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import numpy as np

from isometrics._core.arrays import Column, column
from isometrics._core.groups import GroupNames, python_values
from isometrics._core.results import several
from isometrics._core.sample import positive_rows, present_rows
from isometrics.errors import ParameterError, ScoreError
from isometrics.points import OperatingPoints

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from isometrics._core.arrays import Counts

ONE_MODEL = "score"
"""The name of a model that was given without one."""


class ModelSample(NamedTuple):
    """Rows that count, with the scores of each model, and the rows of each group."""

    labels: NDArray[np.bool_]
    scores: dict[str, NDArray[Any]]
    weights: Counts | None
    groups: dict[str, NDArray[np.intp]]

    def of_group(self, group: str) -> ModelSample:
        """Return the rows of one group."""
        rows = self.groups[group]
        return ModelSample(
            self.labels[rows],
            {name: scores[rows] for name, scores in self.scores.items()},
            None if self.weights is None else self.weights[rows],
            {},
        )

    def tables(self) -> dict[str, OperatingPoints]:
        """Return the operating points of each model over all rows."""
        return self._count(slice(None))

    def tables_by_group(self) -> tuple[dict[str, dict[str, OperatingPoints]], dict[str, str]]:
        """Return the operating points by group and model, and why some groups have none."""
        tables, skipped = {}, {}
        for group, rows in self.groups.items():
            positives = int(np.count_nonzero(self.labels[rows]))
            if 0 < positives < rows.size:
                tables[group] = self._count(rows)
            else:
                skipped[group] = f"only {'positives' if positives else 'negatives'}"
        return tables, skipped

    def describe(self, skipped: Mapping[str, str]) -> str:
        """Say what was counted: rows, groups, and groups that could not be."""
        said = f"{self.labels.size} rows{' with weights' * (self.weights is not None)}"
        if self.groups:
            said += f"; groups: {several(list(self.groups))}"
        if skipped:
            reasons = [f"{group} ({reason})" for group, reason in skipped.items()]
            said += f"; left out: {several(reasons)}"
        return said

    def _count(self, rows: NDArray[np.intp] | slice) -> dict[str, OperatingPoints]:
        weights = None if self.weights is None else self.weights[rows]
        return {
            name: OperatingPoints.from_scores(
                self.labels[rows], scores[rows], sample_weight=weights
            )
            for name, scores in self.scores.items()
        }


def parse_model_sample(
    y_true: ArrayLike,
    scores: object,
    sample_weight: ArrayLike | None,
    groups: ArrayLike | None,
    pos_label: object,
) -> ModelSample:
    """Check labels, scores, weights and groups, and leave out the rows of zero weight."""
    named = scores_by_model(scores)
    columns = [column(values, f"scores[{name!r}]") for name, values in named.items()]
    if groups is not None:
        columns.append(column(groups, "groups"))
    (labels, *columns), weights = present_rows(
        column(y_true, "y_true"), *columns, sample_weight=sample_weight
    )
    scored = columns[: len(named)]
    return ModelSample(
        positive_rows(labels, pos_label),
        {name: each.numbers(ScoreError) for name, each in zip(named, scored, strict=True)},
        weights,
        {} if groups is None else rows_by_group(columns[-1]),
    )


def scores_by_model(scores: object) -> dict[str, Any]:
    """Return the scores of each model, from a mapping, a data frame or a single column."""
    if isinstance(scores, Mapping):
        named: dict[Any, Any] = dict(scores)
    elif isinstance(scores, np.ndarray | list | tuple):
        named = {ONE_MODEL: scores}
    else:
        named = _columns_of_frame(scores) or {ONE_MODEL: scores}
    if not named:
        raise ParameterError("scores is empty; give the scores of one model or more, by name")
    for name in named:
        if not isinstance(name, str):
            raise ParameterError(f"the name of a model must be a text but is {name!r}")
    return named


def _columns_of_frame(given: object) -> dict[Any, Any]:
    """Return the columns of a data frame by name; of anything else, none."""
    import narwhals.stable.v2 as nw

    try:
        frame = nw.from_native(cast("Any", given), eager_only=True, pass_through=True)
        if not isinstance(frame, nw.DataFrame):
            return {}
        return {name: frame[name].to_native() for name in frame.columns}
    except nw.exceptions.DuplicateError:
        raise ParameterError(
            "scores is a data frame with two columns of one name; rename one of them"
        ) from None


def rows_by_group(groups: Column) -> dict[str, NDArray[np.intp]]:
    """Return the rows of each group by its name, the groups sorted by value."""
    values = groups.present()
    names = GroupNames(groups.name)
    if values.dtype.kind in "OT":
        return names.rows_by_group(names.codes_of(values.tolist()))
    distinct, codes = np.unique(values, return_inverse=True)
    return names.rows_by_group(names.codes_of(python_values(distinct))[codes])
