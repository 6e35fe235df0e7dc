"""Tables of what is drawn, as many tests make them."""

from isometrics import OperatingPoints
from isometrics.testing import binary_samples

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
