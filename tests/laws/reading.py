"""Laws of reading: what is counted depends on the rows, not on their order, form or file.

A case draws a random table, writes it in several forms, changes what must not matter, and compares
what is read with what NumPy counts. Whatever writes rows must keep them, in their order. A case
follows from its seed alone.
"""

import csv
import gzip
import io
import json
import math
import os
import shutil
import sys
import tempfile
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from functools import partial
from itertools import product
from pathlib import Path
from types import SimpleNamespace
from unittest import mock

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from pyarrow.csv import ConvertOptions, ParseOptions, read_csv

import isometrics as iso
from isometrics.analysis.verdicts import verdicts_of
from isometrics.calibration import write_map
from isometrics.cli.output import records

from ..fuzz.fuzzing import quietly
from .forms import BYTES, FILES, FORMS, NULLS, TEXTS, UNTYPED, Arrays, can_say
from .predictions import ODD, drawn, expected, random_table

RESAMPLES = 20
CLOSE = 1e-12
MEGABYTE = 2**20
FEW = 1000
"""Rows up to which verdicts are asked for, which draw them again."""


# ---------------------------------------------------------------------- what must not matter


def as_it_is(table, _):
    return table


def shuffled(table, rng):
    return table.take(rng.permutation(table.rows.num_rows))


def sorted_by_label(table, rng):
    order = pc.sort_indices(table.rows[table.label].combine_chunks())
    return table.take(order if rng.random() < 0.5 else order[::-1])


def sorted_by_score(table, rng):
    column = table.rows[next(iter(table.scores.values()))].combine_chunks()
    order = pc.sort_indices(column)
    return table.take(order if rng.random() < 0.5 else order[::-1])


def doubled(table, rng):
    """Each row is there twice, with half its weight."""
    n = table.rows.num_rows
    name = table.weight or ("a half" if table.named else "weight")
    weights = np.ones(n) if table.weight is None else table.rows[name].to_numpy()
    halves = pa.chunked_array([pa.array(weights / 2)])
    if table.weight is None:
        rows = table.rows.append_column(name, halves)
    else:
        rows = table.rows.set_column(table.rows.column_names.index(name), name, halves)
    twice = np.concatenate([np.arange(n), np.arange(n)])
    return replace(table, rows=rows, weight=name).take(
        rng.permutation(twice) if rng.random() < 0.5 else twice
    )


def columns_permuted(table, rng):
    names = table.rows.column_names
    return replace(table, rows=table.rows.select(rng.permutation(names).tolist()))


def columns_renamed(table, rng):
    """All columns have other names, which the reader is told."""
    old = table.rows.column_names
    new = dict(zip(old, [f"{drawn(rng, ODD)} {place}" for place in range(len(old))], strict=True))
    scores = {
        name if table.classes else new[column]: new[column] for name, column in table.scores.items()
    }
    return replace(
        table,
        rows=table.rows.rename_columns([new[name] for name in old]),
        label=new[table.label],
        scores=scores,
        weight=new.get(table.weight),
        group=new.get(table.group),
        model=new.get(table.model),
        texts={new[name]: column for name, column in table.texts.items()},
        named=True,
    )


def column_added(table, rng):
    n = table.rows.num_rows
    texts = pa.array([f"row {row}" for row in range(n)])
    place = int(rng.integers(table.rows.num_columns + 1))
    return replace(table, rows=table.rows.add_column(place, "remark", pa.chunked_array([texts])))


CHANGES = {
    change.__name__.replace("_", " "): change
    for change in (
        as_it_is,
        shuffled,
        sorted_by_label,
        sorted_by_score,
        doubled,
        columns_permuted,
        columns_renamed,
        column_added,
    )
}
KEEPS_ORDER = ("as it is", "column added")
"""Changes after which even resamples are the same."""
REORDERED = ("shuffled", "sorted by label", "sorted by score")


# ---------------------------------------------------------------------- reading


@contextmanager
def threads(count):
    """Let DuckDB and the compiled loops believe in a number of cores."""
    connect = duckdb.connect

    def connected(*given, **options):
        config = dict(options.pop("config", {}))
        config["threads"] = min(int(config.get("threads", count)), count)
        return connect(*given, config=config, **options)

    with (
        mock.patch.object(duckdb, "connect", connected),
        mock.patch.object(os, "cpu_count", return_value=count),
    ):
        yield


@contextmanager
def standard_input(content):
    with mock.patch.object(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(content))):
        yield


def read(given, table):
    if isinstance(given, Arrays):
        return iso.analyse(given.y_true, given.scores, **given.options)
    if isinstance(given, bytes):
        with standard_input(given):
            return iso.read_predictions("-", **table.options())
    return iso.read_predictions(given, **table.options())


class BrokenLawError(AssertionError):
    """A law that does not hold."""


def must(holds, said):
    if not holds:
        raise BrokenLawError(said)


# ---------------------------------------------------------------------- the same answer


def compare_counts(analysis, table, wanted):
    counts, skipped = wanted
    found = {(name, None): points for name, points in analysis.models.items()}
    for group, models in analysis.groups.items():
        found |= {(name, group): points for name, points in models.items()}
    must(set(found) == set(counts), f"tables of {names(found)}, expected {names(counts)}")
    must(
        skipped <= set(analysis.skipped),
        f"left out {sorted(analysis.skipped)}, expected {sorted(skipped)}",
    )
    if analysis.groups:
        order = [group for group in groups_in_order(table) if group in analysis.groups]
        must(list(analysis.groups) == order, f"groups {list(analysis.groups)}, not in order")
    exact = table.weight is None or pa.types.is_integer(table.rows[table.weight].type)
    for key, points in found.items():
        compare_points(points, counts[key], exact, key)


def groups_in_order(table):
    return list(map(str, pc.unique(table.rows[table.group]).sort().to_pylist()))


def names(keys):
    return sorted(f"{name}/{group}" if group else name for name, group in keys)


def compare_points(points, counts, exact, key):
    found = points.thresholds[1:]
    must(
        found.size == counts.thresholds.size,
        f"{key}: {found.size} thresholds, expected {counts.thresholds.size}",
    )
    same = found == counts.thresholds.astype(found.dtype)
    must(same.all(), f"{key}: threshold {found[~same][:1]}, not {counts.thresholds[~same][:1]}")
    for name in ("tp", "fp"):
        found, other = getattr(points, name)[1:], getattr(counts, name)
        same = found == other if exact else np.abs(found - other) <= CLOSE * np.abs(other)
        must(same.all(), f"{key}: {name} {found[~same][:1]}, expected {other[~same][:1]}")
    areas = points.roc.area(), points.pr.area(interpolation="average-precision")
    for found, other in zip(areas, counts.areas(), strict=True):
        must(abs(found - other) <= CLOSE, f"{key}: area {found!r}, expected {other!r}")


def verdict_of(analysis, *, ordered):
    """Return the verdict over all rows; where rows have another order, what is not drawn."""
    whole = replace(analysis, groups={}, skipped={})
    found = verdicts_of(whole, {"n_resamples": RESAMPLES, "random_state": 0})
    said = {name: plain(verdict.to_dict()) for name, verdict in found.verdicts.items()}
    if not ordered:
        # Which rows are drawn again, and so the choice, depends on their order.
        certain = ("objective", "rows", "positives")
        said = {name: {key: verdict[key] for key in certain} for name, verdict in said.items()}
    return said


def summary_of(analysis, names=None):
    """Return the summary in the order of its models, which may have had other names before."""
    return in_order(plain(list(records(analysis.summary()._columns()))), names)


def in_order(rows, names=None):
    rows = [row | {"model": (names or {}).get(row["model"], row["model"])} for row in rows]
    return sorted(rows, key=lambda row: (row["model"], str(row["group"])))


def plain(said):
    return json.loads(json.dumps(said, default=float))


def difference(found, other, where=""):
    """Say where two answers differ, numbers by more than rounding; None if they do not."""
    if isinstance(found, dict) and isinstance(other, dict) and set(found) == set(other):
        told = (difference(found[key], other[key], f"{where}.{key}") for key in found)
        return next(filter(None, told), None)
    if isinstance(found, list) and isinstance(other, list) and len(found) == len(other):
        told = (
            difference(one, two, f"{where}[{place}]")
            for place, (one, two) in enumerate(zip(found, other, strict=True))
        )
        return next(filter(None, told), None)
    if isinstance(found, int | float) and isinstance(other, int | float):
        same = found == other or abs(found - other) <= 1e-9 * max(1, abs(other))
        both_missing = math.isnan(found) and math.isnan(other)
        return None if same or both_missing else f"{where} {found!r}, not {other!r}"
    return None if found == other else f"{where} {found!r:.100}, not {other!r:.100}"


# ---------------------------------------------------------------------- rows stay rows


def written_cells(path):
    """Return the columns of a file that was written: those of text as texts."""
    if path.suffix == ".parquet":
        return pq.read_table(path)
    if path.suffix == ".arrow":
        return pa.ipc.open_file(path).read_all()
    if path.suffix == ".jsonl":
        rows = [json.loads(line) for line in path.read_text("utf-8").splitlines() if line]
        return {name: [row[name] for row in rows] for name in rows[0]}
    data = path.read_bytes()
    data = gzip.decompress(data) if path.suffix == ".gz" else data
    separator = "\t" if ".tsv" in path.suffixes else ","
    names = next(csv.reader(io.StringIO(data.decode(), newline=""), delimiter=separator))
    return read_csv(
        pa.BufferReader(data),
        parse_options=ParseOptions(delimiter=separator, newlines_in_values=True),
        convert_options=ConvertOptions(
            column_types=dict.fromkeys(names, pa.string()), strings_can_be_null=False
        ),
    )


def compare_cells(written, name, table, form, suffix):
    before, after = table.rows[name], written[name]
    # Percent are texts in sheets, too.
    is_percent = pc.any(pc.match_substring(table.text(name), "%")).as_py()
    as_text = form in TEXTS or (form == "Excel" and is_percent)
    if as_text and is_text_file(suffix):
        before, after = pc.fill_null(table.text(name), ""), column_of(after, pa.string())
    else:
        kind = before.type
        before = shared(before, form, suffix)
        after = shared(column_of(after, kind), form, suffix)
    must(len(after) == len(before), f"{name!r} has {len(after)} rows, expected {len(before)}")
    same = pc.fill_null(pc.equal(before, after), False)
    same = pc.or_(same, pc.and_(pc.is_null(before), pc.is_null(after)))
    if not pc.all(same).as_py():
        row = pc.index(same, False).as_py()
        wrong = len(before) - pc.sum(same).as_py()
        raise BrokenLawError(
            f"{name!r} differs in {wrong} rows: row {row} is {after[row].as_py()!r:.60}, "
            f"but was {before[row].as_py()!r:.60}"
        )


def is_text_file(suffix):
    return suffix in (".csv", ".tsv", ".csv.gz")


def column_of(values, kind):
    """Return a column that was read back as one of a type, if its values allow."""
    if isinstance(values, list):
        if pa.types.is_date(kind) or pa.types.is_string(kind):
            values = [None if value is None else str(value) for value in values]
        values = pa.array(values)
    if is_texts(values) and not pa.types.is_string(kind):
        values = pc.if_else(pc.equal(values, ""), pa.scalar(None, values.type), values)
        if pa.types.is_boolean(kind):
            # SQLite has whole numbers in their place, and Excel capitals.
            return pc.is_in(pc.utf8_lower(values), pa.array(["true", "1"]))
        if pa.types.is_floating(kind):
            values = values.cast(pa.float64())
    if pa.types.is_timestamp(values.type):
        values = values.cast(pa.date32())
    # A float of 32 bits is any float of 64 bits that is nearest to it.
    return values.cast(kind, safe=not pa.types.is_float32(kind))


def is_texts(column):
    kind = column.type
    return pa.types.is_string(kind) or pa.types.is_large_string(kind) or kind == pa.string_view()


def shared(column, form, suffix):
    """Return what both forms can say of a column."""
    column = column if isinstance(column, pa.ChunkedArray) else pa.chunked_array([column])
    if not pa.types.is_string(column.type):
        return column
    if form in UNTYPED:
        # Whoever asks for types takes these for null.
        is_null = pc.is_in(column, pa.array(NULLS))
        column = pc.if_else(is_null, pa.scalar(None, pa.string()), column)
    if is_text_file(suffix):
        column = pc.fill_null(column, "")
    return column


def same_lines(before, after):
    """Without quotes, a copied line is what it was and the new values, to the byte."""
    if b'"' in before or b'"' in after:
        return
    old, new = before.splitlines(), after.splitlines()
    must(len(old) == len(new), f"{len(new)} lines, expected {len(old)}")
    for number, (one, two) in enumerate(zip(old, new, strict=True), 1):
        must(two.startswith(one), f"line {number} is {two[:80]!r}, but was {one[:80]!r}")


SUFFIXES = (".csv", ".tsv", ".csv.gz", ".parquet", ".arrow", ".jsonl")


def run(words, content=None):
    with nullcontext() if content is None else standard_input(content):
        code, out, err = quietly(words)
    must(code == 0, f"{words[0]} fails: {(err.splitlines() or [''])[-1][:400]}")
    return out


# ---------------------------------------------------------------------- a case


class Case:
    def __init__(self, seed, folder, *, megabytes=0, table=None):
        self.seed = seed
        self.rng = np.random.default_rng([seed, int(megabytes)])
        self.folder = folder
        self.megabytes = megabytes
        self.failures = []
        self.table, self.wanted = self._table() if table is None else (table, expected(table))
        self.said = {}

    def _table(self):
        """Draw a table whose models all have positives and negatives."""
        while True:
            table = self._long_table() if self.megabytes else self._short_table()
            wanted = expected(table)
            if all(counts is not None for counts in wanted[0].values()):
                return table, wanted

    def _short_table(self):
        """Draw a table, which may have more rows than readers look at first: 1,000, or 20,480."""
        sizes = (20, 60), (60, 1000), (1001, 3000), (20_600, 21_500)
        start, end = sizes[self.rng.choice(4, p=(0.4, 0.3, 0.22, 0.08))]
        return random_table(self.rng, int(self.rng.integers(start, end)))

    def _long_table(self):
        """Draw tables until the text of one is as long as it should be, or a little longer."""
        length, n = self.megabytes * MEGABYTE, 10_000 * self.megabytes
        while True:
            table = random_table(self.rng, n, wide_text=True)
            width = len(BYTES["CSV"][1](table.slice(0, 2000))) / 2000
            if length < width * n < 1.25 * length:
                return table
            n = int(1.1 * length / width)

    def try_law(self, law, form, words, check):
        """Try a law, and take note of what does not hold; its files are kept."""
        self.folder.mkdir(parents=True, exist_ok=True)
        place = Path(tempfile.mkdtemp(dir=self.folder))
        problem = None
        count = int(self.rng.choice((1, 2, 2, 4) if not self.megabytes else (2, 2, 4)))
        try:
            with threads(count):
                check(place)
        except BrokenLawError as error:
            problem = str(error)
        except Exception as error:
            problem = f"{type(error).__name__}: {str(error).strip()[:500]}"
        if problem is None:
            shutil.rmtree(place)
            return
        size = f", {self.megabytes} MB" if self.megabytes else ""
        self.failures.append(
            f"seed {self.seed}{size} [{law}] {form} {words}, {count} threads: {problem}\n"
            f"    {self.table.describe()}; files: {place}"
        )

    # ------------------------------------------------------------------ laws

    def same_counts(self, place, form, change, changed):
        self._compare(read(FORMS[form](changed, place), changed), changed, change)

    def standard_input(self, _, form, change, changed):
        self._compare(read(BYTES[form][1](changed), changed), changed, change)

    def _compare(self, analysis, changed, change):
        """Compare counts with those of NumPy, and what is said of them with the other forms."""
        # Models that are columns have the names of columns.
        old = dict(zip(changed.scores, self.table.scores, strict=True))
        wanted, left_out = self.wanted
        if change == "columns renamed" and changed.model is None:
            new = {name: other for other, name in old.items()}
            wanted = {(new[name], group): counts for (name, group), counts in wanted.items()}
        compare_counts(analysis, changed, (wanted, left_out))
        if self.table.rows.num_rows > 5000:
            return
        self._same("summary", summary_of(analysis, old))
        if self.table.rows.num_rows > FEW or self.seed % 2:
            return
        if change in KEEPS_ORDER:
            self._same("verdict", verdict_of(analysis, ordered=True))
        elif change in REORDERED and changed.weight is None:
            self._same("certain parts of the verdict", verdict_of(analysis, ordered=False))

    def _same(self, what, said):
        told = difference(said, self.said.setdefault(what, said))
        must(told is None, f"{what}: {told} as of another form")

    def twice(self, place, form):
        given = FORMS[form](self.table, place)
        one, two = (read(given, self.table) for _ in range(2))
        must(one.models == two.models, "the tables of a second reading are others")
        must(one.groups == two.groups, "the groups of a second reading are others")

    def command(self, place, form):
        """The command says of a file what the library does."""
        given = str(FILES[form](self.table, place))
        analysis = read(given, self.table)
        words = [*self.table.words(), "--json", "--quiet"]
        said = json.loads(run(["summary", given, *words]))
        told = difference(in_order(said["summary"]), summary_of(analysis))
        must(told is None, f"summary: {told}")
        said = json.loads(run(["verdict", given, *words, "--resamples", str(RESAMPLES)]))
        found = verdicts_of(analysis, {"n_resamples": RESAMPLES, "random_state": 0})
        wanted = {name: plain(verdict.to_dict()) for name, verdict in found.verdicts.items()}
        said = said["verdict_by_class"] if found.by_class else {"": said["verdict"]}
        told = difference(said, wanted)
        must(told is None, f"verdict: {told}")

    def converted(self, place, form, suffix):
        """Conversion keeps the rows, and what is counted in them."""
        target = place / f"converted{suffix}"
        run(["convert", str(FILES[form](self.table, place)), str(target), "--quiet"])
        written = written_cells(target)
        for name in self.table.rows.column_names:
            compare_cells(written, name, self.table, form, suffix)
        if form == "CSV" and suffix == ".csv":
            same_lines((place / "predictions.csv").read_bytes(), target.read_bytes())
        analysis = read(target, self.table)
        self._compare(analysis, self.table, "as it is")

    def applied(self, place, form, suffix, *, piped=False):
        """A rule flags each row by its own score, and leaves the rest as it is."""
        model, column = next(iter(self.table.scores.items()))
        rows = self.table.rows
        rule = iso.best_threshold(self._points(model))
        rule.save(place / "rule.json")
        target = place / f"flagged{suffix}"
        given, content = "-", None
        if piped:
            content = BYTES[form][1](self.table)
        else:
            given = str(FILES[form](self.table, place))
        words = ["apply", str(place / "rule.json"), given, "--scores", column, "--quiet"]
        run([*words, "-o", str(target)], content)
        written = written_cells(target)
        flags = pa.chunked_array([rule.predict(rows[column].to_numpy())])
        self._compare_rows(written, {"flagged": flags}, form, suffix)
        if form == "CSV" and suffix == ".csv" and not piped:
            same_lines((place / "predictions.csv").read_bytes(), target.read_bytes())

    def calibrated(self, place, form, suffix):
        """A map calibrates each row by its own score, and leaves the rest as it is."""
        calibrators = {
            model: iso.FCalibrator.from_points(self._points(model)) for model in self.table.scores
        }
        write_map(calibrators, place / "map.json")
        target = place / f"calibrated{suffix}"
        given = str(FILES[form](self.table, place))
        words = ["calibrate", given, "--apply", str(place / "map.json"), "--quiet"]
        for model, column in self.table.scores.items():
            words += ["--scores", f"{model}={column}"]
        run([*words, "-o", str(target)])
        new = {
            f"{model}_calibrated": pa.chunked_array(
                [calibrator.transform(self.table.rows[self.table.scores[model]].to_numpy())]
            )
            for model, calibrator in calibrators.items()
        }
        self._compare_rows(written_cells(target), new, form, suffix)

    def _compare_rows(self, written, new, form, suffix):
        wanted = [*self.table.rows.column_names, *new]
        found = list(written) if isinstance(written, dict) else written.column_names
        must(found == wanted, f"columns {found}, expected {wanted}")
        for name in self.table.rows.column_names:
            compare_cells(written, name, self.table, form, suffix)
        added = replace(self.table, rows=pa.table(new), texts={})
        for name in new:
            compare_cells(written, name, added, "pyarrow", suffix)

    def _points(self, model):
        """Return the points of a model over all rows, of a table without groups and weights."""
        column = self.table.rows[self.table.scores[model]].to_numpy()
        labels = self.table.rows[self.table.label].to_numpy()
        positive = self.table.classes.get(model, self.table.pos_label)
        if positive is None:
            positive = "yes" if labels.dtype.kind == "O" else 1
        return iso.OperatingPoints.from_scores(labels == positive, column)

    # ------------------------------------------------------------------ what is tried

    def plan(self):
        """Yield which laws are tried on this table: the law, the form, its words and the check.

        All forms, changes and suffixes have their turn as seeds go up.
        """
        forms = [form for form in FORMS if can_say(form, self.table)]
        files = [form for form in forms if form in FILES]
        pairs = list(product(forms, CHANGES))
        for place in range(2 if self.megabytes else 3):
            form, change = pairs[(self.seed * 59 + place * 37) % len(pairs)]
            yield from self._changed("the same counts", form, change, self.same_counts)
        law = WAYS[self.seed % len(WAYS)]
        form = files[self.seed // len(WAYS) % len(files)]
        if law == "standard input":
            piped = [form for form in BYTES if form in forms]
            form, change = drawn(self.rng, piped), drawn(self.rng, list(CHANGES))
            yield from self._changed(law, form, change, self.standard_input)
        elif law == "the command" and self.table.rows.num_rows <= FEW:
            yield law, form, "", partial(self.command, form=form)
        elif law is not None:
            yield "read twice", form, "", partial(self.twice, form=form)
        copies = list(COPIES)
        if "scores beyond floats" in self.table.kinds or self.table.model:
            # A map of such scores is refused, because readers of JSON would round them.
            copies.remove("calibrate")
        files = [form for form in files if can_say(form, self.table, copied=True)]
        copies = list(product(files, copies, SUFFIXES))
        form, law, suffix = copies[self.seed * 61 % len(copies)]
        if self.megabytes and self.seed % 2 == 0:
            form, suffix = "CSV", ".csv"
        how = COPIES[law]
        yield law, form, f"to {suffix}", partial(getattr(self, how), form=form, suffix=suffix)
        if form in BYTES and self.seed % 3 == 0:
            piped = partial(self.applied, form=form, suffix=suffix, piped=True)
            yield "apply", form, f"piped to {suffix}", piped

    def _changed(self, law, form, name, check):
        changed = CHANGES[name](self.table, self.rng)
        if can_say(form, changed):
            yield law, form, name, partial(check, form=form, change=name, changed=changed)

    def check(self):
        for law, form, words, check in self.plan():
            self.try_law(law, form, words, check)
        return self.failures


WAYS = ("standard input", "the command", "read twice", "standard input", None)
"""How a table is read besides, by turns."""
COPIES = {"convert": "converted", "apply": "applied", "calibrate": "calibrated"}
"""The commands that copy rows, and their law."""
