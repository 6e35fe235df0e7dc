"""Results depend on the input alone: the compiled loops change no bit of any area."""

import warnings

import numpy as np
import pytest

import isometrics as iso
from isometrics._counting import native

pytestmark = pytest.mark.usefixtures("compiled_loops")


def numbers(rows, weights, digits):
    rng = np.random.default_rng(rows)
    labels = rng.random(rows) < (0.5 if digits else 0.02)
    labels[:2] = True, False
    scores = (rng.normal(size=rows) + labels).round(digits or 15)
    given = {"none": None, "integer": rng.integers(1, 5, rows), "float": rng.random(rows) + 0.1}
    for kept in ("all", "corners", "hull"):
        points = iso.OperatingPoints.from_scores(
            labels, scores, sample_weight=given[weights], rows=kept
        )
        hull = points.hull()
        yield from (bracket.lo for bracket in iso.area_brackets(points).values())
        yield from points.pr.areas().values()
        yield from (points.prg.y0, points.tradeoff().area(), points.prg.expected_reciprocal_f())
        yield from (hull.roc.area(), hull.pr.area(), hull.prg.area(), *hull.tp, *hull.fp)
        if kept == "all":
            yield from (points.roc.area(0.1, 0.6), points.prg.area(0.2, 0.7))
            yield from points.pr.areas(0.2, 0.7).values()
            yield points.at_prevalence(0.3).pr.normalised_area()


def everything():
    return [
        [float(number).hex() for number in numbers(rows, weights, digits)]
        for rows in (10, 3_000, 20_000, 70_000)
        for weights in ("none", "integer", "float")
        for digits in (0, 2)
    ]


@pytest.mark.slow
def test_areas_and_hulls_have_the_same_bits_with_and_without_compiled_loops(monkeypatch):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        compiled = everything()
        monkeypatch.setattr(native, "available", lambda: False)
        plain = everything()
    assert sum(map(len, plain)) > 2_000
    assert compiled == plain
