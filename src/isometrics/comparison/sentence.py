"""A comparison in one sentence that can be pasted."""

from __future__ import annotations

from typing import TYPE_CHECKING

from isometrics.hull import EVERYTHING, NOTHING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from isometrics.comparison.winners import Winners

_LISTED = 3
_TRIVIAL = {EVERYTHING: "calling everything positive", NOTHING: "calling nothing positive"}


def sentence_of(winners: Winners, models: Sequence[str], index: str) -> str:
    """Say which models are best for which weights of recall."""
    better = "is better" if len(models) == 2 else "is best"
    ranges = _ranges(winners)
    if len(winners) == 2 and all(map(_is_one_model, winners.names)):
        first, last = map(_listed, winners.names)
        said = f"{first} {better} {ranges[0]}, {last} above"
        return f"By {_on_one_line(index)}, {_closed([said], winners, models)}."
    grouped: dict[tuple[str, ...], list[str]] = {}
    for names, where in zip(winners.names, ranges, strict=True):
        grouped.setdefault(names, []).append(where)
    clauses = _clauses(grouped, better)
    rivals = "either model" if len(models) == 2 else "any model"
    asides = [
        f"{' and '.join(places)} {_TRIVIAL[names[0]]} is as good as {rivals}"
        for names, places in grouped.items()
        if names[0] in _TRIVIAL
    ]
    parts = [", ".join(clauses)] if clauses else []
    return f"By {_on_one_line(index)}, {_closed([*parts, *asides], winners, models)}."


def _is_one_model(names: tuple[str, ...]) -> bool:
    return len(names) == 1 and names[0] not in _TRIVIAL


def _clauses(grouped: dict[tuple[str, ...], list[str]], better: str) -> list[str]:
    """Say where models win; a verb that was just used is left out."""
    clauses, said = [], ""
    for names, places in grouped.items():
        if names[0] not in _TRIVIAL:
            verb = better if len(names) == 1 else "tie"
            shown = "" if verb == said == better else f" {verb}"
            clauses.append(f"{_listed(names)}{shown} {' and '.join(places)}")
            said = verb
    return clauses


def _closed(parts: list[str], winners: Winners, models: Sequence[str]) -> str:
    """Add which of three models or more are never best."""
    seen = {name for names in winners.names for name in names}
    never = [name for name in models if name not in seen]
    if len(models) > 2 and never and not seen <= set(_TRIVIAL):
        who = _listed(never) if len(never) <= _LISTED else f"the other {len(never)} models"
        parts = [*parts, f"{who} {'is' if len(never) == 1 else 'are'} never best"]
    return "; ".join(parts)


def _ranges(winners: Winners) -> list[str]:
    """Return the ranges in words, with as many digits as it takes to tell their ends apart."""
    ends = winners.lambda_lo[1:].tolist()
    digits = 2
    while digits < 16 and len({"0", "1", *(_fixed(end, digits) for end in ends)}) < len(ends) + 2:
        digits += 1
    said = []
    for lo, hi in zip(winners.lambda_lo.tolist(), winners.lambda_hi.tolist(), strict=True):
        low, high = _fixed(lo, digits), _fixed(hi, digits)
        if lo == 0:
            said.append("for every λ" if hi == 1 else f"for λ < {high}")
        else:
            said.append(f"for λ > {low}" if hi == 1 else f"for {low} < λ < {high}")
    return said


def _fixed(value: float, digits: int) -> str:
    shown = f"{value:.{digits}f}"
    return f"{float(shown):.0f}" if float(shown) in (0.0, 1.0) else shown


def _listed(names: Iterable[str]) -> str:
    *most, last = map(_on_one_line, names)
    return f"{', '.join(most)} and {last}" if most else last


def _on_one_line(name: str) -> str:
    return " ".join(name.split()) or repr(name)
