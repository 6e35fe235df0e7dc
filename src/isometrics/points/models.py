"""Several models by name: counted from one sample, validated, and put on one scale."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from isometrics._core.arrays import SEVERAL_CLASSES
from isometrics._core.class_scores import class_name
from isometrics._core.results import several
from isometrics._table.building import table_of_sample
from isometrics._table.hull import EVERYTHING, NOTHING
from isometrics.errors import OneClassError, ParameterError
from isometrics.points.operating_points import OperatingPoints

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from isometrics._core.sample import Sample
    from isometrics._table.table import Table

    Progress = Callable[[int, int | None], None]

ROUNDING = 1e-12
"""Sums of weights that were added in another order differ by less than this, as rates."""


class GroupTables(NamedTuple):
    """The tables of groups, which are sorted by value."""

    groups: Mapping[str, dict[str, OperatingPoints]]
    """The tables by group and model."""
    skipped: dict[str, str]
    """The groups in which models have no table, and why."""


def count_models(sample: Sample) -> dict[str, OperatingPoints]:
    """Return the operating points of each model of a sample."""
    return {name: OperatingPoints(table_of_sample(sample.of_model(name))) for name in sample.scores}


class ClassTables(NamedTuple):
    """The tables of classes, and why some have none."""

    models: dict[str, OperatingPoints]
    skipped: dict[str, str]


def count_classes(samples: dict[object, Sample]) -> ClassTables:
    """Return the table of each class; a class in which all rows are alike has none."""
    models: dict[str, OperatingPoints] = {}
    skipped: dict[str, str] = {}
    for label, sample in samples.items():
        positives = int(np.count_nonzero(sample.labels))
        if 0 < positives < sample.size:
            models |= count_models(sample)
        else:
            skipped[class_name(label)] = f"{'every' if positives else 'no'} row has this class"
    if not models:
        reasons = [f"{name} ({why})" for name, why in skipped.items()]
        raise OneClassError(
            f"no class has both rows that belong to it and rows that do not: {', '.join(reasons)}"
        )
    return ClassTables(models, skipped)


def count_groups(samples: Sequence[Sample], progress: Progress | None = None) -> GroupTables:
    """Return the tables by group and model, and why some groups have none.

    Each sample has models of its own; all have the same groups. `progress` is called with the rows
    that were counted and the number of all rows.
    """
    done, total = 0, sum(sample.size for sample in samples)
    found: dict[str, dict[str, OperatingPoints | str]] = {}
    for sample in samples:
        if sample.groups is not None:
            for group in sample.groups.names.in_order()[0]:
                found.setdefault(group, {})
        for group, rows in sample.split_by_group().items():
            found[group] |= count_group(rows)
            done += rows.size
            if progress is not None:
                progress(done, total)
    return group_tables(found)


def count_group(rows: Sample) -> dict[str, OperatingPoints | str]:
    """Return the table of each model in the rows of a group, or the only class that is there."""
    positives = int(np.count_nonzero(rows.labels))
    if 0 < positives < rows.size:
        return dict(count_models(rows))
    return dict.fromkeys(rows.scores, "positives" if positives else "negatives")


def group_tables(found: Mapping[str, Mapping[str, OperatingPoints | str]]) -> GroupTables:
    """Separate tables from models that have none, of which the only class is given."""
    groups: dict[str, dict[str, OperatingPoints]] = {}
    skipped: dict[str, str] = {}
    for group, models in found.items():
        counted, reason = separate(models)
        if counted:
            groups[group] = counted
        if reason:
            skipped[group] = reason
    return GroupTables(groups, skipped)


def separate(
    models: Mapping[str, OperatingPoints | str],
) -> tuple[dict[str, OperatingPoints], str]:
    """Return the tables of a group, and why models have none, of which the only class is given."""
    counted = {name: each for name, each in models.items() if not isinstance(each, str)}
    one_class: dict[str, list[str]] = {}
    for name, each in models.items():
        if isinstance(each, str):
            one_class.setdefault(each, []).append(name)
    reasons = [
        f"only {only}" if len(names) == len(models) else f"only {only} for {several(names)}"
        for only, names in one_class.items()
    ]
    return counted, "; ".join(reasons)


def check_points(points: object, parameter: str) -> OperatingPoints:
    """Check that these are operating points, and not the rows they are made of."""
    if not isinstance(points, OperatingPoints):
        raise ParameterError(
            f"must be OperatingPoints but is {type(points).__name__}; make them with "
            f"OperatingPoints.from_scores(y_true, y_score); {SEVERAL_CLASSES}",
            parameter=parameter,
        )
    return points


def parse_models(models: object) -> dict[str, OperatingPoints]:
    """Check that these are two or more models by name."""
    named = named_models(models)
    if len(named) < 2:
        raise ParameterError(f"a comparison needs two models or more but got {len(named)}")
    return named


def named_models(models: object) -> dict[str, OperatingPoints]:
    """Check that these are models by name."""
    if not isinstance(models, Mapping):
        raise ParameterError(
            f"must be a mapping of names to OperatingPoints but is {type(models).__name__}; write "
            "{'A': pts_a, 'B': pts_b}",
            parameter="models",
        )
    for name, points in models.items():
        if not isinstance(name, str):
            raise ParameterError(f"the name of a model must be a text but is {name!r}")
        if name in (NOTHING, EVERYTHING):
            raise ParameterError(f"a model cannot be called {name!r}: that is a trivial set")
        if not isinstance(points, OperatingPoints):
            raise ParameterError(
                f"models[{name!r}] must be OperatingPoints but is {type(points).__name__}"
            )
    return dict(models)


def check_has_model(owner: str, models: Collection[str], name: str) -> None:
    """Refuse the name of a model that its owner, such as the tuning data, does not have."""
    if name not in models:
        known = several(list(map(repr, models)))
        raise ParameterError(f"{owner} has no model {name!r}, only {known}")


def check_one_prevalence(models: Mapping[str, OperatingPoints]) -> None:
    """Refuse models whose precisions cannot be compared, because their prevalences differ."""
    first, *others = models
    for name in others:
        if not same_prevalence(models[first].table, models[name].table):
            raise ParameterError(
                f"{first!r} has prevalence {models[first].prevalence:.6g} but {name!r} has "
                f"{models[name].prevalence:.6g}; bring them to one with at_prevalence()"
            )


def same_prevalence(one: Table, other: Table) -> bool:
    """Tell whether precision depends on the rates in the same way, but for rounding."""
    if is_whole(one) and is_whole(other):
        return one.positives * other.negatives == other.positives * one.negatives
    return math.isclose(one.odds, other.odds, rel_tol=ROUNDING)


def is_whole(table: Table) -> bool:
    """Tell whether all counts are whole numbers, so that comparisons can be exact."""
    totals = (table.positives, table.negatives)
    return table.tp.dtype.kind == table.fp.dtype.kind == "i" and all(
        isinstance(total, int) for total in totals
    )
