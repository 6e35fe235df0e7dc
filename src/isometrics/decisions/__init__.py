"""Thresholds: the best one for an objective, for every β, and on other data."""
