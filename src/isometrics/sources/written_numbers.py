"""Values as people and spreadsheets write them: 0,5783 and 1.234,5 and 57.8%, true, NA."""

from __future__ import annotations

import re
from typing import NamedTuple

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
PERCENT = "PERCENT"
"""What kinds of numbers with percent signs begin with."""
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
_SOME_NUMBER = re.compile(rf"\s*(?:{'|'.join(KINDS.values())})\s*", re.IGNORECASE)

NULLS = ("", "NA", "N/A", "null", "NULL", "None")
"""What stands for a missing value in CSV; it is refused, as any missing value is."""
TEXT = "VARCHAR"
_TRUTH, _INTEGERS = "BOOLEAN", ("BIGINT", "HUGEINT")
KINDS_OF_TEXT: dict[str | None, tuple[str, ...]] = {
    None: (_TRUTH, *_INTEGERS, PLAIN, PERCENT),
    **{mark: (_TRUTH, *_INTEGERS, f"NUMBER {mark}", f"PERCENT {mark}") for mark in _MARKS},
}
"""What a column of text may hold, by the mark before decimals, the narrowest kind first; all may be
text besides."""
_ZERO_IN_FRONT = r"\s*[+-]?0[0-9]"
"""What begins like this is an identifier, as 007 is."""


class Dialect(NamedTuple):
    """What a user knows about how text is written, in CSV files and workbooks of Excel."""

    decimal: str | None = None
    """The mark before decimals; by default a point, and no mark between groups of digits."""
    header: bool | None = None
    """Whether the first line has the names of the columns; by default it is recognised."""


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
    return _SOME_NUMBER.fullmatch(text) is not None


def advice_about(text: str, decimal: str | None) -> Advice | None:
    """Return what to do about a text that was expected to be a number."""
    if decimal is None and has_decimal_comma(text):
        return Advice("{} looks like a decimal comma; pass {decimal:,}", text.strip())
    if decimal is None and COMMA in text and looks_like_number(text):
        return Advice("{} has commas between thousands; pass {decimal:.}", text.strip())
    if text.rstrip().endswith("%") and looks_like_number(text):
        return Advice("write all values of a column with a percent sign, or none")
    return None


def value_of(column: str, kind: str) -> str:
    """Return the value of a text in SQL, null where it is none of its kind.

    Nothing of a text is lost: a number is one whose text can be told from it, but for floats.
    Percents are shares: 57.8% is 0.578, to the nearest float.
    """
    if kind == TEXT:
        return column
    if kind == _TRUTH:
        # "Yes" is a text, as in all other sources.
        return f"CASE lower({column}) WHEN 'true' THEN true WHEN 'false' THEN false END"
    if kind in _INTEGERS:
        value = f"TRY_CAST({column} AS {kind})"
        # Most labels are one digit, which needs no other check.
        same = f"strlen({column}) = 1 OR CAST({value} AS VARCHAR) = {column}"
        return f"CASE WHEN {same} THEN {value} END"
    if kind == PLAIN:
        # Most begin with another digit or with 0, which is decided without an expression.
        zero = f"{column} < '1' AND NOT starts_with({column}, '0.')"
        return (
            f"CASE WHEN {zero} AND regexp_matches({column}, '^{_ZERO_IN_FRONT}') THEN NULL "
            f"ELSE TRY_CAST({column} AS DOUBLE) END"
        )
    text = f"trim({column})"
    fits = f"regexp_full_match({text}, '{KINDS[kind]}', 'i')"
    if kind.endswith(COMMA):
        text = f"replace(replace({text}, '.', ''), ',', '.')"
    elif kind.endswith(POINT):
        text = f"replace({text}, ',', '')"
    if kind.startswith(PERCENT):
        text = f"rtrim({text}, '% ') || 'e-2'"
    return f"CASE WHEN {fits} THEN TRY_CAST({text} AS DOUBLE) END"
