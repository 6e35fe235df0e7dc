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
        The file with the true labels, one on each line: alone, or before the features of a row in
        the LibSVM format, ``1 3:0.5 7:1``.
    pos_label
        The label of the positive class.
    """
    if labels is None:
        raise ParameterError(
            f"{path} has predictions only", Advice("pass {labels} with the file of labels")
        )
    scores = _scores(path)
    if scores.shape[1] > 1:
        return _several_classes(labels, scores, path, pos_label)
    values = _labels(labels)
    _same_length(path, scores, labels, values)
    columns = {"label": values, "score": scores[:, 0].copy()}
    return Predictions(columns, "label", {"score": "score"}, None, pos_label)


def _scores(path: str | os.PathLike[str]) -> Floats:
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


def _labels(path: str | os.PathLike[str]) -> NDArray[Any]:
    file, found = _label_texts(path)
    if not all(is_number(text) for _, text in found):
        return texts([text for _, text in found])
    numbers = np.array([file.number(text, line) for line, text in found])
    whole = numbers.astype(np.int64) if (np.abs(numbers) < 2**53).all() else numbers
    return whole if (whole == numbers).all() else numbers


def _several_classes(
    labels: str | os.PathLike[str], scores: Floats, path: str | os.PathLike[str], pos_label: object
) -> Predictions:
    """Take column k as the scores of class k, as both tools number their classes."""
    file, found = _label_texts(labels)
    size = scores.shape[1]
    names = [str(number) for number in range(size)]
    values = []
    for line, text in found:
        number = file.number(text, line)
        if number not in range(size):
            raise file.line_error(line, f"{shown(text)} is none of the classes 0 to {size - 1}")
        values.append(int(number))
    _same_length(path, scores, labels, values)
    columns: dict[str, NDArray[Any]] = {"label": np.array(values)}
    columns |= {confidence(name): scores[:, k].copy() for k, name in enumerate(names)}
    classes: dict[str, object] = {name: k for k, name in enumerate(names)}
    return of_classes(columns, "label", classes, source=path, pos_label=pos_label)


def _label_texts(path: str | os.PathLike[str]) -> tuple[TextFile, list[tuple[int, str]]]:
    file = TextFile(
        path, "a label file has a label on each line, alone or before features such as 3:0.5"
    )
    found = []
    for line, text in file.lines():
        label, *features = text.partition("#")[0].split() or [""]
        if not label or (is_number(label.partition(":")[0]) and ":" in label):
            raise file.line_error(line, f"{shown(text)} does not begin with a label")
        strange = next((feature for feature in features if ":" not in feature), None)
        if strange is not None:
            raise file.line_error(line, f"{shown(strange)} is neither a label nor a feature")
        found.append((line, label))
    return file, found


def _same_length(path: object, scores: Floats, labels: object, values: Any) -> None:
    if len(scores) != len(values):
        raise LengthError(
            f"{path} has {len(scores)} predictions but {labels} has {len(values)} labels"
        )
