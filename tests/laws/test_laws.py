"""Every area under every law it obeys; the laws themselves are shown to catch wrong areas."""

import inspect
from itertools import product

import pytest
from hypothesis import Phase, given, settings

from isometrics import PRGSpace, PRSpace, ROCSpace

from .areas import AREAS
from .laws import LAWS, System, small

PAIRS = [
    (law, area)
    for law, area in product(LAWS, AREAS)
    if area not in LAWS[law].exempt and not LAWS[law].of_rows
]


# Looks for one counterexample, the same in every run, and does not simplify it.
SEARCH = settings(
    max_examples=10_000, derandomize=True, database=None, phases=[Phase.generate], deadline=None
)


@pytest.mark.parametrize(("law", "area"), PAIRS)
def test_law(law, area):
    @given(LAWS[law].cases(small))
    @settings(max_examples=min(40, settings.default.max_examples))
    def holds(case):
        LAWS[law].check(System({area: AREAS[area]}), case)

    holds()


@pytest.mark.parametrize("law", LAWS)
def test_law_catches_a_planted_bug(law):
    @given(LAWS[law].cases(small))
    @SEARCH
    def holds(case):
        LAWS[law].check(LAWS[law].planted, case)

    with pytest.raises(AssertionError):
        holds()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("law", "area"), [(law, area) for law in LAWS for area in LAWS[law].exempt]
)
def test_exemptions_are_needed(law, area):
    """An area is exempt from a law only where the law fails for it."""

    @given(LAWS[law].cases(small))
    @SEARCH
    def holds(case):
        LAWS[law].check(System({area: AREAS[area]}), case)

    with pytest.raises(AssertionError):
        holds()


def test_every_area_is_under_the_laws():
    """A new area, expectation or y0 must be named here, and so stands under every law."""
    summaries = {
        f"{name}.{member}"
        for name, space in (("roc", ROCSpace), ("pr", PRSpace), ("prg", PRGSpace))
        for member, _ in inspect.getmembers(space)
        if member.endswith("area") or member.startswith("expected") or member == "y0"
    }
    assert {area.split()[0] for area in AREAS} == summaries
