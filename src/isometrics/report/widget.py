"""The page as a widget in a notebook; needs anywidget."""

from __future__ import annotations

import math
from importlib.resources import files
from typing import TYPE_CHECKING, Any, Unpack, cast

import numpy as np

from isometrics._core.parameters import check_beta, check_choice, parse_number
from isometrics._core.results import join_names, number
from isometrics.decisions.best import best_threshold
from isometrics.errors import MissingPackageError, ParameterError

try:
    import anywidget
    import traitlets
except ImportError as error:
    raise MissingPackageError(
        "isometrics.report.widget needs anywidget", "isometrics[widget]"
    ) from error

from isometrics.report.html import summary_html, verdict_lines
from isometrics.report.model import PageOptions, report_model, unpacked

if TYPE_CHECKING:
    from collections.abc import Mapping

    from isometrics.decisions.decision import Decision
    from isometrics.points import OperatingPoints

_STATIC = files("isometrics.report").joinpath("static")


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
    options
        What the report shows, as for `isometrics.report.report_html`.

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
        **options: Unpack[PageOptions],
    ) -> None:
        # What the page has just told; it needs no answer, and may lie on rows seen otherwise.
        self._told: dict[str, Any] = {}
        # The best rules are those of the tuning data, if there is any.
        self._rules = options.get("thresholds_from") or models
        data = report_model(models, **options)
        if not models:
            raise ParameterError("is empty; at least one model is needed", parameter="models")
        of_verdict = data["verdicts"][0]["beta"] if data["verdicts"] else None
        beta = 1.0 if of_verdict is None else float(of_verdict)
        leader = max(models, key=lambda name: self._best(name, beta).f)
        # In this order, since the best threshold depends on the others.
        super().__init__(data=data, beta=beta, model=leader, threshold=None)

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
            return check_choice(cast("str", value), "model", tuple(self._rules))
        if name == "beta":
            return check_beta(cast("float", value))
        if value is None:
            value = self._best(self.model, self.beta).threshold
            if math.isnan(value):
                return None
        threshold = parse_number(value)
        if threshold is None or math.isnan(threshold):
            raise ParameterError(
                f"must be a number, or None for the best one, but is {value!r}",
                parameter="threshold",
            )
        if self._told.get("threshold") == threshold:
            return threshold
        (model,) = (each for each in self.data["models"] if each["name"] == self.model)
        thresholds = unpacked(model["thresholds"])
        if np.isnan(thresholds).any():
            raise ParameterError(
                f"cannot be set: the points of {self.model!r} have no thresholds",
                parameter="threshold",
            )
        # The lowest score that flags the same items.
        return float(thresholds[np.count_nonzero(thresholds >= threshold) - 1])

    def _best(self, model: str, beta: float) -> Decision:
        return best_threshold(self._rules[model], beta=beta)

    @traitlets.observe("model", "beta")
    def _choose_best(self, change: Any) -> None:
        # The page tells its threshold, too, if that has changed.
        if self._told.get(change.name) != change.new:
            self.threshold = None

    def _repr_mimebundle_(self, **kwargs: Any) -> Any:
        bundle: Any = super()._repr_mimebundle_(**kwargs)
        lines = verdict_lines(self.data) or [f"The report of {join_names(list(self._rules))}."]
        # Where there is no kernel, in a notebook that was converted or is only read, these two
        # are all that is shown; `Analysis.plot` draws curves for it.
        bundle[0]["text/plain"] = "\n".join(lines)
        bundle[0]["text/html"] = summary_html(self.data)
        return bundle
