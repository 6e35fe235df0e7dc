"""OperatingPoints: the table in the user's hand, whole or with rows missing."""

from isometrics.points.operating_points import OperatingPoints

__all__ = ["OperatingPoints"]
