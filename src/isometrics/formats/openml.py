"""OpenML prediction files: one row for each prediction, with a confidence for each class."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from isometrics.formats.predictions import Predictions, confidence, of_classes, texts
from isometrics.formats.text import TextFile, as_path, shown
from isometrics.formats.weka import attributes_and_rows

if TYPE_CHECKING:
    import os

    from numpy.typing import NDArray


_LABEL_NAMES = ("correct", "truth")
_PREFIX = confidence("")
_SPLIT_NAMES = ("repeat", "fold", "sample")
_INTEGER_NAMES = (*_SPLIT_NAMES, "row_id")


class OpenMLRows(NamedTuple):
    """The columns of a prediction file, the names of label and group column, and the classes."""

    columns: dict[str, NDArray[Any]]
    label: str
    classes: list[str]
    group: str | None


def read_openml(path: str | os.PathLike[str], *, pos_label: object = None) -> Predictions:
    """Read the predictions of an OpenML run from an ARFF file.

    Rows of different repeats, folds or samples are distinguished by a group column such as
    ``repeat.fold``, whose values look like ``0.3``.
    """
    columns, label, classes, group = openml_rows(path)
    return of_classes(
        columns,
        label,
        {name: name for name in classes},
        source=as_path(path),
        group=group,
        pos_label=pos_label,
    )


def openml_rows(path: str | os.PathLike[str]) -> OpenMLRows:
    """Read the rows of a prediction file, without choosing a positive class."""
    file = TextFile(
        path,
        "an OpenML prediction file has the attributes row_id, prediction, correct (or truth) and "
        "confidence.<class> for each class",
    )
    types, rows = attributes_and_rows(file)
    names = list(types)
    label, classes = _label_and_classes(file, names)
    label_index = names.index(label)
    cells = []
    for line, row in rows:
        pairs = zip(names, row, strict=True)
        cells.append([_parse_cell(file, name, text, line) for name, text in pairs])
        if (value := row[label_index]) not in classes:
            raise file.line_error(line, f"the class {shown(str(value))} has no confidences")
    if not cells:
        raise file.file_error("has no rows")
    columns: dict[str, NDArray[Any]] = {}
    for name, values in zip(names, zip(*cells, strict=True), strict=True):
        has_text = any(isinstance(value, str) for value in values)
        columns[name] = texts(values) if has_text else np.array(values)
    group = _add_groups(columns)
    return OpenMLRows(columns, label, classes, group)


def _label_and_classes(file: TextFile, names: list[str]) -> tuple[str, list[str]]:
    labels = [name for name in _LABEL_NAMES if name in names]
    classes = [name.removeprefix(_PREFIX) for name in names if name.startswith(_PREFIX)]
    if len(labels) != 1:
        raise file.file_error(f"has {len(labels)} attributes named {' or '.join(_LABEL_NAMES)}")
    if len(classes) < 2:
        raise file.file_error(f"has confidences of {len(classes)} classes, too few to rank by")
    return labels[0], classes


def _parse_cell(file: TextFile, name: str, text: str | None, line: int) -> str | float:
    """Convert a value to the type of its column."""
    if text is None:
        raise file.line_error(line, f"the value of {name} is missing")
    if name.startswith(_PREFIX):
        return file.number(text, line)
    if name not in _INTEGER_NAMES:
        return text
    number = file.number(text, line)
    if not number.is_integer():
        raise file.line_error(line, f"{name} is {shown(text)}, which is no whole number")
    if abs(number) >= 2.0**63:
        raise file.line_error(line, f"{name} is {shown(text)}, which has more than 64 bits")
    return int(number)


def _add_groups(columns: dict[str, NDArray[Any]]) -> str | None:
    """Add a column with the repeat and fold of each row, and its sample if there are several.

    Return the name of the column, or None if all rows belong to one group.
    """
    splits = [name for name in _SPLIT_NAMES if name in columns]
    splits = [
        name for name in splits if name != "sample" or (columns[name] != columns[name][0]).any()
    ]
    if all((columns[name] == columns[name][0]).all() for name in splits):
        return None
    group = ".".join(splits)
    values = zip(*(columns[name].tolist() for name in splits), strict=True)
    # In a file with folds only, this replaces the integers of the column "fold" by texts.
    columns[group] = texts([".".join(map(str, row)) for row in values])
    return group
