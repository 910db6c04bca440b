"""The whole flow with hosted models in their real shapes: two collections, one reranker."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from pincite.settings.load import load_settings
from pincite.surfaces.adk import EvidenceToolset
from pincite.testing.contract_server import ContractServer
from tests.surfaces.conftest import KEY, Cli

QUESTION = "how does rotate_key rotate a key"
TOML = """\
preset = "evidence"

[models]
rerank = "voyage:rerank-2.5"

[collections.docs]
dense = "voyage:voyage-context-3"

[collections.code]
dense = "voyage:voyage-code-3"

[prepare.expansions]
docs = ["Acme usage: {{query}}"]

[corpus]
name = "Acme"

[providers.voyage]
url = "{url}"
tries = 1
"""


@pytest.fixture
def shop(server: ContractServer, cli: Cli) -> Cli:
    """Docs and code of the same thing, each with the model for its kind."""
    server.heal()
    cli.write("docs/keys.md", "# Keys\n\n## Rotating\n\nCall `rotate_key` to rotate a key.\n")
    cli.write("docs/bread.md", "# Bread\n\nFlour and water make a dough.\n")
    cli.write("src/keys.py", "def rotate_key(secret: str) -> str:\n    return secret[::-1]\n")
    cli.write("pincite.toml", TOML.format(url=server.url("voyage")))
    run(cli, "index", "docs", "-c", "docs", "--name", "acme-docs")
    run(cli, "index", "src", "-c", "code", "--name", "acme")
    server.record.clear()
    return cli


def run(cli: Cli, *arguments: str, code: int = 0) -> str:
    cache = str(cli.folder / "cache.db")
    return cli(*arguments, code=code, VOYAGE_API_KEY=KEY, PINCITE_CACHE=cache).stdout


def asked(server: ContractServer, path: str) -> list[Any]:
    return [
        body
        for where, body in zip(server.record.paths, server.record.bodies, strict=True)
        if where == f"/voyage/v1/{path}"
    ]


def test_each_collection_is_asked_with_its_model_and_one_reranker_judges_both(
    server: ContractServer, shop: Cli
) -> None:
    pack = json.loads(run(shop, "evidence", QUESTION, "--mode", "debug", "--all", "--json"))
    assert pack["plan"]["collections"] == ["code", "docs"]
    assert pack["plan"]["rung"] == "api-model"
    assert pack["plan"]["limits"] == {"dense": 80, "sparse": 120, "pool": 180, "results": 12}
    assert pack["plan"]["reranker"].startswith("voyage:rerank-2.5")
    assert {item["source_type"] for item in pack["evidence"]} == {"docs", "code"}
    contextual = asked(server, "contextualizedembeddings")
    assert contextual[0]["inputs"] == [[QUESTION]]
    assert contextual[0]["input_type"] == "query"
    (code,) = asked(server, "embeddings")
    assert (code["model"], code["input"], code["input_type"]) == (
        *("voyage-code-3", [QUESTION], "query"),
    )


def test_the_reranker_is_told_the_task_and_reads_headers(server: ContractServer, shop: Cli) -> None:
    run(shop, "evidence", QUESTION, "--mode", "debug")
    body = asked(server, "rerank")[0]
    assert body["model"] == "rerank-2.5"
    assert "a correct solution using Acme.\n" in body["query"]
    assert body["query"].endswith(
        f"The task is to find the cause of a fault and to mend it.\nQuestion: {QUESTION}"
    )
    headers = [text.split("\n")[:4] for text in body["documents"]]
    assert ["SOURCE: code", "REPO: acme"] in [header[:2] for header in headers]
    assert any(header[3].startswith("PATH:") and "keys.md" in header[3] for header in headers)


#: As the specification has it, and as it is to arrive.
TOLD = """\
You are ranking evidence to help implement a correct solution using Google ADK.
Prefer: official ADK docs that describe the exact API and constraints, and ADK Python source that \
demonstrates real patterns.
Prefer: content that directly answers the question and includes concrete parameters, \
function/class names, and usage patterns.
Deprioritize: tangential mentions, outdated references, or generic LLM commentary.
Question: """
NAMED = '[corpus]\nname = "Google ADK"\ndocs = "ADK"\ncode = "ADK Python"\n'


#: The verdict is weak whatever is found, so that another try is worth it.
WEAK = "".join(
    f"[gate.{signal}]\ngrounded_at = 1.0\nweak_at = 0.0\n"
    for signal in ("reranked_probability", "coverage_normalised")
)


def configure(server: ContractServer, cli: Cli, toml: str) -> None:
    """Other settings than the default ones, over the same two models and the same reranker."""
    usual = TOML.format(url=server.url("voyage"))
    start, _, rest = usual.partition("[prepare.expansions]")
    providers = rest[rest.index("[providers") :]
    cli.write("pincite.toml", f"{start}{toml}{providers}")


def test_the_reranker_is_told_what_the_specification_says_word_for_word(
    server: ContractServer, shop: Cli
) -> None:
    configure(server, shop, NAMED)
    run(shop, "evidence", QUESTION)
    assert {body["query"] for body in asked(server, "rerank")} == {TOLD + QUESTION}
    server.record.clear()
    configure(server, shop, "")
    run(shop, "evidence", QUESTION)
    first, second, *_ = asked(server, "rerank")[0]["query"].split("\n")
    assert first.endswith("a correct solution using this software.")
    assert second.startswith("Prefer: official docs that")
    assert second.endswith("and source that demonstrates real patterns.")


def test_the_tool_for_adk_knows_what_it_is_about_unless_the_configuration_does(
    server: ContractServer, shop: Cli
) -> None:
    async def told(toml: str) -> set[str]:
        configure(server, shop, toml)
        server.record.clear()
        settings = load_settings({"VOYAGE_API_KEY": KEY, "PINCITE_OFFLINE": "1"}, shop.folder)
        tools = EvidenceToolset(settings, tools=["retrieve_adk_evidence"])
        found = await tools.retrieve_adk_evidence(QUESTION)
        await tools.close()
        assert found["status"] != "error", found
        return {body["query"] for body in asked(server, "rerank")}

    assert asyncio.run(told("")) == {TOLD + QUESTION}
    named = asyncio.run(told('[corpus]\nname = "Acme"\n'))
    assert all("official Acme docs" in query and "ADK" not in query for query in named)


def embedded(server: ContractServer) -> list[str]:
    """What was embedded for the collection `code`, in the order of the requests."""
    return [text for body in asked(server, "embeddings") for text in body["input"]]


def test_a_question_without_identifiers_gets_a_second_try_in_other_words(
    server: ContractServer, shop: Cli
) -> None:
    configure(server, shop, f'{NAMED}topics = "tool calling sessions state"\n{WEAK}')
    pack = json.loads(run(shop, "evidence", "how are keys changed", "--all", "--json"))
    assert pack["plan"]["passes"][:2] == ["first", "expanded"]
    assert sorted(set(embedded(server))) == [
        "ADK Python official usage: how are keys changed",
        "Google ADK tool calling sessions state: how are keys changed",
        "how are keys changed",
    ]
    server.record.clear()
    run(shop, "evidence", QUESTION, "--all")
    assert sorted(set(embedded(server))) == [
        f"ADK Python official usage: {QUESTION}",
        f"Google ADK tool calling sessions state: {QUESTION}",
        f"In code: rotate_key {QUESTION}",
        QUESTION,
    ]


def test_the_second_try_needs_no_name_and_its_templates_are_settings(
    server: ContractServer, shop: Cli
) -> None:
    configure(server, shop, WEAK)
    run(shop, "evidence", "how are keys changed", "--all")
    assert "official usage: how are keys changed" in embedded(server)
    server.record.clear()
    templates = '[prepare.expansions]\n"*" = ["Acme, in short: {query}"]\n'
    configure(server, shop, f"{templates}{WEAK}")
    run(shop, "evidence", "how is bread made", "--all")
    assert set(embedded(server)) == {"how is bread made", "Acme, in short: how is bread made"}


def test_a_dead_reranker_leaves_the_fused_order_and_a_warning(
    server: ContractServer, shop: Cli
) -> None:
    server.fail("503", times=9, path="rerank")
    pack = json.loads(run(shop, "evidence", QUESTION, "--all", "--json"))
    assert "rerank_unavailable" in [warning["code"] for warning in pack["warnings"]]
    assert pack["evidence"]
