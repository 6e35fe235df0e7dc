"""What a given threshold does beside the best one: counts, corrected values, paired differences."""

import math
from statistics import NormalDist

import numpy as np
import pytest

import isometrics as iso
from isometrics._core.parameters import parse_random_state
from isometrics._counting.confusion import Confusion
from isometrics._counting.replicates import Draws, streams
from isometrics.decisions.objective import parse_objective
from isometrics.errors import NotAnswerableError, ParameterError, UndefinedWarning

SIZE = 240
RANDOM = np.random.default_rng(3)
LABELS = np.arange(SIZE) < 80
SCORES = {
    "a": np.round(RANDOM.normal(1.4 * LABELS), 2),
    "b": np.round(RANDOM.normal(0.7 * LABELS), 1),
}
GROUPS = np.tile(["n", "s", "w"], SIZE // 3)
ANALYSIS = iso.analyse(LABELS, SCORES, groups=GROUPS)
FEW = {"n_resamples": 60, "random_state": 7, "n_jobs": 1}


@pytest.mark.parametrize(
    "asked",
    [
        {},
        {"beta": 2},
        {"cost": 0.3},
        {"miss_cost": 5, "false_alarm_cost": 1},
        {"objective": "accuracy"},
        {"objective": "youden"},
        {"index": "jaccard", "lam": 0.3},
        {"beta": 1, "min_precision": 0.6},
        {"budget": 40},
    ],
)
def test_counts_and_values_are_those_of_the_tables(asked):
    check = ANALYSIS.at([0.5, 1.1], **asked, **FEW)
    assert len(check) == 3 * 2 * 4
    assert check.rules == ("given", "given", "best") * 8
    for row in range(len(check)):
        group, name = check.groups[row], check.names[row]
        points = (ANALYSIS.groups | {"(all rows)": ANALYSIS.models})[group][name]
        if check.rules[row] == "best":
            best = iso.best_threshold(points, **asked)
            assert (check.threshold[row], check.value[row]) == (best.threshold, best.value)
            assert (check.tp[row], check.fp[row]) == (best.tp, best.fp)
            assert check.shortfall[row] == check.shortfall_lower[row] == 0
            continue
        at = points.at([check.threshold[row]])
        counts = [at.tp[0], at.fp[0], at.fn[0], at.tn[0]]
        names = ("tp", "fp", "fn", "tn")
        assert [getattr(check, each)[row] for each in names] == counts
        assert check.expected[row] == check.value[row]
        assert check.lower[row] <= check.value[row] <= check.upper[row]
    assert not np.isnan(check.shortfall).any()


def cross_fitted(labels, scores, asked):
    """The value of best rules on the rows left out, one of five parts, by the public tables."""
    random = np.random.default_rng(parse_random_state(FEW["random_state"]).spawn(2)[1])
    order = random.permutation(labels.size)
    fold = np.empty(labels.size, int)
    fold[np.concatenate([order[labels[order]], order[~labels[order]]])] = np.arange(SIZE) % 5
    tp = fp = 0
    for part in range(5):
        here = fold != part
        points = iso.OperatingPoints.from_scores(labels[here], scores[here])
        best = iso.best_threshold(points, **asked).threshold
        lower = points.thresholds[points.thresholds < best]
        # Between two scores the threshold is in the middle.
        flagged = scores >= ((best + lower[0]) / 2 if lower.size else best)
        tp += (flagged & labels & ~here).sum()
        fp += (flagged & ~labels & ~here).sum()
    counts = Confusion(float(tp), float(fp), float(labels.sum()), float((~labels).sum()))
    return float(parse_objective(**asked).value(counts))


@pytest.mark.parametrize(
    "asked",
    [
        *({}, {"beta": 2}, {"min_recall": 0.6}, {"index": "folke"}),
        {"miss_cost": 50, "false_alarm_cost": 2},
    ],
)
def test_the_best_threshold_is_corrected_by_what_such_ones_lose_on_rows_left_out(asked):
    check = iso.analyse(LABELS, SCORES["a"]).at(0.5, **asked, **FEW)
    loss = check.value[1] - cross_fitted(LABELS, SCORES["a"], asked)
    assert check.expected[1] == pytest.approx(check.value[1] - 0.9 * loss, rel=1e-12)
    assert check.lower[1] < check.expected[1] < check.upper[1]


def wilson(expected, values, correction=0.0):
    """The interval for so many rows that the variance is that of the values, and a correction's."""
    typical = (expected + values.mean()) / 2
    rows = typical * (1 - typical) / (values.var(ddof=1) + 0.4 * correction**2)
    z = NormalDist().inv_cdf(0.975)
    centre = expected + z**2 / (2 * rows)
    spread = z * math.sqrt(expected * (1 - expected) / rows + z**2 / (4 * rows**2))
    return (centre + spread * np.array([-1, 1])) / (1 + z**2 / rows)


@pytest.mark.parametrize("weights", [None, RANDOM.integers(1, 4, SIZE).astype(float)])
@pytest.mark.parametrize("prevalence", [None, 0.1])
def test_intervals_are_those_of_replicates_and_differences_are_paired(weights, prevalence):
    """A direct loop over the same replicates with the public tables."""
    analysis = iso.analyse(LABELS, SCORES["a"], sample_weight=weights)
    analysis = analysis if prevalence is None else analysis.at_prevalence(prevalence)
    check = analysis.at(0.5, beta=2, **FEW)
    draws = Draws(np.ones(SIZE, np.int64), [slice(0, SIZE)])
    values = []
    for replicates, stream in streams(parse_random_state(7).spawn(2)[0], 60):
        drawn = np.empty((len(replicates), SIZE))
        draws.draw(stream, drawn)
        for times in drawn:
            weight = times if weights is None else times * weights
            table = iso.OperatingPoints.from_scores(LABELS, SCORES["a"], sample_weight=weight)
            table = table if prevalence is None else table.at_prevalence(prevalence)
            values.append(table.at([0.5, check.threshold[1]]).f(2))
    given, best = np.array(values).T
    correction = check.value[1] - check.expected[1]
    intervals = wilson(check.value[0], given), wilson(check.expected[1], best, correction)
    found = np.array([check.lower, check.upper]).T
    np.testing.assert_allclose(found, intervals, rtol=1e-9)
    # A difference has no limits.
    error = math.sqrt((best - given).var(ddof=1) + 0.4 * correction**2)
    assert check.shortfall[0] == pytest.approx(check.expected[1] - check.value[0])
    ends = check.shortfall[0] + NormalDist().inv_cdf(0.975) * error * np.array([-1, 1])
    found = [check.shortfall_lower[0], check.shortfall_upper[0]]
    np.testing.assert_allclose(found, ends, rtol=1e-9)


def test_a_sentence_says_what_the_threshold_does():
    alone = iso.analyse(LABELS, SCORES["a"])
    check = alone.at(0.5, **FEW)
    best = iso.best_threshold(alone.models["score"])
    assert check.sentence().startswith(f"At 0.5, score has F1 {check.value[0]:.3f} (95%: 0.")
    assert (
        f". Of the best threshold on these rows, {best.threshold:g}, expect 0." in check.sentence()
    )
    assert check.sentence().endswith(").")
    assert repr(check).splitlines()[0] == (
        "ThresholdCheck: given thresholds beside the best one on these rows for F (β 1)"
    )
    assert "group" not in repr(check).splitlines()[1]
    constrained = alone.at(-5, beta=1, min_precision=0.7, **FEW)
    assert ", without precision of 0.7 or more. Of the best" in constrained.sentence()
    lazy = alone.at(0.5, cost=1, **FEW)
    assert (
        "Of flagging nothing, which is best on these rows, expect 0.000 on new data"
        in lazy.sentence()
    )
    nothing = alone.at(99, beta=0, **FEW)
    assert "has precision undefined" in nothing.sentence()
    check = iso.analyse(LABELS, SCORES["b"]).at(iso.best_threshold(ANALYSIS.models["b"]).threshold)
    assert check.shortfall[0] < 0
    worse, lower, upper = (
        f"{-end:.3f}".replace("-", "−")
        for end in (check.shortfall[0], check.shortfall_upper[0], check.shortfall_lower[0])
    )
    assert f", {worse} worse ({lower} to {upper})" in check.sentence()
    check = alone.at(best.threshold, thresholds_from=alone, **FEW)
    assert check.shortfall[0] == 0
    assert ", no better (0.000 to 0.000)" in check.sentence()


def test_odd_checks():
    check = ANALYSIS.at(0.5, confidence_level=None)
    assert np.isnan(check.expected).all()
    assert "lower" not in repr(check).splitlines()[1]
    assert "; the best threshold on these rows, " in check.sentence()
    assert check.note == ""
    with pytest.warns(UndefinedWarning, match="no threshold reaches precision"):
        check = iso.analyse([0, 1, 1, 0], [4, 3, 2, 1]).at(2.5, min_precision=0.9, **FEW)
    assert math.isnan(check.threshold[1])
    assert check.tp[0] == 1
    assert check.sentence().endswith("; no threshold keeps the constraints.")
    analysis = iso.analyse([1, 0, 1, 0], [2**53 + 1, 2**53, 5, 1])
    check = analysis.at(2**53 + 1, **FEW)
    assert [int(each) for each in check.threshold] == [2**53 + 1, 5]
    assert check.tp.tolist() == [1, 2]
    assert check.sentence().startswith("At 9007199254740993, score has F1 0.667")


def test_tables_tell_their_rows_where_they_can():
    points = iso.OperatingPoints.from_scores(LABELS, SCORES["a"])
    known = iso.Analysis({"score": points}).at(0.5, **FEW)
    assert known.tp.tolist() == ANALYSIS.at(0.5, by_group=False, **FEW).tp[:2].tolist()
    assert not np.isnan(known.lower).any()
    moved = iso.Analysis({"a": points}).at_prevalence(0.1).at(0.5, **FEW)
    assert not np.isnan(moved.lower).any()
    weighted = iso.OperatingPoints.from_scores(LABELS, SCORES["a"], sample_weight=[0.5] * SIZE)
    unknown = iso.Analysis({"a": weighted}).at(0.5, **FEW)
    assert np.isnan(unknown.lower).all()
    assert unknown.note.startswith("There are no intervals: it was made of tables")
    assert unknown.note in " ".join(repr(unknown).split())


def test_clusters_are_drawn_whole():
    check = ANALYSIS.at(0.5, clusters=True, **FEW)
    whole = np.array(check.groups) == "(all rows)"
    assert not np.isnan(check.lower[whole]).any()
    assert np.isnan(check.lower[~whole]).all()
    assert check.note == "Groups have no intervals of their own where whole groups are drawn."
    with pytest.raises(NotAnswerableError, match="needs groups"):
        iso.analyse(LABELS, SCORES).at(0.5, clusters=True)


def test_progress_runs_through_all_models_and_groups():
    seen = []
    ANALYSIS.at(0.5, progress=lambda done, total: seen.append((done, total)), **FEW)
    assert seen[-1] == (8 * 60, 8 * 60)
    assert [done for done, _ in seen] == sorted(done for done, _ in seen)


@pytest.mark.parametrize("wrong", [math.nan, [], "high", None])
def test_what_is_no_threshold_is_refused(wrong):
    with pytest.raises(iso.IsometricsError, match="threshold"):
        ANALYSIS.at(wrong)


TUNING_LABELS = np.arange(300) < 90
TUNING = iso.analyse(
    TUNING_LABELS, {name: np.round(RANDOM.normal(1.1 * TUNING_LABELS), 2) for name in SCORES}
)


@pytest.mark.parametrize(
    "asked", [{}, {"beta": 2}, {"miss_cost": 5, "false_alarm_cost": 1}, {"min_recall": 0.7}]
)
def test_thresholds_of_tuning_data_are_judged_as_a_verdict_judges_them(asked):
    test = iso.analyse(LABELS, {"a": SCORES["a"]})
    tuning = TUNING._only("a")
    check = test.at([0.5], **asked, **FEW, thresholds_from=tuning)
    assert check.tuned
    assert check.rules == ("given", "best")
    best = iso.best_threshold(tuning.models["a"], **asked)
    assert check.threshold[1] == best.threshold
    at = test.models["a"].at(best.threshold)
    assert (check.tp[1], check.fp[1]) == (at.tp[0], at.fp[0])
    assert check.expected[1] == check.value[1]
    # The threshold of a verdict is another one, and is judged in the same way.
    verdict = test.verdict(**asked, **FEW, thresholds_from=tuning)
    other = test.at(verdict.threshold, **asked, **FEW)
    assert other.expected[0] == pytest.approx(verdict.expected, rel=1e-12)
    assert (other.lower[0], other.upper[0]) == pytest.approx(verdict.interval, rel=1e-9)
    alone = test.at([0.5], **asked, **FEW)
    assert (check.lower[0], check.upper[0]) == (alone.lower[0], alone.upper[0])
    lower = [
        rows.thresholds[rows.thresholds < best.threshold].max()
        for rows in (test.models["a"], tuning.models["a"])
    ]
    assert max(lower) < float(check._text(1)) <= best.threshold
    sign = -1 if "miss_cost" in asked else 1
    assert check.shortfall[0] == pytest.approx(sign * (check.value[1] - check.value[0]))
    assert "the best threshold of the tuning data, " in check.sentence()


def test_two_rules_given_in_advance_differ_as_a_plain_bootstrap_says():
    """Both rules are fixed, so the interval of the difference is that of any two measures."""
    test = iso.analyse(LABELS, {"a": SCORES["a"]})
    check = test.at([0.5], **FEW, thresholds_from=TUNING._only("a"))
    swapped = test.at([float(check.threshold[1]), 0.5], **FEW)
    assert check.value[1] == swapped.value[0]
    assert (check.lower[1], check.upper[1]) == (swapped.lower[0], swapped.upper[0])


def test_odd_tuning_data():
    with pytest.raises(ParameterError, match=r"^the tuning data has no model 'b', only 'a'$"):
        ANALYSIS.at(0.5, thresholds_from=TUNING._only("a"))
    with pytest.warns(UndefinedWarning):
        check = ANALYSIS.at(0.5, min_precision=1, min_recall=1, thresholds_from=TUNING)
    assert np.isnan(check.threshold[1])
    assert check.sentence().endswith("; no threshold keeps the constraints.")
    check = ANALYSIS.at(0.5, budget=24, **FEW, thresholds_from=TUNING)
    assert (set(check.groups), check.names) == ({"(all rows)"}, ("a", "a", "b", "b"))
    best = iso.best_threshold(TUNING.models["a"], budget=30)
    assert check.threshold[1] == best.threshold
    useless = {name: -each for name, each in TUNING.rows.scores.items()}
    tuning = iso.analyse(TUNING_LABELS, useless)
    check = ANALYSIS.at(0.5, cost=0.9, confidence_level=None, thresholds_from=tuning)
    assert check.threshold[1] == math.inf
    assert "flagging nothing, which is best on the tuning data, has 0.033" in check.sentence()
