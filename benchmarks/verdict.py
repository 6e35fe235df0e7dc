"""Compare estimators of the value on new data, and their intervals, with the true value.

Usage: python benchmarks/verdict.py RESULTS.jsonl [--samples 400] [--device cpu] [--write]

The value of the best threshold of the best of k models is too good where it was chosen on the rows
on which it is judged. Each cell of a grid draws many samples from two normal distributions, whose
population values are known, chooses model and threshold, and compares what estimators say with the
population value of that choice. Needs torch, and gains much from a GPU (``--device cuda``). A cell
that the file of results has already is left out, so that a run can be continued. ``--write`` makes
verdict.md of the results.
"""

from __future__ import annotations

import math
import time
import zlib
from argparse import Namespace
from dataclasses import asdict, dataclass

import torch
from verdict_cells import run_cells

BOOTSTRAPS, REPEATS, FOLDS = 200, 20, 5
LEVELS = (0.025, 0.975)


@dataclass(frozen=True)
class Cell:
    """What is drawn, and what is chosen for."""

    n: int
    prevalence: float
    k: int
    unequal: bool = False
    correlation: float = 0.5
    separation: float = 1.5
    step: float = 0.0
    cluster: int = 1
    objective: str = "F1"

    @property
    def name(self) -> str:
        """What is drawn, in words."""
        plain = asdict(Cell(self.n, self.prevalence, self.k))
        more = [f"{key} {value}" for key, value in asdict(self).items() if value != plain[key]]
        return ", ".join([f"n {self.n}, prevalence {self.prevalence}, k {self.k}", *more])

    @property
    def separations(self) -> list[float]:
        """How far the positives of each model lie above its negatives."""
        if not self.unequal:
            return [self.separation] * self.k
        return [self.separation * (1 - 0.5 * i / (self.k - 1)) for i in range(self.k)]


def value(objective: str, tp, fp, positives, negatives):
    """Return what is maximised; a threshold that misses the constraint has -1."""
    if objective == "cost":
        return -(5 * (positives - tp) + fp) / (6 * (positives + negatives))
    if objective == "precision":
        return torch.where(tp >= 0.8 * positives, tp / (tp + fp).clamp_min(1e-9), -1.0)
    beta2 = 4.0 if objective == "F2" else 1.0
    total = beta2 * positives + tp + fp
    return (1 + beta2) * tp / total.clamp_min(1e-9)


def judged(objective: str, tp, fp, positives, negatives):
    """Return the value of a rule that is already chosen, whatever it does to a constraint."""
    if objective == "precision":
        return tp / (tp + fp).clamp_min(1e-9)
    return value(objective, tp, fp, positives, negatives)


def tail(x):
    return 0.5 * torch.erfc(x / math.sqrt(2))


def truth(cell: Cell, separation, threshold):
    """Return the population value of a model and a threshold."""
    threshold = threshold - cell.step / 2
    share = cell.prevalence
    tp, fp = share * tail(threshold - separation), (1 - share) * tail(threshold)
    of = torch.full_like(tp, share)
    return judged(cell.objective, tp, fp, of, 1 - of)


def at(counts, index):
    return counts.gather(-1, index.unsqueeze(-1)).squeeze(-1)


class Samples:
    """Several samples at once: tensors of samples × models × rows, best scores first."""

    def __init__(self, cell: Cell, count: int, device: str, generator: torch.Generator) -> None:
        self.cell, self.generator, self.device = cell, generator, device
        n, k = cell.n, cell.k

        def normal(*shape: int) -> torch.Tensor:
            return torch.randn(*shape, device=device, generator=generator)

        units = n // cell.cluster
        labels = torch.rand(count, units, device=device, generator=generator) < cell.prevalence
        labels = labels.repeat_interleave(cell.cluster, 1)
        common = normal(count, 1, n)
        noise = math.sqrt(1 - cell.correlation) * normal(count, k, n)
        scores = math.sqrt(cell.correlation) * common + noise
        if cell.cluster > 1:
            shared = normal(count, k, units).repeat_interleave(cell.cluster, 2)
            scores = math.sqrt(0.5) * scores + math.sqrt(0.5) * shared
        shift = torch.tensor(cell.separations, device=device)[:, None]
        scores = scores + shift * labels[:, None]
        if cell.step:
            scores = torch.round(scores / cell.step) * cell.step
        enough = (labels.sum(1) >= 2 * cell.cluster) & ((~labels).sum(1) >= 2)
        self.refused = int((~enough).sum())
        labels, scores = labels[enough], scores[enough]
        self.labels = labels.float()
        self.scores, self.order = scores.sort(-1, descending=True)
        self.rank = self.order.argsort(-1)
        self.sorted = self.labels[:, None].expand_as(self.scores).gather(-1, self.order)
        last = torch.ones_like(self.scores, dtype=torch.bool)
        last[..., :-1] = self.scores[..., 1:] < self.scores[..., :-1]
        self.last = last
        self.separations = torch.tensor(cell.separations, device=device)

    def best(self, weights, model: int):
        """Return the best row of one model under weights of rows, and its value."""
        order = self.order[:, model].unsqueeze(1).expand(-1, weights.shape[1], -1)
        weights = weights.gather(-1, order)
        labels = self.sorted[:, model].unsqueeze(1)
        tp, fp = (weights * labels).cumsum(-1), (weights * (1 - labels)).cumsum(-1)
        values = value(self.cell.objective, tp, fp, tp[..., -1:], fp[..., -1:])
        # Rows of one score are flagged together: only the last of them ends a rule.
        values = torch.where(self.last[:, model].unsqueeze(1), values, -2.0)
        return values.max(-1)

    def counts(self, weights, model: int, row):
        """Return tp, fp, positives, negatives of a threshold under other weights of rows."""
        order = self.order[:, model].unsqueeze(1).expand(-1, weights.shape[1], -1)
        weights = weights.gather(-1, order)
        labels = self.sorted[:, model].unsqueeze(1)
        tp, fp = (weights * labels).cumsum(-1), (weights * (1 - labels)).cumsum(-1)
        return at(tp, row), at(fp, row), tp[..., -1], fp[..., -1]

    def chosen(self, weights):
        """Return value, model and row of the best model and threshold under weights of rows."""
        best = [self.best(weights, model) for model in range(self.cell.k)]
        values, rows = (torch.stack(column, -1) for column in zip(*best, strict=True))
        highest, model = values.max(-1)
        return highest, model, at(rows, model)

    def judged(self, weights, model, row):
        """Return the value of choices under weights of rows; one row of `weights` each."""
        total = 0.0
        for each in range(self.cell.k):
            here = judged(self.cell.objective, *self.counts(weights, each, row))
            total = total + torch.where(model == each, here, 0.0)
        return total

    def draw(self, times: int, weights=None):
        """Return how often each row is drawn, by units that belong together."""
        count, n = self.labels.shape
        units = n // self.cell.cluster
        if weights is None:
            drawn = torch.randint(
                units, (count, times, units), device=self.device, generator=self.generator
            )
        else:
            chances = weights[..., :: self.cell.cluster].reshape(-1, units)
            drawn = torch.multinomial(chances, units, replacement=True, generator=self.generator)
            drawn = drawn.reshape(count, times, units)
        empty = torch.zeros(count, times, units, device=self.device)
        drawn = empty.scatter_add_(-1, drawn, torch.ones_like(empty))
        return drawn.repeat_interleave(self.cell.cluster, -1)

    def folds(self):
        """Return the fold of each row, dealt out within the classes, by units."""
        size = self.cell.cluster
        labels = self.labels[:, ::size].unsqueeze(1).expand(-1, REPEATS, -1)
        luck = torch.rand(labels.shape, device=self.device, generator=self.generator)
        rank = (luck + 2 * labels).argsort(-1).argsort(-1)
        return (rank % FOLDS).repeat_interleave(size, -1)


def quantiles(values):
    return torch.quantile(values, torch.tensor(LEVELS, device=values.device), dim=-1)


def two_stage(data: Samples, outer: int = 60, inner: int = 30):
    """Return percentiles of the corrected value of resamples, each corrected by its own."""
    weights = data.draw(outer)
    apparent, _, _ = data.chosen(weights)
    optimism = torch.zeros_like(apparent)
    for _ in range(inner):
        again = data.draw(outer, weights)
        inside, m, r = data.chosen(again)
        optimism += (inside - data.judged(weights, m, r)) / inner
    return quantiles(apparent - optimism)


def trial(cell: Cell, count: int, device: str, generator: torch.Generator) -> dict:
    data = Samples(cell, count, device, generator)
    n = cell.n
    ones = torch.ones(data.labels.shape[0], 1, n, device=device)
    apparent, model, row = (each[:, 0] for each in data.chosen(ones))
    threshold = data.scores[torch.arange(len(model), device=device), model, row]
    target = truth(cell, data.separations[model], threshold)

    # ------------------------------------------------------------------ bootstrap
    weights = data.draw(BOOTSTRAPS)
    inside, best_model, best_row = data.chosen(weights)
    outside = data.judged(ones.expand_as(weights), best_model, best_row)
    left_out = (weights == 0).float()
    out_of_bag = data.judged(left_out, best_model, best_row)
    has = (left_out * data.labels[:, None]).sum(-1) > 0
    oob = torch.where(has, out_of_bag, 0.0).sum(-1) / has.sum(-1).clamp_min(1)
    optimism = (inside - outside).mean(-1)
    fixed = data.judged(
        weights, model[:, None].expand(-1, BOOTSTRAPS), row[:, None].expand(-1, BOOTSTRAPS)
    )
    share = (row + 1) / n
    positives = data.labels.sum(-1)
    no_information = judged(
        cell.objective, positives * share, (n - positives) * share, positives, n - positives
    )
    gap = (apparent - no_information).clamp_min(1e-9)
    overfit = ((apparent - oob) / gap).clamp(0, 1)
    plus = 0.632 / (1 - 0.368 * overfit)

    # ------------------------------------------------------------------ cross-fitting
    folds = data.folds()
    flagged = torch.zeros(len(model), REPEATS, n, device=device)
    for fold in range(FOLDS):
        train = (folds != fold).float()
        _, m, r = data.chosen(train)
        for each in range(cell.k):
            flag = data.rank[:, each].unsqueeze(1) <= r.unsqueeze(-1)
            here = (folds == fold) & (m == each).unsqueeze(-1)
            flagged = torch.where(here, flag.float(), flagged)
    hits, alarms = flagged * data.labels[:, None], flagged * (1 - data.labels[:, None])
    negatives = n - positives
    cross = judged(
        cell.objective, hits.sum(-1), alarms.sum(-1), positives[:, None], negatives[:, None]
    )
    crossed = cross.mean(-1)
    tp, fp = weights @ hits.transpose(1, 2), weights @ alarms.transpose(1, 2)
    p = (weights * data.labels[:, None]).sum(-1, keepdim=True)
    crossed_again = judged(cell.objective, tp, fp, p, n - p).mean(-1)

    estimates = {
        "apparent": apparent,
        "optimism": apparent - optimism,
        ".632": 0.368 * apparent + 0.632 * oob,
        ".632+": (1 - plus) * apparent + plus * oob,
        "out-of-bag": oob,
        "cross-fitted": crossed,
    }
    fixed_interval = quantiles(fixed) - apparent
    full_interval = quantiles(inside) - inside.mean(-1)
    intervals = {"fixed": fixed_interval + apparent}
    for name in ("optimism", ".632+", "cross-fitted"):
        intervals[f"fixed, at {name}"] = fixed_interval + estimates[name]
        intervals[f"full, at {name}"] = full_interval + estimates[name]
    intervals["cross-fitted percentiles"] = quantiles(crossed_again)
    corrections = torch.stack([estimates["optimism"], estimates["cross-fitted"]])
    intervals["fixed, at both corrections"] = torch.stack(
        [fixed_interval[0] + corrections.amin(0), fixed_interval[1] + corrections.amax(0)]
    )
    if (cell.n, cell.k) == (500, 5):
        intervals["two-stage"] = two_stage(data)
    return {
        "refused": data.refused,
        "used": len(model),
        "errors": {name: (each - target).tolist() for name, each in estimates.items()},
        "covered": {
            name: ((low <= target) & (target <= high)).tolist()
            for name, (low, high) in intervals.items()
        },
        "widths": {name: (high - low).tolist() for name, (low, high) in intervals.items()},
    }


def run(cell: Cell, options: Namespace) -> dict:
    """Return the summary of one cell."""
    samples, device = options.samples, options.device
    generator = torch.Generator(device).manual_seed(options.seed + hash_of(cell.name))
    start = time.perf_counter()
    size = max(1, int(options.room / (BOOTSTRAPS * cell.n)))
    parts = []
    done = 0
    while done < samples:
        count = min(size, samples - done)
        parts.append(trial(cell, count, device, generator))
        done += count
    used = sum(part["used"] for part in parts)

    def joined(kind: str, name: str) -> torch.Tensor:
        return torch.tensor([x for part in parts for x in part[kind][name]], dtype=torch.float64)

    return {
        "cell": asdict(cell),
        "name": cell.name,
        "samples": samples,
        "refused": sum(part["refused"] for part in parts),
        "used": used,
        "bias": {name: joined("errors", name).mean().item() for name in parts[0]["errors"]},
        "rmse": {name: joined("errors", name).square().mean().sqrt().item()
                 for name in parts[0]["errors"]},
        "coverage": {name: joined("covered", name).mean().item() for name in parts[0]["covered"]},
        "width": {name: joined("widths", name).mean().item() for name in parts[0]["widths"]},
        "seconds": time.perf_counter() - start,
    }  # fmt: skip


def hash_of(text: str) -> int:
    """Return the same number in every process."""
    return zlib.crc32(text.encode())


def cells() -> list[Cell]:
    core = [
        Cell(n, prevalence, k, unequal)
        for n in (200, 500, 2000)
        for prevalence in (0.5, 0.1, 0.02)
        for k in (1, 5, 20)
        for unequal in ((False, True) if k > 1 else (False,))
    ]
    factors = [
        {"correlation": 0.0}, {"correlation": 0.9}, {"separation": 0.0}, {"separation": 0.75},
        {"step": 0.5}, {"cluster": 5}, {"objective": "F2"}, {"objective": "cost"},
        {"objective": "precision"},
    ]  # fmt: skip
    others = [Cell(n, 0.1, 5, **factor) for n in (500, 2000) for factor in factors]
    return [*core, *others, Cell(10_000, 0.1, 5), Cell(10_000, 0.02, 5)]


ENOUGH = 50
"""Expected positives from which on the estimators are judged."""


def page(results: list[dict]) -> str:
    """Return the results as Markdown."""
    enough = [r for r in results if r["cell"]["n"] * r["cell"]["prevalence"] >= ENOUGH]
    few = [r for r in results if r not in enough]
    names = list(dict.fromkeys(name for r in results for name in r["coverage"]))
    lines = [
        "# The value of a choice on new data",
        "",
        f"Made by `benchmarks/verdict.py`, which says what is drawn: {len(results)} cells of "
        f"{results[0]['samples']:,} samples, {BOOTSTRAPS} bootstrap replicates and {REPEATS} times "
        f"{FOLDS} folds each. The target is the population value of the model and threshold that "
        "were chosen on the sample. Errors are those of estimate minus target.",
        "",
        f"## Estimators, over the {len(enough)} cells with {ENOUGH} expected positives or more",
        "",
        "| estimator | mean absolute bias | largest | root mean squared error |",
        "|---|--:|--:|--:|",
    ]
    for name in results[0]["bias"]:
        biases = [abs(r["bias"][name]) for r in enough]
        rmse = sum(r["rmse"][name] for r in enough) / len(enough)
        mean = sum(biases) / len(biases)
        lines.append(f"| {name} | {mean:.4f} | {max(biases):.4f} | {rmse:.4f} |")
    lines += [
        "",
        "## Intervals of 95 %",
        "",
        "Covered is the share of samples whose interval holds the target; *few* are the "
        f"{len(few)} cells with fewer than {ENOUGH} expected positives.",
        "",
        "| interval | cells covered 92 % or more | least | mean width | least, few |",
        "|---|--:|--:|--:|--:|",
    ]
    for name in names:
        rows = [r for r in enough if name in r["coverage"]]
        covered = [r["coverage"][name] for r in rows]
        width = sum(r["width"][name] for r in rows) / len(rows)
        other = [r["coverage"][name] for r in few if name in r["coverage"]]
        lines.append(
            f"| {name} | {sum(share >= 0.92 for share in covered)} of {len(rows)} "
            f"| {min(covered):.3f} | {width:.4f} | {min(other):.3f} |"
            if other
            else f"| {name} | {sum(share >= 0.92 for share in covered)} of {len(rows)} "
            f"| {min(covered):.3f} | {width:.4f} | |"
        )
    lines += [
        "",
        "*Fixed* resamples the value of the chosen model at the chosen threshold. *Full* chooses "
        "again in every resample. *At* a correction: the interval is moved by as much as the value "
        "is. *At both corrections*: it reaches from the lower end at the lower one of the optimism "
        "and the cross-fitted value to the upper end at the higher one; how far they lie apart "
        "tells how sure the correction is. These are estimators of the rule that is best on the "
        "sample. What a verdict chooses and says is judged in [verdict_real.md](verdict_real.md).",
        "",
        "## All cells",
        "",
        "Bias of the value as it is shown on the sample, of two corrections, and coverage of the "
        "fixed threshold's interval as it is and at both corrections.",
        "",
        "| cell | refused | apparent | optimism | cross-fitted | fixed | at both corrections |",
        "|---|--:|--:|--:|--:|--:|--:|",
    ]
    for r in results:
        bias, coverage = r["bias"], r["coverage"]
        lines.append(
            f"| {r['name']} | {r['refused']} | {bias['apparent']:+.4f} | {bias['optimism']:+.4f} "
            f"| {bias['cross-fitted']:+.4f} | {coverage['fixed']:.3f} "
            f"| {coverage['fixed, at both corrections']:.3f} |"
        )
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    run_cells(__file__, __doc__, cells(), run, page, samples=400)
