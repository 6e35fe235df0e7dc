"""Analysis: several models on one set of labels, with groups, from the data to an answer."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from html import escape
from typing import TYPE_CHECKING, Any, TypeVar, Unpack

import numpy as np

from isometrics._core.parameters import (
    check_choice,
    check_options,
    check_prevalence,
    parse_betas,
    part_of_progress,
    reporting,
)
from isometrics._core.results import Value, join_names, number
from isometrics._core.sample import Sample
from isometrics.analysis.verdicts import (
    CheckOptions,
    VerdictOptions,
    check_clusters,
    judging_options,
    objective_options,
    verdict_on,
    with_origin,
)
from isometrics.decisions.best import best_threshold
from isometrics.decisions.objective import (
    BETAS,
    ObjectiveOptions,
    parse_f_objectives,
    parse_objective,
)
from isometrics.decisions.thresholds import ALL_ROWS, Entry, Thresholds, batches_of, thresholds_of
from isometrics.errors import Advice, NotAnswerableError, ParameterError
from isometrics.points import OperatingPoints
from isometrics.points.models import LazyMapping, named_models
from isometrics.verdict.judge import rows_of_table
from isometrics.verdict.verdict import Verdict

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from os import PathLike
    from pathlib import Path

    from numpy.typing import ArrayLike

    from isometrics._core.parameters import ProgressLike
    from isometrics.analysis.page import ReportOptions
    from isometrics.analysis.summary import Summary
    from isometrics.analysis.threshold_check import ThresholdCheck
    from isometrics.comparison import Comparison
    from isometrics.decisions.decision import Decision, Origin
    from isometrics.measures import MeasureLike
    from isometrics.plot.spaces import PlotOptions
    from isometrics.sources.tables import Pass
    from isometrics.spaces.indices import WeightedIndex
    from isometrics.spaces.tradeoff import DensityLike
    from isometrics.uncertainty.bands import Band
    from isometrics.uncertainty.bootstrap import Bootstrap, BootstrapOptions
    from isometrics.uncertainty.resampling import DrawingOptions, ResampledRows

T = TypeVar("T")
SPACES = ("roc", "pr", "prg", "tradeoff", "all")
ONE_MODEL = "score"
"""The name of a model that was given without one."""
REPLICATES_OF_CURVES = 500


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Analysis(Value):
    """Several models on one set of labels, over all rows and group by group.

    Make one with `analyse`, or of tables you have.

    Attributes
    ----------
    models
        The operating points of each model over all rows.
    groups
        The same for each group, where there are groups. Where they are too many for the memory,
        a group is read from a temporary file each time it is asked for.
    skipped
        The groups that have no table, and why.
    description
        Where the data came from, and how it was read.
    rows
        The rows themselves, where they are known; intervals of several models need them.
    prevalence
        The prevalence that the tables were moved to, by `at_prevalence`; None is their own.
    counted
        The analysis at the prevalence of its data, where `at_prevalence` moved it.
    without_rows
        Why the rows are not known, where they are not.
    one_vs_rest
        Whether the models are the classes of one classifier, each against all others.
    origins
        The columns and the positive label of each model, where they are known.
    class_rows
        The rows of each class, where the models are classes and the rows are known.
    source
        The file or table that was read; empty for data in memory.
    passes
        What each pass over the rows has read, shuffled and collected; `explain` prints it.

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
    groups: Mapping[str, dict[str, OperatingPoints]] = field(default_factory=dict)
    skipped: dict[str, str] = field(default_factory=dict)
    description: str = ""
    rows: Sample | None = None
    prevalence: float | None = None
    counted: Analysis | None = None
    without_rows: str = "it was made of tables; make it with analyse or read_predictions"
    one_vs_rest: bool = False
    origins: dict[str, Origin] = field(default_factory=dict)
    class_rows: dict[str, Sample] = field(default_factory=dict)
    source: str = ""
    passes: tuple[Pass, ...] = field(default=(), compare=False)
    # What the command gives hints about; the same facts stand in words above.
    _guessed_group: str | None = field(default=None, compare=False)
    _more_rows_than_asked: bool = field(default=False, compare=False)

    def __post_init__(self) -> None:
        """Check the tables and their names."""
        if not named_models(self.models):
            raise ParameterError("models is empty; an analysis needs one model or more")
        for group in self.groups:
            if not isinstance(self.groups, LazyMapping):
                named_models(self.groups[group])
            if not isinstance(group, str) or group == ALL_ROWS:
                raise ParameterError(
                    f"the name of a group must be a text other than {ALL_ROWS!r} but is {group!r}"
                )

    @classmethod
    def of_folds(cls, folds: Mapping[str, OperatingPoints], *, name: str = ONE_MODEL) -> Analysis:
        """Join the test rows of one model's folds, which become the groups.

        Parameters
        ----------
        folds
            The operating points of each fold, as `isometrics.integrations.sklearn.points_per_fold`
            returns them; ``verdict(folds=True)`` then judges choices on the folds left out.
        name
            What the model is called.

        Examples
        --------
        >>> import isometrics as iso
        >>> labels, scores = [1, 0, 1, 1, 0, 0, 1, 0] * 20, [8, 7, 6, 5, 4, 3, 2, 1] * 20
        >>> fold = iso.OperatingPoints.from_scores(labels, scores)
        >>> analysis = iso.Analysis.of_folds({"first": fold, "second": fold})
        >>> round(analysis.verdict(folds=True, n_resamples=200).expected, 3)
        0.746
        """
        rows = {fold: rows_of_table(name, points) for fold, points in folds.items()}
        samples = [sample for sample in rows.values() if sample is not None]
        if not samples or len(samples) < len(rows):
            raise NotAnswerableError(
                "folds must be complete tables of whole rows; make them with "
                "OperatingPoints.from_scores, without weights"
            )
        from isometrics.analysis.reading import analyse

        joined = Sample.joined(samples)
        return analyse(
            joined.labels,
            joined.scores,
            groups=np.repeat(list(rows), [sample.size for sample in samples]),
        )

    def summary(
        self,
        *,
        beta: float | Iterable[float] = BETAS,
        by_group: bool = True,
        confidence_level: float | None = None,
        progress: ProgressLike = None,
        **options: Unpack[BootstrapOptions],
    ) -> Summary:
        """Return all areas with their baselines, and the best thresholds, of each model.

        Parameters
        ----------
        beta
            The β for which the best threshold is wanted, one or several.
        by_group
            Add a row for each model in each group.
        confidence_level
            Add confidence intervals of AUROC, AUPR and AUPRG, for example 0.95: over all rows, and
            of each group from its own rows.
        progress
            True for a progress bar, or a function that is told what is done and the total: groups,
            and replicates where there are intervals.
        options
            Options of `Analysis.bootstrap`, from which the intervals come. With ``clusters=True``,
            which draws whole groups, groups have no intervals of their own.

        Examples
        --------
        >>> import isometrics as iso
        >>> labels, scores = [1, 0, 1, 0, 0, 1], [0.9, 0.2, 0.8, 0.4, 0.6, 0.5]
        >>> iso.analyse(labels, scores, groups=list("nnnsss")).summary(beta=1)
        Summary: 2 groups
        group       model  positives  prevalence     AUROC      AUPR     AUPRG   F (β 1)  threshold
        (all rows)  score          3         0.5  0.888889  0.904106  0.791667  0.857143        0.5
        n           score          2    0.666667         1         1         1         1        0.8
        s           score          1    0.333333       0.5  0.306853         0  0.666667        0.5
        """
        from isometrics.analysis.summary import summary_of
        from isometrics.uncertainty.bootstrap import BootstrapOptions

        check_options(self.summary, options, BootstrapOptions.__annotations__)
        refuse_without_intervals(options, confidence_level)
        return summary_of(
            self,
            _betas(beta),
            by_group=by_group,
            confidence_level=confidence_level,
            progress=progress,
            options=options,
        )

    def thresholds(
        self,
        *,
        beta: float | Iterable[float] | None = None,
        min_precision: float | None = None,
        min_recall: float | None = None,
        max_fpr: float | None = None,
        min_specificity: float | None = None,
        budget: float | None = None,
        by_group: bool = True,
    ) -> Thresholds:
        """Return the threshold with the highest F_β of each model, and how far it stays best.

        Parameters
        ----------
        beta
            One β or several, by default 0.5, 1 and 2; under constraints the β of what they leave
            free: 0, precision, for `min_recall`, 1 for that with `min_precision`, and infinity,
            recall, for the others.
        min_precision, min_recall, max_fpr, min_specificity, budget
            Look only among the rules that reach this precision, this recall, this specificity,
            have at most this false positive rate, or flag at most so many rows of the model's
            table. Where none does, the row is NaN, with a warning.
        by_group
            Add rows for each model in each group.

        Examples
        --------
        >>> import isometrics as iso
        >>> labels, scores = [1, 0, 1, 0, 0, 1], [0.9, 0.2, 0.8, 0.4, 0.6, 0.3]
        >>> iso.analyse(labels, scores).thresholds()
        Thresholds: best on these rows for F with β 0.5, 1 and 2
        model  beta  threshold  tp  fp  precision    recall         f  beta_lo  beta_hi
        score   0.5        0.8   2   0          1  0.666667  0.909091        0   1.1547
        score     1        0.8   2   0          1  0.666667       0.8        0   1.1547
        score     2        0.3   3   2        0.6         1  0.882353   1.1547      inf
        """
        constraints = {
            "min_precision": min_precision,
            "min_recall": min_recall,
            "max_fpr": max_fpr,
            "min_specificity": min_specificity,
            "budget": budget,
        }
        betas = None if beta is None else _betas(beta)
        return thresholds_of(
            batches_of(self._entries(by_group)), parse_f_objectives(betas, constraints)
        )

    def at(
        self,
        threshold: ArrayLike,
        *,
        thresholds_from: Analysis | None = None,
        by_group: bool = True,
        confidence_level: float | None = 0.95,
        **options: Unpack[CheckOptions],
    ) -> ThresholdCheck:
        """Say what your present threshold does, beside the best one, with intervals.

        Parameters
        ----------
        threshold
            The present threshold, or several: scores from there on are flagged.
        thresholds_from
            Choose the best threshold on this other analysis, of tuning data; it then needs no
            correction, and there are no groups.
        by_group
            Add rows for each model in each group.
        confidence_level
            The confidence of the intervals; None leaves them out.
        options
            What the best threshold is best for, and what it must keep, as for `best_threshold`, by
            default F₁: ``beta``, ``cost``, ``miss_cost`` and ``false_alarm_cost``, ``objective``,
            ``index`` and ``lam``, ``min_precision``, ``min_recall``, ``max_fpr``,
            ``min_specificity``, ``budget``. And how the rows
            are drawn again, as for `verdict`: ``clusters``, with which groups have no intervals of
            their own, ``n_resamples``, ``random_state``, ``n_jobs``, ``kernel``, ``progress``.

        Examples
        --------
        >>> import numpy as np
        >>> import isometrics as iso
        >>> labels = np.arange(600) < 150
        >>> scores = np.random.default_rng(5).normal(1.8 * labels)
        >>> check = iso.analyse(labels, scores).at(0.5)
        >>> check.rules, check.tp.tolist()
        (('given', 'best'), [141, 108])
        """
        from isometrics.analysis.threshold_check import check_thresholds, parse_given

        check_options(self.at, options, CheckOptions.__annotations__)
        level = {"confidence_level": confidence_level}
        return check_thresholds(
            self,
            parse_given(threshold),
            parse_objective(**objective_options(options)),
            None if confidence_level is None else judging_options({**options, **level}),
            by_group=by_group,
            tuning=thresholds_from,
        )

    def decision(self, model: str | None = None, **objective: Unpack[ObjectiveOptions]) -> Decision:
        """Return the best rule of one model, to save and to apply to new scores.

        Parameters
        ----------
        model
            The model; it may be left out where there is only one. `verdict` chooses among several.
        objective
            The objective and its constraints, as arguments of `best_threshold`; by default F₁.

        Examples
        --------
        >>> import isometrics as iso
        >>> labels, scores = [1, 0, 1, 1, 0, 0, 1, 0], [8, 7, 6, 5, 4, 3, 2, 1]
        >>> decision = iso.analyse(labels, {"forest": scores}).decision(min_recall=0.7)
        >>> decision
        Decision: threshold 5 of forest, best for precision with recall ≥ 0.7: 0.75
        tp  fp  fn  tn  precision  recall  F (β 1)    F gain
         3   1   1   3       0.75    0.75     0.75  0.666667
        >>> decision.predict([9, 4, 5])
        array([ True, False,  True])
        """
        check_options(self.decision, objective, ObjectiveOptions.__annotations__)
        if model is None and len(self.models) > 1:
            names = join_names(list(map(repr, self.models)), "or")
            chosen = "" if self.one_vs_rest else ", or ask verdict() for the best one"
            raise ParameterError(f"must be one of {names}{chosen}", parameter="model")
        name = check_choice(
            next(iter(self.models)) if model is None else model, "model", tuple(self.models)
        )
        decision = best_threshold(self.models[name], **objective)
        return with_origin(decision, name, self, ALL_ROWS, self.rows)

    def compare(
        self,
        index: str | WeightedIndex = "f-measure",
        *,
        density: DensityLike = None,
        confidence_level: float | None = None,
        measure: MeasureLike = "AUPRG",
        progress: ProgressLike = None,
        **options: Unpack[BootstrapOptions],
    ) -> Comparison:
        """Say which model is best for every weight of recall, over all rows; see `compare`.

        Parameters
        ----------
        index, density
            As for `compare`.
        confidence_level
            Say also how sure it is that one model is better by `measure`, with intervals of this
            confidence.
        measure
            What `bootstrap` is to compare.
        progress, options
            As for `Analysis.bootstrap`.
        """
        from isometrics.comparison import compare
        from isometrics.uncertainty.bootstrap import BootstrapOptions

        check_options(self.compare, options, BootstrapOptions.__annotations__)
        refuse_without_intervals(options, confidence_level)
        if self.one_vs_rest:
            raise NotAnswerableError(
                "the classes of one classifier are not rivals, so none is better; summary() has "
                "all of them, and verdict_by_class() the threshold of each"
            )
        compared = compare(self.models, index, density=density)
        if confidence_level is None:
            return compared
        sure = self.bootstrap(
            measure, confidence_level=confidence_level, progress=progress, **options
        )
        return replace(compared, certainty=sure.differences())

    def bootstrap(
        self,
        measures: MeasureLike | Iterable[MeasureLike] | None = None,
        *,
        confidence_level: float = 0.95,
        progress: ProgressLike = None,
        **options: Unpack[BootstrapOptions],
    ) -> Bootstrap:
        """Say how sure areas and other measures are, by drawing the rows again; see `bootstrap`.

        Parameters
        ----------
        measures, confidence_level, progress
            As for `bootstrap`.
        options
            ``n_resamples``, ``stratified``, ``method``, ``random_state``, ``n_jobs`` and
            ``prevalence`` as for `bootstrap`; ``clusters=True`` draws whole groups.
            ``random_state`` is 0 unless given, so that the same data has the same intervals.

        Examples
        --------
        >>> import isometrics as iso
        >>> labels, scores = [1, 0, 1, 1, 0, 0, 1, 0] * 20, [8, 7, 6, 5, 4, 3, 2, 1] * 20
        >>> print(iso.analyse(labels, scores).bootstrap("AUROC").sentence())
        AUROC of score is 0.688, 95% interval 0.598 to 0.765.
        """
        from isometrics.uncertainty.bootstrap import BootstrapOptions, bootstrap

        check_options(self.bootstrap, options, BootstrapOptions.__annotations__)
        evidence, drawing = self._evidence(options)
        return bootstrap(
            evidence,
            measures=measures,
            confidence_level=confidence_level,
            progress=progress,
            **drawing,
        )

    def _evidence(self, options: Mapping[str, object]) -> tuple[ResampledRows, dict[str, Any]]:
        """Return what is drawn again, and how; rows that are needed and not there are refused."""
        from isometrics.uncertainty.resampling import ResampledRows

        drawing: dict[str, Any] = {"random_state": 0, "prevalence": self.prevalence, **options}
        clusters = drawing.pop("clusters", False)
        if not isinstance(clusters, bool):
            raise ParameterError(
                "clusters must be True or False: the clusters of an analysis are its groups, which "
                "it is made with"
            )
        if clusters:
            check_clusters(self)
        # Replicates are drawn from whole rows, and moved to the prevalence afterwards.
        models = self._tables_of(as_counted=True)
        evidence = ResampledRows(models, self.rows, clusters, self.class_rows or None)
        if evidence.needs_rows and not evidence.samples and self.without_rows:
            what = "models are compared on the same rows"
            if self.one_vs_rest:
                what = "classes are drawn together from the same rows"
            raise NotAnswerableError(
                f"{what}, which this analysis does not have: {self.without_rows}"
            )
        return evidence, drawing

    def verdict(
        self, *, thresholds_from: Analysis | None = None, **options: Unpack[VerdictOptions]
    ) -> Verdict:
        """Say which model, which threshold, and how sure, for one objective.

        Model and threshold are taken from the rules that are best in resamples of the rows, so the
        threshold need not be the one that is best on the rows themselves. The value to expect on
        new data is corrected for having chosen on the rows on which they are judged.

        Parameters
        ----------
        thresholds_from
            Choose on this other analysis, of tuning data, and judge on this one. A `budget` is a
            number of the rows of this one; of the tuning data the same share is flagged at most.
        beta
            Maximise F_β, by default F₁; 0 is precision and ``inf`` recall.
        cost
            Minimise the cost per row at this cost proportion of false alarms; a miss then costs
            ``1 - cost``.
        miss_cost, false_alarm_cost
            Minimise the cost per row, from what each error costs.
        index, lam
            Maximise a weighted index, as named for `OperatingPoints.tradeoff`, at a weight of
            recall, by default ½.
        objective
            ``"accuracy"``, or ``"youden"``: true minus false positive rate.
        min_precision, min_recall, max_fpr, min_specificity, budget
            Look only among rules that reach this precision, this recall, this specificity, have at
            most this false positive rate, or flag at most so many rows. Without an objective, the
            best of what is left free is wanted: precision for `min_recall`, F₁ for that with
            `min_precision`, and recall for the others.
        sure
            Ask for these rates with this confidence, such as 0.95, instead of on the rows seen; it
            is measured to hold about so often, and `guarantee` is proven to.
        guarantee
            Choose among the rules that are proven to keep all constraints in the population with
            this probability, such as 0.95, whatever the distribution of the scores, if the rows are
            independent draws of that population. `docs/theory/guarantee.md` has the proofs.
        folds
            True if the scores come from a cross-validation, and the groups are its folds.
        clusters
            Draw whole groups.
        by_group
            Add a verdict for each group; True by default.
        confidence_level
            The confidence of the intervals, by default 0.95.
        n_resamples, random_state, n_jobs, kernel, progress
            As for `bootstrap`; by default 2000, 0 and all processors. Fewer resamples are drawn
            where they tell who is best as well.

        Examples
        --------
        >>> import numpy as np
        >>> import isometrics as iso
        >>> rng = np.random.default_rng(5)
        >>> labels = np.arange(600) < 150
        >>> scores = {"A": rng.normal(1.8 * labels), "B": rng.normal(1.0 * labels)}
        >>> verdict = iso.analyse(labels, scores).verdict()
        >>> print(verdict.model, verdict.confidence_set)
        A ('A',)
        """
        if self.one_vs_rest:
            raise NotAnswerableError(
                "the classes of one classifier are not rivals; verdict_by_class() judges each"
            )
        check_options(self.verdict, options, VerdictOptions.__annotations__)
        return verdict_on(self, options, thresholds_from)

    def verdict_by_class(
        self,
        *,
        thresholds_from: Analysis | None = None,
        **options: Unpack[VerdictOptions],
    ) -> dict[str, Verdict]:
        """Return one verdict for each class of one classifier, each against all others.

        Parameters
        ----------
        thresholds_from
            Choose the threshold of each class on this other analysis, of the same classes.
        options
            Options of `verdict`.
        """
        check_options(self.verdict_by_class, options, VerdictOptions.__annotations__)
        if thresholds_from is not None and set(thresholds_from.models) != set(self.models):
            raise ParameterError(
                f"the tuning data has the classes {join_names(list(thresholds_from.models))} but "
                f"these rows have {join_names(list(self.models))}; give both the same classes"
            )
        if options.get("clusters"):
            check_clusters(self, thresholds_from)
        found = {}
        with reporting(options.get("progress"), "resamples") as report:
            for part, name in enumerate(self.models):
                options["progress"] = part_of_progress(report, part, len(self.models))
                tuning = thresholds_from and thresholds_from._only(name)
                verdict = self._only(name).verdict(thresholds_from=tuning, **options)
                found[name] = replace(verdict, _of_class=True)
        return found

    def macro_average(self, measure: MeasureLike = "AUPRG") -> float:
        """Return the mean over the classes of one classifier, on the gain scale.

        Parameters
        ----------
        measure
            As for `isometrics.integrations.sklearn.macro_average`.

        Examples
        --------
        >>> import isometrics as iso
        >>> scores = [[0.8, 0.1, 0.1], [0.3, 0.6, 0.1], [0.2, 0.3, 0.5], [0.5, 0.7, 0.1]]
        >>> analysis = iso.analyse(["a", "b", "c", "a"], scores)
        >>> list(analysis.models), round(analysis.macro_average(), 6)
        (['a', 'b', 'c'], 0.722222)
        """
        from isometrics.analysis.averages import macro_average

        if not self.one_vs_rest:
            raise NotAnswerableError(
                "macro_average() is of the classes of one classifier, and these are models; "
                "average(analysis.groups) averages groups or folds"
            )
        return macro_average(self.models, measure)

    def _rows_of(self, name: str) -> Sample | None:
        """Return the rows of one model or class; None where they are not known."""
        return self.class_rows.get(name) if self.rows is None else self.rows.of_model(name)

    def _why_without_rows(self) -> str:
        return self.without_rows or "the table does not tell every row"

    def _only(self, name: str, *, groups: Sequence[str] = ()) -> Analysis:
        """Return the analysis of one model or class over all rows, and in some groups."""
        counted = self.counted and self.counted._only(name, groups=groups)
        return replace(
            self,
            models={name: self.models[name]},
            groups={group: {name: self.groups[group][name]} for group in groups},
            skipped={},
            rows=self._rows_of(name),
            counted=counted,
            one_vs_rest=False,
            class_rows={},
        )

    def at_prevalence(self, prevalence: float) -> Analysis:
        """Return the same models as they would be at another prevalence, that of deployment.

        Every summary, curve, threshold and comparison of the result is at that prevalence; see
        `OperatingPoints.at_prevalence`.
        """

        def moved(models: Mapping[str, OperatingPoints]) -> dict[str, OperatingPoints]:
            return {name: points.at_prevalence(prevalence) for name, points in models.items()}

        counted = self.counted or self
        own = sorted({points.prevalence for points in counted.models.values()})
        was = join_names([f"{share:.3g}" for share in own])
        said = f"at prevalence {number(check_prevalence(prevalence))}, in the data {was}"
        return replace(
            self,
            models=moved(self.models),
            groups=self._for_each_group(lambda group: moved(self.groups[group])),
            description="; ".join(filter(None, [counted.description, said])),
            prevalence=check_prevalence(prevalence),
            counted=counted,
        )

    def _for_each_group(self, value_of: Callable[[str], T]) -> Mapping[str, T]:
        """Return a value for each group; one at a time where their tables are on disk."""
        if isinstance(self.groups, LazyMapping):
            return LazyMapping(self.groups, value_of)
        return {group: value_of(group) for group in self.groups}

    def _tables_of(
        self, group: str = ALL_ROWS, *, as_counted: bool = False
    ) -> dict[str, OperatingPoints]:
        """Return the tables of a group; as they were counted, at the prevalence of the data."""
        asked = (as_counted and self.counted) or self
        return asked.models if group == ALL_ROWS else asked.groups[group]

    def plot(
        self,
        space: str | Sequence[str] = "pr",
        ax: Any = None,
        *,
        group: str | None = None,
        bands: Mapping[str, Any] | None = None,
        **options: Unpack[PlotOptions],
    ) -> Any:
        """Draw the models with matplotlib.

        Parameters
        ----------
        space
            ``"roc"``, ``"pr"``, ``"prg"``, ``"tradeoff"`` or ``"all"``; or some of the first four,
            which are drawn side by side with one legend.
        ax
            The axes to draw on, as many as there are spaces. By default a new figure is made.
        group
            Draw the tables of this group; by default those of all rows.
        bands
            Draw pointwise confidence bands too, with these options of `Analysis.bands`, such as
            ``{"confidence_level": 0.95}``.
        options
            Options of the function of that name in `isometrics.plot`; for several spaces those of
            `isometrics.plot.panels`.

        Returns
        -------
        matplotlib.axes.Axes
            The axes; for several spaces, the array of them.
        """
        if isinstance(space, str):
            check_choice(space, "space", SPACES)
        if bands is not None and group is not None:
            raise ParameterError("bands are drawn for all rows; leave out group=")
        if group in self.skipped and group not in self.groups:
            raise ParameterError(f"group {group!r} has no table: {self.skipped[group]}")
        models = self.models
        if group is not None:
            models = self.groups[check_choice(group, "group", tuple(self.groups))]

        from isometrics.plot.results import band
        from isometrics.plot.spaces import PlotOptions, draw_space, panels

        check_options(self.plot, options, PlotOptions.__annotations__)
        drawn: Any
        if isinstance(space, str) and space != "all":
            spaces: Sequence[str] = (space,)
            drawn = draw_space(space, models, ax, options).ax
        else:
            spaces = SPACES[:-1] if space == "all" else tuple(space)
            drawn = panels(models, spaces, ax, **options)
        if bands is not None:
            found = self.bands(spaces, **bands)
            for each, panel in zip(spaces, np.ravel(drawn), strict=True):
                of_space = [one for one in found if one.space == each]
                band(of_space, panel, curve=False, legend=False)
        return drawn

    def bands(
        self,
        space: str | Sequence[str] = "all",
        *,
        index: str | WeightedIndex = "f-measure",
        x: ArrayLike | None = None,
        confidence_level: float = 0.95,
        progress: ProgressLike = None,
        **options: Unpack[DrawingOptions],
    ) -> list[Band]:
        """Return a pointwise confidence band of each model in a space; see `bootstrap_curves`.

        Parameters
        ----------
        space
            ``"roc"``, ``"pr"``, ``"prg"`` or ``"tradeoff"``; several of them, or ``"all"``.
        index, x, confidence_level, progress
            As for `bootstrap_curves`.
        options
            ``n_resamples``, 500 unless given, ``clusters``, ``prevalence``, ``stratified``,
            ``random_state`` and ``n_jobs``, as for `Analysis.bootstrap`.
        """
        from isometrics.uncertainty.bands import bootstrap_curves
        from isometrics.uncertainty.resampling import DrawingOptions

        check_options(self.bands, options, DrawingOptions.__annotations__)
        evidence, drawing = self._evidence({"n_resamples": REPLICATES_OF_CURVES, **options})
        spaces = (SPACES[:-1] if space == "all" else (space,)) if isinstance(space, str) else space
        found: list[Band] = []
        with reporting(progress) as report:
            for part, each in enumerate(spaces):
                curves = bootstrap_curves(
                    evidence,
                    space=each,
                    index=index,
                    x=x,
                    confidence_level=confidence_level,
                    progress=part_of_progress(report, part, len(spaces)),
                    **drawing,
                )
                found += [curves.band(name) for name in curves.models]
        return found

    def report(
        self,
        path: str | PathLike[str],
        *,
        title: str | None = None,
        confidence_level: float | None = None,
        verdict: Verdict | Mapping[str, Verdict] | bool = True,
        thresholds_from: Analysis | None = None,
        **options: Unpack[ReportOptions],
    ) -> Path:
        """Write one self-contained page about the models, and return its path.

        Where there are groups, the page shows what the rule of the verdict does in each of them,
        beside the threshold that would be best there.

        Parameters
        ----------
        path
            The file to write.
        title
            The title of the page; by default the name of the file that was read.
        confidence_level
            Draw pointwise confidence bands in all spaces.
        verdict
            The verdict with which the page begins, or one for each class; by default one with as
            many resamples as take a second or two. False: none. Where the page does not have the
            rows, verdicts for 41 β are stored with it, which takes some seconds.
        thresholds_from
            Choose on this other analysis, of tuning data, as for `verdict`, whose rows and those of
            this one are then needed; and show what thresholds promised there beside what they
            achieve here.
        options
            What the verdict is for, such as ``beta`` or ``miss_cost`` and ``false_alarm_cost``, as
            for `verdict`, by default F1; an ``index`` is that of the bands in tradeoff space, too.
            And how bands are drawn, as for `bands`.
        """
        from isometrics.analysis.page import ReportOptions, page_of
        from isometrics.report import write_report

        check_options(self.report, options, ReportOptions.__annotations__)
        page = page_of(
            self,
            verdict,
            options,
            title=title,
            confidence_level=confidence_level,
            thresholds_from=thresholds_from,
        )
        return write_report(self.models, path, **page)

    def explain(self) -> str:
        """Return how the rows were read, as a table: what each pass read, shuffled and collected.

        The engine counts this while it works; what it does not tell is "not told". Data in memory
        has no passes.

        Examples
        --------
        >>> import isometrics as iso
        >>> analysis = iso.analyse([1, 0, 1], [0.9, 0.4, 0.2])
        >>> print(analysis.explain())
        no passes were counted; the data was given in memory
        """
        from isometrics.sources.tables import explain_passes

        return explain_passes(self.passes)

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
        what = ("class", "classes") if self.one_vs_rest else ("model", "models")
        counted = {what: len(self.models), ("group", "groups"): len(self.groups)}
        said = [f"{size} {words[size > 1]}" for words, size in counted.items() if size]
        if self.skipped:
            said.append(f"{len(self.skipped)} left out")
        return f"Analysis: {', '.join(said)}"

    def _entries(
        self, by_group: bool, report: Callable[[int, int], None] | None = None
    ) -> Iterator[Entry]:
        groups = (ALL_ROWS, *(self.groups if by_group else ()))
        for done, group in enumerate(groups, 1):
            for name, points in self._tables_of(group).items():
                yield Entry(name, group, points)
            if report is not None:
                report(done, len(groups))


def refuse_without_intervals(options: Iterable[str], confidence_level: float | None) -> None:
    """Refuse options of intervals where no intervals are asked for."""
    for name in options if confidence_level is None else ():
        raise ParameterError(
            "says how intervals are made", Advice("give {confidence_level} too"), parameter=name
        )


def _betas(beta: float | Iterable[float]) -> tuple[float, ...]:
    """Check one β or several; columns are named after them, so they must differ in print."""
    from isometrics.measures import f_key

    betas = parse_betas(beta)
    if len(set(map(f_key, betas))) < len(betas):
        raise ParameterError(
            f"must have values that differ in six digits but is {beta!r}", parameter="beta"
        )
    return betas
