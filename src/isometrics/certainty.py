"""How sure the numbers and curves of several models are, from their rows or their tables."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from isometrics.errors import NotAnswerableError, UndefinedWarning
from isometrics.printing import several
from isometrics.progress import reporting
from isometrics.uncertainty.bootstrapping import DEFAULT_MEASURES, bootstrap
from isometrics.uncertainty.curve_replicates import bootstrap_curves

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from isometrics.aliases import Floats
    from isometrics.points import OperatingPoints
    from isometrics.samples import ModelSample
    from isometrics.uncertainty.bands import Band, CurveReplicates
    from isometrics.uncertainty.bootstrapping import Bootstrap
    from isometrics.uncertainty.measures import MeasureLike

REPLICATES_OF_CURVES = 500


class Intervals(NamedTuple):
    """The intervals of a summary."""

    all_rows: Bootstrap
    ends: dict[tuple[str, str], Floats]
    """By group and model, the lower and the upper ends of the intervals of all measures."""
    notes: tuple[str, ...]
    """What needs saying about the intervals of groups."""


class Evidence(NamedTuple):
    """What models are resampled from: their rows where they are known, else one table."""

    models: Mapping[str, OperatingPoints]
    rows: ModelSample | None
    prevalence: float | None
    """The prevalence to look at every replicate at."""
    without_rows: str
    """Why the rows are not known, where they are not; empty where one table tells all of them."""

    def numbers(
        self, measures: MeasureLike | Iterable[MeasureLike] = DEFAULT_MEASURES, **options: Any
    ) -> Bootstrap:
        """Return measures with intervals; models are compared on the same replicates."""
        given, beside = self._given(options)
        return bootstrap(*given, measures=measures, **beside)

    def curves(self, space: str, **options: Any) -> CurveReplicates:
        """Return the curves of replicates in a space."""
        given, beside = self._given({"n_resamples": REPLICATES_OF_CURVES} | options)
        return bootstrap_curves(*given, space=space, **beside)

    def bands(self, space: str, **options: Any) -> list[Band]:
        """Return a pointwise band of each model in a space."""
        curves = self.curves(space, **options)
        return [curves.band(name) for name in curves.models]

    def _given(self, options: dict[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
        beside = {"prevalence": self.prevalence} | options
        if beside.pop("clustered", False):
            beside["groups"] = self._clusters()
        if self.rows is None:
            return (self._one_table(),), beside
        beside["sample_weight"] = self.rows.weights
        return (self.rows.labels, self.rows.scores), beside

    def _one_table(self) -> OperatingPoints:
        (first, *others) = self.models.values()
        if others:
            raise NotAnswerableError(
                "models are compared on the same rows, which this analysis does not have: "
                f"{self.without_rows}"
            )
        return first

    def _clusters(self) -> Any:
        rows = self.rows
        if rows is None and self.without_rows:
            raise NotAnswerableError(
                "clustered=True draws groups of rows, which this analysis does not have: "
                f"{self.without_rows}"
            )
        if rows is None or not rows.groups:
            raise NotAnswerableError("clustered=True needs groups, and this analysis has none")
        codes = np.empty(rows.labels.size, np.intp)
        for code, places in enumerate(rows.groups.values()):
            codes[places] = code
        return codes


def intervals_of(
    all_rows: Evidence, groups: Mapping[str, Evidence], *, progress: Any = None, **options: Any
) -> Intervals:
    """Return the intervals over all rows, and of each group those from its own rows.

    What small groups leave undefined is said in a note: a warning for each would bury the others.
    """
    ends: dict[tuple[str, str], Floats] = {}
    incomplete, undefined = [], []
    if options.get("clustered") and groups:
        groups, notes = {}, ["Groups have no intervals: clustered=True draws each as a whole."]
    else:
        notes = ["The intervals of a group come from its own rows."] if groups else []
    with reporting(progress) as report:

        def told(place: int) -> Any:
            if report is None:
                return None
            runs = 1 + len(groups)
            return lambda done, total: report(place * total + done, runs * total)

        found = all_rows.numbers(progress=told(0), **options)
        for place, (group, evidence) in enumerate(groups.items(), 1):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", UndefinedWarning)
                sure = evidence.numbers(progress=told(place), **options)
            if sure.undefined.any():
                incomplete.append(group)
            # A model that is alone has no name there.
            for row, model in enumerate(evidence.models):
                ends[group, model] = np.array([sure.lower[row], sure.upper[row]])
                if np.isnan(ends[group, model]).any():
                    undefined.append(f"{model} in {group}")
    if incomplete:
        notes.append(
            f"Some replicates of groups lack a class and are left out ({several(incomplete)})."
        )
    if undefined:
        notes.append(
            f"Intervals undefined ({several(undefined)}): too few different replicates to tell."
        )
    return Intervals(found, ends, tuple(notes))
