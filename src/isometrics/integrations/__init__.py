"""Adapters to other libraries, one package for each; none is loaded with `isometrics` itself."""
