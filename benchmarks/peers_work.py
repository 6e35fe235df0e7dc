"""The tools that peers.py compares: how each is handed the sample, and what it computes.

A function here prepares a call: it imports the tool and brings the sample into the form that the
tool takes. Only the call that it returns is timed. Tools run as they come, with as many threads as
they choose.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
from peers_sample import Sample

AUROC, AP, LINEAR, AUPRG = "AUROC", "average precision", "linear AUPR", "AUPRG"
EXACT, NORMALISED = "AUPR", "normalised AUPR"

WITHOUT_AVX512 = {"NPY_DISABLE_CPU_FEATURES": "X86_V4 AVX512_ICL"}


# ---------------------------------------------------------------------- NumPy and isometrics

Call = Callable[[], Any]


def np_sort(sample: Sample) -> Call:
    return lambda: np.sort(sample.scores)


def iso_table(sample: Sample) -> Call:
    import isometrics as iso

    return lambda: iso.OperatingPoints.from_scores(sample.labels, sample.scores)


def iso_all(sample: Sample) -> Call:
    import isometrics as iso

    def call() -> tuple[iso.OperatingPoints, dict[str, float], object]:
        points = iso.OperatingPoints.from_scores(sample.labels, sample.scores)
        pr = points.pr.areas(interpolations=("davis-goadrich", "average-precision"))
        areas = {
            AUROC: points.roc.area(),
            EXACT: pr["davis-goadrich"],
            AP: pr["average-precision"],
            NORMALISED: points.pr.normalised_area(),
            AUPRG: points.prg.area(),
        }
        return points, areas, points.hull()

    return call


def areas_of_all(result: tuple[Any, dict[str, float], object]) -> dict[str, float]:
    """Return the five areas, and the optimistic one that MLlib computes."""
    points, areas, _ = result
    return areas | {LINEAR: points.pr.area("linear")}


def iso_score(sample: Sample, name: str) -> Call:
    import isometrics as iso

    call = {
        AUROC: iso.auroc_score,
        AP: partial(iso.aupr_score, interpolation="average-precision"),
        AUPRG: iso.auprg_score,
    }[name]
    return lambda: {name: call(sample.labels, sample.scores)}


# ---------------------------------------------------------------------- scikit-learn, scors, torch


def sklearn_curve(sample: Sample) -> Call:
    from sklearn.metrics import precision_recall_curve

    return lambda: precision_recall_curve(sample.labels, sample.scores)


def sklearn_score(sample: Sample, name: str) -> Call:
    from sklearn.metrics import average_precision_score, roc_auc_score

    score = {AUROC: roc_auc_score, AP: average_precision_score}[name]
    return lambda: {name: score(sample.labels, sample.scores)}


def scors_score(sample: Sample, name: str) -> Call:
    import scors

    score = {AUROC: scors.roc_auc, AP: scors.average_precision}[name]
    return lambda: {name: score(sample.labels, sample.scores)}


def torch_call(sample: Sample, name: str) -> Call:
    import torch
    from torchmetrics.functional import classification

    scores = torch.from_numpy(sample.scores)
    labels = torch.from_numpy(sample.labels).to(torch.int64)
    metric = getattr(classification, name)
    return lambda: metric(scores, labels, thresholds=None)


def area_of_steps(curve: tuple[Any, Any, Any]) -> dict[str, float]:
    """Return average precision from precisions and recalls, the recalls decreasing."""
    precision, recall = (np.asarray(values, dtype=np.float64) for values in curve[:2])
    return {AP: float(-np.sum(np.diff(recall) * precision[:-1]))}


# ---------------------------------------------------------------------- pyprg


def pyprg_area(sample: Sample) -> Call:
    def length(values: Any) -> int:
        return len(values) if hasattr(values, "__len__") else 1

    # NumPy removed this name in 1.23; pyprg calls it throughout.
    np.alen = length
    from prg.prg import calc_auprg, create_prg_curve

    return lambda: {AUPRG: calc_auprg(create_prg_curve(sample.labels, sample.scores))}


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
    connection.execute("SET temp_directory = ?", [str(sample.parquet.parent / "duckdb")])
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


# ---------------------------------------------------------------------- Spark


def mllib_areas(sample: Sample, bins: int) -> Call:
    from pyspark.sql import SparkSession

    settings = {
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.log.level": "ERROR",
        "spark.driver.memory": "6g",
        "spark.local.dir": str(sample.parquet.parent / "spark"),
    }
    builder = SparkSession.builder.master("local[2]").appName("benchmark")
    for key, value in settings.items():
        builder = builder.config(key, value)
    spark = builder.getOrCreate()

    def call() -> dict[str, float]:
        from pyspark.ml.evaluation import BinaryClassificationEvaluator

        frame = spark.read.parquet(str(sample.parquet))
        evaluator = BinaryClassificationEvaluator(
            rawPredictionCol="score", labelCol="label", numBins=bins
        )
        # The evaluator's own `evaluate` would count again for the second area.
        evaluator._transfer_params_to_java()
        metrics = evaluator._java_obj.getMetrics(frame._jdf)
        areas = {AUROC: metrics.areaUnderROC(), LINEAR: metrics.areaUnderPR()}
        metrics.unpersist()
        return areas

    return call


def java_process() -> int | None:
    """Return the number of the Java process of Spark, if there is one."""
    import sys

    if "pyspark" not in sys.modules:
        return None
    from pyspark import SparkContext

    gateway = SparkContext._gateway
    return gateway.proc.pid if gateway else None


# ---------------------------------------------------------------------- all of them


@dataclass(frozen=True, slots=True)
class Work:
    """One thing that one tool computes.

    `same_as` names the work of isometrics that computes the same. Only the first call is timed
    where it is to be done `once`. `start` and `pace` are what it
    roughly took in seconds and nanoseconds per row, to estimate how long a whole run takes.
    """

    tool: str
    what: str
    prepare: Callable[[Sample], Call]
    start: float
    pace: float
    same_as: str = ""
    read: Callable[[Any], dict[str, float]] = dict
    once: bool = False
    environment: dict[str, str] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """The tool and what it computes, the key of the results."""
        return f"{self.tool}: {self.what}"


def nothing(_: object) -> dict[str, float]:
    return {}


def one(name: str, result: Any) -> dict[str, float]:
    return {name: float(result)}


SORT = "NumPy: np.sort of the scores"
ALL = "isometrics: table, five areas, hull"
TABLE = "isometrics: table alone"
SCORES = {
    AUROC: "isometrics: auroc_score",
    AP: "isometrics: aupr_score, average precision",
    AUPRG: "isometrics: auprg_score",
}


def _named(name: str, *rest: Any, **options: Any) -> Work:
    tool, what = name.split(": ")
    return Work(tool, what, *rest, **options)


def _score(prepare: Callable[..., Call], name: str) -> Callable[[Sample], Call]:
    return partial(prepare, name=name)


WORKS: dict[str, Work] = {
    work.name: work
    for work in (
        _named(SORT, np_sort, 0.3, 70, read=nothing),
        _named(
            "NumPy: np.sort without AVX-512",
            *(np_sort, 0.3, 12),
            read=nothing,
            environment=WITHOUT_AVX512,
        ),
        _named(ALL, iso_all, 1, 120, read=areas_of_all),
        Work(
            *("isometrics", "table, five areas, hull; first call", iso_all),
            *(1, 120),
            read=nothing,
            once=True,
        ),
        _named(TABLE, iso_table, 1, 80, read=nothing),
        *(_named(name, _score(iso_score, area), 1, 100) for area, name in SCORES.items()),
        Work(
            *("scikit-learn", "precision_recall_curve", sklearn_curve, 2, 380),
            same_as=TABLE,
            read=area_of_steps,
        ),
        Work(
            *("scikit-learn", "average_precision_score", _score(sklearn_score, AP), 2, 400),
            same_as=SCORES[AP],
        ),
        Work(
            *("scikit-learn", "roc_auc_score", _score(sklearn_score, AUROC), 2, 440),
            same_as=SCORES[AUROC],
        ),
        Work(
            *("scors", "average_precision", _score(scors_score, AP), 0.5, 160),
            same_as=SCORES[AP],
        ),
        Work("scors", "roc_auc", _score(scors_score, AUROC), 0.5, 160, same_as=SCORES[AUROC]),
        Work(
            *("torchmetrics", "binary_precision_recall_curve"),
            *(_score(torch_call, "binary_precision_recall_curve"), 4, 400),
            same_as=TABLE,
            read=area_of_steps,
        ),
        Work(
            *("torchmetrics", "binary_auroc", _score(torch_call, "binary_auroc"), 4, 330),
            same_as=SCORES[AUROC],
            read=partial(one, AUROC),
        ),
        Work("pyprg", "create_prg_curve, calc_auprg", pyprg_area, 1, 2200, same_as=SCORES[AUPRG]),
        Work("DuckDB", "SQL, group by and window; two areas", duckdb_areas, 0.5, 250),
        Work("polars", "sort, cumulative sums; two areas", polars_areas, 0.5, 70),
        Work("Spark MLlib", "1,000 bins; two areas", partial(mllib_areas, bins=1000), 12, 2500),
        Work("Spark MLlib", "no bins; two areas", partial(mllib_areas, bins=0), 12, 3500),
    )
}
TOOLS = tuple(dict.fromkeys(work.tool for work in WORKS.values()))
