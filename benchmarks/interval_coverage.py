"""How often 95% intervals contain the value of the population, in simulated samples.

Positives score N(μ, 1) and negatives N(0, 1). Run from the root of the repository:

    python benchmarks/interval_coverage.py                 # the three settings that must hold
    python benchmarks/interval_coverage.py others 2000     # harder ones, 2000 samples each
    python benchmarks/interval_coverage.py bands 200       # bands around curves

Prints a table and its seeds; writes nothing.
"""

import math
import sys
import time
import warnings
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import integrate, optimize
from scipy.special import ndtr, ndtri

import isometrics as iso
from isometrics.measures import f_at, optimal_f, optimal_threshold
from isometrics.uncertainty.intervals import METHODS

SEED = 20_260
AREAS = ("AUROC", "AUPR", "AUPRG")

Sample = tuple[NDArray[np.bool_], NDArray[np.float64], NDArray[np.intp] | None]


class Setting(NamedTuple):
    """A kind of sample, and what is asked of it."""

    name: str
    rows: int
    prevalence: float
    shift: float = 1.0
    fixed: bool = False
    clusters: int = 0
    grouped: bool = False
    measures: tuple[object, ...] = AREAS
    prevalence_known: bool = False


REQUIRED = [
    Setting("1000 rows", 1000, 0.5),
    Setting("1000 rows", 1000, 0.1),
    Setting("5000 rows", 5000, 0.02),
]
OTHERS = [
    Setting("1000 rows, class totals fixed, stratified=True", 1000, 0.5, fixed=True),
    Setting("1000 rows, class totals fixed, stratified=True", 1000, 0.1, fixed=True),
    Setting("5000 rows, class totals fixed, stratified=True", 5000, 0.02, fixed=True),
    Setting("1000 rows, prevalence known, prevalence=0.1", 1000, 0.1, prevalence_known=True),
    Setting("200 rows", 200, 0.5),
    Setting("200 rows", 200, 0.1),
    Setting("1000 rows", 1000, 0.02),
    Setting("1000 rows, μ = 3", 1000, 0.1, shift=3.0),
    Setting("200 clusters of 5, ignored", 1000, 0.5, clusters=200),
    Setting("200 clusters of 5, clusters=", 1000, 0.5, clusters=200, grouped=True),
    Setting(
        "1000 rows",
        1000,
        0.1,
        measures=(f_at(1.0), optimal_f(), optimal_threshold()),
    ),
]

# ---------------------------------------------------------------------- the population


def population(setting: Setting) -> list[float]:
    """Return the values of the population, by quadrature."""
    share, shift = setting.prevalence, setting.shift
    odds = share / (1 - share)

    def recall(t: float) -> float:
        return float(ndtr(shift - t))

    def false(t: float) -> float:
        return float(ndtr(-t))

    def precision(t: float) -> float:
        return share * recall(t) / (share * recall(t) + (1 - share) * false(t))

    def f1(t: float) -> float:
        return 2 / (1 / precision(t) + 1 / recall(t))

    def density(t: float) -> float:
        return math.exp(-((t - shift) ** 2) / 2) / math.sqrt(2 * math.pi)

    def integral(of: Callable[[float], float], upper: float) -> float:
        return float(integrate.quad(of, -8.0, upper, epsabs=1e-13, epsrel=1e-13, limit=400)[0])

    crossing = shift - float(ndtri(share))
    best = optimize.minimize_scalar(
        lambda t: -f1(t), bounds=(-3, 5), method="bounded", options={"xatol": 1e-12}
    ).x
    values = {
        "AUROC": float(ndtr(shift / math.sqrt(2))),
        "AUPR": integral(lambda t: precision(t) * density(t), 8 + shift),
        "AUPRG": integral(
            lambda t: (1 - false(t) / recall(t)) * odds / recall(t) ** 2 * density(t), crossing
        ),
        "F (β 1) at 1": f1(1.0),
        "best F (β 1)": f1(best),
        "best threshold (β 1)": float(best),
    }
    return [values[m if isinstance(m, str) else m.name] for m in setting.measures]


# ---------------------------------------------------------------------- samples


def sample(setting: Setting, random: np.random.Generator) -> Sample:
    """Draw labels, scores and clusters."""
    rows = setting.rows
    if setting.clusters:
        # All rows of a cluster have one label, and share half the variance of their scores.
        cluster = np.arange(rows) % setting.clusters
        labels = (random.random(setting.clusters) < setting.prevalence)[cluster]
        shared = random.normal(size=setting.clusters)[cluster]
        noise = (shared + random.normal(size=rows)) / math.sqrt(2)
        return labels, setting.shift * labels + noise, cluster
    labels = random.random(rows) < setting.prevalence
    if setting.fixed:
        labels = np.arange(rows) < round(rows * setting.prevalence)
    return labels, random.normal(setting.shift * labels), None


def misses(setting: Setting, samples: int, number: int) -> NDArray[np.int64]:
    """Count for each method and measure how often the value lies below and above the interval."""
    truth = np.array(population(setting))
    counted = np.zeros((len(METHODS), truth.size, 3), np.int64)
    for child in np.random.SeedSequence([SEED, number]).spawn(samples):
        drawing, drawn = child.spawn(2)
        labels, scores, cluster = sample(setting, np.random.default_rng(drawing))
        result = iso.bootstrap(
            labels,
            scores,
            measures=setting.measures,
            clusters=cluster if setting.grouped else None,
            stratified=setting.fixed,
            prevalence=setting.prevalence if setting.prevalence_known else None,
            random_state=drawn,
        )
        for row, method in enumerate(METHODS):
            found = result.with_intervals(method)
            counted[row, :, 0] += found.lower[0] > truth
            counted[row, :, 1] += found.upper[0] < truth
            counted[row, :, 2] += np.isnan(found.lower[0])
    return counted


# ---------------------------------------------------------------------- bands


def heights(space: str, x: NDArray[np.float64], share: float) -> NDArray[np.float64]:
    """Return the curve of the population, for μ = 1."""
    odds = share / (1 - share)
    recall = {"roc": ndtr(1 + ndtri(x)), "pr": x, "prg": odds / (1 + odds - x)}[space]
    false = x if space == "roc" else ndtr(ndtri(recall) - 1)
    if space == "roc":
        return recall
    return recall / (recall + false / odds) if space == "pr" else 1 - false / recall


def bands(samples: int) -> None:
    """Print how often bands contain the curve, where they say something."""
    print("| rows | π | space | from | to | pointwise | simultaneous |")
    print("|---|---|---|---|---|---|---|")
    for setting in REQUIRED[:2]:
        for space in ("roc", "pr", "prg"):
            places = np.linspace(0.01, 0.99, 99)
            truth = heights(space, places, setting.prevalence)
            inside = np.full((samples, places.size), np.nan)
            whole = 0
            for number, child in enumerate(np.random.SeedSequence(SEED).spawn(samples)):
                drawing, drawn = child.spawn(2)
                labels, scores, _ = sample(setting, np.random.default_rng(drawing))
                options = {"space": space, "x": places, "n_resamples": 1000, "random_state": drawn}
                curves = iso.bootstrap_curves(labels, scores, **options)
                band, wide = (curves.band(kind=kind) for kind in ("pointwise", "simultaneous"))
                told = ~np.isnan(band.lower)
                within = (band.lower <= truth) & (truth <= band.upper)
                inside[number, told] = within[told]
                whole += ((wide.lower <= truth) & (truth <= wide.upper))[told].all()
            usual = np.mean(~np.isnan(inside), axis=0) > 0.5
            ends = places[usual][[0, -1]]
            print(
                f"| {setting.rows} | {setting.prevalence:g} | {space} | {ends[0]:.2f} "
                f"| {ends[1]:.2f} | {100 * np.nanmean(inside[:, usual]):.1f} "
                f"| {100 * whole / samples:.1f} |",
                flush=True,
            )


def main() -> None:
    others = "others" in sys.argv
    samples = next((int(word) for word in sys.argv[1:] if word.isdigit()), 1000)
    if "bands" in sys.argv:
        bands(samples)
        return
    error = 100 * math.sqrt(0.95 * 0.05 / samples)
    print(f"{samples} samples of each setting, 2000 replicates, seed {SEED} and the setting's row")
    print(f"Coverage in %, in brackets the misses below and above; standard error {error:.1f}\n")
    print("| setting | π | measure | population | " + " | ".join(METHODS) + " |")
    print("|" + "---|" * (4 + len(METHODS)))
    first = len(REQUIRED) if others else 0
    for number, setting in enumerate(OTHERS if others else REQUIRED, start=first):
        started = time.perf_counter()
        truth, counted = population(setting), misses(setting, samples, number)
        for place, measure in enumerate(setting.measures):
            cells = []
            for below, above, undefined in counted[:, place] / samples * 100:
                cell = f"{100 - below - above - undefined:.1f} ({below:.1f}, {above:.1f})"
                cells.append(cell + (f", {undefined:.1f} undefined" if undefined else ""))
            name = measure if isinstance(measure, str) else measure.name
            start = f"| {setting.name} | {setting.prevalence:g} | {name} | {truth[place]:.10f} | "
            print(start + " | ".join(cells) + " |")
        print(f"{time.perf_counter() - started:.0f} s", file=sys.stderr, flush=True)


if __name__ == "__main__":
    with warnings.catch_warnings():
        # Small samples leave some replicates without a class; they are counted as undefined.
        warnings.simplefilter("ignore", iso.UndefinedWarning)
        main()
