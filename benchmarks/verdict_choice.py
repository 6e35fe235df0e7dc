"""Judge what a verdict says about its choice: the rivals, the lead, the use, the constraints.

Usage: python benchmarks/verdict_choice.py RESULTS.jsonl [--samples 1000] [--device cpu] [--write]

Samples are drawn as in verdict.py. For each cell this says how often the model confidence set
holds the model with the highest true value and how often it holds nothing else, how often an
interval covers the true lead of the first model over the second one, how often the choice is called
better than the best trivial rule, and how often a constraint is kept in the population. Needs
torch. A cell that the file of results has already is left out. ``--write`` makes verdict_choice.md
of the results.
"""

from __future__ import annotations

import time
from argparse import Namespace
from collections.abc import Callable
from dataclasses import asdict
from functools import cached_property
from itertools import pairwise
from statistics import NormalDist, fmean

import torch
from verdict_cells import run_cells

from verdict import (
    BOOTSTRAPS,
    ENOUGH,
    FOLDS,
    REPEATS,
    Cell,
    Samples,
    hash_of,
    judged,
    quantiles,
    tail,
    truth,
    value,
)

LEVEL = 0.95
PERMUTATIONS = 99
PRECISION, RECALL = 0.5, 0.8
"""What is asked for: the precision of the rules with the most recall, and the other way round."""
CHANCES = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)
"""The ends of the bins in which chances are compared with shares."""


# ---------------------------------------------------------------------- one batch of samples


class Trial:
    """Samples, the best rule of each model there, and what resampling makes of these rules.

    Tensors are samples × models, or samples × replicates × models.
    """

    def __init__(self, cell: Cell, count: int, device: str, generator: torch.Generator) -> None:
        self.cell, self.device, self.generator = cell, device, generator
        self.data = data = Samples(cell, count, device, generator)
        self.size = data.labels.shape[0]
        self.positives = data.labels.sum(-1)
        models = range(cell.k)
        ones = torch.ones(self.size, 1, cell.n, device=device)
        best = [data.best(ones, model) for model in models]
        self.apparent = torch.stack([values[:, 0] for values, _ in best], -1)
        self.row = torch.stack([rows[:, 0] for _, rows in best], -1)
        self.threshold = data.scores.gather(-1, self.row.unsqueeze(-1)).squeeze(-1)
        separations = data.separations.expand(self.size, -1)
        self.target = torch.stack(
            [truth(cell, separations[:, j], self.threshold[:, j]) for j in models], -1
        )
        self.chosen = self.apparent.argmax(-1, keepdim=True)

        self.weights = weights = data.draw(BOOTSTRAPS)
        self.drawn_positives = (weights * data.labels[:, None]).sum(-1)
        fixed, full, outside = [], [], []
        for model in models:
            rows = self.row[:, model, None].expand(-1, BOOTSTRAPS)
            fixed.append(judged(cell.objective, *data.counts(weights, model, rows)))
            values, rows = data.best(weights, model)
            full.append(values)
            counts = data.counts(ones.expand_as(weights), model, rows)
            outside.append(judged(cell.objective, *counts))
        self.fixed, self.full, self.outside = (
            torch.stack(each, -1) for each in (fixed, full, outside)
        )
        self._cross_fit()

    def _cross_fit(self) -> None:
        """Flag each row by rules that were chosen on other folds: of each model, and the best."""
        data, models = self.data, range(self.cell.k)
        folds = data.folds()
        flagged = torch.zeros(self.size, self.cell.k, *folds.shape[1:], device=self.device)
        chosen = torch.zeros(folds.shape, device=self.device)
        for fold in range(FOLDS):
            best = [data.best((folds != fold).float(), model) for model in models]
            winner = torch.stack([values for values, _ in best], -1).argmax(-1)
            here = folds == fold
            for model in models:
                flag = data.rank[:, model].unsqueeze(1) <= best[model][1].unsqueeze(-1)
                flagged[:, model] = torch.where(here, flag.float(), flagged[:, model])
                wins = here & (winner == model).unsqueeze(-1)
                chosen = torch.where(wins, flag.float(), chosen)
        self.crossed_each = torch.stack(
            [self._pooled(flagged[:, model]).mean(-1) for model in models], -1
        )
        self.crossed = self._pooled(chosen).mean(-1)
        hits = (chosen * data.labels[:, None]).sum(-1)
        self.crossed_recall = (hits / self.positives[:, None]).mean(-1)

    def _pooled(self, flags):
        """Return the value of flags, samples × repeats × rows."""
        labels, positives = self.data.labels[:, None], self.positives[:, None]
        hits, alarms = (flags * labels).sum(-1), (flags * (1 - labels)).sum(-1)
        totals = positives.expand_as(hits)
        return judged(self.cell.objective, hits, alarms, totals, self.cell.n - totals)

    def of_chosen(self, values):
        """Return the values of the chosen model."""
        if values.dim() == 2:
            return values.gather(1, self.chosen)[:, 0]
        return values.gather(-1, self.chosen[:, None].expand(-1, values.shape[1], 1))[..., 0]

    @cached_property
    def corrected_each(self):
        """The value of each model less the optimism of choosing its threshold."""
        return self.apparent - (self.full - self.outside).mean(1)

    @cached_property
    def corrected(self):
        """The value of the chosen model less the optimism of choosing model and threshold."""
        best = self.full.argmax(-1, keepdim=True)
        optimism = (self.full.gather(-1, best) - self.outside.gather(-1, best)).mean((1, 2))
        return self.of_chosen(self.apparent) - optimism


def trivial(objective: str, positives, negatives):
    """Return the value of the better one of flagging everything and flagging nothing."""
    everything = judged(objective, positives, negatives, positives, negatives)
    if objective != "cost":
        return everything
    zero = torch.zeros_like(positives)
    return torch.maximum(everything, judged(objective, zero, zero, positives, negatives))


# ---------------------------------------------------------------------- rivals


def largest_lag_set(values, replicates):
    """Return which models stay by T_max of Hansen, Lunde & Nason (2011); samples × models.

    Each model is compared with the mean of those that are left. Of `replicates`, which are
    samples × replicates × models, only the spread is used.
    """
    centred = replicates - replicates.mean(1, keepdim=True)
    stay = torch.ones_like(values, dtype=torch.bool)
    going = torch.ones(values.shape[0], dtype=torch.bool, device=values.device)
    for _ in range(values.shape[1] - 1):
        size = stay.sum(-1, keepdim=True).float()
        lag = (values * stay).sum(-1, keepdim=True) / size - values
        lags = (centred * stay[:, None]).sum(-1, keepdim=True) / size[:, None] - centred
        error = lags.std(1).clamp_min(1e-9)
        largest, worst = torch.where(stay, lag / error, -torch.inf).max(-1)
        drawn = torch.where(stay[:, None], lags / error[:, None], -torch.inf).amax(-1)
        going = going & rejected(drawn, largest) & (stay.sum(-1) > 1)
        stay = without(stay, worst, going)
    return stay


def largest_difference_set(values, replicates):
    """Return the same by T_R, the largest studentised difference of two models."""
    centred = replicates - replicates.mean(1, keepdim=True)
    error = errors_of_differences(centred)
    difference = values[:, :, None] - values[:, None]
    stay = torch.ones_like(values, dtype=torch.bool)
    going = torch.ones(values.shape[0], dtype=torch.bool, device=values.device)
    for _ in range(values.shape[1] - 1):
        pairs = stay[:, :, None] & stay[:, None]
        largest = torch.where(pairs, difference.abs() / error, -torch.inf).amax((1, 2))
        drawn = largest_differences(centred, error, pairs)
        worst = torch.where(pairs, -difference / error, -torch.inf).amax(-1).argmax(-1)
        going = going & rejected(drawn, largest) & (stay.sum(-1) > 1)
        stay = without(stay, worst, going)
    return stay


def errors_of_differences(centred):
    """Return the standard error of the difference of every two models."""
    models = range(centred.shape[-1])
    errors = [(centred[:, :, model, None] - centred).std(1) for model in models]
    return torch.stack(errors, 1).clamp_min(1e-9)


def largest_differences(centred, error, pairs):
    """Return the largest studentised difference of the pairs in each replicate."""
    largest = torch.full(centred.shape[:2], -torch.inf, device=centred.device)
    for model in range(centred.shape[-1]):
        others = (centred[:, :, model, None] - centred).abs() / error[:, None, model]
        others = torch.where(pairs[:, None, model], others, -torch.inf).amax(-1)
        largest = torch.maximum(largest, others)
    return largest


def rejected(drawn, largest):
    return (drawn >= largest[:, None]).float().mean(1) < 1 - LEVEL


def without(stay, worst, going):
    keeps = stay.gather(1, worst[:, None]) & ~going[:, None]
    return stay.scatter(1, worst[:, None], keeps)


def sets_of(trial: Trial) -> dict:
    """Say what confidence sets hold, by statistic, centre and spread; the chosen model is added."""
    if trial.cell.k == 1:
        return {}
    highest = trial.target.argmax(-1, keepdim=True)
    centres = {
        "apparent": trial.apparent,
        "corrected": trial.corrected_each,
        "cross-fitted": trial.crossed_each,
    }
    spreads = {"fixed": trial.fixed, "full": trial.full}
    results = {}
    for statistic, of in {"T_max": largest_lag_set, "T_R": largest_difference_set}.items():
        for centre, values in centres.items():
            for spread, replicates in spreads.items():
                stay = of(values, replicates)
                keeps = stay.gather(1, trial.chosen)[:, 0]
                stay = stay.scatter(1, trial.chosen, True)
                results[f"{statistic}, {centre}, {spread}"] = {
                    "holds": stay.gather(1, highest)[:, 0].float(),
                    "alone": (stay.sum(-1) == 1).float(),
                    "size": stay.sum(-1).float(),
                    "keeps chosen": keeps.float(),
                }
    return results


def leads_of(trial: Trial) -> dict:
    """Compare the lead of the first model over the second one with the true one."""
    if trial.cell.k == 1:
        return {}
    first_two = trial.apparent.argsort(-1, descending=True)[:, :2]
    others = trial.corrected_each.scatter(1, trial.chosen, -torch.inf)
    best_other = torch.cat([trial.chosen, others.argmax(-1, keepdim=True)], 1)
    again = trial.full.argsort(-1, descending=True)[..., :2]
    inside, outside = trial.full.gather(-1, again), trial.outside.gather(-1, again)
    promised = (inside[..., 0] - inside[..., 1]) - (outside[..., 0] - outside[..., 1])
    seen = difference_of(trial.apparent, first_two)
    estimates = {
        "apparent": (seen, first_two),
        "corrected": (seen - promised.mean(1), first_two),
        "corrected each": (difference_of(trial.corrected_each, first_two), first_two),
        "cross-fitted": (difference_of(trial.crossed_each, first_two), first_two),
        "best of the others": (difference_of(trial.corrected_each, best_other), best_other),
    }
    results = {}
    for name, (centre, pair) in estimates.items():
        true = difference_of(trial.target, pair)
        two = trial.fixed.gather(-1, pair[:, None].expand(-1, BOOTSTRAPS, 2))
        low, high = quantiles(two[..., 0] - two[..., 1]) - difference_of(trial.apparent, pair)
        margins = {"percentiles": (low, high)}
        for spread, replicates in {"fixed": trial.fixed, "full": trial.full}.items():
            half = simultaneous(replicates, pair)
            margins[f"simultaneous, {spread}"] = (-half, half)
        for interval, (low, high) in margins.items():
            results[f"{name}, {interval}"] = {
                "error": centre - true,
                "covered": ((centre + low <= true) & (true <= centre + high)).float(),
                "width": high - low,
            }
    return results


def difference_of(values, pair):
    """Return how much higher the value of the first of two models is."""
    two = values.gather(1, pair)
    return two[:, 0] - two[:, 1]


def simultaneous(replicates, first_two):
    """Return the half-width for two models of intervals that hold for all pairs together."""
    centred = replicates - replicates.mean(1, keepdim=True)
    error = errors_of_differences(centred)
    pairs = torch.ones_like(error, dtype=torch.bool)
    critical = torch.quantile(largest_differences(centred, error, pairs), LEVEL, dim=1)
    samples = torch.arange(len(error), device=error.device)
    return critical * error[samples, first_two[:, 0], first_two[:, 1]]


# ---------------------------------------------------------------------- better than nothing


def better_of(trial: Trial) -> dict:
    """Tell which samples call the choice better than the best trivial rule, and which truly are."""
    objective, n = trial.cell.objective, trial.cell.n
    top = trial.of_chosen(trial.apparent)
    base = trivial(objective, trial.positives, n - trial.positives)
    drawn = trivial(objective, trial.drawn_positives, n - trial.drawn_positives)
    noise = trial.of_chosen(trial.fixed) - drawn - (top - base)[:, None]
    values = {
        "apparent": top,
        "corrected": trial.corrected,
        "cross-fitted": trial.crossed,
        "the lower of both": torch.minimum(trial.corrected, trial.crossed),
    }
    results = {}
    for name, centre in values.items():
        for tail_share in (0.025, 0.05):
            low = torch.quantile(noise, tail_share, dim=-1)
            results[f"{name}, {tail_share}"] = (centre - base + low > 0).float()
    results["permutation"] = permutation(trial, top)
    share = torch.full_like(top, trial.cell.prevalence)
    true = trial.of_chosen(trial.target) > trivial(objective, share, 1 - share)
    return {name: {"said": said, "true": true.float()} for name, said in results.items()}


def permutation(trial: Trial, top):
    """Tell whether the value is above those of labels in another order, with a level of 5%."""
    data, above = trial.data, 1.0
    for _ in range(PERMUTATIONS):
        luck = torch.rand(trial.size, trial.cell.n, device=trial.device, generator=trial.generator)
        labels = data.labels.gather(-1, luck.argsort(-1))
        tops = []
        for model in range(trial.cell.k):
            ranked = labels.gather(-1, data.order[:, model])
            tp, fp = ranked.cumsum(-1), (1 - ranked).cumsum(-1)
            values = value(trial.cell.objective, tp, fp, tp[..., -1:], fp[..., -1:])
            tops.append(torch.where(data.last[:, model], values, -2.0).amax(-1))
        above = above + (torch.stack(tops, -1).amax(-1) >= top).float()
    return (above / (PERMUTATIONS + 1) <= 1 - LEVEL).float()


# ---------------------------------------------------------------------- constraints


def z_of(shares: int) -> float:
    """Return how many standard errors a one-sided error of 5% is, shared out."""
    return -NormalDist().inv_cdf((1 - LEVEL) / shares)


def sure_of(trial: Trial) -> dict:
    """Ask for a precision in several ways, and tell whether it is kept in the population.

    Of the rules whose bound keeps the level, the one with the most recall is taken. A sample that
    has none is not answered.
    """
    data, cell = trial.data, trial.cell
    tp = data.sorted.cumsum(-1)
    flagged = torch.arange(1, cell.n + 1, device=trial.device).float()
    recall = tp / tp[..., -1:]
    ways = {"seen": 0.0, "bound": z_of(1), "bound, shared": z_of(cell.k + 1)}
    results = {}
    for name, z in ways.items():
        keeps = (lower_bound(tp, flagged, z) >= PRECISION) & data.last & (tp > 0)
        best, row = torch.where(keeps, recall, -1.0).max(-1)
        model = best.argmax(-1, keepdim=True)
        threshold = data.scores.gather(-1, row.unsqueeze(-1))[..., 0].gather(1, model)[:, 0]
        threshold = threshold - cell.step / 2
        hits = tail(threshold - data.separations[model[:, 0]])
        alarms = (1 - cell.prevalence) * tail(threshold)
        true = cell.prevalence * hits / (cell.prevalence * hits + alarms)
        answered = best.amax(-1) > 0
        results[name] = {
            "answered": answered.float(),
            "broken": (answered & (true < PRECISION)).float(),
            "recall": torch.where(answered, hits, 0.0),
        }
    return results


def lower_bound(hits, flagged, z: float):
    """Return Wilson's lower bound of a precision."""
    share, squared = hits / flagged, z * z / flagged
    centre = share + squared / 2
    half = z * (share * (1 - share) / flagged + squared / (4 * flagged)).sqrt()
    return (centre - half) / (1 + squared)


def missed_of(trial: Trial) -> dict:
    """Compare the chance of missing a recall that was asked for with how often it is missed."""
    if trial.cell.objective != "precision":
        return {}
    data = trial.data
    row = trial.of_chosen(trial.row)
    hits = [
        data.counts(trial.weights, model, row[:, None].expand(-1, BOOTSTRAPS))[0]
        for model in range(trial.cell.k)
    ]
    drawn = trial.of_chosen(torch.stack(hits, -1)) / trial.drawn_positives
    ranked = data.sorted.gather(1, trial.chosen[:, None].expand(-1, 1, trial.cell.n))[:, 0]
    here = ranked.cumsum(-1).gather(1, row[:, None])[:, 0] / trial.positives
    said = (drawn - here[:, None] + trial.crossed_recall[:, None] < RECALL).float().mean(1)
    threshold = trial.of_chosen(trial.threshold)
    recall = tail(threshold - data.separations[trial.chosen[:, 0]])
    true = (recall < RECALL).float()
    results = {
        "all": {
            "said": said,
            "true": true,
            "error": trial.crossed_recall - recall,
            "error here": here - recall,
        }
    }
    bins = torch.bucketize(said, torch.tensor(CHANCES[1:-1], device=said.device), right=True)
    for code in range(len(CHANCES) - 1):
        inside = bins == code
        results[str(code)] = {"said": said[inside], "true": true[inside]}
    return results


STATEMENTS: dict[str, Callable[[Trial], dict]] = {
    "sets": sets_of,
    "leads": leads_of,
    "better": better_of,
    "sure": sure_of,
    "missed": missed_of,
}


# ---------------------------------------------------------------------- cells


def cells() -> list[Cell]:
    grid = [
        Cell(n, prevalence, k, unequal)
        for n in (200, 500, 2000)
        for prevalence in (0.5, 0.1)
        for k in (2, 5, 20)
        for unequal in (False, True)
    ]
    pairs = [Cell(n, 0.1, 2, True, correlation=c) for n in (500, 2000) for c in (0.0, 0.9)]
    objectives = [
        Cell(500, 0.1, 5, unequal, objective=objective)
        for unequal in (False, True)
        for objective in ("cost", "F2")
    ]
    sizes = [(500, 0.3, 3), (500, 0.3, 1), (500, 0.3, 10), (200, 0.3, 3), (2000, 0.1, 3)]
    noise = [
        Cell(*size, separation=separation, objective=objective)
        for size in [*sizes, (500, 0.5, 3)]
        for separation in (0.0, 0.75, 1.5)
        for objective in ("F1", "cost")
    ]
    constrained = [
        Cell(n, prevalence, k, objective="precision")
        for n in (500, 2000)
        for prevalence in (0.5, 0.1)
        for k in (1, 5)
    ]
    return [*noise, *grid, *pairs, *objectives, *constrained]


def run(cell: Cell, options: Namespace) -> dict:
    """Return the means of all statements in one cell."""
    samples, device = options.samples, options.device
    generator = torch.Generator(device).manual_seed(options.seed + hash_of(cell.name))
    start = time.perf_counter()
    size = max(1, int(options.room / (BOOTSTRAPS * cell.n)))
    parts, used, done = [], 0, 0
    while done < samples:
        trial = Trial(cell, min(size, samples - done), device, generator)
        parts.append({kind: of(trial) for kind, of in STATEMENTS.items()})
        used += trial.size
        done += size

    def mean(*keys: str) -> float | None:
        values = torch.cat([part[keys[0]][keys[1]][keys[2]] for part in parts]).double()
        return values.mean().item() if len(values) else None

    means = {
        kind: {
            name: {number: mean(kind, name, number) for number in numbers}
            for name, numbers in parts[0][kind].items()
        }
        for kind in STATEMENTS
    }
    for name, numbers in means["missed"].items():
        numbers["samples"] = sum(len(part["missed"][name]["said"]) for part in parts)
    seconds = time.perf_counter() - start
    return {"cell": asdict(cell), "name": cell.name, "used": used, **means, "seconds": seconds}


# ---------------------------------------------------------------------- the page

TAKEN = {
    "sets": "T_R, corrected, full",
    "leads": "best of the others, simultaneous, fixed",
    "better": "corrected, 0.05",
    "sure": "bound, shared",
}
"""What a verdict does."""


def page(results: list[dict]) -> str:
    """Return the results as Markdown."""
    lines = [
        "# What a verdict says about its choice",
        "",
        f"Made by `benchmarks/verdict_choice.py`: {len(results)} cells of {results[0]['used']:,} "
        f"samples, {BOOTSTRAPS} bootstrap replicates and {REPEATS} times {FOLDS} folds each, drawn "
        "as in [verdict.md](verdict.md). **Bold** is what a verdict does. *Noise* are the cells of "
        "separation 0: scores that know nothing of the labels. *Few* are cells with fewer than "
        f"{ENOUGH} expected positives.",
        "",
        *page_of_demands(results),
        *page_of_sets(results),
        *page_of_leads(results),
        *page_of_better(results),
        *page_of_sure(results),
        *page_of_missed(results),
        *page_of_cells(results),
    ]
    return "\n".join(lines) + "\n"


def is_noise(result: dict) -> bool:
    return result["cell"]["separation"] == 0


def is_few(result: dict) -> bool:
    return result["cell"]["n"] * result["cell"]["prevalence"] < ENOUGH


def numbers_of(results: list[dict], kind: str, name: str, number: str) -> list[float]:
    return [r[kind][name][number] for r in results if name in r[kind]]


def at_least(values: list[float], level: float) -> str:
    """Say how many values reach a level, and the least one."""
    return f"{sum(each >= level for each in values)} of {len(values)}, {min(values):.3f}"


def titled(kind: str, name: str) -> str:
    """Return the name of a variant, in bold if it is taken."""
    return f"**{name}**" if TAKEN[kind] == name else name


def page_of_demands(results: list[dict]) -> list[str]:
    """Put what is demanded of a verdict beside what was measured."""
    by_name = {result["name"]: result for result in results}
    base = Cell(500, 0.3, 3)

    def said(**changes: object) -> float:
        cell = Cell(**(asdict(base) | changes))
        return by_name[cell.name]["better"][TAKEN["better"]]["said"]

    noise_said = [1 - said(separation=0.0, objective=objective) for objective in ("F1", "cost")]

    several = [r for r in results if r["cell"]["k"] > 1]
    signal = [r for r in several if not is_noise(r)]
    noise = [r for r in several if is_noise(r)]
    sets = TAKEN["sets"]
    two = by_name[Cell(2000, 0.1, 2, True).name]["sets"][sets]["alone"]
    leads = numbers_of(signal, "leads", TAKEN["leads"], "covered")
    enough = [r for r in results if not is_few(r) and r["cell"]["prevalence"] < PRECISION]
    broken = numbers_of(enough, "sure", TAKEN["sure"], "broken")
    rows = [
        ("not better than nothing, 3 noise models, n 500, prevalence .3", "≥ 95% of samples",
         f"{noise_said[0]:.1%}; for a cost {noise_said[1]:.1%}"),
        ("better than nothing there at separation 1.5", "≥ 95%",
         f"{said():.1%}; for a cost {said(objective='cost'):.1%}"),
        ("better than nothing there at separation .75", "≥ 80%",
         f"{said(separation=0.75):.1%}; for a cost {said(separation=0.75, objective='cost'):.1%}"),
        ("the confidence set holds the best model, cells with signal", "≥ 93%",
         f"{at_least(numbers_of(signal, 'sets', sets, 'holds'), 0.93)} at least"),
        ("the same, noise", "≥ 93%",
         f"{at_least(numbers_of(noise, 'sets', sets, 'holds'), 0.93)} at least"),
        ("the set is one model, separation 1.5 against .75, n 2000, prevalence .1", "≥ 90%",
         f"{two:.1%}"),
        ("the interval of the lead covers the true lead, cells with signal", "95%",
         f"92% or more in {at_least(leads, 0.92)} at least"),
        ("a precision asked for with `sure` is promised and broken, enough positives", "≤ 5%",
         f"{sum(each <= 0.05 for each in broken)} of {len(broken)}, {max(broken):.1%} at most"),
    ]  # fmt: skip
    return [
        "| statement | demanded | measured |",
        "|---|---|---|",
        *(f"| {' | '.join(row)} |" for row in rows),
        "",
    ]


def page_of_sets(results: list[dict]) -> list[str]:
    several = [r for r in results if r["cell"]["k"] > 1]
    signal, noise = ([r for r in several if is_noise(r) == which] for which in (False, True))
    unequal = [r for r in several if r["cell"]["unequal"]]
    lines = [
        "## Which models cannot be told apart",
        "",
        "The model confidence set of Hansen, Lunde & Nason (2011) at 95%, by its statistic, the "
        "values that are compared and the replicates that give their spread. *Corrected* values "
        "have the optimism of each model's threshold subtracted. *Fixed* replicates keep the "
        "thresholds of the sample, *full* ones choose each model's threshold again. The chosen "
        "model is added where the set lacks it; *keeps it* is the least share of samples in which "
        "that was not needed. *Holds* is the share of samples whose set holds the model with the "
        "highest population value at its threshold: in how many cells 93% or more, and the least. "
        "*Alone* is the mean share of sets of one model over the "
        f"{len(unequal)} cells of unequal models, *size* the mean size there.",
        "",
        "| statistic, values, replicates | holds, signal | noise | keeps it | alone | size |",
        "|---|--:|--:|--:|--:|--:|",
    ]
    rows = [
        f"| {titled('sets', name)} "
        f"| {at_least(numbers_of(signal, 'sets', name, 'holds'), 0.93)} "
        f"| {at_least(numbers_of(noise, 'sets', name, 'holds'), 0.93)} "
        f"| {min(numbers_of(several, 'sets', name, 'keeps chosen')):.3f} "
        f"| {fmean(numbers_of(unequal, 'sets', name, 'alone')):.3f} "
        f"| {fmean(numbers_of(unequal, 'sets', name, 'size')):.2f} |"
        for name in several[0]["sets"]
    ]
    holding = [
        name
        for name in several[0]["sets"]
        if min(numbers_of(several, "sets", name, "holds")) >= 0.93
    ]
    smallest = min(holding, key=lambda name: fmean(numbers_of(unequal, "sets", name, "size")))
    return [
        *lines,
        *rows,
        "",
        f"93% in every cell is reached by {len(holding)} of {len(rows)} variants; *{smallest}* has "
        "the smallest sets of these. In noise no model is better than another, and what differs is "
        "how much their thresholds flag: at fixed thresholds that varies too little.",
        "",
    ]


def page_of_leads(results: list[dict]) -> list[str]:
    several = [r for r in results if r["cell"]["k"] > 1]
    signal, noise = ([r for r in several if is_noise(r) == which] for which in (False, True))
    lines = [
        "## The lead of the first model over the second one",
        "",
        "The target is the difference of the population values of the two models that are best on "
        "the sample, at the thresholds chosen there. *Corrected* subtracts the optimism of the "
        "difference of the first and the second model of each replicate, *corrected each* that of "
        "each model by itself; *best of the others* does so, too, and the second model is then the "
        "one with the highest value. *Percentiles* are those of the difference of both at fixed "
        "thresholds; *simultaneous* intervals hold for all pairs of models together. Covered: in "
        "how many cells 92% or more, and the least.",
        "",
        "| lead, interval | mean absolute bias | covered, signal | covered, noise | mean width |",
        "|---|--:|--:|--:|--:|",
    ]
    for name in several[0]["leads"]:
        biases = [abs(each) for each in numbers_of(signal, "leads", name, "error")]
        lines.append(
            f"| {titled('leads', name)} | {fmean(biases):.4f} "
            f"| {at_least(numbers_of(signal, 'leads', name, 'covered'), 0.92)} "
            f"| {at_least(numbers_of(noise, 'leads', name, 'covered'), 0.92)} "
            f"| {fmean(numbers_of(signal, 'leads', name, 'width')):.4f} |"
        )
    return [*lines, ""]


def page_of_better(results: list[dict]) -> list[str]:
    noise = [r for r in results if is_noise(r)]
    groups = {
        (separation, objective): [
            r
            for r in results
            if r["cell"]["separation"] == separation
            and r["cell"]["objective"] == objective
            and r["cell"]["k"] in {1, 3, 10}
        ]
        for separation in (0.75, 1.5)
        for objective in ("F1", "cost")
    }
    lines = [
        "## Better than doing nothing",
        "",
        "The value is compared with that of the best trivial rule: flagging everything or, for a "
        "cost, nothing. The choice is called better where the difference plus the quantile of its "
        "spread in fixed-threshold replicates (2.5% or 5%) is above 0. *Noise*: the largest "
        "share of samples that call it better, where no model is. Then the share in the cells of "
        "separation .75 and 1.5 with 1, 3 or 10 models, mean and least. *Permutation* asks "
        "something else: whether the scores know anything of the labels.",
        "",
        "| value, quantile | noise | F1, .75 | cost, .75 | F1, 1.5 | cost, 1.5 |",
        "|---|--:|--:|--:|--:|--:|",
    ]
    for name in results[0]["better"]:
        shares = [numbers_of(each, "better", name, "said") for each in groups.values()]
        cells = " | ".join(f"{fmean(each):.3f}, {min(each):.3f}" for each in shares)
        false = max(numbers_of(noise, "better", name, "said"))
        lines.append(f"| {titled('better', name)} | {false:.3f} | {cells} |")
    name = TAKEN["better"]
    shares = [numbers_of(each, "better", name, "true") for each in groups.values()]
    cells = " | ".join(f"{fmean(each):.3f}, {min(each):.3f}" for each in shares)
    return [*lines, f"| *better in truth* | 0 | {cells} |", ""]


def page_of_sure(results: list[dict]) -> list[str]:
    asked = [r for r in results if r["cell"]["prevalence"] < PRECISION]
    groups = [
        [r for r in asked if is_noise(r) == noise and is_few(r) == few]
        for noise, few in ((False, False), (False, True), (True, False), (True, True))
    ]
    names = ("signal", "signal, few", "noise", "noise, few")
    chosen = [(name, group) for name, group in zip(names, groups, strict=True) if group]
    lines = [
        f"## A precision of {PRECISION} or more, for sure",
        "",
        f"The rule with the most recall of those whose precision is {PRECISION} or more: as seen, "
        "by Wilson's lower bound at 95%, and by this bound with the error of 5% divided by k + 1 "
        f"for k models and a threshold. Cells of prevalence {PRECISION}, where every rule has it, "
        "are left out. *Broken*: the share of samples with an answer whose population precision is "
        "lower, mean and largest. *Of answers*: the largest share of the answers that are broken, "
        "in cells that answer at least 5% of samples. *Answered*: the mean share of samples in "
        "which some rule has the precision.",
        "",
        "| cells | asked | broken | of answers | answered |",
        "|---|---|--:|--:|--:|",
    ]
    for group_name, group in chosen:
        for name in group[0]["sure"]:
            broken = numbers_of(group, "sure", name, "broken")
            answered = numbers_of(group, "sure", name, "answered")
            of_answers = [b / a for b, a in zip(broken, answered, strict=True) if a >= 0.05]
            largest = f"{max(of_answers):.3f}" if of_answers else ""
            lines.append(
                f"| {group_name} ({len(group)}) | {titled('sure', name)} "
                f"| {fmean(broken):.3f}, {max(broken):.3f} | {largest} | {fmean(answered):.3f} |"
            )
    worst = max(asked, key=lambda r: r["sure"][TAKEN["sure"]]["broken"])
    share = worst["sure"][TAKEN["sure"]]["broken"]
    return [
        *lines,
        "",
        f"The promise is broken most often in *{worst['name']}*, in {share:.1%} of samples: there "
        "hardly any rule has the precision, and those that seem to flag a few rows. Of the answers "
        "in such cells many are wrong, because only luck gives one.",
        "",
    ]


def page_of_missed(results: list[dict]) -> list[str]:
    asked = [r for r in results if r["missed"]]
    lines = [
        f"## The chance to miss a recall of {RECALL}",
        "",
        f"The most precise rule of recall {RECALL} or more is chosen. What recall to expect, less "
        "the population's, as it is seen on the sample and cross-fitted; the chance of missing it "
        "that is said, on average, and how often it is missed.",
        "",
        "| cell | bias as seen | bias cross-fitted | said | missed |",
        "|---|--:|--:|--:|--:|",
    ]
    for r in asked:
        means = r["missed"]["all"]
        lines.append(
            f"| {r['name']} | {means['error here']:+.4f} | {means['error']:+.4f} "
            f"| {means['said']:.3f} | {means['true']:.3f} |"
        )
    lines += ["", "The same by the chance that is said, over all these cells:", ""]
    lines += ["| said | samples | mean | missed |", "|---|--:|--:|--:|"]
    for code, (low, high) in enumerate(pairwise(CHANCES)):
        parts = [part for r in asked if (part := r["missed"][str(code)])["samples"]]
        count = sum(part["samples"] for part in parts)
        if not count:
            continue
        said, true = (sum(p[n] * p["samples"] for p in parts) / count for n in ("said", "true"))
        lines.append(f"| {low:.0%} to {high:.0%} | {count:,} | {said:.3f} | {true:.3f} |")
    return [*lines, ""]


def page_of_cells(results: list[dict]) -> list[str]:
    lines = [
        "## All cells",
        "",
        "What a verdict does: its set holds the best model, is one model, its interval covers the "
        "lead; it calls the choice better than nothing, which in truth is so; its sure precision "
        "is answered, and broken.",
        "",
        "| cell | holds | alone | lead | better | in truth | answered | broken |",
        "|---|--:|--:|--:|--:|--:|--:|--:|",
    ]
    for r in results:
        rivals = r["sets"].get(TAKEN["sets"]), r["leads"].get(TAKEN["leads"])
        about = "| |" if None in rivals else (
            f"{rivals[0]['holds']:.3f} | {rivals[0]['alone']:.3f} | {rivals[1]['covered']:.3f}"
        )  # fmt: skip
        better, sure = r["better"][TAKEN["better"]], r["sure"][TAKEN["sure"]]
        lines.append(
            f"| {r['name']} | {about} | {better['said']:.3f} | {better['true']:.3f} "
            f"| {sure['answered']:.3f} | {sure['broken']:.3f} |"
        )
    return lines


if __name__ == "__main__":
    run_cells(__file__, __doc__, cells(), run, page, samples=1000)
