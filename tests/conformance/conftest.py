"""A server of PostgreSQL, once for each module that asks for it."""

import pytest

from .engines import postgres_server


@pytest.fixture(scope="module")
def server():
    pytest.importorskip("adbc_driver_postgresql")
    with postgres_server() as url:
        if url is None:
            pytest.skip("PostgreSQL is not installed")
        yield url
