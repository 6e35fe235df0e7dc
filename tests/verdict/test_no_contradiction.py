"""No statement of a verdict contradicts another one, wherever both are made."""

import os
import re
from dataclasses import replace
from functools import cache
from html import unescape
from itertools import count, islice
from math import inf, isfinite, isnan

import numpy as np
import pytest

import isometrics as iso
from isometrics.errors import IsometricsError
from isometrics.uncertainty.intervals import Interval

RESAMPLES = 40
OBJECTIVES = [
    {},
    {"beta": 2},
    {"beta": 0.5},
    {"beta": 0},
    {"beta": inf},
    {"cost": 0.2},
    {"miss_cost": 500, "false_alarm_cost": 20},
    {"miss_cost": 1e7, "false_alarm_cost": 2e6},
    {"objective": "accuracy"},
    {"objective": "youden"},
    {"index": "jaccard", "lam": 0.3},
    {"min_precision": 0.6},
    {"min_precision": 0.5, "sure": 0.9},
    {"min_recall": 0.7},
    {"budget": 12},
    {"beta": 2, "min_precision": 0.4, "budget": 30},
]
KINDS = ["plain", "noise", "ties", "twins", "perfect", "reversed", "one score", "few", "weights"]
HOW = ["rows", "rows", "prevalence", "tuning", "folds", "clusters", "groups", "classes", "tables"]


def rows_of(rng, kind):
    """Return labels, and scores and weights of one to six models."""
    rows = int(rng.integers(30, 150))
    labels = rng.random(rows) < rng.choice([0.1, 0.3, 0.6])
    labels[:3] = True, False, True
    if kind == "few":
        labels = np.arange(rows) < rng.integers(1, 4)
    separation = {"noise": 0.0, "reversed": -1.0, "perfect": 9.0}.get(kind, rng.choice([0.5, 2.0]))
    spread = rng.normal(size=rows)
    models = {
        name: (separation + rng.choice([0.0, 0.3, 1.5])) * labels
        + 0.7 * spread
        + 0.7 * rng.normal(size=rows)
        for name in "abcdef"[: rng.choice([1, 2, 2, 3, 6])]
    }
    if kind == "noise":
        models = {name: rng.normal(size=rows) for name in models}
    if kind == "ties":
        models = {name: np.round(each) for name, each in models.items()}
    if kind == "twins":
        models |= {f"{name}'": np.exp(each) for name, each in models.items()}
    if kind == "one score":
        models["a"] = np.ones(rows)
    return labels, models, rng.integers(1, 4, rows) * 0.5 if kind == "weights" else None


def judged(rng):
    """Return verdicts on random rows, with the labels and scores of those on all rows."""
    labels, models, weights = rows_of(rng, rng.choice(KINDS))
    how, asked = rng.choice(HOW), dict(OBJECTIVES[rng.integers(len(OBJECTIVES))])
    options = asked | {"n_resamples": RESAMPLES, "random_state": 0, "n_jobs": 1}
    rows = (labels, models) if weights is None and how in ("rows", "tuning") else None
    groups = rng.integers(4, size=labels.size)
    grouped = {"groups": groups} if how in ("folds", "clusters", "groups") else {}
    analysis = iso.analyse(labels, models, sample_weight=weights, **grouped)
    if how in ("folds", "clusters"):
        options[how] = True
    if how == "prevalence":
        analysis = analysis.at_prevalence(float(rng.uniform(0.02, 0.9)))
    if how == "tuning":
        there, scores, _ = rows_of(rng, rng.choice(KINDS))
        scores = {name: scores.get(name, scores["a"]) for name in models}
        options["thresholds_from"] = iso.analyse(there, scores)
    if how == "classes":
        names = np.array(["ant", "bee", "cat"])[(labels + (groups == 1)).astype(int)]
        scores = rng.normal(size=(labels.size, 3)) + (names[:, None] == ["ant", "bee", "cat"])
        by_class = iso.analyse(names, scores, classes=["ant", "bee", "cat"])
        return [(each, None) for each in by_class.verdict_by_class(**options).values()]
    if how == "tables":
        analysis = iso.Analysis(dict(analysis.models))
        options.pop("sure", None)
    found = analysis.verdict(**options)
    return [(found, rows), *((each, None) for each in found.groups.values())]


def verdicts(seed):
    """Yield verdicts on random rows, of which some cannot be judged."""
    for number in count():
        try:
            yield from judged(np.random.default_rng([seed, number]))
        except IsometricsError:
            continue


# ---------------------------------------------------------------------- what is said

NUMBER = r"[−-]?[\d,]+(?:\.\d+)?(?:e[+-]\d+)?"
SAID = {
    "use": r"^Use (?P<model>\S+) and ",
    "flag": rf"flag scores of (?P<threshold>{NUMBER}) or more",
    "expect": rf"Expect (?:F \(β \S+\)|.*?) (?P<value>{NUMBER}) on new data \((?:95%: "
    rf"(?P<low>{NUMBER}) to (?P<high>{NUMBER}); )?(?P<here>{NUMBER}) on these rows\)",
    "useless": r"(?P<subject>No model|This model|would be the choice, but|For this class the "
    r"model) (?P<fails>is not|is|barely fails to be) better than (?P<rule>.*?), beyond chance",
    "beats": r"(?P<model>\S+) (?P<barely>barely )?beats .* in (?P<count>all|[\d,]+ of) "
    r"(?P<all>[\d,]+) resamples",
    "cannot": r"These rows (?P<how>cannot|barely fail to) tell (?P<names>.*?) apart"
    r"(?:, although \S+ wins in (?P<count>all|[\d,]+ of) (?P<all>[\d,]+) resamples)?; ",
    "speak": r"eyond chance, these rows speak for (?P<names>.*) rather than (?P<model>\S+) ",
    "no rival": r"No other model has a threshold that keeps this on [a-z ]+; (?P<rest>.*)\.",
    "lead": rf"(?:lead of|) ?(?P<model>\S+) (?:over \S+ is|saves) between (?P<low>{NUMBER}) and "
    rf"(?P<high>{NUMBER}) ",
    "nothing": r"Doing nothing (?:achieves|costs): (?P<values>.*?)\.(?: |$)",
    "better": r"The choice is (?P<barely>barely )?better than (?P<rule>.*?) beyond chance"
    r"(?P<where>, in the same resamples)?",
    "weights": r"(?P<model>\S+) wins 95% of the resamples",
    "kept": rf"expect (?P<value>{NUMBER})%? on new data \((?:95%: (?P<low>{NUMBER})%? to "
    rf"(?P<high>{NUMBER})%?; )?.*; the chance to (?P<miss>miss|exceed) it is (?:below |above |)"
    rf"(?P<chance>{NUMBER})%",
    "median": rf"95% (?:of them )?lay between (?P<low>{NUMBER}) and (?P<high>{NUMBER})\.",
    "plateau": rf"Thresholds from (?P<low>{NUMBER}) to (?P<high>{NUMBER}) ",
}


def number(text):
    return float(text.replace(",", "").replace("−", "-"))


def statements(lines):
    """Return what lines say, by kind; each kind is said once, but for constraints."""
    found = {}
    for kind, pattern in SAID.items():
        matches = [match.groupdict() for line in lines for match in re.finditer(pattern, line)]
        assert len(matches) <= 1 or kind == "kept", (kind, lines)
        if matches:
            found[kind] = matches if kind == "kept" else matches[0]
    return found


def names_in(text):
    """Return the models of a row of names with their values."""
    return [each.partition(" (")[0] for each in re.split(r", | and ", text)]


def wins_said(said):
    """Return the share of the resamples that a count says."""
    return 1.0 if said["count"] == "all" else number(said["count"][:-3]) / number(said["all"])


# ---------------------------------------------------------------------- what must agree


def check(verdict, rows=None):
    """Compare all that a verdict says, and each statement with the others."""
    told, lines = verdict.to_dict(), verdict.lines()
    row = verdict.to_frame("pandas").iloc[0]
    html = re.findall("<p>(.*?)</p>", verdict._repr_html_(), flags=re.DOTALL)
    paragraphs = [unescape(re.sub("</?strong>", "", each)) for each in html]
    assert paragraphs[: len(lines)] == lines
    assert not re.search(r"\bnan\b", " ".join(lines))
    assert repr(verdict).splitlines()[: len(lines)] == lines
    assert told["sentence"] == row["sentence"] == verdict.sentence() == lines[0]
    for name in ("model", "expected", "value", "lead", "better_than_nothing", "runner_up"):
        known = row[name] if row[name] == row[name] and not _infinite(row[name]) else None
        assert known == told[name] or (known is None and isinstance(told[name], str | None)), name
    for name in ("barely_told_apart", "barely_better"):
        assert row[name] == told[name]
    said = statements(lines)
    check_choice(verdict, told, said, rows)
    check_models(verdict, told, said)
    check_nothing(verdict, told, said)
    check_constraints(told, said)


def _infinite(value):
    return isinstance(value, float) and not isfinite(value)


def check_choice(verdict, told, said, rows):
    """The rule, what to expect of it, and where it comes from."""
    if "use" in said:
        assert said["use"]["model"] == told["model"]
    if "flag" in said and rows is not None:
        labels, scores = rows[0], rows[1][told["model"]]
        flagged = scores >= number(said["flag"]["threshold"])
        counts = {"tp": (flagged & labels).sum(), "fp": (flagged & ~labels).sum()}
        assert counts == {name: told["counts"][name] for name in counts}
    if "expect" in said:
        value, here = (number(said["expect"][name]) for name in ("value", "here"))
        assert np.isclose(value, told["expected"], rtol=1e-2, atol=6e-3)
        assert np.isclose(here, told["value"], rtol=1e-2, atol=6e-3)
        if said["expect"]["low"] is not None:
            low, high = (number(said["expect"][name]) for name in ("low", "high"))
            assert low <= value <= high
    if {"median", "flag"} <= set(said) and not verdict.kept and not verdict._tuned:
        low, high = (number(said["median"][name]) for name in ("low", "high"))
        assert low <= verdict.threshold <= high
    if {"plateau", "flag"} <= set(said):
        low, high = (number(said["plateau"][name]) for name in ("low", "high"))
        assert low <= number(said["flag"]["threshold"]) or low <= verdict.threshold
        assert verdict.threshold <= high or number(said["flag"]["threshold"]) <= high


def check_models(verdict, told, said):  # noqa: PLR0912, PLR0915
    """Who is told apart, by how much, how often it wins, and who is said to."""
    model, among, sign = told["model"], told["confidence_set"], 1
    if not verdict.objective.higher_is_better:
        sign = -1
    rivals = [kind for kind in ("beats", "cannot", "speak", "no rival") if kind in said]
    assert len(rivals) <= 1
    assert not said.keys() & {"beats", "cannot", "no rival", "lead", "weights"} or (
        told["better_than_nothing"] is not False
    )
    expected = {each["model"]: each["expected"] for each in told["models"]}
    if model in expected:
        assert expected[model] == told["expected"]
        known = [sign * each for each in expected.values() if each is not None]
        assert verdict._tuned or not known or sign * expected[model] == max(known)
    if told["replicates"] and told["runner_up"] is not None:
        low, high = told["lead_interval"]
        if told["lead"] is None:
            # It has no rule that keeps what was asked for.
            assert told["runner_up"] not in among
        else:
            assert low <= told["lead"] <= high
            assert (low <= 0 <= high) == (told["runner_up"] in among) or model not in among
        assert model in among or verdict._tuned
        if told["better_than_nothing"] is not False and told["wins"][model] is not None:
            assert rivals
    if "beats" in said:
        assert (said["beats"]["model"], among) == (model, [model])
        assert told["lead"] is None or low > 0
        assert wins_said(said["beats"]) >= 0.95 - 1.5 / RESAMPLES
        assert bool(said["beats"]["barely"]) == told["barely_told_apart"]
    if "cannot" in said:
        names = names_in(said["cannot"]["names"])
        assert set(names) <= {*among, f"{len(among) - 9} more"}
        assert len(names) == min(len(among), 10)
        assert names[0] == model
        assert len(names) > 1
        assert (said["cannot"]["how"] == "cannot") == (not told["barely_told_apart"])
        often = said["cannot"]["count"] is not None
        assert often == ((told["wins"][model] or 0) >= 0.95)
        if "expect" in said:
            assert f"{model} ({said['expect']['value']})" in said["cannot"]["names"]
    if "speak" in said:
        assert sorted(names_in(said["speak"]["names"])) == sorted(among)
        assert model not in among
        assert high < 0 or told["runner_up"] not in among
    if "no rival" in said:
        assert all(each["value"] is None for each in told["models"] if each["model"] != model)
        assert ("may do as well" in said["no rival"]["rest"]) == (among != [model])
    if "lead" in said:
        assert "cannot" in said or "speak" in said
        low, high = (number(said["lead"][name]) for name in ("low", "high"))
        assert (low <= 0 <= high) == ("cannot" in said)
    if "weights" in said:
        assert said.keys() & {"beats", "no rival"}
        assert among == [model]
        assert not all(each is None for each in told["beta_range"])


def check_nothing(verdict, told, said):
    """Whether the choice is better than flagging everything or nothing."""
    better = told["better_than_nothing"]
    assert ("useless" in said) == (better is False)
    assert ("better" in said) == (better is True)
    assert not told["barely_better"] or better is not None
    if "nothing" not in said or "expect" not in said or said["expect"]["low"] is None:
        return
    sign = 1 if verdict.objective.higher_is_better else -1
    values = {}
    for each in re.split(r", (?=flagging)", said["nothing"]["values"]):
        name, _, value = each.rpartition(" ")
        values[name] = sign * number(value)
    trivial = max([each for name, each in values.items() if "random" not in name], default=-inf)
    end = sign * number(said["expect"]["low" if sign > 0 else "high"])
    if better:
        least = max(values.values()) if said["better"]["rule"] == "that" else trivial
        assert (end > least) == (said["better"]["where"] is None)
        assert bool(said["better"]["barely"]) == told["barely_better"]
    if better is False:
        assert end <= trivial
        assert values[said["useless"]["rule"]] == trivial
        if said["useless"]["subject"] == "No model":
            nothing = sign * told["doing_nothing"][said["useless"]["rule"]]
            ends = [each["interval"][0 if sign > 0 else 1] for each in told["models"]]
            assert all(each is None or sign * each <= nothing for each in ends)
        barely = "barely" in verdict.sentence()
        assert barely == told["barely_better"] or verdict.threshold == inf or "speak" in said


def check_constraints(told, said):
    """What to expect of a constraint, and the chance to miss it."""
    told_kept = [each for each in told["constraints"] if each["missed"] is not None]
    assert len(said.get("kept", ())) == len(told_kept)
    for words, kept in zip(said.get("kept", ()), told_kept, strict=True):
        sign = 1 if words["miss"] == "miss" else -100
        level, value = sign * kept["level"], number(words["value"]) * (1 if sign > 0 else -1)
        chance = number(words["chance"])
        if not np.isclose(level, value, rtol=1e-4):
            assert (value > level) == (chance < 50) or round(chance) == 50
        assert kept["interval"][0] <= kept["expected"] <= kept["interval"][1]


@pytest.mark.parametrize("most", [150, pytest.param(4000, marks=pytest.mark.slow)])
@pytest.mark.filterwarnings("ignore")
def test_no_statement_contradicts_another(most):
    for verdict, rows in islice(verdicts(int(os.environ["ISOMETRICS_SEED"])), most):
        check(verdict, rows)


def test_a_model_that_keeps_nothing_on_the_tuning_data_is_no_rival_on_others():
    """Without a threshold it would flag everything, and find all positives."""
    labels = np.arange(200) < 60
    rng = np.random.default_rng(1)
    tuning, test = (
        iso.analyse(labels, {"a": rng.normal(3.0 * labels), "b": rng.random(200) - 9 * labels})
        for _ in range(2)
    )
    verdict = test.verdict(thresholds_from=tuning, min_precision=0.8, n_resamples=RESAMPLES)
    check(verdict)
    assert all(map(isnan, verdict.models[1][1:4]))
    said = "No other model has a threshold that keeps this on the tuning data; a wins in all 40 "
    assert said in verdict.sentence()


# ---------------------------------------------------------------------- contradictions are found


@cache
def two_models(separation):
    labels = np.arange(200) < 80
    rng = np.random.default_rng(4)
    models = {"a": rng.normal(2.0 * labels), "b": rng.normal(separation * labels)}
    return iso.analyse(labels, models).verdict(n_resamples=RESAMPLES)


@pytest.mark.parametrize(
    ("separation", "change"),
    [
        (0.2, {"interval": Interval(0.3, 0.5)}),
        (0.2, {"better_than_nothing": False}),
        (0.2, {"lead_interval": Interval(-0.1, 0.4)}),
        (0.2, {"confidence_set": ("a", "b")}),
        (0.2, {"wins": {"a": 0.6, "b": 0.4}}),
        (0.2, {"expected": 0.1}),
        (1.5, {"lead_interval": Interval(0.1, 0.4)}),
        (1.5, {"confidence_set": ("a",)}),
        (1.5, {"confidence_set": ("b",)}),
        (1.5, {"threshold_range": Interval(7.0, 8.0)}),
    ],
)
def test_contradictions_are_found(separation, change):
    verdict = two_models(separation)
    check(verdict)
    assert verdict.model == "a"
    assert not isnan(verdict.expected)
    with pytest.raises(AssertionError):
        check(replace(verdict, **change))
