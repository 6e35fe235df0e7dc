"""Run the command line as ``python -m isometrics``."""

from __future__ import annotations

import sys

from isometrics.cli import main

if __name__ == "__main__":
    sys.exit(main())
