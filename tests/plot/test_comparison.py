"""The picture of a comparison shows its winners where they win."""

from itertools import pairwise

import numpy as np
import pytest
from matplotlib import pyplot as plt
from matplotlib.colors import to_hex

import isometrics as iso
from isometrics import plot
from isometrics.plot.frame import style_of
from isometrics.plot.tradeoff import _label_crossings

TOTALS = {"positives": 10, "negatives": 30}
CAREFUL = iso.OperatingPoints.from_counts([4, 6], [0, 8], **TOTALS)
BOLD = iso.OperatingPoints.from_counts([4, 9], [4, 6], **TOTALS)
COMPLETE = iso.OperatingPoints.from_counts([4, 10], [4, 12], **TOTALS)


def strip(ax):
    """The bars of the strip as (lo, hi, colour, height)."""
    bars = []
    for bar in ax.collections:
        if bar.get_zorder() != 2 or not bar.get_paths():
            continue
        corners = bar.get_paths()[0].vertices
        (lo, bottom), (hi, top) = corners.min(axis=0), corners.max(axis=0)
        bars.append((lo, hi, to_hex(bar.get_facecolor()[0]), top - bottom))
    return bars


def test_the_strip_has_the_colour_of_the_winner():
    result = iso.compare({"careful": CAREFUL, "bold": BOLD})
    ax = plot.comparison(result)
    bars = strip(ax)
    np.testing.assert_allclose([bar[0] for bar in bars], result.winners.lambda_lo)
    np.testing.assert_allclose([bar[1] for bar in bars], result.winners.lambda_hi)
    assert [bar[2] for bar in bars[:2]] == [style_of(row, 2).curve.lower() for row in (0, 1)]
    labels = [text.get_text() for text in ax.get_legend().get_texts()]
    assert labels[2] == f"careful (area {CAREFUL.tradeoff().area():.3f})"
    assert labels[-1] == "a trivial set wins"
    written = [text.get_text() for text in ax.texts]
    assert "careful" in written
    assert f"{result.winners.lambda_lo[1]:.2f}" in written


def test_tied_models_share_the_height_and_short_ranges_have_no_name():
    models = {"one": CAREFUL, "two": CAREFUL, "a name too long for its range" * 3: COMPLETE}
    _, ax = plt.subplots()
    assert plot.comparison(iso.compare(models), ax, legend=False) is ax
    bars = strip(ax)
    assert len(bars) == 3
    assert bars[0][3] == pytest.approx(bars[2][3] / 2)
    assert ax.get_legend() is None
    assert len(ax.texts) == 1


def test_crossings_beside_each_other_and_beside_the_borders_stay_legible():
    totals = {"positives": 1000, "negatives": 100_000}
    first = iso.OperatingPoints.from_counts([1, 1000], [0, 99_000], **totals)
    second = iso.OperatingPoints.from_counts([990, 999], [3, 500], **totals)
    third = iso.OperatingPoints.from_counts([991, 995], [20, 100], **totals)
    ax = plot.comparison(iso.compare({"one": first, "other": second, "$5": third}))
    labels = [text for text in ax.texts if text.get_text()[0].isdigit()]
    assert labels[0].get_text().endswith("e-06")
    assert len(labels) < len(iso.compare({"one": first, "other": second, "$5": third}).winners) - 1
    ax.figure.canvas.draw()
    own = iso.Index("own $", lambda p, r, lam: (1 - lam) * p + lam * r)
    for index in ("cost", "f-gain", own):
        drawn = plot.comparison(iso.compare({"careful": CAREFUL, "bold": BOLD}, index))
        drawn.figure.canvas.draw()


@pytest.mark.parametrize("crossings", [[0.907, 0.9904], [0.5, 0.57, 0.94, 0.99], [0.2, 0.99]])
def test_labels_of_crossings_do_not_run_into_each_other(crossings):
    _, ax = plt.subplots(figsize=(6.4, 5.4))
    ax.set(xlim=(-0.02, 1.02), ylim=(-0.2, 1))
    _label_crossings(ax, np.array(crossings), -0.08)
    ax.figure.canvas.draw()
    boxes = sorted((text.get_window_extent() for text in ax.texts), key=lambda box: box.x0)
    assert boxes
    assert all(first.x1 <= second.x0 for first, second in pairwise(boxes))
