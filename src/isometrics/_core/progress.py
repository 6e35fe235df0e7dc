"""How far a computation is: told to a function of the user, or shown as a bar."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from isometrics.errors import ParameterError, require

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import TypeAlias

    ProgressLike: TypeAlias = bool | Callable[[int, int], None] | None


@contextmanager
def reporting(
    progress: ProgressLike, what: str = "replicates"
) -> Iterator[Callable[[int, int], None] | None]:
    """Give a function to call with what is done and its total: None, a user's own, or a bar's."""
    if progress is None or progress is False:
        yield None
    elif progress is True:
        require("progress=True", "rich")
        from rich.progress import Progress

        with Progress() as bar:
            task = bar.add_task(what, total=None)
            yield lambda done, total: bar.update(task, completed=done, total=total)
    elif callable(progress):
        yield progress
    else:
        raise ParameterError(
            f"must be True, False or a function but is {progress!r}", parameter="progress"
        )


def part_of_progress(
    report: Callable[[int, int], None] | None, part: int, parts: int
) -> Callable[[int, int], None] | None:
    """Give a function for one of several parts of the work, which are taken to be equally long."""
    if report is None:
        return None
    return lambda done, total: report(part * total + done, parts * total)
