"""The version of isometrics, which files that it writes name."""

__version__ = "0.2.0"
