"""`isometrics calibrate`: learn a map of scores from one file, apply it to another."""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple

from cyclopts import Parameter

from isometrics.cli.options import (
    ANSWERS,
    COLUMNS,
    Answers,
    Columns,
    EscapeFormulas,
    File,
    Target,
    about,
    load,
)
from isometrics.cli.output import Meter, answer, json_text
from isometrics.cli.table_files import is_text, write_batches, writer_for
from isometrics.errors import MissingValueError, ParameterError, ScoreError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    import pyarrow as pa

    from isometrics.calibration.calibrators import HullCalibrator
    from isometrics.sources.batches import Source

    Calibrators = Mapping[str, HullCalibrator]


def calibrate(
    file: File,
    /,
    *,
    output: Target,
    apply: Annotated[File | None, Parameter(help="Apply this map instead of learning one.")] = None,
    kind: Literal["f", "accuracy"] = "f",
    escape_formulas: EscapeFormulas = False,
    columns: Columns = COLUMNS,
    answers: Answers = ANSWERS,
) -> None:
    """Learn calibrated scores from a file, or apply what was learnt to another file.

    The map is a JSON file that people can read: for every model the segments of its hull, with the
    scores that belong to each and their calibrated value. Applied to a file, which needs no
    labels, it adds a column of calibrated scores for every model to the columns of the file.

    For example:
      isometrics calibrate tuning.csv -o map.json
      isometrics calibrate --apply map.json new.csv -o calibrated.csv
      isometrics calibrate tuning.csv --kind accuracy -o map.json

    Parameters
    ----------
    output
        The map; or the file with calibrated scores, which ends in .csv, .tsv, .parquet, .arrow,
        .json or .jsonl, or in .csv.gz. For both, - is standard output.
    kind
        f: on calibrated scores the threshold 1/(1+β²) is best for F, for every β. accuracy: they
        are probabilities, and the threshold 1/2 is best for accuracy.
    """
    if apply is None:
        _learn(file, output, kind, columns, answers)
        return
    if output != "-":
        writer_for(output)
    rows, added = apply_map(
        apply, file, output, columns, quiet=answers.quiet, escape_formulas=escape_formulas
    )
    _tell({"rows": rows, "columns": added}, output, answers)


def _learn(file: str, output: str, kind: str, columns: Columns, answers: Answers) -> None:
    from isometrics.calibration.files import KINDS, map_of, write_map

    analysis = load(file, columns, answers)
    learnt = {name: KINDS[kind].from_points(points) for name, points in analysis.models.items()}
    if output == "-":
        print(json_text(map_of(learnt)))
        return
    write_map(learnt, output)
    segments = {name: calibrator.values_.size for name, calibrator in learnt.items()}
    _tell(about(analysis) | {"kind": kind, "segments": segments}, output, answers)


def _tell(said: dict[str, object], output: str, answers: Answers) -> None:
    if output == "-":
        return
    if answers.json:
        answer(said | {"written": output}, [], as_json=True)
    else:
        print(output)


# ---------------------------------------------------------------------- applying a map


class _Job(NamedTuple):
    """What to calibrate: a score column with its calibrators, and the name of the new column."""

    column: str
    added: str
    calibrators: Calibrators
    model: str | None = None
    """The column that names the calibrator of a row; None if there is only one."""
    numbers: str = ""
    """The column of the scores as numbers, which is not written where their texts are kept."""


def apply_map(
    map_file: str, file: str, output: str, columns: Columns, *, quiet: bool, escape_formulas: bool
) -> tuple[int, list[str]]:
    """Write a file with calibrated scores; return the number of rows and the new columns."""
    import pyarrow as pa

    from isometrics.calibration.files import read_map
    from isometrics.sources.opening import open_source

    calibrators = read_map(map_file)
    source: Any = open_source(file, columns.memory_limit, all_rows=True, writing=columns.writing())
    try:
        jobs = _jobs(calibrators, columns, source.schema)
        added = [job.added for job in jobs]
        for name in added:
            if name in source.schema.names:
                raise ParameterError(f"{file!r} already has a column {name!r}; rename it")
        names = source.schema.names
        if is_text(output) and hasattr(source, "keep_texts"):
            # Columns of CSV files stay as they are written there: 0.10, NA, yes.
            jobs = [job._replace(numbers=_new_name(job.column, names)) for job in jobs]
            source.keep_texts({job.column: job.numbers for job in jobs})
        fields = [source.schema.field(name) for name in names]
        schema = pa.schema([*fields, *(pa.field(name, pa.float64()) for name in added)])
        with Meter("calibrating", quiet=quiet) as meter:
            batches = _batches(source, jobs, schema, meter)
            write_batches(schema, batches, output, escape_formulas=escape_formulas)
            return meter.rows, added
    finally:
        source.close()


def _new_name(column: str, names: list[str]) -> str:
    """Return a name that no column has."""
    while column in names:
        column += " "
    return column


def _jobs(calibrators: Calibrators, columns: Columns, schema: pa.Schema) -> list[_Job]:
    given = columns.score_columns()
    if columns.model:
        named = list(given.values()) if isinstance(given, dict) else given or []
        if len(named) != 1:
            raise ParameterError("a file with a --model column needs its one column of --scores")
        for name in (*named, columns.model):
            _check_present(name, schema)
        _check_numbers(named[0], schema)
        return [_Job(named[0], "calibrated", calibrators, columns.model)]
    if isinstance(given, list):
        # A column without a name belongs to the model of that name, or to the only one.
        alone = len(given) == len(calibrators) == 1
        given = {next(iter(calibrators)): given[0]} if alone else {name: name for name in given}
    chosen = given or {name: name for name in calibrators}
    for name, column in chosen.items():
        if name not in calibrators:
            known = ", ".join(map(repr, calibrators))
            raise ParameterError(f"the map has no model {name!r}, only {known}")
        _check_present(column, schema, name)
        _check_numbers(column, schema)
    return [
        _Job(column, f"{name}_calibrated", {name: calibrators[name]})
        for name, column in chosen.items()
    ]


def _check_present(column: str, schema: pa.Schema, model: str | None = None) -> None:
    if column in schema.names:
        return
    near = get_close_matches(column, schema.names, n=1)
    advice = f"; did you mean {near[0]!r}?" if near else f"; it has {', '.join(schema.names[:20])}"
    how = "" if model is None else f" (give it with --scores {model}=COLUMN)"
    raise ParameterError(f"the file has no column {column!r}{advice}{how}")


def _check_numbers(column: str, schema: pa.Schema) -> None:
    from isometrics.sources.arrow import kind_of

    kind = kind_of(schema.field(column).type)
    if kind not in ("boolean", "integer", "float"):
        raise ScoreError(f"the scores in {column!r} should be numbers but are {kind}s")


def _batches(
    source: Source, jobs: list[_Job], schema: pa.Schema, meter: Meter
) -> Iterator[pa.RecordBatch]:
    import pyarrow as pa

    done = 0
    for batch in source.batches(source.schema.names):
        added = [pa.array(_calibrated(batch, job, done)) for job in jobs]
        done += batch.num_rows
        meter(done, source.rows)
        kept = [batch.column(name) for name in schema.names[: -len(added)]]
        yield pa.record_batch([*kept, *added], schema=schema)


def _calibrated(batch: pa.RecordBatch, job: _Job, before: int) -> Any:
    import numpy as np

    from isometrics.sources.arrow import codes, numbers

    scores, missing = numbers(batch.column(job.numbers or job.column))
    if missing is not None and missing.any():
        row = before + int(np.argmax(missing)) + 1
        raise MissingValueError(f"{job.column!r} has missing values, the first in row {row}")
    if job.model is None:
        (calibrator,) = job.calibrators.values()
        return calibrator.transform(scores)
    found, names = codes(batch.column(job.model))
    result = np.empty(scores.size)
    for code in np.unique(found).tolist():
        # Code -1 is null, which is no name.
        name = str(names[code]) if code >= 0 else ""
        if name not in job.calibrators:
            known = ", ".join(map(repr, job.calibrators))
            raise ParameterError(f"the map has no model {name!r}, only {known}")
        rows = found == code
        result[rows] = job.calibrators[name].transform(scores[rows])
    return result
