"""Precision-recall analysis: one table, its spaces, one hull, decisions."""

from __future__ import annotations

from isometrics.points import OperatingPoints

__all__ = ["OperatingPoints"]
