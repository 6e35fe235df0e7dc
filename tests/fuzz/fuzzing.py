"""Mutated prediction files through every command: exit code 0 or 2, one sentence, no remains.

Everything follows from a seed: the same seed gives the same files and the same commands.
"""

import contextlib
import gzip
import io
import json
import shutil
from collections import Counter
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from pyarrow import feather

from isometrics.cli import main

ROWS = 30

COMMANDS = (
    ["verdict", "--resamples", "50"],
    ["verdict", "--resamples", "50", "--miss-cost", "3", "--false-alarm-cost", "1", "--json"],
    ["summary"],
    ["summary", "--json", "--group", "part"],
    ["thresholds", "--all"],
    ["thresholds", "--min-precision", "0.5", "--cost", "0.3", "--json"],
    ["thresholds", "--beta", "1", "--scores", "first", "--group", "", "-o", "OUT.json"],
    ["apply", "RULE", "FILE", "-o", "OUT.csv"],
    ["compare", "--json"],
    ["tradeoff", "--index", "jaccard", "--lambda", "0.2"],
    ["curve", "--space", "prg", "-o", "OUT.csv"],
    ["curve", "--space", "tradeoff", "-o", "OUT.json"],
    ["calibrate", "-o", "OUT.json"],
    ["calibrate", "--apply", "MAP", "-o", "OUT.parquet"],
    ["plot", "--space", "roc", "-o", "OUT.svg"],
    ["report", "-o", "OUT.html"],
    ["convert", "OUT.csv"],
    ["convert", "OUT.list", "--scores", "first"],
    ["convert", "OUT.jsonl", "--pos-label", "1"],
)

TOKENS = [
    *(b"NaN", b"nan", b"inf", b"-inf", b"1e999", b"-0.0", b"1e-320", b"18446744073709551616"),
    *(b"", b"null", b"NULL", b"None", b"NA", b"true", b"False", b"2", b"-1", b"0x10", b"1_000"),
    *(b'"', b'""', b"'", b",", b";", b"\t", b"\n", b"\r\n", b"\r", b"\0", b"\\", b"%", b"@", b"?"),
    *(b"\xff", b"\xef\xbb\xbf", b"\xc3", "β".encode(), "\u202e".encode(), b"\x1b[31m", b"{", b"["),
    *(b"label", b"score", b"first", b"second", b"part", b"[red]", b"<script>", b"$x$"),
    b"(all rows)",
    *(b"a" * 3000, b"9" * 400, b"," * 200),
]


def columns(rng):
    """Return the columns of a small sample: labels, two models, groups and weights."""
    label = (np.arange(ROWS) % 3 == 0).astype(int)
    return {
        "label": label,
        "first": np.round(rng.normal(label, 1.0), 3),
        "second": np.round(rng.normal(label, 2.0), 1),
        "part": np.where(np.arange(ROWS) % 2, "north", "south"),
    }


def corpus(seed):
    """Return small valid files of every kind that can be read, by name."""
    found = columns(np.random.default_rng(seed))
    rows = list(zip(*(values.tolist() for values in found.values()), strict=True))
    text = {mark: lines(found, rows, mark) for mark in (",", "\t", ";")}
    scores = found["first"].tolist()
    table = pa.table(found)
    long = [
        (label, name, score)
        for label, *pair, _ in rows
        for name, score in zip("ab", pair, strict=True)
    ]
    weka = "".join(
        f"{k + 1},{1 + label}:{'ny'[label]},2:y,+,{abs(score) % 1:.3f}\n"
        for k, (label, score) in enumerate(zip(found["label"].tolist(), scores, strict=True))
    )
    openml = "".join(f"{k},{label},{-s},{s}\n" for k, (label, s, *_) in enumerate(rows))
    return {
        "plain.csv": text[","],
        "tabs.tsv": text["\t"],
        "semicolons.csv": text[";"],
        "packed.csv.gz": gzip.compress(text[","], mtime=0),
        "long.csv": lines({"label": 0, "model": 0, "score": 0}, long, ","),
        "columns.parquet": written(lambda file: pq.write_table(table, file)),
        "batches.arrow": written(lambda file: feather.write_feather(table, file, "lz4")),
        "objects.jsonl": b"".join(
            json.dumps(dict(zip(found, row, strict=True))).encode() + b"\n" for row in rows
        ),
        "archive.npz": written(
            lambda file: np.savez(file, y_true=found["label"], y_score=found["first"])
        ),
        "pairs.list": b"".join(b"%.3f %d\n" % (row[1], row[0]) for row in rows),
        "weka.csv": f"inst#,actual,predicted,error,prediction\n{weka}".encode(),
        "openml.arff": (
            "@RELATION p\n@ATTRIBUTE row_id NUMERIC\n@ATTRIBUTE correct {0,1}\n"
            "@ATTRIBUTE confidence.0 NUMERIC\n@ATTRIBUTE confidence.1 NUMERIC\n"
            f"@DATA\n{openml}"
        ).encode(),
    }


def lines(names, rows, mark):
    return "\n".join(mark.join(map(str, row)) for row in [list(names), *rows]).encode() + b"\n"


def written(write):
    file = io.BytesIO()
    write(file)
    return file.getvalue()


# ---------------------------------------------------------------------- mutations


def mutated(data, rng, others):
    for _ in range(int(rng.integers(1, 4))):
        change = CHANGES[int(rng.integers(len(CHANGES)))]
        data = change(data, rng, others)
    return data


def place(data, rng):
    return int(rng.integers(len(data) + 1))


def span(data, rng, longest=200):
    start = place(data, rng)
    return start, min(len(data), start + int(rng.integers(1, longest)))


def flip(data, rng, _):
    if not data:
        return data
    where = int(rng.integers(len(data)))
    return data[:where] + bytes([data[where] ^ (1 << int(rng.integers(8)))]) + data[where + 1 :]


def cut(data, rng, _):
    return data[: place(data, rng)]


def remove(data, rng, _):
    start, end = span(data, rng)
    return data[:start] + data[end:]


def repeat(data, rng, _):
    start, end = span(data, rng)
    return data[:start] + data[start:end] * int(rng.integers(2, 6)) + data[end:]


def insert(data, rng, _):
    where = place(data, rng)
    return data[:where] + TOKENS[int(rng.integers(len(TOKENS)))] + data[where:]


def replace_value(data, rng, _):
    """Put something else in the place of one value of a text."""
    for mark in (b",", b"\t", b";", b" "):
        parts = data.split(mark)
        if len(parts) > 20:
            parts[int(rng.integers(len(parts)))] = TOKENS[int(rng.integers(len(TOKENS)))]
            return mark.join(parts)
    return data


def shuffle_lines(data, rng, _):
    parts = data.split(b"\n")
    rng.shuffle(parts)
    return b"\n".join(parts)


def repeat_lines(data, rng, _):
    parts = data.split(b"\n")
    start, end = span(parts, rng, 10)
    return b"\n".join(parts[:end] + parts[start:])


def splice(data, rng, others):
    other = others[int(rng.integers(len(others)))]
    start, end = span(other, rng, 2000)
    where = place(data, rng)
    return data[:where] + other[start:end] + data[where:]


CHANGES = (
    *(flip, cut, remove, repeat, insert, insert, splice),
    *(replace_value, replace_value, replace_value, shuffle_lines, repeat_lines, repeat_lines),
)


# ---------------------------------------------------------------------- runs


def fuzz(folder, mutations, seed):
    """Mutate files and run commands on them; return the exit codes, and what went wrong.

    Files that went wrong are kept in the folder.
    """
    codes, failures, files = Counter(), [], corpus(seed)
    names, others = list(files), list(files.values())
    kept = folder / "failures"
    learnt = folder / "map.json"
    (folder / "plain.csv").write_bytes(files["plain.csv"])
    plain = str(folder / "plain.csv")
    assert quietly(["calibrate", plain, "-o", str(learnt)])[0] == 0
    chosen = ["--scores", "first", "--group", "", "--beta", "1"]
    rule = str(learnt.with_name("rule.json"))
    assert quietly(["thresholds", plain, *chosen, "-o", rule])[0] == 0
    for number in range(mutations):
        rng = np.random.default_rng([seed, number])
        name = names[int(rng.integers(len(names)))]
        data = mutated(files[name], rng, others)
        words = COMMANDS[int(rng.integers(len(COMMANDS)))]
        problem, code = attempt(folder / "run", name, data, words, learnt)
        codes[code] += 1
        if problem:
            kept.mkdir(exist_ok=True)
            (kept / f"{number}-{name}").write_bytes(data)
            failures.append(f"seed {seed}, mutation {number}: {words} {name}: {problem}")
    return codes, failures


def attempt(folder, name, data, words, learnt):
    """Run one command on one file in a folder of its own; say what is wrong, if anything."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    path = folder / name
    path.write_bytes(data)
    words = words if "FILE" in words else [words[0], "FILE", *words[1:]]
    given = {"FILE": path}
    if learnt is not None:
        given |= {"MAP": learnt, "RULE": learnt.with_name("rule.json")}
    filled = [str(given.get(word, word.replace("OUT", str(folder / "out")))) for word in words]
    code, out, err = quietly(filled)
    left = {file.name for file in folder.iterdir()} - {name}
    written_to = {Path(word).name for word in filled if Path(word).parent == folder} - {name}
    return judged(code, out, err, left, written_to), code


def judged(code, out, err, left, written_to):
    last = err.splitlines()[-1] if err else ""
    if code not in (0, 2):
        return f"exit code {code}: {last}"
    if "Traceback" in err or "Traceback" in out:
        return "a traceback"
    if "\x1b" in out + err or "\0" in out + err:
        return "control characters"
    if left != (written_to if code == 0 else set()):
        return f"exit code {code} but left {left}"
    if code == 2 and (out or not last.startswith("isometrics: ") or len(last) > 2000):
        return f"no plain sentence: {out[:100]!r} {last[:100]!r}"
    return None


def quietly(words):
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = main(words)
    return code, out.getvalue(), err.getvalue()
