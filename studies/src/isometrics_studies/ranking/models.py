"""Models of scikit-learn from different families, each fast enough to fit hundreds of times.

The families are mixed, so that the first models of the list belong to different ones.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from isometrics._core.parameters import check_choice
from isometrics.errors import ParameterError

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray


class Model(NamedTuple):
    """The name and family of a model, and a function of a seed that returns it unfitted."""

    name: str
    family: str
    make: Callable[[int], Any]


def first_models(count: int) -> tuple[str, ...]:
    """Return the names of the first models of the list.

    Parameters
    ----------
    count
        The number of models, 2 or more.
    """
    if not 2 <= count <= len(MODELS):
        raise ParameterError(
            f"must be a number from 2 to {len(MODELS)} but is {count}", parameter="models"
        )
    return tuple(model.name for model in MODELS[:count])


def model_named(name: str) -> Model:
    """Return one model of the list."""
    check_choice(name, "model", tuple(model.name for model in MODELS))
    return next(model for model in MODELS if model.name == name)


def preprocessing(nominal: NDArray[Any]) -> Any:
    """Return the transformer that is fitted before every model.

    Missing numbers are replaced by the median, and numbers are standardised. Nominal values are
    one-hot encoded, with missing as a value; rare values beyond twenty share a column.
    """
    from sklearn.compose import make_column_transformer
    from sklearn.impute import SimpleImputer
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder, StandardScaler

    encoder = OneHotEncoder(
        handle_unknown="infrequent_if_exist", max_categories=20, sparse_output=False
    )
    numbers = make_pipeline(SimpleImputer(strategy="median"), StandardScaler())
    return make_column_transformer(
        (numbers, (~nominal).nonzero()[0]), (encoder, nominal.nonzero()[0])
    )


# ---------------------------------------------------------------------- the models


def _logistic(_: int) -> Any:
    from sklearn.linear_model import LogisticRegression

    return LogisticRegression(max_iter=200)


def _sgd(**options: Any) -> Callable[[int], Any]:
    def make(seed: int) -> Any:
        from sklearn.linear_model import SGDClassifier

        return SGDClassifier(random_state=seed, **options)

    return make


def _ridge(_: int) -> Any:
    from sklearn.linear_model import RidgeClassifier

    return RidgeClassifier()


def _linear_svm(**options: Any) -> Callable[[int], Any]:
    def make(seed: int) -> Any:
        from sklearn.svm import LinearSVC

        return LinearSVC(dual=False, C=0.1, random_state=seed, **options)

    return make


def _lda(**options: Any) -> Callable[[int], Any]:
    def make(_: int) -> Any:
        from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

        return LinearDiscriminantAnalysis(**options)

    return make


def _qda(_: int) -> Any:
    from sklearn.discriminant_analysis import QuadraticDiscriminantAnalysis

    return QuadraticDiscriminantAnalysis(reg_param=0.1)


def _gaussian_bayes(_: int) -> Any:
    from sklearn.naive_bayes import GaussianNB

    return GaussianNB()


def _bernoulli_bayes(_: int) -> Any:
    from sklearn.naive_bayes import BernoulliNB

    return BernoulliNB()


def _complement_bayes(_: int) -> Any:
    from sklearn.naive_bayes import ComplementNB
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import MinMaxScaler

    return make_pipeline(MinMaxScaler(clip=True), ComplementNB())


def _binned_bayes(_: int) -> Any:
    from sklearn.naive_bayes import BernoulliNB
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import KBinsDiscretizer

    bins = KBinsDiscretizer(5, strategy="uniform", encode="onehot-dense")
    return make_pipeline(bins, BernoulliNB())


def _neighbours(count: int, weights: str) -> Callable[[int], Any]:
    def make(_: int) -> Any:
        from sklearn.neighbors import KNeighborsClassifier

        return KNeighborsClassifier(count, weights=weights)

    return make


def _centroid(_: int) -> Any:
    from sklearn.neighbors import NearestCentroid

    return NearestCentroid()


def _tree(**options: Any) -> Callable[[int], Any]:
    def make(seed: int) -> Any:
        from sklearn.tree import DecisionTreeClassifier

        return DecisionTreeClassifier(random_state=seed, **options)

    return make


def _random_tree(seed: int) -> Any:
    from sklearn.tree import ExtraTreeClassifier

    return ExtraTreeClassifier(min_samples_leaf=3, random_state=seed)


def _forest(kind: str, **options: Any) -> Callable[[int], Any]:
    def make(seed: int) -> Any:
        from sklearn import ensemble

        return getattr(ensemble, kind)(random_state=seed, **options)

    return make


def _subspaces(seed: int) -> Any:
    from sklearn.ensemble import BaggingClassifier
    from sklearn.linear_model import LogisticRegression

    base = LogisticRegression(max_iter=200)
    return BaggingClassifier(base, 10, max_features=0.5, bootstrap=False, random_state=seed)


def _kernel_svm(seed: int) -> Any:
    from sklearn.svm import SVC

    return SVC(random_state=seed)


def _nystroem(**options: Any) -> Callable[[int], Any]:
    def make(seed: int) -> Any:
        from sklearn.kernel_approximation import Nystroem
        from sklearn.linear_model import LogisticRegression
        from sklearn.pipeline import make_pipeline

        features = Nystroem(n_components=30, random_state=seed, **options)
        return make_pipeline(features, LogisticRegression(C=10, max_iter=200))

    return make


def _network(seed: int) -> Any:
    from sklearn.neural_network import MLPClassifier

    return MLPClassifier((8,), solver="lbfgs", alpha=0.1, max_iter=60, random_state=seed)


def _splines(_: int) -> Any:
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import SplineTransformer

    return make_pipeline(SplineTransformer(3, degree=2), LogisticRegression(max_iter=100))


def _components(seed: int) -> Any:
    from sklearn.decomposition import PCA
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline

    return make_pipeline(PCA(0.9, random_state=seed), LogisticRegression(max_iter=200))


def _few_features(_: int) -> Any:
    from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
    from sklearn.feature_selection import SelectKBest, f_classif
    from sklearn.pipeline import make_pipeline

    return make_pipeline(SelectKBest(f_classif, k=1), LinearDiscriminantAnalysis())


def _vote(seed: int) -> Any:
    from sklearn.ensemble import VotingClassifier

    members = [("bayes", _gaussian_bayes(seed)), ("tree", _tree(max_depth=4)(seed))]
    return VotingClassifier([*members, ("logistic", _logistic(seed))], voting="soft")


MODELS = (
    Model("logistic regression", "linear", _logistic),
    Model("Gaussian naive Bayes", "Bayes", _gaussian_bayes),
    Model("tree of depth 4", "tree", _tree(max_depth=4)),
    Model("5 nearest neighbours", "neighbours", _neighbours(5, "uniform")),
    Model("LDA", "discriminant", _lda()),
    Model("random forest", "forest", _forest("RandomForestClassifier", n_estimators=50)),
    Model("AdaBoost", "boosting", _forest("AdaBoostClassifier", n_estimators=30)),
    Model("kernel SVM", "kernel", _kernel_svm),
    Model("neural network", "network", _network),
    Model("ridge", "linear", _ridge),
    Model("vote of three", "ensemble", _vote),
    Model("Bernoulli naive Bayes", "Bayes", _bernoulli_bayes),
    Model("nearest neighbour", "neighbours", _neighbours(1, "uniform")),
    Model("tree", "tree", _tree()),
    Model("extremely random trees", "forest", _forest("ExtraTreesClassifier", n_estimators=50)),
    Model(
        "gradient boosting",
        "boosting",
        _forest("GradientBoostingClassifier", n_estimators=30, subsample=0.5),
    ),
    Model("Nystroem, radial", "kernel", _nystroem()),
    Model("sparse linear SVM", "linear", _linear_svm(penalty="l1")),
    Model("nearest centroid", "discriminant", _centroid),
    Model("naive Bayes on bins", "Bayes", _binned_bayes),
    Model("25 weighted neighbours", "neighbours", _neighbours(25, "distance")),
    Model("stump", "tree", _tree(max_depth=1)),
    Model("bagged trees", "forest", _forest("BaggingClassifier", n_estimators=10)),
    Model("splines", "additive", _splines),
    Model("perceptron", "linear", _sgd(loss="perceptron", penalty=None)),
    Model("linear SVM", "linear", _linear_svm()),
    Model("shrunken LDA", "discriminant", _lda(solver="lsqr", shrinkage="auto")),
    Model("random tree", "tree", _random_tree),
    Model("principal components", "linear", _components),
    Model("random subspaces", "ensemble", _subspaces),
    Model("complement naive Bayes", "Bayes", _complement_bayes),
    Model("logistic regression by SGD", "linear", _sgd(loss="log_loss")),
    Model("best single feature", "discriminant", _few_features),
    Model("QDA", "discriminant", _qda),
)
"""All models; the first 30 are those of the study by default."""
