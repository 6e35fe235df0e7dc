"""isometrics and skore: from a report to an analysis."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from isometrics._core.parameters import check_choice
from isometrics.analysis import Analysis, analyse
from isometrics.errors import ParameterError, require

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

__all__ = ["analysis_of"]

SOURCES = ("train", "test")
"""In the order in which a split has them."""


def analysis_of(
    report: Any,
    *,
    data_source: str = "test",
    response_method: str = "auto",
    pos_label: object = None,
) -> Analysis:
    """Return the analysis of the models of a skore report.

    Parameters
    ----------
    report
        An ``EstimatorReport``, a ``CrossValidationReport``, or a ``ComparisonReport`` of either,
        of classifiers of two classes.
    data_source
        ``"test"`` or ``"train"``.
    response_method
        ``"predict_proba"``, ``"decision_function"``, or ``"auto"``: the first that exists.
    pos_label
        The positive class; by default that of the report, or else the second of the classes.

    Returns
    -------
    Analysis
        The models by the names that skore shows. The splits of a cross-validation are its
        groups, ``"split 0"``, ``"split 1"`` and so on. Over all rows their scores are pooled,
        although each split has a model of its own; `isometrics.average` of the groups does not
        pool them.

    Examples
    --------
    >>> from sklearn.datasets import make_classification
    >>> from sklearn.linear_model import LogisticRegression
    >>> import skore
    >>> from isometrics.integrations.skore import analysis_of
    >>> X, y = make_classification(random_state=0)
    >>> with skore.configuration(show_progress=False):
    ...     report = skore.CrossValidationReport(LogisticRegression(), X, y, splitter=2)
    >>> analysis = analysis_of(report)
    >>> [(group, list(models)) for group, models in analysis.groups.items()]
    [('split 0', ['LogisticRegression']), ('split 1', ['LogisticRegression'])]
    """
    check_choice(data_source, "data_source", SOURCES)
    reports = _models_of(report)
    models = {
        name: list(_splits(model, data_source, response_method, pos_label))
        for name, model in reports.items()
    }
    (first, splits), *others = models.items()
    for name, other in others:
        # Without cross-validation the labels decide.
        same = len(splits) == len(other) and all(
            np.array_equal(one.labels, another.labels) and np.array_equal(one.rows, another.rows)
            for one, another in zip(splits, other, strict=True)
        )
        if not same:
            raise ParameterError(
                f"{first!r} and {name!r} were tested on different rows; make their reports with "
                "the same data and the same splitter"
            )
    labels = np.concatenate([split.labels for split in splits])
    scores = {
        name: np.concatenate([split.scores for split in each]) for name, each in models.items()
    }
    said = f"{data_source} rows of a skore report"
    if not hasattr(reports[first], "split_indices"):
        return replace(analyse(labels, scores), description=said)
    names = [f"split {number}" for number in range(len(splits))]
    groups = np.repeat(names, [split.labels.size for split in splits])
    analysis = analyse(labels, scores, groups=groups)
    said += f"; the scores of {len(splits)} splits, each of a model of its own, are pooled"
    rows = np.concatenate([split.rows for split in splits])
    if np.unique(rows).size < rows.size:
        said += "\nsome rows are in several splits, so intervals over all rows are too narrow"
    return replace(analysis, description=f"{analysis.description}\n{said}")


def _models_of(report: Any) -> dict[str, Any]:
    """Return the reports of single models by their names."""
    require("isometrics.integrations.skore", "skore", extra="skore")
    import skore

    if isinstance(report, skore.ComparisonReport):
        return dict(report.reports_)
    if isinstance(report, skore.EstimatorReport | skore.CrossValidationReport):
        return {report.estimator_name_: report}
    raise ParameterError(
        "must be an EstimatorReport, a CrossValidationReport or a ComparisonReport of skore but is "
        f"{type(report).__name__}",
        parameter="report",
    )


class Split(NamedTuple):
    """Labels and scores of one fitted model, and their rows in the data."""

    labels: NDArray[np.bool_]
    scores: NDArray[Any]
    rows: NDArray[np.intp]


def _splits(
    model: Any, data_source: str, response_method: str, pos_label: object
) -> Iterator[Split]:
    if not hasattr(model, "split_indices"):
        labels, scores = _labels_and_scores(model, data_source, response_method, pos_label)
        yield Split(labels, scores, np.arange(labels.size))
        return
    for report, indices in zip(model.reports_, model.split_indices, strict=True):
        rows = indices[SOURCES.index(data_source)]
        yield Split(*_labels_and_scores(report, data_source, response_method, pos_label), rows)


def _labels_and_scores(
    report: Any, data_source: str, response_method: str, pos_label: object
) -> tuple[NDArray[np.bool_], NDArray[Any]]:
    if report.ml_task != "binary-classification":
        raise ParameterError(f"the report is about {report.ml_task}, but two classes are needed")
    labels = getattr(report, f"y_{data_source}")
    if labels is None:
        raise ParameterError(f"the report has no {data_source} data; make it with them")
    if report.pos_label not in (None, pos_label) and pos_label is not None:
        raise ParameterError(
            f"is {pos_label!r} but that of the report is {report.pos_label!r}",
            parameter="pos_label",
        )
    from isometrics.integrations.sklearn.estimators import positive_index, response_name

    classes = np.asarray(report.estimator_.classes_)
    index = positive_index(classes, report.pos_label if pos_label is None else pos_label)
    method = response_name(report.estimator_, response_method)
    values = np.asarray(report.get_predictions(data_source=data_source, response_method=method))
    if values.ndim == 2:
        values = values[:, index]
    elif report.pos_label is None and index == 0:
        # Without a positive class of its own, a report has decisions for the second class.
        values = -values
    return np.asarray(labels) == classes[index], values
