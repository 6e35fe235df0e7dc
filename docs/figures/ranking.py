"""Pictures of the ranking study, drawn from its committed rows."""

from pathlib import Path

from matplotlib.figure import Figure

from isometrics_studies.ranking import pictures
from isometrics_studies.ranking.results import TaskResult, read_results, task_named
from isometrics_studies.ranking.tables import read_points

FOLDER = Path("docs/ranking")


def results() -> list[TaskResult]:
    return read_results(FOLDER / "results.parquet")


def scatter() -> Figure:
    """Draw the two data sets of Figure 4 of Flach & Kull (2015)."""
    pair = read_points(FOLDER / "pair-1.csv")
    tasks = [task_named(results(), words) for words in ("white.clover", "ada_train")]
    return pictures.draw_scatter(tasks, marked=list(pair))


PICTURES = {
    "ranking-heat-map": lambda: pictures.draw_heat_map(results()),
    "ranking-scatter": scatter,
    "ranking-pair": lambda: pictures.draw_pair(read_points(FOLDER / "pair-1.csv")),
}
