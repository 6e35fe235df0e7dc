"""Numbers as people and spreadsheets write them: 0,5783 and 1.234,5 and 57.8%."""

from __future__ import annotations

import re

from isometrics.errors import Advice

COMMA, POINT = ",", "."
_MARKS = (COMMA, POINT)
_SPECIAL = r"[+-]?(?:inf|infinity|nan)"
_EXPONENT = r"(?:[eE][+-]?[0-9]+)?"
_WHOLE = r"(?:0|[1-9][0-9]*)"


def _pattern(decimal: str, *, grouped: bool) -> str:
    """Return the expression of unsigned numbers; groups of three digits have the other mark."""
    mark = re.escape(decimal)
    other = re.escape(_MARKS[decimal == COMMA])
    whole = rf"(?:{_WHOLE}|[1-9][0-9]{{0,2}}(?:{other}[0-9]{{3}})+)" if grouped else _WHOLE
    return rf"(?:{whole}(?:{mark}[0-9]*)?|{mark}[0-9]+)"


PLAIN = "NUMBER"
"""The kind of numbers that every program writes."""
KINDS: dict[str, str] = {
    "NUMBER ,": rf"[+-]?{_pattern(COMMA, grouped=True)}{_EXPONENT}|{_SPECIAL}",
    "NUMBER .": rf"[+-]?{_pattern(POINT, grouped=True)}{_EXPONENT}|{_SPECIAL}",
    "PERCENT": rf"[+-]?{_pattern(POINT, grouped=False)}\s*%",
    "PERCENT ,": rf"[+-]?{_pattern(COMMA, grouped=True)}\s*%",
    "PERCENT .": rf"[+-]?{_pattern(POINT, grouped=True)}\s*%",
}
"""Regular expressions of the kinds, which Python and DuckDB read alike.

The mark behind the name is that of the decimals; the other one may stand between groups of three
digits. A zero in front makes an identifier, as 007 is.
"""
_COMPILED = {kind: re.compile(pattern, re.IGNORECASE) for kind, pattern in KINDS.items()}
_COMMA_NUMBER = re.compile(rf"\s*[+-]?{_pattern(COMMA, grouped=True)}{_EXPONENT}\s*%?\s*")


def kinds_for(decimal: str | None) -> tuple[str, ...]:
    """Return the kinds that a column of text may have, by the mark of decimals, if one is given."""
    return ("PERCENT",) if decimal is None else (f"NUMBER {decimal}", f"PERCENT {decimal}")


def is_percent(kind: str) -> bool:
    """Tell whether numbers of a kind have percent signs."""
    return kind.startswith("PERCENT")


def matches(text: str, kind: str) -> bool:
    """Tell whether a text is a number of a kind.

    Examples
    --------
    >>> matches("1.234,5", "NUMBER ,"), matches("0.25", "NUMBER ,"), matches("57.8 %", "PERCENT")
    (True, False, True)
    """
    return _COMPILED[kind].fullmatch(text.strip()) is not None


def is_number(text: str) -> bool:
    """Tell whether a text is a number as Python reads it, ``inf`` and ``nan`` among them."""
    try:
        float(text)
    except ValueError:
        return False
    return True


def has_decimal_comma(text: str) -> bool:
    """Tell whether a text is a number if its comma is that of decimals.

    Examples
    --------
    >>> has_decimal_comma("0,5783"), has_decimal_comma("1.234,5"), has_decimal_comma("a,b")
    (True, True, False)
    """
    return COMMA in text and _COMMA_NUMBER.fullmatch(text) is not None


def looks_like_number(text: str) -> bool:
    """Tell whether a text is a number in some way of writing it."""
    return has_decimal_comma(text) or any(matches(text, kind) for kind in KINDS)


def advice_about(text: str, decimal: str | None) -> Advice | None:
    """Return what to do about a text that was expected to be a number."""
    if decimal is None and has_decimal_comma(text):
        return Advice("{} looks like a decimal comma; pass {decimal:,}", text.strip())
    if decimal is None and COMMA in text and looks_like_number(text):
        return Advice("{} has commas between thousands; pass {decimal:.}", text.strip())
    if text.rstrip().endswith("%") and looks_like_number(text):
        return Advice("write all values of a column with a percent sign, or none")
    return None


def condition(column: str, kind: str) -> str:
    """Return a condition in SQL: the text of a column is a number of a kind."""
    pattern = KINDS[kind].replace("'", "''")
    return f"regexp_full_match(trim({column}), '{pattern}', 'i')"


def text_of_number(column: str, kind: str) -> str:
    """Return an expression in SQL: the text of a number as DuckDB reads it.

    Percents are shares: 57.8% is 0.578, to the nearest float.
    """
    text = f"trim({column})"
    if kind.endswith(COMMA):
        text = f"replace(replace({text}, '.', ''), ',', '.')"
    elif kind.endswith(POINT):
        text = f"replace({text}, ',', '')"
    if is_percent(kind):
        text = f"rtrim({text}, '% ') || 'e-2'"
    return text


def parse_number(text: str, kind: str) -> float:
    """Return the number that a text of a kind is.

    Examples
    --------
    >>> parse_number("1.234,5", "NUMBER ,"), parse_number("57.8%", "PERCENT")
    (1234.5, 0.578)
    """
    text = text.strip()
    if kind.endswith(COMMA):
        text = text.replace(POINT, "").replace(COMMA, POINT)
    elif kind.endswith(POINT):
        text = text.replace(COMMA, "")
    return float(f"{text.rstrip('% ')}e-2" if is_percent(kind) else text)
