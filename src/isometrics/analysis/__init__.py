"""Several models and groups on one set of labels, from data to an answer."""

from isometrics.analysis.analysis import Analysis
from isometrics.analysis.reading import analyse, read_predictions

__all__ = ["Analysis", "analyse", "read_predictions"]
