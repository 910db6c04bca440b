"""How far a contract server has embedded what it was sent."""

from __future__ import annotations

import time

from pincite.testing.contract_server import ContractServer
from tests.time_limits import HANGS_S


def embedded(server: ContractServer) -> int:
    """How many documents OpenAI's model was given."""
    sent = zip(server.record.paths, server.record.bodies, strict=True)
    return sum(len(body["input"]) for path, body in sent if path.startswith("/openai"))


def wait_until_embedded(server: ContractServer, texts: int) -> None:
    until_s = time.monotonic() + HANGS_S
    while embedded(server) < texts:
        assert time.monotonic() < until_s
        time.sleep(0.05)
