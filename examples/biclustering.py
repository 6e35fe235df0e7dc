"""Two biclustering algorithms and two linear models, compared for every weight of recall.

Run it with ``python examples/biclustering.py [file]``. It repeats, on a small scale, the
experiments of Hanczar & Nadif on the tradeoff space (their figures 5 to 8) and leaves a picture in
``demo-report/``. The file, if given, holds real data for the linear models: numbers with the class
in the last column, in KEEL, ARFF or CSV format. It needs the studies: ``pip install ./studies``.
"""

import sys
from pathlib import Path

import matplotlib as mpl

import isometrics as iso
from isometrics import plot
from isometrics_studies.bicluster_search import biclustering_study
from isometrics_studies.linear_models import gaussian_data, lda_and_svm, read_data
from isometrics_studies.planted import planted_bicluster

mpl.use("svg")
import matplotlib.pyplot as plt

FOLDER = Path("demo-report")
INDICES = ("kulczynski", "f-measure", "folke", "jaccard")


def tables(title: str, study: dict[str, iso.OperatingPoints]) -> None:
    """Print the best points of each algorithm, and who wins where."""
    print(f"{title}\n{'=' * len(title)}\n")
    for name, points in study.items():
        print(f"{name}: {points.tradeoff('f-measure')}\n")
    for index in INDICES:
        print(iso.compare(study, index).sentence())
    print()


def draw_selection(name: str, points: iso.OperatingPoints, axes: list[plt.Axes]) -> None:
    """Draw the points of one algorithm, and its best one for every weight of recall."""
    plot.pr({name: points}, axes[0], isolines=False)
    for index, ax in zip(INDICES, axes[1:], strict=True):
        plot.tradeoff({name: points}, ax, index=index, legend=False)


def draw_comparison(study: dict[str, iso.OperatingPoints], axes: list[plt.Axes]) -> None:
    """Draw the points of two algorithms, and the better one for every weight of recall."""
    plot.pr(study, axes[0], isolines=False)
    for index, ax in zip(INDICES, axes[1:], strict=True):
        plot.comparison(iso.compare(study, index), ax, legend=False)


def main() -> None:
    planted = planted_bicluster((100, 60), (30, 20), level=0.2, noise=0.2, seed=1)
    data = read_data(sys.argv[1]) if len(sys.argv) > 1 else gaussian_data()
    source = Path(sys.argv[1]).stem if len(sys.argv) > 1 else "two normal classes"
    biclusters, classifiers = biclustering_study(planted), lda_and_svm(data)
    tables(f"{planted.target}, noise 0.2", biclusters)
    tables(f"LDA and linear SVM on {source}", classifiers)

    figure, axes = plt.subplots(3, 5, figsize=(25, 15), layout="constrained")
    draw_selection("CC", biclusters["CC"], list(axes[0]))
    draw_comparison(biclusters, list(axes[1]))
    draw_comparison(classifiers, list(axes[2]))
    FOLDER.mkdir(exist_ok=True)
    path = FOLDER / "biclustering.svg"
    figure.savefig(path)
    print(f"Picture:\n{path}")


if __name__ == "__main__":
    main()
