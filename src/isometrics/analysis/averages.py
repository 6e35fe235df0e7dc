"""Averages over folds, repeats, groups and classes, on the scale on which they mean something."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from isometrics._core.parameters import (
    check_beta,
    check_choice,
    check_confidence,
    check_prevalence,
    check_threshold,
    index_of,
    parse_positions,
)
from isometrics._core.results import ResultTable, number, several
from isometrics.decisions.best import best_threshold
from isometrics.errors import (
    NotAnswerableError,
    OneClassError,
    ParameterError,
    UndefinedWarning,
    warn,
)
from isometrics.measures import AUPRG, AUROC, f_name
from isometrics.points import OperatingPoints
from isometrics.points.models import ROUNDING, is_whole
from isometrics.uncertainty.bands import AXES, Band

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from isometrics._core.arrays import Floats

PREVALENCES = ("refuse", "pooled", "mean")
SPACES = ("roc", "prg")
_LINEAR = (AUROC.name, AUPRG.name)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Average(ResultTable):
    """Averages of the tables of several folds, one row for each model and measure.

    Attributes
    ----------
    models
        The names of the models, ``""`` for one that has none.
    folds
        The names of the folds.
    tables
        The tables of each model by fold, at the prevalence that all averages are taken at.
    pooled
        The exact table of all folds together, by model, at its own prevalence; None where a table
        is not one of scores.
    prevalence
        The prevalence of the averages.
    measures
        The measures.
    values
        The values of each fold, by model, measure and fold.
    mean
        The average, by model and measure: of areas as they are, of precision, recall and F on the
        gain scale and converted back.
    gain
        The average gain that `mean` was converted from; NaN for areas.
    arithmetic
        The plain mean of the values, for comparison: of precision, recall and F it means nothing.
    deviation
        The standard deviation of the folds, on the scale on which they were averaged.
    """

    models: tuple[str, ...]
    folds: tuple[str, ...]
    tables: dict[str, dict[str, OperatingPoints]]
    pooled: dict[str, OperatingPoints | None]
    prevalence: float
    measures: tuple[str, ...]
    values: Floats
    mean: Floats
    gain: Floats
    arithmetic: Floats
    deviation: Floats

    def of(self, measure: str, model: str | None = None) -> float:
        """Return one average."""
        column = self.measures.index(check_choice(measure, "measure", self.measures))
        return float(self.mean[index_of(model, "model", self.models), column])

    def curve(
        self,
        space: str = "prg",
        model: str | None = None,
        *,
        x: ArrayLike | None = None,
        confidence_level: float = 0.95,
    ) -> Band:
        """Return the vertical average of the folds' curves, with a band from the folds.

        Parameters
        ----------
        space
            ``"prg"`` or ``"roc"``. Precision at a recall has no mean over folds; its gain has.
        model
            The name of the model; of one alone it need not be given.
        x
            Places on the first axis, by default 101 from 0 to 1.
        confidence_level
            The confidence of the band.

        Notes
        -----
        At each x the band is the mean of the folds and Student's t times its standard error. It
        tells how much folds differ. Folds of one cross-validation share training rows, so the
        band is narrower than that of new data (Bengio & Grandvalet 2004).
        """
        check_choice(space, "space", SPACES)
        level = check_confidence(confidence_level)
        axis = AXES[space][0].replace("_", " ")
        places = parse_positions(np.linspace(0, 1, 101) if x is None else x, axis=axis)
        places = np.atleast_1d(places)
        name = self.models[index_of(model, "model", self.models)]
        tables = self.tables[name].values()
        heights = np.array([getattr(table, space).interpolate(places) for table in tables])
        if len(heights) < 2:
            raise NotAnswerableError("a band from folds needs two folds or more")
        from scipy.special import stdtrit

        size = len(heights)
        t = float(stdtrit(size - 1, (1 + level) / 2))
        middle = heights.mean(axis=0)
        half = t * heights.std(axis=0, ddof=1) / math.sqrt(size)
        return Band(space, name, "folds", level, places, middle, middle - half, middle + half)

    def __len__(self) -> int:
        """Return the number of models times the number of measures."""
        return self.mean.size

    def _title(self) -> str:
        return f"Average: {len(self.folds)} folds at prevalence {number(self.prevalence)}"

    def _columns(self) -> dict[str, Any]:
        columns: dict[str, Any] = {}
        if self.models != ("",):
            columns["model"] = [name for name in self.models for _ in self.measures]
        return columns | {
            "measure": list(self.measures) * len(self.models),
            "mean": self.mean.ravel(),
            "gain": self.gain.ravel(),
            "arithmetic": self.arithmetic.ravel(),
            "deviation": self.deviation.ravel(),
        }


def average(
    tables: Any,
    *,
    beta: float = 1.0,
    threshold: float | None = None,
    prevalence: str | float = "refuse",
) -> Average:
    """Average the tables of folds, repeats, groups or classes.

    Parameters
    ----------
    tables
        A list of operating points, or a mapping of names to them; for several models, a mapping
        of folds to mappings of models to operating points, or anything that has such `groups`, as
        what `read_predictions` returns. `isometrics.integrations.sklearn.points_per_fold` makes
        it from what scikit-learn's ``cross_validate`` returns.
    beta
        The β of F.
    threshold
        The threshold for precision, recall and F; by default each fold's own best one for F_β.
    prevalence
        The prevalence at which all folds are looked at. ``"refuse"``: theirs must be equal, or as
        equal as whole rows allow, as in stratified folds; sums of weights must be equal but for
        rounding. It is then that of these folds together. ``"pooled"``: that of all rows, also
        those of folds with one class. ``"mean"``: the mean of theirs. Or a number.

    Notes
    -----
    Groups of an `Analysis` with one class only have no areas. The averages leave them out, with a
    warning that names them; `pooled` counts their rows.

    Precision, recall and F are on a harmonic scale, so their arithmetic means do not say what the
    folds achieve together; their gains do (Flach & Kull 2015). With φ(x) = (1 - π/x)/(1 - π) the
    average is φ⁻¹ of the mean gain, π/(1 - (1 - π)·g). A fold without true positives has a gain of
    -∞, and the average of F is then 0.

    Examples
    --------
    >>> import isometrics as iso
    >>> folds = [
    ...     iso.OperatingPoints.from_scores([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1]),
    ...     iso.OperatingPoints.from_scores([1, 0, 0, 1], [0.9, 0.8, 0.7, 0.1]),
    ... ]
    >>> iso.average(folds, threshold=0.75)
    Average: 2 folds at prevalence 0.5
      measure    mean  gain  arithmetic  deviation
        AUROC   0.625   nan       0.625   0.176777
        AUPRG  -0.125   nan      -0.125    0.53033
    precision     0.5     0         0.5          0
       recall     0.5     0         0.5          0
      F (β 1)     0.5     0         0.5          0
    """
    beta = check_beta(beta)
    threshold = None if threshold is None else check_threshold(threshold)
    folds = _two_class_folds(_by_fold(tables), tables)
    models = _same_models(folds)
    together = {model: _together(model, folds, tables) for model in models}
    chosen = _prevalence(folds, list(together.values()), prevalence)
    moved = {
        model: {name: _moved(fold[model], chosen) for name, fold in folds.items()}
        for model in models
    }
    values = np.array(
        [
            np.array([_values(name, each, beta, threshold) for name, each in of_model.items()]).T
            for of_model in moved.values()
        ]
    )
    linear = np.arange(values.shape[1])[:, None] < len(_LINEAR)
    with np.errstate(divide="ignore", invalid="ignore"):
        gains = (1 - chosen / values) / (1 - chosen)
        scaled = np.where(linear, values, gains)
        mean_gain = scaled.mean(axis=2)
        mean = np.where(linear[:, 0], mean_gain, chosen / (1 - (1 - chosen) * mean_gain))
        deviation = scaled.std(axis=2, ddof=1) if len(folds) > 1 else np.full(mean.shape, np.nan)
    return Average(
        tuple(models),
        tuple(folds),
        moved,
        {model: _pooled(every) for model, every in together.items()},
        chosen,
        (*_LINEAR, "precision", "recall", f_name(beta)),
        values,
        mean,
        np.where(linear[:, 0], np.nan, mean_gain),
        values.mean(axis=2),
        deviation,
    )


def _by_fold(given: Any) -> dict[str, dict[str, OperatingPoints]]:
    """Return the tables by fold and model, whatever they came in."""
    tables = getattr(given, "groups", given)
    if isinstance(tables, Sequence) and not isinstance(tables, str):
        tables = {str(number): table for number, table in enumerate(tables)}
    if not isinstance(tables, Mapping):
        raise ParameterError(
            "tables must be a list of OperatingPoints or a mapping of folds to them but is "
            f"{type(given).__name__}"
        )
    if "test_score" in tables or "fit_time" in tables:
        raise ParameterError(
            "these are the scores of cross_validate, which do not tell what they were counted "
            "from; pass points_per_fold(cv_results, X, y) of isometrics.integrations.sklearn"
        )
    folds = {}
    for name, fold in tables.items():
        by_model = {"": fold} if isinstance(fold, OperatingPoints) else fold
        if not isinstance(by_model, Mapping) or not by_model:
            raise ParameterError(
                f"tables[{name!r}] must be OperatingPoints or a mapping of models to them but is "
                f"{type(fold).__name__}"
            )
        for table in by_model.values():
            if not isinstance(table, OperatingPoints):
                raise ParameterError(
                    f"tables[{name!r}] must hold OperatingPoints but has a {type(table).__name__}"
                )
        folds[name] = _by_text(by_model, f"tables[{name!r}] has the models")
    return _by_text(folds, "tables has the folds")


def _by_text(named: Mapping[Any, Any], said: str) -> dict[str, Any]:
    """Return the same under names that are texts; two that would be one are refused."""
    found: dict[str, Any] = {}
    given: dict[str, Any] = {}
    for name, value in named.items():
        text = str(name)
        if text in found:
            raise ParameterError(
                f"{said} {given[text]!r} and {name!r}, which read the same; give them names that "
                "differ as text"
            )
        found[text], given[text] = value, name
    return found


def _two_class_folds(
    folds: dict[str, dict[str, OperatingPoints]], given: Any
) -> dict[str, dict[str, OperatingPoints]]:
    """Return the folds in which every model has both classes; the others are named in a warning.

    An analysis says in `skipped` which groups have one class only, for some models or for all.
    """
    skipped: Mapping[str, str] = getattr(given, "skipped", {})
    models = set(getattr(given, "models", {}))
    # Classes without a row are skipped too, under the name of a model.
    left_out = {name: why for name, why in skipped.items() if name in folds or name not in models}
    kept = {name: fold for name, fold in folds.items() if name not in left_out}
    if left_out:
        reasons = several([f"{name!r} ({why})" for name, why in left_out.items()])
        if not kept:
            raise OneClassError(f"no fold has both classes, which averages need: {reasons}")
        warn(
            f"the averages leave out {len(left_out)} of {len(left_out) + len(kept)} folds, which "
            f"have one class only: {reasons}; the pooled table counts their rows",
            UndefinedWarning,
        )
    if not kept:
        raise ParameterError("tables is empty; at least one fold is needed")
    return kept


def _together(
    model: str, folds: dict[str, dict[str, OperatingPoints]], given: Any
) -> list[OperatingPoints]:
    """Return tables of a model that have all rows of all folds, those of one class included."""
    whole = getattr(given, "models", {}).get(model)
    return [fold[model] for fold in folds.values()] if whole is None else [whole]


def _same_models(folds: dict[str, dict[str, OperatingPoints]]) -> list[str]:
    first, *others = folds
    for name in others:
        if set(folds[name]) != set(folds[first]):
            raise ParameterError(
                f"all folds must have the same models, but fold {name!r} has "
                f"{sorted(folds[name])} and fold {first!r} has {sorted(folds[first])}"
            )
    return list(folds[first])


def _prevalence(
    folds: dict[str, dict[str, OperatingPoints]],
    together: list[list[OperatingPoints]],
    wanted: str | float,
) -> float:
    """Return the prevalence of the averages; every fold is looked at there."""
    tables = [table for fold in folds.values() for table in fold.values()]
    if not isinstance(wanted, str):
        return check_prevalence(wanted)
    check_choice(wanted, "prevalence", PREVALENCES)
    if wanted == "mean":
        return float(np.mean([table.prevalence for table in tables]))
    if wanted == "pooled":
        return _joint_prevalence([table for every in together for table in every])
    pooled = _joint_prevalence(tables)
    if not all(_is_near(table, pooled) for table in tables):
        theirs = [table.prevalence for table in tables]
        raise ParameterError(
            f"the prevalences of the folds differ, from {min(theirs):.6g} to {max(theirs):.6g}, "
            f"and precision, F and {AUPRG} depend on it; say at which one to look at them with "
            "prevalence='pooled', 'mean' or a number"
        )
    return pooled


def _joint_prevalence(tables: list[OperatingPoints]) -> float:
    positives = sum(table.positives for table in tables)
    return float(positives / (positives + sum(table.negatives for table in tables)))


def _is_near(table: OperatingPoints, prevalence: float) -> bool:
    """Tell whether a fold has a prevalence, as nearly as its rows allow.

    A whole row more or less is what stratified folds differ by. What a row weighs is not known of
    sums of weights, and any allowance for it would depend on their scale.
    """
    if is_whole(table.table):
        size = table.positives + table.negatives
        return bool(abs(table.positives - size * prevalence) < 1)
    return math.isclose(table.prevalence, prevalence, rel_tol=ROUNDING)


def _moved(table: OperatingPoints, prevalence: float) -> OperatingPoints:
    same = math.isclose(table.prevalence, prevalence, rel_tol=1e-15)
    return table if same else table.at_prevalence(prevalence)


def _values(
    name: str, table: OperatingPoints, beta: float, threshold: float | None
) -> tuple[float, ...]:
    areas = (table.roc.area(), table.prg.area())
    if threshold is None:
        best = best_threshold(table, beta=beta)
        return *areas, best.precision, best.recall, best.f
    chosen = table.at([threshold])
    if math.isnan(chosen.precision[0]):
        warn(
            f"the precision of fold {name!r} is undefined (NaN): none of its rows lies at or above "
            f"the threshold {number(threshold)}",
            UndefinedWarning,
        )
    return *areas, *(float(rate[0]) for rate in (chosen.precision, chosen.recall, chosen.f(beta)))


def _pooled(tables: list[OperatingPoints]) -> OperatingPoints | None:
    if not all(table.table.complete for table in tables):
        return None
    first, *others = tables
    return sum(others, start=first)
