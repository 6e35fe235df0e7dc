"""Laws of reading on random tables; the laws are shown to catch planted readers that are wrong.

``ISOMETRICS_CASES="17 18"`` tries the tables of these seeds, from the first to before the last.
"""

import os
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest

from isometrics.analysis.analysis import Analysis
from isometrics.sources import files

from . import reading
from .forms import FORMS, LACKS
from .predictions import SCORES, Predictions, expected
from .reading import (
    CHANGES,
    COPIES,
    SUFFIXES,
    BrokenLawError,
    Case,
    compare_counts,
    read,
    sorted_by_label,
)

SEED = int(os.environ["ISOMETRICS_SEED"])
CASES, LONG = range(36), range(4)
CHOSEN = range(*map(int, os.environ.get("ISOMETRICS_CASES", "0 36").split()))
MEGABYTES = 5
"""More text than a reader holds at once for one of its threads."""


def first_quick(seeds, most):
    """Return seeds as parameters, all but the first ones slow."""
    return [pytest.param(seed, marks=[pytest.mark.slow] * (seed >= most)) for seed in seeds]


def holds(failures):
    if failures:
        pytest.fail("\n".join(failures), pytrace=False)


@pytest.mark.parametrize("seed", first_quick(CHOSEN, 12))
def test_reading(seed, tmp_path):
    holds(Case(seed, tmp_path).check())


@pytest.mark.parametrize("seed", first_quick(LONG, 1))
def test_reading_long_tables(seed, tmp_path):
    holds(Case(seed, tmp_path, megabytes=MEGABYTES).check())


@pytest.mark.slow
@pytest.mark.parametrize("part", range(10))
def test_reading_other_tables(part, tmp_path):
    seeds = range(SEED + 100 * part, SEED + 100 * part + 30)
    holds([told for seed in seeds for told in Case(seed, tmp_path).check()])


@pytest.mark.slow
@pytest.mark.parametrize("part", range(8))
def test_reading_other_long_tables(part, tmp_path):
    """One of them is larger than the largest buffers."""
    holds(Case(SEED + part, tmp_path, megabytes=MEGABYTES if part else 50).check())


# ---------------------------------------------------------------------- what the laws have found


def plain_table(n, scores=None, **more):
    """Return a table of one model, without what the random ones have; `more` are other columns."""
    rng = np.random.default_rng(n)
    labels = rng.integers(0, 2, n)
    scores = rng.random(n) if scores is None else scores(labels)
    columns = {"y": labels, "rf": scores} | more
    roles = {"weight": "weight", "group": "site"}
    used = {role: name for role, name in roles.items() if name in columns}
    rows = pa.table({name: pa.chunked_array([pa.array(each)]) for name, each in columns.items()})
    return Predictions(rows, "y", {"rf": "rf"}, **used, named=False)


def late(n, at, word, values):
    """Return texts that are numbers but for some rows."""
    return [word if at <= row < at + 9 else str(values(row)) for row in range(n)]


def late_class(n):
    """Return three classes, of which one comes behind the first thousand rows."""
    labels = np.array(["cat", "dog", "sea lion"])[np.append(np.arange(n - 90) % 2, [2] * 90)]
    classes = ("cat", "dog", "sea lion")
    scores = {name: f"p_{name}" for name in classes}
    rng = np.random.default_rng(n)
    columns = {"y": labels} | {column: rng.random(n) for column in scores.values()}
    rows = pa.table({name: pa.chunked_array([pa.array(each)]) for name, each in columns.items()})
    return Predictions(rows, "y", scores, classes=dict(zip(classes, classes, strict=True)))


def half_late(labels):
    return np.append(np.arange(labels.size - 1) % 7, 0.5)


def churned(table):
    """Give the column of labels a name that is not usual for one."""
    names = ["churned" if name == "y" else name for name in table.rows.column_names]
    return replace(table, rows=table.rows.rename_columns(names), label="churned")


ROWS = np.arange(6000)
COUNTS, COPY = "the same counts", "apply"
FOUND = {
    "files of a folder": (COPY, "CSV, folder", lambda: plain_table(6000, id=ROWS)),
    "late text in an unused column": (
        *(COUNTS, "CSV"),
        lambda: plain_table(1500, id=late(1500, 1400, "A17", str)),
    ),
    "late text in a column of groups": (
        *(COUNTS, "CSV"),
        lambda: plain_table(6000, site=late(6000, 4000, "x9", lambda row: row % 3)),
    ),
    "late fraction in SQLite": (
        *(COUNTS, "SQLite"),
        lambda: replace(
            plain_table(1500, half_late),
            named=True,
            texts={"rf": pa.chunked_array([[f"{k:g}" for k in half_late(np.empty(1500))]])},
        ),
    ),
    "codes in Excel": (COUNTS, "Excel", lambda: plain_table(40, site=["007", "7"] * 20)),
    "floats of 32 bits": (
        *("convert", "Parquet"),
        lambda: plain_table(40, lambda labels: np.linspace(0.1, 0.9, labels.size, dtype="f4")),
    ),
    "labels that are sorted": (
        *(COUNTS, "Parquet"),
        lambda: sorted_by_label(churned(plain_table(6000)), np.random.default_rng(0)),
    ),
    "a late class": (COUNTS, "pyarrow", lambda: replace(late_class(3000), named=False)),
    "a late class, named": (COUNTS, "pyarrow", lambda: late_class(3000)),
}
"""Tables that were read or copied wrongly: the law, the form and the table."""


@pytest.mark.parametrize("found", FOUND)
def test_what_the_laws_have_found(found, tmp_path):
    law, form, table = FOUND[found]
    tried = Case(1, tmp_path, table=table())
    check = tried.same_counts
    options = {"form": form, "change": "as it is", "changed": tried.table}
    if law in COPIES:
        check, options = getattr(tried, COPIES[law]), {"form": form, "suffix": ".csv"}
    tried.try_law(law, form, found, lambda place: check(place, **options))
    holds(tried.failures)


# ---------------------------------------------------------------------- the laws themselves


def test_the_cases_try_all_laws_forms_changes_and_scores():
    cases = [Case(seed, None) for seed in CASES]
    plans = [plan for case in cases for plan in case.plan()]
    laws, forms, words, _ = map(set, zip(*plans, strict=True))
    assert laws == {"the same counts", "standard input", "the command", "read twice", *COPIES}
    assert forms == set(FORMS)
    assert words >= {*CHANGES, *(f"to {suffix}" for suffix in SUFFIXES)}
    kinds = {kind for case in cases for kind in case.table.kinds}
    assert kinds >= {f"scores {kind}" for kind in SCORES}


def failures_of(seed, folder, law):
    """Try one law on the table of a seed, and return what does not hold."""
    tried = Case(seed, folder)
    law(tried)
    return tried.failures


def a_seed(fits):
    """Return the first seed whose table fits."""
    return next(seed for seed in range(1000) if fits(Case(seed, None).table))


@pytest.mark.parametrize("law", COPIES)
def test_a_reader_that_swaps_two_batches_is_caught(law, tmp_path, monkeypatch):
    seed = a_seed(
        lambda table: (
            table.rows.num_rows < 1000
            and not (table.model or table.classes)
            and set(table.kinds) & {"scores uniform", "scores few values"}
        )
    )

    def copy(tried):
        check = getattr(tried, COPIES[law])
        tried.try_law(law, "Parquet", "", lambda place: check(place, form="Parquet", suffix=".csv"))

    assert failures_of(seed, tmp_path / "before", copy) == []
    opened = files.open_source

    def swapped(*given, **options):
        source = opened(*given, **options)
        batches = source.batches

        def read_swapped(columns, *, limit=None):
            table = pa.Table.from_batches(batches(columns, limit=limit))
            half = table.num_rows // 2
            yield from table.slice(half).to_batches()
            yield from table.slice(0, half).to_batches()

        monkeypatch.setattr(source, "batches", read_swapped)
        return source

    monkeypatch.setattr(files, "open_source", swapped)
    (failure,) = failures_of(seed, tmp_path / "after", copy)
    assert f"seed {seed} [{law}]" in failure
    assert "differs in" in failure


def without(models):
    """Return a reader that loses some models."""

    def planted(given, table):
        analysis = read(given, table)
        lost = models(table)
        return Analysis({name: each for name, each in analysis.models.items() if name not in lost})

    return planted


def late_classes(table):
    """Return the classes that are not among the first rows."""
    first = table.rows[table.label].slice(0, 1000).to_pylist()
    return {name for name, label in table.classes.items() if label not in first}


def last_column(table):
    return {list(table.scores)[-1]}


PLANTED = {
    "a late class": (late_classes, lambda table: bool(late_classes(table))),
    "a score column": (last_column, lambda table: len(table.scores) > 1 and not table.classes),
}


@pytest.mark.parametrize("lost", PLANTED)
def test_a_reader_that_loses_a_model_is_caught(lost, tmp_path, monkeypatch):
    models, fits = PLANTED[lost]
    seed = a_seed(fits)
    table = Case(seed, None).table

    def count(tried):
        options = {"form": "arrays", "change": "as it is", "changed": replace(table, named=True)}
        tried.try_law(
            "the same counts", "arrays", "", lambda place: tried.same_counts(place, **options)
        )

    assert failures_of(seed, tmp_path / "before", count) == []
    monkeypatch.setattr(reading, "read", without(models))
    (failure,) = failures_of(seed, tmp_path / "after", count)
    assert "tables of" in failure


def test_wrong_counts_and_groups_are_caught():
    seed = a_seed(lambda table: table.group and not table.model and table.weight is None)
    table = Case(seed, None).table
    analysis = read(table.rows, replace(table, named=True))
    wanted = expected(table)
    compare_counts(analysis, table, wanted)
    (model, *_) = table.scores
    halved = {**analysis.models, model: analysis.models[model].at_prevalence(0.5)}
    for wrong in (replace(analysis, models=halved), replace(analysis, groups={})):
        with pytest.raises(BrokenLawError):
            compare_counts(wrong, table, wanted)


def test_a_form_is_exempt_only_from_what_it_cannot_say(tmp_path):
    """What is named in `LACKS` does come out differently: all numbers of a sheet are floats."""
    assert "beyond floats" in LACKS["Excel"]
    kind = "scores beyond floats"
    seed = a_seed(lambda table: kind in table.kinds and table.named and table.rows.num_rows < 100)
    table = Case(seed, None).table
    with pytest.raises(BrokenLawError):
        compare_counts(read(FORMS["Excel"](table, tmp_path), table), table, expected(table))
