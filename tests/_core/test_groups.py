"""Groups have one rule: names, order, categories without rows, missing values."""

import datetime as dt
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import isometrics as iso
from isometrics._core.sample import GroupNames, Groups
from isometrics.errors import MissingValueError, ParameterError

LABELS, SCORES = [1, 0, 0, 1, 1, 0], [0.9, 0.8, 0.3, 0.7, 0.6, 0.2]
DAY = dt.datetime(2026, 1, 2)
BERLIN = "Europe/Berlin"
BASE = np.datetime64("2026-01-02", "ns")

# Values that come in another order than theirs, and the names in order.
VALUES = {
    "integers": ([10, 9, 2] * 2, ["2", "9", "10"]),
    "floats": ([10.0, 9.5, -np.inf] * 2, ["-inf", "9.5", "10.0"]),
    "both zeros": ([0.0, 1.0, -0.0] * 2, ["0.0", "1.0"]),
    "float32": (np.array([0.3, 0.1, 0.2] * 2, np.float32), ["0.1", "0.2", "0.3"]),
    "float16": (np.array([0.3, 0.1, 0.2] * 2, np.float16), ["0.1", "0.2", "0.3"]),
    "booleans": ([True, False, True] * 2, ["False", "True"]),
    "texts": (["b", "a", "ä"] * 2, ["a", "b", "ä"]),
    "days": (
        np.array(["2026-01-10", "2026-01-09", "2025-12-31"] * 2, "M8[D]"),
        ["2025-12-31", "2026-01-09", "2026-01-10"],
    ),
    "hours": (
        np.array(["2026-01-01T10", "2026-01-01T09", "2026-01-01T11"] * 2, "M8[s]"),
        ["2026-01-01 09:00:00", "2026-01-01 10:00:00", "2026-01-01 11:00:00"],
    ),
    "moments": (
        [DAY.replace(microsecond=500_000), DAY, DAY.replace(year=2025)] * 2,
        ["2025-01-02 00:00:00", "2026-01-02 00:00:00", "2026-01-02 00:00:00.500000"],
    ),
    "nanoseconds": (
        BASE + np.array([2000, 1000, 3000] * 2, "m8[ns]"),
        [f"2026-01-02 00:00:00.00000{digit}" for digit in (1, 2, 3)],
    ),
    "durations": (
        np.array([3600, 60, 7200] * 2, "m8[s]"),
        ["0:01:00", "1:00:00", "2:00:00"],
    ),
}


@pytest.mark.parametrize("kind", VALUES)
def test_names_and_order_are_the_same_from_arrays_and_from_tables(kind):
    values, names = VALUES[kind]
    analysed = iso.analyse(LABELS, SCORES, groups=values)
    table = pa.table({"label": LABELS, "score": SCORES, "g": pa.array(values)})
    codes = np.unique(np.asarray(values), return_index=True, return_inverse=True)[1:]
    coded = pa.DictionaryArray.from_arrays(pa.array(codes[1]), pa.array(values).take(codes[0]))
    for given in (table, table.set_column(2, "g", coded)):
        result = iso.read_predictions(given, group="g", keep_rows=True)
        assert list(result.rows.groups.names) == list(analysed.rows.groups.names) == names
        assert [*result.groups, *result.skipped] == sorted(
            names, key=lambda name: (name in result.skipped, names.index(name))
        )
        assert (result.groups, result.skipped) == (analysed.groups, analysed.skipped)


@pytest.mark.parametrize("library", [pd, pl])
def test_times_keep_their_zone(library):
    base = np.datetime64("2026-01-02", "ns") + np.array([7200, 3600] * 3, "m8[s]")
    times = pa.array(base, pa.timestamp("ns", BERLIN))
    names = ["2026-01-02 02:00:00+01:00", "2026-01-02 03:00:00+01:00"]
    table = pa.table({"label": LABELS, "score": SCORES, "g": times})
    frame = table.to_pandas() if library is pd else pl.from_arrow(table)
    assert list(iso.read_predictions(frame, group="g").groups) == names
    assert list(iso.analyse(frame["label"], frame["score"], groups=frame["g"]).groups) == names


def test_times_of_day():
    times = pa.array([10**9, 0] * 3, pa.time64("ns"))
    table = pa.table({"label": LABELS, "score": SCORES, "g": times})
    assert list(iso.read_predictions(table, group="g").groups) == ["00:00:00", "00:00:01"]


@pytest.mark.parametrize("start", [BASE, np.timedelta64(0, "ns")])
def test_nanoseconds_name_no_groups(start):
    values = start + np.array([7, 5, 1] * 2, "m8[ns]")
    table = pa.table({"label": LABELS, "score": SCORES, "g": values})
    with pytest.raises(ParameterError, match="named by nanoseconds; round their times"):
        iso.read_predictions(table, group="g")
    with pytest.raises(ParameterError, match="named by nanoseconds; round their times"):
        iso.analyse(LABELS, SCORES, groups=values)


def test_values_that_do_not_compare_are_sorted_by_name():
    names = GroupNames("g")
    codes = names.encode(["b", 2, "a"])
    assert list(Groups(codes, names).row_index()) == ["2", "a", "b"]


def test_values_that_read_the_same():
    names = GroupNames("g")
    names.encode([1])
    with pytest.raises(ParameterError, match=r"^g has 1 and '1', which read the same; make them"):
        names.encode(["1"])


STORED = {
    "views": (pa.string_view(), ["b", "a"] * 3, ["a", "b"]),
    "halves": (pa.float16(), np.array([10.5, 9.5] * 3, np.float16), ["9.5", "10.5"]),
}
if hasattr(pa, "decimal32"):  # from pyarrow 19 on
    decimals = [Decimal("10.5"), Decimal("9.5")] * 3
    STORED["decimals of 32 bits"] = (pa.decimal32(4, 1), decimals, ["9.5", "10.5"])


@pytest.mark.parametrize("kind", STORED)
def test_types_that_arrow_can_do_little_with(kind):
    """Arrow has no encoding of some types, and cannot take rows of others."""
    dtype, values, names = STORED[kind]
    table = pa.table({"label": LABELS, "score": SCORES, "g": pa.array(values, dtype)})
    table = table.append_column("weight", pa.array([1, 1, 1, 1, 1, 0]))
    assert list(iso.read_predictions(table, group="g", weight=False).groups) == names
    weighted = iso.read_predictions(table, group="g", weight="weight")
    assert list(weighted.groups) == names
    texts = table.set_column(2, "g", pa.array(list(map(str, values))))
    assert weighted.groups == iso.read_predictions(texts, group="g", weight="weight").groups


def test_labels_of_eight_bits():
    """Any byte other than 0 is true."""
    label = pa.ExtensionArray.from_storage(pa.bool8(), pa.array([1, 0, 0, 7, 1, 0], pa.int8()))
    result = iso.read_predictions(pa.table({"label": label, "score": SCORES}))
    assert result.models == iso.analyse(LABELS, SCORES).models


def test_extension_types_that_may_print_otherwise_name_no_groups():
    """A month of pandas is stored as the number of months since 1970."""
    months = pd.Series(pd.period_range("2026-01", periods=6, freq="M"))
    frame = pd.DataFrame({"label": LABELS, "score": SCORES, "g": months})
    with pytest.raises(ParameterError, match=r"^g holds extension<.*; models and groups must be"):
        iso.read_predictions(frame, group="g")


MISSING = {
    "NaN": pd.Series([1.0, 2.0, np.nan, 1.0, np.nan, 2.0]),
    "None": pd.Series(["a", "b", None, "a", None, "b"], dtype=object),
    "NaN among texts": pd.Series(["a", "b", np.nan, "a", float("nan"), "b"], dtype=object),
    "NaT": pd.Series(pd.to_datetime(["2026-01-01", "2026-01-02", None] * 2)).where(
        np.arange(6) != 5, pd.Timestamp("2026-01-01")
    ),
    "null": pd.Series([1, 2, None, 1, None, 2], dtype="Int64"),
    "category": pd.Series(["a", "b", None, "a", None, "b"], dtype="category"),
    "category of floats": pd.Series([1.0, 2.0, None, 1.0, None, 2.0], dtype="category"),
}


@pytest.mark.parametrize("kind", MISSING)
def test_missing_groups_are_refused_with_their_count(kind):
    groups = MISSING[kind]
    count, first = int(groups.isna().sum()), int(np.argmax(groups.isna()))
    said = f"has missing values (NaN or null): {count} in all, the first at position {first}"
    with pytest.raises(MissingValueError) as refused:
        iso.analyse(LABELS, SCORES, groups=groups)
    assert str(refused.value) == f"groups {said}"
    if kind == "NaT":
        with pytest.raises(MissingValueError):
            iso.analyse(LABELS, SCORES, groups=groups.to_numpy())
    frame = pd.DataFrame({"label": LABELS, "score": SCORES, "g": groups})
    sources = [frame, pa.Table.from_pandas(frame), _with_nan(frame)]
    for source in sources:
        for keep_rows in (False, True):
            with pytest.raises(MissingValueError) as refused:
                iso.read_predictions(source, group="g", keep_rows=keep_rows)
            assert str(refused.value) == f"g {said}"


def _with_nan(frame):
    """Return an Arrow table in which a missing float is NaN, and no null."""
    table = pa.Table.from_pandas(frame)
    if frame["g"].dtype == float:
        values = pa.array(frame["g"].to_numpy(), from_pandas=False)
        return table.set_column(2, "g", values.dictionary_encode())
    return table
