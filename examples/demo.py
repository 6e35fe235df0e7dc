"""A worked example: two fraud models, their areas, their best thresholds and a page of figures.

Run it with ``make demo``. It simulates a file of predictions, reads it back as any such file would
be read, and leaves everything in ``demo-report/``.
"""

import csv
import os
import tempfile
from html import escape
from io import StringIO
from pathlib import Path

import matplotlib as mpl
import numpy as np

import isometrics as iso
from isometrics import plot

mpl.use("svg")
import matplotlib.pyplot as plt

FOLDER = Path("demo-report")
SEED = 2015
ROWS = 20_000
PREVALENCE = 0.02

AREAS = {
    "AUROC": lambda points: points.roc.area(),
    "AUPR, exact": lambda points: points.pr.area(),
    "average precision": lambda points: points.pr.area("average-precision"),
    "AUPR, normalised": lambda points: points.pr.normalised_area(),
    "AUPRG": lambda points: points.prg.area(),
    "expected F1 gain": lambda points: points.prg.expected_f_gain(),
}

# ---------------------------------------------------------------------- the file


def simulate(path: Path) -> None:
    """Write predictions of two models on card payments, a fixed half of them for tuning.

    `forest` finds half of the frauds almost surely and is close to guessing on the others.
    `logit` ranks all frauds fairly well, but some honest payments look just as suspicious to it.
    """
    rng = np.random.default_rng(SEED)
    fraud = rng.random(ROWS) < PREVALENCE
    tuning = rng.permutation(ROWS) < ROWS // 2

    odd = ~fraud & (rng.random(ROWS) < 0.03)
    evidence = rng.normal(np.where(fraud, 2.2, np.where(odd, 2.0, -0.3)), 1.0)
    logit = 1 / (1 + np.exp(4.5 - 1.3 * evidence))

    known = fraud & (rng.random(ROWS) < 0.5)
    vote_share = np.where(known, rng.beta(5, 2.5, ROWS), rng.beta(0.8, 18, ROWS))
    vote_share = np.where(fraud & ~known, rng.beta(1.0, 14, ROWS), vote_share)
    forest = rng.binomial(500, vote_share) / 500

    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["payment", "part", "label", "logit", "forest"])
        for row in range(ROWS):
            writer.writerow(
                [
                    f"p{row:05d}",
                    "tuning" if tuning[row] else "test",
                    "fraud" if fraud[row] else "honest",
                    f"{logit[row]:.6f}",
                    f"{forest[row]:.3f}",
                ]
            )


def read(path: Path, part: str) -> dict[str, iso.OperatingPoints]:
    """Return the operating points of every model on one part of the file."""
    with path.open(newline="", encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if row["part"] == part]
    labels = [row["label"] for row in rows]
    models = [name for name in rows[0] if name not in {"payment", "part", "label"}]
    return {
        model: iso.OperatingPoints.from_scores(
            labels, [float(row[model]) for row in rows], pos_label="fraud"
        )
        for model in models
    }


# ---------------------------------------------------------------------- the tables


def areas(test: dict[str, iso.OperatingPoints]) -> list[list[str]]:
    """Return a row for each area, with a star at the best model."""
    rows = [["area on test data", *test]]
    for name, area in AREAS.items():
        values = [area(points) for points in test.values()]
        cells = [f"{value:.4f}{' *' if value == max(values) else '  '}" for value in values]
        rows.append([name, *cells])
    return rows


def decisions(
    tuning: dict[str, iso.OperatingPoints], test: dict[str, iso.OperatingPoints]
) -> list[list[str]]:
    """Choose the threshold of the best F1 on tuning data and judge it on test data."""
    rows = [["model", "threshold", "F1 tuning", "F1 test", "precision test", "recall test"]]
    for model, points in tuning.items():
        best = iso.best_threshold(points)
        judged = test[model].at(best.threshold)
        numbers = (best.f, judged.f()[0], judged.precision[0], judged.recall[0])
        rows.append([model, f"{best.threshold:g}", *(f"{value:.4f}" for value in numbers)])
    return rows


def as_text(rows: list[list[str]]) -> str:
    widths = [max(map(len, cells)) for cells in zip(*rows, strict=True)]
    return "\n".join(
        "  ".join(
            cell.rjust(width) if place else cell.ljust(width)
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    )


def as_html(rows: list[list[str]]) -> str:
    head, *body = [
        "<tr>" + "".join(f"<{tag}>{escape(cell.strip())}</{tag}>" for cell in row) + "</tr>"
        for tag, row in zip(["th"] + ["td"] * len(rows), rows, strict=False)
    ]
    return f"<table><thead>{head}</thead><tbody>{''.join(body)}</tbody></table>"


# ---------------------------------------------------------------------- the figures


def draw(space: str, models: dict[str, iso.OperatingPoints]) -> plt.Figure:
    """Draw all models in one space; each hull is a dashed line of its own."""
    figure, axes = plt.subplots(figsize=(6.4, 6.4), layout="constrained")
    getattr(plot, space)(models, axes)
    return figure


def as_svg(figure: plt.Figure, description: str) -> str:
    """Return the figure as an SVG element to be placed inside a page."""
    text = StringIO()
    figure.savefig(text, format="svg", metadata={"Date": None})
    plt.close(figure)
    _, _, element = text.getvalue().partition("<svg")
    return f'<svg role="img" aria-label="{escape(description)}"{element}'


# ---------------------------------------------------------------------- the page

FIGURES = {
    "roc": ("ROC space", "How well is a random fraud told from a random honest payment?"),
    "pr": ("Precision-recall space", "How much of the fraud is found, at how many false alarms?"),
    "prg": ("Precision-recall-gain space", "The same on the scale on which F scores are straight."),
}

PAGE = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>
body {{ font: 16px/1.5 sans-serif; max-width: 46rem; margin: 2rem auto; padding: 0 1rem; }}
table {{ border-collapse: collapse; margin: 1rem 0; }}
th, td {{ padding: .25rem .8rem; border-bottom: 1px solid #ccc; text-align: right; }}
th:first-child, td:first-child {{ text-align: left; }}
figure {{ margin: 2rem 0; }} figure svg {{ max-width: 100%; height: auto; }}
</style>
<h1>{title}</h1>
<p>{data}</p>
<h2>Areas</h2>
{areas}
<p>A star marks the better model. The areas answer different questions, so they may disagree.</p>
<h2>The best threshold for F1</h2>
{decisions}
<p>The threshold comes from the hull of the tuning data. Believe only its F1 on test data.</p>
<h2>Curves and hulls, on test data</h2>
{figures}
</html>
"""


def page(
    path: Path, data: str, tables: list[list[list[str]]], test: dict[str, iso.OperatingPoints]
) -> None:
    """Write the page beside its place, then rename it, so that no half a page is ever seen."""
    figures = "\n".join(
        f"<figure>{as_svg(draw(space, test), title)}"
        f"<figcaption><b>{escape(title)}.</b> {escape(question)}</figcaption></figure>"
        for space, (title, question) in FIGURES.items()
    )
    html = PAGE.format(
        title="Two fraud models, compared",
        data=escape(data),
        areas=as_html(tables[0]),
        decisions=as_html(tables[1]),
        figures=figures,
    )
    handle, temporary = tempfile.mkstemp(dir=path.parent, suffix=".html")
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        file.write(html)
    Path(temporary).chmod(0o644)
    Path(temporary).replace(path)


def main() -> None:
    mpl.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "demo"})
    FOLDER.mkdir(exist_ok=True)
    predictions = FOLDER / "predictions.csv"
    simulate(predictions)
    tuning, test = read(predictions, "tuning"), read(predictions, "test")

    points = next(iter(test.values()))
    data = (
        f"{ROWS:,} simulated payments, half of them for tuning; the test half has "
        f"{points.positives} frauds among {points.positives + points.negatives:,} "
        f"({points.prevalence:.1%})."
    )
    tables = [areas(test), decisions(tuning, test)]
    print(data, as_text(tables[0]), as_text(tables[1]), sep="\n\n")
    page(FOLDER / "report.html", data, tables, test)
    print(f"\nPredictions: {predictions}\nReport:\n{FOLDER / 'report.html'}")


if __name__ == "__main__":
    main()
