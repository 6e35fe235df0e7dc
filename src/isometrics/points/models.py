"""Several models by name: counted from samples, in memory or in a file, validated, on one scale."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np
from numpy.lib.format import read_array, write_array

from isometrics._core.arrays import SEVERAL_CLASSES
from isometrics._core.files import ScratchFolder, scratch_errors
from isometrics._core.results import join_names
from isometrics._core.score_arrays import class_name
from isometrics._table.building import table_of_sample
from isometrics._table.path import EVERYTHING, NOTHING
from isometrics._table.table import Gaps, Kind, Table
from isometrics.errors import FileError, OneClassError, ParameterError, system_reason
from isometrics.points.operating_points import OperatingPoints

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from isometrics._core.sample import Sample

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
            positives = int(np.count_nonzero(rows.labels))
            if 0 < positives < rows.size:
                found[group] |= count_models(rows)
            else:
                only = "positives" if positives else "negatives"
                found[group] |= dict.fromkeys(rows.scores, only)
            done += rows.size
            if progress is not None:
                progress(done, total)
    return group_tables(found)


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
        f"only {only}" if len(names) == len(models) else f"only {only} for {join_names(names)}"
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
        known = join_names(list(map(repr, models)))
        raise ParameterError(f"{owner} has no model {name!r}, only {known}")


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


# ---------------------------------------------------------------------- tables in a temporary file

BYTES_OF_AN_ENTRY = 600
"""The memory for the name of a group, and for where its table is, for each of its models. With 400,
1e5 groups of three models with weights took 345 MB under a limit of 300."""


V_co = TypeVar("V_co", covariant=True)


class LazyMapping(Mapping[str, V_co]):
    """A mapping that reads or computes a value each time it is asked for, and keeps none.

    Parameters
    ----------
    keys
        The keys, in their order.
    read
        Returns the value of a key.

    Examples
    --------
    >>> lengths = LazyMapping(["one", "three"], len)
    >>> lengths["three"], dict(lengths)
    (5, {'one': 3, 'three': 5})
    """

    def __init__(self, keys: Iterable[str], read: Callable[[str], V_co]) -> None:
        self._keys = dict.fromkeys(keys)
        self._read = read

    def __getitem__(self, key: str) -> V_co:
        """Read the value of a key."""
        if key not in self._keys:
            raise KeyError(key)
        return self._read(key)

    def __contains__(self, key: object) -> bool:
        """Tell whether there is a key, without reading its value."""
        return key in self._keys

    def __iter__(self) -> Iterator[str]:
        """Iterate over the keys."""
        return iter(self._keys)

    def __len__(self) -> int:
        """Return the number of keys."""
        return len(self._keys)

    def __eq__(self, other: object) -> bool:
        """Compare with another mapping, one value after another."""
        if not isinstance(other, Mapping):
            return NotImplemented
        return self._keys.keys() == other.keys() and all(self[key] == other[key] for key in self)

    __hash__ = None  # type: ignore[assignment]

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        """Copy and pickle all values: what they are read from may not be there any more."""
        return dict, (list(self.items()),)

    def __repr__(self) -> str:
        """Return the number of keys."""
        return f"<{len(self)} values that are read when they are asked for>"


class _TableFile(NamedTuple):
    """A file of tables, in a folder that lives as long as its readers."""

    folder: ScratchFolder
    offsets: dict[str, int]
    """Where the tables of each group begin."""

    @property
    def path(self) -> Path:
        return Path(self.folder.name, "tables.bin")

    def read(self, group: str) -> dict[str, OperatingPoints]:
        """Return the tables of a group."""
        try:
            with self.path.open("rb") as file:
                file.seek(self.offsets[group])
                names: list[str] = json.loads(file.readline())
                return {name: OperatingPoints(_read_table(file)) for name in names}
        except OSError as error:
            raise FileError(
                f"cannot read the tables of groups from {str(self.path)!r}: "
                f"{system_reason(error)}; read the predictions again"
            ) from error


def _write_table(file: IO[bytes], table: Table) -> None:
    """Write a line of what is no array, and the arrays."""
    gaps = table.gaps
    facts: dict[str, Any] = {
        "positives": table.positives,
        "negatives": table.negatives,
        "kind": table.kind.value,
        "has_below": table.below is not None,
        "gaps": gaps and [dict(gaps.known), gaps.has_hull, gaps.memory_limit],
    }
    file.write(json.dumps(facts).encode() + b"\n")
    between = None if gaps is None else gaps.between
    for column in (table.thresholds, table.tp, table.fp, table.below, between):
        if column is not None:
            write_array(file, column, allow_pickle=False)


def _read_table(file: IO[bytes]) -> Table:
    facts = json.loads(file.readline())
    thresholds, tp, fp = (read_array(file) for _ in range(3))
    return Table(
        thresholds,
        tp,
        fp,
        facts["positives"],
        facts["negatives"],
        Kind(facts["kind"]),
        below=read_array(file) if facts["has_below"] else None,
        gaps=facts["gaps"] and Gaps(read_array(file), *facts["gaps"]),
    )


def write_groups(
    groups: Iterable[tuple[str, Mapping[str, OperatingPoints | str]]], names: Iterable[str]
) -> tuple[GroupTables, int]:
    """Write the tables of one group after another; return them, and how many bytes they take.

    Of models without a table the only class is given, as for `group_tables`. Groups come in any
    order; `names` has theirs.
    """
    file = _TableFile(ScratchFolder(), {})
    reasons: dict[str, str] = {}
    try:
        with scratch_errors(file.folder.name, "the tables of groups"), file.path.open("wb") as out:
            for group, models in groups:
                counted, reason = separate(models)
                if counted:
                    file.offsets[group] = out.tell()
                    out.write(json.dumps(list(counted)).encode() + b"\n")
                    for points in counted.values():
                        _write_table(out, points.table)
                if reason:
                    reasons[group] = reason
            size = out.tell()
    except BaseException:
        file.folder.close()
        raise
    names = list(names)
    tables = LazyMapping([name for name in names if name in file.offsets], file.read)
    return GroupTables(tables, {name: reasons[name] for name in names if name in reasons}), size
