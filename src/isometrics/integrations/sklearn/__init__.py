"""isometrics in scikit-learn's terms: meta-estimators, scorers, displays, several classes."""

from __future__ import annotations

from isometrics.analysis.averages import macro_average
from isometrics.errors import MissingPackageError

try:
    import sklearn as _sklearn  # noqa: F401
except ImportError as error:
    raise MissingPackageError(
        "isometrics.integrations.sklearn needs scikit-learn", "isometrics[sklearn]"
    ) from error

from isometrics.integrations.sklearn.curves import (
    AchievablePrecisionRecallDisplay,
    PrecisionRecallGainDisplay,
    RocHullDisplay,
    TradeoffDisplay,
    micro_points,
    points_per_class,
    points_per_fold,
)
from isometrics.integrations.sklearn.estimators import (
    FBetaThresholdClassifier,
    FCalibratedClassifier,
)
from isometrics.integrations.sklearn.scorers import (
    SCORERS,
    achievable_aupr_scorer,
    aupr_scorer,
    auprg_scorer,
    auroc_scorer,
    f_gain_scorer,
    get_scorer,
    make_f_gain_scorer,
    tradeoff_scorer,
)

__all__ = [
    # estimators
    "FBetaThresholdClassifier",
    "FCalibratedClassifier",
    # scorers
    "SCORERS",
    "get_scorer",
    "auprg_scorer",
    "aupr_scorer",
    "achievable_aupr_scorer",
    "auroc_scorer",
    "f_gain_scorer",
    "make_f_gain_scorer",
    "tradeoff_scorer",
    # displays
    "PrecisionRecallGainDisplay",
    "AchievablePrecisionRecallDisplay",
    "RocHullDisplay",
    "TradeoffDisplay",
    # folds and several classes
    "points_per_fold",
    "points_per_class",
    "macro_average",
    "micro_points",
]
