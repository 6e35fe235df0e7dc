"""Tables of what is drawn, as many tests make them, what they hold, and what is refused."""

import re
import warnings

import pytest

from isometrics import OperatingPoints, UndefinedWarning
from isometrics.measures import registered
from isometrics.testing import binary_samples

AREAS = {each.name: each.of for each in registered() if each.of_curve}
"""The measures of a curve, by name."""
samples = (
    binary_samples().map(lambda sample: (*sample, None))
    | binary_samples(weights="integer")
    | binary_samples(weights="float")
)


def of_sample(sample):
    labels, scores, weights = sample
    return OperatingPoints.from_scores(labels, scores, sample_weight=weights)


def of_counts(drawn, **names):
    tp, fp, positives, negatives = drawn
    return OperatingPoints.from_counts(tp, fp, positives=positives, negatives=negatives, **names)


def areas_of(points):
    """Return all areas of a curve by name, NaN where one is undefined."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UndefinedWarning)
        return {name: area(points) for name, area in AREAS.items()}


def refusal(error, message, function, *arguments, **keywords):
    """Check the class of an error, and how its message begins."""
    with pytest.raises(error, match=f"^{re.escape(message)}") as caught:
        function(*arguments, **keywords)
    assert type(caught.value) is error
