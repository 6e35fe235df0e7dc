"""Pictures of calibration show the map and the report they are given."""

import numpy as np
import pytest
from matplotlib import pyplot as plt

from isometrics import AccuracyCalibrator, FCalibrator, plot
from isometrics.calibration.reliability import calibration_report
from isometrics.errors import NotFittedError

LABELS, SCORES = [1, 0, 1, 1, 0, 0, 1, 0], [0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2]


@pytest.fixture(autouse=True)
def _close_figures():
    yield
    plt.close("all")


def test_the_map_is_drawn_as_it_transforms():
    """Every step runs from its lower threshold to the next, at the calibrated value."""
    calibrator = FCalibrator().fit(LABELS, SCORES)
    (line,) = plot.calibration_map(calibrator).get_lines()
    x, y = line.get_xydata().T
    assert (x.min(), x.max()) == (0.2, 0.9)
    np.testing.assert_array_equal(calibrator.transform(x[::2]), y[::2])
    np.testing.assert_array_equal(y[::2], y[1::2])
    assert line.get_label() == "FCalibrator"


def test_both_kinds_side_by_side_are_told_apart():
    maps = {
        "for $cost$": AccuracyCalibrator().fit(LABELS, SCORES),
        "for F": FCalibrator().fit(LABELS, SCORES),
    }
    _, ax = plt.subplots()
    assert plot.calibration_map(maps, ax) is ax
    first, second = ax.get_lines()
    assert first.get_label() == r"for \$cost\$"
    assert first.get_linestyle() != second.get_linestyle()
    assert first.get_color() != second.get_color()


def test_infinite_scores_are_not_drawn():
    calibrator = AccuracyCalibrator().fit([1, 1, 0, 0], [np.inf, 0.5, 0.4, -np.inf])
    (line,) = plot.calibration_map(calibrator).get_lines()
    assert np.isfinite(line.get_xydata()).all()


def test_an_unfitted_calibrator():
    with pytest.raises(NotFittedError, match="has learnt nothing yet"):
        plot.calibration_map(FCalibrator())


def test_reliability_shows_the_bins_and_their_intervals():
    report = calibration_report(LABELS, SCORES, bins=4)
    ax = plot.reliability({"_model $1$": report})
    (bars,) = ax.containers
    np.testing.assert_array_equal(bars.lines[0].get_xydata().T, (report.predicted, report.observed))
    ends = np.array([segment[:, 1] for segment in bars.lines[2][0].get_segments()]).T
    np.testing.assert_allclose(ends, (report.observed_lower, report.observed_upper))
    assert bars.get_label().startswith(r" _model \$1\$: Brier score")
    assert ax.get_xlabel() == "predicted probability"


def test_reliability_of_bins_with_one_class():
    report = calibration_report([0] * 140 + [1] * 140, np.arange(280) / 280, bins=2)
    assert report.observed.tolist() == [0, 1]
    ax = plot.reliability(report)
    (bars,) = ax.containers
    ends = np.array([segment[:, 1] for segment in bars.lines[2][0].get_segments()])
    assert (ends[:, 0] <= ends[:, 1]).all()
