"""Averages over folds, repeats, groups and classes, on the scales on which means are valid."""

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
from isometrics._core.results import ResultTable, join_names, number
from isometrics._core.threshold_text import threshold_text
from isometrics._counting.confusion import f_name
from isometrics.decisions.best import best_threshold
from isometrics.errors import (
    EmptyInputError,
    NotAnswerableError,
    OneClassError,
    ParameterError,
    UndefinedWarning,
    warn,
)
from isometrics.measures import AUPRG, AUROC, parse_measures
from isometrics.points import OperatingPoints
from isometrics.points.models import ROUNDING, is_whole, named_models

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import ArrayLike

    from isometrics._core.arrays import Floats
    from isometrics.measures import MeasureLike
    from isometrics.points import OperatingPoints
    from isometrics.uncertainty.bands import Band


PREVALENCES = ("refuse", "pooled", "mean")
SPACES = ("roc", "prg")
_AREAS = (AUROC, AUPRG)


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
        The tables of each model by fold, at the prevalence of the averages.
    prevalence
        The prevalence of the averages.
    measures
        The measures.
    values
        The values of each fold, by model, measure and fold.
    mean
        The average, by model and measure: the plain mean of areas, and the mean on the gain scale,
        converted back, of precision, recall and F.
    gain
        The mean gain from which `mean` was converted; NaN for areas.
    arithmetic
        The plain mean of the values, for comparison; for precision, recall and F it has no meaning.
    deviation
        The standard deviation of the folds, on the scale on which they were averaged.
    """

    models: tuple[str, ...]
    folds: tuple[str, ...]
    tables: dict[str, dict[str, OperatingPoints]]
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
            The name of the model; it may be omitted if there is only one.
        x
            Positions on the first axis, by default 101 from 0 to 1.
        confidence_level
            The confidence of the band.

        Notes
        -----
        At each x the band is the mean of the folds, plus and minus Student's t times its standard
        error. It shows how much folds differ. Folds of one cross-validation share training rows,
        so the band is narrower than for new data (Bengio & Grandvalet 2004).
        """
        from isometrics.uncertainty.bands import AXES, Band

        check_choice(space, "space", SPACES)
        level = check_confidence(confidence_level)
        axis = AXES[space][0].replace("_", " ")
        positions = parse_positions(np.linspace(0, 1, 101) if x is None else x, axis=axis)
        positions = np.atleast_1d(positions)
        name = self.models[index_of(model, "model", self.models)]
        tables = self.tables[name].values()
        heights = np.array([getattr(table, space).interpolate(positions) for table in tables])
        if len(heights) < 2:
            raise NotAnswerableError("a band from folds needs two folds or more")
        from scipy.special import stdtrit

        n_folds = len(heights)
        t = float(stdtrit(n_folds - 1, (1 + level) / 2))
        mean = heights.mean(axis=0)
        half_width = t * heights.std(axis=0, ddof=1) / math.sqrt(n_folds)
        ends = mean - half_width, mean + half_width
        return Band(space, name, "folds", level, positions, mean, *ends)

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
        of folds to mappings of models to operating points, or an object with such `groups`, such
        as an `Analysis`. `isometrics.integrations.sklearn.points_per_fold` computes it from the
        results of scikit-learn's ``cross_validate``.
    beta
        The β of F.
    threshold
        The threshold for precision, recall and F; by default each fold's own best one for F_β.
    prevalence
        The prevalence to which all folds are converted. ``"refuse"``: their prevalences must be
        equal, or as equal as whole rows allow, as in stratified folds; with sums of weights, up to
        rounding. The prevalence of these folds together is used. ``"pooled"``: that of all rows,
        including folds with one class. ``"mean"``: the mean over folds. Or a number.

    Notes
    -----
    Groups of an `Analysis` with only one class have no areas. They are left out of the averages,
    with a warning that names them; ``prevalence="pooled"`` counts their rows.

    Precision, recall and F are on a harmonic scale, where arithmetic means have no meaning; on the
    gain scale they have (Flach & Kull 2015). With φ(x) = (1 - π/x)/(1 - π) the average is φ⁻¹ of
    the mean gain, π/(1 - (1 - π)·g). A fold without true positives has a gain of -∞, and the
    average of F is then 0.

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
    folds = _two_class_folds(_parse_folds(tables), tables)
    first, *others = folds
    models = list(folds[first])
    for name in others:
        if set(folds[name]) != set(models):
            raise ParameterError(
                f"all folds must have the same models, but fold {name!r} has "
                f"{sorted(folds[name])} and fold {first!r} has {sorted(models)}"
            )
    # The tables of an analysis count the rows of folds with one class too.
    all_rows = getattr(tables, "models", None) or {
        (name, model): fold[model] for name, fold in folds.items() for model in models
    }
    share = _parse_prevalence(folds, list(all_rows.values()), prevalence)
    converted = {
        model: {name: _at_prevalence(fold[model], share) for name, fold in folds.items()}
        for model in models
    }
    values = np.array(
        [
            np.array([_values(name, table, beta, threshold) for name, table in by_fold.items()]).T
            for by_fold in converted.values()
        ]
    )
    is_area = np.arange(values.shape[1])[:, None] < len(_AREAS)
    with np.errstate(divide="ignore", invalid="ignore"):
        gains = (1 - share / values) / (1 - share)
        scaled = np.where(is_area, values, gains)
        scaled_mean = scaled.mean(axis=2)
        mean = np.where(is_area[:, 0], scaled_mean, share / (1 - (1 - share) * scaled_mean))
        deviation = scaled.std(axis=2, ddof=1) if len(folds) > 1 else np.full(mean.shape, np.nan)
    return Average(
        tuple(models),
        tuple(folds),
        converted,
        share,
        (*map(str, _AREAS), "precision", "recall", f_name(beta)),
        values,
        mean,
        np.where(is_area[:, 0], np.nan, scaled_mean),
        values.mean(axis=2),
        deviation,
    )


def _parse_folds(raw: Any) -> dict[str, dict[str, OperatingPoints]]:
    """Return the tables by fold and model."""
    tables = getattr(raw, "groups", raw)
    if getattr(raw, "one_vs_rest", False) and not tables:
        tables = raw.models
    if isinstance(tables, Sequence) and not isinstance(tables, str):
        tables = {str(number): table for number, table in enumerate(tables)}
    if not isinstance(tables, Mapping):
        raise ParameterError(
            "must be a list of OperatingPoints or a mapping of folds to them but is "
            f"{type(raw).__name__}",
            parameter="tables",
        )
    if "test_score" in tables or "fit_time" in tables:
        raise ParameterError(
            "these are the scores of cross_validate, which do not tell what they were counted "
            "from; pass points_per_fold(cv_results, X, y) of isometrics.integrations.sklearn"
        )
    folds = {
        str(name): {"": fold} if isinstance(fold, OperatingPoints) else named_models(fold)
        for name, fold in tables.items()
    }
    if len(folds) < len(tables):
        raise ParameterError("has two folds whose names read the same", parameter="tables")
    return folds


def _two_class_folds(
    folds: dict[str, dict[str, OperatingPoints]], raw: Any
) -> dict[str, dict[str, OperatingPoints]]:
    """Return the folds in which every model has both classes; warn about the others.

    The `skipped` of an analysis has the groups with only one class, for some models or for all.
    """
    skipped: Mapping[str, str] = getattr(raw, "skipped", {})
    models = set(getattr(raw, "models", {}))
    # Classes without a row are skipped too, under the name of a model.
    one_class = {name: why for name, why in skipped.items() if name in folds or name not in models}
    two_class = {name: fold for name, fold in folds.items() if name not in one_class}
    if one_class:
        reasons = join_names([f"{name!r} ({why})" for name, why in one_class.items()])
        if not two_class:
            raise OneClassError(f"no fold has both classes, which averages need: {reasons}")
        warn(
            f"the averages leave out {len(one_class)} of {len(one_class) + len(two_class)} folds, "
            f"which have one class only: {reasons}; prevalence='pooled' counts their rows",
            UndefinedWarning,
        )
    if not any(two_class.values()):
        raise ParameterError("is empty; at least one fold is needed", parameter="tables")
    return two_class


def _parse_prevalence(
    folds: dict[str, dict[str, OperatingPoints]],
    all_rows: list[OperatingPoints],
    prevalence: str | float,
) -> float:
    """Return the prevalence to which every fold is converted."""
    tables = [table for fold in folds.values() for table in fold.values()]
    if not isinstance(prevalence, str):
        return check_prevalence(prevalence)
    check_choice(prevalence, "prevalence", PREVALENCES)
    if prevalence == "mean":
        return float(np.mean([table.prevalence for table in tables]))
    if prevalence == "pooled":
        return _joint_prevalence(all_rows)
    pooled = _joint_prevalence(tables)
    if not all(_has_prevalence(table, pooled) for table in tables):
        shares = [table.prevalence for table in tables]
        raise ParameterError(
            f"the prevalences of the folds differ, from {min(shares):.6g} to {max(shares):.6g}, "
            f"and precision, F and {AUPRG} depend on it; choose a common one with "
            "prevalence='pooled', 'mean' or a number"
        )
    return pooled


def _joint_prevalence(tables: list[OperatingPoints]) -> float:
    positives = sum(table.positives for table in tables)
    return float(positives / (positives + sum(table.negatives for table in tables)))


def _has_prevalence(table: OperatingPoints, prevalence: float) -> bool:
    """Return whether a fold has a prevalence, as closely as its rows allow.

    Stratified folds differ by less than one row. In sums of weights the weight of a row is not
    known, and a tolerance would depend on their scale.
    """
    if is_whole(table.table):
        size = table.positives + table.negatives
        return bool(abs(table.positives - size * prevalence) < 1)
    return math.isclose(table.prevalence, prevalence, rel_tol=ROUNDING)


def _at_prevalence(table: OperatingPoints, prevalence: float) -> OperatingPoints:
    same = math.isclose(table.prevalence, prevalence, rel_tol=1e-15)
    return table if same else table.at_prevalence(prevalence)


def _values(
    name: str, table: OperatingPoints, beta: float, threshold: float | None
) -> tuple[float, ...]:
    areas = [area.of(table) for area in _AREAS]
    if threshold is None:
        best = best_threshold(table, beta=beta)
        return *areas, best.precision, best.recall, best.f
    rule = table.at([threshold])
    if math.isnan(rule.precision[0]):
        warn(
            f"the precision of fold {name!r} is undefined (NaN): none of its rows lies at or above "
            f"the threshold {threshold_text(threshold)}",
            UndefinedWarning,
        )
    return *areas, *(float(rate[0]) for rate in (rule.precision, rule.recall, rule.f(beta)))


def macro_average(points: Mapping[Any, OperatingPoints], measure: MeasureLike = AUPRG) -> float:
    """Return the mean of the classes' gains.

    Classes differ in prevalence, so their precision, F and AUPR start from different baselines
    and have no common mean. On the gain scale always-positive is the same for all: a precision
    gain of 0 and a recall gain of 1 (Flach & Kull 2015).

    Parameters
    ----------
    points
        The tables, by class.
    measure
        A measure on the gain scale, such as ``"AUPRG"``, ``"expected F1 gain"`` or
        ``optimal_f_gain(beta=2)`` of `isometrics.measures`.

    Examples
    --------
    >>> from isometrics.integrations.sklearn import macro_average, points_per_class
    >>> scores = [[0.8, 0.1, 0.1], [0.3, 0.6, 0.1], [0.2, 0.3, 0.5], [0.5, 0.7, 0.1]]
    >>> round(macro_average(points_per_class(["a", "b", "c", "a"], scores)), 6)
    0.722222
    """
    (gain,) = parse_measures([measure])
    if not gain.is_gain:
        raise ParameterError(
            f"must be on the gain scale, on which classes have a mean, but is {gain.name}",
            parameter="measure",
        )
    return float(np.mean(list(map(gain.of, tables_of(points)))))


def tables_of(points: Mapping[Any, OperatingPoints]) -> list[OperatingPoints]:
    """Return the tables of classes, of which there must be one or more."""
    if not points:
        raise EmptyInputError("points is empty; at least one class is needed")
    return list(points.values())
