"""Ask other tools for the same areas on the same small inputs, and print what they answer.

Run it with ``python benchmarks/other_tools.py > table.md``. Tools that are not installed are left
out; Spark needs Java and takes half a minute. The page ``docs/other-tools.md`` shows the tables.

The exact values come from `isometrics.testing`, which computes in fractions and shares no code
with the rest.
"""

import math
from collections.abc import Callable
from importlib import metadata
from importlib.util import find_spec

import numpy as np

import isometrics as iso
from isometrics.testing import Curve

Sample = tuple[np.ndarray, np.ndarray]
Tool = Callable[[np.ndarray, np.ndarray], float]

# ---------------------------------------------------------------------- the inputs


def shuffled(labels: np.ndarray, scores: np.ndarray) -> Sample:
    """Return the rows in an order that says nothing."""
    order = np.random.default_rng(0).permutation(len(labels))
    return labels[order], scores[order]


def ties(first: int) -> Sample:
    """Return five scores of eight rows each, with one class before the other among equals."""
    counts = [(6, 2), (5, 3), (3, 5), (2, 6), (1, 7)]
    labels = np.concatenate([np.repeat([1, 0], count) for count in counts])
    scores = np.repeat([0.9, 0.7, 0.5, 0.3, 0.1], 8)
    order = np.lexsort((labels != first, -scores))
    return labels[order], scores[order]


def inputs() -> dict[str, Sample]:
    """Return labels and scores by the name of the case."""
    rng = np.random.default_rng(7)
    rare = (np.arange(2100) < 50).astype(int)
    margins = np.arange(200) < 60
    return {
        "25 labels": (
            np.array([int(label) for label in "1110111111011101001000101"]),
            np.arange(25, 0, -1) / 25,
        ),
        "all tied": (np.repeat([1, 0], (20, 80)), np.full(100, 0.5)),
        "ten tied on top": (
            np.repeat([1, 0, 1, 0], (5, 5, 15, 75)),
            np.repeat([0.9, 0.9, 0.4, 0.4], (5, 5, 15, 75)),
        ),
        "ties, positives first": ties(1),
        "ties, negatives first": ties(0),
        "one positive at rank 10": (
            (np.arange(1000) == 9).astype(int),
            1 - np.arange(1000) / 1000,
        ),
        "worst ranking": (np.repeat([0, 1], (20, 5)), np.arange(25, 0, -1) / 25),
        "scores 1e-9 apart": shuffled(rare[:400], 0.5 + 1e-9 * rng.normal(2 * rare[:400])),
        "large margins": shuffled(margins.astype(int), 45 + 3 * rng.normal(1.5 * margins)),
        "small scores": shuffled(rare, rng.beta(1 + rare, 300)),
    }


# ---------------------------------------------------------------------- the tools


def with_sklearn() -> dict[str, Tool]:
    from sklearn.metrics import (
        auc,
        average_precision_score,
        precision_recall_curve,
        roc_auc_score,
    )

    def trapezoid(labels: np.ndarray, scores: np.ndarray) -> float:
        precision, recall, _ = precision_recall_curve(labels, scores)
        return auc(recall, precision)

    return {
        "AUROC": roc_auc_score,
        "average precision": average_precision_score,
        "AUPR": trapezoid,
    }


def with_scors() -> dict[str, Tool]:
    import scors

    def on_booleans(function: Tool) -> Tool:
        return lambda labels, scores: function(labels.astype(bool), scores)

    return {
        "AUROC": on_booleans(scors.roc_auc),
        "average precision": on_booleans(scors.average_precision),
    }


def with_torchmetrics(thresholds: int | None) -> dict[str, Tool]:
    import torch
    from torchmetrics.functional.classification import binary_auroc, binary_average_precision

    def on_tensors(function: Callable[..., object]) -> Tool:
        def value(labels: np.ndarray, scores: np.ndarray) -> float:
            tensors = torch.tensor(scores, dtype=torch.float64), torch.tensor(labels)
            return float(function(*tensors, thresholds=thresholds))

        return value

    return {
        "AUROC": on_tensors(binary_auroc),
        "average precision": on_tensors(binary_average_precision),
    }


def with_pyprg() -> dict[str, Tool]:
    # NumPy has removed a name that this package uses: the length, 1 for a number.
    np.alen = lambda values: len(values) if hasattr(values, "__len__") else 1
    from prg import prg

    return {"AUPRG": lambda labels, scores: prg.calc_auprg(prg.create_prg_curve(labels, scores))}


def with_spark() -> dict[str, Tool]:
    from pyspark.ml.evaluation import BinaryClassificationEvaluator
    from pyspark.sql import SparkSession

    session = (
        SparkSession.builder.master("local[1]")
        .config("spark.ui.enabled", "false")
        .config("spark.sql.shuffle.partitions", "1")
        .getOrCreate()
    )
    session.sparkContext.setLogLevel("ERROR")

    def area(name: str) -> Tool:
        evaluator = BinaryClassificationEvaluator(rawPredictionCol="score", metricName=name)

        def value(labels: np.ndarray, scores: np.ndarray) -> float:
            rows = zip(labels.astype(float).tolist(), scores.tolist(), strict=True)
            return evaluator.evaluate(session.createDataFrame(rows, "label double, score double"))

        return value

    return {"AUROC": area("areaUnderROC"), "AUPR": area("areaUnderPR")}


def with_isometrics() -> dict[str, Tool]:
    return {
        "AUROC": iso.auroc_score,
        "average precision": lambda *sample: iso.aupr_score(
            *sample, interpolation="average-precision"
        ),
        "AUPR": iso.aupr_score,
        "AUPRG": iso.auprg_score,
    }


TOOLS: dict[str, tuple[str, str, Callable[[], dict[str, Tool]]]] = {
    "isometrics": ("isometrics", "isometrics", with_isometrics),
    "scikit-learn": ("scikit-learn", "sklearn", with_sklearn),
    "scors": ("scors", "scors", with_scors),
    "torchmetrics": ("torchmetrics", "torchmetrics", lambda: with_torchmetrics(None)),
    "torchmetrics, binned": (
        *("torchmetrics", "torchmetrics"),
        lambda: with_torchmetrics(100),
    ),
    "Spark": ("pyspark", "pyspark", with_spark),
    "pyprg": ("pyprg", "prg", with_pyprg),
}
"""The name in the tables: the distribution, the module, and what it can compute."""

EXACT: dict[str, Callable[[Curve], object]] = {
    "AUROC": lambda curve: curve.roc_area(),
    "average precision": lambda curve: curve.pr_area("average-precision"),
    "AUPR": lambda curve: curve.pr_area("davis-goadrich"),
    "AUPRG": lambda curve: curve.prg_area(),
}

# ---------------------------------------------------------------------- the tables


def curve_of(labels: np.ndarray, scores: np.ndarray) -> Curve:
    """Count once along the sorted rows; `Curve.of_scores` counts anew for every score."""
    tp, fp, last = 0, 0, {}
    for score, label in sorted(zip(scores.tolist(), labels.tolist(), strict=True), reverse=True):
        tp, fp = tp + label, fp + 1 - label
        last[score] = tp, fp
    return Curve.of(*zip(*last.values(), strict=True), tp, fp)


def answer(tool: Tool, sample: Sample) -> str:
    """Return what a tool prints, to six digits, or that it fails."""
    try:
        value = float(tool(*sample))
    except Exception as error:  # whatever it is, it is the answer
        return type(error).__name__
    return "NaN" if math.isnan(value) else f"{value:.6f}"


def tables(tools: list[str]) -> dict[str, dict[str, dict[str, str]]]:
    """Return all answers: by area, by input, by tool; "exact" is a tool, too."""
    samples = inputs()
    curves = {name: curve_of(*samples[name]) for name in samples}
    found = {
        area: {name: {"exact": f"{float(exact(curves[name])):.6f}"} for name in samples}
        for area, exact in EXACT.items()
    }
    for tool in tools:
        for area, function in TOOLS[tool][2]().items():
            for name, sample in samples.items():
                found[area][name][tool] = answer(function, sample)
    return found


def as_markdown(answers: dict[str, dict[str, str]]) -> str:
    """Return one table; what is not the exact value is bold."""
    names = list(next(iter(answers.values())))
    lines = [f"| input | {' | '.join(names)} |", f"|---|{'--:|' * len(names)}"]
    for name, row in answers.items():
        cells = [text if text == row["exact"] else f"**{text}**" for text in row.values()]
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return "\n".join(lines)


def main() -> None:
    installed = [name for name, (_, module, _) in TOOLS.items() if find_spec(module)]
    versions = {TOOLS[name][0]: metadata.version(TOOLS[name][0]) for name in installed}
    print(", ".join(f"{name} {version}" for name, version in versions.items()))
    for area, answers in tables(installed).items():
        print(f"\n{area}\n\n{as_markdown(answers)}")


if __name__ == "__main__":
    main()
