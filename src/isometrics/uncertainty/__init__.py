"""How sure numbers and curves are: resampling, intervals, bands, tests of differences."""
