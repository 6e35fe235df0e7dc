"""What every room stands on: samples, groups, parameters, results and files written whole."""
