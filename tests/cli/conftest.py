"""Small prediction files, and a way to call the command line within the process."""

import csv
import json
import signal
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from isometrics.cli import main


class Done(NamedTuple):
    """What a command left: its exit code and what it printed."""

    code: int
    out: str
    err: str

    @property
    def data(self):
        """What was printed as JSON, which must be strict."""
        return json.loads(self.out, parse_constant=pytest.fail)


@pytest.fixture(autouse=True)
def heard_interrupts():
    """Shells ignore interrupts for what they start in the background; programs inherit that."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture
def call(capsys):
    """Call the command line; the last exit code must be that given."""

    def run(*words, code=0):
        capsys.readouterr()
        found = main([str(word) for word in words])
        done = Done(found, *capsys.readouterr())
        assert done.code == code, done.err
        if code:
            # One sentence, below what was said of the columns.
            *_, sentence = done.err.splitlines()
            assert done.err.count("isometrics: ") == sentence.startswith("isometrics: ") == 1
            assert "Traceback" not in done.err
        return done

    return run


def sample(rows=60, seed=1):
    rng = np.random.default_rng(seed)
    label = rng.random(rows) < 0.4
    label[:4] = [True, False, True, False]
    good = np.round(rng.normal(label * 1.0, 1.0), 2)
    bad = np.round(rng.normal(label * 0.3, 1.0), 2)
    group = np.where(np.arange(rows) % 2, "south", "north")
    return label.astype(int), good, bad, group


def write_csv(path, *columns, names=("label", "good", "bad", "group"), delimiter=","):
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, delimiter=delimiter)
        writer.writerow(names)
        writer.writerows(zip(*(column.tolist() for column in columns), strict=True))
    return path


@pytest.fixture
def predictions(tmp_path):
    label, good, bad, _ = sample()
    return write_csv(tmp_path / "two models.csv", label, good, bad, names=("label", "good", "bad"))


@pytest.fixture
def grouped(tmp_path):
    return write_csv(tmp_path / "grouped.csv", *sample())


@pytest.fixture
def other(tmp_path):
    label, good, bad, _ = sample(seed=2)
    return write_csv(tmp_path / "other.csv", label, good, bad, names=("label", "good", "bad"))


def read(path):
    """Return the rows of a file as Python reads them, without this library."""
    if path.suffix in (".csv", ".tsv"):
        with path.open(newline="", encoding="utf-8") as file:
            return list(csv.DictReader(file, delimiter="\t" if path.suffix == ".tsv" else ","))
    if path.suffix.lower() == ".parquet":
        return pq.read_table(path).to_pylist()
    if path.suffix == ".arrow":
        return pa.ipc.open_file(path).read_all().to_pylist()
    text = path.read_text("utf-8")
    return json.loads(text) if path.suffix == ".json" else list(map(json.loads, text.splitlines()))


def names(folder):
    return sorted(path.name for path in folder.iterdir())
