"""The verdict in words that need no knowledge of statistics, and what to beware of in it."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from isometrics._core.results import distinct_decimals, join_names, join_texts, number, percent
from isometrics._core.threshold_text import threshold_text
from isometrics._counting.confusion import Confusion, wilson_bound
from isometrics.decisions.objective import Linear, Ratio
from isometrics.points import OperatingPoints

if TYPE_CHECKING:
    from collections.abc import Callable

    from isometrics.decisions.objective import Objective
    from isometrics.uncertainty.intervals import Interval
    from isometrics.verdict.choosing import Choice
    from isometrics.verdict.contest import Contest
    from isometrics.verdict.verdict import KeptConstraint, OtherWeights, Verdict


def answer(verdict: Verdict) -> str:
    """Say what to do, what to expect, and how sure the choice of the model is."""
    if verdict.better_than_nothing is False:
        # Which of several useless models leads does not matter, unless another one is of use.
        is_beaten = verdict.model not in verdict.confidence_set
        rivals = _rivals(verdict, verdict.runner_up) if is_beaten and verdict.runner_up else ""
        said = [_nothing_is_better(verdict), _proven(verdict), _expectation(verdict), rivals]
        return " ".join(filter(None, said))
    rule = f"flag scores of {verdict.threshold_text} or more"
    if verdict.threshold == math.inf:
        rule = "flag nothing"
    elif math.isnan(verdict.threshold):
        rule = f"take {verdict.decision.label}"
    if verdict._of_class:
        rule += f" as {_named(verdict.model)}"
    elif len(verdict.wins) > 1 or verdict.model not in ("", "score"):
        rule = f"use {_named(verdict.model)} and {rule}"
    said = [f"{rule[0].upper()}{rule[1:]}.", _proven(verdict), _expectation(verdict)]
    if verdict.runner_up is not None and verdict.replicates:
        said.append(_rivals(verdict, verdict.runner_up))
    return " ".join(filter(None, said))


def _proven(verdict: Verdict) -> str:
    """Say what is proven of the chosen rule, how often that holds, and what it assumes."""
    if verdict.guarantee is None:
        return ""
    kept = join_texts([each.constraint for each in verdict.kept])
    return (
        f"It is proven at {number(100 * verdict.guarantee)}% to have {kept}, if the rows are "
        "independent draws of the population."
    )


def lines(verdict: Verdict) -> list[str]:
    """Return the answer, and below it what it stands on."""
    said = [answer(verdict), _explained(verdict.objective)]
    said += [_constraint(each, verdict) for each in verdict.kept]
    if verdict.runner_up is not None:
        said.append(_lead(verdict, verdict.runner_up))
    said += [_threshold(verdict), _nothing(verdict)]
    if verdict.other_weights is not None:
        said.append(_weights(verdict, verdict.other_weights))
    said.append(verdict.method)
    said += [f"Beware: {warning}" for warning in verdict.warnings]
    return [line for line in said if line]


def shown(value: float, least: int = 2) -> str:
    """Return a value to two digits, or to as many as tell it from 0 and from 1."""
    if abs(value) >= _LARGE:
        return _amount(value)
    for digits in range(least, 7):
        text = f"{value:.{digits}f}"
        if float(text) not in (0.0, 1.0) or value in (0.0, 1.0):
            return text
    return number(value)


_LARGE, _BEYOND_READING = 1e5, 1e15
"""From the first on, values are whole numbers in groups of three digits, up to the second."""


def _amount(value: float) -> str:
    """Return a cost with as many digits as a reader needs."""
    if not abs(value) < _BEYOND_READING or 0 < abs(value) < 1:
        return number(value)
    if value.is_integer() or abs(value) >= _LARGE:
        return f"{value:,.0f}"
    return number(value) if abs(value) < 1000 else f"{value:,.2f}"


def _named(model: str) -> str:
    """Return the name of a model on one line; one without letters in quotes."""
    return join_names([model])


def _expectation(verdict: Verdict) -> str:
    name, text = verdict.objective.name, _text(verdict)
    expected, here = text(verdict.expected), text(verdict.value)
    if math.isnan(verdict.expected):
        said = "has no value" if math.isnan(verdict.value) else f"is {here}"
        return f"{name[0].upper()}{name[1:]} {said} on these rows."
    ends = _ends(verdict.interval, verdict, text)
    return f"Expect {name} {expected} on new data ({ends}{here} on these rows)."


def _text(verdict: Verdict) -> Callable[[float], str]:
    """Return how values are written: to as many digits as tell apart what the words compare."""
    expected, (low, high) = verdict.expected, verdict.interval
    worse = _worse_end(verdict.objective, verdict.interval)
    hidden = [each for each in _doing_nothing(verdict).values() if _look_alike(each, worse)]
    is_narrow = _look_alike(expected, low) or _look_alike(expected, high)
    if not (is_narrow or hidden) or abs(expected) >= _LARGE:
        return shown
    numbers = (expected, low, high, verdict.value, *hidden)
    digits = len(distinct_decimals(numbers, 3)[0].partition(".")[2])
    return lambda value: f"{value:.{digits}f}"


def _look_alike(one: float, other: float) -> bool:
    """Tell whether two digits hide which of two numbers is higher."""
    return (one < other or one > other) and shown(one) == shown(other)


def _worse_end(objective: Objective, interval: Interval) -> float:
    return interval.lower if objective.higher_is_better else interval.upper


def _doing_nothing(verdict: Verdict) -> dict[str, float]:
    """Return the values of the trivial rules that are allowed, and have one."""
    values = verdict.doing_nothing.items()
    return {name: value for name, value in values if not math.isnan(value)}


def _best_trivial(verdict: Verdict) -> str:
    """Return which of the rules that need no model is the best."""
    values = _doing_nothing(verdict)
    # Rows at random are as many as a model flags.
    values.pop("flagging at random", None)
    order = max if verdict.objective.higher_is_better else min
    return order(values, key=values.__getitem__)


def _ends(interval: Interval, verdict: Verdict, text: Callable[[float], str] = shown) -> str:
    """Return an interval with its confidence, as far as it is known."""
    if math.isnan(interval.lower):
        return ""
    low, high = map(text, interval)
    return f"{percent(verdict.confidence_level)}: {low} to {high}; "


def _nothing_is_better(verdict: Verdict) -> str:
    best, barely = _best_trivial(verdict), verdict.barely_better
    fails = "barely fails to be" if barely else "is not"
    if len(verdict.wins) == 1:
        subject = "For this class the model" if verdict._of_class else "This model"
        return f"{subject} {fails} better than {best}, beyond chance."
    if verdict.threshold == math.inf:
        return f"No model is better than {best}, beyond chance."
    choice = f"{_named(verdict.model)}, at scores of {verdict.threshold_text} or more"
    sign = 1 if verdict.objective.higher_is_better else -1
    ends = [sign * _worse_end(verdict.objective, each.interval) for each in verdict.models]
    if any(end > sign * verdict.doing_nothing[best] for end in ends):
        # A model of which less is to be expected may be more certain.
        return f"{choice}, would be the choice, but {fails} better than {best}, beyond chance."
    choice += ", which barely fails" * barely
    return f"No model is better than {best}, beyond chance; the choice would be {choice}."


def _nothing(verdict: Verdict) -> str:
    """Say what the rules achieve that need no model, and which of them the choice beats."""
    values, text = _doing_nothing(verdict), _text(verdict)
    if not values:
        return ""
    said = ", ".join(f"{name} {text(value)}" for name, value in values.items())
    verb = "achieves" if verdict.objective.higher_is_better else "costs"
    better = ""
    if verdict.better_than_nothing:
        sign = 1 if verdict.objective.higher_is_better else -1
        worse = _worse_end(verdict.objective, verdict.interval)
        # Under a limit, as many rows at random may be better than what is allowed besides.
        is_all = all(sign * (worse - value) > 0 for value in values.values())
        best = _best_trivial(verdict)
        than = "that" if is_all else best
        barely = "barely " * verdict.barely_better
        # The interval may reach a value that varies together with that of the choice.
        where = "" if sign * (worse - values[best]) > 0 else ", in the same resamples"
        better = f" The choice is {barely}better than {than} beyond chance{where}."
    return f"Doing nothing {verb}: {said}.{better}"


def _rivals(verdict: Verdict, second: str) -> str:
    model, *others = _with_values(verdict)
    name, barely = _named(verdict.model), "barely " * verdict.barely_told_apart
    if verdict.model not in verdict.confidence_set:
        return (
            f"{'Barely beyond' if barely else 'Beyond'} chance, these rows speak for "
            f"{join_texts(others)} rather than {model}, which was chosen on the tuning data."
        )
    if math.isnan(verdict.wins[verdict.model]):
        # No model has a value in any resample.
        return ""
    if verdict.kept and all(
        math.isnan(each.here) for each in verdict.models if each.name != verdict.model
    ):
        rest = (
            f"in resamples {join_texts(others)} may do as well"
            if others
            else f"{name} {barely}wins in {_how_many(verdict)} resamples"
        )
        where = "the tuning data" if verdict._tuned else "these rows"
        keeps = f"keeps this on {where}" if verdict.guarantee is None else "is proven to keep this"
        return f"No other model has a threshold that {keeps}; {rest}."
    if others:
        cannot = "barely fail to" if barely else "cannot"
        # Of many models one may win nearly always by chance.
        although = ""
        if verdict.wins[verdict.model] >= _OFTEN:
            although = f", although {name} wins in {_how_many(verdict)} resamples"
        why = "was chosen on the tuning data" if verdict._tuned else "is used by default"
        models = join_texts([model, *others])
        return f"These rows {cannot} tell {models} apart{although}; {name} {why}."
    losers = _named(second) if len(verdict.wins) == 2 else "all other models"
    return f"{name} {barely}beats {losers} in {_how_many(verdict)} resamples."


_OFTEN = 0.95
"""A share of wins that looks like a proof, and is none."""


def _how_many(verdict: Verdict) -> str:
    """Return in how many resamples the chosen model wins; in all of them only if it always does."""
    share, all_of_them = verdict.wins[verdict.model], verdict.replicates
    if share == 1:
        return f"all {all_of_them:,}"
    return f"{min(round(share * all_of_them), all_of_them - 1):,} of {all_of_them:,}"


def _with_values(verdict: Verdict) -> list[str]:
    """Return the chosen model and those that it cannot be told apart from, with their values.

    The best one to expect comes first of the others.
    """
    sign = 1 if verdict.objective.higher_is_better else -1
    names = {verdict.model, *verdict.confidence_set}
    models = [each for each in verdict.models if each.name in names]
    # Models without a value come last.
    gains = {e.name: -math.inf if math.isnan(e.expected) else sign * e.expected for e in models}
    models.sort(key=lambda each: (each.name != verdict.model, -gains[each.name]))
    text = _text(verdict)
    return [
        f"{_named(each.name)} ({text(each.expected)})"
        if not math.isnan(each.expected)
        else _named(each.name)
        for each in models
    ]


def _lead(verdict: Verdict, runner_up: str) -> str:
    """Say how far two models that cannot be told apart may be from each other."""
    # A model without a rule on these rows has no value that a lead could be over.
    values = [verdict.lead_interval.lower, *(e.here for e in verdict.models if e.name == runner_up)]
    is_asked = runner_up in verdict.confidence_set and verdict.better_than_nothing is not False
    if not is_asked or any(map(math.isnan, values)):
        return ""
    # Where a model often has no rule in resamples, its lead is no difference of two values.
    least, most = verdict.objective.gain_limits
    if max(map(abs, verdict.lead_interval)) > most - least:
        return ""
    # A cost is in the user's unit.
    factor = verdict.objective.unit
    low, high = (_difference(0.0 + end * factor) for end in verdict.lead_interval)
    first, second = _named(verdict.model), _named(runner_up)
    level = percent(verdict.confidence_level)
    if verdict.objective.higher_is_better:
        return f"The lead of {first} over {second} is between {low} and {high} ({level})."
    return f"{first} saves between {low} and {high} per row over {second} ({level})."


def _difference(value: float) -> str:
    """Return a difference to three digits behind the point, or two digits if that is more."""
    text = f"{value:.3f}" if abs(value) >= 0.001 or value == 0 else number(float(f"{value:.2g}"))
    return text.replace("-", "−")


def _explained(objective: Objective) -> str:
    if isinstance(objective, Linear) and not objective.as_accuracy:
        miss, alarm = objective.costs
        return f"A miss costs {_amount(miss)} and a false alarm {_amount(alarm)}."
    if not isinstance(objective, Ratio) or objective.beta in (0.0, math.inf):
        return ""
    beta = objective.beta
    if beta == 1:
        return "F1 weighs precision and recall equally."
    more, less = ("recall", "precision") if beta > 1 else ("precision", "recall")
    ratio = beta if beta > 1 else 1 / beta
    return f"{objective.name} weighs {more} {number(ratio)} times as much as {less}."


def _constraint(kept: KeptConstraint, verdict: Verdict) -> str:
    text, miss = _share_text(kept), "exceed" if kept.is_limit else "miss"
    if math.isnan(kept.expected):
        # A rule from tuning data may flag none of these rows.
        here = "no value" if math.isnan(kept.here) else text(kept.here)
        return f"Asked for {kept.constraint}: {here} on these rows."
    ends = _ends(kept.interval, verdict, text)
    # The chance is estimated from the same rows as all else: `sure` is measured, and not proven.
    chance = "" if math.isnan(kept.missed) else f"; the chance to {miss} it is {_chance(kept)}"
    if kept.guarantee is not None:
        chance = f"; the chance to {miss} it is at most {number(100 * kept.missed)}%"
    return (
        f"Asked for {kept.constraint}: expect {text(kept.expected)} on new data ({ends}"
        f"{text(kept.here)} on these rows){chance}."
    )


def _share_text(kept: KeptConstraint) -> Callable[[float], str]:
    """Return how a quantity is written: to as many digits as tell it from what was asked for."""
    for digits in range(2, 7):
        text = _percents(digits) if kept.is_limit else _decimals(digits)
        if kept.expected == kept.level or text(kept.expected) != text(kept.level):
            break
    return text


def _percents(digits: int) -> Callable[[float], str]:
    # Limits are asked for in percent.
    return lambda share: f"{number(float(f'{100 * share:.{digits}g}'))}%"


def _decimals(digits: int) -> Callable[[float], str]:
    return lambda value: shown(value, digits)


_RARE = 0.001
"""Chances below it, or as near to 1, are not known better."""


def _chance(kept: KeptConstraint) -> str:
    if _RARE <= kept.missed <= 1 - _RARE:
        return percent(kept.missed)
    return f"below {percent(_RARE)}" if kept.missed < _RARE else f"above {percent(1 - _RARE)}"


def _threshold(verdict: Verdict) -> str:
    said = []
    ends = [*verdict.threshold_range, *verdict.plateau]
    texts = list(map(threshold_text, ends))
    low, high = verdict.threshold_range
    resamples = "resamples" + " of the tuning data" * verdict._tuned
    if low == math.inf:
        said.append(f"In 95% of the {resamples} it was best to flag nothing.")
    elif not math.isnan(low):
        where = f"were {texts[0]}" if low == high else f"lay between {texts[0]} and {texts[1]}"
        if high == math.inf:
            where = f"were {texts[0]} or more, or flagged nothing"
        how = (
            "Of the thresholds that lose at most 1% of the highest value, this one keeps what was "
            f"asked for most safely; of those that were best in {resamples}, 95%"
            if verdict.kept
            else f"The threshold is the median of those that were best in {resamples}; 95% of them"
        )
        said.append(f"{how} {where}.")
    low, high = verdict.plateau
    gains = verdict.objective.higher_is_better
    here = "of the value on these rows" if gains else "more on these rows"
    if low < high:
        to = f"from {texts[2]} to {texts[3]}"
        span = f"of {texts[2]} or more" if high == math.inf else to
        what = "reach 99%" if gains else "cost at most 1%"
        said.append(f"Thresholds {span} {what} {here}.")
    elif low == high:
        what = "do not reach 99%" if gains else "cost more than 1%"
        broken = ", or do not keep what was asked for" if verdict.kept else ""
        said.append(f"The thresholds next to it {what} {here}{broken}.")
    return " ".join(said)


def _weights(verdict: Verdict, other: OtherWeights) -> str:
    """Say for which other weights of recall, or ratios of the costs, the choice is the same."""
    low, high = verdict.beta_range
    # Only a model that is better than all others, and of use, has a claim to other weights.
    is_asked = verdict.confidence_set == (verdict.model,) and not verdict._tuned
    if math.isnan(low) or not is_asked or verdict.better_than_nothing is False:
        return ""
    ends = (low <= other.beta[0], high >= other.beta[-1])
    wins = f"{_named(verdict.model)} wins 95% of the resamples"
    if not isinstance(verdict.objective, Linear):
        if all(ends):
            return f"{wins} for every β."
        return f"{wins} for β {_span(low, high, ends, ('up to {}', 'from {} on'))}."
    if all(ends):
        return f"{wins} whatever a miss and a false alarm cost."
    # The square of β is the ratio of the costs.
    span = _span(low**2, high**2, ends, ("at most {}", "at least {}"))
    return f"{wins} where a miss costs {span} times as much as a false alarm."


def _span(low: float, high: float, ends: tuple[bool, bool], words: tuple[str, str]) -> str:
    """Return a range in words; at the ends of what was tried it has one limit."""
    if low == high:
        return f"around {low:.2g}"
    if ends[0]:
        return words[0].format(f"{high:.2g}")
    if ends[1]:
        return words[1].format(f"{low:.2g}")
    return f"from {low:.2g} to {high:.2g}"


# ---------------------------------------------------------------------- what to beware of

FEW = 50
"""Positives below which the correction was found to be too weak in places."""
_FEW_SCORES = 5
_FEW_FLAGGED = 20
_Z = 1.96
"""Standard errors of an interval of 95%."""
REVERSED = "are the scores reversed, or is the other class the positive one?"
PREDICTIONS = "these look like predictions, not scores"


def is_below_chance(auroc: float, positives: float, negatives: float) -> bool:
    """Tell whether an AUROC is below 0.5 by more than chance allows, at a level of 5%.

    Notes
    -----
    Where scores say nothing, the variance is ``(P + N + 1) / (12 P N)``, that of the statistic of
    Mann and Whitney (1947).
    """
    error = math.sqrt((positives + negatives + 1) / (12 * positives * negatives))
    return auroc < 0.5 - _Z * error


def has_two_scores(points: OperatingPoints) -> bool:
    """Tell whether a table of scores has two thresholds, not counting that of the empty rule."""
    thresholds = points.table.thresholds
    return thresholds.size == 3 and bool(np.isfinite(thresholds[1:].astype(np.float64)).all())


def caveats_of(contest: Contest, choice: Choice, expected: float) -> tuple[str, ...]:
    """Return the warnings of a verdict."""
    positives = int(np.count_nonzero(contest.rankings[0].positive))
    rows = contest.rankings[0].positive.size
    said = []
    fewer, name = min((positives, "positive"), (rows - positives, "negative"))
    if fewer < FEW:
        said.append(
            f"there {'is' if fewer == 1 else 'are'} only {fewer} {name}{'s' * (fewer != 1)}; with "
            f"fewer than {FEW} the expected value may still be too good, and no interval is sure"
        )
    # A rule from tuning data may have no value here.
    if math.isnan(expected) and not math.isnan(choice.gains[choice.model]):
        said.append(
            f"with {fewer} {name} row{'s' * (fewer != 1)} nothing is left to judge a choice on"
        )
    table = contest.tables[choice.model]
    area = float(np.trapezoid(table.tp / table.positives, table.fp / table.negatives))
    if is_below_chance(area, positives, rows - positives):
        from isometrics.measures import AUROC

        said.append(f"{AUROC.name} is {area:.3f}, below 0.5 beyond chance; {REVERSED}")
    distinct = table.size - 1
    if distinct == 1:
        said.append("all scores are equal, so that no threshold tells rows apart")
    elif distinct == 2:
        said.append(f"there are only two distinct scores; {PREDICTIONS}")
    elif distinct <= _FEW_SCORES:
        said.append(f"there are only {distinct} distinct scores to choose a threshold from")
    return (*said, *_about_flagged(contest, choice, few=fewer < FEW))


def _about_flagged(contest: Contest, choice: Choice, *, few: bool) -> list[str]:
    """Warn that no false positive among n negatives allows a rate of 3/n, and of few flagged rows.

    Where a class has few rows, that says enough of the latter.
    """
    rule, ranking = choice.rules[choice.model], contest.rankings[choice.model]
    flagged = ranking.positive[ranking.rule <= rule]
    said = []
    if contest.tables[choice.model].fp[rule] == 0 and flagged.size:
        negatives = int(np.count_nonzero(~ranking.positive))
        possible = 1 - 0.05 ** (1 / negatives)
        scale = 10 ** math.ceil(-math.log10(possible))
        said.append(
            f"no false positive was seen among {negatives:,} negatives, which is no proof: up to "
            f"{round(possible * scale)} in {scale:,} are possible"
        )
    if not few and 0 < flagged.size < _FEW_FLAGGED:
        low = wilson_bound(float(flagged.mean()), flagged.size, _Z)
        counts = Confusion(low, 1 - low, *contest.totals).at_ratio(contest.ratio)
        verb = "is" if flagged.size == 1 else "are"
        said.append(
            f"only {flagged.size} of {ranking.positive.size:,} rows {verb} flagged; the precision "
            f"of so few is hardly known, and may be as low as {counts.precision:.2f}"
        )
    return said
