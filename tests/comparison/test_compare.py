"""Winners against brute force by the definitions of the indices (Hanczar & Nadif, section 5.2)."""

import math
from fractions import Fraction
from itertools import compress, pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import isometrics as iso
from isometrics.errors import ParameterError
from isometrics.spaces.indices import INDICES

from .rivals import rivals, rows_of, value

EVERYTHING, NOTHING = "(everything)", "(nothing)"
PRIME = 1_000_003
"""No crossing on a small lattice has this denominator, so no tie at k/PRIME is a coincidence."""

OWN_F = iso.Index("own F", lambda p, r, lam: p * r / (lam * p + (1 - lam) * r))


def winners_at(models, index, lam):
    """All models with the highest value; a trivial set where that is as good."""
    totals = (next(iter(models.values())).positives, next(iter(models.values())).negatives)

    def best(rows):
        values = [value(index, row, totals, lam) for row in rows]
        return max(result for result in values if result is not None)

    values = {name: best(rows_of(points)) for name, points in models.items()}
    highest = max(values.values())
    for name, row in ((EVERYTHING, totals), (NOTHING, (0, 0))):
        if value(index, row, totals, lam) == highest:
            return (name,), highest
    return tuple(name for name in values if values[name] == highest), highest


def weights(winners):
    """Weights on a fine grid, and in the middle of each range, away from coincidences."""
    grid = range(1, 60)
    middles = (winners.lambda_lo + winners.lambda_hi) / 2
    return sorted(
        {Fraction(round(PRIME * at), PRIME) for at in [*middles, *(k / 60 for k in grid)]}
    )


@pytest.mark.parametrize("index", INDICES)
@given(models=rivals(models=(2, 4)))
@settings(max_examples=30)
def test_winners_are_those_of_brute_force(index, models):
    won = iso.compare(models, index).winners
    assert won.lambda_lo[0] == 0
    assert won.lambda_hi[-1] == 1
    assert (won.lambda_lo[1:] == won.lambda_hi[:-1]).all()
    assert (won.lambda_lo < won.lambda_hi).all()
    assert all(one != other for one, other in pairwise(won.names))
    for lam in weights(won):
        names, highest = winners_at(models, index, lam)
        here = np.flatnonzero((won.lambda_lo < lam - 1e-6) & (lam + 1e-6 < won.lambda_hi))
        for row in here:
            assert set(won.names[row]) >= set(names)
            assert index == "folke" or won.names[row] == names
            first = won.names[row][0]
            if first in models:
                assert models[first].tradeoff(index)(float(lam)) == pytest.approx(float(highest))


@pytest.mark.parametrize("index", ["f-measure", "kulczynski", "cost"])
@given(models=rivals(models=(2, 3), most=10**13))
@settings(max_examples=30)
def test_winners_of_large_counts_are_exact(index, models):
    won = iso.compare(models, index).winners
    for names, lo, hi in zip(won.names, won.lambda_lo, won.lambda_hi, strict=True):
        if hi - lo > 1e-9:
            assert names == winners_at(models, index, (Fraction(lo) + Fraction(hi)) / 2)[0]


@given(models=rivals(models=(2, 3)), scale=st.sampled_from([1 / 7, 0.3, 3.1]))
@settings(max_examples=30)
def test_weights_win_as_whole_counts_do(models, scale):
    scaled = {
        name: iso.OperatingPoints.from_counts(
            points.tp * scale,
            points.fp * scale,
            positives=points.positives * scale,
            negatives=points.negatives * scale,
            labels=points.labels,
        )
        for name, points in models.items()
    }
    for index in ("kulczynski", "cost"):
        known, result = (iso.compare(given, index).winners for given in (models, scaled))
        for lam in weights(known):
            if np.abs(np.append(known.lambda_lo, result.lambda_lo) - float(lam)).min() > 1e-6:
                assert result.at(float(lam)) == known.at(float(lam))


@given(models=rivals(models=(2, 2), nested=True))
@settings(max_examples=30)
def test_a_model_that_dominates_is_never_beaten(models):
    comparison = iso.compare(models, "f-measure")
    first, second = models
    if comparison.dominance.of(first, second) in ("dominates", "equal"):
        # In a tie both are named.
        assert all({first, EVERYTHING} & set(names) for names in comparison.winners.names)
    if comparison.hull_dominance.of(first, second) == "equal":
        tied = ({first, second}, {EVERYTHING})
        assert all(set(names) in tied for names in comparison.winners.names)


TOTALS = {"positives": 10, "negatives": 30}
CAREFUL = iso.OperatingPoints.from_counts([4, 6], [0, 8], **TOTALS)
BOLD = iso.OperatingPoints.from_counts([4, 9], [4, 6], **TOTALS)
COMPLETE = iso.OperatingPoints.from_counts([4, 10], [4, 12], **TOTALS)
USELESS = iso.OperatingPoints.from_counts([5], [15], **TOTALS)


def test_ranges_of_beta_are_those_of_f():
    """Jaccard has F's winners on another scale of λ (2λ = β² up to ½); rates have no β."""
    models = {"careful": CAREFUL, "bold": BOLD}
    of_f = iso.compare(models).winners
    for index in ("jaccard", "f-gain"):
        won = iso.compare(models, index=index).winners
        assert won.names == of_f.names
        np.testing.assert_allclose(won.beta_lo, of_f.beta_lo, rtol=1e-14)
        np.testing.assert_allclose(won.beta_hi, of_f.beta_hi, rtol=1e-14)
    for index in ("cost", "kulczynski", "folke", OWN_F):
        assert np.isnan(iso.compare(models, index=index).winners.beta_hi).all()


def test_a_crossing_by_hand():
    """4 of 10 without a mistake, then 9 of 10 with 6, then everything."""
    result = iso.compare({"careful": CAREFUL, "bold": BOLD})
    won = result.winners
    # 1/F = (tp + λ·fn + (1-λ)·fp)/tp: 1 + 1.5λ against (15 - 5λ)/9, and against 4 - 3λ.
    first, second = 6 / 9 / (1.5 + 5 / 9), (4 - 15 / 9) / (3 - 5 / 9)
    np.testing.assert_allclose(won.lambda_hi, [first, second, 1], rtol=1e-15)
    np.testing.assert_allclose(
        won.beta_hi[:2], np.sqrt([first / (1 - first), second / (1 - second)])
    )
    assert won.beta_lo[0] == 0
    assert won.beta_hi[-1] == math.inf
    assert won.names == (("careful",), ("bold",), (EVERYTHING,))
    assert np.isnan(won.threshold_lo[:2]).all()
    assert won.threshold_lo[2] == won.threshold_hi[2] == -math.inf
    np.testing.assert_allclose(won.value_lo, [1, 1 / (1 + 1.5 * first), 1 / (4 - 3 * second)])
    np.testing.assert_allclose(won.value_hi, [1 / (1 + 1.5 * first), 1 / (4 - 3 * second), 1])


def test_thresholds_and_labels_at_both_ends():
    labels = [1, 0, 1, 1, 0, 0, 1, 0]
    first = iso.OperatingPoints.from_scores(labels, [8, 7, 6, 5, 4, 3, 2, 1])
    second = iso.OperatingPoints.from_scores(labels, [1, 8, 7, 6, 5, 4, 3, 2])
    won = iso.compare({"one": first, "other": second}).winners
    assert won.names == (("one",),)
    assert (won.threshold_lo[0], won.threshold_hi[0]) == (8, 2)
    assert won.at(0.3) == ("one",)
    assert iso.compare({"a": CAREFUL, "b": COMPLETE}).winners.at(4 / 9) == ("a", "b")
    with pytest.raises(ParameterError, match="lam must be between 0 and 1"):
        won.at(2)
    # Biclusters of two algorithms, as in Hanczar & Nadif, Fig. 7.
    cc = iso.OperatingPoints.from_counts(
        [8, 30], [1, 80], positives=50, negatives=450, labels=["small", "large"]
    )
    isa = iso.OperatingPoints.from_counts(
        [40, 5], [60, 70], positives=50, negatives=450, labels=["wide", "none"]
    )
    result = iso.compare({"CC": cc, "ISA": isa}, "kulczynski")
    won = result.winners
    assert won.names == (("CC",), ("ISA",), (EVERYTHING,))
    assert won.label_lo == ("small", "wide", None)
    assert won.label_hi == ("small", "wide", None)
    assert result.dominance.hull
    assert np.isnan(result.areas.values[1, :4]).all()
    assert result.areas.of("tradeoff area")["CC"] == cc.tradeoff("kulczynski").area()
    assert "label_lo" in result.to_frame("pandas")


def test_other_totals_of_one_prevalence():
    double = iso.OperatingPoints.from_counts(
        CAREFUL.tp * 2, CAREFUL.fp * 2, positives=20, negatives=60
    )
    won = iso.compare({"one": CAREFUL, "two": double, "three": BOLD}).winners
    assert won.names == (("one", "two"), ("three",), (EVERYTHING,))
    prime = 2**31 - 1
    huge = iso.OperatingPoints.from_counts(
        CAREFUL.tp * prime, CAREFUL.fp * prime, positives=10 * prime, negatives=30 * prime
    )
    other = 2**31 - 99
    huge_too = iso.OperatingPoints.from_counts(
        BOLD.tp * other, BOLD.fp * other, positives=10 * other, negatives=30 * other
    )
    won = iso.compare({"one": huge, "two": CAREFUL, "three": huge_too}).winners
    assert won.names == (("one", "two"), ("three",), (EVERYTHING,))


def test_weights_summed_in_another_order_tie():
    rng = np.random.default_rng(5)
    labels, ranks, weight = rng.random(3000) < 0.2, rng.integers(0, 900, 3000), rng.random(3000)
    order = rng.permutation(3000)
    first = iso.OperatingPoints.from_scores(labels, ranks + 90 * labels, sample_weight=weight)
    second = iso.OperatingPoints.from_scores(
        labels[order], (ranks + 90 * labels)[order], sample_weight=weight[order]
    )
    for index in ("f-measure", "folke"):
        names = iso.compare({"one": first, "other": second}, index).winners.names
        assert {("one", "other")} <= set(names) <= {("one", "other"), (EVERYTHING,)}


def _kinked(p, r, lam):
    """Two kinks in λ, and flat in recall above λ."""
    return np.minimum(p, 0.2 + abs(lam - 0.37)) + np.minimum(r, lam)


def _plateaus(p, r, lam):
    """Whole ranges of λ in which only precision counts, or nothing does."""
    share = np.clip(5 * lam - 2, 0, 1)
    return share * np.minimum(r, 0.5) + (1 - share) * np.minimum(p, 0.5)


def _bump(p, r, lam):
    """Recall counts around λ = 0.6187 only, on less than two hundredths."""
    return p + 3 * r * np.maximum(0, 1 - abs(lam - 0.6187) / 0.008)


def _waves(p, r, lam):
    share = np.sin(7 * np.pi * lam) ** 2
    return share * r + (1 - share) * p


STRANGE = {
    "wide": lambda p, r, lam: p * np.minimum(1, r / np.maximum(lam / 2, 0.1)),
    "kinked": _kinked,
    "plateaus": _plateaus,
    "bump": _bump,
    "waves": _waves,
}


def best_values(points, function, lam):
    """The best value of any row, by brute force: rows × weights."""
    tp, fp = np.array([row for row in rows_of(points) if row[0] > 0]).T
    return function(tp[:, None] / (tp + fp)[:, None], tp[:, None] / points.positives, lam).max(0)


def settled(states):
    """Whether a weight's neighbours on the grid have its state: curves may touch in one point."""
    same = np.array([first == second for first, second in pairwise(states)])
    return np.concatenate([[False], same]) & np.concatenate([same, [False]])


@pytest.mark.parametrize("name", STRANGE)
@given(models=rivals(models=(2, 4)))
@settings(max_examples=8)
def test_winners_by_any_continuous_index_are_those_of_brute_force(name, models):
    function = STRANGE[name]
    lam = np.linspace(0, 1, 3001)
    values = {model: best_values(points, function, lam) for model, points in models.items()}
    highest = np.max(list(values.values()), axis=0)
    points = next(iter(models.values()))
    reached = {EVERYTHING: function(points.prevalence, 1.0, lam) >= highest - 1e-12}
    reached |= {model: result >= highest - 1e-12 for model, result in values.items()}
    expected = [
        (EVERYTHING,) if best[0] else tuple(compress(models, best[1:]))
        for best in zip(*reached.values(), strict=True)
    ]
    won = iso.compare(models, iso.Index(name, function)).winners
    assert (won.lambda_lo[1:] == won.lambda_hi[:-1]).all()
    assert all(first != second for first, second in pairwise(won.names))
    result = [won.names[row] for row in np.searchsorted(won.lambda_lo, lam, "right") - 1]
    for at in np.flatnonzero(settled(expected)):
        assert result[at] == expected[at], lam[at]


def test_ties_of_own_indices():
    """Both find no negative; recall counts only above λ = 0.8, where A's 0.4 is below λ/2."""
    totals = {"positives": 10, "negatives": 90}
    models = {
        name: iso.OperatingPoints.from_counts([tp], [0], **totals)
        for name, tp in (("A", 4), ("B", 9))
    }
    result = iso.compare(models, iso.Index("wide", STRANGE["wide"]))
    assert result.winners.names == (("A", "B"), ("B",))
    np.testing.assert_allclose(result.winners.lambda_hi, [0.8, 1], rtol=1e-11)
    assert result.sentence() == "By wide, A and B tie for λ < 0.80, B is better for λ > 0.80."
    flat = iso.Index("flat", lambda p, r, lam: 0 * (p + r + lam))
    won = iso.compare({"a": CAREFUL, "b": BOLD}, flat).winners
    assert won.names == ((EVERYTHING,),)


@pytest.mark.parametrize("width", [2e-3, 2e-4])
def test_a_short_lead_that_announces_itself_is_found(width):
    """B leads for less than a step of the grid, but comes close long before."""
    at = 0.41371

    def dip(p, r, lam):
        return p + r * np.maximum(0, 0.5 - 2.5 * abs(lam - at))

    totals = {"positives": 10_000, "negatives": 10_000}
    precise = iso.OperatingPoints.from_counts([1000], [0], **totals)
    # A recall of 0.2 more is worth 0.1 at most, and 0.5·d less at a distance of d.
    fp = round(3000 / (1 - 0.1 + 0.25 * width) - 3000)
    complete = iso.OperatingPoints.from_counts([3000], [fp], **totals)
    won = iso.compare({"A": precise, "B": complete}, iso.Index("dip", dip)).winners
    lam = np.linspace(at - width, at + width, 4001)
    ahead = lam[best_values(complete, dip, lam) > best_values(precise, dip, lam)]
    assert 0 < ahead.size < lam.size
    assert won.names == (("A",), ("B",), ("A",))
    np.testing.assert_allclose(won.lambda_lo[1:], ahead[[0, -1]], atol=width / 1000)


SENTENCES = {
    "two": (
        {"LDA": CAREFUL, "SVM": COMPLETE},
        "By f-measure, LDA is better for λ < 0.44, SVM above.",
    ),
    "trivial": (
        {"LDA": CAREFUL, "SVM": BOLD},
        "By f-measure, LDA is better for λ < 0.32, SVM for 0.32 < λ < 0.95; for λ > 0.95 calling "
        "everything positive is as good as either model.",
    ),
    "always": ({"LDA": COMPLETE, "SVM": USELESS}, "By f-measure, LDA is better for every λ."),
    "tie": (
        {"LDA": CAREFUL, "SVM": CAREFUL},
        "By f-measure, LDA and SVM tie for λ < 0.71; for λ > 0.71 calling everything positive is "
        "as good as either model.",
    ),
    "only trivial": (
        {"LDA": USELESS, "SVM": USELESS, "tree": USELESS},
        "By f-measure, for every λ calling everything positive is as good as any model.",
    ),
    "ranges of one": (
        {
            "inner": iso.OperatingPoints.from_counts([6], [2], **TOTALS),
            "outer": iso.OperatingPoints.from_counts([4, 10], [0, 12], **TOTALS),
        },
        "By f-measure, outer is better for λ < 0.29 and for λ > 0.57, inner for 0.29 < λ < 0.57.",
    ),
    "three": (
        {"LDA": CAREFUL, "SVM": COMPLETE, "a\ntree": USELESS},
        "By f-measure, LDA is best for λ < 0.44, SVM above; a tree is never best.",
    ),
    "tie of three": (
        {"LDA": CAREFUL, "SVM": COMPLETE, "copy": CAREFUL, "": USELESS},
        "By f-measure, LDA and copy tie for λ < 0.44, SVM is best for λ > 0.44; '' is never best.",
    ),
    "many": (
        {"LDA": CAREFUL, "SVM": COMPLETE, **{f"m{k}": USELESS for k in range(4)}},
        "By f-measure, LDA is best for λ < 0.44, SVM above; the other 4 models are never best.",
    ),
    "two never": (
        {"LDA": COMPLETE, "one": USELESS, "two": USELESS},
        "By f-measure, LDA is best for every λ; one and two are never best.",
    ),
}


@pytest.mark.parametrize("case", SENTENCES)
def test_sentences(case):
    models, said = SENTENCES[case]
    assert iso.compare(models).sentence() == said


def test_a_sentence_tells_close_ends_apart():
    totals = {"positives": 1000, "negatives": 100_000}
    first = iso.OperatingPoints.from_counts([500, 1000], [0, 99_000], **totals)
    second = iso.OperatingPoints.from_counts([999], [300], **totals)
    assert iso.compare({"one": first, "other": second}).sentence() == (
        "By f-measure, one is better for λ < 0.23112 and for λ > 0.99999, "
        "other for 0.23112 < λ < 0.99999."
    )
    result = iso.compare({"a": BOLD, "b": USELESS}, "cost")
    assert result.winners.names == ((NOTHING,), ("a",), (EVERYTHING,))
    assert result.winners.threshold_lo[0] == math.inf
    assert result.sentence() == (
        "By cost, a is better for 0.18 < λ < 0.89; for λ < 0.18 calling nothing positive is as "
        "good as either model; for λ > 0.89 calling everything positive is as good as either "
        "model."
    )
    halves = {
        name: iso.OperatingPoints.from_counts(
            points.tp / 2, points.fp / 2, positives=5.0, negatives=15.0
        )
        for name, points in (("a", BOLD), ("b", USELESS))
    }
    assert iso.compare(halves, "cost").winners.names == result.winners.names


def test_the_areas():
    models = {"careful": CAREFUL, "useless": USELESS}
    result = iso.compare(models, density=("beta", 2, 2))
    assert result.areas.of("AUROC")["careful"] == CAREFUL.roc.area()
    assert result.areas.of("AUPR")["careful"] == CAREFUL.pr.area()
    assert result.areas.of("average precision")["useless"] == USELESS.pr.area("average-precision")
    assert result.areas.of("AUPRG")["useless"] == USELESS.prg.area()
    expected = CAREFUL.tradeoff().area(density=("beta", 2, 2))
    assert result.areas.of("tradeoff area")["careful"] == expected
    assert repr(result.areas).startswith("Areas: 2 models by 5 measures")
    with pytest.raises(ParameterError, match="measure must be one of 'AUROC'"):
        result.areas.of("AUC")


def test_faces_escape_names_and_are_values():
    result = iso.compare({"<script>": CAREFUL, "b & c": COMPLETE})
    assert repr(result).startswith("By f-measure, <script> is better for λ < 0.44, b & c above.")
    for table in (result, result.winners, result.areas, result.dominance):
        assert "<script>" not in table._repr_html_()
    assert repr(result.winners).startswith("Winners: 2 ranges of λ")
    assert result.to_frame("pandas")["winner"].tolist() == ["<script>", "b & c"]
    assert len(result.to_frame("polars").columns) == 9


@pytest.mark.parametrize(
    ("models", "message"),
    [
        ([CAREFUL, BOLD], "must be a mapping of names to OperatingPoints but is list"),
        ({"a": CAREFUL}, "a comparison needs two models or more but got 1"),
        ({}, "a comparison needs two models or more but got 0"),
        ({"a": CAREFUL, "b": [1, 2]}, r"models\['b'\] must be OperatingPoints but is list"),
        ({"a": CAREFUL, 2: BOLD}, "the name of a model must be a text but is 2"),
        ({"a": CAREFUL, EVERYTHING: BOLD}, "a model cannot be called '\\(everything\\)'"),
        (
            {"a": CAREFUL, "b": BOLD.at_prevalence(0.5)},
            r"'a' has prevalence 0.25 but 'b' has 0.5; bring them to one with at_prevalence\(\)",
        ),
    ],
)
def test_errors(models, message):
    with pytest.raises(ParameterError, match=message):
        iso.compare(models)
