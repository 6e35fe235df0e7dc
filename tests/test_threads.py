"""Threads: one table used by many at once, and names that many load at the same moment."""

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import numpy as np

import isometrics as iso

from .programs import printed

THREADS = 16

GENERATOR = np.random.default_rng(1)
LABELS = GENERATOR.integers(0, 2, 5000)
SCORES = GENERATOR.random(5000).round(3) + LABELS / 4


def together(work):
    """Return what `work` gives in each of several threads that start at the same moment."""
    barrier = Barrier(THREADS)

    def started(thread):
        barrier.wait()
        return work(thread)

    with ThreadPoolExecutor(THREADS) as pool:
        return list(pool.map(started, range(THREADS)))


def everything(points):
    """Return parts of a table that are computed when they are asked for."""
    return (
        points.hull(),
        points.roc.area(),
        points.pr.area(),
        points.pr.area("average-precision"),
        points.prg.area(),
        points.tradeoff("folke"),
        points.precision_gain.tolist(),
        iso.best_threshold(points),
        iso.optimal_thresholds(points),
        points.compact(200),
        repr(points),
    )


def test_one_table_answers_all_threads_alike():
    points = iso.OperatingPoints.from_scores(LABELS, SCORES)
    alone = repr(everything(iso.OperatingPoints.from_scores(LABELS, SCORES)))
    assert {repr(answer) for answer in together(lambda _: everything(points))} == {alone}


def test_tables_of_many_threads_are_those_of_one():
    seeds = range(THREADS)
    samples = [np.random.default_rng(seed).permutation(SCORES) for seed in seeds]
    alone = [iso.OperatingPoints.from_scores(LABELS, scores) for scores in samples]
    made = together(lambda thread: iso.OperatingPoints.from_scores(LABELS, samples[thread]))
    assert made == alone


def test_a_bootstrap_does_not_depend_on_other_threads():
    points = iso.OperatingPoints.from_scores(LABELS[:200], SCORES[:200])
    options = {"n_resamples": 20, "random_state": 3}
    made = together(lambda _: iso.bootstrap(points, **options))
    assert made == [iso.bootstrap(points, **options)] * THREADS


FIRST_USE = f"""
import sys
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import isometrics as iso

sys.setswitchinterval(1e-6)
barrier = Barrier({THREADS})


def load(thread):
    barrier.wait()
    names = iso.__all__[thread:] + iso.__all__[:thread]
    return {{name: getattr(iso, name) for name in names}}


with ThreadPoolExecutor({THREADS}) as pool:
    loaded = list(pool.map(load, range({THREADS})))
assert all(each == loaded[0] for each in loaded)
print(len(loaded[0]))
"""


def test_names_are_loaded_by_many_threads_at_first_use():
    """Modules that import each other's names must not deadlock, nor be seen half made."""
    assert printed("-W", "error", "-c", FIRST_USE) == str(len(iso.__all__))
