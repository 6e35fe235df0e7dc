"""Processes: functions that use the package, shipped to others; workers made by spawn and fork."""

import subprocess
import sys

import cloudpickle

import isometrics as iso

LABELS, SCORES = [1, 0, 1, 0, 1], [0.9, 0.8, 0.7, 0.4, 0.2]

WORK = """
import isometrics as iso

def work(labels, scores):
    points = iso.OperatingPoints.from_scores(labels, scores)
    return iso.auroc_score(labels, scores), iso.compare({"a": points, "b": points})
"""


def run(program):
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", program], check=False, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_a_function_that_uses_the_module_is_shipped_by_value():
    names = {"__name__": "__main__"}  # as in a notebook: no module to import it from
    exec(WORK, names)
    shipped = cloudpickle.loads(cloudpickle.dumps(names["work"]))
    assert shipped is not names["work"]
    area, comparison = shipped(LABELS, SCORES)
    assert area == iso.auroc_score(LABELS, SCORES)
    assert isinstance(comparison, iso.Comparison)


def test_joblib_runs_a_function_that_uses_the_module():
    program = f"""{WORK}
from joblib import Parallel, delayed
done = Parallel(2)(delayed(work)({LABELS}, {SCORES}) for _ in range(4))
print({{area for area, _ in done}}, len(done))
"""
    assert run(program) == f"{{{iso.auroc_score(LABELS, SCORES)}}} 4"
