"""`isometrics calibrate`: learn a map of scores from one file, apply it to another."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING, Annotated, Literal, NamedTuple

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
from isometrics.cli.output import Meter, answer
from isometrics.cli.row_copies import (
    RowCopy,
    check_expected_column,
    check_named_column,
    check_numeric,
    refuse_overwriting,
)
from isometrics.cli.table_files import writer_for
from isometrics.errors import Advice, ParameterError

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

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
        refuse_overwriting(output, apply, "the map itself")
    rows, added = apply_map(
        apply, file, output, columns, quiet=answers.quiet, escape_formulas=escape_formulas
    )
    _tell({"rows": rows, "columns": added}, output, answers)


def _learn(file: str, output: str, kind: str, columns: Columns, answers: Answers) -> None:
    from isometrics.calibration.files import KINDS, write_map

    analysis = load(file, columns, answers)
    learnt = {name: KINDS[kind].from_points(points) for name, points in analysis.models.items()}
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


def apply_map(
    map_file: str, file: str, output: str, columns: Columns, *, quiet: bool, escape_formulas: bool
) -> tuple[int, list[str]]:
    """Write a file with calibrated scores; return the number of rows and the new columns."""
    import pyarrow as pa

    from isometrics.calibration.files import read_map
    from isometrics.sources.opening import open_source

    calibrators = read_map(map_file)
    opened = open_source(file, columns.memory_limit, writing=columns.writing())
    with closing(opened) as source:
        jobs = _jobs(calibrators, columns, source)
        added = [job.added for job in jobs]
        for name in added:
            if name in source.schema.names:
                raise ParameterError(f"{source.name!r} already has a column {name!r}; rename it")
        fields = [pa.field(name, pa.float64()) for name in added]
        copy = RowCopy(source, [job.column for job in jobs], fields)

        def calibrated(batch: pa.RecordBatch) -> list[pa.Array]:
            return [pa.array(_calibrated(batch, job, copy)) for job in jobs]

        with Meter("calibrating", quiet=quiet) as meter:
            copy.write(output, calibrated, meter, escape_formulas=escape_formulas)
        return copy.n_rows, added


def _jobs(calibrators: Calibrators, columns: Columns, source: Source) -> list[_Job]:
    given = columns.score_columns()
    if columns.model:
        named = list(given.values()) if isinstance(given, dict) else given or []
        if len(named) != 1:
            raise ParameterError("a file with a --model column needs its one column of --scores")
        check_named_column(named[0], source, "scores")
        check_named_column(columns.model, source, "model")
        check_numeric(named[0], source)
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
        if given:
            check_named_column(column, source, "scores")
        advice = Advice("say which one holds the scores with {scores} {}=COLUMN", name)
        check_expected_column(column, source, "the map", advice)
        check_numeric(column, source)
    return [
        _Job(column, f"{name}_calibrated", {name: calibrators[name]})
        for name, column in chosen.items()
    ]


def _calibrated(batch: pa.RecordBatch, job: _Job, copy: RowCopy) -> NDArray[np.float64]:
    import numpy as np

    from isometrics.sources.arrow import codes

    scores = copy.scores(batch, job.column)
    if job.model is None:
        (calibrator,) = job.calibrators.values()
        return calibrator.transform(scores)
    row_codes, models = codes(batch.column(job.model))
    result = np.empty(scores.size)
    for code in np.unique(row_codes).tolist():
        # Code -1 is null, which is no name.
        name = str(models[code]) if code >= 0 else ""
        if name not in job.calibrators:
            known = ", ".join(map(repr, job.calibrators))
            raise ParameterError(f"the map has no model {name!r}, only {known}")
        rows = row_codes == code
        result[rows] = job.calibrators[name].transform(scores[rows])
    return result
