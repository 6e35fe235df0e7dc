"""What Hanczar & Nadif print: Table 1, and where their text slips."""

import numpy as np
import pytest

from isometrics import OperatingPoints
from isometrics.spaces.indices import index_named

CLUSTERS = {"C1": (0.70, 0.70), "C2": (0.75, 0.60), "C3": (0.80, 0.50)}
NAMES = ("kulczynski", "f-measure", "folke", "jaccard")
TABLE_1 = {
    0.5: {
        "C1": (0.70, 0.70, 0.70, 0.54),
        "C2": (0.67, 0.67, 0.67, 0.50),
        "C3": (0.65, 0.61, 0.63, 0.44),
    },
    0.2: {
        "C1": (0.70, 0.70, 0.70, 0.62),
        "C2": (0.72, 0.71, 0.71, 0.62),
        "C3": (0.74, 0.71, 0.73, 0.60),
    },
}


@pytest.mark.parametrize("lam", TABLE_1)
@pytest.mark.parametrize("cluster", CLUSTERS)
@pytest.mark.parametrize("column", range(4), ids=NAMES)
def test_table_1(lam, cluster, column):
    """All 24 cells; some are rounded and some cut off after two digits, hence 0.01."""
    value = index_named(NAMES[column]).value(*CLUSTERS[cluster], lam)
    assert value == pytest.approx(TABLE_1[lam][cluster][column], abs=0.01)


@pytest.mark.parametrize("name", NAMES)
def test_at_equal_weights_all_indices_prefer_c1(name):
    """Section 3 says C3, against its own table."""
    values = {cluster: index_named(name).value(*at, 0.5) for cluster, at in CLUSTERS.items()}
    assert max(values, key=values.get) == "C1"


def test_the_printed_exponents_of_folke_do_not_give_table_1():
    """Section 2.4 prints λ/2 and 1 - λ/2: at λ = 1 that is not the recall."""
    printed = [r**0.25 * p**0.75 for p, r in CLUSTERS.values()]
    assert np.abs(np.array(printed) - [0.70, 0.67, 0.63]).max() > 0.05


def test_f_and_jaccard_have_the_same_relevant_sets():
    """Figs 5, 7 and 8 show different numbers of intervals, which cannot be."""
    rng = np.random.default_rng(20)
    tp = np.sort(rng.integers(1, 400, 20))
    fp = np.sort(rng.integers(0, 3000, 20))
    sets = OperatingPoints.from_counts(
        tp, fp, positives=400, negatives=9600, labels=[f"size {n}" for n in tp + fp]
    )
    f, jaccard = (sets.tradeoff(name).intervals for name in ("f-measure", "jaccard"))
    assert f.labels == jaccard.labels
    assert f.labels[-1] == "(everything)"
