"""From a file, a table of a database or a data frame to an analysis."""

from __future__ import annotations

import os
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from isometrics import formats
from isometrics.analysis.analysis import Analysis
from isometrics.analysis.origins import origins_of
from isometrics.errors import (
    Advice,
    FileError,
    LeftOutWarning,
    ParameterError,
    redacted,
    require,
    warn,
)
from isometrics.formats import FORMATS
from isometrics.formats.text import uncompressed_size
from isometrics.sources.batches import peek
from isometrics.sources.columns import Layout, columns_in_question, layout_of
from isometrics.sources.csv_files import Writing
from isometrics.sources.frames import FrameSource
from isometrics.sources.held_rows import MANY_ROWS
from isometrics.sources.memory_limit import limit_for, rows_budget
from isometrics.sources.opening import check_writing, open_source
from isometrics.sources.problems import raise_together
from isometrics.sources.tables import read_tables

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from isometrics.sources.batches import Source


def read_predictions(
    path_or_frame: Any,
    *,
    label: str | None = None,
    scores: str | Iterable[str] | Mapping[str, str] | None = None,
    model: str | bool | None = None,
    weight: str | bool | None = None,
    group: str | bool | None = None,
    pos_label: object = None,
    memory_limit: str | int | None = None,
    tolerance: float | None = None,
    keep_rows: bool | int | str | None = None,
    drop_missing: bool = False,
    decimal: str | None = None,
    header: bool | None = None,
    strict: bool = False,
    progress: Callable[[int, int | None], None] | None = None,
    notify: Callable[[Advice], None] | None = None,
) -> Analysis:
    r"""Read predictions and count them, also where they are larger than memory.

    Parameters
    ----------
    path_or_frame
        A path, a pattern or a folder of CSV (compressed too), Parquet, Arrow or JSON-lines files;
        a workbook of Excel (``.xlsx``), of which the first sheet is read;
        a file in one of the other `isometrics.formats`, such as OpenML's ARFF;
        the URL of a table, such as ``"duckdb:///file.db?table=t"``, ``sqlite`` and ``postgresql``
        likewise, and ``"spark://host:7077?table=t"``; ``"-"`` for standard input; or a data frame
        of pandas, polars, pyarrow, DuckDB, Spark or Dask, eager or lazy. Rows of Spark and Dask
        stay in their cluster, and are counted there.
    label
        The column of labels. This and the columns below are guessed where that is unambiguous.
    scores
        The score columns: one, several, or a mapping of models to columns.
    model
        The column that names the model of each row, where all models share one score column.
    weight, group
        The columns of weights and of groups, such as folds, sites or queries. ``False`` is none,
        where a guess would find one. Groups are sorted by value, and so are models that a column
        names; missing ones are refused.
    pos_label
        The label of the positive class.
    memory_limit
        The memory to keep within, a number of bytes or a text such as ``"2GB"``; by default half
        of what the machine has. Scores that do not fit are sorted on disk. A table that does not
        fit keeps only some of its rows; its hull and its areas are exact.
    tolerance
        Accept brackets this wide around AUROC, AUPR, average precision and AUPRG, to avoid sorting
        all rows: they are counted in bins, in two passes. The hull, and with it the best
        thresholds, stay exact. Samples of less than two million rows, and those with weights or
        groups, are counted exactly. Spark and Dask take it for all samples of more than 2**20
        rows, and 1e-6 if there is none.
    keep_rows
        Keep the rows in memory beside their tables. Confidence intervals of several models, of
        weighted rows and of whole groups need them; those of one model come from its table. By
        default rows that intervals may need are kept where they fit into a part of the memory
        limit. ``True`` keeps them always, and refuses rows that do not fit; ``False`` never;
        ``"needed"`` keeps those that intervals need, and refuses them where they do not fit. A
        number keeps them as by default, but none where there are more rows.
    drop_missing
        Leave out the rows that miss a value in any column that is used, be it that of one model
        only, so that all models keep the same rows; ``description`` says how many, by column. By
        default missing values are refused.
    decimal
        The mark before decimals in CSV files and in texts of Excel, ``","`` as in 0,5783 or
        ``"."``; the other mark may then stand between groups of three digits, as in 1.234,5. By
        default it is a point, and nothing stands between digits.
    header
        Whether the first line of a CSV file, or row of a sheet, has the names of the columns; by
        default it is recognised. Columns without names are ``column0``, ``column1`` and so on.
    strict
        Refuse to guess which column is what; the error says what to write instead. By default
        `isometrics.errors.LeftOutWarning` tells about columns that may have been meant as scores.
    progress
        A function that is told the rows read so far and the number of all rows, or None.
    notify
        A function that is told, before the rows are counted, what would be a warning, and that
        tables will not fit into the memory limit and will keep only some of their rows, and which
        limit would do; it is given an `isometrics.errors.Advice`, which ``str`` turns into a
        sentence.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import isometrics as iso
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder, "predictions.csv")
    ...     _ = file.write_text("id,y,rf\n1,1,0.9\n2,0,0.8\n3,1,0.7\n4,0,0.1\n")
    ...     analysis = iso.read_predictions(file)
    >>> analysis.models["rf"].roc.area()
    0.75
    """
    require("read_predictions", "pyarrow")
    writing = Writing.of(decimal, header)
    foreign = _foreign(path_or_frame, pos_label, memory_limit)
    with closing(_source(path_or_frame, foreign, memory_limit, writing)) as source:
        source.progress = progress
        if foreign is not None and not any((label, scores, model, weight, group)):
            layout = _layout_of_format(foreign)
        else:
            layout = _layout(
                source,
                label=label,
                scores=scores,
                model=model,
                weight=weight,
                group=group,
                pos_label=pos_label,
            )
        if strict:
            layout.refuse_guesses()
        if (left_out := layout.warning()) is not None:
            _warn(left_out, notify)
        tables = read_tables(
            source,
            layout,
            memory_limit=memory_limit,
            tolerance=tolerance,
            keep_rows=keep_rows,
            progress=progress,
            drop_missing=drop_missing,
            notify=notify,
        )
        if tables.positive is not None:
            layout = replace(layout, pos_label=tables.positive)
        notes = [*source.notes(), tables.note]
        said = "; ".join([layout.describe(), *filter(None, notes)])
        description = f"{redacted(source.name)}: {said}"
        return Analysis(
            tables.points,
            tables.groups,
            tables.skipped,
            description,
            tables.rows,
            without_rows=tables.without_rows,
            one_vs_rest=layout.multiclass,
            origins=origins_of(layout, tables.points),
            class_rows=tables.class_rows,
            passes=tables.passes,
            source=redacted(source.name) if isinstance(path_or_frame, str | os.PathLike) else "",
            _guessed_group=layout.group if "group" in layout.guessed else None,
            _more_rows_than_asked=tables.without_rows == MANY_ROWS,
        )


def _layout(source: Source, pos_label: object, **roles: Any) -> Layout:
    """Find out which column is what; the broken lines of a file are reported first."""
    try:
        wanted = columns_in_question(source.schema.names, **roles)
        return layout_of(peek(source, wanted), pos_label=pos_label, **roles)
    except ParameterError:
        raise_together([], source)
        raise


def _warn(advice: Advice, notify: Callable[[Advice], None] | None) -> None:
    if notify is not None:
        notify(advice)
    else:
        warn(str(advice), LeftOutWarning)


def _foreign(
    given: Any, pos_label: object, memory_limit: str | int | None
) -> formats.Predictions | None:
    """Read a file of another tool's format; None for what is a plain table."""
    if not isinstance(given, str | os.PathLike):
        return None
    name = formats.sniff(given)
    if name is None:
        return None
    options = FORMATS[name].options
    needed = [option for option in ("positives", "labels") if option in options]
    if needed:
        raise FileError(
            f"cannot read {os.fspath(given)!r} alone: it looks like {FORMATS[name].description}; "
            f"read it with isometrics.formats.read and {needed[0]}=, or convert it first"
        )
    needed_bytes = uncompressed_size(Path(given)) * FORMATS[name].bytes_held
    if needed_bytes > rows_budget(memory_limit):
        raise ParameterError(
            f"cannot read {os.fspath(given)!r} within the memory limit: files in the format "
            f"{name!r} are held in memory",
            Advice(
                "raise {memory_limit} to {}, or convert the file to Parquet",
                limit_for(needed_bytes),
            ),
        )
    found = formats.read(given, name, pos_label=pos_label if "pos_label" in options else None)
    assert isinstance(found, formats.Predictions)
    return found


def _source(
    given: Any,
    foreign: formats.Predictions | None,
    memory_limit: str | int | None,
    writing: Writing,
) -> Source:
    if foreign is None:
        return open_source(given, memory_limit, writing=writing)
    source = FrameSource(foreign.to_frame("pyarrow"), os.fspath(given))
    check_writing(source, writing)
    return source


def _layout_of_format(foreign: formats.Predictions) -> Layout:
    """Take the columns for what the format says they are."""
    return Layout(
        foreign.label,
        foreign.scores,
        group=foreign.group,
        pos_label=foreign.pos_label,
        multiclass=foreign.multiclass,
        classes=foreign.classes,
    )
