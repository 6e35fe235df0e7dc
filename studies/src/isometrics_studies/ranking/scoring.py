"""One task: cross-validated scores of all models, and what they amount to.

As in the predictions of an OpenML run, each row is scored by the model that was fitted without
its fold, and the scores of all folds are ranked together. Models that have no probabilities give
their decision values.
"""

from __future__ import annotations

import math
import time
import warnings
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from isometrics.decisions.best import best_threshold
from isometrics.errors import UndefinedWarning
from isometrics.measures import AUPR, AUPRG, AUROC, TRADEOFF_AREA
from isometrics.points import OperatingPoints
from isometrics_studies.ranking.models import model_named, preprocessing

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from isometrics._core.arrays import Floats
    from isometrics.measures import Measure
    from isometrics_studies.ranking.datasets import DataSet
    from isometrics_studies.ranking.models import Model

_INDICES = ("f-measure", "jaccard", "folke", "kulczynski")


def _tradeoff_area_by(index: str) -> Measure:
    return replace(
        TRADEOFF_AREA,
        name=f"tradeoff, {index.capitalize()}",
        key=f"tradeoff_{index.replace('-', '_')}",
        of=lambda points: points.tradeoff(index).area(),
    )


_AREAS = (AUROC, AUPR, AUPRG, *map(_tradeoff_area_by, _INDICES))
NAMES = {area.key: area.name for area in _AREAS}
"""What the columns of areas are called in tables and pictures."""
MEASURES = tuple(NAMES)
"""The columns of areas."""

HALVES = ("first", "second")
"""Rows of the first and of the second half of the folds."""


class Settings(NamedTuple):
    """What the results of a task depend on beside its data."""

    models: tuple[str, ...]
    folds: int
    random_state: int
    limit: float
    """Seconds of processor time for one model on one task."""


class Scored(NamedTuple):
    """The scores of one model, or why there are none."""

    scores: Floats | None
    seconds: float
    warned: int
    """On how many folds fitting or scoring gave a warning."""
    reason: str = ""


def evaluate_task(data: DataSet, settings: Settings) -> list[dict[str, Any]]:
    """Return one row for each model.

    Parameters
    ----------
    data
        The task.
    settings
        Models, folds, seed, and the time limit.
    """
    first = folds_of(data, settings) < settings.folds // 2
    rows = []
    for model, scored in cross_validated(data, settings):
        about = {
            "task": data.name,
            "rows": data.positive.size,
            "features": data.nominal.size,
            "positives": data.positives,
            "rule": data.rule,
            "model": model.name,
            "family": model.family,
        }
        measured = measures_of(data.positive, scored.scores, first)
        spent = {"seconds": scored.seconds, "warned": scored.warned, "reason": scored.reason}
        rows.append(about | measured | spent)
    return rows


def cross_validated(data: DataSet, settings: Settings) -> Iterator[tuple[Model, Scored]]:
    """Yield each model with its scores of all rows, each from a fit without the row's fold."""
    fold_of = folds_of(data, settings)
    prepared = [_prepared(data, fold_of == fold) for fold in range(settings.folds)]
    for model in map(model_named, settings.models):
        yield model, _score(model, data.positive, fold_of, prepared, settings)


def points_of_models(data: DataSet, settings: Settings) -> dict[str, OperatingPoints]:
    """Return the operating points of the models by name, without those that give no scores."""
    return {
        model.name: OperatingPoints.from_scores(data.positive, scored.scores)
        for model, scored in cross_validated(data, settings)
        if scored.scores is not None
    }


def folds_of(data: DataSet, settings: Settings) -> NDArray[np.intp]:
    """Return the fold of each row, both classes being spread evenly."""
    from sklearn.model_selection import StratifiedKFold

    split = StratifiedKFold(settings.folds, shuffle=True, random_state=settings.random_state)
    fold_of = np.empty(data.positive.size, np.intp)
    for fold, (_, test) in enumerate(split.split(data.values, data.positive)):
        fold_of[test] = fold
    return fold_of


def _prepared(data: DataSet, held_out: NDArray[np.bool_]) -> tuple[Floats, Floats]:
    """Return the features to learn from, and those to score, as models take them."""
    with warnings.catch_warnings():
        # Values unknown to the training part, and columns that do not vary in it, are harmless.
        warnings.simplefilter("ignore")
        steps = preprocessing(data.nominal).fit(data.values[~held_out])
        return steps.transform(data.values[~held_out]), steps.transform(data.values[held_out])


def _score(
    model: Model,
    positive: NDArray[np.bool_],
    fold_of: NDArray[np.intp],
    prepared: Sequence[tuple[Floats, Floats]],
    settings: Settings,
) -> Scored:
    start, warned = time.process_time(), 0
    scores = np.full(positive.size, np.nan)
    for fold, (learned, held_out) in enumerate(prepared):
        inside = fold_of == fold
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            try:
                fitted = model.make(settings.random_state).fit(learned, positive[~inside])
                scores[inside] = _scores_of(fitted, held_out)
            except (ValueError, ArithmeticError, np.linalg.LinAlgError) as error:
                reason = " ".join(f"{type(error).__name__}: {error}".split())[:200]
                return Scored(None, time.process_time() - start, warned, reason)
        warned += bool(caught)
        spent = time.process_time() - start
        if spent / (fold + 1) * len(prepared) > settings.limit:
            reason = f"would take more than {settings.limit:g} s of processor time"
            return Scored(None, spent, warned, reason)
    if not np.isfinite(scores).all():
        return Scored(None, spent, warned, "gives scores that are not finite")
    return Scored(scores, spent, warned)


def _scores_of(fitted: Any, features: Floats) -> Floats:
    if hasattr(fitted, "predict_proba"):
        return np.asarray(fitted.predict_proba(features)[:, 1])
    return np.asarray(fitted.decision_function(features))


# ---------------------------------------------------------------------- measures


def measures_of(
    positive: NDArray[np.bool_], scores: Floats | None, in_first: NDArray[np.bool_]
) -> dict[str, float]:
    """Return the areas of all rows and of both halves, and F₁ of each half.

    ``expected_f1`` is the harmonic mean of F₁ over the operating points, weighted as in Theorem 2
    of Flach & Kull (2015). ``f1`` of a half is that of the threshold with the best F₁ on the other
    half. All is NaN without scores, and what is about halves where one has no rows of a class.
    """
    names = (*MEASURES, "expected_f1")
    of_halves = [f"{name}_{half}" for half in HALVES for name in names]
    undefined = dict.fromkeys([*of_halves, *(f"f1_{half}" for half in HALVES)], math.nan)
    if scores is None:
        return dict.fromkeys(names, math.nan) | undefined
    found = _areas(OperatingPoints.from_scores(positive, scores))
    inside = dict(zip(HALVES, (in_first, ~in_first), strict=True))
    if any(np.unique(positive[rows]).size < 2 for rows in inside.values()):
        return found | undefined
    points = {
        half: OperatingPoints.from_scores(positive[rows], scores[rows])
        for half, rows in inside.items()
    }
    for half in HALVES:
        found |= {f"{name}_{half}": value for name, value in _areas(points[half]).items()}
    for half, other in (HALVES, HALVES[::-1]):
        threshold = float(best_threshold(points[other]))
        found[f"f1_{half}"] = float(points[half].at(threshold).f()[0])
    return found


def _areas(points: OperatingPoints) -> dict[str, float]:
    found = {area.key: area.of(points) for area in _AREAS}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UndefinedWarning)
        found["expected_f1"] = 1 / points.prg.expected_reciprocal_f()
    return found
