"""docs/adk-recipe.md is run as it stands, but for addresses: hosted models, a server's collections,
the command line and the tool for agents."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import re
import shlex
import subprocess
import sys
import tomllib
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest import mock

import pytest

from pincite.presets import PRESETS
from pincite.profile import profile_from
from pincite.testing.contract_server import ContractServer
from tests.environment import clean_environment
from tests.stores.qdrant_http import Recorder, recording_server
from tests.surfaces.conftest import Cli

PAGE = (Path(__file__).parents[2] / "docs/adk-recipe.md").read_text(encoding="utf-8")
KEY = "sk-do-not-show-this-0123456789"
ADDRESSES = ("https://qdrant.example:6333", "https://api.voyageai.com")
INSTRUCTION = """\
You are ranking evidence to help implement a correct solution using Google ADK.
Prefer: official ADK docs that describe the exact API and constraints, and ADK Python source that \
demonstrates real patterns.
Prefer: content that directly answers the question and includes concrete parameters, \
function/class names, and usage patterns.
Deprioritize: tangential mentions, outdated references, or generic LLM commentary."""
SECRET_TEXT = "the zebra of the session"
WHEEL = "google_adk-2.13.0-py3-none-any.whl"

pytestmark = [
    pytest.mark.filterwarnings("ignore:Payload indexes have no effect:UserWarning"),
    pytest.mark.filterwarnings("ignore:Local mode performs exact:UserWarning"),
]


def block(language: str) -> str:
    found: list[str] = re.findall(rf"^```{language}\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
    return "".join(found)


COMMANDS = [shlex.split(line[2:])[1:] for line in block("console").splitlines()]


@dataclass(frozen=True)
class Place:
    """Where the recipe was followed."""

    cli: Cli
    voyage: ContractServer
    qdrant: Recorder

    def __call__(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """The finished command. A verdict of none (3) is fine: the server that stands in for
        Voyage knows no more than which words agree."""
        done = subprocess.run(
            [sys.executable, "-m", "pincite.surfaces.cli.app", *arguments],
            cwd=self.cli.folder,
            env=clean_environment() | {"PINCITE_IDLE_S": "60"} | self.variables,
            capture_output=True,
            text=True,
            check=False,
            timeout=600,
        )
        assert done.returncode in (0, 3), f"{arguments}: {done.returncode}\n{done.stderr}"
        return done

    def pack(self, *arguments: str) -> Any:
        return json.loads(self(*arguments, "--json", "--all").stdout)

    @property
    def variables(self) -> dict[str, str]:
        here = self.cli.folder
        return {
            "VOYAGE_API_KEY": KEY,
            "PINCITE_CACHE": str(here / "cache.db"),
            "PINCITE_RATES": str(here / "rates.db"),
        }

    def asked(self, path: str) -> list[Any]:
        record = self.voyage.record
        pairs = zip(record.paths, record.bodies, strict=True)
        return [body for where, body in pairs if where == f"/voyage/v1/{path}"]

    def queries(self) -> list[Any]:
        """The hybrid searches that the store was asked for."""
        found = [body for operation, body in self.qdrant.requests if "/points/query" in operation]
        return [body for body in found if body.get("prefetch")]


def documents() -> dict[str, str]:
    pages = {
        f"tools/page-{n}": f"# Tool {n}\n\n## Use\n\nA FunctionTool gets the state of its session"
        f" from the context, page {n}. {SECRET_TEXT}.\n"
        for n in range(1, 6)
    }
    inside = {f"adk-docs/docs/{name}.md": text for name, text in pages.items()}
    return inside | {"adk-docs/README.md": "# How to change\n\nHow to change a FunctionTool.\n"}


def modules() -> dict[str, str]:
    return {
        f"google/adk/tools/tool_{n}.py": f"class FunctionTool{n}:\n"
        f'    """Gets the state of its session, tool {n}."""\n\n'
        f"    def state_of_session_{n}(self, context):\n        return context.session.state\n"
        for n in range(1, 6)
    }


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    cli = Cli(tmp_path_factory.mktemp("recipe"))
    for name, text in documents().items():
        cli.write(name, text)
    with zipfile.ZipFile(cli.folder / WHEEL, "w") as wheel:
        for name, text in modules().items():
            wheel.writestr(name, text)
        wheel.writestr("google_adk-2.13.0.dist-info/METADATA", "Name: google-adk\n")
    with ContractServer(key=KEY) as voyage, recording_server() as qdrant:
        toml = block("toml")
        for usual, here in zip(ADDRESSES, (qdrant.url, voyage.url("voyage")), strict=True):
            assert toml.count(usual) == 1
            toml = toml.replace(usual, here)
        cli.write("pincite.toml", toml)
        made = Place(cli, voyage, qdrant)
        for command in COMMANDS[:2]:
            made(*command)
        yield made
        assert qdrant.wrong == []
        cli("stop")


@pytest.fixture(autouse=True)
def nothing_asked(place: Place) -> None:
    (place.cli.folder / "cache.db").unlink(missing_ok=True)  # questions are kept there, too
    place.voyage.record.clear()
    place.qdrant.requests.clear()


def test_every_command_of_the_page_finds_evidence_and_leaves_no_warning_of_failure(
    place: Place,
) -> None:
    assert [command[0] for command in COMMANDS] == ["index"] * 2 + ["evidence"] * 3
    for command in COMMANDS[2:]:
        pack = place.pack(*command)
        codes = {warning["code"] for warning in pack["warnings"]}
        failures = {"dense_unavailable", "rerank_unavailable", "collection_failed", "rate_limited"}
        assert not codes & failures
        assert pack["evidence"]
        if "--kind" in command:
            assert {item["source_type"] for item in pack["evidence"]} == {"docs"}
        if "--where" in command:
            assert {item["source_type"] for item in pack["evidence"]} == {"code"}


def test_each_collection_is_asked_once_as_the_source_says(place: Place) -> None:
    pack = place.pack(*COMMANDS[2])
    asked = place.queries()
    assert len(asked) == len(pack["debug"]["qdrant"])
    first = pack["debug"]["qdrant"][:2]
    assert {one["what"] for one in first} == {"adk_docs", "adk_code"}
    for query in asked:
        dense, sparse = query["prefetch"]
        assert (dense["using"], dense["limit"]) == ("dense", 80)
        assert (dense["params"]["hnsw_ef"], dense["params"].get("exact", False)) == (256, False)
        assert (sparse["using"], sparse["limit"]) == ("sparse", 120)
        assert query["query"] == {"rrf": {"k": 61}}
        assert query["limit"] == 60
        assert query["with_payload"] == ["revision"]
        assert not query.get("with_vector")


def test_the_preset_fuses_here_and_the_recipe_has_the_numbers_of_its_source() -> None:
    table = tomllib.loads(block("toml"))
    names = ("corpus", "prepare", "retrieve", "load", "rerank", "select")
    sections = {name: table[name] for name in names}
    recipe = profile_from(sections, "docs/adk-recipe.md", PRESETS["evidence"])
    assert recipe.prepare.expansions["*"][:2] == (
        "ADK Python official usage: {query}",
        "Agent Development Kit tool calling sessions state: {query}",
    )
    assert PRESETS["evidence"].retrieve.engine_fusion == "none"
    found = recipe.retrieve
    assert (found.engine_fusion, found.engine_k, found.engine_limit) == ("rrf", 60, 60)
    assert (found.dense_limit, found.sparse_limit, found.hnsw_ef, found.exact) == (
        80,
        120,
        256,
        False,
    )
    assert round(found.engine_limit * found.widened) == 90
    assert 8 <= found.timeout_s <= 12
    assert (recipe.load.pool, recipe.load.share) == (180, 0.5)
    ranked = recipe.rerank
    assert (ranked.pool, ranked.body_tokens, ranked.batch, ranked.timeout_s) == (180, 1200, 60, 20)
    chosen = recipe.select
    assert chosen.buffer == 20
    assert (chosen.results, chosen.docs, chosen.code, chosen.need_url) == (12, 3, 3, True)
    assert "1 / (61 + 0) is 1 / (60 + 1)" in PAGE


def test_both_voyage_models_embed_the_question_and_one_request_reranks_both_collections(
    place: Place,
) -> None:
    question = COMMANDS[2][1]
    pack = place.pack("evidence", question)
    contextual, code = (place.asked(path)[0] for path in ("contextualizedembeddings", "embeddings"))
    assert (contextual["model"], contextual["inputs"]) == ("voyage-context-3", [[question]])
    assert (code["model"], code["input"]) == ("voyage-code-3", [question])
    reranked = place.asked("rerank")[0]
    assert (reranked["model"], reranked["truncation"]) == ("rerank-2.5", True)
    assert reranked["query"] == f"{INSTRUCTION}\nQuestion: {question}"
    heads = {text.split("\n", 1)[0] for text in reranked["documents"]}
    assert heads >= {"SOURCE: docs", "SOURCE: code"}
    assert pack["coverage"]["docs"] >= 3
    assert pack["coverage"]["code"] >= 3
    assert all(item["url"] for item in pack["evidence"] if item["source_type"] == "docs")
    limits = {"dense": 80, "sparse": 120, "pool": 180, "results": 12}
    assert {name: pack["plan"]["limits"][name] for name in limits} == limits


def test_documentation_without_an_address_is_left_out(place: Place) -> None:
    pack = place.pack("evidence", "how to change a FunctionTool", "--kind", "docs")
    assert pack["evidence"]
    assert all(item["url"] for item in pack["evidence"])
    assert "url_required" in [warning["code"] for warning in pack["warnings"]]


def test_the_debug_of_a_pack_has_ids_scores_sizes_and_names_and_nothing_else(
    place: Place,
) -> None:
    pack = place.pack(*COMMANDS[2])
    debug = pack["debug"]
    assert set(debug) == {"qdrant", "voyage", "reranker"}
    ids = {item["chunk_id"] for item in pack["evidence"]}
    found = {hit for one in debug["qdrant"] for hit, _ in one["answered"]["fused"]}
    assert ids <= found
    assert {one["what"] for one in debug["qdrant"]} == {"adk_docs", "adk_code"}
    assert debug["qdrant"][0]["asked"]["fusion_limit"] == 60
    batch = debug["reranker"][0]
    scored = dict(batch["answered"]["scores"])
    assert ids <= scored.keys()
    assert batch["items"] == len(scored)
    paths = [one["what"] for one in debug["voyage"]]
    assert set(paths) == {"/v1/embeddings", "/v1/contextualizedembeddings", "/v1/rerank"}
    for one in debug["voyage"]:
        assert one["status"] == 200
        assert re.fullmatch(r"request-\d+", one["request_id"])
        assert one["answered"]["usage"]["total_tokens"] > 0
        assert one["tokens"] > 0
    (reranked,) = (one for one in debug["voyage"] if one["what"] == "/v1/rerank")
    assert (reranked["stage"], reranked["items"]) == ("rerank", batch["items"])
    assert reranked["asked"]["documents"]["texts"] == batch["items"]
    scores = [one["relevance_score"] for one in reranked["answered"]["data"]]
    assert sorted(scores) == pytest.approx(sorted(scored.values()), abs=1e-5)
    said = json.dumps(debug)
    question = COMMANDS[2][1]
    assert not any(text in said for text in (KEY, SECRET_TEXT, question, "session.state"))


def test_a_pack_has_debug_only_where_it_was_asked_for(place: Place) -> None:
    assert place.pack("evidence", "the state of a session")["debug"] == {}
    shown = place("evidence", "the state of a session", "--debug", "--all")
    assert '"/v1/rerank"' in shown.stderr
    assert '"/v1/rerank"' not in shown.stdout


def test_the_log_has_the_batches_the_requests_and_the_debug(place: Place) -> None:
    place("evidence", COMMANDS[2][1], "--all")
    raw = (place.cli.folder / ".pincite/retrieval.jsonl").read_text().splitlines()[-1]
    event = json.loads(raw)
    state = event["reranker"]
    assert [one["documents"] for one in state["batches"]] == [state["judged"]]
    assert [one["documents"] for one in state["requests"]] == [state["judged"]]
    assert all(one["tokens"] > 0 for one in (*state["batches"], *state["requests"]))
    assert set(event["debug"]) == {"qdrant", "voyage", "reranker"}
    assert KEY not in raw
    assert SECRET_TEXT not in raw


def test_what_does_not_fit_into_one_request_is_sent_and_logged_in_batches(place: Place) -> None:
    toml = (place.cli.folder / "pincite.toml").read_text()
    changed = toml.replace("batch = 60", "batch = 4\nbudget_tokens = 500")
    place.cli.write("pincite.toml", changed)
    place("evidence", COMMANDS[2][1], "--all")
    place.cli.write("pincite.toml", toml)
    raw = (place.cli.folder / ".pincite/retrieval.jsonl").read_text().splitlines()[-1]
    state = json.loads(raw)["reranker"]
    sizes = [one["documents"] for one in state["batches"]]
    assert sizes[0] == 4
    assert max(sizes) == 4
    assert sum(sizes) == state["judged"]
    assert [len(one["documents"]) for one in place.asked("rerank")] == sizes


def test_the_tool_of_the_page_answers_an_agent(place: Place) -> None:
    made: dict[str, Any] = {}

    async def call() -> dict[str, Any]:
        exec(compile(block("python"), "docs/adk-recipe.md", "exec"), made)
        toolset = made["toolset"]
        (tool,) = await toolset.get_tools()
        try:
            found = await tool.run_async(args={"query": COMMANDS[2][1]}, tool_context=mock.Mock())
        finally:
            await toolset.close()
        assert isinstance(found, dict)
        return found

    given = clean_environment() | {"PINCITE_IDLE_S": "60"} | place.variables
    with mock.patch.dict(os.environ, given, clear=True), contextlib.chdir(place.cli.folder):
        found = asyncio.run(call())
    assert tool_status(found) == "success"
    assert set(found["debug"]) == {"qdrant", "voyage", "reranker", "timings_ms", "query_id"}
    assert set(found["evidence_pack"]["plan"]["collections"]) == {"adk_docs", "adk_code"}
    assert "debug" not in found["evidence_pack"]


def tool_status(found: dict[str, Any]) -> str:
    return str(found["status"])
