"""`isometrics tradeoff`: the best value of an index for every weight of recall."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from isometrics.cli.options import ANSWERS, COLUMNS, Answers, Columns, File, IndexName, about, load
from isometrics.cli.output import Part, answer, joined, stacked
from isometrics.errors import ParameterError

if TYPE_CHECKING:
    from isometrics.cli.output import Columns as Table
    from isometrics.decisions.thresholds import Entry
    from isometrics.spaces import Tradeoff


def tradeoff(
    file: File,
    /,
    *,
    index: IndexName = "f-measure",
    lam: Annotated[
        tuple[float, ...], Parameter(name="--lambda", negative="", consume_multiple=True)
    ] = (),
    min_precision: float | None = None,
    min_recall: float | None = None,
    columns: Columns = COLUMNS,
    answers: Answers = ANSWERS,
) -> None:
    """Print which threshold is best for which weight of recall, with areas and useful ranges.

    For example:
      isometrics tradeoff predictions.csv
      isometrics tradeoff predictions.csv --index kulczynski --lambda 0.2 0.5 0.8
      isometrics tradeoff predictions.csv --min-precision 0.8 --json

    Parameters
    ----------
    index
        The index.
    lam
        Weights of recall, between 0 and 1, to look at.
    min_precision
        Consider only thresholds with this precision or more.
    min_recall
        Consider only thresholds with this recall or more.
    """
    analysis = load(file, columns, answers)

    def curve(entry: Entry) -> Tradeoff:
        whole = entry.points.tradeoff(index)
        if min_precision is None and min_recall is None:
            return whole
        try:
            return whole.with_constraints(min_precision=min_precision, min_recall=min_recall)
        except ParameterError as error:
            raise error.within(f"{entry.model} {entry.group}") from None

    parts = {
        "intervals": ("The best threshold for every weight λ of recall", _intervals),
        "areas": ("The area under the curve", _area),
        "useful": ("Where the curve beats every trivial set", _useful),
    }
    if lam:
        parts["values"] = ("The best values", lambda found: _values(found, lam))
    found = [
        Part(key, title, stacked(analysis, lambda entry, of=of: of(curve(entry))))  # type: ignore[misc]
        for key, (title, of) in parts.items()
    ]
    answer(about(analysis) | {"index": index}, found, as_json=answers.json)


def _intervals(found: Tradeoff) -> Table:
    return found.intervals._columns() | found.intervals._printed_names()


def _area(found: Tradeoff) -> Table:
    return {"area": [found.area()]}


def _useful(found: Tradeoff) -> Table:
    return found.useful_range()._columns()


def _values(found: Tradeoff, weights: tuple[float, ...]) -> Table:
    rows = [(lam, found.best(lam)) for lam in weights]
    names = [best._printed_names() for _, best in rows]
    where = next(iter(names[0]))
    return {
        "lambda": [lam for lam, _ in rows],
        "value": [found(lam) for lam in weights],
        where: joined([each[where][:1] for each in names]),
        "precision": [float(best.precision[0]) for _, best in rows],
        "recall": [float(best.recall[0]) for _, best in rows],
    }
