"""The page as a widget in a notebook; needs anywidget."""

from __future__ import annotations

import math
from fractions import Fraction
from importlib.resources import files
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import numpy as np

from isometrics._core.parameters import check_beta, check_choice, parse_number
from isometrics._core.results import number, several
from isometrics.errors import MissingPackageError, ParameterError

try:
    import anywidget
    import traitlets
except ImportError as error:
    raise MissingPackageError(
        "isometrics.report.widget needs anywidget", "isometrics[widget]"
    ) from error

from isometrics.report.model import report_model, unpacked
from isometrics.report.picture import curves_image
from isometrics.report.summary import summary_html, verdict_lines

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from numpy.typing import NDArray

    from isometrics._core.arrays import Counts, Floats
    from isometrics._core.sample import Sample
    from isometrics.points import OperatingPoints
    from isometrics.report.groups import Groups
    from isometrics.report.model import BandLike
    from isometrics.verdict.verdict import Verdict

_STATIC = files("isometrics.report").joinpath("static")
_TIE = 1e-12


class _Setting(traitlets.TraitType[Any, Any]):
    """A value that the widget parses itself, so that its errors are those of the package."""

    def validate(self, obj: Any, value: object) -> Any:
        return obj._parse(self.name, value)


def _to_json(value: float | None, _widget: object) -> float | str | None:
    # JSON has no infinity, which is the threshold of the rule that flags nothing.
    return value if value is None or math.isfinite(value) else str(value)


def _from_json(value: float | str | None, _widget: object) -> float | None:
    return None if value is None else float(value)


class ReportWidget(anywidget.AnyWidget):
    """The interactive report inside a notebook.

    What the reader sets on the page can be read here, and what is set here moves the page. All
    four attributes are traitlets: `widget.observe(act, "threshold")` calls a function whenever the
    threshold changes.

    Parameters
    ----------
    models
        The operating points of one model or more, by name.
    title, description
        The title of the report, and where the data come from.
    bands
        Confidence bands of the curves, if there are any.
    verdict
        The verdict with which the page begins; or one for each class, by name.
    one_vs_rest
        Whether the models are the classes of one classifier, each against all others.
    groups
        What one rule does in each group of rows.
    rows
        The rows of all models, such as `Analysis.rows`, from which the page finds other verdicts.
    other_verdicts
        Verdicts for other settings, where the page does not have the rows.
    thresholds_from
        The same models on tuning data; what thresholds promised there is shown beside what they
        achieve here.

    Attributes
    ----------
    model
        The name of the model whose operating point is shown, at first the one with the highest F.
        Setting it, or `beta`, also sets `threshold` to the best one.
    threshold
        The threshold of the operating point: items with a score at or above it are positive. A
        value between two scores becomes the higher one, which flags the same items; of a table
        that is too long for the page, the next higher one that the page has. None gives the best
        one for `beta`, that of the tuning data if there is any, and is the value of points that
        have no threshold, such as sets.
    beta
        The β of the F-measure, at first that of the verdict or 1.
    data
        The data of the page, as `isometrics.report.model.report_model` returns it.

    Examples
    --------
    >>> import isometrics as iso
    >>> pts = iso.OperatingPoints.from_scores([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1])
    >>> widget = ReportWidget({"forest": pts})
    >>> widget
    ReportWidget(model='forest', threshold=0.7, beta=1)
    >>> widget.beta = 0.5
    >>> widget.threshold
    0.9
    >>> widget.threshold = 0.75
    >>> widget.threshold
    0.8
    """

    _esm = _STATIC.joinpath("widget.js").read_text(encoding="utf-8")
    _css = _STATIC.joinpath("widget.css").read_text(encoding="utf-8")
    data = traitlets.Dict().tag(sync=True)
    model = _Setting().tag(sync=True)
    threshold = _Setting().tag(sync=True, to_json=_to_json, from_json=_from_json)
    beta = _Setting().tag(sync=True, to_json=_to_json, from_json=_from_json)

    def __init__(
        self,
        models: Mapping[str, OperatingPoints],
        *,
        title: str | None = None,
        description: str | None = None,
        bands: Iterable[BandLike] = (),
        verdict: Verdict | Mapping[str, Verdict] | None = None,
        one_vs_rest: bool = False,
        groups: Groups | None = None,
        rows: Sample | None = None,
        other_verdicts: Iterable[Verdict] = (),
        thresholds_from: Mapping[str, OperatingPoints] | None = None,
    ) -> None:
        data: dict[str, Any] = report_model(
            models,
            title=title,
            description=description,
            bands=bands,
            verdict=verdict,
            one_vs_rest=one_vs_rest,
            groups=groups,
            rows=rows,
            other_verdicts=other_verdicts,
            thresholds_from=thresholds_from,
        )
        # What the page has just told; it needs no answer, and may lie on rows seen otherwise.
        self._told: dict[str, Any] = {}
        super().__init__(data=data)

    def __repr__(self) -> str:
        """Return the operating point that is shown."""
        return (
            f"ReportWidget(model={self.model!r}, threshold={self.threshold!r}, "
            f"beta={number(self.beta)})"
        )

    def set_state(self, sync_data: dict[str, Any]) -> None:
        """Take over what the reader set on the page."""
        self._told = dict(sync_data)
        for name in self._told.keys() & {"threshold", "beta"}:
            self._told[name] = _from_json(self._told[name], self)
        try:
            super().set_state(sync_data)
        finally:
            self._told = {}

    def _parse(self, name: str, value: object) -> Any:
        if name == "model":
            return check_choice(cast("str", value), "model", tuple(self._rows))
        if name == "beta":
            return check_beta(cast("float", value))
        rows = self._rows[self.model]
        if value is None:
            return rows.threshold(rows.best(self.beta))
        threshold = parse_number(value)
        if threshold is None or math.isnan(threshold):
            raise ParameterError(
                f"must be a number, or None for the best one, but is {value!r}",
                parameter="threshold",
            )
        if self._told.get("threshold") == threshold:
            return threshold
        if np.isnan(rows.thresholds).any():
            raise ParameterError(
                f"cannot be set: the points of {self.model!r} have no thresholds",
                parameter="threshold",
            )
        return rows.threshold(rows.row_at(threshold))

    @property
    def _rows(self) -> dict[str, _Rows]:
        return {model["name"]: _Rows.of(model) for model in self.data["models"]}

    @traitlets.observe("data")
    def _begin(self, _change: object) -> None:
        verdicts = self.data["verdicts"]
        beta = verdicts[0]["beta"] if verdicts else None
        rows = self._rows
        with self.hold_trait_notifications():
            self.beta = 1 if beta is None else float(beta)
            self.model = max(rows, key=lambda name: rows[name].best_f(self.beta))
            self.threshold = None

    @traitlets.observe("model", "beta")
    def _choose_best(self, change: Any) -> None:
        # The page tells its threshold, too, if that has changed.
        if self._told.get(change.name) != change.new:
            self.threshold = None

    def _repr_mimebundle_(self, **kwargs: Any) -> Any:
        bundle: Any = super()._repr_mimebundle_(**kwargs)
        names = [model["name"] for model in self.data["models"]]
        lines = verdict_lines(self.data) or [f"The report of {several(names)}."]
        # Where there is no kernel, in a notebook that was converted or is only read, these two
        # are all that is shown.
        bundle[0]["text/plain"] = "\n".join(lines)
        bundle[0]["text/html"] = f"{summary_html(self.data)}<p>{curves_image(self.data)}</p>"
        return bundle


class _Rows(NamedTuple):
    """The rows of a model that the page has."""

    thresholds: Floats
    tp: Counts
    fp: Counts
    positives: float
    tuning: _Rows | None = None
    """The rows of the tuning data, on which the best threshold is chosen if there is any."""

    @classmethod
    def of(cls, model: Mapping[str, Any]) -> _Rows:
        thresholds, tp, fp = (unpacked(model[name]) for name in ("thresholds", "tp", "fp"))
        tuning = cls.of(model["tuning"]) if "tuning" in model else None
        return cls(thresholds, tp, fp, model["positives"], tuning)

    def threshold(self, row: int) -> float | None:
        threshold = float(self.thresholds[row])
        return None if math.isnan(threshold) else threshold

    def row_at(self, threshold: float) -> int:
        return int(np.count_nonzero(self.thresholds >= threshold)) - 1

    def _f(self, beta: float) -> NDArray[np.float64]:
        """Return (1 + β²)tp/(tp + fp + β²P), and 0 for the empty rule; of β = ∞ the recall."""
        if beta == math.inf:
            return self.tp / self.positives
        predicted = self.tp + self.fp
        weight = float(beta) ** 2
        f = np.zeros(predicted.size)
        np.divide(
            (1 + weight) * self.tp,
            predicted + weight * self.positives,
            out=f,
            where=np.asarray(predicted > 0),
        )
        return f

    def best_f(self, beta: float) -> float:
        return float((self.tuning or self)._f(beta).max())

    def best(self, beta: float) -> int:
        """Return the row with the highest F; of equals the one with the fewest predictions."""
        if self.tuning is not None:
            return self.row_at(float(self.tuning.thresholds[self.tuning.best(beta)]))
        f = self._f(beta)
        weight = None if beta == math.inf else Fraction(beta) ** 2

        def exact(row: int) -> tuple[Fraction, Fraction]:
            tp, fp = (Fraction(counts[row].item()) for counts in (self.tp, self.fp))
            if weight is None:
                return tp, -tp - fp
            return (1 + weight) * tp / (tp + fp + weight * Fraction(self.positives)), -tp - fp

        # Only rows that rounding cannot tell apart are compared in exact arithmetic.
        candidates = np.flatnonzero((f >= f.max() * (1 - _TIE)) & (self.tp + self.fp > 0))
        return max(map(int, candidates), key=exact)
