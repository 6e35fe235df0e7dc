"""The indices as Hanczar & Nadif print them, in precision and recall; Folke as their Table 1."""

import numpy as np

PLAIN = {
    "kulczynski": lambda p, r, lam: lam * r + (1 - lam) * p,
    "f-measure": lambda p, r, lam: p * r / (lam * p + (1 - lam) * r),
    "folke": lambda p, r, lam: r**lam * p ** (1 - lam),
    "jaccard": lambda p, r, lam: (
        p * r / (_w(lam) * p + _w(1 - lam) * r - (1 - abs(1 - 2 * lam)) * p * r)
    ),
    "f-gain": lambda p, r, lam, prevalence: (
        (1 - lam) * _gain(p, prevalence) + lam * _gain(r, prevalence)
    ),
    "cost": lambda p, r, lam, prevalence: (
        lam * r + (1 - lam) * (1 - prevalence / (1 - prevalence) * r * (1 / p - 1))
    ),
}
FOUR = ("kulczynski", "f-measure", "folke", "jaccard")


def _w(lam):
    return np.minimum(2 * lam, 1)


def _gain(rate, prevalence):
    return (rate - prevalence) / ((1 - prevalence) * rate)
