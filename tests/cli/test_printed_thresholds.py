"""A threshold that a command prints gives the counts and rates that it prints beside it."""

import json
import os
import re

import numpy as np
import pytest

from isometrics.cli import main

KINDS = ("close", "float32", "integers", "plain")
COMMANDS = (
    ["thresholds", "--beta", "0.5", "1", "2", "--cost", "0.3", "--min-recall", "0.7"],
    ["thresholds", "--all"],
    ["thresholds", "--confidence", "0.9", "--resamples", "20"],
    ["thresholds", "--threshold", "0.5", "--confidence", "0.9", "--resamples", "20"],
    ["tradeoff", "--lambda", "0.2", "0.5", "0.8"],
    ["summary"],
    ["verdict", "--json"],
)


def scores_of(rng, kind, labels):
    drawn = rng.normal(size=labels.size) + labels
    if kind == "close":
        return 1 - 10.0 ** -(drawn + 6)
    if kind == "float32":
        return (1 / (1 + np.exp(-3 * drawn))).astype(np.float32)
    if kind == "integers":
        return (drawn * 3).astype(np.int64) + 2**60
    return drawn


def written(folder, name, rng, kind):
    import pyarrow as pa
    import pyarrow.parquet as pq

    labels = rng.integers(0, 2, 150)
    scores = scores_of(rng, kind, labels)
    file = folder / f"{name}.parquet"
    pq.write_table(pa.table({"label": labels, "score": scores}), file)
    return str(file), labels.astype(bool), scores


def tables_in(text):
    """Yield the rows of the printed tables that have thresholds, by the names of their columns."""
    for block in re.split(r"\n\n", text):
        lines = [re.split(r"\s{2,}", line.strip()) for line in block.splitlines()]
        heads = [place for place, line in enumerate(lines) if "threshold" in line]
        if heads:
            for line in lines[heads[0] + 1 :]:
                if len(line) == len(lines[heads[0]]):
                    yield dict(zip(lines[heads[0]], line, strict=True))


def read_as(text, scores):
    """Read a number as float64, and in the type of the scores."""
    own = int(text) if text.lstrip("-").isdigit() else float(text)
    return (own,) if scores.dtype.kind == "i" else (scores.dtype.type(own), np.float64(own))


def check(text, labels, scores, shown):
    for number in read_as(text, scores):
        flagged = scores.astype(np.result_type(scores, type(number))) >= number
        tp, fp = int((flagged & labels).sum()), int((flagged & ~labels).sum())
        for name, value in {"tp": tp, "fp": fp}.items():
            assert int(shown.get(name, value)) == value, (text, shown)
        rates = {"precision": tp / max(tp + fp, 1), "recall": tp / labels.sum()}
        for name, value in rates.items():
            if name in shown:
                assert float(shown[name]) == pytest.approx(value, rel=1e-5), (text, shown)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_a_printed_threshold_gives_the_numbers_beside_it(kind, command, tmp_path, capsys, rng_seed):
    rng = np.random.default_rng(rng_seed)
    file, labels, scores = written(tmp_path, "data", rng, kind)
    name, *options = command
    assert main([name, file, *options]) == 0
    text = capsys.readouterr().out
    if name == "verdict":
        found = json.loads(text)["verdict"]
        check(found["threshold_text"], labels, scores, found["counts"])
        return
    if name == "summary":
        found = re.findall(
            r"at threshold +(\S+).*\nwith precision +(\S+).*\nand recall +(\S+)", text
        )
        assert found
        for shown, precision, recall in found:
            check(shown, labels, scores, {"precision": precision, "recall": recall})
        return
    rows = list(tables_in(text))
    assert rows
    for row in rows:
        check(row["threshold"], labels, scores, row)


@pytest.mark.parametrize("kind", KINDS)
def test_a_threshold_of_tuning_data_gives_the_numbers_of_both_files(
    kind, tmp_path, capsys, rng_seed
):
    rng = np.random.default_rng(rng_seed)
    tuning, *of_tuning = written(tmp_path, "tuning", rng, kind)
    test, *of_test = written(tmp_path, "test", rng, kind)
    assert main(["thresholds", tuning, "--on", test]) == 0
    rows = list(tables_in(capsys.readouterr().out))
    assert rows
    for row in rows:
        for ending, data in (("promised", of_tuning), ("achieved", of_test)):
            shown = {name: row[f"{name}_{ending}"] for name in ("precision", "recall")}
            check(row["threshold"], *data, shown)


@pytest.fixture
def rng_seed():
    return int(os.environ["ISOMETRICS_SEED"])
