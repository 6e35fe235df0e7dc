"""isometrics in MLflow: the summary, pictures and the page of an analysis in a run."""

from __future__ import annotations

import math
import re
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from isometrics._core.files import ScratchFolder
from isometrics.decisions.thresholds import ALL_ROWS
from isometrics.errors import ParameterError, require
from isometrics.points.models import same_prevalence

if TYPE_CHECKING:
    from collections.abc import Iterable

    from isometrics.analysis import Analysis
    from isometrics.analysis.summary import Summary

__all__ = ["log_analysis"]

FOLDER = "isometrics"
SPACES = ("roc", "pr", "prg", "tradeoff")
_REFUSED = re.compile(r"[^\w.\- ]")
_MOST = 1000
"""So many metrics are taken at a time."""


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
) -> dict[str, float]:
    """Log an analysis to an MLflow run: metrics, the summary, figures and the report.

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
    dict
        The metrics by their names. Infinite values are only in the summary: MLflow's databases
        would keep the largest finite number instead.

    Notes
    -----
    The metrics of a model over all rows are called ``model/auroc``, ``model/threshold_f1`` and so
    on, after the columns of `Analysis.summary`. Characters that MLflow refuses in a name become
    ``_``. The summary has the models' own names, and the rows of all groups.

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
    >>> round(logged["A_B/auprg"], 6)
    0.583333
    """
    require("isometrics.integrations.mlflow", "mlflow", extra="mlflow")
    import mlflow
    import pyarrow.csv

    names = {model: _REFUSED.sub("_", model) for model in analysis.models}
    if len(set(map(str.casefold, names.values()))) < len(names):
        listed = ", ".join(map(repr, names))
        raise ParameterError(f"MLflow would have one name for two of {listed}; rename one")
    if run_id is None:
        run_id = (mlflow.active_run() or mlflow.start_run()).info.run_id
    parent = f"{prefix.strip('/')}/" if prefix else ""
    summary = analysis.summary(beta=beta, confidence_level=confidence_level)
    metrics = {f"{parent}{name}": value for name, value in _metrics(summary, names).items()}
    entries = iter(metrics.items())
    while some := dict(islice(entries, _MOST)):
        mlflow.log_metrics(some, step=step, run_id=run_id)
    with ScratchFolder() as scratch:
        folder = Path(scratch)
        pyarrow.csv.write_csv(summary.to_frame("pyarrow"), folder / "summary.csv")
        if figures:
            _draw(analysis, folder)
        if report:
            analysis.report(folder / "report.html", confidence_level=confidence_level)
        mlflow.log_artifacts(scratch, f"{parent}{FOLDER}", run_id=run_id)
    return metrics


def _metrics(summary: Summary, names: dict[str, str]) -> dict[str, float]:
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
            is_same = bound and values[row] == columns[measure][row]
            if not is_same and not math.isinf(value := float(values[row])):
                metrics[f"{names[model]}/{name}"] = value
    return metrics


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
