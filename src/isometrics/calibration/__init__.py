"""Calibrated scores: calibrators, their files, and how reliable probabilities are."""
