"""Many files in folders ``name=value``, as Spark, Dask, DuckDB and pyarrow write them."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.feather
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import isometrics as iso
from isometrics.errors import FileError, MissingValueError
from isometrics.sources.files import files_of, open_source


def predictions(size, seed=1):
    rng = np.random.default_rng(seed)
    labels = rng.random(size) < 0.4
    labels[:2] = True, False
    return pa.table({"label": labels, "score": rng.normal(labels, 1)})


def partitioned(folder, by, **columns):
    """Write rows in folders, with what writers leave beside them; return all rows."""
    size = len(next(iter(columns.values())))
    table = predictions(size)
    for name, values in columns.items():
        table = table.append_column(name, pa.array(values))
    schema = pa.schema([table.schema.field(name) for name in by])
    ds.write_dataset(
        table, folder, format="parquet", partitioning=ds.partitioning(schema, flavor="hive")
    )
    leave_traces(folder)
    return table


def leave_traces(folder):
    (folder / "_SUCCESS").touch()
    (folder / "_metadata").write_bytes(b"PAR1 of all files")
    (folder / "_committed_17").write_text("{}")
    (folder / "._SUCCESS.crc").write_bytes(b"crc\0")
    first = next(folder.rglob("*.parquet"))
    first.with_name(f".{first.name}.crc").write_bytes(b"crc\0")
    for aside in ("_temporary", ".ipynb_checkpoints"):
        (folder / aside / "0").mkdir(parents=True)
        (folder / aside / "0" / first.name).write_bytes(b"half a file")


def expected(table, rows=None):
    table = table if rows is None else table.filter(pa.array(rows))
    return iso.OperatingPoints.from_scores(table["label"], table["score"]).table


@settings(max_examples=15)
@given(st.lists(st.tuples(st.integers(0, 3), st.sampled_from("ab")), min_size=2, max_size=40))
def test_any_partitions(tmp_path_factory, keys):
    folder = tmp_path_factory.mktemp("partitions") / "data"
    days, sites = zip(*keys, strict=True)
    table = partitioned(folder, ["day", "site"], day=days, site=sites)
    analysis = iso.read_predictions(folder, group="site")
    assert analysis.models["score"].table == expected(table)
    for site, models in analysis.groups.items():
        assert models["score"].table == expected(table, np.array(sites) == site)
    assert {*analysis.groups, *analysis.skipped} == set(sites)


def test_folders_as_labels_models_weights_and_groups(tmp_path):
    rng = np.random.default_rng(3)
    labels, models, weights = (rng.integers(0, most, 60) for most in (2, 3, 3))
    table = predictions(60).drop(["label"])
    for name, values in (("y", labels), ("model", models), ("w", weights)):
        table = table.append_column(name, pa.array(values))
    pq.write_to_dataset(table, tmp_path / "data", ["y", "model", "w"])
    analysis = iso.read_predictions(tmp_path / "data", label="y", weight="w")
    assert list(analysis.models) == ["0", "1", "2"]
    scores = table["score"].to_numpy()
    for model, points in analysis.models.items():
        rows = models == int(model)
        whole = iso.OperatingPoints.from_scores(
            labels[rows], scores[rows], sample_weight=weights[rows]
        )
        assert points.table == whole.table


@pytest.mark.parametrize("given", ["data", "./data/", "data/day=*/*", "data/**/*.parquet"])
def test_relative_paths_and_patterns(tmp_path, monkeypatch, given):
    above = tmp_path / "fold=7"
    table = partitioned(above / "data", ["day"], day=[1, 2] * 10)
    monkeypatch.chdir(above)
    analysis = iso.read_predictions(given, group="day")
    assert analysis.models["score"].table == expected(table)
    assert list(analysis.groups) == ["1", "2"]
    # What stands above the folder that was given says nothing.
    assert "fold" not in open_source(given).schema.names


@pytest.mark.parametrize(
    ("values", "dtype"),
    [
        (["1", "-2", "007"], pa.int64()),
        (["1", str(2**31)], pa.int64()),
        (["1", str(2**63)], pa.string()),
        (["1", "1.5"], pa.string()),
        (["١"], pa.string()),
        (["__HIVE_DEFAULT_PARTITION__"], pa.string()),
        (["__HIVE_DEFAULT_PARTITION__", "3"], pa.int64()),
        (["a%2Fb", "50%25"], pa.string()),
    ],
)
def test_types_of_what_folders_say(tmp_path, values, dtype):
    for value in values:
        (tmp_path / f"site={value}").mkdir()
        pq.write_table(predictions(4), tmp_path / f"site={value}" / "a.parquet")
    source = open_source(tmp_path)
    assert source.schema.field("site").type == dtype
    (read,) = {batch.schema for batch in source.batches(["site"])}
    assert read.field("site").type == dtype
    rows = [value for batch in source.batches(["site"]) for value in batch["site"].to_pylist()]
    said = [None if value.startswith("__") else value for value in sorted(values)]
    wanted = [{"a%2Fb": "a/b", "50%25": "50%"}.get(value, value) for value in said]
    if dtype != pa.string():
        wanted = [value and int(value) for value in wanted]
    assert sorted(map(str, rows)) == sorted(map(str, wanted * 4))


def test_what_is_put_aside_can_be_named(tmp_path):
    (tmp_path / "_old").mkdir()
    for name in ("_old/a.csv", "_b.csv", "_c.csv"):
        (tmp_path / name).write_text("label,score\n1,0.5\n0,0.25\n")
    assert len(files_of(tmp_path / "_old")) == 1
    assert len(files_of(tmp_path / "_*.csv")) == 2
    with pytest.raises(FileError, match="the folder has no Parquet"):
        files_of(tmp_path)


@pytest.mark.parametrize(("log", "name"), [("_delta_log", "Delta"), (".hoodie", "Hudi")])
def test_tables_whose_log_tells_which_files_count(tmp_path, log, name):
    pq.write_table(predictions(5), tmp_path / "part-0.parquet")
    (tmp_path / log).mkdir()
    with pytest.raises(FileError, match=f"it is a table of {name}, whose log tells which"):
        iso.read_predictions(tmp_path)


def parts(folder, **tables):
    folder.mkdir()
    for name, table in tables.items():
        (folder / f"day={name[-1]}").mkdir(exist_ok=True)
        pq.write_table(table, folder / f"day={name[-1]}" / f"{name}.parquet")
    return folder


def test_types_that_differ_are_named_with_their_files(tmp_path):
    texts = pa.table({"label": [1, 0], "score": ["high", "low"]})
    folder = parts(tmp_path / "data", a1=predictions(5), b1=predictions(5), c2=texts.slice(0, 0))
    with pytest.raises(FileError) as refused:
        iso.read_predictions(folder)
    first, other = str(Path("day=1", "a1.parquet")), str(Path("day=2", "c2.parquet"))
    assert str(refused.value) == (
        f"cannot read {str(folder)!r}: label holds bool values in {first!r} and int64 in "
        f"{other!r}; write it in one type"
    )


def test_a_column_that_files_lack(tmp_path):
    short = predictions(4).drop(["score"])
    folder = parts(tmp_path / "data", a1=predictions(9), b2=short)
    with pytest.raises(MissingValueError) as refused:
        iso.read_predictions(folder)
    assert str(refused.value) == (
        "score has missing values (NaN or null): 4 in all, the first at position 9"
    )
    found = iso.read_predictions(folder, drop_missing=True)
    assert found.models["score"].table == expected(predictions(9))


def test_a_column_in_files_and_folders(tmp_path):
    """Some writers leave it in the files; what the rows themselves say counts."""
    table = predictions(6)
    given = table.append_column("day", pa.array([7, 8] * 3))
    analysis = iso.read_predictions(parts(tmp_path / "data", a1=given, b2=given), group="day")
    assert {*analysis.groups, *analysis.skipped} == {"7", "8"}


def test_one_damaged_file_of_many_is_named(tmp_path):
    folder = parts(tmp_path / "data", a1=predictions(9), b2=predictions(9))
    path = folder / "day=2" / "b2.parquet"
    whole = bytearray(path.read_bytes())
    whole[4:60] = b"\xff" * 56
    path.write_bytes(whole)
    with pytest.raises(FileError, match=r"^cannot read '.*b2\.parquet': "):
        iso.read_predictions(folder)


def test_no_more_than_the_first_rows_are_read_to_guess_columns(tmp_path):
    """The second file is damaged, and not opened for the first rows of the first one."""
    table = predictions(3000)
    for position, name in enumerate(("plain/a", "plain/b", "c")):
        path = tmp_path / f"{name}.parquet"
        path.parent.mkdir(exist_ok=True)
        pq.write_table(table.slice(1000 * position, 1000), path)
    assert iso.read_predictions(tmp_path).models["score"].table == expected(table)
    source = open_source(tmp_path)
    (tmp_path / "plain" / "b.parquet").unlink()
    for limit in (1000, 700):
        (batch,) = source.batches(["score"], limit=limit)
        assert batch.num_rows == limit
    with pytest.raises(FileError, match=r"b\.parquet': .*no such file"):
        list(source.batches(["score"], limit=2500))


def test_a_folder_without_a_value(tmp_path):
    folder = tmp_path / "data"
    (folder / "site=__HIVE_DEFAULT_PARTITION__").mkdir(parents=True)
    pq.write_table(predictions(9), folder / "site=__HIVE_DEFAULT_PARTITION__" / "a.parquet")
    (folder / "site=n").mkdir()
    pq.write_table(predictions(9), folder / "site=n" / "a.parquet")
    with pytest.raises(MissingValueError, match=r"^site has missing values .*: 9 in all"):
        iso.read_predictions(folder)


@pytest.mark.parametrize("kind", ["parquet", "arrow"])
def test_files_without_rows(tmp_path, kind):
    """Writers leave empty files where a partition had no rows; the first rows follow later."""
    table = predictions(9)
    for position, part in enumerate((table.slice(0, 0), table.slice(0, 4), table.slice(4))):
        path = tmp_path / f"part-{position}.{kind}"
        if kind == "parquet":
            pq.write_table(part, path)
        else:
            pyarrow.feather.write_feather(part, str(path))
    assert iso.read_predictions(tmp_path).models["score"].table == expected(table)
    scores = {f"s{index}": [index / 64, 0.75] for index in range(40)}
    wide = pa.table({"label": [True, False]} | scores)
    (tmp_path / "wide").mkdir()
    for position, part in enumerate((wide.slice(0, 0), wide)):
        pq.write_table(part, tmp_path / "wide" / f"part-{position}.parquet")
    for path in (tmp_path / "wide", tmp_path / "wide" / "part-1.parquet"):
        found = iso.read_predictions(path).models
        assert {name: [*points.thresholds[:0:-1]] for name, points in found.items()} == scores
