"""Arrays in ``.npz`` files, such as those of scikit-learn's cross_val_predict."""

from __future__ import annotations

import warnings
import zipfile
from typing import TYPE_CHECKING, Any

import numpy as np

from isometrics._core.arrays import plain
from isometrics._core.class_scores import class_name
from isometrics._core.writing import whole_file
from isometrics.errors import Advice, FileError, ParameterError
from isometrics.formats.predictions import Predictions, confidence, of_classes
from isometrics.formats.text import as_path, unreadable

if TYPE_CHECKING:
    import os
    from pathlib import Path

    from numpy.typing import NDArray

    PathLike = str | os.PathLike[str]

_LABEL_NAMES = ("y_true", "y", "labels", "label", "target")
_SCORE_NAMES = (
    "y_score",
    "y_pred",
    "y_proba",
    "y_prob",
    "proba",
    "predict_proba",
    "decision_function",
    "scores",
    "score",
)
_GROUP_NAMES = ("groups", "group", "folds", "fold")
_EXPECTS = (
    "an archive of predictions has the arrays y_true and y_score, and may have classes and groups"
)
_SUSPICIOUS_SIZE, _SUSPICIOUS_RATIO = 2**28, 100
"""A larger array, in bytes, with a higher rate of compression contains no predictions."""


def read_npz(
    path: PathLike,
    *,
    label: str | None = None,
    scores: str | None = None,
    pos_label: object = None,
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
    archive = _Archive(as_path(path))
    y_true = archive.vector(archive.choose("label", label, _LABEL_NAMES))
    y_score = archive.array(archive.choose("scores", scores, _SCORE_NAMES))
    if y_score.ndim not in (1, 2) or y_score.dtype.kind not in "biuf":
        raise archive.error(f"has scores of type {y_score.dtype} and shape {y_score.shape}")
    if len(y_score) != y_true.size:
        raise archive.error(f"has {y_true.size} labels but {len(y_score)} scores")
    if y_true.size == 0:
        raise archive.error("has no rows")
    columns: dict[str, NDArray[Any]] = {"label": y_true}
    group = next((name for name in _GROUP_NAMES if name in archive.names), None)
    if group is not None:
        columns["group"] = archive.vector(group)
        if columns["group"].size != y_true.size:
            raise archive.error(f"has {y_true.size} labels but {columns['group'].size} groups")
        group = "group"
    if y_score.ndim == 1 or y_score.shape[1] == 1:
        columns["score"] = y_score.reshape(-1)
        return Predictions(columns, "label", {"score": "score"}, group, pos_label)
    classes = _classes(archive, y_true, y_score.shape[1])
    for name, values in zip(classes, y_score.T, strict=True):
        columns[confidence(name)] = values.copy()
    return of_classes(
        columns, "label", classes, source=archive.path, group=group, pos_label=pos_label
    )


def write_npz(predictions: Predictions, path: PathLike) -> None:
    """Write ``y_true``, ``y_score`` and, if there are any, ``classes`` and ``groups``."""
    if predictions.multiclass != (len(predictions.scores) > 1):
        raise ParameterError(
            "an archive holds one model with all its classes, but these predictions have "
            f"the scores {', '.join(map(repr, predictions.scores))}; write csv instead"
        )
    scores = [predictions.columns[name] for name in predictions.scores.values()]
    arrays: dict[str, Any] = {
        "y_true": _without_objects(predictions.columns[predictions.label]),
        "y_score": np.stack(scores, axis=1) if predictions.multiclass else scores[0],
    }
    if predictions.multiclass:
        classes = np.array(list(predictions.classes.values()), dtype=object)
        arrays["classes"] = _without_objects(classes)
    if predictions.group is not None:
        arrays["groups"] = _without_objects(predictions.columns[predictions.group])
    with whole_file(path, binary=True) as file:
        np.savez_compressed(file, **arrays)


def _without_objects(values: NDArray[Any]) -> NDArray[Any]:
    """Convert objects of one type to a dtype that needs no pickle; refuse mixed types."""
    if values.dtype != object:
        return values
    array = np.array(values.tolist())
    if array.dtype == object or array.tolist() != values.tolist():
        raise ParameterError("an archive holds labels and groups of one type; write csv instead")
    return array


def _classes(archive: _Archive, y_true: NDArray[Any], n_classes: int) -> dict[str, object]:
    """Return the label of each class by its name."""
    labels = archive.vector("classes") if "classes" in archive.names else np.unique(y_true)
    classes = {class_name(plain(value)): plain(value) for value in labels}
    if len(classes) != n_classes:
        raise archive.error(f"has scores of {n_classes} classes but names {len(classes)}")
    # Labels and classes may be of different types, such as 1 and 1.0, if they are equal.
    if not np.isin(y_true, labels).all():
        raise archive.error("has labels that are not among its classes")
    return classes


class _Archive:
    """The arrays of a ``.npz`` file, each read when it is needed."""

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            with zipfile.ZipFile(path) as file:
                members = [name for name in file.namelist() if name.endswith(".npy")]
        except Exception as error:
            raise unreadable(self.path, error) from error
        self.names = [name.removesuffix(".npy") for name in members]

    def error(self, what: str) -> FileError:
        """Return an error about the archive."""
        return FileError.about(self.path, f"{what}; {_EXPECTS}")

    def choose(self, option: str, requested: str | None, usual: tuple[str, ...]) -> str:
        """Return the requested array, or the only one with a usual name."""
        listed = ", ".join(map(repr, self.names)) or "nothing"
        if requested is not None:
            if requested not in self.names:
                raise ParameterError(f"{self.path} has no array {requested!r}; it has {listed}")
            return requested
        candidates = [name for name in usual if name in self.names]
        if len(candidates) != 1:
            what = " and ".join(map(repr, candidates)) if candidates else listed
            advice = Advice(f"say which one with {{{option}}}")
            raise ParameterError(f"{self.path} has the arrays {what}", advice)
        return candidates[0]

    def vector(self, name: str) -> NDArray[Any]:
        """Read an array of labels, groups or classes; texts become objects."""
        array = self.array(name)
        if array.ndim != 1 or array.dtype.kind not in "biufO":
            raise self.error(f"has {name!r} of type {array.dtype} and shape {array.shape}")
        return array

    def array(self, name: str) -> NDArray[Any]:
        """Read one array; texts become objects."""
        try:
            # NumPy warns about files in the format of Python 2.
            with warnings.catch_warnings(), zipfile.ZipFile(self.path) as file:
                warnings.simplefilter("ignore")
                array = _read_member(file, f"{name}.npy")
        except Exception as error:
            # A damaged archive may raise almost any error.
            raise unreadable(self.path, error) from error
        if array is None:
            raise self.error(f"has {name!r} as objects, which only pickle can read")
        if array.dtype.kind == "f" and array.dtype.itemsize > 8:
            raise self.error(f"has {name!r} of type {array.dtype}, which differs between machines")
        return array.astype(array.dtype.newbyteorder("="), copy=False)


def _read_member(file: zipfile.ZipFile, name: str) -> NDArray[Any] | None:
    """Read an array whose size agrees with its header; return None for objects."""
    info = file.getinfo(name)
    if info.file_size > max(_SUSPICIOUS_SIZE, _SUSPICIOUS_RATIO * info.compress_size):
        raise ValueError(
            f"{name} would take {info.file_size} bytes, compressed into almost nothing"
        )
    with file.open(info) as member:
        version = np.lib.format.read_magic(member)
        read_header = {
            (1, 0): np.lib.format.read_array_header_1_0,
            (2, 0): np.lib.format.read_array_header_2_0,
        }[version]
        shape, _, dtype = read_header(member)
        if dtype.hasobject:
            return None
        # Python's integers do not overflow.
        size = dtype.itemsize
        for extent in shape:
            size *= extent
        if size != info.file_size - member.tell():
            raise ValueError(f"{name} is not as long as its header says")
    with file.open(info) as member:
        array = np.asarray(np.lib.format.read_array(member, allow_pickle=False))
    if array.dtype.kind == "U":
        array = array.astype(object)
        # Refuse an unpaired surrogate, which is no valid text.
        "".join(array.ravel()).encode()
    return array
