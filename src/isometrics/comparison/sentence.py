"""The comparison in one sentence: which model is best for which weight of recall."""

from __future__ import annotations

from typing import TYPE_CHECKING

from isometrics._core.results import several
from isometrics._table.hull import EVERYTHING, NOTHING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from isometrics.comparison.winners import Names, Winners

_MAX_LISTED = 3
_TRIVIAL = {EVERYTHING: "calling everything positive", NOTHING: "calling nothing positive"}


def sentence_of(winners: Winners, models: Sequence[str], index: str) -> str:
    """Return a sentence about which models are best for which weights of recall."""
    better = "is better" if len(models) == 2 else "is best"
    ranges = _ranges(winners)
    if len(winners) == 2 and all(map(_is_one_model, winners.names)):
        first, last = map(_listed, winners.names)
        clauses = [f"{first} {better} {ranges[0]}, {last} above"]
    else:
        ranges_by_names: dict[Names, list[str]] = {}
        for names, range_text in zip(winners.names, ranges, strict=True):
            ranges_by_names.setdefault(names, []).append(range_text)
        model_clauses = _model_clauses(ranges_by_names, better)
        rivals = "either model" if len(models) == 2 else "any model"
        clauses = [", ".join(model_clauses)] if model_clauses else []
        clauses += [
            f"{' and '.join(range_texts)} {_TRIVIAL[names[0]]} is as good as {rivals}"
            for names, range_texts in ranges_by_names.items()
            if names[0] in _TRIVIAL
        ]
    clauses += _never_best(winners, models)
    return f"By {several([index])}, {'; '.join(clauses)}."


def _is_one_model(names: Names) -> bool:
    return len(names) == 1 and names[0] not in _TRIVIAL


def _model_clauses(ranges_by_names: dict[Names, list[str]], better: str) -> list[str]:
    """Return a clause for each winning model; a verb is not repeated."""
    clauses, previous_verb = [], ""
    for names, range_texts in ranges_by_names.items():
        if names[0] not in _TRIVIAL:
            verb = better if len(names) == 1 else "tie"
            shown = "" if verb == previous_verb == better else f" {verb}"
            clauses.append(f"{_listed(names)}{shown} {' and '.join(range_texts)}")
            previous_verb = verb
    return clauses


def _never_best(winners: Winners, models: Sequence[str]) -> list[str]:
    """Return a clause about those of three or more models that are never best, if there are any."""
    best = {name for names in winners.names for name in names}
    never = [name for name in models if name not in best]
    if len(models) <= 2 or not never or best <= set(_TRIVIAL):
        return []
    listed = _listed(never) if len(never) <= _MAX_LISTED else f"the other {len(never)} models"
    return [f"{listed} {'is' if len(never) == 1 else 'are'} never best"]


def _ranges(winners: Winners) -> list[str]:
    """Return the ranges as texts, with as many digits as are needed to distinguish their ends."""
    ends = winners.lambda_lo[1:].tolist()
    digits = 2
    while digits < 16 and len({"0", "1", *(_fixed(end, digits) for end in ends)}) < len(ends) + 2:
        digits += 1
    texts = []
    for lo, hi in zip(winners.lambda_lo.tolist(), winners.lambda_hi.tolist(), strict=True):
        low, high = _fixed(lo, digits), _fixed(hi, digits)
        if lo == 0:
            texts.append("for every λ" if hi == 1 else f"for λ < {high}")
        else:
            texts.append(f"for λ > {low}" if hi == 1 else f"for {low} < λ < {high}")
    return texts


def _fixed(value: float, digits: int) -> str:
    shown = f"{value:.{digits}f}"
    return f"{float(shown):.0f}" if float(shown) in (0.0, 1.0) else shown


def _listed(names: Sequence[str]) -> str:
    """Return all names, however many: each of them is part of the answer."""
    return several(names, most=len(names))
