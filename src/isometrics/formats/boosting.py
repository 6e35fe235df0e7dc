"""Predictions of XGBoost and LightGBM: numbers in one file, labels in another."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from isometrics.errors import Advice, LengthError, ParameterError
from isometrics.formats.predictions import Predictions, confidence, of_classes, texts
from isometrics.formats.text import TextFile, is_number, shown

if TYPE_CHECKING:
    import os

    from numpy.typing import NDArray

    from isometrics._core.arrays import Floats


def read_boosting(
    path: str | os.PathLike[str],
    *,
    labels: str | os.PathLike[str] | None = None,
    pos_label: object = None,
) -> Predictions:
    """Read predictions, one number on each line, or one for each class.

    Parameters
    ----------
    path
        The predictions.
    labels
        The file with the true labels, one on each line: a label only, or a row of the LibSVM
        format that begins with its label, ``1 3:0.5 7:1``.
    pos_label
        The label of the positive class.
    """
    if labels is None:
        raise ParameterError(
            f"{path} has predictions only", Advice("pass {labels} with the file of labels")
        )
    scores = _read_scores(path)
    if scores.shape[1] > 1:
        return _read_multiclass(labels, scores, path, pos_label)
    label_values = _read_labels(labels)
    _check_lengths(path, scores, labels, label_values)
    columns = {"label": label_values, "score": scores[:, 0].copy()}
    return Predictions(columns, "label", {"score": "score"}, None, pos_label)


def _read_scores(path: str | os.PathLike[str]) -> Floats:
    file = TextFile(path, "a prediction file has a number, or one for each class, on each line")
    rows: list[list[float]] = []
    for line, text in file.lines():
        row = [file.number(value, line) for value in text.replace(",", " ").split()]
        if rows and len(row) != len(rows[0]):
            raise file.line_error(
                line, f"there are {len(row)} numbers, and {len(rows[0])} on the first line"
            )
        if not row:
            raise file.line_error(line, f"{shown(text)} is no number")
        rows.append(row)
    if not rows:
        raise file.file_error("has no rows")
    return np.array(rows)


def _read_labels(path: str | os.PathLike[str]) -> NDArray[Any]:
    """Read labels as integers if all are, else as floats if all are numbers, else as texts."""
    file, label_texts = _read_label_texts(path)
    if not all(is_number(text) for _, text in label_texts):
        return texts([text for _, text in label_texts])
    numbers = np.array([file.number(text, line) for line, text in label_texts])
    integers = numbers.astype(np.int64) if (np.abs(numbers) < 2**53).all() else numbers
    return integers if (integers == numbers).all() else numbers


def _read_multiclass(
    labels: str | os.PathLike[str], scores: Floats, path: str | os.PathLike[str], pos_label: object
) -> Predictions:
    """Read labels for scores whose column k belongs to class k, as both tools number classes."""
    file, label_texts = _read_label_texts(labels)
    n_classes = scores.shape[1]
    label_values = []
    for line, text in label_texts:
        number = file.number(text, line)
        if number not in range(n_classes):
            raise file.line_error(
                line, f"{shown(text)} is none of the classes 0 to {n_classes - 1}"
            )
        label_values.append(int(number))
    _check_lengths(path, scores, labels, label_values)
    columns: dict[str, NDArray[Any]] = {"label": np.array(label_values)}
    columns |= {confidence(k): scores[:, k].copy() for k in range(n_classes)}
    classes: dict[str, object] = {str(k): k for k in range(n_classes)}
    return of_classes(columns, "label", classes, source=path, pos_label=pos_label)


def _read_label_texts(path: str | os.PathLike[str]) -> tuple[TextFile, list[tuple[int, str]]]:
    """Return the file and its labels, each with the number of its line."""
    file = TextFile(
        path, "a label file has a label on each line, alone or before features such as 3:0.5"
    )
    label_texts = []
    for line, text in file.lines():
        label, *features = text.partition("#")[0].split() or [""]
        if not label or (is_number(label.partition(":")[0]) and ":" in label):
            raise file.line_error(line, f"{shown(text)} does not begin with a label")
        not_feature = next((feature for feature in features if ":" not in feature), None)
        if not_feature is not None:
            raise file.line_error(line, f"{shown(not_feature)} is neither a label nor a feature")
        label_texts.append((line, label))
    return file, label_texts


def _check_lengths(path: object, scores: Floats, labels: object, label_values: Any) -> None:
    if len(scores) != len(label_values):
        raise LengthError(
            f"{path} has {len(scores)} predictions but {labels} has {len(label_values)} labels"
        )
