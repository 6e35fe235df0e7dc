"""What every room stands on: samples, groups, parameters, results and files written whole."""

__version__ = "0.2.0"
"""The version of isometrics, which files that it writes name."""
