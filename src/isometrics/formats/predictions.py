"""Predictions: columns of labels and scores, of a file of any format or of an ``.npz`` archive."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from isometrics._core.arrays import plain
from isometrics._core.files import as_path
from isometrics._core.labels import are_truth_words, is_positive_word
from isometrics._core.results import ResultTable
from isometrics._core.score_arrays import class_name
from isometrics.errors import (
    Advice,
    FileError,
    IsometricsError,
    LabelError,
    OneClassError,
    ParameterError,
)
from isometrics.formats.text import unreadable
from isometrics.points import OperatingPoints

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    PathLike = str | os.PathLike[str]


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
        found = {}
        for name, column in self.scores.items():
            labels, pos_label = self.columns[self.label], self.pos_label
            if self.multiclass:
                labels, pos_label = labels == self.classes[name], None
                if not labels.any():
                    raise OneClassError(
                        f"no row has the class {name!r}",
                        Advice("read another one with {pos_label}"),
                    )
            scores = self.columns[column]
            found[name] = OperatingPoints.from_scores(labels, scores, pos_label=pos_label)
        return found

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


_LABEL_NAMES = ("y_true", "y", "labels", "label", "target")
_SCORE_NAMES = (
    *("y_score", "y_pred", "y_proba", "y_prob", "proba", "predict_proba", "decision_function"),
    *("scores", "score"),
)
_GROUP_NAMES = ("groups", "group", "folds", "fold")
_EXPECTS = (
    "an archive of predictions has the arrays y_true and y_score, and may have classes and groups"
)


def read_npz(
    path: PathLike, *, label: str | None = None, scores: str | None = None, pos_label: object = None
) -> Predictions:
    """Read labels and scores from a ``.npz`` file; nothing in it is unpickled.

    Parameters
    ----------
    path
        The file.
    label, scores
        The names of the arrays, if they are not among the usual ones.
    pos_label
        The label of the positive class.

    Notes
    -----
    Columns of scores, one for each class, belong to the classes in the array ``classes``, or else
    to the labels in sorted order, as in cross_val_predict.
    """
    file = as_path(path)
    with _opened(file) as archive:
        names = archive.files
        wanted = {
            "y_true": _choose(file, names, "label", label, _LABEL_NAMES),
            "y_score": _choose(file, names, "scores", scores, _SCORE_NAMES),
            "group": next((name for name in _GROUP_NAMES if name in names), None),
            "classes": "classes" if "classes" in names else None,
        }
        arrays = {role: archive[name] for role, name in wanted.items() if name is not None}
    for role, values in arrays.items():
        # Texts become objects, and numbers have the order of bytes of this machine.
        dtype = object if values.dtype.kind == "U" else values.dtype.newbyteorder("=")
        arrays[role] = values.astype(dtype)
    y_true, y_score = arrays["y_true"], arrays["y_score"]
    if y_true.ndim != 1 or y_score.ndim not in (1, 2) or y_score.dtype.kind not in "biuf":
        raise _refused(
            file, f"has labels of shape {y_true.shape} and {y_score.dtype} scores {y_score.shape}"
        )
    if y_true.size == 0:
        raise _refused(file, "has no rows")
    columns: dict[str, NDArray[Any]] = {"label": y_true}
    group = None
    if "group" in arrays:
        group = "group"
        columns[group] = arrays[group]
    for values in (y_score, *columns.values()):
        if values.shape[:1] != y_true.shape:
            raise _refused(file, f"has {y_true.size} labels but an array of shape {values.shape}")
    if y_score.ndim == 1 or y_score.shape[1] == 1:
        columns["score"] = y_score.reshape(-1)
        return Predictions(columns, "label", {"score": "score"}, group, pos_label)
    labels = arrays.get("classes", np.unique(y_true))
    classes: dict[str, object] = {class_name(plain(value)): plain(value) for value in labels}
    if len(classes) != y_score.shape[1] or not np.isin(y_true, labels).all():
        raise _refused(
            file, f"has scores of {y_score.shape[1]} classes but labels of others, or of more"
        )
    for name, values in zip(classes, y_score.T, strict=True):
        columns[confidence(name)] = values.copy()
    return of_classes(columns, "label", classes, source=file, group=group, pos_label=pos_label)


@contextmanager
def _opened(file: Path) -> Iterator[Any]:
    """Open an archive; a damaged one may raise almost any error."""
    try:
        with file.open("rb") as content, np.load(content) as archive:
            yield archive
    except IsometricsError:
        raise
    except Exception as error:
        raise unreadable(file, error) from error


def _choose(
    file: Path,
    names: list[str],
    option: str,
    requested: str | None,
    usual: tuple[str, ...],
) -> str:
    """Return the requested array, or the only one with a usual name."""
    candidates = [name for name in names if name in (usual if requested is None else (requested,))]
    if len(candidates) != 1:
        listed = " and ".join(map(repr, candidates or names)) or "nothing"
        advice = Advice(f"say which one with {{{option}}}")
        raise ParameterError(f"{file} has the arrays {listed}", advice)
    return candidates[0]


def _refused(file: Path, what: str) -> FileError:
    return FileError.about(file, f"{what}; {_EXPECTS}")
