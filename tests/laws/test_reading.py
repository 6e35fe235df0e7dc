"""Laws of reading on random tables; the laws are shown to catch planted readers that are wrong."""

import os
from collections import Counter
from contextlib import contextmanager
from dataclasses import replace
from unittest import mock

import pyarrow as pa
import pytest

from isometrics.sources import opening

from . import reading
from .forms import FORMS, LACKS
from .reading import CHANGES, COPIES, Case, case

SEED = int(os.environ["ISOMETRICS_SEED"])
QUICK = range(36)
LARGE = range(4)
BUFFER = 6
"""More megabytes than a reader of text holds at once for all of its threads."""


@pytest.mark.parametrize("seed", QUICK)
def test_reading(seed, tmp_path):
    assert case(seed, tmp_path).failures == []


@pytest.mark.parametrize("seed", LARGE)
def test_reading_more_than_a_buffer(seed, tmp_path):
    assert case(seed, tmp_path, megabytes=BUFFER).failures == []


@pytest.mark.slow
@pytest.mark.parametrize("part", range(10))
def test_reading_other_tables(part, tmp_path):
    start = SEED + 1000 * part
    failures = [case(seed, tmp_path).failures for seed in range(start, start + 30)]
    assert sum(failures, []) == []


@pytest.mark.slow
@pytest.mark.parametrize("megabytes", [6, 6, 6, 6, 50])
def test_reading_other_long_tables(megabytes, tmp_path, request):
    seed = SEED + list(request.session.items).index(request.node)
    assert case(seed, tmp_path, megabytes=megabytes).failures == []
