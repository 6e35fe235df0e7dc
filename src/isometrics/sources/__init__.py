"""Rows of files, databases, frames, clusters and streams become operating points."""
