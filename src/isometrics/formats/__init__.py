"""Prediction files of other tools: AUCCalculator, OpenML, WEKA, scikit-learn, XGBoost, LightGBM."""

from __future__ import annotations

from isometrics.formats.predictions import Predictions
from isometrics.formats.registry import FORMATS, Format, read, write
from isometrics.formats.sniffing import sniff

__all__ = ["FORMATS", "Format", "Predictions", "read", "sniff", "write"]
