"""Processes: functions that use the package, shipped to others; workers made by spawn and fork."""

import multiprocessing

import cloudpickle
import pytest

import isometrics as iso

from .programs import printed

LABELS, SCORES = [1, 0, 1, 0, 1], [0.9, 0.8, 0.7, 0.4, 0.2]

WORK = """
import isometrics as iso

def work(labels, scores):
    points = iso.OperatingPoints.from_scores(labels, scores)
    return iso.auroc_score(labels, scores), iso.compare({"a": points, "b": points})
"""


def test_a_function_that_uses_the_module_is_shipped_by_value():
    names = {"__name__": "__main__"}  # as in a notebook: no module to import it from
    exec(WORK, names)
    shipped = cloudpickle.loads(cloudpickle.dumps(names["work"]))
    assert shipped is not names["work"]
    area, comparison = shipped(LABELS, SCORES)
    assert area == iso.auroc_score(LABELS, SCORES)
    assert isinstance(comparison, iso.Comparison)


@pytest.mark.slow
def test_joblib_runs_a_function_that_uses_the_module():
    program = f"""{WORK}
from joblib import Parallel, delayed
done = Parallel(2)(delayed(work)({LABELS}, {SCORES}) for _ in range(4))
print({{area for area, _ in done}}, len(done))
"""
    assert printed("-W", "error", "-c", program) == f"{{{iso.auroc_score(LABELS, SCORES)}}} 4"


POOL = """
import multiprocessing, sys
import isometrics as iso

def work(points):
    return points, iso.auroc_score([1, 0, 1], [0.9, 0.8, 0.7])

if __name__ == "__main__":
    points = iso.OperatingPoints.from_scores({labels}, {scores})
    points.hull()
    with multiprocessing.get_context({method!r}).Pool(2) as pool:
        for restored, area in pool.map(work, [points] * 4):
            assert restored == points and not restored.tp.flags.writeable
            print(area)
"""


@pytest.mark.slow
@pytest.mark.parametrize("method", ["spawn", "fork"])
def test_a_table_goes_to_workers_and_back(method, tmp_path):
    if method not in multiprocessing.get_all_start_methods():
        pytest.skip(f"this system cannot {method}")
    program = tmp_path / "pool.py"  # a spawned worker imports the program again
    program.write_text(POOL.format(labels=LABELS, scores=SCORES, method=method), encoding="utf-8")
    assert printed("-W", "error", str(program)).split() == ["0.5"] * 4
