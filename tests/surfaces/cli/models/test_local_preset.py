"""The preset `local` with three models on this machine: what each is asked, and that nothing else
is."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pincite.testing.contract_server import ContractServer
from tests.surfaces.conftest import Cli

#: In every process: a socket that leaves the machine is an error, and leaves a trace.
_HOOK = """
import os, sys
def hook(event, arguments):
    if event == "socket.connect" and isinstance(arguments[1], tuple):
        if not str(arguments[1][0]).startswith(("127.", "::1")):
            with open(os.environ["REACHED"], "a") as out:
                print(arguments[1], file=out)
            raise PermissionError(f"no socket to {arguments[1]}")
sys.addaudithook(hook)
"""


@pytest.fixture
def server() -> Iterator[ContractServer]:
    with ContractServer() as one:
        yield one


@pytest.fixture
def watched(cli: Cli, tmp_path: Path, server: ContractServer) -> tuple[Cli, dict[str, Any]]:
    """An index with the three models of the recipe, and the variables that watch all sockets."""
    hooks = tmp_path / "hooks"
    hooks.mkdir()
    (hooks / "sitecustomize.py").write_text(_HOOK, encoding="utf-8")
    variables: dict[str, Any] = {"PYTHONPATH": str(hooks), "REACHED": str(tmp_path / "reached")}
    variables["PINCITE_CACHE"] = str(tmp_path / "vectors.db")  # a test of its own
    url = server.url("llamacpp")
    lines = [
        'preset = "local"',
        "[models]",
        'dense = "llamacpp:embeddinggemma-300M-Q8_0.gguf"',
        'rerank = "llamacpp:Qwen3-Reranker-0.6B-Q8_0"',
        'llm = "llamacpp:any"',
        "[providers.llamacpp]",
        f'url = "{url}"',
        "tries = 1",
    ]
    cli.write("pincite.toml", "\n".join(lines))
    for n in range(40):
        cli.write(f"docs/{n}.md", f"# Key {n}\n\nTo rotate key {n}, call rotate_key({n}).\n")
    cli("index", "docs", **variables)
    return cli, variables


def asked(cli: Cli, variables: dict[str, Any], *options: str) -> dict[str, Any]:
    done = cli("search", "how is a key rotated", "--json", "--all", *options, **variables)
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def test_nothing_leaves_the_machine(
    watched: tuple[Cli, dict[str, Any]], server: ContractServer
) -> None:
    cli, variables = watched
    server.record.clear()
    pack = asked(cli, variables)
    assert pack["plan"]["reranker"]
    assert server.record.requests >= 3
    assert not Path(variables["REACHED"]).exists()


def test_the_watch_sees_who_leaves(watched: tuple[Cli, dict[str, Any]]) -> None:
    cli, variables = watched
    cli.write("pincite.toml", '[models]\nrerank = "llamacpp:http://192.0.2.1:9#any"\n')
    cli("rerank", "a", "b", "c", code=1, **variables)
    assert "192.0.2.1" in Path(variables["REACHED"]).read_text(encoding="utf-8")


def test_each_model_is_asked_with_its_own_prompt_and_thirty_are_reranked(
    watched: tuple[Cli, dict[str, Any]], server: ContractServer
) -> None:
    cli, variables = watched
    server.record.clear()
    pack = asked(cli, variables, "--hyde", "Call rotate_key to rotate it.")
    bodies = server.record.bodies
    embedded = [text for body in bodies if "input" in body for text in body["input"]]
    assert "task: search result | query: how is a key rotated" in embedded
    assert "title: none | text: Call rotate_key to rotate it." in embedded
    judged = [body for body in bodies if "documents" in body]
    assert [len(body["documents"]) for body in judged] == [30]
    assert pack["plan"]["subqueries"] == ["hyde: Call rotate_key to rotate it."]
    names = [signal["name"] for signal in pack["evidence"][0]["signals"]]
    assert names.index("reranked") + 1 == names.index("blended")


_LIMITS = """
[expand]
timeout_s = 1.0
[rerank]
timeout_s = 1.0
[retrieve]
timeout_s = 2.0
"""


def codes_of(pack: dict[str, Any]) -> dict[str, str]:
    return {one["code"]: one["message"] for one in pack["warnings"]}


def test_each_fault_of_a_local_server_costs_its_step_alone_and_is_named(
    watched: tuple[Cli, dict[str, Any]], server: ContractServer
) -> None:
    cli, variables = watched
    places = {"rerank": "/rerank", "expansion": "/chat/completions", "dense": "/embeddings"}
    for step, fault, said in (
        ("rerank", "500-too-large", "too large to process"),
        ("rerank", "501", "--reranking"),
        ("expansion", "cut-off", "llamacpp"),
        ("dense", "404", "404"),
    ):
        server.heal()
        server.fail(fault, times=500, path=places[step])
        # what was said before is forgotten
        variables["PINCITE_CACHE"] = str(cli.folder / f"cache {fault}" / "vectors.db")
        pack = asked(cli, variables)
        told = codes_of(pack)
        assert said in told[f"{step}_unavailable"], (step, fault)
        for other in places.keys() - {step}:
            assert f"{other}_unavailable" not in told, (step, fault)
        assert pack["evidence"], (step, fault)
        assert (pack["plan"]["rung"] == "lexical") == (step == "dense")


def test_servers_that_say_nothing_are_waited_for_as_long_as_their_step_may_take(
    watched: tuple[Cli, dict[str, Any]], server: ContractServer
) -> None:
    cli, variables = watched
    path = cli.folder / "pincite.toml"
    cli.write("pincite.toml", path.read_text(encoding="utf-8") + _LIMITS)
    server.fail("slow", times=500, wait_s=60.0)
    pack = asked(cli, variables)
    assert {"rerank_unavailable", "expansion_unavailable", "dense_unavailable"} <= set(
        codes_of(pack)
    )
    assert pack["evidence"]
    assert pack["plan"]["rung"] == "lexical"
    assert sum(pack["timings_ms"].values()) < 60_000


@pytest.mark.parametrize("fault", ["500", "404"])
def test_a_server_that_fails_costs_its_step_and_is_named(
    watched: tuple[Cli, dict[str, Any]], server: ContractServer, fault: str
) -> None:
    cli, variables = watched
    server.fail(fault, times=500)
    pack = asked(cli, variables)
    codes = {one["code"] for one in pack["warnings"]}
    assert {"rerank_unavailable", "expansion_unavailable"} <= codes
    assert pack["evidence"]


def test_doctor_looks_at_servers_on_this_machine_and_models_says_what_they_would_load(
    watched: tuple[Cli, dict[str, Any]], server: ContractServer
) -> None:
    cli, variables = watched
    (line,) = [
        one
        for one in cli("doctor", **variables).stdout.splitlines()
        if one.startswith("ok      server") and server.url("llamacpp") in one
    ]
    assert "has embeddinggemma-300M-Q8_0.gguf" in line
    assert "server" not in cli("doctor", "--offline", **variables).stdout
    server.record.clear()
    said = cli("models", "--served", **variables).stdout
    for part in ("embeddinggemma-300M", "Qwen3-Reranker-0.6B", "qmd-query-expansion-1.7B"):
        assert part in said
        assert part in cli("models", **variables).stdout
    assert ["MB" in one for one in said.splitlines() if not one.startswith(" ")] == [True] * 3
    rows = json.loads(cli("models", "--served", "--json", **variables).stdout)
    assert [one["licence"] for one in rows][1] == "Apache-2.0"
    assert all(one["fetch"].startswith("hf download ") for one in rows)
    assert server.record.requests == 0
    assert not Path(variables["REACHED"]).exists()


def test_what_a_model_made_of_a_question_is_not_asked_for_again(
    watched: tuple[Cli, dict[str, Any]], server: ContractServer
) -> None:
    cli, variables = watched
    first = asked(cli, variables)["plan"]
    assert first["subqueries"]
    server.record.clear()
    server.fail("500", times=500, path="/chat/completions")
    second = asked(cli, variables)
    assert second["plan"]["subqueries"] == first["subqueries"]
    assert not any(path.endswith("/chat/completions") for path in server.record.paths)
    assert "expansion_unavailable" not in {one["code"] for one in second["warnings"]}
    assert "1 rephrasings" in cli("cache", "clear", **variables).stderr
    third = asked(cli, variables)
    assert "expansion_unavailable" in {one["code"] for one in third["warnings"]}
