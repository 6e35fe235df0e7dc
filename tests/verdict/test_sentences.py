"""A verdict in words."""

from dataclasses import replace
from functools import cache
from math import inf

import numpy as np
import pytest

import isometrics as iso
from isometrics.decisions.decision import Origin
from isometrics.decisions.objective import parse_objective
from isometrics.uncertainty.intervals import UNDEFINED, Interval
from isometrics.verdict.sentences import _explained, shown
from isometrics.verdict.verdict import KeptConstraint, ModelValue, OtherWeights

NAN = float("nan")
F1 = "F1 weighs precision and recall equally."
METHOD = "How it was found."


@cache
def computed():
    random = np.random.default_rng(3)
    labels = np.arange(60) < 20
    scores = {"logit": random.normal(labels), "forest": random.normal(2.0 * labels)}
    return iso.analyse(labels, scores).verdict(n_resamples=20)


def objective(**asked):
    return parse_objective(**asked).for_rows(1000)


def values(**expected):
    """Return what to expect of models by name; the interval does not matter here."""
    return tuple(
        ModelValue(name, 0.5, value + 0.02, value, Interval(value - 0.1, value + 0.1))
        for name, value in expected.items()
    )


def verdict(**changes):
    """Return a verdict with round numbers: forest, alone in its confidence set."""
    usual = {
        "objective": objective(),
        "model": "forest",
        "threshold": 0.40625,
        "value": 0.68,
        "expected": 0.66,
        "interval": Interval(0.59, 0.72),
        "models": values(logit=0.56, forest=0.66),
        "wins": {"logit": 0.0, "forest": 1.0},
        "runner_up": "logit",
        "lead": 0.1,
        "lead_interval": UNDEFINED,
        "confidence_set": ("forest",),
        "barely_told_apart": False,
        "barely_better": False,
        "threshold_range": Interval(0.25, 0.5),
        "plateau": Interval(0.375, 0.4375),
        "doing_nothing": {
            "flagging everything": 0.5,
            "flagging nothing": NAN,
            "flagging at random": 0.4,
        },
        "better_than_nothing": True,
        "other_weights": None,
        "beta_range": UNDEFINED,
        "warnings": (),
        "method": METHOD,
        "replicates": 2000,
    }
    usual |= changes
    of_rule = {name: usual.pop(name) for name in ("threshold", "value")}
    origin = Origin(usual.pop("model"))
    decision = replace(computed().decision, **of_rule, origin=origin, _below=0.4055)
    return replace(computed(), **({"decision": decision} | usual))


ONE_MODEL = {"wins": {"score": 1.0}, "model": "score", "runner_up": None}
COST = {
    "objective": objective(miss_cost=5, false_alarm_cost=1),
    "doing_nothing": {
        "flagging everything": 0.9,
        "flagging nothing": 0.8,
        "flagging at random": 0.85,
    },
}
THREE = {
    "wins": {"logit": 0.2, "forest": 0.5, "trees": 0.3},
    "confidence_set": ("logit", "forest", "trees"),
    "models": values(logit=0.61, forest=0.66, trees=0.67),
}


KEPT = KeptConstraint("precision of 0.8 or more", 0.8, 0.82, 0.79, Interval(0.7, 0.88), 0.55)
FLAGGED = KeptConstraint(
    "at most 0.25% flagged", 0.0025, 0.0025, 0.0007, Interval(0.0, 0.00512), 0.08, is_limit=True
)


USE = "Use forest and flag scores of 0.406 or more."
ENDS = "0.66 on new data (95%: 0.59 to 0.72; 0.68 on these rows)."
EXPECT = f"Expect F1 {ENDS}"
PAIR = {"confidence_set": ("logit", "forest"), "wins": {"logit": 0.3, "forest": 0.7}}
ALONE = {"confidence_set": ("forest",), "wins": {"logit": 0.0, "forest": 0.995, "trees": 0.005}}
USELESS = {
    "better_than_nothing": False,
    "interval": Interval(0.45, 0.72),
    "models": values(logit=0.56, forest=0.56),
}
USELESS_EXPECT = EXPECT.replace("0.59 to", "0.45 to")
NO_RIVAL = {
    "kept": (KEPT,),
    "models": (*values(forest=0.66), ModelValue("logit", NAN, NAN, NAN, UNDEFINED)),
    "objective": objective(min_precision=0.8),
}


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({}, f"{USE} {EXPECT} forest beats logit in all 2,000 resamples."),
        (
            {"wins": {"logit": 0.03, "forest": 0.97}, "confidence_level": 0.9},
            f"{USE} {EXPECT.replace('95%', '90%')} forest beats logit in 1,940 of 2,000 resamples.",
        ),
        (
            THREE | ALONE | {"objective": objective(beta=2)},
            f"{USE} Expect F2 {ENDS} forest beats all other models in 1,990 of 2,000 resamples.",
        ),
        # One resample in ten thousand is lost.
        (
            {"wins": {"logit": 1e-4, "forest": 1 - 1e-4}, "barely_told_apart": True},
            f"{USE} {EXPECT} forest barely beats logit in 1,999 of 2,000 resamples.",
        ),
        (
            THREE | {"barely_told_apart": True},
            f"{USE} {EXPECT} These rows barely fail to tell forest (0.66), trees (0.67) and logit "
            "(0.61) apart; forest is used by default.",
        ),
        (
            PAIR | {"wins": {"logit": 0.04, "forest": 0.96}},
            f"{USE} {EXPECT} These rows cannot tell forest (0.66) and logit (0.56) apart, although "
            "forest wins in 1,920 of 2,000 resamples; forest is used by default.",
        ),
        (
            PAIR | {"_tuned": True},
            f"{USE} {EXPECT} These rows cannot tell forest (0.66) and logit (0.56) apart; forest "
            "was chosen on the tuning data.",
        ),
        (
            THREE,
            f"{USE} {EXPECT} These rows cannot tell forest (0.66), trees (0.67) and logit (0.61) "
            "apart; forest is used by default.",
        ),
        (
            PAIR,
            f"{USE} {EXPECT} These rows cannot tell forest (0.66) and logit (0.56) apart; forest "
            "is used by default.",
        ),
        (
            PAIR | {"interval": Interval(0.658, 0.662)},
            f"{USE} Expect F1 0.660 on new data (95%: 0.658 to 0.662; 0.680 on these rows). These "
            "rows cannot tell forest (0.660) and logit (0.560) apart; forest is used by default.",
        ),
        (
            {"interval": UNDEFINED},
            f"{USE} Expect F1 0.66 on new data (0.68 on these rows). forest beats logit in all "
            "2,000 resamples.",
        ),
        (
            PAIR | {"expected": NAN, "models": values(logit=NAN, forest=NAN)},
            f"{USE} F1 is 0.68 on these rows. These rows cannot tell forest and logit apart; "
            "forest is used by default.",
        ),
        (
            COST
            | {
                "confidence_set": ("forest", "logit", ""),
                "wins": {"forest": 0.5, "logit": 0.3, "": 0.2},
                "models": values(**{"forest": 0.66, "logit": 0.7, "": 0.6}),
            },
            f"{USE} Expect cost per row {ENDS} These rows cannot tell forest (0.66), '' (0.60) and "
            "logit (0.70) apart; forest is used by default.",
        ),
        (
            THREE | {"confidence_set": ("trees",)},
            f"{USE} {EXPECT} Beyond chance, these rows speak for trees (0.67) rather than forest "
            "(0.66), which was chosen on the tuning data.",
        ),
        (
            THREE | {"confidence_set": ("trees",), "barely_told_apart": True},
            f"{USE} {EXPECT} Barely beyond chance, these rows speak for trees (0.67) rather than "
            "forest (0.66), which was chosen on the tuning data.",
        ),
        (
            THREE
            | {"confidence_set": ("trees",), "better_than_nothing": False, "_tuned": True}
            | {"interval": Interval(0.4, 0.72)},
            "forest, at scores of 0.406 or more, would be the choice, but is not better than "
            "flagging everything, beyond chance. Expect F1 0.66 on new data (95%: 0.40 to 0.72; "
            "0.68 on these rows). Beyond chance, these rows speak for trees (0.67) rather than "
            "forest (0.66), which was chosen on the tuning data.",
        ),
        (ONE_MODEL, f"Flag scores of 0.406 or more. {EXPECT}"),
        (ONE_MODEL | {"model": "forest", "wins": {"forest": 1.0}}, f"{USE} {EXPECT}"),
        (
            ONE_MODEL | {"objective": objective(min_precision=0.8)},
            f"Flag scores of 0.406 or more. Expect recall {ENDS}",
        ),
        (ONE_MODEL | COST | {"threshold": inf}, f"Flag nothing. Expect cost per row {ENDS}"),
        (
            {"expected": NAN, "replicates": 0, "objective": objective(beta=0.5)},
            f"{USE} F (β 0.5) is 0.68 on these rows.",
        ),
        ({"expected": NAN, "value": NAN, "replicates": 0}, f"{USE} F1 has no value on these rows."),
        (COST | {"expected": NAN, "replicates": 0}, f"{USE} Cost per row is 0.68 on these rows."),
        (
            NO_RIVAL,
            f"{USE} Expect recall {ENDS} No other model has a threshold that keeps this on these "
            "rows; forest wins in all 2,000 resamples.",
        ),
        (
            NO_RIVAL | PAIR,
            f"{USE} Expect recall {ENDS} No other model has a threshold that keeps this on these "
            "rows; in resamples logit may do as well.",
        ),
        # A third model has one.
        (
            NO_RIVAL
            | {"wins": {"logit": 0.0, "forest": 1.0, "trees": 0.0}}
            | {"models": (*NO_RIVAL["models"], *values(trees=0.4))},
            f"{USE} Expect recall {ENDS} forest beats all other models in all 2,000 resamples.",
        ),
        (
            ONE_MODEL | {"better_than_nothing": False},
            f"This model is not better than flagging everything, beyond chance. {EXPECT}",
        ),
        (
            ONE_MODEL | {"better_than_nothing": False, "barely_better": True, "_of_class": True},
            "For this class the model barely fails to be better than flagging everything, beyond "
            f"chance. {EXPECT}",
        ),
        (
            USELESS,
            "No model is better than flagging everything, beyond chance; the choice would be "
            f"forest, at scores of 0.406 or more. {USELESS_EXPECT}",
        ),
        (
            USELESS | {"barely_better": True},
            "No model is better than flagging everything, beyond chance; the choice would be "
            f"forest, at scores of 0.406 or more, which barely fails. {USELESS_EXPECT}",
        ),
        (
            USELESS | {"barely_better": True, "models": values(logit=0.61, forest=0.66)},
            "forest, at scores of 0.406 or more, would be the choice, but barely fails to be "
            f"better than flagging everything, beyond chance. {USELESS_EXPECT}",
        ),
        (
            COST | {"better_than_nothing": False, "threshold": inf},
            f"No model is better than flagging nothing, beyond chance. Expect cost per row {ENDS}",
        ),
    ],
)
def test_the_answer_comes_first(changes, sentence):
    said = verdict(**changes)
    assert said.sentence() == sentence
    assert said.lines()[0] == sentence
    assert repr(said).startswith(sentence)


def test_names_of_sets_and_models():
    family = {"top": [1, 2], "all": [1, 2, 5]}
    points = iso.OperatingPoints.from_sets({1, 2, 3}, family, universe_size=9)
    found = iso.Analysis({"clusters": points}).verdict()
    assert found.sentence() == "Use clusters and take top. F1 is 0.80 on these rows."
    labels = np.arange(200) < 60
    rng = np.random.default_rng(3)
    scores = {"": rng.normal(2.0 * labels), "b\nc": rng.normal(1.0 * labels)}
    verdict = iso.analyse(labels, scores).verdict(n_resamples=50)
    assert verdict.sentence().startswith("Use '' and flag scores of ")
    assert "'' beats b c in all 50 resamples." in verdict.sentence()


MEDIAN = "The threshold is the median of those that were best in resamples; 95% of them"
SAFEST = (
    "Of the thresholds that lose at most 1% of the highest value, this one keeps what was asked "
    "for most safely; of those that were best in resamples, 95%"
)
RANGE = f"{MEDIAN} lay between 0.25 and 0.5."
REACH = "Thresholds from 0.375 to 0.4375 reach 99% of the value on these rows."
SPAN = f"{RANGE} {REACH}"
SAFE_RANGE = RANGE.replace(MEDIAN, SAFEST)
NOTHING = (
    "Doing nothing achieves: flagging everything 0.50, flagging at random 0.40. The choice is "
    "better than that beyond chance."
)
COSTS = [
    "A miss costs 5 and a false alarm 1.",
    f"{RANGE} Thresholds from 0.375 to 0.4375 cost at most 1% more on these rows.",
    "Doing nothing costs: flagging everything 0.90, flagging nothing 0.80, flagging at random "
    "0.85. The choice is better than that beyond chance.",
]
WINS = "forest wins 95% of the resamples"


def weights(model_beta_range):
    lam = np.array([0.1, 0.2, 0.5, 0.8])
    beta = np.sqrt(lam / (1 - lam))
    return {
        "other_weights": OtherWeights(lam, beta, ("logit", "forest"), np.ones((4, 2))),
        "beta_range": Interval(*beta[list(model_beta_range)].tolist()),
    }


@pytest.mark.parametrize(
    ("changes", "lines"),
    [
        ({}, [F1, SPAN, NOTHING]),
        (
            {"objective": objective(beta=2)},
            ["F2 weighs recall 2 times as much as precision.", SPAN, NOTHING],
        ),
        (
            {"objective": objective(beta=0.5)},
            ["F (β 0.5) weighs precision 2 times as much as recall.", SPAN, NOTHING],
        ),
        ({"objective": objective(beta=0)}, [SPAN, NOTHING]),
        ({"objective": objective(index="cost")}, [SPAN, NOTHING]),
        (
            COST | {"better_than_nothing": None},
            [
                *COSTS[:2],
                "Doing nothing costs: flagging everything 0.90, flagging nothing 0.80, flagging at "
                "random 0.85.",
            ],
        ),
        (
            {"kept": (KEPT,), "doing_nothing": dict.fromkeys(["flagging everything"], NAN)},
            [
                F1,
                "Asked for precision of 0.8 or more: expect 0.79 on new data (95%: 0.70 to 0.88; "
                "0.82 on these rows); the chance to miss it is 55%.",
                f"{SAFE_RANGE} {REACH}",
            ],
        ),
        (
            {"kept": (replace(KEPT, expected=NAN),), "doing_nothing": {}},
            [
                F1,
                "Asked for precision of 0.8 or more: 0.82 on these rows.",
                f"{SAFE_RANGE} {REACH}",
            ],
        ),
        (
            {"kept": (replace(KEPT, expected=NAN, here=NAN),), "doing_nothing": {}},
            [
                F1,
                "Asked for precision of 0.8 or more: no value on these rows.",
                f"{SAFE_RANGE} {REACH}",
            ],
        ),
        (
            {"kept": (replace(KEPT, expected=0.8 + 1e-9),), "doing_nothing": {}},
            [
                F1,
                "Asked for precision of 0.8 or more: expect 0.800000 on new data (95%: 0.700000 "
                "to 0.880000; 0.820000 on these rows); the chance to miss it is 55%.",
                f"{SAFE_RANGE} {REACH}",
            ],
        ),
        # Two digits would not tell what to expect from what was asked for.
        (
            {"kept": (replace(KEPT, expected=0.7962, missed=NAN),), "doing_nothing": {}},
            [
                F1,
                "Asked for precision of 0.8 or more: expect 0.796 on new data (95%: 0.700 to "
                "0.880; 0.820 on these rows).",
                f"{SAFE_RANGE} {REACH}",
            ],
        ),
        (
            {"kept": (replace(FLAGGED, expected=0.002504),), "doing_nothing": {}},
            [
                F1,
                "Asked for at most 0.25% flagged: expect 0.2504% on new data (95%: 0% to 0.512%; "
                "0.25% on these rows); the chance to exceed it is 8%.",
                f"{SAFE_RANGE} {REACH}",
            ],
        ),
        # As many rows at random are better than what is allowed besides.
        (
            {"doing_nothing": {"flagging nothing": 0.0, "flagging at random": 0.6}},
            [
                F1,
                SPAN,
                "Doing nothing achieves: flagging nothing 0.00, flagging at random 0.60. The "
                "choice is better than flagging nothing beyond chance.",
            ],
        ),
        (
            {"barely_better": True},
            [F1, SPAN, NOTHING.replace("is better", "is barely better")],
        ),
        (
            {"interval": Interval(0.5904, 0.72), "doing_nothing": {"flagging everything": 0.5896}},
            [
                F1,
                SPAN,
                "Doing nothing achieves: flagging everything 0.5896. The choice is better than "
                "that beyond chance.",
            ],
        ),
        (
            {"_tuned": True} | weights((0, 3)),
            [F1, SPAN.replace("resamples;", "resamples of the tuning data;"), NOTHING],
        ),
        ({"threshold_range": UNDEFINED, "plateau": UNDEFINED}, [F1, NOTHING]),
        (
            {
                "threshold_range": Interval(2**60, 2**60 + 512),
                "plateau": UNDEFINED,
            },
            [
                F1,
                f"{MEDIAN} lay between 1152921504606846976 and 1152921504606847488.",
                NOTHING,
            ],
        ),
        (
            {"threshold_range": Interval(0.4131528, 0.4131528), "plateau": UNDEFINED},
            [F1, f"{MEDIAN} were 0.4131528.", NOTHING],
        ),
        (
            {"threshold_range": Interval(0.5, 0.5), "plateau": Interval(0.5, 0.5)},
            [
                F1,
                f"{MEDIAN} were 0.5. The thresholds next to it do not reach 99% of the value on "
                "these rows.",
                NOTHING,
            ],
        ),
        (
            COST
            | {
                "threshold_range": Interval(inf, inf),
                "plateau": Interval(inf, inf),
            },
            [
                COSTS[0],
                "In 95% of the resamples it was best to flag nothing. The thresholds next to it "
                "cost more than 1% more on these rows.",
                COSTS[2],
            ],
        ),
        *(
            (weights(ends), [F1, SPAN, NOTHING, f"{WINS} for {betas}."])
            for ends, betas in {
                (0, 3): "every β",
                (0, 2): "β up to 1",
                (2, 3): "β from 1 on",
                (1, 2): "β from 0.5 to 1",
                (2, 2): "β around 1",
            }.items()
        ),
        *(
            (weights(ends) | COST, [*COSTS, f"{WINS} {costs}."])
            for ends, costs in {
                (0, 2): "where a miss costs at most 1 times as much as a false alarm",
                (1, 3): "where a miss costs at least 0.25 times as much as a false alarm",
                (0, 3): "whatever a miss and a false alarm cost",
            }.items()
        ),
        (
            {
                "kept": (FLAGGED, replace(FLAGGED, expected=NAN)),
                "threshold_range": Interval(3.0, inf),
                "plateau": Interval(3.0, inf),
            },
            [
                F1,
                "Asked for at most 0.25% flagged: expect 0.07% on new data (95%: 0% to 0.51%; "
                "0.25% on these rows); the chance to exceed it is 8%.",
                "Asked for at most 0.25% flagged: 0.25% on these rows.",
                f"{SAFEST} were 3 or more, or flagged nothing. Thresholds of 3 or more reach 99% "
                "of the value on these rows.",
                NOTHING,
            ],
        ),
        (
            {"kept": (replace(FLAGGED, expected=NAN),), "plateau": Interval(3.0, 3.0)},
            [
                F1,
                "Asked for at most 0.25% flagged: 0.25% on these rows.",
                f"{SAFE_RANGE} The thresholds next to it do not reach 99% of the value on these "
                "rows, or do not keep what was asked for.",
                NOTHING,
            ],
        ),
        (weights((0, 3)) | {"beta_range": UNDEFINED}, [F1, SPAN, NOTHING]),
        # Of models that are not told apart, and of useless ones, it would say too much.
        (weights((0, 3)) | PAIR, [F1, SPAN, NOTHING]),
        (
            weights((0, 3)) | USELESS,
            [F1, SPAN, NOTHING.removesuffix(" The choice is better than that beyond chance.")],
        ),
        (
            {"warnings": ("there is fog", "there is ice")},
            [F1, SPAN, NOTHING, METHOD, "Beware: there is fog", "Beware: there is ice"],
        ),
    ],
)
def test_below_the_answer_stands_what_it_stands_on(changes, lines):
    assert verdict(**changes).lines()[1:] == [*lines, *([] if METHOD in lines else [METHOD])]


@pytest.mark.parametrize(
    ("missed", "words"),
    [(0.0, "below 0.1%"), (1e-9, "below 0.1%"), (1.0, "above 99.9%"), (0.25, "25%")],
)
def test_a_chance_is_never_called_none(missed, words):
    said = verdict(kept=(replace(KEPT, missed=missed),)).lines()
    assert said[2].endswith(f"; the chance to miss it is {words}.")


@pytest.mark.parametrize(
    ("changes", "line"),
    [
        ({}, "The lead of forest over logit is between −0.050 and 0.0006 (95%)."),
        (
            {"confidence_level": 0.9},
            "The lead of forest over logit is between −0.050 and 0.0006 (90%).",
        ),
        (COST, "forest saves between −0.300 and 0.004 per row over logit (95%)."),
    ],
)
def test_the_lead_is_told_with_its_sign(changes, line):
    """A cost is told in the user's unit."""
    interval = PAIR | {"lead_interval": Interval(-0.05, 0.0006)}
    assert verdict(**changes, **interval).lines()[2] == line
    useless = verdict(**changes, **interval, better_than_nothing=False)
    assert line not in useless.lines()
    told_apart = verdict(**changes | interval | {"confidence_set": ("forest",)})
    assert line not in told_apart.lines()


@pytest.mark.parametrize(
    "changes",
    [{"lead_interval": Interval(-0.4, 1.2)}, {"models": NO_RIVAL["models"], "kept": (KEPT,)}],
)
def test_a_lead_over_a_model_without_a_rule_is_not_told(changes):
    """Where a model has none, it counts as worse than all others by 1."""
    said = verdict(**PAIR | {"lead_interval": Interval(-0.1, 0.1)} | changes).lines()
    assert not [line for line in said if "The lead of" in line]
    usual = verdict(**PAIR | {"lead_interval": Interval(-0.1, 0.1)}).lines()
    assert [line for line in usual if "The lead of" in line]


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.5, "0.50"),
        (0.0, "0.00"),
        (1.0, "1.00"),
        (0.9996, "0.9996"),
        (0.001, "0.001"),
        (1e-9, "1e-09"),
        (12.3456, "12.35"),
        (99_999.5, "99999.50"),
        (1234567.8, "1,234,568"),
        (-250_000.0, "-250,000"),
        (2.5e17, "2.5e+17"),
    ],
)
def test_numbers_do_not_claim_certainty(value, text):
    assert shown(value) == text


def test_a_narrow_interval_is_seen():
    """Of many rows, two digits would not tell the numbers apart."""
    narrow = verdict(expected=0.81234, value=0.81262, interval=Interval(0.8119, 0.81281))
    assert "Expect F1 0.8123 on new data (95%: 0.8119 to 0.8128; 0.8126 on these" in str(narrow)
    at_an_end = verdict(expected=0.572, value=0.574, interval=Interval(0.568, 0.581))
    assert "Expect F1 0.572 on new data (95%: 0.568 to 0.581; 0.574 on these" in str(at_an_end)
    one_value = verdict(expected=0.8, value=0.8, interval=Interval(0.8, 0.8))
    assert "Expect F1 0.80 on new data (95%: 0.80 to 0.80; 0.80 on these" in str(one_value)
    labels, scores = [1, 0, 1, 1, 0, 0, 1, 0] * 20, [8, 7, 6, 5, 4, 3, 2, 1] * 20
    costs = {"miss_cost": 1e9, "false_alarm_cost": 1e9}
    found = iso.analyse(labels, scores).verdict(**costs, n_resamples=20)
    narrow = replace(found, interval=Interval(found.expected, found.expected + 0.001))
    assert f"Expect cost per row {found.expected:,.0f} on new data (95%: " in narrow.sentence()


@pytest.mark.parametrize(
    ("costs", "said"),
    [
        ((123456.789, 2 / 3), "A miss costs 123,457 and a false alarm 0.666667."),
        ((1234567, 1234.5), "A miss costs 1,234,567 and a false alarm 1,234.50."),
        ((2e20, 12.25), "A miss costs 2e+20 and a false alarm 12.25."),
        ((0, 1e-9), "A miss costs 0 and a false alarm 1e-09."),
    ],
)
def test_costs_in_words(costs, said):
    objective = parse_objective(**dict(zip(("miss_cost", "false_alarm_cost"), costs, strict=True)))
    assert _explained(objective) == said
