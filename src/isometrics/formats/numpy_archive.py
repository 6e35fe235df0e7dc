"""Arrays in ``.npz`` files, such as those of scikit-learn's cross_val_predict."""

from __future__ import annotations

import warnings
import zipfile
from typing import TYPE_CHECKING, Any

import numpy as np

from isometrics._core.arrays import plain
from isometrics._core.writing import whole_file
from isometrics.errors import Advice, FileError, ParameterError
from isometrics.formats.predictions import Predictions, confidence, of_classes
from isometrics.formats.text import as_path, unreadable

if TYPE_CHECKING:
    import os
    from pathlib import Path

    from numpy.typing import NDArray

    PathLike = str | os.PathLike[str]

_LABELS = ("y_true", "y", "labels", "label", "target")
_SCORES = (
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
_GROUPS = ("groups", "group", "folds", "fold")
_EXPECTS = (
    "an archive of predictions has the arrays y_true and y_score, and may have classes and groups"
)
_SUSPICIOUS_SIZE, _SUSPICIOUS_RATIO = 2**28, 100
"""An array this large and compressed this well holds nothing that anybody predicted."""


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
        Which arrays these are, where their names do not tell.
    pos_label
        The label of the positive class.

    Notes
    -----
    Scores with one column for each class belong to the classes in the array ``classes``, or else
    to the labels in sorted order, as cross_val_predict has them.
    """
    archive = _Archive(as_path(path))
    y_true = archive.vector(archive.choose("label", label, _LABELS))
    y_score = archive.array(archive.choose("scores", scores, _SCORES))
    if y_score.ndim not in (1, 2) or y_score.dtype.kind not in "biuf":
        raise archive.error(f"has scores of type {y_score.dtype} and shape {y_score.shape}")
    if len(y_score) != y_true.size:
        raise archive.error(f"has {y_true.size} labels but {len(y_score)} scores")
    if y_true.size == 0:
        raise archive.error("has no rows")
    columns: dict[str, NDArray[Any]] = {"label": y_true}
    group = next((name for name in _GROUPS if name in archive.names), None)
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
    """Write ``y_true``, ``y_score`` and, where there are some, ``classes`` and ``groups``."""
    if predictions.multiclass != (len(predictions.scores) > 1):
        raise ParameterError(
            "an archive holds one model with all its classes, but these predictions have "
            f"the scores {', '.join(map(repr, predictions.scores))}; write csv instead"
        )
    scores = [predictions.columns[name] for name in predictions.scores.values()]
    arrays: dict[str, Any] = {
        "y_true": _unpickled(predictions.columns[predictions.label]),
        "y_score": np.stack(scores, axis=1) if predictions.multiclass else scores[0],
    }
    if predictions.multiclass:
        arrays["classes"] = _unpickled(np.array(list(predictions.classes.values()), dtype=object))
    if predictions.group is not None:
        arrays["groups"] = _unpickled(predictions.columns[predictions.group])
    with whole_file(path, binary=True) as file:
        np.savez_compressed(file, **arrays)


def _unpickled(values: NDArray[Any]) -> NDArray[Any]:
    """Give objects a type that needs no pickle; a mixture of types has none."""
    if values.dtype != object:
        return values
    array = np.array(values.tolist())
    if array.dtype == object or array.tolist() != values.tolist():
        raise ParameterError("an archive holds labels and groups of one type; write csv instead")
    return array


def _classes(archive: _Archive, y_true: NDArray[Any], size: int) -> dict[str, object]:
    known = archive.vector("classes") if "classes" in archive.names else np.unique(y_true)
    classes = {_name(plain(value)): plain(value) for value in known}
    if len(classes) != size:
        raise archive.error(f"has scores of {size} classes but names {len(classes)}")
    # Labels and classes may have different types, as 1 and 1.0 do; what counts is that they meet.
    if not np.isin(y_true, known).all():
        raise archive.error("has labels that are not among its classes")
    return classes


def _name(value: object) -> str:
    """Return what a class is called; 1.0 is the class 1."""
    return str(int(value) if isinstance(value, float) and value.is_integer() else value)


class _Archive:
    """The arrays of a ``.npz`` file, each read when it is asked for."""

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

    def choose(self, option: str, given: str | None, known: tuple[str, ...]) -> str:
        """Return the array the user named, or the only one whose name is known."""
        listed = ", ".join(map(repr, self.names)) or "nothing"
        if given is not None:
            if given not in self.names:
                raise ParameterError(f"{self.path} has no array {given!r}; it has {listed}")
            return given
        found = [name for name in known if name in self.names]
        if len(found) != 1:
            what = " and ".join(map(repr, found)) if found else listed
            advice = Advice(f"say which one with {{{option}}}")
            raise ParameterError(f"{self.path} has the arrays {what}", advice)
        return found[0]

    def vector(self, name: str) -> NDArray[Any]:
        """Return an array of labels, groups or classes; texts are objects."""
        array = self.array(name)
        if array.ndim != 1 or array.dtype.kind not in "biufO":
            raise self.error(f"has {name!r} of type {array.dtype} and shape {array.shape}")
        return array

    def array(self, name: str) -> NDArray[Any]:
        """Read one array; texts become objects."""
        try:
            # A file in the format of Python 2 is read with a warning that nobody needs.
            with warnings.catch_warnings(), zipfile.ZipFile(self.path) as file:
                warnings.simplefilter("ignore")
                array = _read_member(file, f"{name}.npy")
        except Exception as error:
            # A damaged archive fails in as many ways as it has bytes.
            raise unreadable(self.path, error) from error
        if array is None:
            raise self.error(f"has {name!r} as objects, which only pickle can read")
        if array.dtype.kind == "f" and array.dtype.itemsize > 8:
            raise self.error(f"has {name!r} of type {array.dtype}, which differs between machines")
        return array.astype(array.dtype.newbyteorder("="), copy=False)


def _read_member(file: zipfile.ZipFile, name: str) -> NDArray[Any] | None:
    """Read an array whose size is what it says; None for one of objects."""
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
        # Sizes are Python's integers here, which do not overflow.
        size = dtype.itemsize
        for extent in shape:
            size *= extent
        if size != info.file_size - member.tell():
            raise ValueError(f"{name} is not as long as its header says")
    with file.open(info) as member:
        array = np.asarray(np.lib.format.read_array(member, allow_pickle=False))
    if array.dtype.kind == "U":
        array = array.astype(object)
        # Half a character is no text.
        "".join(array.ravel()).encode()
    return array
