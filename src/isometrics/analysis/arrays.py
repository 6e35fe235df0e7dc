"""An analysis of arrays and data frames that are in memory."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from isometrics._core.arrays import column
from isometrics._core.class_rows import parse_predictions, rows_by_class
from isometrics._core.class_scores import class_name, parse_matrix
from isometrics._core.complete_rows import complete_rows
from isometrics._core.labels import positive_word
from isometrics._core.results import several
from isometrics._core.sample import Sample, parse_sample, scores_by_model
from isometrics.analysis.analysis import ONE_MODEL, Analysis
from isometrics.analysis.origins import Origin
from isometrics.points.models import count_classes, count_groups, count_models

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import ArrayLike

    from isometrics._core.missing import Dropped


def analyse(
    y_true: ArrayLike,
    scores: object,
    *,
    sample_weight: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    pos_label: object = None,
    classes: Sequence[object] | None = None,
    drop_missing: bool = False,
) -> Analysis:
    """Count the operating points of several models, or of the classes of one, on a set of labels.

    Parameters
    ----------
    y_true
        Labels: booleans, 0/1, -1/+1, yes/no, T/F, or any two values with `pos_label`. Three
        classes or more, or an indicator array with a column of 0 and 1 for each class of
        multilabel data, where `scores` has a column for each.
    scores
        The scores of each model by name, higher meaning more likely positive; a data frame with
        a column for each model; or the scores of one model, which is then called ``"score"``. Of
        an array with a column for each of two classes, as ``predict_proba`` gives it, those of the
        positive class are taken. With a column for each of more classes, as an array or as a data
        frame with their names, or as the list of ``MultiOutputClassifier``, each class has a table
        of its own against all others; see `Analysis.one_vs_rest`.
    sample_weight
        Weights ≥ 0; a row of weight 0 is absent.
    groups
        The group of each row, such as its fold, site or query; missing ones are refused. Groups
        are sorted by value. A group with one class only has no table; `Analysis.skipped` says so.
    pos_label
        The label of the positive class; of several classes, the only one to analyse.
    classes
        The classes in the order of the columns of `scores`, such as ``estimator.classes_``; by
        default the sorted labels, or for multilabel data the names or numbers of the columns.
    drop_missing
        Leave out the rows that miss a value in labels, weights, groups or the scores of any model,
        so that all models keep the same rows; ``description`` says how many, by column. By default
        missing values are refused.

    Examples
    --------
    >>> import isometrics as iso
    >>> labels = [1, 0, 1, 1, 0, 0, 1, 0]
    >>> scores = {"A": [8, 7, 6, 5, 4, 3, 2, 1], "B": [5, 1, 7, 8, 2, 6, 4, 3]}
    >>> analysis = iso.analyse(labels, scores, groups=list("nnnnssss"))
    >>> print(analysis.compare().sentence())
    By f-measure, B is better for every λ.
    >>> analysis.groups["n"]["A"].positives
    3
    """
    dropped = None
    if drop_missing:
        y_true, scores, sample_weight, groups, dropped = complete_rows(
            y_true, scores, "scores", sample_weight=sample_weight, groups=groups
        )
    given = parse_predictions(
        y_true,
        scores,
        "scores",
        sample_weight=sample_weight,
        groups=None if groups is None else column(groups, "groups"),
        pos_label=pos_label,
        classes=classes,
    )
    samples = rows_by_class(given)
    if samples is not None:
        labels = samples if parse_matrix(given.y_true, "y_true") is None else {}
        origins = {
            class_name(label): Origin(pos_label=label if label in labels else pos_label)
            for label in samples
        }
        return _with_dropped(_one_vs_rest(samples, origins), dropped)
    sample = parse_sample(
        given.y_true,
        scores_by_model(
            given.scores,
            "scores",
            ONE_MODEL,
            y_true=given.y_true,
            sample_weight=sample_weight,
            pos_label=pos_label,
            classes=classes,
        ),
        argument="scores",
        sample_weight=sample_weight,
        groups=given.groups,
        pos_label=pos_label,
    )
    models = count_models(sample)
    tables, skipped = count_groups([sample])
    description = _description(sample, skipped)
    if pos_label is None:
        pos_label = positive_word(column(given.y_true, "y_true").values)
        description += "" if pos_label is None else f"; positive: {pos_label}"
    origins = dict.fromkeys(models, Origin(pos_label=pos_label))
    return _with_dropped(
        Analysis(models, tables, skipped, description, sample, origins=origins), dropped
    )


def _with_dropped(analysis: Analysis, dropped: Dropped | None) -> Analysis:
    """Return an analysis whose description says which rows were left out."""
    if dropped is None:
        return analysis
    return replace(analysis, description=f"{analysis.description}; {dropped.describe()}")


def _one_vs_rest(samples: dict[object, Sample], origins: dict[str, Origin]) -> Analysis:
    """Count the classes of one classifier, each against all others."""
    models, absent = count_classes(samples)
    counted = [sample for sample in samples.values() if set(sample.scores) <= set(models)]
    tables, skipped = count_groups(counted)
    description = f"{_description(counted[0], skipped | absent)}; classes: {several(list(models))}"
    return Analysis(
        models,
        tables,
        skipped | absent,
        description,
        one_vs_rest=True,
        origins=origins,
        class_rows={name: sample for sample in counted for name in sample.scores},
    )


def _description(sample: Sample, skipped: Mapping[str, str]) -> str:
    """Say what was counted: rows, groups, and groups that could not be."""
    said = f"{sample.size} rows{' with weights' * (sample.weights is not None)}"
    if sample.groups is not None:
        said += f"; groups: {several(list(sample.groups.names))}"
    if skipped:
        reasons = [f"{group} ({reason})" for group, reason in skipped.items()]
        said += f"; left out: {several(reasons)}"
    return said
