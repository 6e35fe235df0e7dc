"""Where the scores of a model come from, which a decision keeps for those who apply it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from isometrics._core.arrays import plain
from isometrics.decisions.decision import Decision, fingerprint_of
from isometrics.points.models import count_models

if TYPE_CHECKING:
    from collections.abc import Iterable

    from isometrics._core.sample import Sample
    from isometrics.points import OperatingPoints
    from isometrics.sources.columns import Layout


class Origin(NamedTuple):
    """The columns of a model, and the label of its positives."""

    scores: str | None = None
    """The column of scores; None if the scores did not come from a table."""
    model_column: str | None = None
    """The column that names the model of each row; None if each model has its own scores."""
    pos_label: object = None
    """The label of the positive class; None if it is 1 or true."""


def origins_of(layout: Layout, models: Iterable[str]) -> dict[str, Origin]:
    """Return the origins of models that were read from a table."""
    shared = next(iter(layout.scores.values()))
    return {
        name: Origin(
            shared if layout.model is not None else layout.scores[name],
            layout.model,
            layout.classes.get(name, layout.pos_label),
        )
        for name in models
    }


def with_origin(
    decision: Decision, model: str, origin: Origin, counted: OperatingPoints, rows: Sample | None
) -> Decision:
    """Return a decision that names its model, the columns of that, and its data.

    `counted` are the points as they were counted, whatever prevalence they were moved to. Where
    they lack some, the rows are counted again, if they are known.
    """
    if rows is not None and not counted.table.complete:
        counted = count_models(rows.of_model(model))[model]
    label = plain(origin.pos_label)
    known = label is None or isinstance(label, bool | int | float | str)
    return replace(
        decision,
        model=model,
        scores=origin.scores,
        model_column=origin.model_column,
        pos_label=label if known else str(label),
        fingerprint=fingerprint_of(counted.table),
    )
