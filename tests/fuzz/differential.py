"""The command's answers compared with those of a small reader that shares no code with it.

Files are made from a seed: types that change late in a file, rows that look like comments, quoted
separators and line breaks, missing values, weights, groups, and every text format. `answer` reads
them with Python's own modules and counts in fractions. A difference in a number, in the groups,
or in whether the file can be used at all is a defect of one of the two.
"""

import csv
import gzip
import io
import json
import math
from collections import Counter
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from .fuzzing import quietly

MISSING = ("", "NA", "null", "None")
REFUSED = "refused"


# ---------------------------------------------------------------------- the second reader


def records(path: Path, separator: str) -> list[dict]:
    if path.suffix == ".parquet":
        return pq.read_table(path).to_pylist()
    data = path.read_bytes()
    text = (gzip.decompress(data) if path.suffix == ".gz" else data).decode("utf-8-sig")
    if ".jsonl" in path.suffixes:
        return [typed_object(json.loads(line)) for line in text.split("\n") if line]
    return list(csv.DictReader(io.StringIO(text, newline=""), delimiter=separator))


def typed_object(row: dict) -> dict:
    """Return an object of JSON, in which a text is no number, whatever it says."""
    texts = {name for name in ("s", "t", "w") if isinstance(row.get(name), str)}
    labels = {"y": "a word"} if row.get("y") == "nan" else {}
    return row | dict.fromkeys(texts, "text") | labels


def number(value) -> Fraction | float:
    found = float(value) if value is not None and value not in MISSING else math.nan
    if math.isnan(found):
        raise ValueError
    return found if math.isinf(found) else Fraction(found)


def answer(rows: list[dict], roles: dict) -> dict | str:
    """Return totals, AUROC and average precision by group and model, or that this is refused."""
    try:
        weights = [number(row.get("w")) if roles["weight"] else Fraction(1) for row in rows]
        if min(weights) < 0 or math.inf in weights:
            return REFUSED
        # A word makes its column one of texts, whatever the weight of its row.
        given = [row.get(name) for row in rows for name in roles["scores"]]
        [float(value) for value in given if value is not None and value not in MISSING]
        rows = [row | {"w": w} for row, w in zip(rows, weights, strict=True) if w > 0]
        if any(row.get("y") is None or row.get("y") in MISSING for row in rows):
            return REFUSED
        if are_numbers_and_nan([row["y"] for row in rows]):
            return REFUSED
        names = ["(all rows)"] * len(rows)
        if roles["group"]:
            names = group_names([row.get("g") for row in rows])
        labels = [str(row.get("y")) == roles["positive"] for row in rows]
        scores = {name: [number(row.get(name)) for row in rows] for name in roles["scores"]}
    except ValueError:
        return REFUSED
    if len(set(labels)) < 2 or len({str(row.get("y")) for row in rows}) > 2:
        return REFUSED
    parts = {"(all rows)": range(len(rows))}
    for row, name in enumerate(names):
        if name != "(all rows)":
            parts.setdefault(name, []).append(row)
    found = {}
    for group, places in parts.items():
        for model, values in scores.items():
            counts = Counter()
            for row in places:
                counts[values[row], labels[row]] += rows[row]["w"]
            numbers = areas(counts)
            if numbers is not None:
                found[model, group] = numbers
    return found


def are_numbers_and_nan(values: list) -> bool:
    """Tell whether a column of a text file has numbers, of which one is missing."""
    try:
        return any(math.isnan(float(value)) for value in values if isinstance(value, str))
    except ValueError:
        return False


def group_names(values: list) -> list:
    if any(value is None or value in MISSING for value in values):
        raise ValueError
    try:
        found = [float(value) for value in values]
    except ValueError:
        return [str(value) for value in values]
    if any(map(math.isnan, found)):
        raise ValueError
    return found


def areas(counts: Counter) -> tuple[float, ...] | None:
    """Return the totals, AUROC and average precision of counts by score and label."""
    totals = {
        label: sum(n for (_, c), n in counts.items() if c is label) for label in (True, False)
    }
    if not all(totals.values()):
        return None
    tp = fp = Fraction(0)
    roc, precision = [], []
    for score in sorted({score for score, _ in counts}, reverse=True):
        p, n = counts[score, True], counts[score, False]
        roc.append(float(n * (tp + p / 2) / totals[True] / totals[False]))
        tp, fp = tp + p, fp + n
        precision.append(float(p / totals[True] * tp / (tp + fp)))
    return float(totals[True]), float(totals[False]), math.fsum(roc), math.fsum(precision)


# ---------------------------------------------------------------------- the files


@dataclass
class Case:
    """A file, how its columns are used, and which separator it has."""

    name: str
    data: bytes
    roles: dict
    separator: str = ","
    traits: list[str] = field(default_factory=list)


def spelled(value: float, rng) -> str:
    """Write a number in one of the ways that programs write them."""
    ways = [repr(value), f"{value:.17g}", f"{value:e}" if rng.random() < 0.3 else repr(value)]
    text = ways[int(rng.integers(len(ways)))]
    if text.startswith("0.") and rng.random() < 0.1:
        return text[1:]
    return text


GROUPS = (
    ["north", "south"],
    ["1", "2", "3"],
    ["1.4", "1", "2"],
    ["#1", "#2", "x"],
    ['a "b"', "c,d", "e;f", "g\th"],
    ["line\nbreak", "é", "名"],
    ["-3", "10", "9"],
    ["true", "false"],
    ["2024-01-01", "2024-02-30"],
    ["=1+1", "@x", "<b>"],
)
LABELS = (("0", "1"), ("false", "true"), ("ham", "spam"), ("-1", "1"), ("2", "7"))
NOTES = ("# not a comment", "#5", "plain", 'say "no"', "a,b", "x\ny", "", "'")
ODD = (*MISSING, "-1", "high", "nan", "inf")


def drawn(choices, rng):
    return choices[int(rng.integers(len(choices)))]


def whole(positives, rng):
    return rng.integers(-50, 50, positives.size).astype(str).tolist()


def tied(positives, rng):
    return [spelled(value, rng) for value in np.round(rng.random(positives.size), 1).tolist()]


def wide(positives, rng):
    powers = 10.0 ** rng.integers(-300, 300, positives.size)
    return [spelled(value, rng) for value in (rng.normal(size=positives.size) * powers).tolist()]


def late(positives, rng):
    """Return whole numbers but for some of the last ones."""
    values = [str(int(one)) for one in positives]
    for row in rng.integers(len(values) - max(len(values) // 40, 1), len(values), 3):
        values[row] = spelled(float(rng.random() * 2 - 0.5), rng)
    return values


def real(positives, rng):
    return [spelled(value, rng) for value in rng.normal(positives).tolist()]


def weights_of(n, rng):
    weights = rng.integers(int(rng.random() < 0.7), 4, n).astype(str).tolist()
    if rng.random() < 0.5:
        weights[int(rng.integers(n))] = "0.25"
    return weights if rng.random() < 0.7 else [spelled(w, rng) for w in rng.random(n).tolist()]


def groups_of(n, rng):
    pool = drawn(GROUPS, rng)
    if rng.random() < 0.2:
        return [pool[0]] * (n - 1) + [pool[-1]]
    return [pool[k] for k in rng.choice(len(pool), n, p=rng.dirichlet(np.ones(len(pool))))]


def made(seed: int, number_of_case: int) -> Case:
    rng = np.random.default_rng([seed, number_of_case])
    # DuckDB judges the types of a column by its first 20,480 rows.
    n = int(rng.integers(20_600, 21_500) if rng.random() < 0.02 else rng.integers(2, 60))
    positives = rng.random(n) < rng.uniform(0.1, 0.9)
    labels = drawn(LABELS, rng)
    cells = {"y": [labels[int(one)] for one in positives]}
    roles = {"scores": ["s", "t"] if rng.random() < 0.3 else ["s"], "positive": labels[1]}
    roles |= {"weight": bool(rng.random() < 0.4), "group": bool(rng.random() < 0.4)}
    kinds = [drawn((whole, tied, wide, late, real), rng) for _ in roles["scores"]]
    traits = [kind.__name__ for kind in kinds]
    cells |= {name: kind(positives, rng) for name, kind in zip(roles["scores"], kinds, strict=True)}
    if roles["weight"]:
        cells["w"] = weights_of(n, rng)
    if roles["group"]:
        cells["g"] = groups_of(n, rng)
    if rng.random() < 0.3:
        cells["note"] = [drawn(NOTES, rng) for _ in range(n)]
        traits.append("notes")
    if rng.random() < 0.2:
        cells["id"] = [f"#{k}" if rng.random() < 0.3 else str(k) for k in range(n)]
        traits.append("ids")
    if rng.random() < 0.12:
        column, odd = drawn(list(cells), rng), drawn(ODD, rng)
        cells[column][n - 1 if rng.random() < 0.3 else int(rng.integers(n))] = odd
        traits.append(f"{column}={odd}")
    names = [list(cells)[k] for k in rng.permutation(len(cells))]
    return written(names, cells, roles, rng, traits)


def written(names, cells, roles, rng, traits) -> Case:
    rows = list(zip(*(cells[name] for name in names), strict=True))
    kinds = ("csv", "csv", "csv", "tsv", "semicolon", "gz", "jsonl", "jsonl.gz", "parquet")
    kind = drawn(kinds, rng)
    traits.append(kind)
    if kind == "parquet":
        table = pa.table({name: typed(cells[name]) for name in names})
        sink = io.BytesIO()
        pq.write_table(table, sink, row_group_size=int(rng.integers(1, 30_000)))
        return Case("p.parquet", sink.getvalue(), roles, ",", traits)
    if kind.startswith("jsonl"):
        lines = []
        for row in rows:
            pairs = {n: token(n, v) for n, v in zip(names, row, strict=True)}
            if rng.random() < 0.02:
                pairs = {n: v for n, v in pairs.items() if v != "null"}
            lines.append("{" + ", ".join(f"{json.dumps(n)}: {v}" for n, v in pairs.items()) + "}")
        data = ("\n".join(lines) + "\n").encode()
        return Case(f"p.{kind}", gzip.compress(data) if "gz" in kind else data, roles, ",", traits)
    separator = {"tsv": "\t", "semicolon": ";"}.get(kind, ",")
    out = io.StringIO(newline="")
    quoting = csv.QUOTE_ALL if rng.random() < 0.2 else csv.QUOTE_MINIMAL
    end = "\r\n" if rng.random() < 0.2 else "\n"
    writer = csv.writer(out, delimiter=separator, lineterminator=end, quoting=quoting)
    writer.writerow(names)
    writer.writerows(rows)
    text = out.getvalue()
    if rng.random() < 0.1:
        text = text.removesuffix(end)
    data = text.encode("utf-8-sig" if rng.random() < 0.1 else "utf-8")
    if kind == "gz":
        return Case("p.csv.gz", gzip.compress(data), roles, ",", traits)
    return Case("p.tsv" if kind == "tsv" else "p.csv", data, roles, separator, traits)


def typed(values: list[str]) -> pa.Array:
    """Return a column of integers, doubles or texts, as its values allow; missing ones are null."""
    found = [None if value in MISSING else value for value in values]
    for word in (int, float):
        try:
            return pa.array([None if value is None else word(value) for value in found])
        except ValueError:
            continue
    return pa.array(found, pa.string())


def token(name: str, value: str) -> str:
    """Write a cell as JSON: numbers as numbers, labels and names as texts."""
    # In JSON a text that says nan is a text.
    if value in MISSING or (name, value) == ("g", "nan"):
        return "null"
    if name in ("s", "t", "w"):
        try:
            found = float(value)
        except ValueError:
            return json.dumps(value)
        plain = value.lstrip("-")
        if math.isfinite(found) and plain[0].isdigit():
            return value
        return json.dumps(value) if not math.isfinite(found) else repr(found)
    return json.dumps(value)


# ---------------------------------------------------------------------- the comparison


def command(case: Case, path: Path) -> dict | str:
    roles = case.roles
    words = ["summary", str(path), "--json", "--label", "y", "--pos-label", roles["positive"]]
    for model in roles["scores"]:
        words += ["--scores", model]
    words += ["--weight", "w"] if roles["weight"] else ["--weight", ""]
    words += ["--group", "g"] if roles["group"] else ["--group", ""]
    code, out, err = quietly(words)
    if code:
        return f"{REFUSED}: {err.strip()}" if code == 2 else f"exit code {code}: {err}"
    rows = json.loads(out)["summary"]
    wanted = ("positives", "negatives", "auroc", "average_precision")
    return {
        (row["model"], row["group"]): tuple(float(row[name]) for name in wanted) for row in rows
    }


def difference(case: Case, folder: Path) -> str | None:
    path = folder / case.name
    path.write_bytes(case.data)
    expected = answer(records(path, case.separator), case.roles)
    found = command(case, path)
    if isinstance(expected, str) or isinstance(found, str):
        same = isinstance(expected, str) and isinstance(found, str) and found.startswith(REFUSED)
        return None if same else f"expected {str(expected)[:200]}, found {str(found)[:300]}"
    numeric = any(isinstance(group, float) for _, group in expected)
    found = {(model, _key(group, numeric)): values for (model, group), values in found.items()}
    if set(found) != set(expected):
        return f"expected {sorted(map(str, expected))}, found {sorted(map(str, found))}"
    for key, values in expected.items():
        for one, other in zip(values, found[key], strict=True):
            if not abs(one - other) <= 1e-12 * max(1.0, abs(one)):
                return f"{key}: expected {values}, found {found[key]}"
    return None


def _key(group: str, numeric: bool):
    if numeric and group != "(all rows)":
        return float(group)
    # Truth values are named as Python writes them, texts as they are.
    return group.lower() if group in ("True", "False") else group


def run(folder: Path, cases: range, seed: int) -> list[str]:
    """Compare many files; return a description of each difference, and keep the files."""
    found = []
    for number_of_case in cases:
        case = made(seed, number_of_case)
        told = difference(case, folder)
        if told:
            (folder / f"{number_of_case}-{case.name}").write_bytes(case.data)
            found.append(f"seed {seed}, file {number_of_case} ({', '.join(case.traits)}): {told}")
    return found
