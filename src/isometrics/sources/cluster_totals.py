"""The rows of a cluster, all checked and counted by label, model and group: the first pass."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from isometrics._core.labels import Positions
from isometrics._core.missing import MISSING
from isometrics._core.sample import LARGEST_COUNT
from isometrics.errors import LabelError, MissingValueError, ParameterError, ScoreError, WeightError
from isometrics.sources.arrow import NUMERIC, codes, kind_of, numbers
from isometrics.sources.batches import columns_of
from isometrics.sources.cleaning import (
    BEYOND,
    INFINITE,
    LARGEST_WEIGHT,
    NEGATIVE,
    NOT_NUMBERS,
    WRITTEN_AS_TEXT,
    Cleaner,
)
from isometrics.sources.written_numbers import is_number

if TYPE_CHECKING:
    import narwhals.stable.v2 as nw
    import pyarrow as pa
    from numpy.typing import NDArray

    from isometrics.errors import InputError
    from isometrics.sources.clusters import ClusterFrame
    from isometrics.sources.columns import Layout

_EXACT_DIGITS, _EXACT_WHOLE_DIGITS = 15, 18
"""Decimals of so many digits are the same in a cluster's 64 bits."""
INF = float("inf")


class ClusterTotals(NamedTuple):
    """Clean rows in a cluster, and how many there are of each label, model and group."""

    rows: nw.LazyFrame[Any]
    """Columns ``label``, ``weight``, ``model`` and ``group``, as far as there are, ``score_0`` …"""
    table: pa.Table
    """One row for each label, model and group."""
    size: int
    """How many rows there are, those of weight 0 included."""
    columns: dict[str, str]
    """The columns that the totals are counted by: ``label``, ``model`` and ``group``."""
    positive: dict[str, NDArray[np.bool_]]
    """Of the totals, for each score column, or under ``""``: which have its positive label."""

    def positive_label(self, model: str) -> object:
        """Return the positive label of a score column as the cluster knows it; None if absent."""
        index = np.flatnonzero(self.positive_totals(model))
        return self.table["label"][int(index[0])].as_py() if index.size else None

    def positive_totals(self, model: str) -> NDArray[np.bool_]:
        """Return which totals are positive for a score column."""
        return self.positive[model if model in self.positive else ""]

    def rows_where(self, which: NDArray[np.bool_]) -> int:
        """Return the number of rows of some totals."""
        return int(self.table["rows"].to_numpy()[which].sum())


def count_totals(source: ClusterFrame, layout: Layout) -> ClusterTotals:
    """Check all rows by the rules of every other engine, and count them.

    Only the first rows are looked at one by one: they tell positions, and the order of labels.
    """
    _refuse_long_decimals(source.schema, layout)
    cleaner = Cleaner(layout, source)
    for batch in source.head(columns_of(layout)).combine_chunks().to_batches():
        cleaner.validate(batch)
    rows = _typed(source, layout)
    size, kept, whole = _weights(source, rows, cleaner)
    if layout.weight is not None:
        rows = _weighted(rows, whole=whole)
    _texts(source, rows, cleaner)
    totals = _totals(source, rows, cleaner)
    labels, missing = cleaner.labels.read(totals["label"].combine_chunks())
    present = np.ones(labels.size, np.bool_) if missing is None else ~missing
    times = totals["rows"].to_numpy()
    cleaner.labels.recount(labels[present], times[present])
    _missing(totals, layout, cleaner, ~present)
    cleaner.recount(size if layout.weight is not None else int(times.sum()), kept, 0.0)
    cleaner.finish()
    columns = {key: name for key, name in _keys(layout).items() if name is not None}
    return ClusterTotals(rows, totals, int(times.sum()), columns, cleaner.positive(labels))


def _keys(layout: Layout) -> dict[str, str | None]:
    """Return the columns that rows are counted by."""
    return {"label": layout.label, "model": layout.model, "group": layout.group}


def _refuse_long_decimals(schema: pa.Schema, layout: Layout) -> None:
    from pyarrow import types

    roles: list[tuple[str | None, type[InputError]]] = [(layout.label, LabelError)]
    roles += [(name, ScoreError) for name in layout.scores.values()]
    roles += [(layout.weight, WeightError)]
    for name, error in roles:
        if name is None or not types.is_decimal(dtype := schema.field(name).type):
            continue
        if dtype.precision > (_EXACT_DIGITS if dtype.scale > 0 else _EXACT_WHOLE_DIGITS):
            raise error(
                f"{name} holds {dtype} values, whose digits a cluster cannot count in 64 bits; "
                "cast them to doubles there, or to fewer digits"
            )


# ---------------------------------------------------------------------- columns


def _typed(source: ClusterFrame, layout: Layout) -> nw.LazyFrame[Any]:
    """Return the columns that are needed, in types that hold all their values exactly."""
    import narwhals.stable.v2 as nw

    wanted = {"label": layout.label, "weight": layout.weight, "model": layout.model}
    wanted |= {"group": layout.group}
    wanted |= {f"score_{index}": name for index, name in enumerate(layout.scores.values())}
    named = {role: name for role, name in wanted.items() if name is not None}
    typed = {}
    for role, name in named.items():
        counted = role == "weight" or role.startswith("score_")
        dtype = _word(source.schema.field(name).type, counted=counted)
        typed[role] = nw.col(role) if dtype is None else nw.col(role).cast(dtype)
    return source.columns(**named).select(**typed)


def _word(dtype: pa.DataType, *, counted: bool) -> Any:
    """Return the type to cast to; None for those that are fine."""
    import narwhals.stable.v2 as nw
    from pyarrow import types

    kind = kind_of(dtype)
    if types.is_dictionary(dtype):
        of_kind = {"string": nw.String, "integer": nw.Int64, "float": nw.Float64}
        return of_kind.get(kind)
    if kind == "float" and (counted or types.is_decimal(dtype)):
        whole = types.is_decimal(dtype) and dtype.scale <= 0
        return nw.Int64 if whole else nw.Float64
    if counted and kind in ("integer", "boolean"):
        return nw.UInt64 if types.is_uint64(dtype) else nw.Int64
    return None


def _missing_flag(name: str, *, floats: bool) -> nw.Expr:
    import narwhals.stable.v2 as nw

    missing = nw.col(name).is_null()
    return _flag(missing | nw.col(name).is_nan() if floats else missing)


def _flag(condition: nw.Expr) -> nw.Expr:
    import narwhals.stable.v2 as nw

    return nw.when(condition).then(nw.lit(1)).otherwise(nw.lit(0)).cast(nw.Int64)


# ---------------------------------------------------------------------- weights and texts


def _weights(
    source: ClusterFrame, rows: nw.LazyFrame[Any], cleaner: Cleaner
) -> tuple[int, int, bool]:
    """Check the weights; return how many rows there are, how many count, and if sums are whole."""
    import narwhals.stable.v2 as nw

    name = cleaner.layout.weight
    if name is None:
        return 0, 0, True
    kind = kind_of(source.schema.field(name).type)
    if kind not in NUMERIC:
        _count_texts(source, rows.select(text=nw.col("weight")), name, cleaner)
        cleaner.recount(1, 1, 0.0)
        cleaner.finish_weights()
    dtype = rows.collect_schema()["weight"]
    weight = nw.col("weight")
    flags = {
        "missing": _missing_flag("weight", floats=dtype == nw.Float64),
        "negative": _flag(weight < 0),
        "kept": _flag(weight != 0),
        "size": nw.lit(1).cast(nw.Int64),
        "total": weight.cast(nw.Float64),
    }
    if dtype == nw.Float64:
        flags["infinite"] = _flag(weight == INF)
    if dtype == nw.UInt64:
        flags["beyond"] = _flag(weight > LARGEST_WEIGHT)
    sums = rows.select(**flags).select(*(nw.col(flag).sum() for flag in flags))
    (collected,) = source.collect(sums, "weights").to_pylist()
    counts = {flag: value or 0 for flag, value in collected.items()}
    for flag, error, what in (
        ("missing", MissingValueError, MISSING),
        ("beyond", WeightError, BEYOND),
        ("negative", WeightError, NEGATIVE),
        ("infinite", WeightError, INFINITE),
    ):
        cleaner.offences.recount(name, int(counts.get(flag, 0)), error, what)
    size, kept, total = int(counts["size"]), int(counts["kept"]), float(counts["total"])
    cleaner.recount(size, kept, total)
    cleaner.finish_weights()
    return size, kept, dtype != nw.Float64 and total <= LARGEST_COUNT


def _weighted(rows: nw.LazyFrame[Any], *, whole: bool) -> nw.LazyFrame[Any]:
    """Leave out rows of weight 0, and let sums be whole where they can be."""
    import narwhals.stable.v2 as nw

    weight = nw.col("weight").cast(nw.Int64 if whole else nw.Float64)
    return rows.filter(nw.col("weight") != 0).with_columns(weight=weight)


def _texts(source: ClusterFrame, rows: nw.LazyFrame[Any], cleaner: Cleaner) -> None:
    """Count texts in score columns, which are refused in the end."""
    import narwhals.stable.v2 as nw

    for index, name in enumerate(cleaner.layout.scores.values()):
        if kind_of(source.schema.field(name).type) == "string":
            _count_texts(source, rows.select(text=nw.col(f"score_{index}")), name, cleaner)


def _count_texts(
    source: ClusterFrame, rows: nw.LazyFrame[Any], name: str, cleaner: Cleaner
) -> None:
    import narwhals.stable.v2 as nw

    error: type[InputError] = WeightError if name == cleaner.layout.weight else ScoreError
    counted = rows.group_by("text").agg(nw.len().alias("rows")).head(source.limits.most_rows)
    collected = source.collect(counted, "texts").sort_by("text")
    texts, times = collected["text"].to_pylist(), collected["rows"].to_numpy()
    missing = np.array([text is None for text in texts], np.bool_)
    strange = np.array([text is not None and not is_number(text) for text in texts], np.bool_)
    cleaner.offences.recount(name, int(times[missing].sum()), MissingValueError, MISSING)
    for offences, bad, kind in (
        (cleaner.offences, strange, NOT_NUMBERS),
        (cleaner.as_text, ~missing, WRITTEN_AS_TEXT),
    ):
        if bad.any():
            example = texts[int(np.argmax(bad))]
            offences.recount(name, int(times[bad].sum()), error, kind, example)


# ---------------------------------------------------------------------- totals


def _totals(source: ClusterFrame, rows: nw.LazyFrame[Any], cleaner: Cleaner) -> pa.Table:
    """Count rows by label, model and group, with the extremes of the scores.

    For each score column there are how many rows miss it, the weight of all others, the weights
    at both infinities, the number of finite scores, the lowest and the highest of these.
    """
    import narwhals.stable.v2 as nw

    layout = cleaner.layout
    by_role = _keys(layout)
    keys = [role for role, name in by_role.items() if name is not None]
    weight = nw.lit(1).cast(nw.Int64) if layout.weight is None else nw.col("weight")
    parts: dict[str, nw.Expr] = {}
    sums, extremes = [], []
    types = rows.collect_schema()
    for index, name in enumerate(layout.scores.values()):
        if kind_of(source.schema.field(name).type) == "string":
            continue
        score, floats = nw.col(f"score_{index}"), types[f"score_{index}"] == nw.Float64
        zero = nw.lit(0).cast(types["weight"] if layout.weight else nw.Int64)
        finite = (score < INF) & (score > -INF) if floats else ~score.is_null()
        parts |= {
            f"missing_{index}": _missing_flag(f"score_{index}", floats=floats),
            f"size_{index}": nw.when(finite).then(weight).otherwise(zero),
            f"rows_{index}": _flag(finite),
            f"above_{index}": nw.when(score == INF).then(weight).otherwise(zero)
            if floats
            else zero,
            f"below_{index}": nw.when(score == -INF).then(weight).otherwise(zero)
            if floats
            else zero,
            f"finite_{index}": nw.when(finite).then(score) if floats else score,
        }
        sums += [f"{what}_{index}" for what in ("missing", "size", "rows", "above", "below")]
        extremes += [
            nw.col(f"finite_{index}").min().alias(f"lo_{index}"),
            nw.col(f"finite_{index}").max().alias(f"hi_{index}"),
        ]
    counted = (
        rows.select(*keys, **parts)
        .group_by(*keys)
        .agg(nw.len().alias("rows"), *(nw.col(name).sum() for name in sums), *extremes)
    )
    totals = source.collect(counted.head(source.limits.most_rows + 1), "totals")
    if totals.num_rows > source.limits.most_rows:
        _refuse_many_labels(source, rows, totals, cleaner)
        several = " and ".join(repr(by_role[key]) for key in keys)
        raise ParameterError(
            f"{several} have more than {source.limits.most_rows} combinations of values; labels, "
            "models and groups must be few enough to be counted one by one"
        )
    return totals.sort_by([(key, "ascending") for key in keys])


def _refuse_many_labels(
    source: ClusterFrame, rows: nw.LazyFrame[Any], totals: pa.Table, cleaner: Cleaner
) -> None:
    """Refuse labels that are no classes; the totals of some of them are given."""
    import narwhals.stable.v2 as nw

    if cleaner.layout.multiclass:
        return
    labels, missing = cleaner.labels.read(totals["label"].unique())
    present = labels if missing is None else labels[~missing]
    cleaner.labels.remember(present, Positions(None))
    other = ~nw.col("label").is_in(cleaner.labels.classes)
    count = source.collect(rows.select(other=_flag(other)).select(nw.col("other").sum()), "labels")
    # All of them stand for one that is neither of the two.
    times = np.zeros(present.size, np.int64)
    times[-1] = count["other"][0].as_py()
    cleaner.labels.recount(present, times)
    cleaner.labels.check(cleaner.layout.pos_label)


def _missing(
    totals: pa.Table, layout: Layout, cleaner: Cleaner, unlabelled: NDArray[np.bool_]
) -> None:
    """Tell the checks how many values are missing in all rows."""
    times = totals["rows"].to_numpy()
    counts = {layout.label: int(times[unlabelled].sum())}
    for role, name in (("model", layout.model), ("group", layout.group)):
        if name is not None:
            missing = codes(totals[role].combine_chunks())[0] < 0
            counts[name] = int(times[missing].sum())
    for index, name in enumerate(layout.scores.values()):
        if f"missing_{index}" in totals.column_names:
            counts[name] = int(totals[f"missing_{index}"].to_numpy().sum())
    for name, count in counts.items():
        cleaner.offences.recount(name, count, MissingValueError, MISSING)


def numbers_of(totals: pa.Table, name: str) -> NDArray[Any]:
    """Return a column of totals as an array; nulls have arbitrary values."""
    return numbers(totals[name].combine_chunks()).values
