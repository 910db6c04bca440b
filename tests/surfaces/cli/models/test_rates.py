"""A model that may not be asked as often as one would like costs its part, not the search."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from pincite.testing.contract_server import ContractServer
from tests.surfaces.conftest import Cli

QUESTION = "Call `rotate_key` to rotate a key."
TOML = """\
[models]
rerank = "voyage:rerank-2.5"

[providers.voyage]
url = "{url}"
tries = 1

[providers.voyage.rates."{limited}"]
requests_per_minute = 1
"""


@pytest.fixture
def server() -> Iterator[ContractServer]:
    with ContractServer() as running:
        yield running


def run(cli: Cli, *arguments: str) -> str:
    cache, rates = str(cli.folder / "cache.db"), str(cli.folder / "rates.db")
    given = cli(*arguments, VOYAGE_API_KEY="a-key", PINCITE_CACHE=cache, PINCITE_RATES=rates)
    return given.stdout


def searched(cli: Cli, question: str) -> Any:
    return json.loads(run(cli, "search", question, "--json", "--all"))


def codes(pack: Any) -> set[str]:
    return {warning["code"] for warning in pack["warnings"]}


def test_a_reranker_whose_turn_comes_too_late_is_left_out_at_once_by_the_next_process(
    server: ContractServer, cli: Cli
) -> None:
    cli.write("docs/keys.md", "# Keys\n\nCall `rotate_key` to rotate a key.\n")
    cli.write("docs/bread.md", "# Bread\n\nFlour and water make a dough.\n")
    cli.write("pincite.toml", TOML.format(url=server.url("voyage"), limited="rerank-2.5"))
    run(cli, "index", "docs", "--lexical")
    first, second = searched(cli, QUESTION), searched(cli, QUESTION)
    assert server.record.requests == 1
    assert "rate_limited" not in codes(first)
    assert {"rate_limited", "rerank_unavailable"} <= codes(second)
    said = [one["message"] for one in second["warnings"] if one["code"] == "rate_limited"]
    assert "the limit is 1 requests a minute" in said[0]
    assert second["evidence"]


def test_a_dense_model_whose_turn_comes_too_late_costs_meaning_alone(
    server: ContractServer, cli: Cli
) -> None:
    cli.write("docs/keys.md", "# Keys\n\nCall `rotate_key` to rotate a key.\n")
    toml = TOML.format(url=server.url("voyage"), limited="voyage-code-3")
    cli.write("pincite.toml", toml.split("\n\n", 1)[1])
    run(cli, "index", "docs", "--model", "voyage:voyage-code-3")
    assert server.record.requests == 1
    pack = searched(cli, QUESTION)
    assert {"dense_unavailable", "rate_limited"} <= codes(pack)
    assert pack["evidence"]
    assert server.record.requests == 1
