"""A threshold that a result prints flags the rows that its exact number flags."""

import re

import numpy as np
import pytest

from isometrics._core.results import ResultTable

from .result_classes import FACTORIES, PROBABILITIES, SCORES

DATA = [*SCORES.values(), PROBABILITIES]


def printed_rows(text):
    """Return the rows of the printed table, by the names of its columns."""
    lines = [re.split(r"\s{2,}", line.strip()) for line in text.splitlines()]
    head = next((line for line in lines if "threshold" in line), None)
    if head is None:
        return []
    return [
        dict(zip(head, line, strict=True))
        for line in lines[lines.index(head) + 1 :]
        if len(line) == len(head)
    ]


def results():
    for name, make in FACTORIES.items():
        result = make()
        if isinstance(result, ResultTable) and "threshold" in result._columns():
            yield name, result


RESULTS = dict(results())


def flags_the_same(text, threshold):
    """Tell whether the number flags the same rows of some data that have this threshold."""
    return any(
        np.array_equal(scores >= float(text), scores >= threshold)
        for scores in DATA
        if threshold in scores
    )


@pytest.mark.parametrize("name", RESULTS)
def test_a_printed_threshold_flags_the_same_rows(name):
    result = RESULTS[name]
    rows = printed_rows(repr(result))
    exact = np.atleast_1d(result._columns()["threshold"])
    for row, threshold in zip(rows, exact, strict=False):
        if np.isfinite(threshold) and any(threshold in scores for scores in DATA):
            assert flags_the_same(row["threshold"], threshold), row


def test_many_results_print_thresholds():
    printing = [name for name, result in RESULTS.items() if printed_rows(repr(result))]
    assert len(printing) >= 6, printing
