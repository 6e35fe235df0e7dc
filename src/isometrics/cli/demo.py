"""`isometrics demo`: a worked example with simulated predictions of two fraud models."""

from __future__ import annotations

import csv
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from isometrics._core.progress import part_of_progress
from isometrics._core.writing import whole_file
from isometrics.cli.options import ANSWERS, Answers, Columns, about, load
from isometrics.cli.output import Meter, Part, answer, part_of, say
from isometrics.cli.thresholds import BY_DEFAULT, JUDGED, judged
from isometrics.errors import FileError, system_reason
from isometrics.measures import AUPR, AUROC

if TYPE_CHECKING:
    from collections.abc import Iterable

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
    columns = Columns(pos_label="fraud")
    tuning = load(files["tuning"], columns, answers)
    test = load(files["test"], columns, answers, keep_rows=True)
    with Meter("resampling", unit="resamples", quiet=answers.quiet) as meter:
        verdicts = [
            test.verdict(
                beta=beta, by_group=False, progress=part_of_progress(meter, part, len(BETAS))
            )
            for part, beta in enumerate(BETAS)
        ]
    title = "Two fraud models, compared"
    page = test.report(folder / "report.html", title=title, verdict=verdicts[0])
    if answers.json:
        parts = [
            part_of("summary", test.summary()),
            Part("thresholds", JUDGED, judged(tuning, test, BY_DEFAULT.each())),
        ]
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

    for path, chosen in ((tuning, first), (test, ~first)):
        _write(
            path,
            (
                (
                    f"p{row:05d}",
                    "fraud" if fraud[row] else "honest",
                    f"{logit[row]:.6f}",
                    f"{forest[row]:.3f}",
                )
                for row in np.flatnonzero(chosen)
            ),
        )


def _write(path: Path, rows: Iterable[tuple[str, ...]]) -> None:
    with whole_file(path) as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["payment", "label", "logit", "forest"])
        writer.writerows(rows)
