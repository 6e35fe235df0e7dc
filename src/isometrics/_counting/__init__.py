"""From clean labels, scores and weights to counts, sorted or in bins, and to sums and hulls."""
