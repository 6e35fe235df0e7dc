"""What a verdict warns of."""

import numpy as np
import pytest

import isometrics as iso

FEW = {"n_resamples": 20}


def warnings_of(labels, scores, **options):
    return iso.analyse(labels, scores, **options).verdict(**FEW).warnings


def normal(positives, negatives, separation=1.0, seed=0):
    labels = np.arange(positives + negatives) < positives
    return labels, np.random.default_rng(seed).normal(separation * labels)


def test_good_rows_noise_and_reversed_scores():
    assert warnings_of(*normal(60, 80)) == ()
    assert warnings_of(*normal(60, 80, separation=0.0, seed=3)) == ()
    (warning,) = warnings_of(*normal(60, 80, separation=-1.0))
    assert warning.startswith("AUROC is 0.")
    assert warning.endswith(
        "below 0.5 beyond chance; are the scores reversed, or is the other class the positive one?"
    )


@pytest.mark.parametrize(
    ("positives", "negatives", "words", "nothing"),
    [
        (20, 80, "are only 20 positives", None),
        (80, 49, "are only 49 negatives", None),
        (1, 80, "is only 1 positive", "with 1 positive row nothing"),
        (80, 1, "is only 1 negative", "with 1 negative row nothing"),
    ],
)
def test_few_rows_of_a_class(positives, negatives, words, nothing):
    warnings = warnings_of(*normal(positives, negatives))
    start = f"there {words}; with fewer than 50 the expected value may still be too good"
    assert warnings[0].startswith(start)
    if nothing is not None:
        assert f"{nothing} is left to judge a choice on" in warnings


@pytest.mark.parametrize(
    ("distinct", "words"),
    [
        (1, "all scores are equal, so that no threshold tells rows apart"),
        (2, "there are only two distinct scores; these look like predictions, not scores"),
        (4, "there are only 4 distinct scores to choose a threshold from"),
        (5, "there are only 5 distinct scores to choose a threshold from"),
        (6, None),
    ],
)
def test_few_distinct_scores(distinct, words):
    labels, _ = normal(60, 80)
    scores = (np.arange(140) % distinct) + 0.0
    assert warnings_of(labels, scores) == (() if words is None else (words,))


@pytest.mark.parametrize(
    ("rows", "words"),
    [(10_000, "9,900 negatives, which is no proof: up to 3 in 10,000"),
     (201, "101 negatives, which is no proof: up to 3 in 100"),
     (160, "60 negatives, which is no proof: up to 5 in 100"),
     (101, "1 negatives, which is no proof: up to 10 in 10")],
)  # fmt: skip
def test_no_false_positive_is_no_proof(rows, words):
    """With none among n, 1 - 0.05^(1/n) or about 3/n is still possible at 95%."""
    labels = np.arange(rows) < 100
    warnings = warnings_of(labels, labels + np.arange(rows) * 1e-5)
    assert f"no false positive was seen among {words} are possible" in warnings


@pytest.mark.parametrize(
    ("south", "words"),
    [
        (
            slice(60, 130),
            (
                "the prevalence differs between groups, from 0.143 to 0.857; F1 and precision "
                "depend on it",
            ),
        ),
        (slice(50, 110), ()),
    ],
)
def test_groups_of_other_prevalence(south, words):
    labels, scores = normal(70, 70)
    groups = np.full(140, "north")
    groups[south] = "south"
    assert warnings_of(labels, scores, groups=groups) == words


@pytest.mark.parametrize(
    ("flagged", "words"),
    [
        (1, "only 1 of 200 rows is flagged; the precision of so few is hardly known, and may be as "
            "low as 0.21"),
        (19, "only 19 of 200 rows are flagged; the precision of so few is hardly known, and may be "
             "as low as 0.83"),
        (20, None),
    ],
)  # fmt: skip
def test_the_precision_of_few_flagged_rows_is_hardly_known(flagged, words):
    """The bounds are those of Wilson's interval of 1 of 1 and of 19 of 19."""
    order = np.arange(200)
    labels = (order < flagged) | ((order > flagged) & (order < 140))
    found = iso.analyse(labels, -order).verdict(min_precision=1, **FEW)
    assert found.decision.tp == flagged
    said = [each for each in found.warnings if "hardly known" in each]
    assert said == ([] if words is None else [words])


def test_the_recall_of_everything_is_certain():
    labels = np.arange(200) < 80
    everything = iso.analyse(labels, np.zeros(200)).verdict(beta=np.inf, **FEW)
    assert everything.interval.lower == everything.interval.upper == 1


@pytest.mark.parametrize(("labels", "differ"), [([1, 0, 0], False), ([1, 0, 1], True)])
def test_tables_of_different_prevalences(labels, differ):
    scores = [0.9, 0.5, 0.1]
    tables = {
        "A": iso.OperatingPoints.from_scores([1, 0, 0], scores),
        "B": iso.OperatingPoints.from_scores(labels, scores),
    }
    words = (
        "the prevalence differs between models, from 0.333 to 0.667; F1 and precision depend on "
        "it, and so does who is best"
    )
    assert iso.Analysis(tables).verdict().warnings == ((words,) if differ else ())


def test_the_precision_of_few_flagged_rows_is_that_at_the_prevalence_asked_for():
    """Wilson's bound of 19 of 19 is 0.8318; at 1 positive in 1,001 its odds are less by a lot."""
    order = np.arange(200)
    labels = (order < 19) | ((order > 19) & (order < 140))
    analysis = iso.analyse(labels, -order).at_prevalence(1 / 1001)
    found = analysis.verdict(min_precision=1, **FEW)
    low = 19 / (19 + 1.96**2)
    odds = low / (1 - low) * (~labels).sum() / labels.sum() / 1000
    (said,) = [each for each in found.warnings if "hardly known" in each]
    assert said.endswith(f"may be as low as {odds / (1 + odds):.2f}")
