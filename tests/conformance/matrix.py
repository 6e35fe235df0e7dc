"""The factors of the conformance matrix, the cases, and what each case must come to.

What is expected is worked out row by row from the columns below, without the code that reads,
groups and splits.
"""

import datetime as dt
import math
from itertools import combinations, product

import numpy as np
import pyarrow as pa

import isometrics as iso
from isometrics.errors import MissingValueError, ParameterError

from .sources import FILES, FRAMES, LAZY, SOURCES

# ---------------------------------------------------------------------- the rows

LABEL = [1, 0, 0, 1, 1, 0, 0, 1, 0, 1, 0, 1, 0, 0, 1, 0]
SCORE = {
    "new": [0.9, 0.8, 0.5, 0.5, 0.25, 0.5, 0.125, 0.7, 0.3, 0.6, 0.2, 0.5, 0.1, 0.9, 0.4, 0.05],
    "old": [0.2, 0.8, 0.1, 0.6, 0.9, 0.3, 0.3, 0.7, 0.2, 0.1, 0.6, 0.5, 0.4, 0.4, 0.8, 0.7],
}
GROUP = [1, 0, 2, 1, 0, 3, 1, 0, 2, 1, 0, 3, 2, 1, 0, 3]
"""Which of the four values below a row has; the third one has negatives only."""


def moment(day, **parts):
    return dt.datetime(2026, 1, day, **parts)


VALUES = {
    "one": ["only"] * 4,
    "texts": ["b", "a", "ç", "B"],
    "categories": ["b", "a", "ç", "B"],
    "NaN": [10.0, 9.5, math.nan, -2.0],
    "None": ["b", "a", None, "B"],
    "times": [moment(10), moment(9, hour=5), moment(9, microsecond=500_000), moment(2)],
    "integers": [10, 9, -2, 3],
    "booleans": [True, False, False, True],
}
"""The values of groups; none of them come in their order."""
NO_CATEGORY = ["z", "A"]
"""Categories that no row has."""

WEIGHTS = {
    "integers": [1, 2, 3, 1, 2, 1, 1, 1, 4, 1, 2, 1, 1, 2, 1, 3],
    "floats": [0.1, 0.2, 1.5, 0.7, 0.3, 2.0, 0.1, 0.9, 0.4, 0.3, 0.1, 0.8, 0.6, 0.2, 0.5, 0.25],
    "zeros": [0, 1, 0, 1, 2, 0, 1, 3, 1, 1, 1, 0, 2, 1, 1, 0],
}
"""Among the zeros are all rows of the fourth group, and the first row of the third."""

LAYOUTS = {
    "one model, wide": ["new"],
    "two models, wide": ["old", "new"],
    "one model, long": ["new"],
    "two models, long": ["old", "new"],
}

FACTORS = {
    "source": list(SOURCES),
    "group": ["none", *VALUES],
    "layout": list(LAYOUTS),
    "weight": ["none", *WEIGHTS],
    "way": ["analyse", "read_predictions", "keep_rows", "command"],
}

# ---------------------------------------------------------------------- what cannot be

LONG = ("one model, long", "two models, long")
REASONS = {
    "analyse takes columns in memory": [
        (("source", source), ("way", "analyse")) for source in (*FILES, *LAZY)
    ],
    "the command reads files": [
        (("source", source), ("way", "command")) for source in (*FRAMES, *LAZY)
    ],
    "analyse takes a column for each model": [
        (("layout", layout), ("way", "analyse")) for layout in LONG
    ],
    "SQLite has no truth values": [(("source", "SQLite"), ("group", "booleans"))],
    "JSON has no NaN": [(("source", "JSON lines"), ("group", "NaN"))],
}
IMPOSSIBLE = {pair: reason for reason, pairs in REASONS.items() for pair in pairs}


def pairs_of(case):
    """Return the pairs of levels in a case, each ((factor, level), (factor, level))."""
    return set(combinations(case.items(), 2))


PAIRS = {
    pair
    for first, second in combinations(FACTORS.items(), 2)
    for pair in product(product([first[0]], first[1]), product([second[0]], second[1]))
}


def covering_cases():
    """Return cases that hold every possible pair: most defects of a product show in a pair.

    There is one for each source and kind of group; the other factors take the levels that add
    most new pairs.
    """
    left, cases = PAIRS - IMPOSSIBLE.keys(), []
    for source, group in product(FACTORS["source"], FACTORS["group"]):
        levels = product([source], [group], *list(FACTORS.values())[2:])
        drawn = [dict(zip(FACTORS, each, strict=True)) for each in levels]
        allowed = [case for case in drawn if pairs_of(case).isdisjoint(IMPOSSIBLE)]
        if allowed:
            cases.append(max(allowed, key=lambda case: len(pairs_of(case) & left)))
            left -= pairs_of(cases[-1])
    return cases


CASES = covering_cases()


def name_of(case):
    return "; ".join(f"{factor}: {level}" for factor, level in case.items())


def quick_cases():
    """Return the first case of each level of each factor: enough to see that all sources work."""
    seen, chosen = set(), []
    for case in CASES:
        if not seen.issuperset(case.items()):
            chosen.append(case)
            seen.update(case.items())
    return chosen


def each_level_once(without=()):
    """Return few cases of `read_predictions` that have each level but that of the source.

    They are for sources that take seconds to answer.
    """
    factors = {name: FACTORS[name] for name in ("group", "layout", "weight")}
    factors["group"] = [level for level in factors["group"] if level not in without]
    longest = max(map(len, factors.values()))
    return [
        {name: levels[place % len(levels)] for name, levels in factors.items()}
        | {"way": "read_predictions"}
        for place in range(longest)
    ]


# ---------------------------------------------------------------------- the table of a case


def is_long(case):
    return case["layout"] in LONG


def rows_of(case):
    """Return the rows of a case: label, scores by model, weight, group; long ones twice."""
    models = LAYOUTS[case["layout"]]
    values = VALUES.get(case["group"], [None] * 4)
    weights = WEIGHTS.get(case["weight"], [1] * len(LABEL))
    rows = []
    for place, label in enumerate(LABEL):
        beside = (weights[place], values[GROUP[place]])
        if is_long(case):
            rows += [(label, {model: SCORE[model][place]}, *beside) for model in models]
        else:
            rows.append((label, {model: SCORE[model][place] for model in models}, *beside))
    return rows


def table_of(case):
    rows = rows_of(case)
    columns = {"label": pa.array([label for label, *_ in rows])}
    if is_long(case):
        columns["model"] = pa.array([next(iter(scores)) for _, scores, *_ in rows])
        columns["score"] = pa.array([next(iter(scores.values())) for _, scores, *_ in rows])
    else:
        for model in LAYOUTS[case["layout"]]:
            columns[model] = pa.array([scores[model] for _, scores, *_ in rows])
    if case["weight"] != "none":
        columns["weight"] = pa.array([weight for *_, weight, _ in rows])
    if case["group"] != "none":
        groups = [group for *_, group in rows]
        columns["site"] = pa.array(groups, from_pandas=False)
        if case["group"] == "categories":
            categories = [*NO_CATEGORY, *VALUES["categories"]]
            codes = pa.array([categories.index(group) for group in groups], pa.int8())
            columns["site"] = pa.DictionaryArray.from_arrays(codes, categories)
    return pa.table(columns)


def roles_of(case):
    return {
        "label": "label",
        "scores": "score" if is_long(case) else LAYOUTS[case["layout"]],
        "model": "model" if is_long(case) else False,
        "weight": False if case["weight"] == "none" else "weight",
        "group": False if case["group"] == "none" else "site",
    }


# ---------------------------------------------------------------------- what must come of it


def expected(case):
    if case["way"] == "keep_rows" and is_long(case):
        return ParameterError, (
            "rows are kept to compare models on the same rows, so each model needs a column of its "
            "own"
        )
    counted = [(place, *row) for place, row in enumerate(rows_of(case)) if row[2]]
    grouped = case["group"] != "none"
    missing = [row[0] for row in counted if grouped and is_missing(row[-1])]
    if missing:
        name = "groups" if case["way"] == "analyse" else "site"
        return MissingValueError, (
            f"{name} has missing values (NaN or null): {len(missing)} in all, the first at "
            f"position {missing[0]}"
        )
    models = sorted(LAYOUTS[case["layout"]]) if is_long(case) else LAYOUTS[case["layout"]]
    weighted = case["weight"] != "none"
    groups, skipped = {}, {}
    for value in groups_of(case):
        rows = [row for row in counted if row[-1] == value]
        labels = {row[1] for row in rows}
        if len(labels) == 2:
            groups[str(value)] = {model: points(rows, model, weighted) for model in models}
        else:
            skipped[str(value)] = f"only {'positives' if 1 in labels else 'negatives'}"
    tables = {model: points(counted, model, weighted) for model in models}
    return iso.Analysis(tables, groups, skipped)


def groups_of(case):
    """Return the values of the groups that have rows, in their order."""
    if case["group"] == "none":
        return []
    return sorted({group for *_, weight, group in rows_of(case) if weight})


def is_missing(value):
    return value is None or value != value  # noqa: PLR0124


def points(rows, model, weighted):
    rows = [row for row in rows if model in row[2]]
    return iso.OperatingPoints.from_scores(
        [row[1] for row in rows],
        [row[2][model] for row in rows],
        sample_weight=[row[3] for row in rows] if weighted else None,
    )


def assert_same_points(found, wanted):
    """Counts are the same, sums of weights to the last bits, areas to 1e-12."""
    assert found.table.kind == wanted.table.kind
    assert found.thresholds.tolist() == wanted.thresholds.tolist()
    if wanted.tp.dtype.kind == "i":
        assert found.tp.dtype == wanted.tp.dtype
        assert found.table == wanted.table
    np.testing.assert_allclose(found.tp, wanted.tp, rtol=1e-12)
    np.testing.assert_allclose(found.fp, wanted.fp, rtol=1e-12)
    np.testing.assert_allclose(found.prg.area(), wanted.prg.area(), rtol=1e-12, atol=1e-12)


def assert_same_analysis(found, wanted):
    """Models, groups and skipped groups are the same, in the same order."""
    assert isinstance(found, iso.Analysis), found
    assert list(found.models) == list(wanted.models)
    assert list(found.groups) == list(wanted.groups)
    assert list(found.skipped.items()) == list(wanted.skipped.items())
    for model, table in wanted.models.items():
        assert_same_points(found.models[model], table)
    for group, models in wanted.groups.items():
        assert list(found.groups[group]) == list(models)
        for model, table in models.items():
            assert_same_points(found.groups[group][model], table)
