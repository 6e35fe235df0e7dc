"""Predictions: the columns of a prediction file, and which of them are labels and scores."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from isometrics._core.labels import are_truth_words, is_positive_word
from isometrics._core.results import ResultTable
from isometrics.errors import Advice, LabelError, OneClassError
from isometrics.points import OperatingPoints

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Predictions(ResultTable):
    """A table of labels and scores from a file of another tool.

    Attributes
    ----------
    columns
        The columns by name. Texts are in arrays of objects.
    label
        The column of true labels.
    scores
        The score column of each model, or of each class.
    group
        The column of folds or other groups, if there is one.
    pos_label
        The label that is positive; None means True or 1.
    multiclass
        Whether `scores` has one entry for each of several classes.
    classes
        The label that is positive for each entry of `scores`, if there are several classes.

    Examples
    --------
    >>> import numpy as np
    >>> from isometrics import formats
    >>> predictions = formats.Predictions(
    ...     {"label": np.array([1, 0, 1, 0]), "score": np.array([0.9, 0.8, 0.7, 0.1])},
    ...     label="label",
    ...     scores={"score": "score"},
    ... )
    >>> predictions
    Predictions: 4 rows, labels in 'label', scores in 'score'
    label  score
        1    0.9
        0    0.8
        1    0.7
        0    0.1
    >>> round(predictions.points()["score"].pr.area(), 6)
    0.797267
    """

    columns: dict[str, NDArray[Any]]
    label: str
    scores: dict[str, str]
    group: str | None = None
    pos_label: object = None
    multiclass: bool = False
    classes: dict[str, object] = field(default_factory=dict)

    def __len__(self) -> int:
        """Return the number of rows."""
        return self.columns[self.label].size

    def points(self) -> dict[str, OperatingPoints]:
        """Count the operating points of each model, or of each class against the others."""
        return {name: self._points(name) for name in self.scores}

    def _points(self, name: str) -> OperatingPoints:
        labels, scores = self.columns[self.label], self.columns[self.scores[name]]
        if not self.multiclass:
            return OperatingPoints.from_scores(labels, scores, pos_label=self.pos_label)
        positive = labels == self.classes[name]
        if not positive.any():
            raise OneClassError(
                f"no row has the class {name!r}", Advice("read another one with {pos_label}")
            )
        return OperatingPoints.from_scores(positive, scores)

    def _title(self) -> str:
        scores = ", ".join(map(repr, self.scores.values()))
        group = "" if self.group is None else f", groups in {self.group!r}"
        return f"Predictions: {len(self)} rows, labels in {self.label!r}, scores in {scores}{group}"

    def _columns(self) -> dict[str, Any]:
        return {
            name: values.tolist() if values.dtype == object else values
            for name, values in self.columns.items()
        }


def texts(values: Sequence[str]) -> NDArray[Any]:
    """Return texts as an array of objects, so that a long text does not widen all the others."""
    return np.array(values, dtype=object)


def confidence(name: object) -> str:
    """Return the name of the column with the scores of a class, as in OpenML's files."""
    return f"confidence.{name}"


def of_classes(
    columns: dict[str, NDArray[Any]],
    label: str,
    classes: dict[str, object],
    *,
    source: object,
    group: str | None = None,
    pos_label: object = None,
) -> Predictions:
    """Return predictions with a score column for each class.

    One of two classes is positive, and its column has the scores. Of more classes, each is
    positive against the others in turn, or only `pos_label`.

    Parameters
    ----------
    columns
        All columns; the scores of a class are in its `confidence` column.
    label
        The column of true labels.
    classes
        The label of each class, by its name.
    source
        Where the predictions come from, for errors.
    group
        The column of groups.
    pos_label
        The positive class that the user named.
    """
    if pos_label is None and len(classes) > 2:
        scores = {name: confidence(name) for name in classes}
        return Predictions(columns, label, scores, group, None, True, classes)
    name = positive_class(list(classes), pos_label, source)
    if len(classes) > 2:
        positive = {name: classes[name]}
        return Predictions(columns, label, {name: confidence(name)}, group, None, True, positive)
    scores = {confidence(name): confidence(name)}
    return Predictions(columns, label, scores, group, classes[name])


def positive_class(classes: list[str], pos_label: object, source: object) -> str:
    """Return the positive class: `pos_label`, or the one that says so, such as 1, yes or true.

    Nothing else is guessed, neither the rarer class nor the last one in sorted order.
    """
    listed = ", ".join(map(repr, classes))
    if pos_label is not None:
        if str(pos_label) not in classes:
            raise LabelError(
                f"{pos_label!r} is not among the classes of {source}, {listed}",
                parameter="pos_label",
            )
        return str(pos_label)
    if len(classes) == 2 and are_truth_words(classes):
        return next(filter(is_positive_word, classes))
    raise LabelError(
        f"{source} has the classes {listed}",
        Advice("say which one is positive with {pos_label}"),
    )
