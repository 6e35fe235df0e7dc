"""scikit-learn's own checks of estimators: all pass, with and without metadata routing.

scikit-learn lists two failures of its TunedThresholdClassifierCV, ``check_classifiers_train`` and
``check_sample_weight_equivalence_on_dense_data``. There are none here since 1.7: scores of integer
weights and of repeated rows make the same table.
"""

import pytest

pytest.importorskip("sklearn")

import sklearn
from sklearn.linear_model import LogisticRegression
from sklearn.utils.estimator_checks import check_estimator, parametrize_with_checks

from isometrics.integrations.sklearn import FBetaThresholdClassifier, FCalibratedClassifier

# Some checks make data that a logistic regression does not converge on, or that has too few
# members of a class for three folds; scikit-learn says so.
pytestmark = [
    pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning"),
    pytest.mark.filterwarnings("ignore:The least populated class:UserWarning"),
    pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning"),
]

VERSION = tuple(map(int, sklearn.__version__.split(".")[:2]))


def expected_failures(_=None):
    if VERSION >= (1, 7):
        return {}
    # scikit-learn 1.6 names the two classes after the first row, which it has shuffled away.
    checks = ("dense", "sparse")
    return {f"check_sample_weight_equivalence_on_{kind}_data": "other labels" for kind in checks}


@parametrize_with_checks(
    [
        FBetaThresholdClassifier(LogisticRegression(), cv=3),
        FCalibratedClassifier(LogisticRegression(), cv=3),
    ],
    expected_failed_checks=expected_failures,
)
def test_conventions(estimator, check):
    # It skips itself unless SciPy is set up for the array API, which is not claimed here.
    if getattr(check, "func", check).__name__ != "check_array_api_input":
        check(estimator)


@pytest.mark.slow
@pytest.mark.parametrize("meta", [FBetaThresholdClassifier, FCalibratedClassifier])
def test_conventions_with_metadata_routing(meta):
    with sklearn.config_context(enable_metadata_routing=True):
        inner = LogisticRegression().set_fit_request(sample_weight=True)
        check_estimator(meta(inner, cv=3), on_skip=None, expected_failed_checks=expected_failures())
