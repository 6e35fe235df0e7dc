"""The rows of each class of one classifier against all others, from arrays with several columns."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from isometrics._core.arrays import column
from isometrics._core.class_columns import columns_of_classes
from isometrics._core.class_scores import (
    Matrix,
    check_classes,
    class_name,
    listed,
    parse_classes,
    parse_matrix,
    positive_column,
    single_column,
    sorted_classes,
)
from isometrics._core.groups import Groups
from isometrics._core.labels import check_pos_label, equal_to, positive_by_convention, positive_rows
from isometrics._core.sample import Sample, present_rows
from isometrics.errors import (
    Advice,
    DimensionError,
    EmptyInputError,
    LabelError,
    LengthError,
    ParameterError,
    ScoreError,
)

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from isometrics._core.arrays import Column


class Predictions(NamedTuple):
    """Labels and scores as they were given, and what belongs to their rows."""

    y_true: Any
    scores: Any
    argument: str
    """What errors call the scores."""
    sample_weight: ArrayLike | None = None
    groups: Column | None = None
    pos_label: object = None
    classes: list[object] | None = None
    """The classes in the order of the columns; None where they are not given."""

    def present(self, *columns: Column) -> tuple[list[Column], Any, Groups | None]:
        """Return the columns without rows of zero weight, the weights and the groups."""
        groups = [] if self.groups is None else [self.groups]
        present, weights = present_rows(*columns, *groups, sample_weight=self.sample_weight)
        if self.groups is None:
            return present, weights, None
        return present[:-1], weights, Groups.of_column(present[-1])

    def score_columns(self, values: list[Any]) -> list[Column]:
        """Return the columns of the classes under the names that errors mention."""
        return [column(each, f"{self.argument}[:, {j}]") for j, each in enumerate(values)]


def parse_predictions(
    y_true: Any, scores: Any, argument: str, *, classes: object = None, **options: Any
) -> Predictions:
    """Return labels and scores; what has one column or one output is that column or output."""
    outputs = parse_outputs(scores, argument)
    if outputs is not None and len(outputs) == 1:
        scores = outputs[0]
    return Predictions(
        single_column(y_true, "y_true"),
        scores,
        argument,
        classes=parse_classes(classes),
        **options,
    )


def rows_by_class(given: Predictions) -> dict[object, Sample] | None:
    """Return the rows of each class against all others; None where there are two classes.

    There are several where labels name more than two and scores have a column for each, or where
    the labels are an indicator array with a column for each class.
    """
    truth = parse_matrix(given.y_true, "y_true")
    if truth is not None:
        return rows_of_indicators(given, truth)
    outputs = parse_outputs(given.scores, given.argument)
    if outputs is not None:
        raise DimensionError(
            f"{given.argument} has an array for each of {len(outputs)} outputs, so y_true must "
            "have a column for each too, but it is one-dimensional"
        )
    matrix = parse_matrix(given.scores, given.argument)
    if matrix is None or (matrix.names is None and len(matrix.columns) == 1):
        return None
    may_be_binary = matrix.names is not None or len(matrix.columns) == 2
    (labels,), _, _ = given._replace(groups=None).present(column(given.y_true, "y_true"))
    if may_be_binary and _n_classes(labels, given.classes) <= 2:
        return None
    classes = sorted_classes(labels) if given.classes is None else given.classes
    check_classes(labels, classes)
    return rows_of_labels(given, _columns_of(classes, matrix, given))


def _n_classes(labels: Column, classes: list[object] | None) -> int:
    if classes is not None:
        return len(classes)
    values = labels.present()
    if values.dtype.kind in "biuf" and positive_by_convention(values, np) is not None:
        return 2
    return len(set(values.tolist()))


def _columns_of(classes: list[object], matrix: Matrix, given: Predictions) -> dict[object, Any]:
    """Return the scores of each class, by the names of the columns or by their order."""
    n_columns = len(matrix.columns)
    if matrix.names is not None:
        names = [class_name(name) for name in matrix.names]
        named = columns_of_classes([class_name(label) for label in classes], names)
        if named and len(named) == n_columns:
            positions = [names.index(named[class_name(label)]) for label in classes]
            return {
                label: matrix.columns[position]
                for label, position in zip(classes, positions, strict=True)
            }
        if given.classes is None or isinstance(given.scores, Mapping):
            raise LabelError(
                f"y_true has {len(classes)} classes ({listed(classes)}), but the columns of "
                f"{given.argument} are {listed(matrix.names)}; name them after the classes, or "
                "pass the array of one classifier, with a column for each class"
            )
    if n_columns != len(classes):
        raise LengthError(
            f"{given.argument} has {n_columns} columns but there are {len(classes)} classes "
            f"({listed(classes)}); "
            + (
                "pass a column for each class, and classes= where y_true does not have all of them"
                if len(classes) > 2
                else f"name models, as in {{'A': {given.argument}[:, 0]}}, or classes with "
                "classes= where y_true does not have all of them"
            )
        )
    return dict(zip(classes, matrix.columns, strict=True))


def rows_of_labels(given: Predictions, scores: dict[object, Any]) -> dict[object, Sample]:
    """Return the rows of each class, where each row has one label.

    With a positive label, that class alone is returned.
    """
    check_pos_label(given.pos_label)
    if given.pos_label is not None:
        if given.pos_label not in scores:
            raise LabelError(
                f"is {given.pos_label!r}, which is not among the classes {listed(list(scores))}",
                parameter="pos_label",
            )
        scores = {given.pos_label: scores[given.pos_label]}
    (labels, *columns), weights, groups = given.present(
        column(given.y_true, "y_true"), *given.score_columns(list(scores.values()))
    )
    values = labels.present()
    return {
        label: Sample(
            equal_to(values, label), {class_name(label): each.numbers(ScoreError)}, weights, groups
        )
        for label, each in zip(scores, columns, strict=True)
    }


def rows_of_indicators(given: Predictions, truth: Matrix) -> dict[object, Sample]:
    """Return the rows of each class, where a row may belong to several."""
    n_classes = len(truth.columns)
    if n_classes == 0:
        raise EmptyInputError("y_true has no columns; it needs one for each class")
    indicators = [column(each, f"y_true[:, {j}]") for j, each in enumerate(truth.columns)]
    scores = _scores_of_indicators(given, truth)
    names = given.classes or truth.names or scores.names or list(range(n_classes))
    if len(names) != n_classes:
        raise LengthError(f"classes has {len(names)} labels but y_true has {n_classes} columns")
    columns, weights, groups = given.present(*indicators, *given.score_columns(scores.columns))
    return {
        name: Sample(
            _members(columns[j], given.pos_label),
            {class_name(name): columns[n_classes + j].numbers(ScoreError)},
            weights,
            groups,
        )
        for j, name in enumerate(names)
    }


def _members(indicator: Column, pos_label: object) -> NDArray[np.bool_]:
    """Tell which rows belong to a class."""
    values = indicator.present()
    if pos_label is not None:
        return positive_rows(indicator, pos_label)
    if values.dtype.kind in "OUS" or not np.isin(values, (0, 1)).all():
        raise DimensionError(
            "y_true is a matrix, so it must be an indicator of 0 and 1 with a column for each "
            "class",
            Advice("name the positive label of other values with {pos_label}"),
        )
    return values.astype(np.bool_)


def _scores_of_indicators(given: Predictions, truth: Matrix) -> Matrix:
    """Return the scores of each class, in the order of the labels' columns."""
    argument, n_classes = given.argument, len(truth.columns)
    outputs = parse_outputs(given.scores, argument)
    if outputs is not None:
        matrix = Matrix(outputs, None)
    else:
        found = parse_matrix(given.scores, argument)
        if found is None:
            raise DimensionError(
                f"y_true has {n_classes} columns, one for each class, but {argument} is "
                "one-dimensional; pass an array of scores with a column for each class"
            )
        matrix = found
    if len(matrix.columns) != n_classes:
        raise LengthError(
            f"{argument} has {len(matrix.columns)} columns but y_true has {n_classes}; both need "
            "one for each class"
        )
    if outputs is not None:
        return Matrix(
            [_positive_scores(j, outputs[j], truth.columns[j], given) for j in range(n_classes)],
            None,
        )
    if matrix.names is None or truth.names is None or given.classes is not None:
        return matrix
    positions = {name: j for j, name in enumerate(matrix.names)}
    if set(positions) != set(truth.names):
        raise ParameterError(
            f"y_true has the columns {listed(truth.names)} but {argument} has "
            f"{listed(matrix.names)}; give them the same names"
        )
    return Matrix([matrix.columns[positions[name]] for name in truth.names], truth.names)


def _positive_scores(output: int, scores: Any, labels: Any, given: Predictions) -> Any:
    """Return the scores of the positive class of one output of several."""
    name = f"{given.argument}[{output}]"
    matrix = parse_matrix(scores, name)
    n_columns = 0 if matrix is None else len(matrix.columns)
    if matrix is None or n_columns != 2:
        what = f"analyse it alone, with y_true[:, {output}] and {name}"
        if n_columns < 2:
            what = "leave an output out whose estimator saw one class only"
        raise DimensionError(
            f"{name} has {n_columns} column{'s' * (n_columns != 1)}, where an output of two "
            f"classes has 2; {what}"
        )
    (present,), _ = present_rows(
        column(labels, f"y_true[:, {output}]"), sample_weight=given.sample_weight
    )
    return positive_column(matrix, present, pos_label=given.pos_label, classes=None)


def parse_outputs(scores: Any, argument: str) -> list[Any] | None:
    """Return the arrays of several outputs, as ``MultiOutputClassifier`` gives them; else None."""
    if isinstance(scores, np.ndarray):
        if scores.ndim > 3:
            raise DimensionError(f"{argument} has {scores.ndim} dimensions; pass two")
        return list(scores) if scores.ndim == 3 else None
    if isinstance(scores, list | tuple) and scores and np.ndim(scores[0]) == 2:
        return list(scores)
    return None
