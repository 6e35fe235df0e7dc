"""What a memory limit cannot answer is said before reading, with the limit that would do."""

import gzip
import re

import numpy as np
import pyarrow as pa
import pytest

import isometrics as iso
from isometrics.cli import main
from isometrics.errors import NotAnswerableError, ParameterError
from isometrics.sources.memory_limit import parse_bytes

ROLES = {"label": "y", "scores": ["s", "t"], "group": False}


class WasReadError(Exception):
    """Rows were read, and not only the first ones."""


class Large:
    """A source that says how many rows it has, and that only its first rows may be read."""

    name = "large"
    schema = pa.schema(
        [("y", pa.bool_()), ("s", pa.float64()), ("t", pa.float32()), ("g", pa.string())]
    )

    def __init__(self, rows):
        self.rows = rows

    def batches(self, columns, *, limit=None):
        if limit is None:
            raise WasReadError
        yield pa.record_batch(
            {
                "y": [True, False],
                "s": [0.5, 0.25],
                "t": pa.array([0.5, 0.25], pa.float32()),
                "g": ["a", "b"],
            }
        ).select(columns)

    def close(self):
        pass


def limit_that_would_do(rows, memory_limit, **options):
    """Return the limit that a refusal names, in bytes."""
    with pytest.raises(ParameterError) as result:
        iso.read_predictions(Large(rows), memory_limit=memory_limit, **(ROLES | options))
    said = str(result.value)
    assert f"{rows:,} rows do not fit into the memory limit; raise memory_limit= to " in said
    return parse_bytes(re.search(r"to (\d+MB)", said)[1], "memory_limit")


@pytest.mark.parametrize("options", [{"keep_rows": True}, {"keep_rows": "needed"}])
@pytest.mark.parametrize("rows", [10_000_000, 123_456_789, 10**10])
def test_refused_before_reading_with_the_size_that_would_do(rows, options):
    enough = limit_that_would_do(rows, "250MB", **options)
    with pytest.raises(WasReadError):
        iso.read_predictions(Large(rows), memory_limit=enough, **(ROLES | options))
    # Two digits of it are written, so that it is at most a tenth too much.
    assert limit_that_would_do(rows, int(enough / 1.12), **options) == enough


@pytest.mark.parametrize(
    "options", [{"keep_rows": False}, {"keep_rows": None}, {"keep_rows": 9}, {"group": "g"}]
)
def test_what_needs_no_rows_is_read(options):
    with pytest.raises(WasReadError):
        iso.read_predictions(Large(10**10), memory_limit="250MB", **(ROLES | options))


@pytest.mark.parametrize(
    ("options", "what"),
    [({"drop_missing": True}, "miss a value"), ({"weight": "t"}, "have a weight of 0")],
)
def test_rows_that_may_be_left_out_are_read_but_the_limit_is_told(options, what):
    told = []
    given = ROLES | {"keep_rows": True, "scores": ["s"]} | options
    for notify in (told.append, None):
        with pytest.raises(WasReadError):
            iso.read_predictions(Large(10**10), memory_limit="250MB", notify=notify, **given)
    (said,) = [str(each) for each in told if "unless" in str(each)]
    assert said.startswith(
        f"10,000,000,000 rows do not fit into the memory limit, unless enough of them {what} and "
        "are left out, which is not known before they are read; to be safe raise memory_limit= to "
    )
    enough = re.search(r"to (\d+MB), or do without intervals", said)[1]
    told.clear()
    with pytest.raises(WasReadError):
        iso.read_predictions(Large(10**10), memory_limit=enough, notify=told.append, **given)
    assert not [each for each in told if "unless" in str(each)]


def test_tables_that_will_have_gaps_are_told_before_reading():
    told = []
    rows = 50_000_000

    def read(limit, **options):
        told.clear()
        with pytest.raises(WasReadError):
            iso.read_predictions(
                Large(rows), memory_limit=limit, notify=told.append, **(ROLES | options)
            )

    read("500MB")
    said = str(told[0])
    assert said.startswith("the tables of 50,000,000 rows do not fit into the memory limit, and ")
    enough = re.search(r"raise memory_limit= to (\d+MB) to keep all", said)[1]
    read(enough)
    assert told == []
    read("500MB", tolerance=1e-3)
    assert told == []


def test_a_table_has_gaps_just_where_it_was_told(monkeypatch):
    """The rule before reading is that of the table itself."""
    monkeypatch.setattr("isometrics.sources.tables.BYTES_OF_A_ROW", 2000)
    for module in ("held_rows", "sorted_rows"):
        monkeypatch.setattr(f"isometrics.sources.{module}.BYTES_OF_A_ROW", 2000)
    rng = np.random.default_rng(0)
    for rows, expected in ((50_000, False), (52_000, True)):
        table = pa.table({"y": np.arange(rows) % 2, "s": rng.random(rows)})
        told = []
        found = iso.read_predictions(table, memory_limit="250MB", notify=told.append)
        assert found.models["s"].table.complete is not expected
        assert bool(told) is expected


def test_the_command_tells_it_before_reading(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("isometrics.sources.tables.BYTES_OF_A_ROW", 30_000_000)
    (tmp_path / "x.csv").write_text("y,s\n1,0.5\n0,0.25\n1,0.75\n0,0.125\n")
    assert main(["summary", str(tmp_path / "x.csv"), "--memory-limit", "250MB"]) == 0
    first = capsys.readouterr().err.splitlines()[0]
    assert first == (
        "the tables of 4 rows do not fit into the memory limit, and keep some of their rows; "
        "areas and hulls are exact, but other thresholds may not be answered; raise "
        "--memory-limit to 280MB to keep all"
    )
    assert main(["summary", str(tmp_path / "x.csv"), "--memory-limit", "250MB", "--json"]) == 0
    assert "do not fit" not in capsys.readouterr().err


@pytest.mark.parametrize("suffix", ["gz", "zst"])
def test_compressed_rows_are_counted_before_they_are_read(tmp_path, suffix, monkeypatch):
    monkeypatch.setattr("isometrics.sources.held_rows._JOINING", 10_000)
    monkeypatch.setattr("isometrics.sources.tables.BYTES_OF_A_ROW", 10_000)
    text = b"y,s,t\n" + b"1,5,7\n0,3,8\n" * 3000
    path = tmp_path / f"x.csv.{suffix}"
    if suffix == "gz":
        path.write_bytes(gzip.compress(text))
    else:
        path.write_bytes(pa.compress(text, "zstd", asbytes=True))
    with pytest.raises(ParameterError, match=r"^6,000 rows do not fit into the memory limit; rai"):
        iso.read_predictions(path, **ROLES, keep_rows=True, memory_limit="250MB")


def test_a_table_with_gaps_names_the_limit_that_keeps_all_rows(monkeypatch):
    for module in ("tables", "held_rows", "sorted_rows"):
        monkeypatch.setattr(f"isometrics.sources.{module}.BYTES_OF_A_ROW", 20_000)
    rng = np.random.default_rng(0)
    data = pa.table({"y": np.arange(9000) % 2, "s": rng.random(9000).round(9)})

    def at(limit):
        return iso.read_predictions(data, memory_limit=limit).models["s"]

    few = at("250MB")
    hidden = float(np.setdiff1d(data["s"].to_numpy(), few.thresholds)[0])
    questions = [
        lambda points: points.at([hidden]),
        iso.bootstrap,
    ]
    for ask in questions:
        with pytest.raises(NotAnswerableError) as caught:
            ask(few)
        enough = re.search(r"; raise memory_limit= to (\d+MB) to keep all rows$", str(caught.value))
        ask(at(enough[1]))
