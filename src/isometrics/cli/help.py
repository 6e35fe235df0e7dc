"""`isometrics help`: a page for each command, and one for each topic that several share."""

from __future__ import annotations

import re
from inspect import cleandoc
from shutil import get_terminal_size
from textwrap import fill
from typing import TYPE_CHECKING, Any, TypeVar

from isometrics.errors import ParameterError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

Command = TypeVar("Command", bound="Callable[..., Any]")

TASKS: Mapping[str, Mapping[str, str]] = {
    "Decide": {
        "verdict": "Which model, which threshold, and how sure",
        "summary": "All areas, baselines, the best thresholds",
        "thresholds": "The best thresholds for F, costs, constraints",
        "apply": "Flag the rows of a file by a saved rule",
        "compare": "Who is best for which weight of recall",
    },
    "Look": {
        "report": "All of it as one HTML page, to share",
        "serve": "The same page in the browser, until Ctrl-C",
        "plot": "Pictures of one space or several",
        "curve": "The points of a curve, as a file",
        "tradeoff": "The best threshold by the weight of recall",
    },
    "Prepare files": {
        "convert": "Write predictions in another format",
        "calibrate": "Learn calibrated scores, or apply them",
    },
    "Learn and check": {
        "demo": "Simulate two fraud models, and choose one",
        "help": "Explain a topic or a command",
        "doctor": "What is installed, and whether it works",
    },
}
"""The commands by task, with what each is for."""
COMMANDS = tuple(name for commands in TASKS.values() for name in commands)

TOPICS: Mapping[str, str] = {
    "files": """\
A file of predictions has one row for each item, with its true label and a
score from each model.

  is_fraud,forest,logit
  1,0.91,0.774
  0,0.04,0.613

Higher scores must mean "more likely positive". Labels are 0 and 1, true and
false, yes and no, or any two words; --pos-label names the positive one where
the words do not tell.

CSV, TSV, Parquet, Arrow, JSON lines and Excel files are read, compressed ones
too; so are tables of databases, such as duckdb:///runs.db?table=t, and files
of other tools (isometrics convert --help). "-" is standard input.

Columns are recognised by their names and values. To choose them:

  isometrics summary runs.csv --label y --scores forest new=p_new
  isometrics summary long.csv --model model --scores score

--drop-missing leaves out rows with missing values, --decimal , reads 0,5783,
and --no-header says that the first line is a row. Files may be larger than
memory; --memory-limit 2GB limits what reading may use.""",
    "objectives": """\
What is best depends on what a mistake costs. Give one objective to verdict,
several to thresholds:

  --beta 1                              F1: both count equally
  --beta 2                              recall counts twice as much
  --miss-cost 100 --false-alarm-cost 5  money: the lowest cost per row
  --min-precision 0.9                   the highest recall at that precision
  --min-recall 0.8                      the highest precision at that recall
  --budget 200                          the highest recall, 200 rows flagged

Objectives and constraints combine: --beta 1 --min-precision 0.8.

--prevalence 0.001 answers for data in which one item of a thousand is
positive, whatever the share in the file is.""",
    "certainty": """\
The best threshold looks better on the rows it was chosen on than on new ones.
So the verdict says what to expect on new data: it chooses model and threshold
on four fifths of the rows and tests them on the rest, 20 times. Intervals
come from 2,000 resamples of the rows.

  isometrics verdict predictions.csv
  isometrics verdict test.csv --thresholds-from tuning.csv
  isometrics summary predictions.csv --confidence 0.95
  isometrics compare predictions.csv --confidence 0.95

The second chooses on tuning data and tests on other rows. The last two add
intervals for all areas, and for the differences between models. --resamples
changes the number of resamples, --random-state their seed.""",
    "words": """\
precision     of the rows that are flagged, the share that is positive
recall        of the positive rows, the share that is flagged
threshold     rows whose score is at least the threshold are flagged
prevalence    the share of positives among all rows
F, β          one number for precision and recall; recall counts β times
              as much as precision
gain          precision, recall or F on a scale where the prevalence is 0 and
              a perfect rule is 1, and on which F may be averaged
{auroc:<14}how often a positive row has a higher score than a negative one
{aupr:<14}precision, averaged over all recalls
{auprg:<14}precision gain, averaged over all recall gains; 0 for a model
              that gives every row the same score
hull          the thresholds that are best for some β or some costs; all
              others can be beaten
baseline      the value of a model that gives every row the same score""",
    "rules": """\
A rule is a model, a threshold and why it was chosen, in one JSON file:

  isometrics verdict tuning.csv --budget 200 -o rule.json
  isometrics apply rule.json new.parquet -o flagged.parquet

A row is flagged if its score is at least the threshold. Printed thresholds
can be used as they are: they flag the same rows as the exact ones.""",
    "exit-codes": """\
0    fine
1    a defect of isometrics; run again with --debug and report it
2    a file or an option that cannot be used; one sentence says what to do
129  ended by SIGHUP
130  interrupted with Ctrl-C
143  ended by SIGTERM

A file is never left half written: it appears once it is complete.""",
}
"""What several commands have in common, in lines of 80 characters or less."""


_LISTED = "".join(
    f"\n{task}:\n" + "".join(f"  {name:<12}{what}\n" for name, what in commands.items())
    for task, commands in TASKS.items()
)
PAGE = f"""\
Usage: isometrics COMMAND

Precision-recall analysis of prediction files.

For example:
  isometrics verdict FILE   which model, which threshold
  isometrics report FILE    a page to look at and to share
  isometrics help files     what a FILE looks like
{_LISTED}
Options:
  --help (-h)           What you are reading
  --install-completion  Install completion for the shell
  --version             Print the version"""
"""What help prints first, in lines of 60 characters or less."""

MORE = f"More: isometrics help TOPIC, where TOPIC is {', '.join(TOPICS)} or a command."


def unwrapped(command: Command) -> Command:
    """Join the lines of each paragraph of the help, so that they break where the terminal ends.

    Lines of a paragraph begin at the same column. Examples that are longer than a line go on in the
    next one, as a shell reads them.
    """
    width = get_terminal_size().columns
    lines: list[str] = []
    for line in cleandoc(command.__doc__ or "").splitlines():
        above = lines[-1] if lines else ""
        same_margin = _margin(line) == _margin(above)
        is_underline = "---" in (line.strip()[:3], above.strip()[:3])
        is_example = line.lstrip().startswith("isometrics ")
        if is_example:
            lines += continued(line, width)
        elif line and above and same_margin and not is_underline:
            lines[-1] = f"{above} {line.strip()}"
        else:
            lines.append(line)
    command.__doc__ = "\n".join(lines)
    return command


def continued(example: str, width: int) -> list[str]:
    """Break an example between two words where it is longer than a line."""
    first, *words = re.findall(r'(?:"[^"]*"|\S)+', example)
    lines = [" " * _margin(example) + first]
    for word in words:
        if len(f"{lines[-1]} {word} \\") <= width or lines[-1].endswith(f" {first}"):
            lines[-1] += f" {word}"
        else:
            lines[-1] += " \\"
            lines.append(" " * (_margin(example) + 4) + word)
    return lines


def _margin(line: str) -> int:
    return len(line) - len(line.lstrip())


def text_of(topic: str) -> str:
    """Return a topic with the printed names of measures, which are loaded only here."""
    from isometrics import measures

    return TOPICS[topic].format(
        auroc=measures.AUROC.name, aupr=measures.AUPR.name, auprg=measures.AUPRG.name
    )


def print_page() -> None:
    """Print what the command can do; no library is loaded for it."""
    print(PAGE, fill(MORE, get_terminal_size().columns), sep="\n\n")


def help_(topic: str | None = None, /) -> None:
    """Explain a topic or a command; without one, list both.

    For example:
      isometrics help objectives
      isometrics help verdict

    Parameters
    ----------
    topic
        files, objectives, certainty, words, rules, exit-codes, or the name of a command.
    """
    if not topic:
        print_page()
    elif topic in TOPICS:
        print(text_of(topic))
    elif topic in COMMANDS:
        from isometrics.cli.app import application

        application(topic).help_print([topic])
    else:
        raise ParameterError(
            f"there is no topic or command {topic!r}; topics are {', '.join(TOPICS)}, and "
            "isometrics --help lists the commands"
        )
