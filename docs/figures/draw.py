"""Draw the pictures of the documentation into ``docs/images``, as SVG.

They are committed, so that the pages show them wherever they are read; the same versions of the
packages draw the same files. Those of the gallery are drawn by the code on its page. Those of
benchmarks are drawn where they are measured, and copied. Run from the root of the repository, as
``make docs`` does.
"""

import io
import re
import shutil
import tempfile
from pathlib import Path

import matplotlib as mpl
import numpy as np
import ranking
from sklearn.linear_model import LogisticRegression

import isometrics as iso
from isometrics import plot
from isometrics.calibration import calibration_report
from isometrics.cli.demo_and_doctor import simulate
from isometrics.plot import spaces as curves
from isometrics.plot.frame import BLACK, BLUE, GREEN, VERMILLION, frame, style_of
from isometrics.spaces.drawing import f_isoline, grid
from isometrics_studies.papers import all_items, hanczar_nadif_indices

mpl.use("svg")
import matplotlib.pyplot as plt
import recipes
import theory

IMAGES = Path("docs/images")
GALLERY = Path("docs/gallery.md")
GALLERY_BLOCK = re.compile(
    r"(?:^!\[[^\]]*\]\(images/(?P<name>[\w-]+)\.svg\)\n\n)?^```python\n(?P<source>.*?)^```$",
    re.MULTILINE | re.DOTALL,
)
MEASURED = (Path("benchmarks/speed.svg"),)

LABELS = [int(label) for label in "1110111111011101001000101"]

FOUR = ("kulczynski", "f-measure", "folke", "jaccard")
SPACES = {"roc": plot.roc, "pr": plot.pr, "prg": plot.prg}
TITLES = {"roc": "ROC", "pr": "precision-recall", "prg": "precision-recall-gain"}

# ---------------------------------------------------------------------- the examples


def small() -> iso.OperatingPoints:
    """Return the ranking of 25 labels that the pages use."""
    return iso.OperatingPoints.from_scores(LABELS, np.arange(25, 0, -1))


def binormal(rows: int, seed: int, shift: float = 1.5) -> iso.OperatingPoints:
    """Return a sample of normal scores whose positives lie higher, with 20% of them."""
    rng = np.random.default_rng(seed)
    labels = np.arange(rows) < rows // 5
    return iso.OperatingPoints.from_scores(labels, rng.normal(shift * labels))


def one_point() -> iso.OperatingPoints:
    """Return the curve of Davis & Goadrich (2006), Figure 6: one point of recall 0.02."""
    return iso.OperatingPoints.from_counts([9], [0], positives=433, negatives=56_164)


def dented() -> iso.OperatingPoints:
    """Return four distant points, the second of which has a lower precision than the third."""
    return iso.OperatingPoints.from_counts(
        [4, 5, 12, 20], [0, 20, 24, 200], positives=20, negatives=200
    )


# ---------------------------------------------------------------------- parts of a picture


def shared_legend(figure: plt.Figure, axes: plt.Axes, columns: int) -> None:
    """Draw one legend below all panels, without the areas of the one it is taken from."""
    handles, names = axes.get_legend_handles_labels()
    names = [name.split(" (AU")[0] for name in names]
    figure.legend(handles, names, loc="outside lower center", ncols=columns, frameon=False)


def save(figure: plt.Figure, name: str) -> None:
    """Write a picture as a small file: a tenth of a point is less than a pixel."""
    drawn = io.StringIO()
    figure.savefig(drawn, format="svg", metadata={"Date": None}, facecolor="white")
    plt.close(figure)
    text = re.sub(r' transform="rotate\(-0 [^"]*"| id="[A-Za-z0-9]+_\d+"', "", drawn.getvalue())
    text = re.sub(r'( (d|x|y|transform)=")([^"]*)', shorten, text)
    text = re.sub(r"('DejaVu Sans')[^;\"]*", r"\1, sans-serif", text)
    (IMAGES / f"{name}.svg").write_text(re.sub(r"\n\s+", "\n", text), encoding="utf-8")


def shorten(attribute: re.Match[str]) -> str:
    """Return an attribute with coordinates that have one decimal, and paths without spaces."""
    start, name, value = attribute.groups()
    value = re.sub(r"-?\d+\.\d+", lambda number: f"{round(float(number[0]), 1) + 0.0:g}", value)
    return start + (re.sub(r"\s*([A-Za-z])\s*", r"\1", value) if name == "d" else value)


# ---------------------------------------------------------------------- the pictures


def spaces(points: iso.OperatingPoints, *, rows_shown: bool) -> plt.Figure:
    """Draw the same points, curve and hull in the three spaces."""
    figure, panels = plt.subplots(1, 3, figsize=(11.5, 4.6), layout="constrained")
    hull = points.hull()
    for axes, (space, draw) in zip(panels, SPACES.items(), strict=True):
        options = {"isolines": False, "legend": False}
        if space == "pr":
            options["unachievable"] = False
        if space == "prg" and rows_shown:
            options["low"] = -0.3
        draw(points, axes, **options)
        here, corners = getattr(points, space), getattr(hull, space)
        if rows_shown:
            axes.plot(here.x, here.y, ".", color=BLUE, markersize=5, label="operating points")
        axes.plot(
            corners.x,
            corners.y,
            "s",
            color=VERMILLION,
            fillstyle="none",
            label="vertices of the hull",
        )
        axes.set_title(TITLES[space])
    # The baseline of ROC space has another name than that of the other two.
    panels[1].lines[0].set_label("baseline")
    shared_legend(figure, panels[1], 6)
    return figure


def isometrics() -> plt.Figure:
    """Draw lines of equal F1 in PR and PRG space, the baseline and what cannot be achieved."""
    prevalence = 0.3
    figure, panels = plt.subplots(1, 2, figsize=(9.6, 5.6), layout="constrained")
    curves.unachievable(panels[0], prevalence)
    for axes, space in zip(panels, ("pr", "prg"), strict=True):
        frame(axes, space)
        for f1 in (0.55, 0.65, 0.75, 0.85, 0.95):
            line = f_isoline(f1, space, prevalence)
            curves.isoline(axes, *line, f"{f1}", "equal F1" if f1 == 0.55 else "")
        curves.baseline(axes, space, [prevalence], beta=1.0)
    panels[0].set_title(f"precision-recall, prevalence {prevalence}")
    panels[1].set_title("precision-recall-gain")
    shared_legend(figure, panels[0], 4)
    return figure


def grids() -> plt.Figure:
    """Draw a regular grid of one space in another."""
    points = small()
    figure, panels = plt.subplots(1, 2, figsize=(10.4, 5.6), layout="constrained")
    for axes, space, other in zip(panels, ("roc", "prg"), ("prg", "roc"), strict=True):
        SPACES[space](points, axes, isolines=False)
        dots = grid(other, space, points.prevalence)
        axes.plot(*dots, ".", color=GREEN, markersize=2.5, zorder=1.4)
        axes.set_title(f"{TITLES[space]}, over a grid of {TITLES[other]} space")
    return figure


def costs() -> plt.Figure:
    """Draw the line of equal cost through the best point, for three costs."""
    points = small()
    axes = plot.roc(points, isolines=False, legend=False)
    for cost, style in ((0.2, ":"), (0.5, "-."), (0.8, "--")):
        best = int(points.accuracy(cost).argmax())
        x, y = points.roc.x[best], points.roc.y[best]
        slope = cost * (1 - points.prevalence) / ((1 - cost) * points.prevalence)
        axes.plot(x, y, "o", color=VERMILLION)
        axes.axline((x, y), slope=slope, linestyle=style, color=VERMILLION, label=f"cost {cost}")
    axes.legend(loc="lower right")
    return axes.figure


def demo() -> plt.Figure:
    """Draw the two models of ``isometrics demo`` in all spaces."""
    with tempfile.TemporaryDirectory() as folder:
        tuning, test = Path(folder, "tuning.csv"), Path(folder, "test.csv")
        simulate(tuning, test)
        analysis = iso.read_predictions(test, pos_label="fraud")
    figure, axes = plt.subplots(2, 2, figsize=(9.6, 7.3), layout="constrained")
    spaces = ["roc", "pr", "prg", "tradeoff"]
    analysis.plot(spaces, axes.ravel(), isolines=False, hull=False)
    return figure


def two_models(space: str, **options: object) -> plt.Figure:
    """Draw two models in a space, with all that is drawn by default."""
    models = {"forest": binormal(2000, seed=1), "linear": binormal(2000, seed=2, shift=1.0)}
    return SPACES[space](models, **options).figure


def interpolation() -> plt.Figure:
    """Draw the curved and the straight way between two distant points."""
    points = one_point()
    recall = np.geomspace(points.recall[1], 1, 300)
    straight = np.interp(recall, points.recall[1:], points.precision[1:])
    figure, axes = plt.subplots(figsize=(6.0, 5.0), layout="constrained")
    frame(axes, "pr")
    exact, linear = points.pr.area(), points.pr.area("linear")
    axes.plot(
        recall,
        straight,
        "--",
        color=VERMILLION,
        linewidth=1.8,
        label=f"straight line, area {linear:.3f}",
    )
    axes.plot(
        recall,
        points.pr.interpolate(recall),
        color=BLUE,
        linewidth=1.8,
        label=f"achievable curve, area {exact:.3f}",
    )
    axes.fill_between(recall, points.pr.interpolate(recall), straight, color=VERMILLION, alpha=0.12)
    axes.plot(points.recall[1:], points.precision[1:], "o", color=BLACK, label="operating points")
    axes.legend(loc="upper right")
    return figure


def pr_areas() -> plt.Figure:
    """Draw what each of the five areas integrates, on the same four points."""
    points = dented()
    areas = points.pr.areas()
    x, y = np.append(0, points.recall[1:]), np.append(points.precision[1], points.precision[1:])
    recall = np.linspace(0, 1, 401)
    whole = np.arange(points.positives + 1) / points.positives
    ahead = np.maximum.accumulate(y[::-1])[::-1]
    end = np.searchsorted(x, recall, "left")
    lines = {
        "davis-goadrich": points.pr.interpolate(recall),
        "average-precision": y[end],
        "linear": np.interp(recall, x, y),
        "integer-steps": np.interp(recall, whole, points.pr.interpolate(whole)),
        "max-precision": ahead[end],
    }
    figure, panels = plt.subplots(1, 5, figsize=(13.5, 3.4), sharey=True, layout="constrained")
    for axes, (name, area) in zip(panels, areas.items(), strict=True):
        frame(axes, "pr")
        axes.fill_between(recall, lines[name], color=BLUE, alpha=0.18)
        axes.plot(recall, lines[name], color=BLUE, linewidth=1.6)
        if name == "integer-steps":
            axes.plot(whole, points.pr.interpolate(whole), "|", color=BLUE, markersize=6)
        axes.plot(x[1:], y[1:], "o", color=BLACK, markersize=4)
        axes.set_title(f"{name}\n{area:.4f}", fontsize=10)
    for axes in panels[1:]:
        axes.set_ylabel("")
    return figure


def tuning_and_test() -> plt.Figure:
    """Draw a hull chosen on tuning data, and what its thresholds do on test data."""
    tuning, test = binormal(300, seed=3), binormal(300, seed=4)
    hull = tuning.hull()
    judged = test.at(hull.thresholds)
    figure, panels = plt.subplots(1, 2, figsize=(9.6, 5.6), layout="constrained")
    for axes, space in zip(panels, ("roc", "pr"), strict=True):
        options = {} if space == "roc" else {"unachievable": False}
        SPACES[space](test, axes, hull=False, isolines=False, legend=False, **options)
        drawn = curves.hull(axes, space, hull, None, style_of(0, 1), low=0.0)
        drawn.line.set_label("hull of the tuning data")
        corners, points = getattr(hull, space), getattr(judged, space)
        axes.plot(
            corners.x, corners.y, "s", color=VERMILLION, fillstyle="none", label="its vertices"
        )
        axes.plot(
            *(points.x, points.y),
            "^",
            color=BLUE,
            markersize=7,
            label="their thresholds on test data",
        )
        axes.set_title(TITLES[space])
    panels[1].lines[2].set_label("curve of the test data")
    panels[1].lines[0].set_label("baseline")
    shared_legend(figure, panels[1], 3)
    return figure


def calibration() -> plt.Figure:
    """Draw both step maps of one model, and the reliability of a sigmoid's probabilities."""
    rng = np.random.default_rng(8)
    happened = rng.random(2000) < 0.3
    raw = rng.normal(1.5 * happened)
    labels, scores = happened[:1000], raw[:1000]
    figure, (left, right) = plt.subplots(1, 2, figsize=(10, 5), layout="constrained")
    maps = {
        "for accuracy": iso.AccuracyCalibrator().fit(labels, scores),
        "for F": iso.FCalibrator().fit(labels, scores),
    }
    x = np.linspace(scores.min(), scores.max(), 2000)
    for (name, calibrator), dashes in zip(maps.items(), ("-", "--"), strict=True):
        left.plot(x, calibrator.transform(x), dashes, label=name)
    left.set(xlabel="score", ylabel="calibrated score", title="one model, two calibrations")
    left.legend()
    sigmoid = LogisticRegression(C=np.inf).fit(scores[:, None], labels)
    probabilities = sigmoid.predict_proba(raw[1000:, None])[:, 1]
    plot.reliability(calibration_report(happened[1000:], probabilities, bins=5), right)
    right.set_title("reliability of a sigmoid on test data")
    return figure


def families() -> dict[str, iso.OperatingPoints]:
    """Return what two algorithms find of a target of 400 in 10,000, by the size of their sets."""
    sizes = np.array([60, 120, 200, 300, 400, 550, 800, 1200, 2000, 3500, 6000])
    shares = {
        "wide": 0.97 * (1 - np.exp(-sizes / 420)),
        "narrow": 0.80 * (1 - np.exp(-sizes / 300)) + 0.2 * (sizes / 10_000),
    }
    found = {}
    for name, share in shares.items():
        tp = np.minimum((400 * share).astype(int), sizes)
        found[name] = iso.OperatingPoints.from_counts(
            tp, sizes - tp, positives=400, negatives=9600, labels=sizes.tolist()
        )
    return found


def tradeoffs(models: object) -> plt.Figure:
    """Draw optimal tradeoff curves for the four indices of Hanczar & Nadif."""
    figure, panels = plt.subplots(2, 2, figsize=(11, 9.4), layout="constrained")
    for axes, index in zip(panels.flat, FOUR, strict=True):
        plot.tradeoff(models, axes, index=index)
    return figure


def index_isolines() -> plt.Figure:
    """Draw lines of equal index in PR space, for three weights of recall."""
    figure, panels = plt.subplots(1, 4, figsize=(13.5, 4.0), layout="constrained")
    for axes, index in zip(panels, FOUR, strict=True):
        hanczar_nadif_indices.index_isolines(index, axes)
    shared_legend(figure, panels[0], 3)
    return figure


def bands() -> plt.Figure:
    """Draw both kinds of band around one PRG curve."""
    curves = iso.bootstrap_curves(binormal(1000, seed=8), space="prg", random_state=0)
    kinds = [curves.band(kind=kind) for kind in ("simultaneous", "pointwise")]
    return plot.band(kinds).figure


def average_curve() -> plt.Figure:
    """Draw the vertical average of five folds."""
    folds = [binormal(100, seed=seed) for seed in range(5)]
    named = dict(zip("12345", folds, strict=True))
    axes = plot.prg(named, hull=False, isolines=False, legend=False)
    plot.band(iso.average(folds).curve("prg"), axes, legend=False)
    axes.lines[-1].set(color=BLACK, linewidth=3.0)
    axes.legend([axes.lines[-1], axes.collections[-1]], ["average", "95% band of the folds"])
    return axes.figure


def draw_gallery() -> int:
    """Run the code of the gallery, and save what stands below a picture under its name."""
    names: dict[str, object] = {}
    count = 0
    for block in GALLERY_BLOCK.finditer(GALLERY.read_text(encoding="utf-8")):
        exec(compile(block["source"], GALLERY.name, "exec"), names)
        if block["name"]:
            save(plt.gcf(), block["name"])
            count += 1
    return count


PICTURES = {
    "demo": demo,
    "spaces-small": lambda: spaces(small(), rows_shown=True),
    "spaces-large": lambda: spaces(binormal(2000, seed=1), rows_shown=False),
    "isometrics": isometrics,
    "interpolation": interpolation,
    "pr-areas": pr_areas,
    "tuning-and-test": tuning_and_test,
    "grids": grids,
    "calibration": calibration,
    "tradeoff-one": lambda: plot.tradeoff(binormal(300, seed=3)).figure,
    "tradeoff-indices": lambda: tradeoffs(families()["wide"]),
    "tradeoff-two": lambda: tradeoffs(families()),
    "index-isolines": index_isolines,
    "comparison": lambda: plot.comparison(iso.compare(families())).figure,
    "bands": bands,
    "average": average_curve,
    "plot-roc": lambda: two_models("roc", points=[1.0]),
    "plot-pr": lambda: two_models("pr", points=[1.0]),
    "plot-prg": lambda: two_models("prg", points=[1.0]),
    **{f"papers-{item.file_name}": item.draw for item in all_items() if item.draw},
    "roc-costs": costs,
    **recipes.PICTURES,
    **theory.PICTURES,
    **ranking.PICTURES,
}


def main() -> None:
    mpl.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "docs", "font.size": 10})
    IMAGES.mkdir(parents=True, exist_ok=True)
    for name, picture in PICTURES.items():
        save(picture(), name)
    count = len(PICTURES) + draw_gallery()
    for path in MEASURED:
        shutil.copy(path, IMAGES)
    print(f"Drew {count} pictures into {IMAGES}, and copied {len(MEASURED)}")


if __name__ == "__main__":
    main()
