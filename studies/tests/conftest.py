"""A way to call the command within the process."""

import json
from typing import NamedTuple

import pytest

from isometrics_studies.command import main


class Done(NamedTuple):
    """What a command printed."""

    out: str
    err: str

    @property
    def data(self):
        """What was printed as JSON, which must be strict."""
        return json.loads(self.out, parse_constant=pytest.fail)


@pytest.fixture
def call(capsys):
    """Call the command; an exit code other than 0 comes with one sentence and no traceback."""

    def run(*words, code=0):
        capsys.readouterr()
        found = main([str(word) for word in words])
        done = Done(*capsys.readouterr())
        assert found == code, done.err
        if code:
            assert done.err.splitlines()[-1].startswith("isometrics: ")
            assert done.err.count("isometrics: ") == 1
            assert "Traceback" not in done.err
        return done

    return run
