"""The long run of the fuzz test: ``python tests/fuzz/long_run.py --mutations 10000``.

It prints its seed, a new one in every run; ``--seed`` or ``ISOMETRICS_SEED`` repeats a run.
"""

import argparse
import faulthandler
import os
import secrets
import sys
import tempfile
import time
from pathlib import Path

from fuzzing import fuzz


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mutations", type=int, default=10_000)
    seed = int(os.environ.get("ISOMETRICS_SEED", secrets.randbits(32)))
    parser.add_argument("--seed", type=int, default=seed)
    chosen = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="isometrics-fuzz-"))
    print(f"seed {chosen.seed}, {chosen.mutations} mutations, files in {folder}", flush=True)
    # A crash of a library, or a file that takes forever, should say where.
    faulthandler.enable()
    start = time.monotonic()

    def tell(done, found):
        rate = done / (time.monotonic() - start)
        print(f"{done} done, {rate:.1f}/s, exit codes {dict(found.codes)}", flush=True)

    found = fuzz(folder, chosen.mutations, chosen.seed, report=tell)
    print(*found.failures, sep="\n")
    took, what = found.slowest
    print(
        f"seed {chosen.seed}: {chosen.mutations} mutations in {time.monotonic() - start:.0f} s, "
        f"exit codes {dict(found.codes)}, {len(found.failures)} failures, "
        f"the slowest {took:.1f} s ({what})"
    )
    return bool(found.failures)


if __name__ == "__main__":
    sys.exit(main())
