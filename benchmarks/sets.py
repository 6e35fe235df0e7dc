"""Time the counting of many large sets: 1,000 found sets in a universe of 1,000,000 elements.

Run it with ``python benchmarks/sets.py``. Python's own sets are timed on a few found sets and
scaled up, since all of them would need more memory than most machines have.
"""

import resource
import time

import numpy as np

import isometrics as iso
from isometrics.sets import overlap_matrix

UNIVERSE, SETS, FEW = 1_000_000, 1_000, 5


def seconds(work) -> tuple[float, object]:
    start = time.perf_counter()
    result = work()
    return time.perf_counter() - start, result


def report(name: str, time_needed: float) -> None:
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"{name:58} {time_needed:8.3f} s   peak so far {memory:6.0f} MiB", flush=True)


def main() -> None:
    rng = np.random.default_rng(1)
    target = rng.random(UNIVERSE) < 0.3
    masks = rng.integers(0, 256, (SETS, UNIVERSE), np.uint8) < 64
    print(f"{SETS:,} sets of about {masks[0].sum():,} elements in a universe of {UNIVERSE:,}")

    needed, points = seconds(
        lambda: iso.OperatingPoints.from_sets(target, masks, universe_size=UNIVERSE)
    )
    report("from_sets, boolean masks", needed)

    needed, _ = seconds(lambda: overlap_matrix(masks[:100], masks[100:200], universe_size=UNIVERSE))
    report("overlap_matrix, 100 × 100 of these masks", needed)

    # Positions of all sets at once would take 2 GB; a tenth of the sets shows the rate.
    indices = [np.flatnonzero(mask) for mask in masks[: SETS // 10]]
    needed, again = seconds(
        lambda: iso.OperatingPoints.from_sets(target, indices, universe_size=UNIVERSE)
    )
    report(f"from_sets, positions, {SETS // 10} sets × 10", 10 * needed)
    assert again.tp.tolist() == points.tp[: SETS // 10].tolist()

    few = [set(one.tolist()) for one in indices[:FEW]]
    wanted = set(np.flatnonzero(target).tolist())
    needed, counts = seconds(lambda: [len(wanted & one) for one in few])
    report(f"Python's set intersection, {FEW} sets × {SETS // FEW}", needed * SETS / FEW)
    assert counts == points.tp[:FEW].tolist()
    needed, again = seconds(
        lambda: iso.OperatingPoints.from_sets(wanted, few, universe_size=UNIVERSE)
    )
    report(f"from_sets, Python sets of integers, {FEW} sets × {SETS // FEW}", needed * SETS / FEW)
    assert again.tp.tolist() == counts

    small = [rng.choice(UNIVERSE, 1000, replace=False) for _ in range(SETS)]
    needed, _ = seconds(
        lambda: iso.OperatingPoints.from_sets(target, small, universe_size=UNIVERSE)
    )
    report("from_sets, positions, 1,000 elements each", needed)
    needed, _ = seconds(lambda: overlap_matrix(small, small, universe_size=UNIVERSE))
    report("overlap_matrix, 1,000 × 1,000 of these", needed)

    side = 1_000_000
    half = rng.random(side) < 0.5
    blocks = [iso.Bicluster(half, rng.random(1000) < 0.5, (side, 1000)) for _ in range(100)]
    needed, _ = seconds(
        lambda: iso.OperatingPoints.from_sets(blocks[0], blocks, universe_size=(side, 1000))
    )
    report("from_sets, 100 biclusters of 2.5e8 cells each", needed)


if __name__ == "__main__":
    main()
