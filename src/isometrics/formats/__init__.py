"""Prediction files of other tools: AUCCalculator, OpenML, WEKA, NumPy.

Each format has a reader, some have a writer, and most are told by a file's name and first lines.
"""

from __future__ import annotations

import inspect
from itertools import chain, islice
from typing import TYPE_CHECKING, Any, NamedTuple

from isometrics._core.files import as_path
from isometrics._core.parameters import check_choice
from isometrics.errors import Advice, FileError, ParameterError
from isometrics.formats import davis_goadrich
from isometrics.formats.predictions import Predictions, read_npz
from isometrics.formats.text import TextFile, is_number
from isometrics.formats.weka import HEADER, read_openml, read_weka
from isometrics.points import OperatingPoints

if TYPE_CHECKING:
    import os
    from collections.abc import Callable

    from isometrics._core.arrays import Total


__all__ = ["FORMATS", "Format", "Predictions", "read", "sniff", "write"]

_FORMAT_BY_SUFFIX = {".arff": "openml", ".npz": "npz", ".list": "list"}
_CURVE_SUFFIXES = (".pr", ".roc", ".spr")
_TABLE_SUFFIXES = (".csv", ".tsv", ".parquet", ".json", ".jsonl", ".ndjson", ".feather", ".arrow")
_SNIFFED_LINES = 50


class Format(NamedTuple):
    """One format of prediction files.

    Attributes
    ----------
    description
        What the file contains, in one line.
    read
        Returns `Predictions` or `OperatingPoints`.
    write
        Writes what `read` returns; None if the format is only read.
    bytes_held
        The largest number of bytes of memory that reading takes for each byte of the file.
    """

    description: str
    read: Callable[..., Predictions | OperatingPoints]
    write: Callable[..., None] | None = None
    bytes_held: int = 20

    @property
    def options(self) -> tuple[str, ...]:
        """The options that `read` takes for this format."""
        return tuple(inspect.signature(self.read).parameters)[1:]


FORMATS: dict[str, Format] = {
    "list": Format(
        "AUCCalculator: a probability and a class, 0 or 1, on each line",
        davis_goadrich.read_list,
        davis_goadrich.write_list,
        bytes_held=8,
    ),
    "PR": Format(
        "AUCCalculator: recall and precision of a curve's points on each line",
        davis_goadrich.read_pr,
        davis_goadrich.write_pr_points,
    ),
    "ROC": Format(
        "AUCCalculator: false and true positive rate of a curve's points on each line",
        davis_goadrich.read_roc,
        davis_goadrich.write_roc_points,
    ),
    ".pr": Format(
        "AUCCalculator's output: recall and precision at every true positive",
        davis_goadrich.read_pr,
        davis_goadrich.write_pr_curve,
    ),
    ".roc": Format(
        "AUCCalculator's output: false and true positive rate at every true positive",
        davis_goadrich.read_roc,
        davis_goadrich.write_roc_curve,
    ),
    ".spr": Format(
        "AUCCalculator's output: precision at the recalls 0.01, 0.02, …, 1",
        davis_goadrich.read_pr,
        davis_goadrich.write_standard_pr_curve,
    ),
    "openml": Format("OpenML predictions in an ARFF file", read_openml),
    "weka": Format("WEKA's predictions as CSV", read_weka),
    "npz": Format(
        "NumPy arrays y_true and y_score, as of scikit-learn's cross_val_predict",
        read_npz,
        bytes_held=4,
    ),
}
"""The formats by name."""

_WRITERS = {name: entry.write for name, entry in FORMATS.items() if entry.write is not None}


def read(
    path: str | os.PathLike[str],
    format: str | None = None,
    *,
    pos_label: object = None,
    label: str | None = None,
    scores: str | None = None,
    positives: Total | None = None,
    negatives: Total | None = None,
) -> Predictions | OperatingPoints:
    r"""Read a file of predictions, or of a curve's points.

    Parameters
    ----------
    path
        The file. Text may be compressed by gzip.
    format
        One of `FORMATS`; by default, the format that `sniff` recognises.
    pos_label
        The positive class, where classes have names.
    label, scores
        The names of the arrays in an ``.npz`` file.
    positives, negatives
        The totals, which the points of a curve do not tell.

    Returns
    -------
    Predictions or OperatingPoints
        `OperatingPoints` for the points of a curve, else `Predictions`.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from isometrics import formats
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "model.list"
    >>> _ = path.write_text("0.9 1\n0.8\t0\n0.7,1\n")
    >>> formats.read(path).points()["score"].tp
    array([0, 1, 1, 2])
    """
    if format is None:
        format = sniff(path)
        if format is None:
            raise FileError(
                f"{as_path(path)} has no format that can be told from its name and first lines",
                Advice("name it with {format}, one of {}", ", ".join(map(repr, FORMATS))),
            )
    entry = FORMATS[check_choice(format, "format", tuple(FORMATS))]
    accepted = entry.options
    given = {
        "pos_label": pos_label,
        "label": label,
        "scores": scores,
        "positives": positives,
        "negatives": negatives,
    }
    options: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
    unknown = [name for name in options if name not in accepted]
    if unknown:
        listed = ", ".join(f"{{{name}}}" for name in accepted)
        raise ParameterError(
            f"is not an option of {format}",
            Advice(f"it takes {listed}" if accepted else "it takes none"),
            parameter=unknown[0],
        )
    return entry.read(path, **options)


def write(table: Predictions | OperatingPoints, path: str | os.PathLike[str], format: str) -> None:
    """Write predictions, or the points of a curve, in a format of `FORMATS`.

    Parameters
    ----------
    table
        `Predictions` for ``"list"``; `OperatingPoints` for ``"PR"``, ``"ROC"``, ``".pr"``,
        ``".roc"`` and ``".spr"``.
    path
        The file, which is written completely or not at all.
    format
        The name of the format.

    Notes
    -----
    PR coordinates do not determine the false positives of a row without true positives, so such
    rows are not in the files ``"PR"``, ``".pr"`` and ``".spr"``.
    """
    writer = _WRITERS[check_choice(format, "format", tuple(_WRITERS))]
    expected = Predictions if format == "list" else OperatingPoints
    if not isinstance(table, expected):
        raise ParameterError(
            f"{format} is written from {expected.__name__} but got {type(table).__name__}"
        )
    writer(table, as_path(path))


def sniff(path: str | os.PathLike[str]) -> str | None:
    r"""Recognise the format of a file by its name and first lines.

    Returns None for a plain table such as CSV or Parquet, for a file that fits no format, and
    where there is no file. A PR or ROC input of AUCCalculator looks like any other pairs of
    numbers, so its format has to be named.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from isometrics import formats
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "out.txt"
    >>> _ = path.write_text("inst#,actual,predicted,error,prediction\n1,2:pos,2:pos,,0.9\n")
    >>> formats.sniff(path)
    'weka'
    """
    file = TextFile(path, "")
    try:
        exists = file.path.is_file()
    except OSError:  # a name that is too long, or a folder that may not be entered
        exists = False
    if not exists:
        return None
    suffixes = [suffix.lower() for suffix in file.path.suffixes]
    suffix = next((suffix for suffix in reversed(suffixes) if suffix != ".gz"), "")
    if suffix in _FORMAT_BY_SUFFIX:
        return _FORMAT_BY_SUFFIX[suffix]
    try:
        lines = [text for _, text in islice(file.lines(), _SNIFFED_LINES)]
    except FileError:
        return None
    if any(HEADER.fullmatch(text) for text in lines):
        return "weka"
    rows = [text.replace(",", " ").split() for text in lines]
    pairs = {len(row) for row in rows} == {2} and all(map(is_number, chain.from_iterable(rows)))
    if not pairs or suffix in (*_TABLE_SUFFIXES, *_CURVE_SUFFIXES):
        return suffix if pairs and suffix in _CURVE_SUFFIXES else None
    first, second = map(set, zip(*rows, strict=True))
    # If both columns are 0 or 1, either of them may be the class.
    return "list" if second <= {"0", "1"} and not first <= {"0", "1"} else None
