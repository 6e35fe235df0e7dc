"""Reports of the real skore become analyses, and its summaries take our scorers."""

import numpy as np
import pytest

import isometrics as iso
from isometrics.integrations import skore as ours

skore = pytest.importorskip("skore")
make_classification = pytest.importorskip("sklearn.datasets").make_classification
RandomForestClassifier = pytest.importorskip("sklearn.ensemble").RandomForestClassifier
LinearRegression = pytest.importorskip("sklearn.linear_model").LinearRegression
LogisticRegression = pytest.importorskip("sklearn.linear_model").LogisticRegression
KFold = pytest.importorskip("sklearn.model_selection").KFold
ShuffleSplit = pytest.importorskip("sklearn.model_selection").ShuffleSplit
roc_auc_score = pytest.importorskip("sklearn.metrics").roc_auc_score
LinearSVC = pytest.importorskip("sklearn.svm").LinearSVC
from isometrics.integrations.sklearn import get_scorer  # noqa: E402


def sample(text=False):
    X, y = make_classification(240, weights=[0.7], flip_y=0.1, random_state=3)
    return X, np.where(y == 1, "fraud", "honest") if text else y


def report_of(estimator, text=False, **options):
    X, y = sample(text)
    return skore.EstimatorReport(
        estimator, X_train=X[:120], y_train=y[:120], X_test=X[120:], y_test=y[120:], **options
    )


@pytest.fixture(scope="module")
def two_models():
    return skore.ComparisonReport(
        {
            "a / <b>": report_of(LogisticRegression()),
            "forest": report_of(RandomForestClassifier(10, random_state=0)),
        }
    )


@pytest.mark.parametrize("part", ["test", "train"])
def test_an_estimator_report_is_its_rows(part):
    report = report_of(LogisticRegression())
    rows = slice(120) if part == "train" else slice(120, None)
    X, y = (each[rows] for each in sample())
    analysis = ours.analysis_of(report, data_source=part)
    expected = iso.OperatingPoints.from_scores(y, report.estimator_.predict_proba(X)[:, 1])
    assert analysis.models == {"LogisticRegression": expected}
    assert analysis.description == f"{part} rows of a skore report"
    assert analysis.groups == {}
    (points,) = ours.analysis_of(report, response_method="decision_function").models.values()
    assert points.thresholds[-1] < 0
    (points,) = ours.analysis_of(report_of(LogisticRegression(), text=True)).models.values()
    assert points.positives == np.count_nonzero(sample(text=True)[1][120:] == "honest")


@pytest.mark.parametrize(
    "estimator", [LogisticRegression(), LinearSVC()], ids=["proba", "decision"]
)
@pytest.mark.parametrize("asked", ["fraud", "honest"])
def test_the_positive_class_may_stand_in_the_report_or_in_the_call(estimator, asked):
    # "fraud" sorts first, so skore's arrays must be turned round for it.
    y = sample(text=True)[1]
    inside = ours.analysis_of(report_of(estimator, text=True, pos_label=asked))
    outside = ours.analysis_of(report_of(estimator, text=True), pos_label=asked)
    for analysis in (inside, outside):
        (points,) = analysis.models.values()
        assert points.positives == np.count_nonzero(y[120:] == asked)
        assert points.roc.area() > 0.7
    (first,), (second,) = inside.models.values(), outside.models.values()
    assert np.array_equal(first.tp, second.tp)
    assert np.array_equal(first.thresholds, second.thresholds)


def test_the_splits_of_a_cross_validation_are_groups():
    X, y = sample()
    report = skore.CrossValidationReport(LogisticRegression(), X, y, splitter=KFold(3))
    analysis = ours.analysis_of(report)
    assert list(analysis.groups) == ["split 0", "split 1", "split 2"]
    (pooled,) = analysis.models.values()
    assert (pooled.positives, pooled.negatives) == (y.sum(), 240 - y.sum())
    for number, (_, rows) in enumerate(KFold(3).split(X)):
        (points,) = analysis.groups[f"split {number}"].values()
        scores = report.reports_[number].estimator_.predict_proba(X[rows])[:, 1]
        assert points.roc.area() == pytest.approx(roc_auc_score(y[rows], scores), abs=1e-12)
    assert "the scores of 3 splits, each of a model of its own, are pooled" in analysis.description
    assert "too narrow" not in analysis.description
    averaged = iso.average(
        [models["LogisticRegression"] for models in analysis.groups.values()], prevalence="pooled"
    )
    assert 0.5 < averaged.of("AUROC") < 1


def test_rows_in_several_splits_are_said():
    X, y = sample()
    splitter = ShuffleSplit(3, test_size=0.5, random_state=0)
    report = skore.CrossValidationReport(LogisticRegression(), X, y, splitter=splitter)
    assert "intervals over all rows are too narrow" in ours.analysis_of(report).description
    whole = skore.CrossValidationReport(LogisticRegression(), X, y, splitter=KFold(3))
    trained = ours.analysis_of(whole, data_source="train")
    assert "intervals over all rows are too narrow" in trained.description


def test_models_compared_on_the_same_rows_are_paired(two_models):
    analysis = ours.analysis_of(two_models)
    assert list(analysis.models) == ["a / <b>", "forest"]
    assert analysis.compare().sentence()
    assert analysis.rows is not None
    assert "better" in analysis.bootstrap("AUROC", n_resamples=50).differences().sentence()
    assert "&lt;b&gt;" in analysis._repr_html_()


def test_cross_validations_compared_need_the_same_splits():
    X, y = sample()

    def validated(estimator, splitter):
        return skore.CrossValidationReport(estimator, X, y, splitter=splitter)

    linear = validated(LogisticRegression(), KFold(3))
    forest = RandomForestClassifier(5, random_state=0)
    same = ours.analysis_of(skore.ComparisonReport([linear, validated(forest, KFold(3))]))
    assert list(same.models) == ["LogisticRegression", "RandomForestClassifier"]
    assert len(same.groups) == 3
    for splitter in (KFold(4), KFold(3, shuffle=True, random_state=0)):
        compared = skore.ComparisonReport([linear, validated(forest, splitter)])
        with pytest.raises(iso.IsometricsError, match="were tested on different rows; make"):
            ours.analysis_of(compared)


def test_what_is_no_report_of_two_classes_is_refused():
    X, y = sample()
    numbers = skore.EstimatorReport(
        LinearRegression(), X_train=X[:120], y_train=X[:120, 0], X_test=X[120:], y_test=X[120:, 0]
    )
    no_training = skore.EstimatorReport(LogisticRegression().fit(X, y), X_test=X, y_test=y)
    of_fraud = report_of(LogisticRegression(), text=True, pos_label="fraud")
    halves = [(np.arange(120), np.arange(120, 240)), (np.arange(120, 240), np.arange(120))]
    # The same labels, of other rows.
    turned = [
        skore.CrossValidationReport(LogisticRegression(C=c), X, np.tile([0, 1], 120), splitter=each)
        for c, each in ((1, halves), (2, halves[::-1]))
    ]
    for report, options, said in (
        (numbers, {}, "is about regression, but two classes"),
        (3, {}, "of skore but is int"),
        (no_training, {"data_source": "train"}, "the report has no train data; make it with"),
        (no_training, {"data_source": "both"}, "data_source"),
        (no_training, {"response_method": "predict"}, "response_method must be one of 'auto'"),
        (of_fraud, {"pos_label": "honest"}, "'honest' but that of the report is 'fraud'"),
        (skore.ComparisonReport(turned), {}, "were tested on different rows"),
    ):
        with pytest.raises(iso.IsometricsError, match=said):
            ours.analysis_of(report, **options)


@pytest.mark.parametrize("pos_label", ["fraud", "honest"])
def test_the_summary_of_a_report_takes_our_scorers(pos_label):
    report = report_of(LogisticRegression(), text=True, pos_label=pos_label)
    for name in ("auprg", "f1_gain"):
        report.metrics.add(get_scorer(name, pos_label=pos_label), name=name)
    frame = report.metrics.summarize(metric=["auprg", "f1_gain"]).frame()
    (points,) = ours.analysis_of(report).models.values()
    guessed = report.get_predictions(data_source="test")
    gain = iso.f1_gain_score(sample(text=True)[1][120:], guessed, pos_label=pos_label)
    assert np.ravel(frame.to_numpy(float)) == pytest.approx([points.prg.area(), gain], abs=1e-12)
