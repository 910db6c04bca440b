"""A contract server that wants a key, for the dense providers."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from pincite.testing.contract_server import ContractServer
from tests.providers.dense.remotes import KEY


@pytest.fixture(scope="module")
def server() -> Iterator[ContractServer]:
    """One server for the tests of a file."""
    with ContractServer(key=KEY) as running:
        yield running


@pytest.fixture
def healthy(server: ContractServer) -> None:
    """Without the faults and the record of earlier tests."""
    server.heal()
    server.record.clear()
