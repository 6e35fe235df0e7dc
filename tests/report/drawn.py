"""Tables drawn at random, from a seed that is new in every run and printed at its end."""

import numpy as np

from isometrics import OperatingPoints


def sample_points(rng, rows, *, prevalence=0.3, shift=1.5, ties=False, weights=None):
    labels = rng.random(rows) < prevalence
    labels[:2] = [True, False]
    scores = rng.normal(shift * labels)
    scores = np.round(scores, 1) if ties else scores
    weight = {
        None: None,
        "integer": rng.integers(1, 5, rows),
        "float": rng.random(rows) + 0.01,
    }[weights]
    return OperatingPoints.from_scores(labels, scores, sample_weight=weight)


def strange_sample(rng, rows):
    pool = np.array([0.0, -0.0, np.inf, -np.inf, 1e-320, -1e300, 1.5, *rng.normal(size=4)])
    labels = rng.random(rows) < 0.4
    labels[:2] = [True, False]
    return labels, rng.choice(pool, rows)


def count_points(rng, rows, largest):
    positives, negatives = (int(10 ** rng.uniform(0.3, np.log10(largest))) for _ in "PN")
    tp = np.sort(rng.integers(0, positives + 1, rows))
    fp = np.sort(rng.integers(0, negatives + 1, rows))
    return OperatingPoints.from_counts(tp, fp, positives=positives, negatives=negatives)


def several_points(rng):
    points = [
        sample_points(
            rng,
            int(rng.integers(2, 200)),
            prevalence=rng.choice([0.02, 0.3, 0.9]),
            shift=rng.choice([-1.0, 0.0, 1.5, 4.0]),
            ties=bool(rng.integers(2)),
            weights=rng.choice([None, "integer", "float"]),
        )
        for _ in range(20)
    ]
    points += [count_points(rng, int(rng.integers(1, 15)), 1e12) for _ in range(15)]
    points += [count_points(rng, int(rng.integers(1, 40)), 100) for _ in range(5)]
    points.append(sample_points(rng, 5000, prevalence=0.1))
    points.append(OperatingPoints.from_scores([1, 0, 1, 0], [1, 1, 1, 1]))
    points.append(OperatingPoints.from_scores([0, 0, 1, 1], [4, 3, 2, 1]))
    points.append(OperatingPoints.from_scores([1, 0], [0.9, 0.4], positives=5, negatives=7))
    return points
