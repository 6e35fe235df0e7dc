"""`isometrics-study`: the figures and theorems of the papers, and the ranking study, computed."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from cyclopts import App, Parameter

import isometrics
from isometrics.cli.options import ANSWERS, Answers, Target
from isometrics.cli.output import Part, answer, meter, note, part_of
from isometrics.cli.running import run, unwrapped
from isometrics.errors import ParameterError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from isometrics_studies.papers import PaperNumbers
    from isometrics_studies.ranking.datasets import DataSet, Unusable
    from isometrics_studies.ranking.results import TaskResult
    from isometrics_studies.ranking.runs import RunTask
    from isometrics_studies.ranking.scoring import Settings


SHORT = {
    "": "",
    "printed": "print",
    "claimed": "claim",
    "by its formula": "formula",
    "read from the figure": "figure",
    "from printed ends": "ends",
}
"""Where a number of a paper comes from, in a word."""


def papers(
    *,
    output: Target = "papers",
    only: Literal["DG06", "FK15", "HN"] | None = None,
    data: Annotated[str | None, Parameter(show_default=False)] = None,
    answers: Answers = ANSWERS,
) -> None:
    """Draw every figure and compute every number of the three papers, into a folder.

    For example:
      isometrics-study papers
      isometrics-study papers -o "my folder" --only FK15 --data arff

    Parameters
    ----------
    output
        The folder for the page, the numbers and the pictures. One of an earlier run is replaced.
    only
        One paper: Davis & Goadrich 2006, Flach & Kull 2015, or Hanczar & Nadif.
    data
        A folder with the white-clover data (ARFF), for Figure 5 of FK15.
    """
    from isometrics_studies.papers import write_papers

    with meter("drawing", unit="items", quiet=answers.quiet) as progress:
        numbers = write_papers(output, only=only, data=data, progress=progress)
    page = Path(output) / "index.html"
    if answers.json:
        stand_ins = {item.id: item.stand_in for item in numbers.items if item.stand_in}
        about = {"index": str(page), "summary": numbers._title()}
        answer(
            about | {"stand_ins": stand_ins},
            [Part("numbers", "", numbers._columns())],
            as_json=True,
        )
        return
    answer({}, list(_parts(numbers)), as_json=False)
    print(f"\n{numbers._title()}\n{page}")


def _parts(numbers: PaperNumbers) -> Iterator[Part]:
    """Yield one small table for each item, so that all of it fits a terminal."""
    for item in dict.fromkeys(numbers.items):
        here = numbers.of(item)
        whole = here._shown()
        shown = {name: whole[name] for name in ("number", "ours", "paper")}
        shown["from"] = [SHORT[source] for source in whole["source"]]
        shown["difference"] = [
            f"{text} ({why})" if why else text
            for text, why in zip(whole["difference"], whole["why"], strict=True)
        ]
        notes = [*here._notes(shown)]
        if item.stand_in and not any(item.stand_in in note for note in notes):
            notes.append(f"Stand-in: {item.stand_in}")
        yield Part(item.id, f"{item.id}: {item.title}", here._columns(), shown, notes)


_SOURCE = Parameter(group="Tasks", show_default=False, negative="")


@Parameter(name="*")
@dataclass(frozen=True, slots=True)
class Sources:
    """Where tasks come from, and which of them are taken."""

    data: Annotated[tuple[str, ...], _SOURCE] = ()
    """A folder of data sets: ARFF, KEEL's .dat, CSV; repeat it for more."""
    runs: Annotated[tuple[str, ...], _SOURCE] = ()
    """A folder of OpenML prediction files; repeat it for more."""
    openml_tasks: Annotated[str | None, _SOURCE] = None
    """Numbers of OpenML tasks, such as 37,115; they are fetched through the network."""
    built_in: Annotated[bool, _SOURCE] = False
    """Take the data sets that need no files."""
    tasks: Annotated[str | None, _SOURCE] = None
    """A number: only so many tasks, the smallest; or words: only tasks with them in their names."""


SOURCES = Sources()


def ranking(
    *,
    output: Target,
    models: int = 30,
    folds: int = 10,
    sources: Sources = SOURCES,
    chosen: Annotated[tuple[str, ...], Parameter(negative="", show_default=False)] = (),
    jobs: int = 1,
    random_state: int = 0,
    limit: float = 300.0,
    answers: Answers = ANSWERS,
) -> None:
    """Rank models by all areas on many data sets, and tell how measures disagree.

    Each model is cross-validated on each task. Results are written task by task; a run that was
    ended goes on where it was when it is started again with the same folder.

    For example:
      isometrics-study ranking --data keel arff --models 30 -o ranking
      isometrics-study ranking --built-in --models 5 --folds 3 -o ranking
      isometrics-study ranking --runs openml_predictions -o ranking
      isometrics-study ranking --openml-tasks 37,115 --jobs 2 -o ranking

    Parameters
    ----------
    output
        The folder for results: one row for each task and model, tables and pictures.
    models
        How many models, from a list that mixes families.
    folds
        The number of folds. Data sets with fewer rows of a class are left out, and listed.
    chosen
        Words in the name of a task to draw by itself, with the pairs of its models that AUPR and
        AUPRG order differently; repeat it for more.
    jobs
        How many processes work at the same time; -1 for as many as there are processors.
    random_state
        The seed of the folds, of the models and of the intervals.
    limit
        Seconds of processor time for one model on one task. One that would take longer has a row
        that says so, without areas.
    """
    from isometrics_studies.ranking.results import results_of, task_named
    from isometrics_studies.ranking.running import run_study, settings_of
    from isometrics_studies.ranking.tables import TaskList, tables_of, write_csv

    settings = settings_of(models=models, folds=folds, random_state=random_state, limit=limit)
    tasks, runs, unusable = _found(sources, folds)
    listed = TaskList(tuple(tasks), tuple(unusable))
    if not answers.json:
        note(f"{listed._title()}; {output}/tasks.csv lists them all")
    folder = Path(output)
    with meter("tasks", unit="tasks", quiet=answers.quiet) as progress:
        table = run_study(tasks, settings, folder, n_jobs=jobs, runs=runs, progress=progress)
    write_csv(folder / "tasks.csv", listed)
    results = results_of(table)
    drawn = [task_named(results, words) for words in chosen]
    tables = tables_of(results, random_state=random_state)
    for key, found in tables.items():
        write_csv(folder / f"{key}.csv", found)
    parts = [part_of(key, found) for key, found in tables.items()]
    parts += _chosen(drawn, tasks, settings, folder)
    about: dict[str, Any] = {
        "results": str(folder / "results.parquet"),
        "tasks": len(results),
        "unusable": {each.name: each.reason for each in unusable},
        "pictures": _pictures(results, drawn, folder),
    }
    answer(about, parts, as_json=answers.json)


def _found(sources: Sources, folds: int) -> tuple[list[DataSet], list[RunTask], list[Unusable]]:
    from isometrics_studies.ranking.datasets import built_in_tasks, data_sets_in, usable
    from isometrics_studies.ranking.openml_tasks import fetch_task
    from isometrics_studies.ranking.runs import read_runs

    if not (sources.data or sources.runs or sources.openml_tasks or sources.built_in):
        raise ParameterError(
            "there are no tasks; give folders with --data or --runs, or --built-in"
        )
    found: Iterable[DataSet | Unusable] = chain(
        built_in_tasks() if sources.built_in else (),
        data_sets_in(sources.data),
        (fetch_task(number) for number in _numbers(sources.openml_tasks)),
    )
    tasks, unusable = usable(found, folds=folds)
    runs: list[RunTask] = []
    for folder in sources.runs:
        more, others = read_runs(folder)
        runs += more
        unusable += others
    return _selected(tasks, sources.tasks), runs, unusable


def _numbers(given: str | None) -> list[int]:
    words = [] if given is None else given.split(",")
    if not all(word.strip().isdecimal() for word in words):
        raise ParameterError(
            f"--openml-tasks must be numbers with commas between them but is {given!r}"
        )
    return [int(word) for word in words]


def _selected(tasks: list[DataSet], wanted: str | None) -> list[DataSet]:
    if wanted is None:
        return tasks
    if wanted.isdecimal():
        return sorted(tasks, key=lambda task: task.values.size)[: int(wanted)]
    found = [task for task in tasks if wanted in task.name]
    if not found:
        raise ParameterError(f"no task has {wanted!r} in its name")
    return found


def _chosen(
    drawn: list[TaskResult], tasks: list[DataSet], settings: Settings, folder: Path
) -> list[Part]:
    """Write the reversed pairs of each chosen task, and the points of the clearest of them."""
    from isometrics_studies.ranking.reversals import reversals
    from isometrics_studies.ranking.scoring import points_of_models
    from isometrics_studies.ranking.tables import PairPoints, write_csv

    parts = []
    for number, task in enumerate(drawn, 1):
        found = reversals(task)
        write_csv(folder / f"reversals-{number}.csv", found)
        parts.append(part_of(f"reversals_{number}", found))
        data = [each for each in tasks if each.name == task.name]
        if data and found.pairs:
            points = points_of_models(data[0], settings._replace(models=found.pairs[0]))
            write_csv(folder / f"pair-{number}.csv", PairPoints(task.name, points))
    return parts


def _pictures(results: list[TaskResult], drawn: list[TaskResult], folder: Path) -> list[str]:
    from isometrics_studies.ranking import pictures

    figures = {"heat-map.svg": pictures.draw_heat_map(results)}
    if drawn:
        figures["scatter.svg"] = pictures.draw_scatter(drawn)
    for name, figure in figures.items():
        pictures.save(figure, folder / name)
    return [str(folder / name) for name in figures]


app = App(
    name="isometrics-study",
    help="""\
Run the experiments of the papers again, on data of your own or theirs.

For example:
  isometrics-study papers --only FK15 -o papers
  isometrics-study ranking --built-in -o ranking""",
    help_format="plaintext",
    version=isometrics.__version__,
    exit_on_error=False,
    print_error=False,
    result_action="return_value",
    suppress_keyboard_interrupt=False,
)
app.command(unwrapped(papers))
app.command(unwrapped(ranking))


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command and return its exit code; by default with the words of this process."""
    return run(sys.argv[1:] if arguments is None else arguments, app)
