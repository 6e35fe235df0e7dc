"""The tools that peers.py compares: how each is handed the sample, and what it computes.

A function here prepares a call: it imports the tool and brings the sample into the form that the
tool takes. Only the call that it returns is timed. Tools run as they come, with as many threads as
they choose.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from peers_sample import Sample

AUROC, AP, AUPRG = "AUROC", "average precision", "AUPRG"
EXACT, NORMALISED = "AUPR", "normalised AUPR"


# ---------------------------------------------------------------------- NumPy and isometrics

Call = Callable[[], Any]


def np_sort(sample: Sample) -> Call:
    return lambda: np.sort(sample.scores)


def iso_all(sample: Sample) -> Call:
    from isometrics import OperatingPoints

    def call() -> tuple[dict[str, float], object, object]:
        points = OperatingPoints.from_scores(sample.labels, sample.scores)
        pr = points.pr.areas(interpolations=("davis-goadrich", "average-precision"))
        areas = {
            AUROC: points.roc.area(),
            EXACT: pr["davis-goadrich"],
            AP: pr["average-precision"],
            NORMALISED: points.pr.normalised_area(),
            AUPRG: points.prg.area(),
        }
        return areas, points, points.hull()

    return call


def iso_areas(sample: Sample) -> Call:
    from isometrics import area_scores

    return lambda: area_scores(sample.labels, sample.scores)


def iso_auroc(sample: Sample) -> Call:
    from isometrics import auroc_score

    return lambda: auroc_score(sample.labels, sample.scores)


# ---------------------------------------------------------------------- scikit-learn, scors, torch


def sklearn_auroc(sample: Sample) -> Call:
    from sklearn.metrics import roc_auc_score

    return lambda: roc_auc_score(sample.labels, sample.scores)


def scors_auroc(sample: Sample) -> Call:
    import scors

    return lambda: scors.roc_auc(sample.labels, sample.scores)


def torch_auroc(sample: Sample) -> Call:
    import torch
    from torchmetrics.functional.classification import binary_auroc

    scores = torch.from_numpy(sample.scores)
    labels = torch.from_numpy(sample.labels).to(torch.int64)
    return lambda: binary_auroc(scores, labels, thresholds=None)


# ---------------------------------------------------------------------- pyprg


def pyprg_area(sample: Sample) -> Call:
    def length(values: Any) -> int:
        return len(values) if hasattr(values, "__len__") else 1

    # NumPy removed this name in 1.23; pyprg calls it throughout.
    np.alen = length
    from prg.prg import calc_auprg, create_prg_curve

    return lambda: calc_auprg(create_prg_curve(sample.labels, sample.scores))


# ---------------------------------------------------------------------- data frames and SQL

QUERY = """
WITH counted AS (
    SELECT score, sum(label) AS p, count(*) - sum(label) AS n FROM sample GROUP BY score
), ranked AS (
    SELECT p, n, sum(p) OVER above AS tp, sum(n) OVER above AS fp
    FROM counted WINDOW above AS (ORDER BY score DESC)
)
SELECT sum(p * (fp - n / 2)::DOUBLE), sum(p * (tp / (tp + fp))), sum(p), sum(n) FROM ranked
"""


def duckdb_areas(sample: Sample) -> Call:
    import duckdb
    import pyarrow as pa

    connection = duckdb.connect()
    connection.execute("SET temp_directory = ?", [str(sample.folder / "duckdb")])
    labels = pa.array(sample.labels.view(np.uint8))
    connection.register("sample", pa.table({"label": labels, "score": sample.scores}))

    def call() -> dict[str, float]:
        above, steps, positives, negatives = map(float, connection.execute(QUERY).fetchone())
        return {AUROC: 1 - above / (positives * negatives), AP: steps / positives}

    return call


def polars_areas(sample: Sample) -> Call:
    import polars as pl

    frame = pl.DataFrame({"label": sample.labels.view(np.uint8), "score": sample.scores})
    last_of_tie = (pl.col("score") != pl.col("score").shift(-1)).fill_null(True)
    tp, fp, p, n = map(pl.col, ("tp", "fp", "p", "n"))
    steps = (
        frame.lazy()
        .sort("score", descending=True)
        .with_columns(pl.col("label").cast(pl.Int64).cum_sum().alias("tp"))
        .with_columns((pl.int_range(1, pl.len() + 1) - tp).alias("fp"))
        .filter(last_of_tie)
        .with_columns(tp.diff().fill_null(tp).alias("p"), fp.diff().fill_null(fp).alias("n"))
        .select(
            (p * (fp - n / 2)).sum().alias("above"),
            (p * (tp / (tp + fp))).sum().alias("steps"),
            p.sum().alias("positives"),
            n.sum().alias("negatives"),
        )
    )

    def call() -> dict[str, float]:
        above, total, positives, negatives = steps.collect().row(0)
        return {AUROC: 1 - above / (positives * negatives), AP: total / positives}

    return call


# ---------------------------------------------------------------------- all of them


@dataclass(frozen=True, slots=True)
class Work:
    """One thing that one tool computes.

    `start` and `pace` are what it roughly took in seconds and nanoseconds per row, to estimate how
    long a whole run takes.
    """

    tool: str
    what: str
    prepare: Callable[[Sample], Call]
    start: float
    pace: float
    read: Callable[[Any], dict[str, float]] = dict

    @property
    def name(self) -> str:
        """The tool and what it computes, the key of the results."""
        return f"{self.tool}: {self.what}"


def nothing(_: object) -> dict[str, float]:
    return {}


def first(result: tuple[dict[str, float], object, object]) -> dict[str, float]:
    return result[0]


def three(result: Any) -> dict[str, float]:
    return {AUROC: result.auroc, EXACT: result.aupr, AUPRG: result.auprg}


def _read(name: str) -> Callable[[Any], dict[str, float]]:
    return lambda result: {name: float(result)}


WORKS: dict[str, Work] = {
    work.name: work
    for work in (
        Work("isometrics", "AUROC", iso_auroc, 0.5, 25, _read(AUROC)),
        Work("isometrics", "AUROC, AUPR, AUPRG", iso_areas, 0.5, 27, three),
        Work("isometrics", "table, five areas, hull", iso_all, 0.5, 30, first),
        Work("scikit-learn", "AUROC", sklearn_auroc, 1.5, 570, _read(AUROC)),
        Work("scors", "AUROC", scors_auroc, 0.3, 170, _read(AUROC)),
        Work("torchmetrics", "AUROC", torch_auroc, 4, 300, _read(AUROC)),
        Work("polars", "AUROC, average precision", polars_areas, 0.5, 75),
        Work("DuckDB", "AUROC, average precision", duckdb_areas, 0.5, 400),
        Work("pyprg", "AUPRG", pyprg_area, 1, 2300, _read(AUPRG)),
        Work("NumPy", "np.sort of the scores", np_sort, 0.2, 100, nothing),
    )
}
ALL = "isometrics: table, five areas, hull"
OURS = "isometrics: AUROC"
TOOLS = tuple(dict.fromkeys(work.tool for work in WORKS.values()))
