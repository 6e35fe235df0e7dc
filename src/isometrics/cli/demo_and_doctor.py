"""`isometrics demo` and `doctor`: a worked example, and whether the installation works."""

from __future__ import annotations

import platform
import re
import sys
import tempfile
from importlib import metadata
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from isometrics._core import __version__
from isometrics._core.parameters import part_of_progress
from isometrics.cli.options import ANSWERS, Answers, Request, about, load
from isometrics.cli.output import Part, answer, meter, part_of, say
from isometrics.cli.table_files import write_table
from isometrics.errors import FileError, system_reason
from isometrics.measures import AUPR, AUROC

if TYPE_CHECKING:
    from isometrics.analysis import Analysis
    from isometrics.verdict.verdict import Verdict

SEED = 2015
ROWS = 20_000
PREVALENCE = 0.02
BETAS = (1, 4)
"""AUROC picks the wrong model for the first, AUPR for the second."""


def demo(
    *,
    output: Annotated[str, Parameter(alias="-o")] = "demo-report",
    answers: Answers = ANSWERS,
) -> None:
    """Simulate two fraud models, say which one to use for what, and write a report.

    For example:
      isometrics demo
      isometrics demo -o "my folder"

    Parameters
    ----------
    output
        The folder for the prediction files and the report.
    """
    folder = Path(output)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FileError(f"cannot make the folder {output!r}: {system_reason(error)}") from error
    files = {part: str(folder / f"{part}.csv") for part in ("tuning", "test")}
    simulate(*map(Path, files.values()))
    request = Request(pos_label="fraud", json=answers.json, quiet=answers.quiet)
    test = load(files["test"], request, keep_rows=True)
    with meter("resampling", unit="resamples", quiet=answers.quiet) as progress:
        verdicts = [
            test.verdict(
                beta=beta, by_group=False, progress=part_of_progress(progress, part, len(BETAS))
            )
            for part, beta in enumerate(BETAS)
        ]
    title = "Two fraud models, compared"
    page = test.report(folder / "report.html", title=title, verdict=verdicts[0])
    if answers.json:
        parts = [part_of("summary", test.summary())]
        said = {"verdict": verdicts[0].to_dict(), "report": str(page)}
        answer(about(test) | files | said, parts, as_json=True)
        return
    say(_story(test, *verdicts))
    print(f"\nPredictions: {' and '.join(files.values())}")
    print(f"Try next:\nisometrics verdict {quote(files['test'])} --pos-label fraud")
    print(f"Report:\n{page}")


def _story(test: Analysis, equal: Verdict, recall: Verdict) -> list[str]:
    """Tell which model each area would pick, and what that would cost."""
    from isometrics.decisions.best import best_threshold

    forest, logit = test.models["forest"], test.models["logit"]
    flagged, missing = best_threshold(logit, beta=BETAS[0]), best_threshold(forest, beta=BETAS[1])
    share = f"{equal.positives:,} of {equal.rows:,} card payments are frauds"
    return [
        f"Two simulated models, forest and logit; {share}.",
        "",
        "If precision and recall count equally (F1):",
        equal.sentence(),
        f"{AUROC} would pick logit ({logit.roc.area():.3f} against {forest.roc.area():.3f}), whose "
        f"best F1 is {flagged.f:.2f}:",
        f"it finds {flagged.tp} frauds at {flagged.fp} false alarms, forest "
        f"{equal.decision.tp} at {equal.decision.fp}.",
        "",
        f"If a missed fraud is worse (recall counts {BETAS[1]} times as much, F{BETAS[1]}):",
        recall.sentence(),
        f"{AUPR} would pick forest ({forest.pr.area():.3f} against {logit.pr.area():.3f}), whose "
        f"best F{BETAS[1]} is {missing.f:.2f}:",
        f"it misses {missing.fn} frauds, logit {recall.decision.fn}.",
    ]


def simulate(tuning: Path, test: Path) -> None:
    """Write predictions of two models on card payments, half of them for tuning.

    `forest` finds half of the frauds almost surely and is close to guessing on the others.
    `logit` ranks all frauds fairly well, but some honest payments look just as suspicious to it.
    """
    import numpy as np

    rng = np.random.default_rng(SEED)
    fraud = rng.random(ROWS) < PREVALENCE
    first = rng.permutation(ROWS) < ROWS // 2

    odd = ~fraud & (rng.random(ROWS) < 0.03)
    evidence = rng.normal(np.where(fraud, 2.2, np.where(odd, 2.0, -0.3)), 1.0)
    logit = 1 / (1 + np.exp(4.5 - 1.3 * evidence))

    known = fraud & (rng.random(ROWS) < 0.5)
    vote_share = np.where(known, rng.beta(5, 2.5, ROWS), rng.beta(0.8, 18, ROWS))
    vote_share = np.where(fraud & ~known, rng.beta(1.0, 14, ROWS), vote_share)
    forest = rng.binomial(500, vote_share) / 500

    columns = {
        "payment": np.array([f"p{row:05d}" for row in range(ROWS)]),
        "label": np.where(fraud, "fraud", "honest"),
        "logit": logit.round(6),
        "forest": forest,
    }
    for path, chosen in ((tuning, first), (test, ~first)):
        write_table({name: values[chosen] for name, values in columns.items()}, str(path))


# ---------------------------------------------------------------------- doctor

_REQUIREMENT = re.compile(r"""^([\w.-]+).*?(?:extra == ['"]([\w-]+)['"])?$""")
FINE, PROBLEM = "fine", "problem"


def doctor(*, answers: Answers = ANSWERS) -> int:
    """Print the versions of all parts, what is missing and how to get it, and a self-check.

    The exit code is 2 if something needed is missing or broken.

    For example:
      isometrics doctor
      isometrics doctor --json
    """
    parts = [_part(line) for line in metadata.requires("isometrics") or []]
    checks = []
    for name, check in CHECKS.items():
        try:
            found, state = check(), FINE
        except Exception as error:  # a doctor reports whatever hurts
            found, state = f"{type(error).__name__}: {error}", PROBLEM
        checks.append({"check": name, "found": found, "state": state})
    is_fine = PROBLEM not in [row["state"] for row in [*parts, *checks]]
    answer(
        {"python": sys.version.split()[0], "platform": platform.platform(), "fine": is_fine},
        [
            Part("parts", f"isometrics {__version__} and what it uses", _table(parts)),
            Part("checks", "Checks", _table(checks)),
        ],
        as_json=answers.json,
    )
    return 0 if is_fine else 2


def _table(rows: list[dict[str, str]]) -> dict[str, list[str]]:
    return {name: [row[name] for row in rows] for name in rows[0]}


def _part(requirement: str) -> dict[str, str]:
    """Return what is installed of a requirement of the package, or of one of its extras."""
    name, extra = re.match(_REQUIREMENT, requirement).groups()  # type: ignore[union-attr]
    row = {"part": name, "version": "missing", "for": extra or "needed", "state": FINE}
    try:
        return row | {"version": metadata.version(name), "to get it": ""}
    except metadata.PackageNotFoundError:
        wanted = f"isometrics[{extra}]" if extra else name
        state = "optional" if extra else PROBLEM
        return row | {"state": state, "to get it": f"pip install '{wanted}'"}


def _small_file() -> str:
    from isometrics.analysis import read_predictions

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "predictions.csv"
        path.write_text("label,score\n1,0.9\n0,0.8\n1,0.7\n0,0.1\n", encoding="utf-8")
        (points,) = read_predictions(path).models.values()
    if (area := points.roc.area()) != 0.75:
        raise ArithmeticError(f"the {AUROC} of a small file is {area} instead of 0.75")
    return f"{AUROC} 0.75, as it should be"


def _compiled_loops() -> str:
    from isometrics._counting.native import MISSING, available

    return "loaded" if available() else f"{MISSING.partition(':')[0]}; NumPy does the same work"


CHECKS = {"a small file": _small_file, "compiled loops": _compiled_loops}
