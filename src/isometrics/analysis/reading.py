"""From arrays in memory, a file, a table of a database or a data frame to an analysis."""

from __future__ import annotations

import os
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from isometrics import formats
from isometrics._core.labels import positive_word
from isometrics._core.results import join_names
from isometrics._core.sample import Sample
from isometrics._core.score_arrays import class_name, parse_predictions, rows_by_class
from isometrics.analysis.analysis import ONE_MODEL, Analysis
from isometrics.decisions.decision import Origin
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
from isometrics.points.models import count_classes, count_groups, count_models
from isometrics.sources.batches import peek
from isometrics.sources.column_roles import Layout, columns_in_question, layout_of
from isometrics.sources.files import FrameSource, open_source, other_format
from isometrics.sources.held_rows import MANY_ROWS
from isometrics.sources.memory_limit import limit_for, rows_budget
from isometrics.sources.tables import read_tables

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from numpy.typing import ArrayLike

    from isometrics._core.rows import Dropped


def analyse(
    y_true: ArrayLike,
    scores: object,
    *,
    sample_weight: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    pos_label: object = None,
    classes: Sequence[object] | None = None,
    drop_missing: bool = False,
) -> Analysis:
    """Count the operating points of several models, or of the classes of one, on a set of labels.

    Parameters
    ----------
    y_true
        Labels: booleans, 0/1, -1/+1, yes/no, T/F, or any two values with `pos_label`. Three
        classes or more, or an indicator array with a column of 0 and 1 for each class of
        multilabel data, where `scores` has a column for each.
    scores
        The scores of each model by name, higher meaning more likely positive; a data frame with
        a column for each model; or the scores of one model, which is then called ``"score"``. Of
        an array with a column for each of two classes, as ``predict_proba`` gives it, those of the
        positive class are taken. With a column for each of more classes, as an array or as a data
        frame with their names, or as the list of ``MultiOutputClassifier``, each class has a table
        of its own against all others; see `Analysis.one_vs_rest`.
    sample_weight
        Weights ≥ 0; a row of weight 0 is absent.
    groups
        The group of each row, such as its fold, site or query; missing ones are refused. Groups
        are sorted by value. A group with one class only has no table; `Analysis.skipped` says so.
    pos_label
        The label of the positive class; of several classes, the only one to analyse.
    classes
        The classes in the order of the columns of `scores`, such as ``estimator.classes_``; by
        default the sorted labels, or for multilabel data the names or numbers of the columns.
    drop_missing
        Leave out the rows that miss a value in labels, weights, groups or the scores of any model,
        so that all models keep the same rows; ``description`` says how many, by column. By default
        missing values are refused.

    Examples
    --------
    >>> import isometrics as iso
    >>> labels = [1, 0, 1, 1, 0, 0, 1, 0]
    >>> scores = {"A": [8, 7, 6, 5, 4, 3, 2, 1], "B": [5, 1, 7, 8, 2, 6, 4, 3]}
    >>> analysis = iso.analyse(labels, scores, groups=list("nnnnssss"))
    >>> print(analysis.compare().sentence())
    By f-measure, B is better for every λ.
    >>> analysis.groups["n"]["A"].positives
    3
    """
    given = parse_predictions(
        y_true,
        scores,
        "scores",
        sample_weight=sample_weight,
        groups=groups,
        pos_label=pos_label,
        classes=classes,
        drop_missing=drop_missing,
    )
    samples = rows_by_class(given)
    if samples is not None:
        origins = {
            class_name(label): Origin(pos_label=pos_label if given.indicators else label)
            for label in samples
        }
        return _one_vs_rest(samples, origins, given.dropped)
    sample = given.sample(ONE_MODEL)
    models = count_models(sample)
    tables, skipped = count_groups([sample])
    said = _description(sample, skipped)
    if pos_label is None:
        pos_label = positive_word(given.truth.columns[0].values)
        said += "" if pos_label is None else f"; positive: {pos_label}"
    origins = dict.fromkeys(models, Origin(pos_label=pos_label))
    said += _left_out(given.dropped)
    return Analysis(models, tables, skipped, said, sample, origins=origins)


def _left_out(dropped: Dropped | None) -> str:
    """Say which rows were left out, as the end of a description."""
    return "" if dropped is None else f"; {dropped.describe()}"


def _one_vs_rest(
    samples: dict[object, Sample], origins: dict[str, Origin], dropped: Dropped | None
) -> Analysis:
    """Count the classes of one classifier, each against all others."""
    models, absent = count_classes(samples)
    counted = [sample for sample in samples.values() if set(sample.scores) <= set(models)]
    tables, skipped = count_groups(counted)
    said = f"{_description(counted[0], skipped | absent)}; classes: {join_names(list(models))}"
    return Analysis(
        models,
        tables,
        skipped | absent,
        said + _left_out(dropped),
        one_vs_rest=True,
        origins=origins,
        class_rows={name: sample for sample in counted for name in sample.scores},
    )


def _description(sample: Sample, skipped: Mapping[str, str]) -> str:
    """Say what was counted: rows, groups, and groups that could not be."""
    said = f"{sample.size} rows{' with weights' * (sample.weights is not None)}"
    if sample.groups is not None:
        said += f"; groups: {join_names(list(sample.groups.names))}"
    if skipped:
        reasons = [f"{group} ({reason})" for group, reason in skipped.items()]
        said += f"; left out: {join_names(reasons)}"
    return said


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
    roles: dict[str, Any] = {
        "label": label,
        "scores": scores,
        "model": model,
        "weight": weight,
        "group": group,
    }
    given, foreign = path_or_frame, None
    is_path = isinstance(given, str | os.PathLike)
    if is_path and (name := other_format(given)) is not None:
        foreign = _read_foreign(given, name, pos_label, memory_limit)
        given = FrameSource(foreign.to_frame("pyarrow"), os.fspath(given))
    with closing(open_source(given, memory_limit, decimal=decimal, header=header)) as source:
        source.progress = progress
        if foreign is not None and not any(roles.values()):
            layout = _layout_of_format(foreign)
        else:
            wanted = None
            if label is not None and scores is not None:
                wanted = columns_in_question(source.schema.names, roles)
            layout = layout_of(peek(source, wanted), pos_label=pos_label, **roles)
        if strict:
            layout.refuse_guesses()
        if layout.left_out and notify is not None:
            notify(layout.warning())
        elif layout.left_out:
            warn(str(layout.warning()), LeftOutWarning)
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
            origins=_origins(layout, tables.points),
            class_rows=tables.class_rows,
            passes=tables.passes,
            source=redacted(source.name) if is_path else "",
            _guessed_group=layout.group if "group" in layout.guessed else None,
            _more_rows_than_asked=tables.without_rows == MANY_ROWS,
        )


def _read_foreign(
    given: Any, name: str, pos_label: object, memory_limit: str | int | None
) -> formats.Predictions:
    """Read a file of another tool's format."""
    options = FORMATS[name].options
    needed = [option for option in ("positives", "labels") if option in options]
    if needed:
        raise FileError(
            f"cannot read {os.fspath(given)!r} alone: it looks like {FORMATS[name].description}; "
            f"read it with isometrics.formats.read and {needed[0]}=, or convert it first"
        )
    needed_bytes = Path(given).stat().st_size * FORMATS[name].bytes_held
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


def _origins(layout: Layout, models: Iterable[str]) -> dict[str, Origin]:
    """Return the origins of models that were read from a table."""
    shared = next(iter(layout.scores.values()))
    return {
        name: Origin(
            name,
            shared if layout.model is not None else layout.scores[name],
            layout.model,
            layout.classes.get(name, layout.pos_label),
        )
        for name in models
    }
