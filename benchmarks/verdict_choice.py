"""Judge the statements of a verdict about the choice: its rivals, its use, its constraint.

Usage: python benchmarks/verdict_choice.py RESULTS.jsonl [--samples 1000] [--device cpu]

Samples are drawn as in verdict.py. Each cell says how often the model confidence set holds the
model with the highest true value and how often it holds nothing else, how often the choice is
called better than the best trivial rule, and how often a constraint that was asked for is met in
the population. A cell that the file of results has already is left out.
"""

from __future__ import annotations

import argparse
import json
import time
from dataclasses import asdict
from pathlib import Path

import torch
from verdict import (
    BOOTSTRAPS,
    FOLDS,
    LEVELS,
    REPEATS,
    Cell,
    Samples,
    hash_of,
    judged,
    tail,
    truth,
    value,
)

ALPHA = 0.05


def confidence_set(values, replicates):
    """Return which models stay, by T_max of Hansen, Lunde & Nason; samples × models.

    `replicates` are samples × replicates × models, and only their spread is used.
    """
    centred = replicates - replicates.mean(1, keepdim=True)
    stay = torch.ones_like(values, dtype=torch.bool)
    going = torch.ones(values.shape[0], dtype=torch.bool, device=values.device)
    for _ in range(values.shape[1] - 1):
        size = stay.sum(-1, keepdim=True).float()
        mean = (values * stay).sum(-1, keepdim=True) / size
        lag = mean - values
        lags = (centred * stay[:, None]).sum(-1, keepdim=True) / size[:, None] - centred
        error = lags.std(1).clamp_min(1e-9)
        t = torch.where(stay, lag / error, -torch.inf)
        largest, worst = t.max(-1)
        drawn = torch.where(stay[:, None], lags / error[:, None], -torch.inf).amax(-1)
        p = (drawn >= largest[:, None]).float().mean(1)
        going = going & (p < ALPHA) & (stay.sum(-1) > 1)
        stay = stay.scatter(1, worst[:, None], stay.gather(1, worst[:, None]) & ~going[:, None])
    return stay


def range_set(values, replicates):
    """Return the same by T_R, the largest studentised difference of two models."""
    centred = replicates - replicates.mean(1, keepdim=True)
    difference = values[:, :, None] - values[:, None]
    samples, k = values.shape
    error = torch.empty(samples, k, k, device=values.device)
    for j in range(k):
        error[:, j] = (centred[:, :, j, None] - centred).std(1)
    error = error.clamp_min(1e-9)
    stay = torch.ones_like(values, dtype=torch.bool)
    going = torch.ones(samples, dtype=torch.bool, device=values.device)
    first = None
    for _ in range(k - 1):
        both = stay[:, :, None] & stay[:, None]
        largest = torch.where(both, difference.abs() / error, -torch.inf).amax((1, 2))
        drawn = torch.full((samples, replicates.shape[1]), -torch.inf, device=values.device)
        for j in range(k):
            t = (centred[:, :, j, None] - centred).abs() / error[:, None, j]
            drawn = torch.maximum(drawn, torch.where(both[:, None, j], t, -torch.inf).amax(-1))
        if first is None:
            first = torch.quantile(drawn, 0.95, dim=1)
        p = (drawn >= largest[:, None]).float().mean(1)
        worst = torch.where(both, -difference / error, -torch.inf).amax(-1).argmax(-1)
        going = going & (p < ALPHA) & (stay.sum(-1) > 1)
        stay = stay.scatter(1, worst[:, None], stay.gather(1, worst[:, None]) & ~going[:, None])
    return stay, first, error


def trivial(objective: str, positives, negatives):
    """Return the value of the better one of flagging everything and flagging nothing."""
    everything = judged(objective, positives, negatives, positives, negatives)
    if objective != "cost":
        return everything
    zero = torch.zeros_like(positives)
    return torch.maximum(everything, judged(objective, zero, zero, positives, negatives))


def trial(cell: Cell, count: int, device: str, generator) -> dict:  # noqa: PLR0912, PLR0915
    data = Samples(cell, count, device, generator)
    n, k = cell.n, cell.k
    samples = data.labels.shape[0]
    ones = torch.ones(samples, 1, n, device=device)
    best = [data.best(ones, j) for j in range(k)]
    apparent = torch.stack([v[:, 0] for v, _ in best], -1)
    row = torch.stack([r[:, 0] for _, r in best], -1)
    threshold = data.scores.gather(-1, row.unsqueeze(-1)).squeeze(-1)
    target = torch.stack(
        [truth(cell, data.separations[j].expand(samples), threshold[:, j]) for j in range(k)], -1
    )
    top, model = apparent.max(-1)
    positives = data.labels.sum(-1)

    weights = data.draw(BOOTSTRAPS)
    p = (weights * data.labels[:, None]).sum(-1)
    fixed, full, outside = [], [], []
    for j in range(k):
        at_row = row[:, j, None].expand(-1, BOOTSTRAPS)
        fixed.append(judged(cell.objective, *data.counts(weights, j, at_row)))
        v, r = data.best(weights, j)
        full.append(v)
        outside.append(judged(cell.objective, *data.counts(ones.expand_as(weights), j, r)))
    fixed, full, outside = (torch.stack(each, -1) for each in (fixed, full, outside))
    optimism_each = (full - outside).mean(1)
    picked = full.argmax(-1, keepdim=True)
    optimism = (full.gather(-1, picked) - outside.gather(-1, picked)).mean((1, 2))

    folds = data.folds()
    flagged = torch.zeros(samples, k, REPEATS, n, device=device)
    chosen = torch.zeros(samples, REPEATS, n, device=device)
    for fold in range(FOLDS):
        train = (folds != fold).float()
        pairs = [data.best(train, j) for j in range(k)]
        v = torch.stack([v for v, _ in pairs], -1)
        wins = v.argmax(-1)
        here = folds == fold
        for j in range(k):
            flag = (data.rank[:, j].unsqueeze(1) <= pairs[j][1].unsqueeze(-1)).float()
            flagged[:, j] = torch.where(here, flag, flagged[:, j])
            chosen = torch.where(here & (wins == j).unsqueeze(-1), flag, chosen)

    def pooled(flags, dims):
        labels = data.labels
        for _ in range(dims):
            labels = labels.unsqueeze(1)
        hits, alarms = (flags * labels).sum(-1), (flags * (1 - labels)).sum(-1)
        of = positives.reshape(-1, *[1] * dims).expand_as(hits)
        return judged(cell.objective, hits, alarms, of, n - of).mean(-1)

    cross_each = pooled(flagged, 2)
    cross = pooled(chosen, 1)

    optimistic_each = apparent - optimism_each
    highest = target.argmax(-1, keepdim=True)
    sets = {}
    for name, centre in {
        "apparent": apparent,
        "cross": cross_each,
        "optimism": optimistic_each,
    }.items():
        for spread, replicates in {"fixed": fixed, "full": full}.items():
            stay = confidence_set(centre, replicates)
            sets[f"{name}, {spread}"] = {
                "holds": stay.gather(1, highest)[:, 0].float().tolist(),
                "alone": (stay.sum(-1) == 1).float().tolist(),
                "holds chosen": stay.gather(1, model[:, None])[:, 0].float().tolist(),
                "size": stay.sum(-1).float().tolist(),
            }

    lead = {}
    if k > 1:
        for name, centre in {
            "apparent": apparent,
            "cross": cross_each,
            "optimism": optimistic_each,
        }.items():
            for spread, replicates in {"fixed": fixed, "full": full}.items():
                stay, critical, error = range_set(centre, replicates)
                sets[f"range: {name}, {spread}"] = {
                    "holds": stay.gather(1, highest)[:, 0].float().tolist(),
                    "alone": (stay.sum(-1) == 1).float().tolist(),
                    "holds chosen": stay.gather(1, model[:, None])[:, 0].float().tolist(),
                    "size": stay.sum(-1).float().tolist(),
                }
        order = apparent.argsort(-1, descending=True)
        first, second = order[:, :1], order[:, 1:2]
        seen = (apparent.gather(1, first) - apparent.gather(1, second))[:, 0]
        true = (target.gather(1, first) - target.gather(1, second))[:, 0]
        again = full.argsort(-1, descending=True)[..., :2]
        inside, out = full.gather(-1, again), outside.gather(-1, again)
        promised = ((inside[..., 0] - inside[..., 1]) - (out[..., 0] - out[..., 1])).mean(1)
        corrected = seen - promised
        each = (optimistic_each.gather(1, first) - optimistic_each.gather(1, second))[:, 0]
        crossed = (cross_each.gather(1, first) - cross_each.gather(1, second))[:, 0]
        rows = torch.arange(samples, device=device)
        pair = fixed[rows, :, first[:, 0]] - fixed[rows, :, second[:, 0]]
        noise = pair - seen[:, None]
        low, high = torch.quantile(noise, torch.tensor(LEVELS, device=device), dim=-1)
        _, critical, error = range_set(apparent, fixed)
        half = critical * error[rows, first[:, 0], second[:, 0]]
        for name, centre in {
            "apparent": seen,
            "corrected": corrected,
            "each": each,
            "cross": crossed,
        }.items():
            lead[name] = {
                "bias": (centre - true).tolist(),
                "covered": ((centre + low <= true) & (true <= centre + high)).float().tolist(),
                "simultaneous": ((centre - half <= true) & (true <= centre + half))
                .float()
                .tolist(),
                "width": (high - low).tolist(),
                "wide": (2 * half).tolist(),
            }
    # ------------------------------------------------------------------ better than nothing
    base = trivial(cell.objective, positives, n - positives)
    base_again = trivial(cell.objective, p, n - p)
    drawn = fixed.gather(-1, model[:, None, None].expand(-1, BOOTSTRAPS, 1))[..., 0] - base_again
    noise = drawn - (top - base)[:, None]
    corrected = {"apparent": top, "optimism": top - optimism, "cross": cross}
    corrected["both"] = torch.minimum(corrected["optimism"], cross)
    better = {}
    for name, centre in corrected.items():
        for level in (0.025, 0.05):
            low = torch.quantile(noise, level, dim=-1)
            better[f"{name}, {level}"] = (centre - base + low > 0).float().tolist()
        better[f"{name}, reflected"] = (
            (centre - base - torch.quantile(noise, 0.975, dim=-1) > 0).float().tolist()
        )
    permuted = []
    for _ in range(99):
        order = torch.rand(samples, n, device=device, generator=generator).argsort(-1)
        labels = data.labels.gather(-1, order)
        tops = []
        for j in range(k):
            s = labels.gather(-1, data.order[:, j])
            tp, fp = s.cumsum(-1), (1 - s).cumsum(-1)
            v = value(cell.objective, tp, fp, tp[..., -1:], fp[..., -1:])
            tops.append(torch.where(data.last[:, j], v, -2.0).amax(-1))
        permuted.append(torch.stack(tops, -1).amax(-1))
    above = (torch.stack(permuted, -1) >= top[:, None]).float().sum(-1)
    better["permutation"] = ((above + 1) / 100 <= ALPHA).float().tolist()
    better["permutation and both"] = (
        torch.tensor(better["permutation"]) * torch.tensor(better["both, 0.025"])
    ).tolist()
    gain = target.gather(1, model[:, None])[:, 0]
    share = torch.full_like(gain, cell.prevalence)
    better["in truth"] = (gain > trivial(cell.objective, share, 1 - share)).float().tolist()

    # ------------------------------------------------------------------ constraint
    constraint = sure_of_precision(data, cell)
    missed = {}
    if cell.objective == "precision":
        of_row = row.gather(1, model[:, None])[:, 0]
        tps = torch.stack(
            [data.counts(weights, j, of_row[:, None].expand(-1, BOOTSTRAPS))[0] for j in range(k)],
            -1,
        )
        tps = tps.gather(-1, model[:, None, None].expand(-1, BOOTSTRAPS, 1))[..., 0]
        recall = tps / p
        here = (
            data.sorted.gather(1, model[:, None, None].expand(-1, 1, n))[:, 0]
            .cumsum(-1)
            .gather(1, of_row[:, None])[:, 0]
            / positives
        )
        crossed_recall = ((chosen * data.labels[:, None]).sum(-1) / positives[:, None]).mean(-1)
        chance = ((recall - here[:, None] + crossed_recall[:, None]) < 0.8).float().mean(1)
        cut = threshold.gather(1, model[:, None])[:, 0]
        true = tail(cut - data.separations[model])
        missed = {
            "said": chance.tolist(),
            "true": (true < 0.8).float().tolist(),
            "bias": (crossed_recall - true).tolist(),
            "bias here": (here - true).tolist(),
            "brier": ((chance - (true < 0.8).float()) ** 2).tolist(),
        }
    return {
        "sets": sets,
        "better": better,
        "constraint": constraint,
        "lead": lead,
        "missed": missed,
        "used": samples,
    }


def sure_of_precision(data: Samples, cell: Cell, level: float = 0.5) -> dict:
    """Return how often a precision asked for is met in the population, by how it was asked."""
    labels = data.sorted
    tp = labels.cumsum(-1)
    flagged = torch.arange(1, cell.n + 1, device=labels.device).float()
    precision = tp / flagged
    recall = tp / tp[..., -1:]
    found = {}
    for name, z in {
        "seen": 0.0,
        "1.645": 1.645,
        "1.96": 1.96,
        "2.33": 2.33,
        "2.58": 2.58,
        "2.81": 2.81,
        "3.09": 3.09,
    }.items():
        # Wilson's lower bound.
        centre = (precision + z * z / (2 * flagged)) / (1 + z * z / flagged)
        half = (
            z
            / (1 + z * z / flagged)
            * (precision * (1 - precision) / flagged + z * z / (4 * flagged * flagged)).sqrt()
        )
        ok = (centre - half >= level) & data.last & (tp > 0)
        score = torch.where(ok, recall, -1.0)
        best, row = score.max(-1)
        top, model = best.max(-1)
        row = row.gather(1, model[:, None])
        threshold = data.scores.gather(1, model[:, None, None].expand(-1, 1, cell.n))[:, 0].gather(
            1, row
        )[:, 0]
        threshold = threshold - cell.step / 2
        share = cell.prevalence
        hits = share * tail(threshold - data.separations[model])
        alarms = (1 - share) * tail(threshold)
        any_ok = top > 0
        met = (hits / (hits + alarms) >= level)[any_ok]
        found[name] = {
            "met": met.float().tolist(),
            "answered": any_ok.float().tolist(),
            "recall": tail(threshold - data.separations[model])[any_ok].tolist(),
        }
    return found


def cells() -> list[Cell]:
    grid = [
        Cell(n, prevalence, k, unequal)
        for n in (200, 500, 2000)
        for prevalence in (0.5, 0.1)
        for k in (2, 5, 20)
        for unequal in (False, True)
    ]
    pairs = [Cell(n, 0.1, 2, True, correlation=c) for n in (500, 2000) for c in (0.0, 0.9)] + [
        Cell(500, 0.1, 5, unequal, objective=o) for unequal in (False, True) for o in ("cost", "F2")
    ]
    noise = [
        Cell(n, prevalence, k, separation=s, objective=o)
        for n, prevalence, k in (
            (500, 0.3, 3),
            (500, 0.3, 1),
            (500, 0.3, 10),
            (200, 0.3, 3),
            (2000, 0.1, 3),
            (500, 0.5, 3),
        )
        for s in (0.0, 0.75, 1.5)
        for o in ("F1", "cost")
    ]
    constrained = [
        Cell(n, p, k, objective="precision")
        for n in (500, 2000)
        for p in (0.5, 0.1)
        for k in (1, 5)
    ]
    return [*noise, *grid, *pairs, *constrained]


def run(cell: Cell, samples: int, device: str, room: float) -> dict:
    generator = torch.Generator(device).manual_seed(1 + hash_of(cell.name))
    start = time.perf_counter()
    size = max(1, int(room / (BOOTSTRAPS * cell.n)))
    parts, done = [], 0
    while done < samples:
        parts.append(trial(cell, min(size, samples - done), device, generator))
        done += size

    def mean(*keys):
        everything = []
        for part in parts:
            here = part
            for key in keys:
                here = here[key]
            everything += here
        return sum(everything) / max(len(everything), 1)

    first = parts[0]
    return {
        "cell": asdict(cell),
        "name": cell.name,
        "used": sum(part["used"] for part in parts),
        "sets": {n: {w: mean("sets", n, w) for w in each} for n, each in first["sets"].items()},
        "better": {n: mean("better", n) for n in first["better"]},
        "constraint": {
            n: {w: mean("constraint", n, w) for w in each}
            for n, each in first["constraint"].items()
        },
        "lead": {n: {w: mean("lead", n, w) for w in each} for n, each in first["lead"].items()},
        "missed": {n: mean("missed", n) for n in first["missed"]},
        "seconds": time.perf_counter() - start,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("out", type=Path)
    parser.add_argument("--samples", type=int, default=1000)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--only", default="")
    parser.add_argument("--room", type=float, default=2e7)
    options = parser.parse_args()
    done = set()
    if options.out.exists():
        done = {json.loads(line)["name"] for line in options.out.read_text().splitlines()}
    for cell in cells():
        if cell.name in done or options.only not in cell.name:
            continue
        result = run(cell, options.samples, options.device, options.room)
        with options.out.open("a") as file:
            file.write(json.dumps(result) + "\n")
        print(f"{cell.name} ({result['seconds']:.1f} s)", flush=True)


if __name__ == "__main__":
    main()
