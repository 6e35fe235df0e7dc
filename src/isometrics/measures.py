"""Every number a table has: one record for each, in the registry that all results read.

A record holds the printed name of a measure, its formula, its bounds where rows are missing, what
a model that tells nothing has of it, and what resampling needs. Summaries, bounds, the bootstrap,
comparisons, scorers, the integrations, the command and the data of the page take their measures
from here, and a printed name is written nowhere else.

The command reads this module for its help, so that it imports nothing heavy at its top.
"""

from __future__ import annotations

import math
import re
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from enum import IntEnum
from functools import lru_cache
from itertools import chain
from typing import TYPE_CHECKING, Any, TypeVar

from isometrics.errors import NoCurveError, NotAnswerableError, ParameterError, UndefinedWarning

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import TypeAlias

    from isometrics._core.arrays import Floats, Total
    from isometrics.points import OperatingPoints
    from isometrics.points.bounds import Bracket, GapBounds
    from isometrics.spaces.short_tables import ShortTables

    Formula: TypeAlias = Callable[[OperatingPoints], float]
    MeasureLike: TypeAlias = "str | Measure | Formula"


Adapted = TypeVar("Adapted")


class Grain(IntEnum):
    """Which rows resampling may take together, from coarse to fine; finer serves coarser too."""

    CUTS = 0
    """All rows between two thresholds: enough for the counts at these thresholds."""
    RUNS = 1
    """A run of rows of one class: enough for curves, their areas and hulls."""
    NEGATIVE_RUNS = 2
    """A run of negatives, or the positives of one score: enough for average precision."""
    SCORES = 3
    """The rows of one class with one score: enough for everything."""


class Shown(IntEnum):
    """Where a measure is shown without being asked for; each level includes those above it."""

    ON_REQUEST = 0
    """Nowhere: it has a name and a scorer."""
    SUMMARY = 1
    """In summaries and among the bounds of areas."""
    COMPARED = 2
    """In comparisons, and among the scorers and metrics of other libraries, too."""
    HEADLINE = 3
    """In the bootstrap, in short tables and in the legends of pictures, too."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Measure:
    """A number that summarises operating points.

    Attributes
    ----------
    name
        What it is called in print.
    of
        The function that computes it from operating points.
    detail
        Which rows resampling may take together.
    threshold
        A threshold that resampling must keep apart, for a measure at a threshold.
    higher_is_better
        Whether one model can be better than another by it; a threshold only lies higher.
    key
        What it is called in columns, and as a scorer or metric; by default the name in lower case
        with underscores.
    bounds
        Its bounds from the best and the worst table that fits where rows are missing; by default
        nothing is said about it there.
    stored
        What `isometrics._table.table.KnownArea` calls this value, where a table with missing rows
        may hold it.
    needs
        What such a table must hold for the exact value to follow from it.
    interpolation
        For areas in PR space, which one; several are added up in one pass.
    space
        ``"roc"``, ``"pr"``, ``"prg"`` or ``"tradeoff"``, for a measure of one space.
    of_curve
        Whether it needs a curve; it is then NaN for points that are not nested.
    baseline
        Its value for the table of a model that gives every row one score; by default `of` that.
    kernel
        What the resampling kernels and the formulas of influence call it, where they have it.
    shown
        Where it is shown without being asked for.
    together
        What computes it for many short tables at once; by default each is asked by itself.
    is_gain
        Whether it is on the gain scale, where always answering "positive" is the same for every
        prevalence, so that classes have a mean.

    Examples
    --------
    >>> import isometrics as iso
    >>> from isometrics.measures import Measure
    >>> best = Measure("best accuracy", lambda points: float(points.accuracy().max()))
    >>> best.key, best.of(iso.OperatingPoints.from_scores([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1]))
    ('best_accuracy', 0.75)
    """

    name: str
    of: Formula
    detail: Grain = Grain.SCORES
    threshold: float | None = None
    higher_is_better: bool = True
    key: str = ""
    bounds: Callable[[GapBounds], Bracket] | None = None
    stored: str | None = None
    needs: tuple[str, ...] = ()
    interpolation: str | None = None
    space: str | None = None
    of_curve: bool = True
    baseline: Formula | None = None
    kernel: str | None = None
    shown: Shown = Shown.COMPARED
    together: Callable[[ShortTables], Floats] | None = None
    is_gain: bool = False

    def __post_init__(self) -> None:
        """Derive the key from the name; a value that may be stored needs nothing else."""
        if not self.key:
            object.__setattr__(self, "key", _key(self.name))
        if self.stored:
            object.__setattr__(self, "needs", (self.stored,))

    def __str__(self) -> str:
        """Return the printed name."""
        return self.name

    def __repr__(self) -> str:
        """Return the class and the printed name; functions say nothing in print."""
        return f"Measure({self.name!r})"

    def __reduce__(self) -> tuple[Callable[..., Measure], tuple[object, ...]]:
        """Pickle the measures of this module by their keys; others with their functions."""
        if self.key in _BUILT_IN and _REGISTRY[self.key] is self:
            return _built_in, (self.key,)
        return Measure, tuple(getattr(self, name) for name in self.__slots__)

    def value(self, points: OperatingPoints) -> float:
        """Return the exact value; NaN where it is not defined or missing rows leave it open."""
        if points.table.partial and self.bounds is None:
            return math.nan
        try:
            return self.of(points)
        except (NoCurveError, NotAnswerableError):
            return math.nan


# ---------------------------------------------------------------------- the registry

_REGISTRY: dict[str, Measure] = {}
_F_OF_BETA = re.compile(r"f(\d+(?:[._]\d+)?)", re.IGNORECASE)


def register(measure: Measure) -> Measure:
    """Add a measure to the registry, and return it.

    From then on summaries, bounds, comparisons, scorers and the command have it; `shown` says
    which of them without being asked.

    Examples
    --------
    >>> import isometrics as iso
    >>> from isometrics.measures import Measure, register, unregister
    >>> best = register(Measure("best accuracy", lambda points: float(points.accuracy().max())))
    >>> pts = iso.OperatingPoints.from_scores([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1])
    >>> iso.area_brackets(pts, ["best accuracy"])
    {'best accuracy': Bracket(lo=0.75, hi=0.75)}
    >>> unregister(best)
    """
    for other in _REGISTRY.values():
        if measure.key == other.key or measure.name == other.name:
            raise ParameterError(
                f"there is a measure {other.name!r} with the key {other.key!r} already; give "
                f"{measure.name!r} a name and a key of its own"
            )
    _REGISTRY[measure.key] = measure
    return measure


def unregister(measure: Measure) -> None:
    """Take a measure out of the registry that `register` has put there."""
    if _REGISTRY.get(measure.key) is not measure or measure.key in _BUILT_IN:
        raise ParameterError(f"{measure.name!r} was not registered; only such measures are removed")
    del _REGISTRY[measure.key]


def registered(shown: Shown = Shown.ON_REQUEST) -> tuple[Measure, ...]:
    """Return the measures that are shown on this level, by default all, in their order."""
    return tuple(measure for measure in _REGISTRY.values() if measure.shown >= shown)


def measure_named(text: str) -> Measure | None:
    """Return the measure of a printed name or a key, None if there is none.

    Capital letters do not matter. ``"F1"``, ``"F0.5"`` and the like are F_β at its best threshold.

    Examples
    --------
    >>> from isometrics.measures import measure_named
    >>> measure_named("aupr"), measure_named("Average_Precision"), measure_named("f2")
    (Measure('AUPR'), Measure('average precision'), Measure('best F (β 2)'))
    """
    if text in _REGISTRY:
        return _REGISTRY[text]
    exact = next((measure for measure in _REGISTRY.values() if measure.name == text), None)
    if exact is not None:
        return exact
    if matched := _F_OF_BETA.fullmatch(text):
        return optimal_f(float(matched[1].replace("_", ".")))
    key = _key(text)
    return next((each for each in _REGISTRY.values() if key in (each.key, _key(each.name))), None)


def measure_choices() -> str:
    """Return the names of all measures for a sentence."""
    names = ", ".join(repr(measure.name) for measure in registered())
    return f"{names}, or 'F1', 'F0.5' and the like for the best F"


def _built_in(key: str) -> Measure:
    return _REGISTRY[key]


class ComparedMeasures(Mapping[str, Adapted]):
    """What another library needs of every compared measure, by key; new measures are in it."""

    def __init__(self, adapt: Callable[[Measure], Adapted], more: Mapping[str, Adapted]) -> None:
        self._adapt, self._more = adapt, more

    def __getitem__(self, key: str) -> Adapted:
        """Return what belongs to any registered measure, or to a name of the library's own."""
        return self._more[key] if key in self._more else self._adapt(_REGISTRY[key])

    def __iter__(self) -> Iterator[str]:
        """Yield the keys of the compared measures, then the other names."""
        compared = (each.key for each in registered(Shown.COMPARED) if each.higher_is_better)
        return chain(compared, self._more)

    def __len__(self) -> int:
        """Return the number of names."""
        return sum(1 for _ in self)


def key_of(name: str) -> str:
    """Return the key of a measure's printed name, registered or not."""
    return next((each.key for each in registered() if each.name == name), None) or _key(name)


def _key(name: str) -> str:
    return name.lower().replace(",", "").replace(" ", "_")


def kernel_of(measure: Measure) -> str | None:
    """Return what the resampling kernels call a measure; None for any that they do not compute."""
    return measure.kernel if _REGISTRY.get(measure.key) is measure else None


def parse_measures(
    measures: MeasureLike | Iterable[MeasureLike] | None, parameter: str = "measures"
) -> tuple[Measure, ...]:
    """Return measures from names, measures and functions of operating points, no name twice.

    None stands for the headline.
    """
    if measures is None:
        return registered(Shown.HEADLINE)
    several = isinstance(measures, Iterable) and not isinstance(measures, str)
    given = tuple(measures) if several else (measures,)  # type: ignore[arg-type]
    if not given:
        raise ParameterError("is empty; give at least one", parameter=parameter)
    parsed = tuple(_parse_measure(each, parameter) for each in given)
    names = [measure.name for measure in parsed]
    for name in names:
        if names.count(name) > 1:
            raise ParameterError(f"has {name!r} twice; leave one of them out", parameter=parameter)
    return parsed


def _parse_measure(given: object, parameter: str) -> Measure:
    if isinstance(given, Measure):
        return given
    if isinstance(given, str) and (named := measure_named(given)):
        return named
    if callable(given) and not isinstance(given, str):
        return Measure(getattr(given, "__name__", type(given).__name__), given)
    if isinstance(given, str):
        raise ParameterError(
            f"must be names among {measure_choices()}; there is no measure {given!r}",
            parameter=parameter,
        )
    raise ParameterError(
        f"must be names among {measure_choices()}; functions of operating points; or measures such "
        f"as f_at(0.5), but one is {given!r}",
        parameter=parameter,
    )


# ---------------------------------------------------------------------- the measures


def _of_pr_curve(name: str, interpolation: str, detail: Grain, shown: Shown) -> Measure:
    """Return the area under the PR curve by one interpolation."""
    return Measure(
        name,
        lambda points: points.pr.area(interpolation),
        detail,
        bounds=lambda gaps: gaps.pr(interpolation),
        stored=interpolation.replace("-", "_").upper(),
        interpolation=interpolation,
        space="pr",
        # Davis & Goadrich (2006): the curve of a constant score is the line of precision π.
        baseline=lambda constant: constant.prevalence,
        kernel={"davis-goadrich": "aupr", "average-precision": "average_precision"}.get(
            interpolation
        ),
        shown=shown,
        together=lambda tables: tables.pr_area(interpolation),
    )


# Hanley & McNeil 1982
AUROC = register(
    Measure(
        "AUROC",
        lambda points: points.roc.area(),
        Grain.RUNS,
        bounds=lambda gaps: gaps.roc,
        stored="ROC",
        space="roc",
        baseline=lambda _: 0.5,
        kernel="auroc",
        shown=Shown.HEADLINE,
        together=lambda tables: tables.roc_area,
    )
)
# Davis & Goadrich 2006, section 4
AUPR = register(_of_pr_curve("AUPR", "davis-goadrich", Grain.RUNS, Shown.HEADLINE))
# Buckley & Voorhees 2000; scikit-learn's average_precision_score
AVERAGE_PRECISION = register(
    _of_pr_curve("average precision", "average-precision", Grain.NEGATIVE_RUNS, Shown.COMPARED)
)
# Davis & Goadrich 2006, section 4
AUPR_LINEAR = register(_of_pr_curve("AUPR, linear", "linear", Grain.SCORES, Shown.SUMMARY))
# The program of Davis & Goadrich 2006
AUPR_INTEGER_STEPS = register(
    _of_pr_curve("AUPR, integer steps", "integer-steps", Grain.SCORES, Shown.SUMMARY)
)
# The interpolated precision of information retrieval
AUPR_MAX_PRECISION = register(
    _of_pr_curve("AUPR, max precision", "max-precision", Grain.SCORES, Shown.SUMMARY)
)
# Boyd et al. 2012
AUPR_NORMALISED = register(
    Measure(
        "AUPR, normalised",
        lambda points: points.pr.normalised_area(),
        Grain.RUNS,
        bounds=lambda gaps: gaps.normalised_pr(),
        needs=("ABOVE",),
        space="pr",
        shown=Shown.SUMMARY,
        together=lambda tables: tables.normalised_pr_area(),
    )
)
# Flach & Kull 2015
AUPRG = register(
    Measure(
        "AUPRG",
        lambda points: points.prg.area(),
        Grain.RUNS,
        bounds=lambda gaps: gaps.prg,
        stored="PRG",
        space="prg",
        baseline=lambda _: 0.0,
        kernel="auprg",
        shown=Shown.HEADLINE,
        together=lambda tables: tables.prg_area(),
        is_gain=True,
    )
)
# Flach & Kull 2015, Theorem 3
EXPECTED_F1_GAIN = register(
    Measure(
        "expected F1 gain",
        lambda points: points.prg.expected_f_gain(),
        Grain.RUNS,
        bounds=lambda gaps: gaps.expected_f_gain(),
        needs=("MISSES", "FALSE_ALARMS"),
        space="prg",
        # Recall gain takes all values from 0 to 1, and the losses 1 - F₁ gain have the mean ¾.
        baseline=lambda _: 0.25,
        shown=Shown.SUMMARY,
        together=lambda tables: tables.expected_f_gain(),
        is_gain=True,
    )
)
# Flach & Kull 2015, section 2
EXPECTED_ACCURACY = register(
    Measure(
        "expected accuracy",
        lambda points: points.roc.expected_accuracy(),
        Grain.RUNS,
        bounds=lambda gaps: gaps.expected_accuracy(),
        needs=("ROC",),
        space="roc",
        baseline=lambda _: 0.5,
        shown=Shown.SUMMARY,
        together=lambda tables: tables.expected_accuracy(),
    )
)
# Hanczar & Nadif
TRADEOFF_AREA = register(
    Measure(
        "tradeoff area",
        lambda points: points.tradeoff().area(),
        Grain.RUNS,
        bounds=lambda gaps: gaps.tradeoff(),
        space="tradeoff",
        of_curve=False,
        together=lambda tables: tables.tradeoff_area(),
    )
)
# Davis & Goadrich 2006, section 5
ACHIEVABLE_AUPR = register(
    Measure(
        "achievable AUPR",
        lambda points: points.hull().pr.area(),
        Grain.RUNS,
        bounds=lambda gaps: gaps.achievable_pr(),
        of_curve=False,
        shown=Shown.ON_REQUEST,
    )
)
_BUILT_IN = frozenset(_REGISTRY)

IN_KERNELS = {each.kernel: each for each in _REGISTRY.values() if each.kernel}
"""The measures that the resampling kernels compute, and whose influence has a formula."""


def pr_area(interpolation: str) -> Measure:
    """Return the area under the PR curve by the name of its interpolation."""
    return next(each for each in _REGISTRY.values() if each.interpolation == interpolation)


def area_in(space: str) -> Measure:
    """Return the area under the curve in a space."""
    shown = registered(Shown.COMPARED)
    return next(each for each in shown if each.space == space)


def f_at(threshold: float, *, beta: float = 1.0) -> Measure:
    """Return the measure F_β of the rule ``score >= threshold``.

    Examples
    --------
    >>> import isometrics as iso
    >>> from isometrics.measures import f_at
    >>> pts = iso.OperatingPoints.from_scores([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1])
    >>> f_at(0.7).name, f_at(0.7).of(pts)
    ('F (β 1) at 0.7', 0.8)
    """
    from isometrics._counting.confusion import f_name

    beta = _checked(beta)
    return _at(threshold, f_name(beta), lambda row: row.f(beta)[0])


def f_gain_at(threshold: float, *, beta: float = 1.0) -> Measure:
    """Return the measure F_β gain of the rule ``score >= threshold``."""
    beta = _checked(beta)
    return replace(_at(threshold, f_gain_name(beta), lambda row: row.f_gain(beta)[0]), is_gain=True)


def precision_at(threshold: float) -> Measure:
    """Return the measure precision of the rule ``score >= threshold``."""
    return _at(threshold, "precision", lambda row: row.precision[0])


def recall_at(threshold: float) -> Measure:
    """Return the measure recall of the rule ``score >= threshold``."""
    return _at(threshold, "recall", lambda row: row.recall[0])


def _at(threshold: float, what: str, of: Formula) -> Measure:
    from isometrics._core.parameters import check_threshold
    from isometrics._core.results import number

    cut = check_threshold(threshold)
    return Measure(
        f"{what} at {number(cut)}",
        lambda points: float(of(points.at([cut]))),
        Grain.CUTS,
        cut,
    )


def optimal_threshold(beta: float = 1.0) -> Measure:
    """Return the measure best threshold for F_β; of equally good ones, the highest."""
    from isometrics._counting.confusion import f_name

    beta = _checked(beta)
    name = f_name(beta, "best threshold")
    best = _at_best(name, beta, lambda points: points.thresholds)
    return replace(best, detail=Grain.SCORES, higher_is_better=False)


def optimal_f(beta: float = 1.0) -> Measure:
    """Return the measure F_β at its best threshold."""
    beta = _checked(beta)
    return _at_best(best_f_name(beta), beta, lambda points: points.f(beta))


def optimal_f_gain(beta: float = 1.0) -> Measure:
    """Return the measure F_β gain at its best threshold; classes have a mean by it."""
    beta = _checked(beta)
    best = _at_best(f"best {f_gain_name(beta)}", beta, lambda points: points.f_gain(beta))
    return replace(best, is_gain=True)


def _at_best(name: str, beta: float, of: Callable[[OperatingPoints], Floats]) -> Measure:
    """Return what the row with the highest F_β has."""

    def value(points: OperatingPoints) -> float:
        import numpy as np

        values = points.f(beta)
        # Equal values may differ in their last bits; the first row has the highest threshold.
        return float(of(points)[np.argmax(values >= np.nanmax(values) * (1 - 1e-15))])

    return Measure(name, value, Grain.RUNS)


def _checked(beta: float) -> float:
    from isometrics._core.parameters import check_beta

    return check_beta(beta)


def best_f_name(beta: float) -> str:
    """Return the printed name of F_β at its best threshold, such as ``best F (β 1)``."""
    from isometrics._counting.confusion import f_name

    return f_name(beta, "best F")


def f_gain_name(beta: float) -> str:
    """Return the printed name of the F_β gain, such as ``F gain (β 1)``."""
    from isometrics._counting.confusion import f_name

    return f_name(beta, "F gain")


def f_key(beta: float) -> str:
    """Return the name of F_β in a column: ``f1``, ``f0_5``."""
    from isometrics._core.results import number

    return f"f{number(beta)}".replace(".", "_")


# ---------------------------------------------------------------------- of tables


def area_brackets(
    points: OperatingPoints, areas: Iterable[str] | None = None
) -> dict[str, Bracket]:
    """Return bounds of areas, equal ones where a table knows its areas exactly.

    A table that was read with a tolerance keeps only some rows. Between two of them the curve may
    take any way up and to the right; the bounds are the areas of the worst and the best way.

    Parameters
    ----------
    points
        Any table with a curve.
    areas
        The names of the areas that are wanted, such as ``"AUROC"``; by default all of a curve.

    Examples
    --------
    >>> import isometrics as iso
    >>> pts = iso.OperatingPoints.from_scores([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1])
    >>> iso.area_brackets(pts, ["AUROC"])
    {'AUROC': Bracket(lo=0.75, hi=0.75)}
    """
    from isometrics.points.models import check_points

    check_points(points, "points")
    if areas is None:
        return bounds_of(points, [each for each in registered(Shown.SUMMARY) if each.of_curve])
    return bounds_of(points, parse_measures(areas, "areas"))


def bounds_of(points: OperatingPoints, measures: Sequence[Measure]) -> dict[str, Bracket]:
    """Return the bounds of measures by name; PR areas come from one pass over the rows."""
    from isometrics._table.table import KnownArea
    from isometrics.points.bounds import Bracket, GapBounds

    table = points.table
    stored = {each.name for each in KnownArea if each in table.known}
    exact = [
        each
        for each in measures
        if not table.partial or (each.needs and stored.issuperset(each.needs))
    ]
    added_up = tuple(each.interpolation for each in exact if each.interpolation)
    areas = points.pr.areas(interpolations=added_up) if added_up else {}
    missing = (each.interpolation for each in measures if each.interpolation)
    gaps = GapBounds(table, tuple(name for name in missing if name not in areas))

    def bounds(measure: Measure) -> Bracket:
        if measure in exact:
            value = areas[measure.interpolation] if measure.interpolation else measure.of(points)
            return Bracket(value, value)
        return measure.bounds(gaps) if measure.bounds else Bracket(-math.inf, math.inf)

    return {measure.name: bounds(measure) for measure in measures}


def measures_of(points: OperatingPoints) -> dict[str, Bracket]:
    """Return the measures of a table, NaN where one is not defined.

    Examples
    --------
    >>> import isometrics as iso
    >>> from isometrics.measures import measures_of
    >>> pts = iso.OperatingPoints.from_scores([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1])
    >>> round(measures_of(pts)["tradeoff area"].lo, 6)
    0.863046
    """
    from isometrics.points.bounds import Bracket

    measures = registered(Shown.SUMMARY)
    undefined = Bracket(math.nan, math.nan)
    with warnings.catch_warnings():
        # The value is NaN; the summary that shows it says why.
        warnings.simplefilter("ignore", UndefinedWarning)
        try:
            bounds = area_brackets(points)
        except NoCurveError:
            bounds = {each.name: undefined for each in measures if each.of_curve}
        bounds |= bounds_of(points, [each for each in measures if not each.of_curve])
    return {measure.name: bounds[measure.name] for measure in measures}


def measures_together(
    points: Sequence[OperatingPoints], tables: ShortTables
) -> tuple[Floats, Floats]:
    """Return `measures_of` and `baselines_of` many short tables, a row for each table."""
    import numpy as np

    measures = registered(Shown.SUMMARY)
    values, baselines = np.empty((2, len(points), len(measures)))
    constants: Any = tables.constants()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UndefinedWarning)
        for column, each in enumerate(measures):
            if each.together is None:
                values[:, column] = list(map(each.of, points))
                baselines[:, column] = [_baseline(each, p.positives, p.negatives) for p in points]
            else:
                values[:, column] = each.together(tables)
                baselines[:, column] = (each.baseline or each.together)(constants)
    return values, baselines


def baselines_of(points: OperatingPoints) -> dict[str, float]:
    """Return the measures of a model that gives every row one score.

    Notes
    -----
    In PR space its curve is the line of precision π (Davis & Goadrich 2006), in PRG space the
    line of precision gain 0. Along it recall gain takes all values from 0 to 1, and the losses
    1 - F₁ gain have the mean ¾ (Flach & Kull 2015, Th. 3).
    """
    totals = points.positives, points.negatives
    return {each.name: _baseline(each, *totals) for each in registered(Shown.SUMMARY)}


@lru_cache(maxsize=1024)
def _baseline(measure: Measure, positives: Total, negatives: Total) -> float:
    """Return the baseline for totals, which many models and groups share."""
    return (measure.baseline or measure.of)(constant_table(positives, negatives))


@lru_cache(maxsize=1024)
def constant_table(positives: Total, negatives: Total) -> OperatingPoints:
    """Return the table of a model that gives every row of a sample one score."""
    from isometrics.points import OperatingPoints

    return OperatingPoints.from_counts([], [], positives=positives, negatives=negatives)
