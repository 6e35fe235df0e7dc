"""Python in a process of its own."""

import subprocess
import sys


def printed(*arguments):
    """Return what Python prints that is started with some arguments; it must not fail."""
    done = subprocess.run(
        [sys.executable, *arguments], check=False, capture_output=True, text=True, timeout=600
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()
