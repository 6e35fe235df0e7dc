"""The areas that random rankings reach, and tests against them."""

from __future__ import annotations

import math
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np

from isometrics._core.parameters import check_size, parse_jobs, parse_random_state
from isometrics._core.results import ResultTable
from isometrics._core.sample import check_totals
from isometrics._counting.draws import AREAS, Order, Stream, streams
from isometrics._counting.replicates import kernel_named
from isometrics._counting.segments import area_below, bend, log_rates
from isometrics.errors import NotAnswerableError, ParameterError
from isometrics.measures import IN_KERNELS, kernel_of, parse_measures
from isometrics.points import OperatingPoints
from isometrics.uncertainty.resampling import Scores, scores_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from numpy.typing import ArrayLike, NDArray

    from isometrics._core.arrays import Floats
    from isometrics._counting.replicates import Kernel

_MEASURES = tuple(measure.name for measure in IN_KERNELS.values())

_CELLS = 5e6
"""The largest product of both totals for which the expectation of AUPR is summed exactly."""

_BLOCK = 1 << 16
"""How many numbers of negatives are evaluated together."""

_TERM_BY_TERM = 1 << 15
"""Below this number inverse squares are added up term by term."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ChanceTest(ResultTable):
    """Areas compared with those of random rankings, one row for each area.

    Attributes
    ----------
    measures
        The areas.
    observed
        Their values.
    expected
        Their expectation under a random ranking with the same scores, positives and negatives.
    error
        The standard error of `expected`: 0 where a formula gives it, else that of the simulation.
    reached
        The value that 5 % of the random rankings reach or exceed.
    p
        The probability that a random ranking is at least as good, from the simulation.
    prevalence
        The share of positives, which a random ranking exceeds when positives are few.
    n_permutations
        The number of random rankings.
    """

    measures: tuple[str, ...]
    observed: Floats
    expected: Floats
    error: Floats
    reached: Floats
    p: Floats
    prevalence: float
    n_permutations: int

    def _title(self) -> str:
        return (
            f"ChanceTest: against {self.n_permutations} random rankings at prevalence "
            f"{self.prevalence:.6g}"
        )

    def _columns(self) -> dict[str, Any]:
        return {"measure": list(self.measures)} | self._named(
            "observed", "expected", "error", "reached", "p"
        )


def permutation_test(
    y_true: OperatingPoints | ArrayLike,
    y_score: ArrayLike | None = None,
    *,
    measures: str | Iterable[str] = _MEASURES,
    pos_label: object = None,
    n_permutations: int = 2000,
    random_state: object = None,
    n_jobs: int | None = None,
    kernel: str = "auto",
) -> ChanceTest:
    """Test whether a ranking is better than chance, and return what chance achieves.

    Parameters
    ----------
    y_true
        The operating points of one model; or labels.
    y_score
        With labels: the scores.
    measures
        Areas: ``"AUROC"``, ``"AUPR"``, ``"average precision"``, ``"AUPRG"``.
    pos_label
        The label of the positive class.
    n_permutations
        How many times the labels are permuted over the scores, ties included.
    random_state, n_jobs, kernel
        As for `bootstrap`.

    Notes
    -----
    The p-value is (1 + rankings at least as good)/(1 + rankings), so it is never 0. With few
    positives the expected AUPR and average precision lie well above the prevalence. Expectations
    by formula: ½ for AUROC; average precision always, by the moments of the hypergeometric
    distribution (without ties as in Bestgen 2015); AUPRG without ties; AUPR without ties where
    positives times negatives is at most five million. Others are means of the simulation.

    Examples
    --------
    >>> import isometrics as iso
    >>> from isometrics.uncertainty.permutation import permutation_test
    >>> labels = [1, 0, 1, 1, 0, 0, 0, 0, 0, 0]
    >>> result = permutation_test(labels, range(10, 0, -1), random_state=0)
    >>> result.expected.round(6).tolist()
    [0.5, 0.383888, 0.450031, -0.037202]
    """
    chosen = parse_measures(measures)
    areas = []
    for measure in chosen:
        if (area := kernel_of(measure)) is None:
            names = ", ".join(map(repr, _MEASURES))
            raise ParameterError(f"measures must be among {names} but one is {measure.name!r}")
        areas.append(area)
    n_permutations = check_size(n_permutations, "n_permutations")
    points = _points(y_true, y_score, pos_label)
    scores = scores_of(points.table)
    if scores.positive.dtype.kind == "f" or scores.negative.dtype.kind == "f":
        raise NotAnswerableError(
            "the counts of these operating points are not whole rows, so labels cannot be "
            "permuted; pass a table of unweighted scores"
        )
    simulated = _simulated(
        scores,
        n_permutations,
        parse_random_state(random_state),
        parse_jobs(n_jobs),
        kernel_named(kernel),
    )[:, list(map(AREAS.index, areas))]
    observed = np.array([measure.of(points) for measure in chosen])
    formulas = [_exact(area, scores) for area in areas]
    has_formula = np.array([value is not None for value in formulas])
    error = simulated.std(axis=0, ddof=1) / np.sqrt(n_permutations)
    # The kernel rounds in another order than the spaces, and a tie must count as one.
    as_good = (simulated >= observed - 1e-12 * (1 + np.abs(observed))).sum(axis=0)
    return ChanceTest(
        tuple(measure.name for measure in chosen),
        observed,
        np.where(has_formula, [value or 0.0 for value in formulas], simulated.mean(axis=0)),
        np.where(has_formula, 0.0, error),
        np.quantile(simulated, 0.95, axis=0, method="higher"),
        (1 + as_good) / (1 + n_permutations),
        points.prevalence,
        n_permutations,
    )


def _points(
    y_true: OperatingPoints | ArrayLike, y_score: ArrayLike | None, pos_label: object
) -> OperatingPoints:
    if isinstance(y_true, OperatingPoints):
        if y_score is not None:
            raise ParameterError("pass operating points alone, or labels with scores, not both")
        return y_true
    if y_score is None:
        raise ParameterError("labels need scores: pass y_score=, or operating points alone")
    return OperatingPoints.from_scores(y_true, y_score, pos_label=pos_label)


# ---------------------------------------------------------------------- simulation


def _simulated(
    scores: Scores, permutations: int, seed: np.random.SeedSequence, n_jobs: int, kernel: Kernel
) -> Floats:
    """Return the areas of random rankings, one row each."""
    sizes = scores.positive + scores.negative
    ends = np.cumsum(sizes)
    positives = int(scores.positive.sum())
    fewer = min(positives, int(ends[-1]) - positives)
    # Every score may hold both classes, so all cells of a score are tied.
    score = np.arange(sizes.size, dtype=np.int32)
    order = Order(score, score + 1, 0.0, True)
    areas = np.empty((permutations, len(AREAS)))

    def work(block: tuple[range, Stream]) -> None:
        replicates, stream = block
        for row in replicates:
            rows = stream.large.choice(ends[-1], fewer, replace=False, shuffle=False)
            score_of_row = np.searchsorted(ends, rows, "right")
            permuted = np.bincount(score_of_row, minlength=sizes.size)
            positive = (permuted if fewer == positives else sizes - permuted).astype(np.float64)[
                None
            ]
            negative = sizes - positive
            kernel.areas(positive, negative, order, areas[row : row + 1])

    with ThreadPoolExecutor(n_jobs) as pool:
        blocks = streams(seed, permutations)
        for _ in pool.map(work, blocks) if n_jobs > 1 else map(work, blocks):
            pass
    return areas


# ---------------------------------------------------------------------- expectations


def chance_level(positives: int, negatives: int) -> dict[str, float]:
    """Return the expected areas of a random ranking of distinct scores.

    NaN for AUPR where positives times negatives exceeds five million; it then lies close to the
    prevalence, and `permutation_test` estimates it.

    Examples
    --------
    >>> from isometrics.uncertainty.permutation import chance_level
    >>> {name: round(value, 6) for name, value in chance_level(5, 995).items()}
    {'AUROC': 0.5, 'AUPR': 0.008359, 'average precision': 0.01146, 'AUPRG': -15.763229}
    """
    totals = check_totals(positives, negatives)
    if not all(isinstance(total, int) for total in totals):
        raise ParameterError(
            f"positives and negatives must be whole numbers but are {positives} and {negatives}"
        )
    counts = tuple(map(int, totals))
    levels = {each.name: _without_ties(area, *counts) for area, each in IN_KERNELS.items()}
    return {name: float("nan") if value is None else value for name, value in levels.items()}


def _exact(area: str, scores: Scores) -> float | None:
    """Return the expectation under a random ranking, None where no formula is used."""
    if not (scores.positive + scores.negative > 1).any():
        return _without_ties(area, int(scores.positive.sum()), int(scores.negative.sum()))
    formulas = {"auroc": lambda _: 0.5, "average_precision": _average_precision_of_ties}
    return formulas[area](scores) if area in formulas else None


def _without_ties(area: str, positives: int, negatives: int) -> float | None:
    """Return the expectation for distinct scores, which depends on the totals alone."""
    formulas: dict[str, Callable[[int, int], float | None]] = {
        "auroc": lambda *_: 0.5,
        "average_precision": _average_precision,
        "aupr": _aupr,
        "auprg": _auprg,
    }
    return formulas[area](positives, negatives)


def _chances(positives: float, total: float) -> tuple[float, float]:
    """Return the probabilities that one row is positive, and that two rows both are."""
    single = positives / total
    return single, single * (positives - 1) / (total - 1)


def _average_precision_of_ties(scores: Scores) -> float:
    """E = (1/P)·Σ E[t·T]/n over tie groups, t of T positives so far among n rows so far.

    t and the positives before it are hypergeometric, so E[t·T] needs two chances.
    """
    sizes = (scores.positive + scores.negative).astype(np.float64)
    positives = float(scores.positive.sum())
    single, both = _chances(positives, float(sizes.sum()))
    ends = np.cumsum(sizes)
    products = sizes * (single - both) + sizes * ends * both
    return float(np.sum(products / ends) / positives)


def _average_precision(positives: int, negatives: int) -> float:
    """Return the same where every tie group is one row: 1/n adds up to a harmonic number."""
    from scipy.special import digamma

    total = positives + negatives
    single, both = _chances(positives, total)
    harmonic = float(digamma(total + 1.0)) + np.euler_gamma
    return ((single - both) * harmonic + total * both) / positives


def _auprg(positives: int, negatives: int) -> float:
    """Before the i-th of P positives stand i·N/(P+1) negatives, and the loss is linear in them.

    With c = π·P, the true positives at a recall gain of 0, the loss is the sum of
    i·(1/max(i-1, c)² - 1/i²) over all i > c. After the first of them, i/(i-1)² - 1/i is
    1/(i-1) - 1/i, which telescopes, plus 1/(i-1)².
    """
    crossing = positives * (positives / (positives + negatives))
    first = math.floor(crossing) + 1
    begun = first / crossing**2 - 1 / first
    telescoped = (positives - first) / (first * positives)
    lost = begun + telescoped + _inverse_squares(first, positives)
    return 1 - (positives / negatives) ** 2 * positives / 2 * negatives / (positives + 1) * lost


def _inverse_squares(start: int, stop: int) -> float:
    """Return the sum of 1/j² from `start` to `stop` - 1.

    Above some thousands the Euler-Maclaurin formula is exact to the last digit with two
    corrections. Its differences are written as products, so that they do not cancel.
    """
    middle = min(max(start, _TERM_BY_TERM), stop)
    few = np.arange(start, middle, dtype=np.float64)
    gap = (stop - middle) / (middle * stop)
    squares = gap * (1 / middle + 1 / stop)
    cubes = gap * (1 / middle**2 + 1 / (middle * stop) + 1 / stop**2)
    return float(np.sum(1 / few**2)) + gap + squares / 2 + cubes / 6


def _aupr(positives: int, negatives: int) -> float | None:
    """Sum the area up to the i-th positive after y negatives, over all i and y."""
    if positives * negatives > _CELLS:
        return None
    logs = np.concatenate([[0.0], np.cumsum(np.log(np.arange(1, positives + negatives + 1)))])

    def choose(n: NDArray[np.int64], k: NDArray[np.int64] | int) -> Floats:
        return np.asarray(logs[n] - logs[k] - logs[n - k])

    every = float(choose(np.array([positives + negatives]), positives)[0])
    expected = 0.0
    for rank, start in product(range(1, positives + 1), range(0, negatives + 1, _BLOCK)):
        y = np.arange(start, min(start + _BLOCK, negatives + 1))
        behind = choose(rank - 1 + y, rank - 1)
        left = choose(positives - rank + negatives - y, positives - rank)
        # From the empty rule on y is 0, whatever the rate.
        rates = log_rates(np.maximum(rank - 1.0 + y, 1.0), np.ones(y.size))
        area = area_below(1.0, 1.0, bend(rank - 1.0, y, 1.0, 0.0, rates))
        expected += float(np.exp(behind + left - every) @ area)
    return expected / positives
