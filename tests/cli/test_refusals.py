"""What a command cannot do is one sentence with the names of its options, and no file is written.

What can be said without the rows is said before a file is read: there is no `missing.csv`.
"""

import pytest

from isometrics.cli.help import TOPICS

from .conftest import names

TOGETHER = "give it without objectives, --on and --threshold"
ONE_RULE = "-o writes one rule; give one objective, such as --beta 1"

BEFORE_READING = {
    # Words that nobody understands.
    "summmary x": 'Unknown command "summmary". Did you mean "summary"?',
    "summary": "requires an argument",
    "summary x --labl y": "Unknown option: --labl. Did you mean --label?",
    "summary --labl x": "There is no option --labl",
    "summary x --beta one": 'unable to convert "one" into float',
    "summary --scores a missing.csv": "Give files first, then options",
    "summary --beta 1 2 missing.PARQUET": "Give files first, then options",
    "curve x --space prag": 'Choose from: "roc", "pr", "prg", "tradeoff"',
    "curve x y": "Unused Tokens",
    "curve x -o": "requires an argument",
    "compare missing.csv --index dice": '"jaccard"',
    "tradeoff missing.csv --index dice": '"jaccard"',
    "help nonsense": f"isometrics: there is no topic or command 'nonsense'; topics are "
    f"{', '.join(TOPICS)}, and isometrics --help lists the commands",
    "help --json": "Unknown option: --json",
    # Values.
    "summary missing.csv --beta -1": "isometrics: --beta must be a number ≥ 0 but is -1.0",
    "summary missing.csv --random-state -1": "isometrics: --random-state must be a whole number, 0",
    "verdict missing.csv --resamples 1": "--resamples must be a whole number, 2 or more",
    "verdict missing.csv --sure 0.9": "--sure asks how sure a rate is; give --min-precision, --min",
    "curve missing.csv -o c.xlsx": "should end in .csv",
    "plot missing.csv -o p.gif": "should end in .png, .svg or .pdf",
    "plot missing.csv -o -": "should end in .png, .svg or .pdf",
    "plot missing.csv -o /dev/stdout": "should end in .png, .svg or .pdf",
    "plot missing.csv -o p.png --dpi 1": "--dpi must be between 10 and 2000",
    "summary missing.csv -o areas.xls": "areas.xls' should end in .csv, .tsv, .parquet",
    "thresholds missing.csv -o a.xls": "should end in .json for a rule, or in .csv, .tsv, .parquet",
    # Options that do not go together.
    "verdict missing.csv --beta 1 --lambda 0.5": "more than one objective is given",
    "verdict missing.csv --beta 1 --cost 0.2": "is given; pass one of --beta and --cost",
    "verdict missing.csv --miss-cost 1": "; pass both --miss-cost and --false-alarm-cost",
    "verdict missing.csv --beta 1 2": "--beta is 1.0 2.0, which isometrics thresholds takes; give",
    "convert missing.csv c.csv --drop-missing": "--drop-missing is for commands that count rows",
    "verdict missing.csv --threshold 0.5 --fold site": "give it without --fold, --sure and",
    "verdict missing.csv --threshold 0.5 --sure 0.9 --min-precision 0.5": "without --fold, --sure",
    "verdict missing.csv --threshold 0.5 --guarantee 0.9 --max-fpr 0.5": "without --fold, --sure",
    "verdict missing.csv --fold a --group b": "give it without --group and --thresholds-from",
    "verdict missing.csv --fold a --thresholds-from b": "without --group and --thresholds-from",
    "thresholds missing.csv --all --beta 1": TOGETHER,
    "thresholds missing.csv --all --on other.csv": TOGETHER,
    "thresholds missing.csv --all --threshold 1": TOGETHER,
    "thresholds missing.csv --confidence 0.9": "--confidence is that of --threshold; isometrics",
    "thresholds missing.csv --threshold 1 --beta 1 2": "best one for one objective; give one",
    "thresholds missing.csv --sure 0.9": "--sure is for isometrics verdict",
    "thresholds missing.csv --guarantee 0.9": "--guarantee is for isometrics verdict",
    "verdict missing.csv --guarantee 0.9": "--guarantee is that a constraint holds; give one, such",
    "verdict missing.csv --guarantee 0.9 --sure 0.9 --min-recall 0.5": "give --sure or --guarantee",
    "verdict missing.csv --max-fpr 0.1 --min-specificity 0.9": "give --max-fpr or --min-spec",
    "verdict missing.csv --min-recall 0.5 --guarantee 0.9 --clusters": "--guarantee is proven of",
    "verdict missing.csv --min-recall 0.5 --guarantee 0.9 --fold site": "--clusters and --fold",
    "thresholds missing.csv --budget 10 --prevalence 0.01": "--budget counts rows of the file, "
    "which --prevalence replaces by scaled",
    "thresholds missing.csv -o rule.json": ONE_RULE,
    "thresholds missing.csv -o rule.json --beta 1 2": ONE_RULE,
    "thresholds missing.csv -o rule.json --all": ONE_RULE,
    "serve --thresholds-from missing.csv": "--thresholds-from needs the file that is judged, too",
    "plot missing.csv --space comparison -o p.svg --confidence 0.9": "choose another --space",
    "apply missing.json missing.csv --json": "--json tells what was written to a file; name one",
    "summary missing.csv --scores x=a --scores x=b": "--scores gives one model two columns",
    **{
        f"{command} missing.csv --confidence 95": "--confidence must be strictly between 0 and 1"
        for command in ("summary", "compare", "plot -o p.png", "report -o p.html", "verdict")
    },
}
AFTER_READING = {
    "summary FILE --label lable": "--label is 'lable', which is no column; did you mean 'label'",
    "summary FILE --group gruop": "--group is 'gruop', which is no column; did you mean 'group'",
    "verdict FILE --fold gruop": "--fold is 'gruop', which is no column; did you mean 'group'",
    "verdict FILE --fold group --label lable": "--label is 'lable'",
    "summary FILE --pos-label a": "--pos-label 'a' cannot be a value of the label column",
    "summary FILE --model group": "; say which with --scores, or --model '' if each column is a "
    "model or a class",
    "summary FILE --prevalence 2": "--prevalence",
    "summary FILE --beta 1 1.0000001": "isometrics: --beta must have values that differ in six",
    "summary FILE --prevalence 1e-320": "prevalence 1e-320 is too small",
    "summary FILE --prevalence 1e-120": "prevalence 1e-120 is too small",
    "tradeoff FILE --lambda 2": "isometrics: --lambda must be between 0 and 1 but is 2.0",
    "tradeoff FILE --min-precision 1": "bad (all rows): no point reaches precision 1",
    "compare FILE --scores good": "a comparison needs two models or more but got 1",
    "plot FILE -o a.png --space pr pr": "--space must be different but are pr, pr",
    "plot FILE -o a.png --space pr all": "--space must be one of 'roc', 'pr', 'prg', 'tradeoff' "
    "but is 'all'",
    "verdict FILE --scores bad --min-precision 1": "no threshold of any model has precision of 1; "
    "ask for less",
    "verdict FILE --clusters --group ''": "there are no groups to draw; --clusters needs groups, "
    "such as a column of patients",
    "thresholds FILE --beta 1 -o rule.json": "-o writes the rule of one model, but there are "
    "'good' and 'bad'; choose one with --scores, or let isometrics verdict -o choose",
    "thresholds FILE --min-precision 1.0 --scores bad --group '' -o rule.json": "no threshold "
    "reaches precision 1; the best is",
    "convert FILE m.xyz": "tells no format; add --to csv|",
    "convert FILE m.csv --to xlsx": "--to must be one of 'csv'",
    "convert FILE m.csv --from excel": "--from must be one of",
    "convert FILE m.list": "one model",
    "convert FILE m.roc": "one model, but there are 'good', 'bad'",
    "convert FILE m.csv --positives 3": "leave --positives out",
    "convert FILE m.list --scores good --weight bad": "holds no weights",
    "convert FILE m.list --scores good --model group": "holds one model",
    "convert FILE m.list --scores good --memory-limit 100B": "must be at least 250MB",
}


def words_of(line, file):
    return ["" if word == "''" else file if word == "FILE" else word for word in line.split()]


@pytest.mark.parametrize("line", [*BEFORE_READING, *AFTER_READING])
def test_refusals(call, grouped, tmp_path, monkeypatch, line):
    monkeypatch.chdir(tmp_path)
    done = call(*words_of(line, grouped), code=2)
    assert done.out == ""
    sentence = done.err.splitlines()[-1]
    assert (BEFORE_READING | AFTER_READING)[line] in sentence
    assert line in AFTER_READING or done.err.count("\n") == 1
    assert names(tmp_path) == [grouped.name]
