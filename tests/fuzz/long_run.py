"""The long runs of the fuzz tests.

``python tests/fuzz/long_run.py --mutations 10000`` runs mutated files through every command;
``--compared 5000`` compares the command with a second reader. A seed is drawn and printed;
``--seed`` or ``ISOMETRICS_SEED`` repeats a run.
"""

import argparse
import faulthandler
import os
import secrets
import sys
import tempfile
import time
from pathlib import Path

# The modules beside this one belong to a package, which a script is not part of.
sys.path.insert(0, str(Path(__file__).parents[1]))
from fuzz import differential, fuzzing


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mutations", type=int, default=0)
    parser.add_argument("--compared", type=int, default=0)
    seed = int(os.environ.get("ISOMETRICS_SEED", secrets.randbits(32)))
    parser.add_argument("--seed", type=int, default=seed)
    chosen = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="isometrics-fuzz-"))
    print(f"seed {chosen.seed}, files in {folder}", flush=True)
    # A crash of a library, or a file that takes forever, should say where.
    faulthandler.enable()
    failures = mutate(folder, chosen.mutations, chosen.seed) if chosen.mutations else []
    failures += compare(folder, chosen.compared, chosen.seed) if chosen.compared else []
    print(*failures, sep="\n")
    return bool(failures)


def mutate(folder: Path, mutations: int, seed: int) -> list[str]:
    start = time.monotonic()

    def tell(done, found):
        rate = done / (time.monotonic() - start)
        print(f"{done} done, {rate:.1f}/s, exit codes {dict(found.codes)}", flush=True)

    found = fuzzing.fuzz(folder, mutations, seed, report=tell)
    took, what = found.slowest
    print(
        f"seed {seed}: {mutations} mutations in {time.monotonic() - start:.0f} s, "
        f"exit codes {dict(found.codes)}, {len(found.failures)} failures, "
        f"the slowest {took:.1f} s ({what})"
    )
    return found.failures


def compare(folder: Path, files: int, seed: int) -> list[str]:
    start = time.monotonic()

    def tell(done, found):
        print(f"{done} files, {len(found)} differences", flush=True)

    found = differential.run(folder, range(files), seed, report=tell)
    took = time.monotonic() - start
    print(f"seed {seed}: {files} files in {took:.0f} s, {len(found)} differences")
    return found


if __name__ == "__main__":
    sys.exit(main())
