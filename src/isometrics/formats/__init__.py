"""Prediction files of other tools: AUCCalculator, OpenML, WEKA, scikit-learn, XGBoost, LightGBM."""

from __future__ import annotations

from isometrics.formats.predictions import Predictions
from isometrics.formats.registry import FORMATS, Format, read, sniff, write

__all__ = ["FORMATS", "Format", "Predictions", "read", "sniff", "write"]
