"""Time areas, hull and streams of torch tensors on a CUDA device against torch and torchmetrics.

Usage: python benchmarks/gpu.py [--rows 1e8] [--repeats 9] [--output gpu.md]

Needs torch with CUDA and Triton; CuPy and torchmetrics where they are installed. Times are the
medians of whole calls, until the device is done; short ones take turns, because the clocks of host
and device change. Memory is the peak beyond the sample, that of torch's and CuPy's allocators
together. Differences are to the result of the processor on the same rows; isometrics is exact to
rounding there (see the tests).
"""

import argparse
import os
import platform
import statistics
import tempfile
import time
from collections.abc import Callable
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import torch

import isometrics as iso
from isometrics.measures import registered

SAMPLES = {
    "float32 probabilities": (torch.float32, False),
    "float32 logits": (torch.float32, True),
    "float64 logits": (torch.float64, True),
}
SIZES = (10**4, 10**5, 10**6, 10**7)
BINS = 2**16
ALL = tuple(measure.name for measure in registered())


def sample(rows: int, dtype: torch.dtype, logits: bool) -> tuple[torch.Tensor, torch.Tensor]:
    generator = torch.Generator(device="cuda").manual_seed(1)

    def draw() -> torch.Tensor:
        return torch.rand(rows, device="cuda", generator=generator, dtype=dtype)

    labels = draw() < 0.5
    scores = draw() * 0.7 + draw() * labels * 0.3
    return labels, torch.logit(scores, eps=1e-6) if logits else scores


def timed(work: Callable[[], object], repeats: int) -> float:
    """Return the median of whole calls, in milliseconds."""
    work()
    times = []
    for _ in range(repeats):
        torch.cuda.synchronize()
        start = time.perf_counter()
        work()
        torch.cuda.synchronize()
        times.append(1e3 * (time.perf_counter() - start))
    return statistics.median(times)


def extra_bytes(work: Callable[[], object]) -> int:
    """Return the peak of memory on the device beyond what is there."""
    pools = []
    if find_spec("cupy"):
        import cupy

        pools = [cupy.get_default_memory_pool()]
        pools[0].free_all_blocks()
    torch.cuda.empty_cache()
    before = torch.cuda.memory_allocated()
    torch.cuda.reset_peak_memory_stats()
    kept = work()
    torch.cuda.synchronize()
    del kept
    return torch.cuda.max_memory_allocated() - before + sum(pool.total_bytes() for pool in pools)


def stream_of(labels: torch.Tensor, scores: torch.Tensor) -> iso.Accumulator:
    return iso.Accumulator(BINS * 40).update(labels, scores)


def works(labels: torch.Tensor, scores: torch.Tensor) -> dict[str, Callable[[], object]]:
    stream = stream_of(labels, scores)
    found: dict[str, Callable[[], object]] = {
        "torch.sort": lambda: torch.sort(scores),
        "isometrics: AUROC, AUPR, AUPRG": lambda: iso.area_scores(labels, scores),
        "isometrics: all areas and the hull": lambda: iso.OperatingPoints.from_scores(
            labels, scores, rows="hull"
        ),
        f"isometrics: update of a stream, {BINS:,} bins": lambda: stream.update(labels, scores),
        "isometrics: bounds of all areas of the stream, on the host": stream.brackets,
    }
    if find_spec("torchmetrics"):
        from torchmetrics.functional.classification import (
            binary_auroc,
            binary_average_precision,
            binary_precision_recall_curve,
        )

        whole = labels.long()
        found |= {
            "torchmetrics: PR curve": lambda: binary_precision_recall_curve(
                scores, whole, validate_args=False
            ),
            "torchmetrics: AUROC": lambda: binary_auroc(scores, whole, validate_args=False),
            "torchmetrics: average precision": lambda: binary_average_precision(
                scores, whole, validate_args=False
            ),
        }
    return found


def times(rows: int, repeats: int) -> list[str]:
    lines = [
        f"## Times, {rows:.0e} rows, half of them positive",
        "",
        "| scores | work | ms | bytes per row beyond the sample |",
        "|---|---|--:|--:|",
    ]
    for name, options in SAMPLES.items():
        labels, scores = sample(rows, *options)
        for what, work in works(labels, scores).items():
            median = timed(work, repeats)
            lines.append(f"| {name} | {what} | {median:.2f} | {extra_bytes(work) / rows:.1f} |")
            print(lines[-1], flush=True)
    return [*lines, ""]


def works_on_small_samples(rows: int) -> dict[str, Callable[[], object]]:
    flags, scores = sample(rows, torch.float32, False)
    labels = flags.long()
    compared: dict[str, Callable[[], object]] = {
        "AUROC": lambda: iso.auroc_score(labels, scores),
        "AUROC, AUPR, AUPRG": lambda: iso.area_scores(labels, scores),
        "all areas and the hull": lambda: iso.OperatingPoints.from_scores(
            labels, scores, rows="hull"
        ),
    }
    if find_spec("torchmetrics"):
        from torchmetrics.functional.classification import binary_auroc, binary_average_precision

        compared |= {
            "torchmetrics: AUROC": lambda: float(binary_auroc(scores, labels, validate_args=False)),
            "torchmetrics: average precision": lambda: float(
                binary_average_precision(scores, labels, validate_args=False)
            ),
        }
    return compared


def times_of_small_samples(repeats: int = 51) -> list[str]:
    """Compare samples of training loops, with the int64 labels that torchmetrics takes."""
    lines = [
        "## Times of smaller samples, float32 probabilities, in milliseconds",
        "",
        "Medians of calls in turn, then the fastest call. Labels are int64, as torchmetrics takes "
        "them; it is told not to check them, while isometrics always does.",
        "",
    ]
    for rows in SIZES:
        compared = works_on_small_samples(rows)
        turns: dict[str, list[float]] = {what: [] for what in compared}
        for turn in range(repeats + 2):
            for what, work in compared.items():
                torch.cuda.synchronize()
                start = time.perf_counter()
                work()
                torch.cuda.synchronize()
                if turn > 1:
                    turns[what].append(1e3 * (time.perf_counter() - start))
        if rows == SIZES[0]:
            lines += [
                f"| rows | {' | '.join(compared)} |",
                f"|--:|{'--:|' * len(compared)}",
            ]
        cells = [f"{statistics.median(each):.2f}, {min(each):.2f}" for each in turns.values()]
        lines.append(f"| {rows:.0e} | {' | '.join(cells)} |")
        print(lines[-1], flush=True)
    return [*lines, ""]


def under_nccl(rows: int = 10**6) -> list[str]:
    """Tell whether metrics of a process group on the card are those of the host."""
    if not find_spec("torchmetrics"):
        return []
    import torch.distributed as dist

    from isometrics.integrations.torchmetrics import BinaryAUPR, BinaryAUPRG

    labels, scores = sample(rows, torch.float32, False)
    here = labels.cpu().numpy(), scores.cpu().numpy()
    with tempfile.TemporaryDirectory() as folder:
        os.environ.setdefault("NCCL_SOCKET_IFNAME", "lo")
        dist.init_process_group(
            "nccl", init_method=f"file://{folder}/meeting", rank=0, world_size=1
        )
        metrics = {
            "AUPR": (BinaryAUPR(), iso.aupr_score(*here)),
            "AUPRG": (BinaryAUPRG(), iso.auprg_score(*here)),
            "AUPRG in bins": (BinaryAUPRG(max_bytes="1MB"), iso.auprg_score(*here)),
        }
        apart = []
        for name, (metric, expected) in metrics.items():
            metric.to("cuda")
            metric.update(scores, labels.long())
            apart.append(f"{name} {abs(float(metric.compute()) - expected):.1e}")
        dist.destroy_process_group()
    text = f"Metrics under NCCL, one process, {rows:.0e} rows, apart from the host's: "
    return ["## Process groups", "", f"{text}{', '.join(apart)}.", ""]


def differences(rows: int) -> list[str]:
    lines = [
        f"## Differences to the processor, {rows:.0e} rows",
        "",
        "| scores | AUROC | AUPR | AUPRG | same hull | all bounds hold | widest bound | "
        "bounds, from the host's |",
        "|---|--:|--:|--:|---|---|--:|",
    ]
    for name, options in SAMPLES.items():
        labels, scores = sample(rows, *options)
        exact = iso.OperatingPoints.from_scores(labels.cpu().numpy(), scores.cpu().numpy())
        here = exact.roc.area(), exact.pr.area(), exact.prg.area()
        apart = [abs(a - b) for a, b in zip(iso.area_scores(labels, scores), here, strict=True)]
        hull = iso.OperatingPoints.from_scores(labels, scores, rows="hull").hull()
        same = all(
            np.array_equal(getattr(hull, part), getattr(exact.hull(), part))
            for part in ("tp", "fp", "thresholds")
        )
        stream = stream_of(labels, scores)
        values = iso.area_brackets(exact, ALL)
        bounds = stream.brackets(ALL)
        hold = all(bounds[area].lo <= values[area].lo <= bounds[area].hi for area in ALL)
        cells = [f"{each:.1e}" for each in apart]
        lines.append(
            f"| {name} | {' | '.join(cells)} | {'yes' if same else 'NO'} | "
            f"{'yes' if hold else 'NO'} | {float(bounds.width.max()):.1e} |"
        )
        print(lines[-1], flush=True)
    if find_spec("torchmetrics"):
        lines += ["", *_torchmetrics_differences(rows)]
    return [*lines, ""]


def _torchmetrics_differences(rows: int) -> list[str]:
    from torchmetrics.functional.classification import binary_auroc, binary_average_precision

    labels, scores = sample(rows, torch.float32, False)
    exact = iso.OperatingPoints.from_scores(labels.cpu().numpy(), scores.cpu().numpy())
    auroc = float(binary_auroc(scores, labels.long(), validate_args=False))
    precision = float(binary_average_precision(scores, labels.long(), validate_args=False))
    return [
        "torchmetrics on the float32 probabilities: AUROC off by "
        f"{abs(auroc - exact.roc.area()):.1e}, average precision by "
        f"{abs(precision - exact.pr.area('average-precision')):.1e}."
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=float, default=1e8)
    parser.add_argument("--repeats", type=int, default=9)
    parser.add_argument("--output", type=Path)
    options = parser.parse_args()
    names = ("torch", "triton", "cupy", "cupy-cuda13x", "torchmetrics", "numpy")
    versions = []
    for name in names:
        try:
            versions.append(f"{name} {version(name)}")
        except ModuleNotFoundError:
            continue
    lines = [
        "# Tensors on a graphics card",
        "",
        f"{torch.cuda.get_device_name()}, Python {platform.python_version()}, "
        f"{', '.join(versions)}. Made by `python benchmarks/gpu.py`.",
        "",
        *times(int(options.rows), options.repeats),
        *times_of_small_samples(),
        *under_nccl(),
        *differences(int(options.rows)),
    ]
    if options.output:
        options.output.write_text("\n".join(lines), encoding="utf-8")


if __name__ == "__main__":
    main()
