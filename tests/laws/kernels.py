"""Every way from rows to areas, called directly: what the laws of long samples range over.

A kernel is named with the compiled loops that it runs, so that none is under no law.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest
from hypothesis import assume
from hypothesis import strategies as st

import isometrics as iso
from isometrics._core.rows import parse_sample
from isometrics._core.sample import Sample
from isometrics._counting import compiled_kernel as fast
from isometrics._counting import native, triton_launch
from isometrics._counting import numpy_kernel as plain
from isometrics._counting.keys import ScoreCounts, encoding_of
from isometrics._counting.replicates import CellOrder, kernel_named
from isometrics._table.building import _of_corners, path_of_sample
from isometrics._table.table import Kind, KnownArea, Table
from isometrics.errors import ToleranceWarning
from isometrics.points.compact import areas_on_device, hull_alone, table_on_device
from isometrics.sources import score_ranges
from isometrics.sources import streams as stream
from isometrics.sources.batches import peek
from isometrics.sources.cluster_passes import PassLimits
from isometrics.sources.column_roles import layout_of
from isometrics.sources.score_ranges import BYTES_OF_A_KEY, ScoreRanges
from isometrics.sources.spark_and_dask import ClusterFrame
from isometrics.sources.tables import read_tables
from isometrics.spaces import pr, prg, roc
from isometrics.uncertainty.resampling import Grain, grouping_of, scores_of

from .areas import AREAS
from .laws import Area, counted_by_numpy, interpreted, validated
from .samples import TIED

PARTIAL = {"roc.standardised_area", "pr.area of a part", "prg.area of a part"}
"""Areas of a part of an axis, which a table without all rows does not have."""


@dataclass(frozen=True)
class Kernel:
    points: Callable[..., Any]
    areas: Mapping[str, Area] = field(default_factory=lambda: AREAS)
    loops: frozenset[str] = frozenset()
    """The loops that are called from Python; what they call in turn is found from them."""
    weights: tuple[str, ...] = ("integer", "float")
    samples: dict[str, Any] = field(default_factory=dict)
    """Which samples it is made for; see `samples.drawn`."""
    exempt: dict[str, str] = field(default_factory=dict)
    """Laws that do not hold, and why."""
    whole: bool = True
    table: Callable[[Any], iso.OperatingPoints] = lambda points: points
    within: Callable[[], AbstractContextManager[Any]] = nullcontext
    needs: tuple[str, ...] = ()
    cost: int = 1
    """So many times fewer examples are drawn."""


def loops(module: str, *names: str) -> frozenset[str]:
    return frozenset(f"{module}.{name}" for name in names)


# ---------------------------------------------------------------------- NumPy and compiled loops


@contextmanager
def compiled() -> Iterator[None]:
    """Use the compiled loops for few rows too."""
    if not native.available():
        pytest.skip("no C compiler (compiled loops)")
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(native, "FEWEST", 2)
        yield


def table_of(rows: ScoreCounts) -> Table:
    thresholds, tp, fp = rows
    return Table(thresholds, tp, fp, tp[-1].item(), fp[-1].item(), Kind.SCORES)


def by_fast(*, corners: bool = False, **options: Any) -> Callable[..., iso.OperatingPoints]:
    def count(*sample: np.ndarray) -> iso.OperatingPoints:
        table = table_of(fast.count(*validated(*sample), corners=corners, **options))
        return iso.OperatingPoints(_of_corners(table) if corners else table)

    return count


def numpy_corners(*sample: np.ndarray) -> iso.OperatingPoints:
    table = table_of(plain.count(*validated(*sample), corners=True))
    return iso.OperatingPoints(_of_corners(table))


def weighted(*sample: np.ndarray) -> iso.OperatingPoints:
    """Let keys carry weights, also where all are 1."""
    rows = fast._count_weighted(*validated(*sample), threads=2, each=64)
    return iso.OperatingPoints(table_of(rows))


def tied(labels: np.ndarray, scores: np.ndarray) -> iso.OperatingPoints:
    """Count in the hash table, which gives up on samples of too many values."""
    packing = fast._Packing(labels, scores, encoding_of(scores))
    rows = fast._count_tied(packing, 2, fast.SLOTS)
    assert rows is not None
    return iso.OperatingPoints(table_of(rows))


def rare(labels: np.ndarray, scores: np.ndarray) -> iso.OperatingPoints:
    """Count what is near the few positives; where much is, there is another way."""
    packing = fast._Packing(labels, scores, encoding_of(scores))
    rows = fast.rare_corners(packing, 2)
    assume(rows is not None)
    return iso.OperatingPoints(_of_corners(table_of(rows)))


def along_corners(labels: np.ndarray, scores: np.ndarray) -> tuple[Any, Any]:
    """Return the path and the totals that the score functions add up along."""
    return path_of_sample(parse_sample(labels, {"": scores}))


def hull_of_keys(*sample: np.ndarray) -> iso.OperatingPoints:
    labels, scores, weights = validated(*sample)
    return iso.OperatingPoints(hull_alone(Sample(labels, {"": scores}, weights), section=512))


def in_passes(labels: np.ndarray, scores: np.ndarray) -> iso.OperatingPoints:
    """Read the rows as often as needed, when a seventh of them fits at once."""
    ranges = ScoreRanges(BYTES_OF_A_KEY * max(labels.size // 7, 1), labels.size, 1)
    while True:
        for batch in np.array_split(np.arange(labels.size), 1 + labels.size % 7):
            ranges.append(Sample(labels[batch], {"": scores[batch]}))
        if not ranges.end_pass(""):
            return ranges.points("", "y", "")


@contextmanager
def short_ranges() -> Iterator[None]:
    """Divide few rows into runs and sections too."""
    with compiled(), pytest.MonkeyPatch.context() as patched:
        for name, size in (("_PIECE_ROWS", 512), ("_RUN_ROWS", 1024), ("_SECTION_ROWS", 512)):
            patched.setattr(score_ranges, name, size)
        patched.setattr(score_ranges, "_STEP", 16)
        yield


REWEIGHTED = {
    name: lambda found, place=place: found[place]
    for place, name in enumerate(
        ("roc.area", "pr.area davis-goadrich", "pr.area average-precision", "prg.area")
    )
}


def reweighted(kernel: str) -> Callable[..., np.ndarray]:
    """Gather the weights of rows into cells, as a replicate does, and fill in the areas."""

    def fill(labels, scores, weights=None) -> np.ndarray:
        way = kernel_named(kernel)
        sample = parse_sample(labels, {"": scores}, sample_weight=weights)
        table = counted_by_numpy(labels, scores, weights).table
        grouping = grouping_of(scores_of(table), Grain.SCORES, np.empty(0))
        cells = grouping.cells
        score = np.unique(-sample.only_scores.astype(float), return_inverse=True)[1]
        size = cells.positive.size
        cell = np.where(
            sample.labels, grouping.positive_cell[score], size + grouping.negative_cell[score]
        )
        given = np.ones(cell.size) if sample.weights is None else sample.weights.astype(float)
        sums = np.empty((1, cells.counts.size))
        way.gather(given, cell, sums[0])
        found = np.empty((1, len(REWEIGHTED)))
        places = (cells.before.astype(np.int32), cells.through.astype(np.int32))
        order = CellOrder(*places, 0.0, True)
        way.areas(sums[:, :size], sums[:, size:], order, found)
        return found[0]

    return fill


# ---------------------------------------------------------------------- devices


def of_torch(array: np.ndarray) -> Any:
    import torch

    return torch.tensor(array)


def of_strict(array: np.ndarray) -> Any:
    import array_api_strict

    return array_api_strict.asarray(array)


def of_jax(array: np.ndarray) -> Any:
    import jax

    jax.config.update("jax_enable_x64", True)
    return jax.numpy.asarray(array)


Made = Callable[[np.ndarray], Any]


def device_sample(made: Made, labels: np.ndarray, scores: np.ndarray) -> Sample:
    scores = made(scores)
    return Sample(made(labels), {"": scores})


def on_device(made: Made, rows: str) -> Callable[..., iso.OperatingPoints]:
    def points(labels: np.ndarray, scores: np.ndarray) -> iso.OperatingPoints:
        table = table_on_device(device_sample(made, labels, scores), rows)
        if table is None:  # no key can hold score and label
            return iso.OperatingPoints.from_scores(labels, scores, rows=rows)
        return iso.OperatingPoints(table)

    return points


def three_on_device(made: Made) -> Callable[..., dict[str, float]]:
    def areas(labels: np.ndarray, scores: np.ndarray) -> dict[str, float]:
        found = areas_on_device(device_sample(made, labels, scores), everything=False)
        if found is None:
            points = iso.OperatingPoints.from_scores(labels, scores)
            found = {key: AREAS[name](points) for name, key in THREE.items()}
        return found

    return areas


@contextmanager
def triton() -> Iterator[None]:
    """Let Triton's interpreter run what is compiled for CUDA, on tensors of the processor."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(triton_launch, "can_run_on", lambda _: True)
        yield


THREE = {
    "roc.area": KnownArea.ROC,
    "pr.area davis-goadrich": KnownArea.DAVIS_GOADRICH,
    "prg.area": KnownArea.PRG,
}
ADDED_UP = (
    *THREE,
    "pr.area average-precision",
    "pr.area linear",
    "pr.normalised_area",
    "prg.y0",
    "prg.expected_f_gain",
    "roc.expected_accuracy",
)
"""What is added up on devices."""


# ---------------------------------------------------------------------- streams and clusters


BRACKETS = {
    "roc.area": "AUROC",
    "pr.area davis-goadrich": "AUPR",
    "pr.area average-precision": "average precision",
    "pr.area linear": "AUPR, linear",
    "pr.area integer-steps": "AUPR, integer steps",
    "pr.area max-precision": "AUPR, max precision",
    "pr.normalised_area": "AUPR, normalised",
    "prg.area": "AUPRG",
    "roc.expected_accuracy": "expected accuracy",
}
BOUNDED = {
    name: lambda points, area=area: iso.area_brackets(points, [area])[area]
    for name, area in BRACKETS.items()
}


def accumulated(max_bytes: int | str, made: Made = lambda array: array) -> Callable[..., Any]:
    """Feed an accumulator in batches of all sizes, merge two of them and send them around."""

    def feed(*sample: np.ndarray) -> iso.Accumulator:
        rows = sample[0].size
        streams = [iso.Accumulator(max_bytes) for _ in range(2)]
        for number, batch in enumerate(np.array_split(np.arange(rows), 1 + rows % 7)):
            if batch.size:
                labels, scores, *weights = (made(column[batch]) for column in sample)
                streams[number % 2].update(
                    labels, scores, sample_weight=weights[0] if weights else None
                )
        return iso.Accumulator.from_state(streams[0].state()).merge(streams[1])

    return feed


def accumulated_alone(max_bytes: int, made: Made) -> Callable[..., Any]:
    """Feed one accumulator, whose counts stay on the device."""

    def feed(labels: np.ndarray, scores: np.ndarray) -> iso.Accumulator:
        found = iso.Accumulator(max_bytes)
        # The plan is made on the first batch; both ends are in it, so that no row lies beyond.
        order = np.argsort(scores, kind="stable")
        order = np.concatenate([order[:1], order[-1:], order[1:-1]])
        for batch in (order[: 2 + order.size // 2], order[2 + order.size // 2 :]):
            if batch.size:
                found.update(made(labels[batch]), made(scores[batch].astype(np.float64)))
        assert found._counts.empty
        return found

    return feed


def points_of(feed: Callable[..., iso.Accumulator]) -> Callable[..., iso.OperatingPoints]:
    return lambda *sample: feed(*sample).points()


@contextmanager
def streams_on_a_device(*, by_triton: bool) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(
            stream,
            "parse_device_sample",
            lambda y_true, y_score, *_, **__: Sample(y_true, {"": y_score}),
        )
        patched.setattr(triton_launch, "can_run_on", lambda _: by_triton)
        yield


def in_cluster(frame: Callable[[dict[str, np.ndarray]], Any]) -> Callable[..., Any]:
    def read(*sample: np.ndarray) -> iso.OperatingPoints:
        columns = dict(zip(("label", "score", "weight"), sample, strict=False))
        weight = "weight" if len(sample) == 3 else None
        # A pass collects few rows, so that it takes several.
        source = ClusterFrame(frame(columns), limits=PassLimits(4_000, 256))
        layout = layout_of(peek(source), label="label", weight=weight)
        return read_tables(source, layout, tolerance=0.05).points["score"]

    return read


@contextmanager
def wide_bounds() -> Iterator[None]:
    """Scores that lie far apart may take more passes than are allowed; bounds hold all the same."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ToleranceWarning)
        yield


def polars_frame(columns: dict[str, np.ndarray]) -> Any:
    import narwhals.stable.v2 as nw
    import polars as pl

    return nw.from_native(pl.DataFrame(columns).lazy())


def dask_frame(columns: dict[str, np.ndarray]) -> Any:
    import dask.dataframe as dd
    import narwhals.stable.v2 as nw
    import pandas as pd

    return nw.from_native(dd.from_pandas(pd.DataFrame(columns), npartitions=2))


def spark_frame(columns: dict[str, np.ndarray]) -> Any:
    import narwhals.stable.v2 as nw
    import pyarrow as pa
    from pyspark.sql import SparkSession

    return nw.from_native(SparkSession.getActiveSession().createDataFrame(pa.table(columns)))


# ---------------------------------------------------------------------- the list

ROWS_MISSING = {
    "merge is concatenation": "a table without all rows is not merged",
    "ROC round trip": "a table without all rows has no curve to give away",
}
BINS = ROWS_MISSING | {"hull dominates": "what bins hold is not known, and so is no hull"}
NO_TABLE = BINS | {"counts by definition": "there are areas, and no rows"}
UNWEIGHTED: dict[str, Any] = {"weights": ()}
FULL = {name: area for name, area in AREAS.items() if name not in PARTIAL}
FAST: dict[str, Any] = {"within": compiled}
BUCKETS = loops("native", "pack", "census", "spread")
CURVES = loops("native", "sum_chunks", "hull")
SORTED = loops("triton_code", "survey_spans", "pack_tiles")
OF_TRITON: dict[str, Any] = {"needs": ("torch", "triton"), "within": triton, "cost": 8}

KERNELS: dict[str, Kernel] = {
    "NumPy": Kernel(counted_by_numpy, within=interpreted),
    "NumPy, corners": Kernel(
        numpy_corners, FULL, exempt=ROWS_MISSING, whole=False, within=interpreted
    ),
    "NumPy, hull alone": Kernel(
        hull_of_keys, FULL, exempt=ROWS_MISSING, whole=False, within=interpreted
    ),
    "NumPy, replicates": Kernel(
        reweighted("plain"), REWEIGHTED, exempt=NO_TABLE, whole=False, within=interpreted
    ),
    "compiled, buckets": Kernel(
        by_fast(slots=4, each=64, threads=2),
        loops=BUCKETS | loops("native", "find_range", "fill_rows"),
        weights=(),
        **FAST,
    ),
    "compiled, corners": Kernel(
        by_fast(slots=4, each=64, threads=2, corners=True),
        FULL,
        BUCKETS | loops("native", "fill_corners"),
        weights=(),
        samples={"prevalences": (0.5, 0.1, 0.9)},
        exempt=ROWS_MISSING,
        whole=False,
        **FAST,
    ),
    "compiled, weights": Kernel(
        weighted,
        loops=loops("native", "census", "spread", "sort_buckets", "block_sums", "fill_weighted"),
        **FAST,
    ),
    "compiled, ranges of scores": Kernel(
        in_passes,
        FULL,
        loops("native", "census", "spread", "sort_buckets"),
        exempt=ROWS_MISSING,
        whole=False,
        within=short_ranges,
        **UNWEIGHTED,
    ),
    "compiled, counts alone": Kernel(
        along_corners,
        {
            "roc.area": lambda found: roc.area_along(*found),
            "pr.area davis-goadrich": lambda found: pr.areas_along(
                found[0], found[1].positives, ("davis-goadrich",)
            )["davis-goadrich"],
            "prg.area": lambda found: prg.area_along(*found),
        },
        loops("native", "corner_counts", "sum_chunks"),
        weights=(),
        exempt=NO_TABLE,
        whole=False,
        **FAST,
    ),
    "compiled, as it chooses": Kernel(by_fast(), loops=CURVES, **FAST),
    "compiled, tied": Kernel(
        tied,
        loops=loops("native", "pack", "tally"),
        weights=(),
        samples={"shapes": TIED},
        exempt={"perfect is one": "scores without ties are too many for the hash table"},
        **FAST,
    ),
    "compiled, rare": Kernel(
        rare,
        FULL,
        loops("native", "pack", "sort_buckets", "sift"),
        weights=(),
        samples={"prevalences": (0.0, 0.001), "shapes": ("distinct", "float32", "probabilities")},
        exempt=ROWS_MISSING
        | {
            "label flip": "negatives are not rare",
            "perfect is one": "positives are tied, and all rows near them",
        },
        whole=False,
        **FAST,
    ),
    "compiled, hull alone": Kernel(
        hull_of_keys,
        FULL,
        BUCKETS | loops("native", "sort_buckets_in_place"),
        exempt=ROWS_MISSING,
        whole=False,
        **FAST,
    ),
    "compiled, replicates": Kernel(
        reweighted("compiled"),
        REWEIGHTED,
        loops("native", "gather", "fill_areas"),
        exempt=NO_TABLE,
        whole=False,
        **FAST,
    ),
    **{
        f"{library}, {rows} rows": Kernel(
            on_device(made, rows),
            AREAS if rows == "all" else {name: AREAS[name] for name in ADDED_UP},
            exempt={} if rows == "all" else ROWS_MISSING,
            whole=rows == "all",
            needs=(library,),
            within=interpreted,
            samples=samples,
            cost=cost,
            **UNWEIGHTED,
        )
        for library, made, cost, samples in (
            # It has no way to read the bits of floats.
            ("array_api_strict", of_strict, 1, {"shapes": ("integers", "outliers")}),
            ("torch", of_torch, 1, {}),
            # It compiles everything anew for each number of rows.
            ("jax", of_jax, 10, {"rows": st.sampled_from([40_000, 2, 1000])}),
        )
        for rows in ("all", "hull")
    },
    "Triton, all rows": Kernel(on_device(of_torch, "all"), loops=SORTED, **UNWEIGHTED, **OF_TRITON),
    "Triton, hull rows": Kernel(
        on_device(of_torch, "hull"),
        {name: AREAS[name] for name in ADDED_UP},
        SORTED | loops("triton_code", "count_spans", "add_spans", "find_highest", "find_above"),
        exempt=ROWS_MISSING,
        whole=False,
        **UNWEIGHTED,
        **OF_TRITON,
    ),
    "Triton, three areas": Kernel(
        three_on_device(of_torch),
        {name: lambda found, key=key: found[key] for name, key in THREE.items()},
        SORTED | loops("triton_code", "count_spans", "add_spans"),
        exempt=NO_TABLE,
        whole=False,
        **UNWEIGHTED,
        **OF_TRITON,
    ),
    "stream": Kernel(points_of(accumulated("16MB")), weights=("integer",), within=interpreted),
    "stream, bins": Kernel(
        points_of(accumulated(20_000)),
        BOUNDED,
        weights=("integer",),
        exempt=BINS,
        whole=False,
        within=interpreted,
        cost=2,
    ),
    "stream of torch, bins": Kernel(
        points_of(accumulated(20_000, of_torch)),
        BOUNDED,
        exempt=BINS,
        whole=False,
        needs=("torch",),
        within=lambda: streams_on_a_device(by_triton=False),
        cost=2,
        **UNWEIGHTED,
    ),
    "stream of Triton, bins": Kernel(
        accumulated_alone(20_000, of_torch),
        {
            name: lambda found, area=area: found.brackets(list(BRACKETS.values()))[area]
            for name, area in BRACKETS.items()
        },
        loops("triton_code", "bin_tiles"),
        exempt=BINS,
        whole=False,
        table=lambda found: found.points(),
        needs=("torch", "triton"),
        within=lambda: streams_on_a_device(by_triton=True),
        cost=8,
        **UNWEIGHTED,
    ),
    **{
        f"cluster of {name}": Kernel(
            in_cluster(frame),
            BOUNDED,
            exempt=ROWS_MISSING,
            whole=False,
            needs=(name,),
            within=wide_bounds,
            cost=cost,
            **UNWEIGHTED,
        )
        for name, frame, cost in (
            ("polars", polars_frame, 5),
            ("dask", dask_frame, 12),
            ("pyspark", spark_frame, 24),
        )
    },
}
SUBSETS = {
    "cluster of dask": (
        *("agreement with NumPy", "row permutation", "counts by definition"),
        *("label flip", "perfect is one", "hull dominates"),
    ),
    "cluster of pyspark": ("agreement with NumPy", "row permutation", "counts by definition"),
}
"""The laws that clusters are tried under: each pass takes them a second or more. The same passes
over polars are under all laws."""
