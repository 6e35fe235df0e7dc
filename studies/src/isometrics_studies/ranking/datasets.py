"""Data sets of folders as binary tasks, and the reasons why some files cannot be used."""

from __future__ import annotations

import csv
import hashlib
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Self

import numpy as np

from isometrics._core.results import Value
from isometrics.errors import FileError, InputError
from isometrics.formats.text import TextFile, is_number
from isometrics.formats.weka import attributes_and_rows
from isometrics_studies.linear_models import gaussian_data

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from os import PathLike

    from numpy.typing import ArrayLike, NDArray

    from isometrics._core.arrays import Floats


SUFFIXES = (".arff", ".dat", ".csv", ".data")

_MISSING = frozenset({"", "?", "<null>", "NA", "nan", "NaN"})
_TARGET_NAMES = ("class", "target", "label")
_NUMERIC_TYPES = ("real", "numeric", "integer")
_MAX_CLASSES = 10
_ARFF_LINES = "an ARFF or KEEL file has lines @attribute, then @data and rows"
_CSV_LINES = "a CSV file has rows of equal length"


class Column(NamedTuple):
    """A column of texts; None is a missing value."""

    name: str
    cells: Sequence[str | None]
    numeric: bool


class RawTable(NamedTuple):
    """The columns of a file: features, and the target to predict."""

    features: list[Column]
    target: Column


def read_raw(path: Path) -> RawTable:
    """Read a data set.

    The target is the output in a header of KEEL, or else the column named class, target or label,
    or else the last one. In files without types a column is numeric if all its values are numbers;
    but a target with at most ten different numbers has classes.
    """
    if path.suffix == ".data":
        return _read_pair(path)
    with_header = path.suffix == ".arff" or _declares_attributes(path)
    return _read_arff(path) if with_header else _read_csv(path)


# ---------------------------------------------------------------------- ARFF and KEEL


def _declares_attributes(path: Path) -> bool:
    lines = TextFile(path, _CSV_LINES).lines()
    return any(text.lstrip().startswith("@") for _, (_, text) in zip(range(1), lines, strict=False))


def _read_arff(path: Path) -> RawTable:
    file = TextFile(path, _ARFF_LINES)
    types, rows = attributes_and_rows(file)
    if any(name.startswith("confidence.") for name in types):
        raise FileError.about(
            path, "holds predictions of an OpenML run; give it as runs, not as data"
        )
    cells = [[_cell(text) for text in row] for _, row in rows]
    columns = [
        Column(name, list(values), declared.split("[")[0].strip().lower() in _NUMERIC_TYPES)
        for (name, declared), values in zip(types.items(), _transpose(file, cells), strict=True)
    ]
    return _split_target(columns, _declared_output(file))


def _declared_output(file: TextFile) -> str | None:
    """Return the output that a header of KEEL declares."""
    texts = (text.strip() for _, text in file.lines())
    header = takewhile(lambda text: text.lower() != "@data", texts)
    lines = (text.partition(" ") for text in header)
    outputs = [rest for word, _, rest in lines if word.lower() in ("@output", "@outputs")]
    return outputs[0].strip() if outputs else None


# ---------------------------------------------------------------------- CSV


def _read_csv(path: Path) -> RawTable:
    file = TextFile(path, _CSV_LINES)
    lines = (text for _, text in file.lines())
    try:
        rows = [[_unquote(cell) for cell in row] for row in csv.reader(lines)]
    except csv.Error as error:
        raise file.file_error(f"cannot be split into cells ({error})") from None
    header = _find_header(rows)
    columns = []
    for index, values in enumerate(_transpose(file, rows[header is not None :])):
        name = f"column {index + 1}" if header is None else header[index]
        cells = [_cell(text) for text in values]
        columns.append(Column(name, cells, _all_numbers(cells)))
    table = _split_target(columns, None)
    has_classes = len(set(table.target.cells) - {None}) <= _MAX_CLASSES
    numeric = table.target.numeric and not has_classes
    return table._replace(target=table.target._replace(numeric=numeric))


def _unquote(cell: str) -> str:
    """Return a cell without blanks and without the single quotes of ARFF."""
    cell = cell.strip()
    return cell[1:-1] if len(cell) > 1 and cell[0] == cell[-1] == "'" else cell


def _find_header(rows: list[list[str]]) -> list[str] | None:
    """Return the first row if it has no numbers and some column below has only numbers."""
    first, below = rows[:1], rows[1:]
    if not below or any(map(is_number, first[0])):
        return None
    has_numbers = any(_all_numbers([_cell(text) for text in column]) for column in zip(*below))  # noqa: B905 (lengths are checked later)
    return first[0] if has_numbers else None


def _read_pair(path: Path) -> RawTable:
    labels = path.with_suffix(".labels")
    if not labels.is_file():
        raise FileError.about(path, f"has no file {labels.name} of labels beside it")
    file = TextFile(path, "a .data file has rows of numbers, equally many")
    rows = [text.split() for _, text in file.lines()]
    label_texts = [text.strip() for _, text in TextFile(labels, "one label on each line").lines()]
    columns = _transpose(file, rows)
    if len(label_texts) != len(rows):
        raise file.file_error(f"has {len(rows)} rows but {labels.name} has {len(label_texts)}")
    features = [
        Column(f"column {index + 1}", cells, _all_numbers(cells))
        for index, cells in enumerate([_cell(text) for text in column] for column in columns)
    ]
    return RawTable(features, Column("label", label_texts, False))


# ---------------------------------------------------------------------- columns


def _cell(text: str | None) -> str | None:
    return None if text is None or text.strip() in _MISSING else text.strip()


def _all_numbers(cells: Sequence[str | None]) -> bool:
    present = [cell for cell in cells if cell is not None]
    return bool(present) and all(map(is_number, present))


def _transpose(
    file: TextFile, rows: Sequence[Sequence[str | None]]
) -> list[tuple[str | None, ...]]:
    if not rows:
        raise file.file_error("has no rows")
    if any(len(row) != len(rows[0]) for row in rows):
        raise file.file_error("has rows of different lengths")
    return list(zip(*rows, strict=True))


def _split_target(columns: list[Column], output: str | None) -> RawTable:
    """Split the columns into features and target; `output` is the declared target."""
    names = [column.name.lower() for column in columns]
    target_names = (output.lower(),) if output else _TARGET_NAMES
    candidates = [names.index(name) for name in target_names if name in names]
    index = candidates[0] if candidates else len(columns) - 1
    return RawTable(columns[:index] + columns[index + 1 :], columns[index])


NATIVE = "two classes"
MAJORITY = "majority against the rest"
MEAN = "split at the mean"


class Binary(NamedTuple):
    """Which rows are positive, and the rule that determined it."""

    positive: NDArray[np.bool_]
    rule: str


def binarise_classes(classes: Sequence[str]) -> Binary:
    """Return the rarer of two classes as positive; more classes are split into largest and rest.

    Of equally large classes the first one by name counts as the largest. If the largest class has
    as many rows as the rest, the rest is positive.

    Examples
    --------
    >>> from isometrics_studies.ranking.datasets import binarise_classes
    >>> binarise_classes(["a", "b", "b", "c", "c", "c", "c"]).positive.tolist()
    [True, True, True, False, False, False, False]
    >>> binarise_classes(["a", "b", "b", "c", "d"]).positive.tolist()
    [False, True, True, False, False]
    """
    labels = np.asarray(classes)
    names, counts = np.unique(labels, return_counts=True)
    is_largest = labels == names[np.argmax(counts)]
    return Binary(_rarer(is_largest, ~is_largest), NATIVE if names.size <= 2 else MAJORITY)


def binarise_numbers(numbers: ArrayLike) -> Binary:
    """Split numbers at their mean; the side with fewer rows is positive, the upper one if equal.

    Examples
    --------
    >>> from isometrics_studies.ranking.datasets import binarise_numbers
    >>> binarise_numbers([1, 2, 3, 10]).positive.tolist()
    [False, False, False, True]
    """
    values = np.asarray(numbers, np.float64)
    below = values < values.mean()
    return Binary(_rarer(below, ~below), MEAN)


def _rarer(first: NDArray[np.bool_], second: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return the mask with fewer rows, the second if they are equal."""
    return first if first.sum() < second.sum() else second


_SKLEARN_DATA_SETS = ("breast_cancer", "iris", "wine")
_SIMULATED = {"normal classes, 10% positive": 0.1, "normal classes, 30% positive": 0.3}


def built_in_tasks() -> list[DataSet]:
    """Return three tasks of scikit-learn's data sets, and two simulated ones of 300 rows."""
    from sklearn import datasets

    tasks = []
    for name in _SKLEARN_DATA_SETS:
        values, target = getattr(datasets, f"load_{name}")(return_X_y=True)
        positive, rule = binarise_classes([str(label) for label in target])
        nominal = np.zeros(values.shape[1], np.bool_)
        tasks.append(DataSet(f"built-in/{name}", values, nominal, positive, rule))
    for name, prevalence in _SIMULATED.items():
        data = gaussian_data(300, prevalence=prevalence, seed=2015)
        nominal = np.zeros(data.features.shape[1], np.bool_)
        tasks.append(DataSet(f"built-in/{name}", data.features, nominal, data.positive, NATIVE))
    return tasks


@dataclass(frozen=True, slots=True, eq=False)
class DataSet(Value):
    """A binary task.

    Attributes
    ----------
    name
        The folder and the name of the file.
    values
        One row for each item; nominal values are codes, missing ones NaN.
    nominal
        Which columns are codes.
    positive
        Which items are positive.
    rule
        The rule that made the target binary.
    notes
        What was left out of the file, with reasons.
    """

    name: str
    values: Floats
    nominal: NDArray[np.bool_]
    positive: NDArray[np.bool_]
    rule: str
    notes: tuple[str, ...] = ()

    @property
    def positives(self) -> int:
        """The number of positive items."""
        return int(self.positive.sum())

    def digest(self) -> str:
        """Return a fingerprint of the data that a result depends on."""
        return _fingerprint(self.values, self.nominal, self.positive)

    def content(self) -> str:
        """Return a fingerprint that does not depend on the order of the rows."""
        table = np.column_stack([self.values, self.positive])
        order = np.lexsort(table.T)
        return _fingerprint(table[order])


class Unusable(NamedTuple):
    """A file that cannot be used as a task, and the reason."""

    name: str
    reason: str

    @classmethod
    def by(cls, name: str, error: InputError) -> Self:
        """Return a file with the error of reading it as the reason, without folder names."""
        if isinstance(error, FileError):
            error = error.renamed(Path(str(error.file)).name)
        return cls(name, str(error))


def _fingerprint(*arrays: NDArray[np.generic]) -> str:
    digest = hashlib.sha256()
    for array in arrays:
        digest.update(f"{array.shape}".encode())
        digest.update(np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()


def usable(
    data_sets: Iterable[DataSet | Unusable], *, folds: int
) -> tuple[list[DataSet], list[Unusable]]:
    """Split data sets into those with enough rows of each class, each of them once, and the rest.

    Parameters
    ----------
    data_sets
        From `data_sets_in` or elsewhere.
    folds
        The number of folds; each class needs as many rows.
    """
    tasks: list[DataSet] = []
    unusable: list[Unusable] = []
    first_name: dict[str, str] = {}
    for data in data_sets:
        if isinstance(data, Unusable):
            unusable.append(data)
        elif (reason := _too_small(data, folds)) is not None:
            unusable.append(Unusable(data.name, reason))
        elif (earlier := first_name.setdefault(data.content(), data.name)) != data.name:
            unusable.append(Unusable(data.name, f"has the same rows as {earlier}"))
        else:
            tasks.append(data)
    return tasks, unusable


def _too_small(data: DataSet, folds: int) -> str | None:
    fewest = min(data.positives, data.positive.size - data.positives)
    if fewest < folds:
        return f"has {fewest} rows of its rarer class, fewer than {folds} folds"
    return None


def data_sets_in(folders: Iterable[str | PathLike[str]]) -> Iterator[DataSet | Unusable]:
    """Read all data sets in some folders, without their subfolders.

    Parameters
    ----------
    folders
        The folders. Files whose names end in .arff, .dat, .csv or .data are data sets.
    """
    for folder in map(Path, folders):
        if not folder.is_dir():
            raise FileError(f"{str(folder)!r} is no folder; give the folder that holds data sets")
        files = sorted(file for file in folder.iterdir() if file.suffix in SUFFIXES)
        if not files:
            raise FileError(
                f"the folder {str(folder)!r} has no data sets; their names end in "
                f"{', '.join(SUFFIXES)}"
            )
        for file in files:
            name = f"{folder.resolve().name}/{file.name}"
            try:
                yield data_set_of(name, read_raw(file))
            except InputError as error:
                yield Unusable.by(name, error)


def data_set_of(name: str, table: RawTable) -> DataSet:
    """Convert a table to a binary task: numbers and codes, and which rows are positive."""
    notes = []
    has_target = np.array([cell is not None for cell in table.target.cells])
    if not has_target.all():
        notes.append(f"{int((~has_target).sum())} rows without a target")
    cells = [cell for cell in table.target.cells if cell is not None]
    if len(set(cells)) < 2:
        raise InputError(
            f"{name} has a target of {len(set(cells))} different values; two are needed"
        )
    if table.target.numeric:
        positive, rule = binarise_numbers(_parse_numbers(name, table.target)[has_target])
    else:
        positive, rule = binarise_classes(cells)
    values, nominal = [], []
    for column in table.features:
        parse = _parse_numbers if column.numeric else _parse_codes
        column_values = parse(name, column)[has_target]
        reason = _reason_to_drop(column_values, column.numeric)
        if reason is None:
            values.append(column_values)
            nominal.append(not column.numeric)
        else:
            notes.append(f"column {column.name!r}, which {reason}")
    if not values:
        raise InputError(f"{name} has no column to learn from")
    return DataSet(name, np.column_stack(values), np.array(nominal), positive, rule, tuple(notes))


def _reason_to_drop(values: Floats, numeric: bool) -> str | None:
    present = values[~np.isnan(values)]
    n_different = np.unique(present).size
    if n_different < 2:
        return "does not vary"
    if not numeric and n_different == present.size:
        return "names each row"
    return None


def _parse_numbers(name: str, column: Column) -> Floats:
    try:
        return np.array([np.nan if cell is None else float(cell) for cell in column.cells])
    except ValueError:
        raise InputError(
            f"{name} has values in the numeric column {column.name!r} that are no numbers"
        ) from None


def _parse_codes(_: str, column: Column) -> Floats:
    codes = {text: code for code, text in enumerate(sorted({*column.cells} - {None}))}  # type: ignore[type-var]
    return np.array([np.nan if cell is None else codes[cell] for cell in column.cells])
