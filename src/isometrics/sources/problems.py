"""Problems of a file, which are reported together, with the lines that an editor shows."""

from __future__ import annotations

from itertools import chain, groupby
from typing import TYPE_CHECKING, NamedTuple

from isometrics._core.arrays import offence
from isometrics._core.results import several
from isometrics.errors import Advice

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from isometrics.errors import InputError, IsometricsError
    from isometrics.sources.batches import Source

MOST_LINES = 5
"""So many lines of one problem are named."""


class Line(NamedTuple):
    """Where a row stands in a file."""

    number: int
    """As editors count: the first line is 1, also of a header; quoted line breaks count."""
    file: str = ""
    """The file, where there are several."""


class Problem(NamedTuple):
    """Values of a column that cannot be used for one reason."""

    error: type[InputError]
    column: str
    what: str
    n_values: int
    positions: tuple[int, ...]
    """Of the first ones, as far as they are known."""
    advice: Advice | None = None

    def as_error(
        self, lines: Mapping[int, Line] | None = None, name: str = "line"
    ) -> IsometricsError:
        """Return the error, which names lines where they are known, else the first position."""
        first = self.positions[0] if self.positions else None
        if not lines or first is None:
            return self.error(offence(self.column, self.what, self.n_values, first), self.advice)
        listed = listed_lines([lines[position] for position in self.positions], name)
        where = f"the first on {listed}" if self.n_values > len(self.positions) else f"on {listed}"
        return self.error(
            f"{self.column} has {self.what}: {self.n_values} in all, {where}", self.advice
        )


def listed_lines(lines: Iterable[Line], name: str = "line") -> str:
    """Return the numbers of lines for a sentence, those of each file together.

    Examples
    --------
    >>> listed_lines([Line(3), Line(5)])
    'lines 3 and 5'
    >>> listed_lines([Line(3, "a.csv"), Line(2, "b.csv")])
    'line 3 of a.csv and line 2 of b.csv'
    """
    said = []
    for file, group in groupby(lines, lambda line: line.file):
        numbers = [str(line.number) for line in group]
        plural = "s" * (len(numbers) > 1)
        said.append(f"{name}{plural} {several(numbers)}" + (f" of {file}" if file else ""))
    return several(said)


def raise_together(problems: Sequence[Problem | IsometricsError], source: Source) -> None:
    """Raise what is wrong with a file, if anything: broken lines first, then values."""
    broken = source.broken_lines()
    if not problems and not broken:
        return
    positions = {
        position
        for problem in problems
        if isinstance(problem, Problem)
        for position in problem.positions
    }
    lines = source.lines(sorted(positions)) if positions else {}
    raise together(
        broken
        + [
            problem.as_error(lines, source.line_name) if isinstance(problem, Problem) else problem
            for problem in problems
        ]
    )


def together(errors: Sequence[IsometricsError]) -> IsometricsError:
    """Return one error that says what all of them say; it has the class of the first one.

    Those about a parameter are left out where others are about the data.
    """
    about_data = [error for error in errors if error.parameter is None] or list(errors[:1])
    if len(about_data) == 1:
        return about_data[0]
    advice = {error.advice.template: error.advice.values for error in about_data if error.advice}
    return type(about_data[0])(
        "; ".join(error.problem for error in about_data),
        Advice("; ".join(advice), *chain.from_iterable(advice.values())) if advice else None,
    )
