"""`isometrics convert`: predictions from one format to another."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from isometrics.cli.options import (
    ANSWERS,
    COLUMNS,
    Answers,
    Columns,
    EscapeFormulas,
    File,
    Output,
    load,
)
from isometrics.cli.output import Meter, answer
from isometrics.cli.row_copies import tell_of_order
from isometrics.cli.table_files import TEXTS, WRITERS, arrow_table, suffix_of, write_batches
from isometrics.errors import FileError, ParameterError

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pyarrow as pa

    from isometrics.formats import Predictions
    from isometrics.points import OperatingPoints
    from isometrics.sources.batches import Source

CURVES = ("PR", "ROC", ".pr", ".roc", ".spr")


def convert(
    file: File,
    output: Output,
    /,
    *,
    source_format: Annotated[str | None, Parameter(name="--from")] = None,
    to: str | None = None,
    positives: float | None = None,
    negatives: float | None = None,
    labels: str | None = None,
    escape_formulas: EscapeFormulas = False,
    columns: Columns = COLUMNS,
    answers: Answers = ANSWERS,
) -> None:
    """Write predictions in another format.

    Tables are .csv, .tsv, .parquet, .arrow, .json and .jsonl files; - is standard output, by
    default as CSV. The other formats are those of other tools: list, PR, ROC, .pr, .roc, .spr,
    openml, weka, npz and boosting.

    For example:
      isometrics convert predictions.csv predictions.parquet
      isometrics convert openml.arff predictions.csv
      isometrics convert predictions.csv model.list --scores forest
      isometrics convert roc.txt p.csv --from ROC --positives 40 --negatives 960

    Parameters
    ----------
    source_format
        The format of the file; by default it is recognised.
    to
        The format to write; by default by the suffix of the file to write.
    positives
        The number of positives, which the points of a curve do not tell.
    negatives
        The number of negatives.
    labels
        The file of labels that belongs to a file of predictions alone.
    """
    from isometrics import formats
    from isometrics._core.parameters import check_choice

    target = _target(to, output)
    given = {"positives": positives, "negatives": negatives, "labels": labels}
    options: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
    found = source_format or (None if file == "-" else formats.sniff(file))
    if found is not None:
        check_choice(found, "format", tuple(formats.FORMATS))
        if columns.pos_label is not None and "pos_label" in formats.FORMATS[found].options:
            options["pos_label"] = columns.pos_label
        _write_known(formats.read(file, found, **options), output, target, escape_formulas)
    elif options:
        raise ParameterError(f"a table has its own labels; leave --{next(iter(options))} out")
    elif target in WRITERS:
        _write_rows(file, (output, target), columns, answers, escape_formulas=escape_formulas)
    elif target in CURVES:
        _write_known(_one(load(file, columns, answers).models), output, target, escape_formulas)
    else:
        _write_known(_predictions(file, target, columns), output, target, escape_formulas)
    if output != "-":
        if answers.json:
            answer({"written": output, "format": target}, [], as_json=True)
        else:
            print(output)


def _target(to: str | None, output: str) -> str:
    """Return the format to write: a suffix of tables, or a name of another tool's format."""
    from isometrics import formats
    from isometrics._core.parameters import check_choice

    suffix = suffix_of(output)
    known = {suffix.lstrip("."): suffix for suffix in WRITERS} | {
        name: name
        for name, entry in formats.FORMATS.items()
        if entry.write is not None and f".{name}" not in WRITERS
    }
    if to is not None:
        return known[check_choice(to, "to", tuple(known))]
    if output == "-":
        return ".csv"
    if suffix in known.values():
        return suffix
    if suffix.lstrip(".") in known:
        return known[suffix.lstrip(".")]
    raise ParameterError(f"the suffix of {output!r} tells no format; add --to {'|'.join(known)}")


def _write_known(
    found: Predictions | OperatingPoints, output: str, target: str, escape_formulas: bool
) -> None:
    from isometrics import formats

    if target in WRITERS:
        table = arrow_table(found._columns())
        batches = table.to_batches(max_chunksize=65_536)
        write_batches(table.schema, batches, output, target, escape_formulas=escape_formulas)
        return
    if target in CURVES and isinstance(found, formats.Predictions):
        found = _one(found.points())
    formats.write(found, output, target)


def _one(models: dict[str, OperatingPoints]) -> OperatingPoints:
    if len(models) > 1:
        listed = ", ".join(map(repr, models))
        raise ParameterError(f"this format holds one model, but there are {listed}; add --scores")
    (points,) = models.values()
    return points


def _write_rows(
    file: str,
    written: tuple[str, str],
    columns: Columns,
    answers: Answers,
    *,
    escape_formulas: bool,
) -> None:
    """Write all columns of a table, batch by batch, to a file of a kind.

    From CSV to CSV they stay as they are written, unless it is said how decimals are.
    """
    from isometrics.sources.opening import open_source
    from isometrics.sources.problems import raise_together

    source = open_source(file, columns.memory_limit, writing=columns.writing())
    try:
        names = source.schema.names
        as_texts = written[1] in TEXTS and columns.decimal is None
        if not (as_texts and source.keep_texts({})):
            source.settle(names, names)
        raise_together([], source)
        tell_of_order(source)
        with Meter("converting", quiet=answers.quiet) as meter:
            batches = _metered(source, meter)
            write_batches(source.schema, batches, *written, escape_formulas=escape_formulas)
    finally:
        source.close()


def _metered(source: Source, meter: Meter) -> Iterator[pa.RecordBatch]:
    done = 0
    for batch in source.batches(source.schema.names):
        yield batch
        done += batch.num_rows
        meter(done, source.rows)


def _predictions(file: str, target: str, columns: Columns) -> Predictions:
    """Return the labels and scores of a table, which must fit into memory."""
    from isometrics.formats import Predictions
    from isometrics.sources.batches import peek
    from isometrics.sources.columns import layout_of
    from isometrics.sources.opening import open_source

    source = open_source(file, columns.memory_limit, writing=columns.writing())
    try:
        layout = layout_of(peek(source), **columns.roles())
        if layout.model is not None or layout.weight is not None:
            what = "one model" if layout.model is not None else "no weights"
            raise ParameterError(
                f"{target} holds {what}; choose columns with --scores and --weight"
            )
        names = [layout.label, *layout.scores.values()]
        names += [layout.group] if layout.group is not None else []
        values = _arrays(source, names, columns.memory_limit)
    finally:
        source.close()
    return Predictions(
        values,
        layout.label,
        layout.scores,
        layout.group,
        layout.pos_label,
        layout.multiclass,
        layout.classes,
    )


def _arrays(source: Source, names: list[str], memory_limit: str | None) -> dict[str, Any]:
    import pyarrow as pa

    from isometrics.sources.memory_limit import parse_memory_limit

    room = parse_memory_limit(memory_limit)
    batches = []
    for batch in source.batches(names):
        batches.append(batch)
        room -= batch.nbytes
        if room < 0:
            raise FileError(f"{source.name!r} does not fit into the memory limit; choose a table")
    table = pa.Table.from_batches(batches, pa.schema([source.schema.field(name) for name in names]))
    return {name: table[name].to_numpy() for name in names}
