"""isometrics in MLflow: the numbers, pictures, tables and the page of an analysis in a run."""

from __future__ import annotations

import json
import math
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from isometrics._core.parameters import check_beta
from isometrics._core.writing import ScratchFolder
from isometrics.decisions.thresholds import ALL_ROWS
from isometrics.errors import MissingPackageError, UndefinedWarning, warn
from isometrics.measures import Shown, f_key, registered
from isometrics.points.models import same_prevalence
from isometrics.score_functions import fbeta_gain_score, measure_score

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from isometrics.analysis import Analysis
    from isometrics.analysis.summary import Summary

__all__ = ["Logged", "class_metrics", "log_analysis", "score_metrics"]

FOLDER = "isometrics"
SPACES = ("roc", "pr", "prg", "tradeoff")
_REFUSED = re.compile(r"[^\w.\- ]")
_LONGEST = 120
"""Bytes of a name: with a prefix and a measure it fits into MLflow's 250 characters, and into the
file name that some stores make of it."""


@dataclass(frozen=True, slots=True)
class Logged:
    """What `log_analysis` wrote into a run.

    Attributes
    ----------
    run_id
        The run.
    metrics
        Every metric with its value.
    names
        The name of each model in the names of metrics and files.
    left_out
        The metrics that are infinite, and therefore only in the tables: MLflow's databases would
        keep the largest finite number instead.
    """

    run_id: str
    metrics: dict[str, float]
    names: dict[str, str]
    left_out: tuple[str, ...]


def log_analysis(
    analysis: Analysis,
    *,
    prefix: str = "",
    run_id: str | None = None,
    step: int = 0,
    beta: float | Iterable[float] = (0.5, 1.0, 2.0),
    confidence_level: float | None = None,
    figures: bool = True,
    report: bool = True,
) -> Logged:
    """Log an analysis to an MLflow run: metrics, tables, figures and the report.

    Parameters
    ----------
    analysis
        From `isometrics.analyse`, `isometrics.read_predictions`, or of tables you have.
    prefix
        A folder for the metrics and the files, for example ``"validation"`` or ``"folds/3"``.
    run_id
        The run; by default the active one. As everywhere in MLflow, a run is started if none is.
    step
        The step of the metrics.
    beta
        The β for which the best threshold is logged, one or several.
    confidence_level
        Add confidence intervals to the metrics, and bands to the report.
    figures
        Log a picture of each space, and of the comparison of several models.
    report
        Log the interactive page.

    Returns
    -------
    Logged
        The metrics as they were named, and what could not be logged as a metric.

    Notes
    -----
    The metrics of a model over all rows are called ``model/auroc``, ``model/threshold_f1`` and so
    on, after the columns of `Analysis.summary`. Characters that MLflow refuses in a name become
    ``_``; two models that would then have the same name are numbered. The table has the models'
    own names, and the rows of all groups.

    Examples
    --------
    >>> import tempfile, mlflow
    >>> import isometrics as iso
    >>> from isometrics.integrations.mlflow import log_analysis
    >>> analysis = iso.analyse([1, 0, 1, 0, 0, 1], {"A/B": [0.9, 0.2, 0.8, 0.4, 0.6, 0.3]})
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     mlflow.set_tracking_uri(f"sqlite:///{folder}/runs.db")
    ...     experiment = mlflow.create_experiment("fraud", artifact_location=f"{folder}/files")
    ...     with mlflow.start_run(experiment_id=experiment):
    ...         logged = log_analysis(analysis, figures=False, report=False)
    >>> logged.names, round(logged.metrics["A_B/auprg"], 6)
    ({'A/B': 'A_B'}, 0.583333)
    """
    mlflow = _mlflow()
    client = mlflow.MlflowClient()
    if run_id is None:
        run_id = (mlflow.active_run() or mlflow.start_run()).info.run_id
    names = safe_names(analysis.models)
    parent = "".join(f"{_safe(part)}/" for part in prefix.split("/") if part)
    summary = analysis.summary(beta=beta, confidence_level=confidence_level)
    metrics = _metrics(summary, names, parent)
    left_out = tuple(name for name, value in metrics.items() if math.isinf(value))
    kept = {name: value for name, value in metrics.items() if name not in left_out}
    _log_metrics(mlflow, client, run_id, kept, step)
    with ScratchFolder() as scratch:
        folder = Path(scratch)
        _write_tables(analysis, summary, names, folder)
        if figures:
            _draw(analysis, folder)
        if report:
            analysis.report(folder / "report.html", confidence_level=confidence_level)
        client.log_artifacts(run_id, scratch, f"{parent}{FOLDER}")
    return Logged(str(run_id), kept, names, left_out)


def score_metrics(*, pos_label: object = None) -> list[Any]:
    """Return metrics of scores for ``extra_metrics`` of ``mlflow.models.evaluate``.

    Parameters
    ----------
    pos_label
        The positive label, where the labels are not 0/1, -1/+1 or booleans.

    Notes
    -----
    They rank rows, so the predictions must be scores: name a column of scores in ``predictions``.
    Where ``evaluate`` is given a scikit-learn model instead, MLflow passes its predicted classes;
    `class_metrics` is for those.

    Examples
    --------
    >>> from isometrics.integrations.mlflow import score_metrics
    >>> [metric.name for metric in score_metrics()]
    ['auroc', 'aupr', 'average_precision', 'auprg', 'tradeoff_area']
    """
    return [
        _metric(each.key, measure_score, measure=each, pos_label=pos_label)
        for each in registered(Shown.COMPARED)
        if each.higher_is_better
    ]


def class_metrics(*, beta: float = 1.0, pos_label: object = None) -> list[Any]:
    """Return the F_β gain of predicted classes for ``extra_metrics`` of MLflow's ``evaluate``.

    Parameters
    ----------
    beta
        0 is the precision gain, ``inf`` the recall gain.
    pos_label
        The positive label, where the labels are not 0/1, -1/+1 or booleans.

    Examples
    --------
    >>> from isometrics.integrations.mlflow import class_metrics
    >>> [metric.name for metric in class_metrics(beta=0.5)]
    ['f0_5_gain']
    """
    beta = check_beta(beta)
    return [_metric(f"{f_key(beta)}_gain", fbeta_gain_score, beta=beta, pos_label=pos_label)]


def safe_names(models: Iterable[str]) -> dict[str, str]:
    """Return a name for each model that MLflow takes as one part of a metric's name.

    Examples
    --------
    >>> from isometrics.integrations.mlflow import safe_names
    >>> safe_names(["net v2", "a/b", 'a"b', ".."])
    {'net v2': 'net v2', 'a/b': 'a_b', 'a"b': 'a_b 2', '..': '_'}
    """
    found: dict[str, str] = {}
    taken: set[str] = set()
    for model in models:
        base = _safe(model)
        name, number = base, 1
        # Some databases do not tell capitals from small letters.
        while name.casefold() in taken:
            number += 1
            name = f"{base} {number}"
        taken.add(name.casefold())
        found[model] = name
    return found


def _safe(text: str) -> str:
    text = _REFUSED.sub("_", text).strip(" .")
    # Cutting bytes can leave half a character, which is dropped.
    return text.encode()[:_LONGEST].decode(errors="ignore").strip(" .") or "_"


def _mlflow() -> Any:
    try:
        import mlflow
    except ImportError as error:
        raise MissingPackageError(
            "isometrics.integrations.mlflow needs MLflow", "isometrics[mlflow]"
        ) from error
    return mlflow


def _metric(name: str, score: Callable[..., Any], **options: object) -> Any:
    _mlflow()
    from mlflow.models import make_metric

    # MLflow passes columns by the names of these two.
    def evaluate(predictions: Any, targets: Any) -> float:
        if len(targets) == 1:
            # Before the data, MLflow tries its first row; one row has one class.
            return math.nan
        value = float(score(np.asarray(targets), np.asarray(predictions), **options))
        if math.isinf(value):
            warn(
                f"{name} is {value} without a true positive; MLflow keeps no infinite metrics, so "
                "it is NaN there",
                UndefinedWarning,
            )
            return math.nan
        return value

    return make_metric(eval_fn=evaluate, greater_is_better=True, name=name)


def _metrics(summary: Summary, names: dict[str, str], parent: str) -> dict[str, float]:
    """Return what the summary says about all rows, apart from baselines and equal bounds."""
    columns = summary._columns()
    metrics: dict[str, float] = {}
    for row, (model, group) in enumerate(zip(summary.names, summary.groups, strict=True)):
        if group != ALL_ROWS:
            continue
        for name, values in columns.items():
            if np.asarray(values).dtype.kind not in "iuf" or name.endswith("_baseline"):
                continue
            measure, bound, _ = name.partition("_bound_")
            if bound and values[row] == columns[measure][row]:
                continue
            metrics[f"{parent}{names[model]}/{name}"] = float(values[row])
    return metrics


def _log_metrics(
    mlflow: Any, client: Any, run_id: str, metrics: dict[str, float], step: int
) -> None:
    from mlflow.utils.time import get_current_time_millis

    now = get_current_time_millis()
    entities = [mlflow.entities.Metric(name, value, now, step) for name, value in metrics.items()]
    # MLflow takes a thousand at a time.
    for start in range(0, len(entities), 1000):
        client.log_batch(run_id, metrics=entities[start : start + 1000])


def _write_tables(
    analysis: Analysis, summary: Summary, names: dict[str, str], folder: Path
) -> None:
    import pyarrow.csv
    import pyarrow.parquet

    from isometrics.sources.arrow import without_formulas

    table = summary.to_frame("pyarrow")
    # People open this one with a spreadsheet.
    plain = {
        name: without_formulas(column.combine_chunks())
        for name, column in zip(table.column_names, table.columns, strict=True)
    }
    pyarrow.csv.write_csv(pyarrow.table(plain), folder / "summary.csv")
    pyarrow.parquet.write_table(table, folder / "summary.parquet")
    (folder / "hulls").mkdir()
    for model, points in analysis.models.items():
        hull = points.hull().to_frame("pyarrow")
        pyarrow.parquet.write_table(hull, folder / "hulls" / f"{names[model]}.parquet")
    said = json.dumps(names, ensure_ascii=False, indent=2)
    (folder / "names.json").write_text(said, encoding="utf-8")


def _draw(analysis: Analysis, folder: Path) -> None:
    from matplotlib.figure import Figure

    from isometrics import plot

    def axes() -> Any:
        # A figure of its own leaves pyplot and its list of open figures alone.
        return Figure(figsize=(7, 6)).subplots()

    drawn = {space: analysis.plot(space, axes()) for space in SPACES}
    first, *others = (points.table for points in analysis.models.values())
    if others and all(same_prevalence(first, other) for other in others):
        drawn["comparison"] = plot.comparison(analysis.compare(), axes())
    for name, ax in drawn.items():
        ax.figure.savefig(folder / f"{name}.png", dpi=120, bbox_inches="tight")
