"""Every kernel under every law, on 2 to 40,000 rows, drawn anew in every run.

``ISOMETRICS_SEED``, which the end of a run prints, repeats what was drawn.
"""

import pkgutil
from importlib import import_module

import pytest
from hypothesis import HealthCheck, Phase, given, seed, settings

from isometrics import _counting as package
from isometrics._counting import native, segments

from . import kernels
from .kernels import KERNELS, SUBSETS
from .laws import LAWS, System, counted_by_numpy, interpreted
from .samples import LONGEST, SEED, drawn


def under(law, kernel):
    """Tell whether a kernel is under a law: no exemption says why not."""
    if law not in SUBSETS.get(kernel, LAWS):
        return False
    weights = LAWS[law].weights
    return law not in KERNELS[kernel].exempt and (
        weights is None or weights in KERNELS[kernel].weights
    )


PAIRS = [(law, kernel) for kernel in KERNELS for law in LAWS if under(law, kernel)]


def cases(law, kernel, longest):
    """Draw cases of a law that a kernel is made for."""
    chosen = KERNELS[kernel]
    richest = chosen.weights[-1] if chosen.weights else None

    def draw(weights):
        weights = richest if weights == "richest" else weights
        return drawn(weights, **{"longest": longest} | chosen.samples)

    return LAWS[law].cases(draw)


def system_of(law, kernel):
    chosen = KERNELS[kernel]
    areas = {name: area for name, area in chosen.areas.items() if name not in LAWS[law].exempt}
    return System(areas, chosen.points, chosen.whole, chosen.table)


def check(law, kernel, *, examples, longest=LONGEST):
    chosen = KERNELS[kernel]
    for module in chosen.needs:
        pytest.importorskip(module, "3.7" if module == "triton" else None)

    @seed(SEED)
    @given(cases(law, kernel, longest))
    @settings(
        max_examples=max(examples // chosen.cost, 1),
        database=None,
        deadline=None,
        # A simpler seed is no simpler case.
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    def holds(case):
        LAWS[law].check(system_of(law, kernel), case)

    with chosen.within():
        holds()


LARGE = {"torch", "triton", "jax", "dask", "pyspark"}
"""Packages that take seconds to load."""


@pytest.mark.parametrize(
    ("law", "kernel"),
    [(law, kernel) for law, kernel in PAIRS if not LARGE & set(KERNELS[kernel].needs)],
)
def test_law_of_a_kernel(law, kernel):
    check(law, kernel, examples=3, longest=4_000 if KERNELS[kernel].cost > 1 else LONGEST)


@pytest.mark.slow
@pytest.mark.parametrize(("law", "kernel"), [pair for pair in PAIRS if "pyspark" not in pair[1]])
def test_law_of_a_kernel_at_length(law, kernel):
    check(law, kernel, examples=24)


@pytest.mark.slow
@pytest.mark.usefixtures("spark")
@pytest.mark.parametrize("law", SUBSETS["cluster of pyspark"])
def test_law_of_spark(law):
    check(law, "cluster of pyspark", examples=1)


# ---------------------------------------------------------------------- completeness


UNDER_NO_LAW = {
    "native.add_up": "as `choose`, which takes its sums",
    "native.choose": "chooses rules; test_best_rules.py compares it with fractions",
    "native.pick": "draws at random; test_draws.py compares its words with NumPy's",
}


def is_compiled(found):
    """Tell whether a function is one of the library in C, or compiled by Triton."""
    return isinstance(found, native.Loop) or callable(getattr(found, "fn", None))


def source_of(loop):
    """Return a function of Triton as Python, None of others, and the name it is known by."""
    if isinstance(loop, native.Loop):
        return None, f"native.{loop.name}"
    function = loop.fn
    return function, f"{function.__module__.rpartition('.')[2]}.{function.__name__}"


def every_loop():
    found = {}
    for module in pkgutil.iter_modules(package.__path__):
        names = vars(import_module(f"{package.__name__}.{module.name}"))
        found |= {source_of(loop)[1]: loop for loop in names.values() if is_compiled(loop)}
    return found


def reached_from(names, everything):
    reached, waiting = set(), set(names)
    while waiting:
        name = waiting.pop()
        reached.add(name)
        function = source_of(everything[name])[0]
        if function is None:
            continue  # C calls only what is not exported
        called = (function.__globals__.get(each) for each in function.__code__.co_names)
        waiting |= {source_of(loop)[1] for loop in called if is_compiled(loop)} - reached
    return reached


def test_every_compiled_loop_is_under_the_laws():
    pytest.importorskip("triton")
    everything = every_loop()
    assert {"native.pack", "native.gather", "triton_code.add_spans"} <= everything.keys()
    declared = frozenset().union(*(kernel.loops for kernel in KERNELS.values()))
    assert declared <= everything.keys()
    missing = everything.keys() - reached_from(declared, everything)
    assert missing == UNDER_NO_LAW.keys()


def test_every_kernel_is_under_laws():
    laws = {kernel: {law for law, named in PAIRS if named == kernel} for kernel in KERNELS}
    assert all({"agreement with NumPy", "row permutation"} <= found for found in laws.values())
    assert set().union(*laws.values()) == LAWS.keys()
    for kernel in KERNELS.values():
        assert kernel.exempt.keys() <= LAWS.keys()


class Counted:
    """A loop that says when it is called, from Python or as a grid of Triton."""

    def __init__(self, loop, name, calls):
        self.loop, self.name, self.calls = loop, name, calls

    def __call__(self, *given):
        self.calls.add(self.name)
        return self.loop(*given)

    def __getitem__(self, grid):
        self.calls.add(self.name)
        return self.loop[grid]


@pytest.mark.slow
@pytest.mark.parametrize(
    "kernel",
    [
        name
        for name, kernel in KERNELS.items()
        if kernel.cost < 10 and (kernel.loops or kernel.within is interpreted)
    ],
)
def test_a_kernel_runs_the_loops_it_names(monkeypatch, kernel):
    """A law of a loop that is never called would say nothing about it."""
    pytest.importorskip("triton")
    calls = set()
    for name in frozenset().union(*(each.loops for each in KERNELS.values())):
        module, _, loop = name.partition(".")
        found = import_module(f"{package.__name__}.{module}")
        monkeypatch.setattr(found, loop, Counted(getattr(found, loop), name, calls))

    for law in ("agreement with NumPy", "hull dominates"):
        if under(law, kernel):
            check(law, kernel, examples=12, longest=3_000)
    if KERNELS[kernel].within is interpreted:
        assert calls == set()
    else:
        assert KERNELS[kernel].loops <= calls


def wrong_for_many_rows(labels, scores, weights=None):
    """Forget a row of long samples, as a loop might that few rows never reach."""
    rows = slice(labels.size > 20_000, None)
    given = (labels, scores) if weights is None else (labels, scores, weights)
    return counted_by_numpy(*(column[rows] for column in given))


@pytest.mark.usefixtures("compiled_loops")
def test_a_wrong_sum_of_a_compiled_loop_is_caught(monkeypatch):
    """Areas are compared with NumPy's, not with those of the same loop."""
    right = native.sum_chunks

    def wrong(*given):
        right(*given)
        if given[0] == segments.LINES:
            given[5][:] *= 1 + 1e-9

    monkeypatch.setattr(native, "sum_chunks", wrong)
    with pytest.raises(AssertionError, match=r"pr\.area linear"):
        check("agreement with NumPy", "compiled, as it chooses", examples=3)


@pytest.mark.parametrize("law", ["agreement with NumPy", "counts by definition"])
def test_what_is_wrong_for_many_rows_is_caught(monkeypatch, law):
    monkeypatch.setitem(KERNELS, "wrong", kernels.Kernel(wrong_for_many_rows))
    with pytest.raises(AssertionError):
        check(law, "wrong", examples=8)
