"""`isometrics apply`, `calibrate` and `convert`: the rows of a file, written to another."""

from __future__ import annotations

import math
from difflib import get_close_matches
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple

from cyclopts import Parameter

from isometrics.cli.options import (
    READING,
    REQUEST,
    File,
    Output,
    Reading,
    Request,
    Target,
    about,
    load,
    readable,
    tell_written,
)
from isometrics.cli.output import answer, free_name, meter, note, plain
from isometrics.cli.table_files import (
    SUFFIXES,
    TEXTS,
    arrow_table,
    check_suffix,
    kind_of,
    suffix_of,
    write_batches,
)
from isometrics.errors import Advice, MissingValueError, ParameterError, ScoreError, redacted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

    from isometrics.calibration import HullCalibrator
    from isometrics.cli.output import Progress
    from isometrics.formats import Predictions
    from isometrics.points import OperatingPoints
    from isometrics.sources.batches import Source

_FACTOR = 3
"""Shares that differ by more than this factor, and by more than chance, deserve a warning."""
_SIGMAS = 5


# ---------------------------------------------------------------------- apply


def apply(
    rule: Annotated[File, Parameter(help="The rule: a file that thresholds or verdict wrote.")],
    file: Annotated[File, Parameter(help="The file of new scores, or - for standard input.")],
    /,
    *,
    output: Target = "-",
    scores: Annotated[str | None, Parameter(show_default=False)] = None,
    column: str = "flagged",
    reading: Reading = READING,
) -> None:
    """Flag the rows of a file whose scores reach the threshold of a saved rule.

    All columns of the file are kept, and a column of truth values is added. The file needs no
    labels. How many rows are flagged is told beside their share where the rule was chosen.

    For example:
      isometrics thresholds tuning.csv --scores forest --beta 1 -o rule.json
      isometrics apply rule.json new.parquet -o flagged.parquet
      isometrics apply rule.json new.csv --scores p_forest > flagged.csv

    Parameters
    ----------
    output
        A file that ends in .csv, .tsv, .parquet, .arrow, .json or .jsonl, or in .csv.gz; - is CSV
        on standard output.
    scores
        The column of scores; by default the one that the rule names.
    column
        The name of the column to add.
    """
    from isometrics.decisions.decision import load_decision

    check_suffix(output)
    if output == "-" and reading.json:
        raise ParameterError("--json tells what was written to a file; name one with -o")
    decision = load_decision(rule)
    flagged = 0

    def flags(scores: NDArray[Any]) -> NDArray[np.bool_]:
        nonlocal flagged
        flags = decision.predict(scores)
        flagged += int(flags.sum())
        return flags

    with reading.opened(file) as source:
        _check_new(source, readable(column), Advice("choose another name with {column}"))
        name = scores or decision.origin.scores or decision.origin.model
        if not name:
            raise ParameterError("the rule names no column", _SCORES)
        check_scores(source, name, _SCORES)
        model_column = decision.origin.model_column
        added = _Added(
            readable(column),
            "bool",
            name,
            {decision.origin.model or "": flags},
            model_column if model_column in source.schema.names else None,
        )
        with meter("flagging", quiet=reading.quiet) as progress:
            rows = _Copy("the rule", source, [added]).write(output, progress)
    share, expected = flagged / rows if rows else math.nan, decision.flagged_share
    if reading.json:
        said = {
            "rows": rows,
            "flagged": flagged,
            "share": share,
            "expected_share": expected,
            "threshold": decision.threshold,
            "scores": name,
            "column": column,
            "written": output,
        }
        answer({key: plain(value) for key, value in said.items()}, [], as_json=True)
    else:
        if output != "-":
            print(output)
        note(f"flagged {flagged:,} of {rows:,} rows{_shares(share, expected)}")
    if _differs(share, expected, rows):
        note(
            f"Beware: {_percent(share)} is far from {_percent(expected)}; look whether these are "
            "the same scores on the same scale, or choose a threshold on newer data"
        )


_SCORES = Advice("say which one holds the scores with {scores}")


def _shares(share: float, expected: float) -> str:
    """Say which share of the rows is flagged; without rows there is none."""
    if math.isnan(share):
        return ""
    compared = "" if math.isnan(expected) else f", {_percent(expected)} where it was chosen"
    return f" ({_percent(share)}{compared})"


def _percent(share: float) -> str:
    return f"{100 * share:.3g}%"


def _differs(share: float, expected: float, rows: int) -> bool:
    """Tell whether shares differ by a large factor, of rows flagged or not, and beyond chance."""
    if math.isnan(share) or math.isnan(expected):
        return False
    chance = math.sqrt(max(expected * (1 - expected), 0) / rows)
    pairs = ((share, expected), (1 - share, 1 - expected))
    return abs(share - expected) > _SIGMAS * chance and any(
        max(pair) > _FACTOR * min(pair) for pair in pairs
    )


# ---------------------------------------------------------------------- calibrate


def calibrate(
    file: File,
    /,
    *,
    output: Target,
    apply: Annotated[File | None, Parameter(help="Apply this map instead of learning one.")] = None,
    kind: Literal["f", "accuracy"] = "f",
    request: Request = REQUEST,
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
    from isometrics.calibration import KINDS, read_map, write_map

    said: dict[str, object]
    if apply is None:
        analysis = load(file, request)
        learnt = {name: KINDS[kind].from_points(points) for name, points in analysis.models.items()}
        write_map(learnt, output)
        segments = {name: calibrator.table().values.size for name, calibrator in learnt.items()}
        said = about(analysis) | {"kind": kind, "segments": segments}
    else:
        check_suffix(output)
        calibrators = read_map(apply)
        with request.opened(file) as source, meter("calibrating", quiet=request.quiet) as progress:
            added = _calibrated(calibrators, request, source)
            rows = _Copy("the map", source, added).write(output, progress)
        said = {"rows": rows, "columns": [column.name for column in added]}
    tell_written(said, output, request)


def _calibrated(
    calibrators: Mapping[str, HullCalibrator], request: Request, source: Source
) -> list[_Added]:
    """Return the columns of calibrated scores: one of all models, or one for each."""
    functions = {name: calibrator.transform for name, calibrator in calibrators.items()}
    given = request.roles()["scores"]
    if request.model:
        named = list(given.values()) if isinstance(given, dict) else given or []
        if len(named) != 1:
            raise ParameterError("a file with a --model column needs its one column of --scores")
        chosen = {"": named[0]}
        check_column(source, request.model)
    elif isinstance(given, list):
        # A column without a name belongs to the model of that name, or to the only one.
        alone = len(given) == len(functions) == 1
        chosen = {next(iter(functions)): given[0]} if alone else {name: name for name in given}
    else:
        chosen = given or {name: name for name in functions}
    for name, column in chosen.items():
        if name and name not in functions:
            known = ", ".join(map(repr, functions))
            raise ParameterError(f"the map has no model {name!r}, only {known}")
        advice = Advice("say which one holds the scores with {scores} {}=COLUMN", name)
        check_scores(source, column, advice if name else _SCORES)
    if request.model:
        added = [_Added("calibrated", "double", chosen[""], functions, request.model)]
    else:
        added = [
            _Added(f"{name}_calibrated", "double", column, {name: functions[name]})
            for name, column in chosen.items()
        ]
    for each in added:
        _check_new(source, each.name)
    return added


# ---------------------------------------------------------------------- convert

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
    request: Request = REQUEST,
) -> None:
    """Write predictions in another format.

    Tables are .csv, .tsv, .parquet, .arrow, .json and .jsonl files; - is standard output, by
    default as CSV. The other formats are those of other tools: list, PR, ROC, .pr, .roc and .spr
    are read and written, openml, weka and npz are read.

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
    """
    from isometrics import formats
    from isometrics._core.parameters import check_choice

    target = _format_of(to, output)
    given = {"positives": positives, "negatives": negatives}
    options: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
    found = source_format or (None if file == "-" else formats.sniff(file))
    if found is not None:
        check_choice(found, "format", tuple(formats.FORMATS))
        if request.pos_label is not None and "pos_label" in formats.FORMATS[found].options:
            options["pos_label"] = request.pos_label
        _write_known(formats.read(file, found, **options), output, target)
    elif options:
        raise ParameterError(f"a table has its own labels; leave --{next(iter(options))} out")
    elif target in CURVES:
        _write_known(_one(load(file, request).models), output, target)
    else:
        with request.opened(file) as source, meter("converting", quiet=request.quiet) as progress:
            if target in SUFFIXES:
                # Texts stay as they are written, unless it is said how decimals are.
                as_texts = request.decimal is None
                _Copy("", source, []).write(output, progress, target, as_texts=as_texts)
            else:
                _write_known(_predictions(source, target, request), output, target)
    tell_written({"format": target}, output, request)


def _format_of(to: str | None, output: str) -> str:
    """Return the format to write: a suffix of tables, or a name of another tool's format."""
    from isometrics import formats
    from isometrics._core.parameters import check_choice

    suffix = suffix_of(output)
    known = {suffix.lstrip("."): suffix for suffix in SUFFIXES} | {
        name: name
        for name, entry in formats.FORMATS.items()
        if entry.write is not None and f".{name}" not in SUFFIXES
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


def _write_known(found: Predictions | OperatingPoints, output: str, target: str) -> None:
    from isometrics import formats

    if target in SUFFIXES:
        table = arrow_table(found._columns())
        write_batches(table.schema, table.to_batches(), output, target)
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


def _predictions(source: Source, target: str, request: Request) -> Predictions:
    """Return the labels and scores of a table, which must fit into memory."""
    import pyarrow as pa

    from isometrics.formats import Predictions
    from isometrics.sources.batches import peek
    from isometrics.sources.column_roles import layout_of

    layout = layout_of(peek(source), **request.roles())
    if layout.model is not None or layout.weight is not None:
        what = "one model" if layout.model is not None else "no weights"
        raise ParameterError(f"{target} holds {what}; choose columns with --scores and --weight")
    names = [layout.label, *layout.scores.values()]
    names += [layout.group] if layout.group is not None else []
    schema = pa.schema([source.schema.field(name) for name in names])
    table = pa.Table.from_batches(source.batches(names), schema)
    return Predictions(
        {name: table[name].to_numpy() for name in names},
        layout.label,
        layout.scores,
        layout.group,
        layout.pos_label,
        layout.multiclass,
        layout.classes,
    )


# ---------------------------------------------------------------------- the rows


def check_column(source: Source, column: str, advice: Advice | None = None) -> None:
    """Refuse a file without a column, and name the one that may be meant."""
    from isometrics._core.results import join_names

    names = source.schema.names
    if column not in names:
        near = get_close_matches(column, names, n=1)
        instead = f"did you mean {near[0]!r}?" if near else f"it has {join_names(names)}"
        raise ParameterError(f"{source.name!r} has no column {column!r}; {instead}", advice)


def check_scores(source: Source, column: str, advice: Advice) -> None:
    """Refuse a column of scores that are no numbers; of a file without rows, nobody knows."""
    from isometrics.sources.batches import NUMERIC, kind_of
    from isometrics.sources.cleaning import refuse_texts

    check_column(source, column, advice)
    source.settle([column], [column])
    dtype = source.schema.field(column).type
    if kind_of(dtype) == "string":
        refuse_texts(source, column)
    elif kind_of(dtype) not in NUMERIC:
        raise ScoreError(f"{column} holds {dtype} values; scores must be numbers")


def _check_new(source: Source, column: str, advice: Advice | None = None) -> None:
    if column in source.schema.names:
        raise ParameterError(f"{source.name!r} already has a column {column!r}", advice)


class _Added(NamedTuple):
    """A column to add."""

    name: str
    dtype: Literal["bool", "double"]
    scores: str
    """The column of scores that it is computed from."""
    functions: Mapping[str, Callable[[NDArray[Any]], NDArray[Any]]]
    """By the name of the model: what makes values of its scores."""
    model: str | None = None
    """The column that names the model of each row; None if there is only one model."""


class _Copy:
    """The rows of a source, which are written with new columns, the last ones.

    Parameters
    ----------
    what
        What the new columns come from, for errors.
    source
        The rows.
    added
        The new columns.
    """

    def __init__(self, what: str, source: Source, added: Sequence[_Added]) -> None:
        self._what = what
        self._source = source
        self._added = added
        # Where texts are kept, the numbers have columns of their own, which are not written.
        self._number_columns = {column.scores: column.scores for column in added}
        self.n_rows = 0
        """The rows of the batches that were copied so far."""

    def write(
        self, output: str, progress: Progress, suffix: str | None = None, *, as_texts: bool = True
    ) -> int:
        """Write the rows to a file; return their number.

        Columns of CSV files are written as they are there, such as 0.10, NA and yes, if the file
        is a text too.
        """
        import pyarrow as pa

        source, names = self._source, self._source.schema.names
        texts = {column: free_name(column, names) for column in self._number_columns}
        is_text = (suffix or kind_of(output)) in TEXTS
        if is_text and as_texts and source.keep_texts(texts):
            self._number_columns = texts
        else:
            source.settle(names, names)
        if not source.ordered:
            note(f"the rows of {redacted(source.name)!r} have no order; name them by a column")
        fields = [source.schema.field(name) for name in names]
        fields += [pa.field(each.name, pa.type_for_alias(each.dtype)) for each in self._added]
        schema = pa.schema(fields)
        write_batches(schema, self._batches(names, schema, progress), output, suffix)
        return self.n_rows

    def _batches(
        self, names: Sequence[str], schema: pa.Schema, progress: Progress
    ) -> Iterator[pa.RecordBatch]:
        import pyarrow as pa

        for batch in self._source.batches(self._source.schema.names):
            columns = [batch.column(name) for name in names]
            columns += [pa.array(self._values(batch, added)) for added in self._added]
            yield pa.record_batch(columns, schema=schema)
            self.n_rows += batch.num_rows
            progress(self.n_rows, self._source.rows)

    def _values(self, batch: pa.RecordBatch, added: _Added) -> NDArray[Any]:
        """Return the values of a new column in a batch."""
        import numpy as np

        from isometrics.sources.batches import codes

        scores = self._scores(batch, added.scores)
        if added.model is None:
            (function,) = added.functions.values()
            return function(scores)
        row_codes, models = codes(batch.column(added.model))
        result = np.empty(scores.size, added.dtype)
        for code in np.unique(row_codes).tolist():
            # Code -1 is null, which is no name.
            name = str(models[code]) if code >= 0 else ""
            rows = row_codes == code
            if name not in added.functions:
                raise ParameterError(
                    f"{self._what} is for {', '.join(map(repr, added.functions))}, but "
                    f"{added.model!r} names {name!r} {self._row_location(rows)}"
                )
            result[rows] = added.functions[name](scores[rows])
        return result

    def _scores(self, batch: pa.RecordBatch, column: str) -> NDArray[Any]:
        """Return scores of a batch as numbers; missing ones are refused."""
        from isometrics.sources.batches import numbers

        scores, missing = numbers(batch.column(self._number_columns[column]))
        if missing is not None:
            raise MissingValueError(
                f"{column!r} has missing values, the first {self._row_location(missing)}; leave "
                "such rows out, or give them a score"
            )
        return scores

    def _row_location(self, offending: NDArray[np.bool_]) -> str:
        """Say where the first offending row of a batch is: on a line, where rows have lines."""
        from isometrics.sources.batches import listed_lines

        position = self.n_rows + int(offending.argmax())
        lines = self._source.lines([position])
        if not lines:
            return f"in row {position + 1}"
        return f"on {listed_lines(lines.values(), self._source.line_name)}"
