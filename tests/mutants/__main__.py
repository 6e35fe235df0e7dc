"""Sample mutants of the mathematical modules, and see which of them the tests kill.

The sample depends on the seed and the sources alone. Verdicts are kept in ``.cache/mutants``: a
run that was stopped goes on where it was, and with new tests only the survivors run again.
``tests/mutants.md`` lists the survivors that behave like the original.
"""

import argparse
import hashlib
import json
import re
import secrets
import sys
from collections import Counter
from pathlib import Path

import coverage_by_test
import trials
from coverage_by_test import Coverage
from mutations import Mutant, mutants_of

ROOT = Path(__file__).parents[2]
PACKAGE = Path("src/isometrics")
FOLDER = ROOT / ".cache" / "mutants"
VERDICTS = FOLDER / "verdicts.jsonl"
MEASURED = FOLDER / "measured"  # a digest of the sources and tests that coverage was measured with
LISTED = ROOT / "tests" / "mutants.md"
TARGETS = [
    "spaces",
    "measures.py",
    "_table/path.py",
    "_counting/hull.py",
    "_counting/tally.py",
    "decisions",
    "calibration.py",
    "uncertainty",
]
KILLED = {"killed", "timeout"}
LEAST_KILLED = 0.9
BUDGET = 40.0
"""Seconds of tests for a mutant."""


def parse_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python tests/mutants", description=__doc__)
    parser.add_argument("targets", nargs="*", default=TARGETS, help="modules and folders")
    parser.add_argument("--count", type=int, default=1000, help="how many mutants to sample")
    parser.add_argument("--seed", type=int, default=secrets.randbits(32))
    parser.add_argument("--keys", nargs="+", help="these mutants instead of a sample")
    parser.add_argument("--tests", nargs="+", default=["tests"], help="where to look for tests")
    parser.add_argument("--workers", type=int, default=1, help="processes at the same time")
    return parser.parse_args()


def main() -> int:
    options = parse_options()
    print(f"seed {options.seed}", flush=True)
    FOLDER.mkdir(parents=True, exist_ok=True)
    paths = target_modules(options.targets)
    sample = sample_mutants(paths, options)
    coverage = measure_coverage(paths, options)
    verdicts = run_trials(sample, coverage, options)
    return report(sample, verdicts)


def target_modules(targets: list[str]) -> list[Path]:
    paths = []
    for target in targets:
        path = ROOT / PACKAGE / target
        paths += sorted(path.rglob("*.py")) if path.is_dir() else [path]
    return [path.relative_to(ROOT) for path in paths]


def sample_mutants(paths: list[Path], options: argparse.Namespace) -> list[Mutant]:
    """Return the mutants whose keys come first in an order that the seed decides."""
    mutants = [mutant for path in paths for mutant in mutants_of(path, ROOT)]
    if options.targets == TARGETS:
        for key in sorted(listed_mutants() - {mutant.key for mutant in mutants}):
            print(f"{key} is listed in tests/mutants.md, but its code has changed", flush=True)
    if options.keys:
        return [mutant for mutant in mutants if mutant.key in options.keys]
    mutants.sort(key=lambda each: hashlib.sha256(f"{options.seed} {each.key}".encode()).digest())
    print(f"{min(options.count, len(mutants))} of {len(mutants)} mutants", flush=True)
    return mutants[: options.count]


def measure_coverage(paths: list[Path], options: argparse.Namespace) -> Coverage:
    """Measure which tests run which lines, unless that is known for these sources and tests."""
    files = [ROOT / "conftest.py", *ROOT.glob("src/**/*.py"), *ROOT.glob("tests/**/*.py")]
    digest = hashlib.sha256(repr((options.tests, paths)).encode())
    for file in sorted(set(files) - set(Path(__file__).parent.iterdir())):
        digest.update(file.read_bytes())
    if not MEASURED.exists() or MEASURED.read_text() != digest.hexdigest():
        MEASURED.unlink(missing_ok=True)
        coverage_by_test.measure(ROOT, paths, FOLDER, options.tests, options.workers)
        MEASURED.write_text(digest.hexdigest())
    return coverage_by_test.load(ROOT, FOLDER)


def run_trials(
    sample: list[Mutant], coverage: Coverage, options: argparse.Namespace
) -> dict[str, str]:
    verdicts = earlier_verdicts(sample)
    waiting = {mutant.key: mutant for mutant in sample if mutant.key not in verdicts}
    tests = {key: covering_tests(each, coverage) for key, each in waiting.items()}
    if not waiting:
        return verdicts
    place = {"root": ROOT, "folder": FOLDER, "workers": options.workers, "seed": options.seed}
    failing = failing_tests(sorted(set().union(*tests.values())), place)
    queue = []
    for key, mutant in waiting.items():
        usable = [test for test in tests[key] if test not in failing]
        # Generous, as the machine may be busy: only an endless loop should reach the limit.
        limit = 60 + 10 * sum(coverage.seconds[test] for test in usable)
        if usable:
            stages = own_tests_first(mutant.path, usable)
            queue.append(trials.Trial(key, mutant.path, mutant.source, stages, limit))
        else:
            verdicts[key] = "untested"
    with VERDICTS.open("a") as file:
        for number, outcome in enumerate(trials.run(queue, **place), 1):
            verdicts[outcome.key] = outcome.verdict
            mutant = waiting[outcome.key]
            line = {"module": digest_of(mutant.path), "measured": MEASURED.read_text()}
            line |= vars(outcome)
            file.write(json.dumps(line) + "\n")
            file.flush()
            print(
                f"{number}/{len(queue)} {mutant.key} {outcome.verdict} {mutant.title}", flush=True
            )
    return verdicts


def earlier_verdicts(sample: list[Mutant]) -> dict[str, str]:
    """Return kills while the module is the same, and survivals while the tests are, too."""
    if not VERDICTS.exists():
        return {}
    modules = {mutant.key: digest_of(mutant.path) for mutant in sample}
    lines = [json.loads(line) for line in VERDICTS.read_text().splitlines()]
    return {
        line["key"]: line["verdict"]
        for line in lines
        if modules.get(line["key"]) == line["module"]
        and (line["verdict"] in KILLED or line["measured"] == MEASURED.read_text())
    }


def digest_of(path: Path) -> str:
    return hashlib.sha256((ROOT / path).read_bytes()).hexdigest()[:16]


def covering_tests(mutant: Mutant, coverage: Coverage) -> list[str]:
    """Return the fastest tests that run the lines, or any of the module's if none does."""
    chosen: list[str] = []
    spent = 0.0
    tests = coverage.tests_of(mutant.path, mutant.lines) or coverage.tests_of(mutant.path, None)
    for test in tests:
        spent += coverage.seconds[test]
        if chosen and spent > BUDGET:
            break
        chosen.append(test)
    return chosen


def own_tests_first(path: Path, tests: list[str]) -> list[list[str]]:
    """Split tests into those that mirror the module, which kill most of its mutants, and others."""
    module = path.relative_to(PACKAGE)
    mirror = module.parent if module.parent.name else Path(f"test_{module.name}")
    own = [test for test in tests if Path(test.partition("::")[0]).is_relative_to("tests" / mirror)]
    others = [test for test in tests if test not in set(own)]
    return [stage for stage in (own, others) if stage]


def failing_tests(tests: list[str], place: dict[str, object]) -> set[str]:
    """Return the tests that fail without a mutant: they would kill every one."""
    control = trials.Trial("control", None, str, [tests], limit=3600)
    (outcome,) = trials.run([control], **(place | {"workers": 1}))
    if outcome.verdict not in {"survived", "killed"}:
        sys.exit(
            f"the tests do not run without a mutant ({outcome.verdict}): {FOLDER}/copy-0/output"
        )
    for test in outcome.tests:
        print(f"fails without a mutant, and is not used: {test}", flush=True)
    return set(outcome.tests)


def listed_mutants() -> set[str]:
    """Return the keys of the survivors that tests/mutants.md explains."""
    return set(re.findall(r"^\| `([0-9a-f]{10})`", LISTED.read_text("utf-8"), re.MULTILINE))


def report(sample: list[Mutant], verdicts: dict[str, str]) -> int:
    """Print the survivors and the share that is killed; return the exit status."""
    listed = listed_mutants()
    survivors = [mutant for mutant in sample if verdicts[mutant.key] not in KILLED]
    unlisted = [mutant for mutant in survivors if mutant.key not in listed]
    for mutant in unlisted:
        print(f"\n{mutant.key} {verdicts[mutant.key]} {mutant.title}")
        print(f"  - {mutant.original}\n  + {mutant.changed}")
    for key in sorted(listed & {key for key, verdict in verdicts.items() if verdict in KILLED}):
        print(f"{key} is listed in tests/mutants.md, but a test kills it")
    print(f"\n{dict(Counter(verdicts.values()))}")
    share = 1 - len(survivors) / len(sample)
    print(
        f"{share:.1%} of {len(sample)} mutants killed; "
        f"{len(survivors) - len(unlisted)} survivors listed in tests/mutants.md, "
        f"{len(unlisted)} not"
    )
    return int(bool(unlisted) or share < LEAST_KILLED)


if __name__ == "__main__":
    sys.exit(main())
