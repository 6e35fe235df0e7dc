"""Analysis: several models on one set of labels, with groups, from the data to an answer."""

from __future__ import annotations

from dataclasses import dataclass, field
from html import escape
from typing import TYPE_CHECKING, Any

from isometrics.best_rows import ALL_ROWS, Entry, Thresholds, thresholds_of
from isometrics.compare import Comparison, compare
from isometrics.errors import ParameterError
from isometrics.models import named_models
from isometrics.parameters import clean_betas, clean_choice
from isometrics.points import OperatingPoints
from isometrics.printing import several
from isometrics.samples import ModelSample, clean_model_sample
from isometrics.summary import Summary, f_name, summary_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from os import PathLike
    from pathlib import Path

    from numpy.typing import ArrayLike

    from isometrics.indices import WeightedIndex
    from isometrics.spaces.density import DensityLike

BETAS = (0.5, 1.0, 2.0)
SPACES = ("roc", "pr", "prg", "tradeoff", "all")


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Analysis:
    """Several models on one set of labels, over all rows and group by group.

    Make one with `analyse`, or of tables you have.

    Attributes
    ----------
    models
        The operating points of each model over all rows.
    groups
        The same for each group, where there are groups.
    skipped
        The groups that have no table, and why.
    description
        Where the data came from, and how it was read.

    Examples
    --------
    >>> import isometrics as iso
    >>> totals = {"positives": 10, "negatives": 30}
    >>> careful = iso.OperatingPoints.from_counts([4, 6], [0, 8], **totals)
    >>> bold = iso.OperatingPoints.from_counts([4, 10], [4, 12], **totals)
    >>> analysis = iso.Analysis({"careful": careful, "bold": bold})
    >>> print(analysis.compare().sentence())
    By f-measure, careful is better for λ < 0.44, bold above.
    """

    models: dict[str, OperatingPoints]
    groups: dict[str, dict[str, OperatingPoints]] = field(default_factory=dict)
    skipped: dict[str, str] = field(default_factory=dict)
    description: str = ""

    def __post_init__(self) -> None:
        """Check the tables and their names."""
        if not named_models(self.models):
            raise ParameterError("models is empty; an analysis needs one model or more")
        for group, models in self.groups.items():
            named_models(models)
            if not isinstance(group, str) or group == ALL_ROWS:
                raise ParameterError(
                    f"the name of a group must be a text other than {ALL_ROWS!r} but is {group!r}"
                )

    def summary(self, *, beta: float | Iterable[float] = BETAS, by_group: bool = True) -> Summary:
        """Return all areas with their baselines, and the best thresholds, of each model.

        Parameters
        ----------
        beta
            The β for which the best threshold is wanted, one or several.
        by_group
            Add a row for each model in each group.

        Examples
        --------
        >>> import isometrics as iso
        >>> labels, scores = [1, 0, 1, 0, 0, 1], [0.9, 0.2, 0.8, 0.4, 0.6, 0.5]
        >>> iso.analyse(labels, scores, groups=list("nnnsss")).summary(beta=1)
        Summary: 2 groups
        group       model  positives  prevalence     AUROC      AUPR     AUPRG   best F1  threshold
        (all rows)  score          3         0.5  0.888889  0.904106  0.791667  0.857143        0.5
        n           score          2    0.666667         1         1         1         1        0.8
        s           score          1    0.333333       0.5  0.306853         0  0.666667        0.5
        """
        skipped = self.skipped if by_group else {}
        return summary_of(list(self._entries(by_group)), _betas(beta), skipped)

    def thresholds(
        self, *, beta: float | Iterable[float] = BETAS, by_group: bool = True
    ) -> Thresholds:
        """Return the threshold with the highest F_β of each model, and how far it stays best.

        Parameters
        ----------
        beta
            One β or several.
        by_group
            Add rows for each model in each group.

        Examples
        --------
        >>> import isometrics as iso
        >>> labels, scores = [1, 0, 1, 0, 0, 1], [0.9, 0.2, 0.8, 0.4, 0.6, 0.3]
        >>> iso.analyse(labels, scores).thresholds()
        Thresholds: best for F with β 0.5, 1 and 2
        model  beta  threshold  tp  fp  precision    recall         f  beta_lo  beta_hi
        score   0.5        0.8   2   0          1  0.666667  0.909091        0   1.1547
        score     1        0.8   2   0          1  0.666667       0.8        0   1.1547
        score     2        0.3   3   2        0.6         1  0.882353   1.1547      inf
        """
        return thresholds_of(self._entries(by_group), _betas(beta))

    def compare(
        self, index: str | WeightedIndex = "f-measure", *, density: DensityLike = None
    ) -> Comparison:
        """Say which model is best for every weight of recall, over all rows; see `compare`."""
        return compare(self.models, index, density=density)

    def plot(
        self, space: str = "pr", axes: Any = None, *, group: str | None = None, **options: Any
    ) -> Any:
        """Draw the models with matplotlib.

        Parameters
        ----------
        space
            ``"roc"``, ``"pr"``, ``"prg"``, ``"tradeoff"`` or ``"all"``.
        axes
            The axes to draw on; four of them for ``"all"``. By default a new figure is made.
        group
            Draw the tables of this group; by default those of all rows.
        options
            Options of the function of that name in `isometrics.plot`; for ``"all"`` those of
            `isometrics.plot.overview`.

        Returns
        -------
        matplotlib.axes.Axes
            The axes; for ``"all"`` the array of four that `isometrics.plot.overview` returns.
        """
        clean_choice(space, "space", SPACES)
        models = self.models if group is None else self._group(group)

        from isometrics.plot.overview import draw_space, overview

        if space == "all":
            return overview(models, axes, **options)
        return draw_space(space, models, axes, **options)

    def report(self, path: str | PathLike[str], *, title: str | None = None) -> Path:
        """Write one self-contained page about the models over all rows, and return its path.

        Parameters
        ----------
        path
            The file to write.
        title
            The title of the page.
        """
        from isometrics.report import write_report

        written: Path = write_report(
            self.models, path, title=title, description=self.description or None
        )
        return written

    def __repr__(self) -> str:
        """Return the summary over all rows, below what is known of the data."""
        lines = [self._title(), *self.description.splitlines(), repr(self.summary(by_group=False))]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        """Return the same for notebooks."""
        lines = [self._title(), *self.description.splitlines()]
        said = "".join(f"<p>{escape(line)}</p>" for line in lines)
        return said + self.summary(by_group=False)._repr_html_()

    def _title(self) -> str:
        counted = {"model": len(self.models), "group": len(self.groups)}
        said = [f"{size} {what}{'s' * (size > 1)}" for what, size in counted.items() if size]
        if self.skipped:
            said.append(f"{len(self.skipped)} left out")
        return f"Analysis: {', '.join(said)}"

    def _entries(self, by_group: bool) -> Iterator[Entry]:
        for group, models in ({ALL_ROWS: self.models} | (self.groups if by_group else {})).items():
            for name, points in models.items():
                yield Entry(name, group, points)

    def _group(self, name: str) -> dict[str, OperatingPoints]:
        if name in self.skipped:
            raise ParameterError(f"group {name!r} has no table: {self.skipped[name]}")
        return self.groups[clean_choice(name, "group", tuple(self.groups))]


def analyse(
    y_true: ArrayLike,
    scores: object,
    *,
    sample_weight: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    pos_label: object = None,
) -> Analysis:
    """Count the operating points of several models on one set of labels.

    Parameters
    ----------
    y_true
        Labels: booleans, 0/1, -1/+1, or any two values with `pos_label`.
    scores
        The scores of each model by name, higher meaning more likely positive; a data frame with
        a column for each model; or the scores of one model, which is then called ``"score"``.
    sample_weight
        Weights ≥ 0; a row of weight 0 is absent.
    groups
        The group of each row, such as its fold, site or query. A group with one class only has
        no table; `Analysis.skipped` says so.
    pos_label
        The label of the positive class.

    Examples
    --------
    >>> import isometrics as iso
    >>> labels = [1, 0, 1, 1, 0, 0, 1, 0]
    >>> scores = {"A": [8, 7, 6, 5, 4, 3, 2, 1], "B": [5, 1, 7, 8, 2, 6, 4, 3]}
    >>> analysis = iso.analyse(labels, scores, groups=list("nnnnssss"))
    >>> print(analysis.compare().sentence())
    By f-measure, B is better for every λ.
    >>> analysis.groups["n"]["A"].positives
    3
    """
    sample = clean_model_sample(y_true, scores, sample_weight, groups, pos_label)
    models = sample.tables()
    tables, skipped = sample.tables_by_group()
    return Analysis(models, tables, skipped, _description(sample, skipped))


def _description(sample: ModelSample, skipped: Mapping[str, str]) -> str:
    """Say what was counted: rows, groups, and groups that could not be."""
    said = f"{sample.labels.size} rows{' with weights' * (sample.weights is not None)}"
    if sample.groups:
        said += f"; groups: {several(list(sample.groups))}"
    if skipped:
        reasons = [f"{group} ({reason})" for group, reason in skipped.items()]
        said += f"; left out: {several(reasons)}"
    return said


def _betas(beta: float | Iterable[float]) -> tuple[float, ...]:
    """Check one β or several; columns are named after them, so they must differ in print."""
    betas = clean_betas([beta] if isinstance(beta, int | float) else beta)
    if len(set(map(f_name, betas))) < len(betas):
        raise ParameterError(f"beta must have values that differ in six digits but is {beta!r}")
    return betas
