"""isometrics and skore: from a report to an analysis, and our measures in a report's summary."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from isometrics._core.parameters import check_choice
from isometrics._core.sample import UNNAMED, Sample
from isometrics.analysis import Analysis, analyse
from isometrics.errors import MissingPackageError, ParameterError
from isometrics.measures import ComparedMeasures, Measure, f_gain_name, f_key
from isometrics.score_functions import f1_gain_score, measure_score

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from numpy.typing import ArrayLike

__all__ = ["METRICS", "add_metrics", "analysis_of"]

SOURCES = ("train", "test")
"""In the order in which a split has them."""
METHODS = ("predict_proba", "decision_function")


class Metric(NamedTuple):
    """A metric of skore: the name shown, the function, and whether it takes scores."""

    shown: str
    function: Callable[..., Any]
    of_scores: bool


def _metric_of(measure: Measure) -> Metric:
    return Metric(measure.name, partial(measure_score, measure=measure), True)


METRICS: Mapping[str, Metric] = ComparedMeasures(
    _metric_of, {f"{f_key(1)}_gain": Metric(f_gain_name(1), f1_gain_score, False)}
)
"""What `add_metrics` can add, measures that you register among them."""


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
    check_choice(response_method, "response_method", ("auto", *METHODS))
    models = _models_of(report)
    read = {
        name: [_sample(part, data_source, response_method, pos_label) for part in _parts_of(model)]
        for name, model in models.items()
    }
    _check_same_rows(models, read)
    name, parts = next(iter(read.items()))
    labels = np.concatenate([rows.labels for rows in parts])
    scores = {
        name: np.concatenate([rows.only_scores for rows in parts]) for name, parts in read.items()
    }
    said = f"{data_source} rows of a skore report"
    if not _is_cross_validated(models[name]):
        return replace(analyse(labels, scores), description=said)
    splits = [f"split {number}" for number in range(len(parts))]
    analysis = analyse(
        labels, scores, groups=np.repeat(splits, [len(rows.labels) for rows in parts])
    )
    said += f"; the scores of {len(parts)} splits, each of a model of its own, are pooled"
    if _has_rows_twice(models[name], data_source):
        said += "\nsome rows are in several splits, so intervals over all rows are too narrow"
    return replace(analysis, description=f"{analysis.description}\n{said}")


def add_metrics(report: Any, names: Iterable[str] | None = None) -> None:
    """Add measures of isometrics to ``report.metrics.summarize()``.

    Parameters
    ----------
    report
        A report of skore; it is changed.
    names
        Some of `METRICS`; by default all of them, in this order.

    Notes
    -----
    The positive class is that of the report, or else the second of the classes in its labels.

    Examples
    --------
    >>> from sklearn.datasets import make_classification
    >>> from sklearn.linear_model import LogisticRegression
    >>> from skore import EstimatorReport
    >>> from isometrics.integrations.skore import add_metrics
    >>> X, y = make_classification(random_state=0)
    >>> report = EstimatorReport(LogisticRegression().fit(X, y), X_test=X, y_test=y)
    >>> add_metrics(report, ["auprg"])
    >>> round(report.metrics.get("auprg"), 3)
    0.982
    """
    _need_skore()
    from sklearn.metrics import make_scorer

    wanted = [
        check_choice(name, "names", tuple(METRICS))
        for name in (METRICS if names is None else names)
    ]
    for name in wanted:
        shown, function, of_scores = METRICS[name]
        scorer = make_scorer(
            partial(_scored, function),
            response_method=METHODS if of_scores else "predict",
        )
        report.metrics.add(scorer, name=name, verbose_name=shown, position="last")


def _scored(
    function: Callable[..., float],
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    pos_label: object = None,
) -> float:
    """Return a score; without a positive class skore passes the columns of both classes."""
    labels, scores = np.asarray(y_true), np.asarray(y_score)
    if pos_label is None:
        pos_label = np.unique(labels)[-1]
    return function(labels, scores if scores.ndim == 1 else scores[:, 1], pos_label=pos_label)


def _sample(report: Any, data_source: str, response_method: str, pos_label: object) -> Sample:
    """Return the rows of one EstimatorReport."""
    if report.ml_task != "binary-classification":
        raise ParameterError(f"the report is about {report.ml_task}, but two classes are needed")
    labels = getattr(report, f"y_{data_source}")
    if labels is None:
        raise ParameterError(f"the report has no {data_source} data; make it with them")
    if pos_label is None:
        pos_label = report.pos_label
    elif report.pos_label not in (None, pos_label):
        raise ParameterError(
            f"is {pos_label!r} but that of the report is {report.pos_label!r}",
            parameter="pos_label",
        )
    from isometrics.integrations.sklearn.estimators import positive_index, response_name

    classes = np.asarray(report.estimator_.classes_)
    index = positive_index(classes, pos_label)
    method = response_name(report.estimator_, response_method)
    values = np.asarray(report.get_predictions(data_source=data_source, response_method=method))
    if values.ndim == 2:
        values = values[:, index]
    elif report.pos_label is None and index == 0:
        # Without a positive class of its own, a report has decisions for the second class.
        values = -values
    return Sample(np.asarray(labels) == classes[index], {UNNAMED: values})


def _models_of(report: Any) -> dict[str, Any]:
    """Return the reports of single models by their names."""
    _need_skore()
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


def _is_cross_validated(model: Any) -> bool:
    return hasattr(model, "split_indices")


def _parts_of(model: Any) -> list[Any]:
    return list(model.reports_) if _is_cross_validated(model) else [model]


def _check_same_rows(models: dict[str, Any], read: dict[str, list[Sample]]) -> None:
    """Refuse models of different rows; without cross-validation only the labels are compared."""
    first, *others = models
    for name in others:
        same = len(read[first]) == len(read[name]) and all(
            np.array_equal(one.labels, other.labels)
            for one, other in zip(read[first], read[name], strict=True)
        )
        if same and _is_cross_validated(models[first]):
            test_rows = zip(models[first].split_indices, models[name].split_indices, strict=True)
            same = all(np.array_equal(one[1], other[1]) for one, other in test_rows)
        if not same:
            raise ParameterError(
                f"{first!r} and {name!r} were tested on different rows; make their reports with "
                "the same data and the same splitter"
            )


def _has_rows_twice(model: Any, data_source: str) -> bool:
    test_rows = np.concatenate([split[SOURCES.index(data_source)] for split in model.split_indices])
    return len(np.unique(test_rows)) < len(test_rows)


def _need_skore() -> None:
    try:
        import skore  # noqa: F401
    except ImportError as error:
        raise MissingPackageError(
            "isometrics.integrations.skore needs skore", "isometrics[skore]"
        ) from error
