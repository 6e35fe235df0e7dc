"""A threshold that a command prints gives the counts and rates that it prints beside it."""

import json
import os
import re

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from isometrics.cli import main

KINDS = ("close", "float32", "integers", "plain")


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
def test_a_threshold_of_tuning_data_gives_the_numbers_of_both_files(kind, tmp_path, capsys):
    rng = np.random.default_rng(int(os.environ["ISOMETRICS_SEED"]))
    tuning, *of_tuning = written(tmp_path, "tuning", rng, kind)
    test, *of_test = written(tmp_path, "test", rng, kind)
    given = ["--threshold", "0.5", "--resamples", "20"]
    for words in (
        ["thresholds", tuning, "--on", test],
        ["thresholds", tuning, "--on", test, "--beta", "2", *given],
        ["verdict", test, "--thresholds-from", tuning, *given],
    ):
        assert main(words) == 0
        rows = list(tables_in(capsys.readouterr().out))
        assert rows
        for row in rows:
            if "rule" in row:
                check(row["threshold"], *of_test, row)
                continue
            for ending, data in (("promised", of_tuning), ("achieved", of_test)):
                shown = {name: row[f"{name}_{ending}"] for name in ("precision", "recall")}
                check(row["threshold"], *data, shown)
        assert {row.get("rule") for row in rows} == (
            {"given", "best"} if given[0] in words else {None}
        )


MODELS, GROUPS = ("m_a", "m_b"), ("north", "south")
QUICK = ("close", False)
OF_SEVERAL = (
    ["thresholds", "--beta", "1", "2"],
    ["thresholds", "--all"],
    ["thresholds", "--threshold", "0.5", "--resamples", "20"],
    ["tradeoff", "--lambda", "0.5"],
    ["summary"],
    ["summary", "--confidence", "0.9", "--resamples", "20"],
    ["compare"],
    ["report", "--resamples", "20"],
    ["verdict", "--resamples", "20"],
    ["verdict", "--beta", "4", "--resamples", "20"],
    ["verdict", "--threshold", "0.5", "--resamples", "20"],
)
_SENTENCE = re.compile(
    r"(?:(?P<name>\S+): )?(?:(?:Use (?P<used>\S+) and flag)|Flag|.*; the choice would be "
    r"(?P<choice>\S+), at) scores of (?P<text>\S+) or more(?: as \S+)?"
    r"(?:, which barely fails)?\. Expect "
    r"F(?P<beta>\d) \S+ on new data \((?:[^;]*; )?(?P<f>\S+) on these rows\)"
)


def sentences_in(text):
    for line in text.splitlines():
        if found := _SENTENCE.match(line):
            model = found["used"] or found["choice"] or found["name"]
            yield model, found["text"], int(found["beta"]), found["f"]


_WINNERS = re.compile(r"(?:(?P<group>\S+): )?By f-measure, ")
_PLATEAU = re.compile(r"Thresholds from (\S+) to (\S+) reach 99% of the value on these rows\.")
_COMMON = re.compile(r"(?:than|compare|groups:) (\S+) of (m_[ab])\b")
"""The threshold of all rows, in what is said about groups."""


def winners_in(text):
    for block in text.split("\n\n"):
        title, *lines = block.splitlines() or [""]
        if found := _WINNERS.match(title):
            head, *rows = (re.split(r"\s{2,}", line.strip()) for line in lines)
            for row in rows:
                yield found["group"] or "(all rows)", dict(zip(head, row, strict=True))


def values_of_f(text, labels, scores, weight):
    """Yield the F with a weight of recall at a printed threshold, in the types it is read as."""
    for number in read_as(text, scores):
        flagged = scores.astype(np.result_type(scores, type(number))) >= number
        tp, fp = (flagged & labels).sum(), (flagged & ~labels).sum()
        yield tp / ((1 - weight) * (tp + fp) + weight * labels.sum())


def check_f(text, labels, scores, beta, shown):
    for f in values_of_f(text, labels, scores, beta**2 / (1 + beta**2)):
        digits = len(shown.partition(".")[2])
        assert float(shown) == pytest.approx(f, abs=0.5001 * 10**-digits), (text, shown)


def check_winners(text, data):
    """Compare the values at both ends of each range with F there; return how many there are."""
    rows = [(group, row) for group, row in winners_in(text) if row["winner"] in MODELS]
    for group, row in rows:
        for end in ("lo", "hi"):
            own = data[row["winner"], group]
            for f in values_of_f(row[f"threshold_{end}"], *own, float(row[f"lambda_{end}"])):
                # The weight has six digits, too.
                assert float(row[f"value_{end}"]) == pytest.approx(f, rel=1e-4), row
    return len(rows)


def check_ranges(text, labels, scores, beta):
    """Of thresholds that are almost as good, both ends are."""
    weight = beta**2 / (1 + beta**2)
    (_, best, *_) = next(sentences_in(text))
    for ends in _PLATEAU.findall(text):
        least = 0.99 * max(values_of_f(best, labels, scores, weight)) - 1e-12
        for end in ends:
            assert min(values_of_f(end, labels, scores, weight)) >= least, (end, text)


_COLUMNS = re.compile(r"at threshold +(.*)\nwith precision +(.*)\nand recall +(.*)")
"""Of a summary that is laid on its side, with a column for each model."""


def check_columns(text, data):
    for lines in _COLUMNS.findall(text):
        for model, shown in zip(MODELS, zip(*map(str.split, lines), strict=True), strict=False):
            threshold, precision, recall = shown
            rates = {"precision": precision, "recall": recall}
            check(threshold, *data[model, "(all rows)"], rates)
    return len(_COLUMNS.findall(text))


def walk(text, data):
    """Check every printed threshold against the rows of its model and group; count them."""
    rows, sentences = list(tables_in(text)), list(sentences_in(text))
    for row in rows:
        labels, scores = data[row.get("model", MODELS[0]), row.get("group", "(all rows)")]
        check(row["threshold"], labels, scores, row)
        # Of a verdict for each group, the value on its rows.
        values = {float(sentences[0][2]): row["here"]} if "here" in row else {}
        if "F (β 1)" in row:
            values[1.0] = row["F (β 1)"]
        if found := re.fullmatch(r"F \(β (\S+)\)", row.get("objective", "")):
            values[float(found[1])] = row["value"]
        for beta, f in values.items():
            check_f(row["threshold"], labels, scores, beta, f if "." in f else f"{f}.")
    for model, threshold, beta, f in sentences:
        check_f(threshold, *data[model or MODELS[0], "(all rows)"], beta, f)
    return len(rows), len(sentences)


@pytest.mark.parametrize(
    ("kind", "grouped"),
    [
        pytest.param(kind, grouped, marks=[] if (kind, grouped) == QUICK else pytest.mark.slow)
        for kind in KINDS
        for grouped in (False, True)
    ],
)
def test_every_command_for_several_models_and_groups(kind, grouped, tmp_path, capsys):
    rng = np.random.default_rng(int(os.environ["ISOMETRICS_SEED"]))
    labels, group = rng.integers(0, 2, 160), np.array(GROUPS)[rng.integers(0, 2, 160)]
    scores = {name: scores_of(rng, kind, labels) for name in MODELS}
    file = str(tmp_path / "several.parquet")
    pq.write_table(pa.table({"label": labels, "site": group} | scores), file)
    rows = {"(all rows)": np.full(160, True)} | {name: group == name for name in GROUPS}
    data = {
        (model, name): (labels[chosen].astype(bool), scores[model][chosen])
        for model in MODELS
        for name, chosen in rows.items()
    }
    columns = ["--scores", *MODELS, "--group", "site" if grouped else ""]
    walked = {}
    for command in OF_SEVERAL:
        name, *options = command
        if name == "report":
            options += ["-o", str(tmp_path / "page.html")]
        assert main([name, file, *columns, *options]) == 0
        text = capsys.readouterr().out
        walked[tuple(command)] = walk(text, data)
        assert (check_winners(text, data) > 0) == (name == "compare")
        assert (check_columns(text, data) > 0) == (name == "summary" and not grouped)
        for model, threshold, beta, _ in sentences_in(text):
            check_ranges(text, *data[model, "(all rows)"], beta)
            about_groups = _COMMON.findall(text)
            assert set(about_groups) <= {(threshold, model)}
            assert bool(about_groups) == (grouped and name == "report"), text
    for command, (tables, sentences) in walked.items():
        in_words = command[0] in ("summary", "compare", "report", "verdict")
        assert sentences == in_words, command
        if command[0] in ("thresholds", "tradeoff") or "--threshold" in command:
            assert tables > 0, command
    assert walked["summary",][0] == (6 if grouped else 0)


@pytest.mark.slow
def test_every_command_for_several_classes(tmp_path, capsys):
    rng = np.random.default_rng(int(os.environ["ISOMETRICS_SEED"]))
    names = np.array(["cat", "dog", "owl"])
    labels = names[rng.integers(0, 3, 150)]
    scores = rng.dirichlet([1, 1, 1], 150) + 0.3 * (labels[:, None] == names)
    file = tmp_path / "animals.csv"
    pd.DataFrame(scores, columns=names).assign(label=labels).to_csv(file, index=False)
    data = {(name, "(all rows)"): (labels == name, scores[:, j]) for j, name in enumerate(names)}
    for command in OF_SEVERAL:
        name, *options = [*command, *["-o", str(tmp_path / "page.html")] * (command[0] == "report")]
        code = main([name, str(file), *options])
        text = capsys.readouterr().out
        assert code == (2 if name == "compare" else 0)
        tables, sentences = walk(text, data)
        # Of a class that is not better than flagging all rows, no threshold is named.
        useless = len(re.findall("model (?:is not|barely fails to be) better than", text))
        expected = 3 if name in ("summary", "report", "verdict") else 0
        assert sentences + useless == expected, command
        assert tables or name in ("summary", "report", "verdict", "compare"), command


@pytest.mark.parametrize("kind", KINDS)
def test_a_rule_flags_what_its_numbers_say(kind, tmp_path, capsys):
    rng = np.random.default_rng(int(os.environ["ISOMETRICS_SEED"]))
    file, labels, scores = written(tmp_path, "data", rng, kind)
    rule = str(tmp_path / "rule.json")
    for command in (["thresholds", "--beta", "1"], ["verdict", "--resamples", "20"]):
        assert main([command[0], file, *command[1:], "-o", rule]) == 0
        text = capsys.readouterr().out
        assert main(["apply", rule, file, "--json", "-o", str(tmp_path / "out.csv")]) == 0
        flagged = json.loads(capsys.readouterr().out)["flagged"]
        rows = list(tables_in(text))
        for row in rows:
            assert flagged == int(row["tp"]) + int(row["fp"])
        for _, threshold, beta, f in sentences_in(text):
            check_f(threshold, labels, scores, beta, f)
            assert all((scores >= each).sum() == flagged for each in read_as(threshold, scores))
    assert main(["verdict", file, "--resamples", "20", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)["verdict"]
    check(found["threshold_text"], labels, scores, found["counts"])
