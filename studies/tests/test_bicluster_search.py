"""The comparison of two biclustering algorithms on a planted bicluster."""

import pytest

import isometrics as iso
from isometrics.spaces.indices import index_named
from isometrics_studies.bicluster_search import biclustering_study, sweep_cheng_church, sweep_isa
from isometrics_studies.planted import planted_bicluster

PLANTED = planted_bicluster((60, 40), (18, 12), level=0.2, noise=0.2, seed=1)
DELTAS = (0.005, 0.02, 0.05, 0.08)
THRESHOLDS = (0.5, 1.0, 1.5, 8.0)


@pytest.fixture(scope="module")
def study():
    return biclustering_study(PLANTED, deltas=DELTAS, thresholds=THRESHOLDS, seeds=8)


def test_each_parameter_gives_a_point(study):
    assert study["CC"].labels == DELTAS
    # Nothing is 8 standard deviations away from the mean.
    assert set(study["ISA"].labels) <= {(a, b) for a in THRESHOLDS[:3] for b in THRESHOLDS[:3]}
    for points in study.values():
        assert points.positives == PLANTED.target.size
        assert points.positives + points.negatives == 60 * 40


def test_points_are_the_counts_of_the_biclusters(study):
    families = {
        "CC": sweep_cheng_church(PLANTED, DELTAS),
        "ISA": sweep_isa(PLANTED, THRESHOLDS, seeds=8),
    }
    for name, points in study.items():
        biclusters = list(families[name].values())
        assert points.tp.tolist() == [one.overlap(PLANTED.target) for one in biclusters]
        assert (points.tp + points.fp).tolist() == [one.size for one in biclusters]


def test_a_larger_delta_gives_a_larger_bicluster(study):
    sizes = (study["CC"].tp + study["CC"].fp).tolist()
    assert sizes == sorted(sizes)
    assert sizes[-1] > 2000


def test_it_is_deterministic(study):
    again = biclustering_study(PLANTED, deltas=DELTAS, thresholds=THRESHOLDS, seeds=8)
    for name, points in study.items():
        assert points.table == again[name].table


@pytest.mark.parametrize("index", ["kulczynski", "f-measure", "folke", "jaccard"])
def test_the_envelope_is_the_best_bicluster_for_every_weight(study, index):
    """As in figures 5 and 7 of Hanczar & Nadif."""
    for points in study.values():
        envelope = points.tradeoff(index)
        for lam in (0.0, 0.2, 0.5, 0.8):
            best = max(
                float(index_named(index).value(precision, recall, lam))
                for precision, recall in zip(points.precision, points.recall, strict=True)
                if recall > 0
            )
            assert envelope(lam) >= best - 1e-12


def test_f_measure_and_jaccard_agree_on_the_winners(study):
    """Hanczar & Nadif report different winners, which the map between the two rules out."""
    by_f, by_jaccard = (iso.compare(study, index).winners for index in ("f-measure", "jaccard"))
    for lam in (0.05, 0.2, 0.35, 0.5):
        assert by_jaccard.at(lam) == by_f.at(2 * lam / (1 + 2 * lam))
        assert by_jaccard.at(1 - lam) == by_f.at(1 / (1 + 2 * lam))
