"""An agent of the Agent Development Kit calls the tools inside its own runner."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncGenerator, Iterator
from pathlib import Path
from typing import Any

import pytest
from google.adk.agents import LlmAgent
from google.adk.models.base_llm import BaseLlm
from google.adk.models.llm_request import LlmRequest
from google.adk.models.llm_response import LlmResponse
from google.adk.runners import InMemoryRunner
from google.genai import types
from pydantic import Field

from pincite import Pincite
from pincite.errors import ConfigError, UsageError
from pincite.settings.load import load_settings
from pincite.support.token_estimate import estimate_tokens
from pincite.surfaces.adk import EvidenceToolset
from tests.surfaces.conftest import Cli

GUIDE = "# Guide\n\nTo rotate a key, call `rotate_key` with the new secret.\n"
CODE = (
    'def rotate_key(secret: str) -> None:\n    """Rotate the current key."""\n    store(secret)\n'
)


@pytest.fixture(scope="module")
def indexed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cli]:
    cli = Cli(tmp_path_factory.mktemp("adk"))
    cli.write("docs/guide.md", GUIDE)
    cli.write("src/keys.py", CODE)
    rule = r"docs/(.*)\.md=>https://acme.example/\1/"
    cli("index", ".", "--lexical", "--name", "acme", "--ref", "v1", "--url-rule", rule)
    yield cli
    cli("stop")


def toolset(indexed: Cli, **options: Any) -> EvidenceToolset:
    """With the pack beside the text, where nothing else is asked for."""
    settings = load_settings({"PINCITE_IDLE_S": "60"}, indexed.folder)
    return EvidenceToolset(settings, **{"detail": "full", **options})


class ScriptedModel(BaseLlm):
    """Says its lines one after the other, and remembers what it was asked."""

    script: list[types.Part]
    heard: list[LlmRequest] = Field(default_factory=list)

    async def generate_content_async(
        self, llm_request: LlmRequest, stream: bool = False
    ) -> AsyncGenerator[LlmResponse, None]:
        self.heard.append(llm_request)
        content = types.Content(role="model", parts=[self.script.pop(0)])
        yield LlmResponse(content=content)


def calling(tool: str, **arguments: Any) -> types.Part:
    return types.Part(function_call=types.FunctionCall(name=tool, args=arguments))


def run(tools: EvidenceToolset, *script: types.Part) -> tuple[list[dict[str, Any]], ScriptedModel]:
    """What the tools gave to a model that says this."""
    model = ScriptedModel(model="scripted", script=[*script, types.Part(text="done")])

    async def session() -> list[dict[str, Any]]:
        agent = LlmAgent(name="dev", model=model, instruction="Use the tools.", tools=[tools])
        runner = InMemoryRunner(agent=agent, app_name="app")
        opened = await runner.session_service.create_session(app_name="app", user_id="user")
        given: list[dict[str, Any]] = []
        async for event in runner.run_async(
            user_id="user", session_id=opened.id, new_message=types.UserContent("go")
        ):
            given += [dict(one.response or {}) for one in event.get_function_responses()]
        await runner.close()
        return given

    return asyncio.run(session()), model


def test_an_agent_gets_cited_evidence(indexed: Cli) -> None:
    tools = toolset(indexed, tools=["retrieve_adk_evidence"])
    ask = calling("retrieve_adk_evidence", query="how do I rotate a key", task_mode="build")
    (given,), model = run(tools, ask)
    assert given["status"] == "success"
    assert set(given) == {"status", "evidence", "evidence_pack", "warnings", "debug"}
    cited = {item["citation"] for item in given["evidence_pack"]["evidence"]}
    assert cited == {"acme@v1:src/keys.py#L1-L3", "acme@v1:https://acme.example/guide/#L1-L3"}
    assert given["evidence_pack"]["plan"]["mode"] == "build"
    assert indexed.json("replay", given["debug"]["query_id"])["same"]
    answered = model.heard[1].contents[-1].parts
    assert answered is not None
    assert answered[0].function_response is not None


def test_a_model_gets_a_text_within_its_budget_and_nothing_else(indexed: Cli) -> None:
    ask = calling("retrieve_evidence", query="how do I rotate a key")
    (given,), _ = run(toolset(indexed, detail="text", max_tokens=400), ask)
    assert set(given) == {"status", "evidence", "debug"}
    assert set(given["debug"]) == {"query_id"}
    assert "\n1  def rotate_key" in given["evidence"]
    assert "acme@v1:src/keys.py#L" in given["evidence"]
    assert "read_lines" not in given["evidence"]
    assert estimate_tokens(given["evidence"]) <= 400


def test_the_tool_of_the_specification_gives_the_pack_and_its_warnings(tmp_path: Path) -> None:
    cli = Cli(tmp_path)
    for number in range(14):
        cli.write(f"docs/{number}.md", f"# Keys {number}\n\nRotate the key number {number}.\n")
    cli("index", "docs", "--lexical", "--name", "acme", "--ref", "v1")
    settings = load_settings({"PINCITE_IDLE_S": "60"}, tmp_path)
    ask = calling("retrieve_adk_evidence", query="rotate the key")
    for detail, full in ((None, True), ("full", True), ("text", False)):
        tools = EvidenceToolset(settings, tools=["retrieve_adk_evidence"], detail=detail)  # type: ignore[arg-type]
        (given,), model = run(tools, ask)
        assert ("evidence_pack" in given) is ("warnings" in given) is full
        if full:
            assert len(given["evidence_pack"]["evidence"]) == 12
            assert set(given["debug"]) >= {"query_id", "timings_ms"}
    config = model.heard[0].config
    assert config is not None
    assert config.tools is not None
    (declared,) = config.tools[0].function_declarations or []  # type: ignore[union-attr]
    arguments: Any = declared.parameters_json_schema
    assert arguments["properties"]["max_results_final"]["default"] == 12
    cli("stop")


@pytest.mark.parametrize("wrong", [{"max_tokens": 0}, {"max_tokens": "9"}, {"detail": "more"}])
def test_a_budget_or_detail_that_there_is_not_is_wrong_usage(
    indexed: Cli, wrong: dict[str, Any]
) -> None:
    with pytest.raises(UsageError, match=next(iter(wrong))):
        toolset(indexed, **wrong)


def test_the_model_is_told_what_each_argument_is(indexed: Cli) -> None:
    _, model = run(toolset(indexed))
    config = model.heard[0].config
    assert config is not None
    assert config.tools is not None
    tool = config.tools[0]
    assert isinstance(tool, types.Tool)
    (declared,) = tool.function_declarations or []
    assert declared.name == "retrieve_evidence"
    schema: Any = declared.parameters_json_schema
    assert schema["required"] == ["query"]
    assert all(argument["description"] for argument in schema["properties"].values())
    assert schema["properties"]["task_mode"]["enum"] == ["build", "debug", "explain", "refactor"]


def test_wrong_arguments_come_back_as_errors_and_the_run_goes_on(indexed: Cli) -> None:
    wrong: list[dict[str, Any]] = [
        {"query": ""},
        {"query": "x", "task_mode": "invent"},
        {"query": "x", "max_results_final": "many"},
        {"query": "x", "max_results_final": 0},
        {"query": "x", "kinds": ["pdf"]},
        {"query": ["x"]},
        {"query": "x", "where": 3},
        {"query": "x", "where": "lang = go"},
    ]
    text = {"kinds": "code", "max_results_final": "1"}  # a number and a list as texts
    right = calling("retrieve_evidence", query="rotate a key", **text)
    given, _ = run(toolset(indexed), *(calling("retrieve_evidence", **a) for a in wrong), right)
    assert [one["status"] for one in given] == ["error"] * len(wrong) + ["success"]
    said = [one.get("error_message", "") for one in given]
    for message, name in zip(
        said,
        ("query", "task_mode", "max_results_final", "max_results_final", "kinds", "query", "where"),
        strict=False,
    ):
        assert message.startswith(f"retrieve_evidence: {name}")
    assert "use one of 'build'" in said[1]
    assert said[7].startswith("where: no field is named 'lang'")
    assert said[7].endswith("try: use language instead of lang")
    assert len(given[-1]["evidence_pack"]["evidence"]) == 1


def test_unknown_and_missing_arguments_come_back_as_errors_with_a_status(indexed: Cli) -> None:
    for name in ("retrieve_evidence", "retrieve_adk_evidence"):
        asks = [
            calling(name, query="rotate a key", limit=1),
            calling(name, q="rotate a key"),
            calling(name),
            calling(name, query=None),
        ]
        given, _ = run(toolset(indexed, tools=[name]), *asks)
        assert [one["status"] for one in given] == ["error"] * 4
        unknown, close, missing, null = (one["error_message"] for one in given)
        assert unknown.startswith(f"{name}: no argument is named 'limit'; try: {name}(query, ")
        assert close.startswith(f"{name}: no argument is named 'q'")
        assert "missing required field `query`" in missing
        assert "query: Expected `str`, got `null`" in null


def test_null_counts_as_left_out(indexed: Cli) -> None:
    names = ("task_mode", "max_results_final", "kinds", "paths", "where", "tags")
    plain = calling("retrieve_evidence", query="rotate a key")
    nulls = calling("retrieve_evidence", query="rotate a key", **dict.fromkeys(names))
    given, _ = run(toolset(indexed), plain, nulls)
    assert given[0]["evidence"] == given[1]["evidence"]
    name = "retrieve_adk_evidence"
    asks = [calling(name, query="rotate a key", max_results_final=n) for n in (None, 12)]
    (by_default, twelve), _ = run(toolset(indexed, tools=[name]), *asks)
    assert by_default["evidence_pack"] == twelve["evidence_pack"]
    assert by_default["evidence_pack"]["plan"]["limits"]["results"] == 12


def test_a_tag_beside_a_bound_one_narrows_the_search_and_never_widens_it(tmp_path: Path) -> None:
    records = [
        {"id": name, "text": f"A key of {name}.", "attributes": {"tenant": name}}
        for name in ("acme", "bolt")
    ]
    with Pincite(tmp_path / ".pincite") as pincite:
        pincite.upsert(records, lexical=True)

    async def session() -> list[dict[str, Any]]:
        bound = EvidenceToolset(tmp_path / ".pincite", tags={"tenant": "acme"})
        asked = ("tenant=acme", "tenant=bolt")
        given = [await bound.retrieve_evidence("key", tags=[one]) for one in asked]
        await bound.close()
        return given

    same, other = asyncio.run(session())
    assert "A key of acme" in same["evidence"]
    assert other["status"] in ("error", "no_results")
    assert "A key of" not in str(other)


def test_nothing_relevant_is_no_error(indexed: Cli) -> None:
    (given,), _ = run(toolset(indexed), calling("retrieve_evidence", query="zebra ferment"))
    assert given["status"] == "no_results"
    assert given["evidence_pack"]["evidence"] == []


def test_tools_are_bound_to_a_part_of_the_index(indexed: Cli) -> None:
    given, _ = run(
        toolset(indexed, collections=["main"]),
        calling("retrieve_evidence", query="rotate a key", kinds=["code"]),
        calling("retrieve_evidence", query="rotate a key", paths=["docs/*"]),
    )
    paths = [{item["path"] for item in one["evidence_pack"]["evidence"]} for one in given]
    assert paths == [{"src/keys.py"}, {"docs/guide.md"}]
    (missing,), _ = run(
        toolset(indexed, collections=["no"]), calling("retrieve_evidence", query="x")
    )
    assert (missing["status"], missing["error_type"]) == ("error", "UsageError")


def test_without_an_index_the_agent_is_told_what_to_do(tmp_path: Path) -> None:
    tools = EvidenceToolset(tmp_path / ".pincite")
    (given,), _ = run(tools, calling("retrieve_evidence", query="x"))
    assert given["status"] == "error"
    assert "pincite index PATH" in given["error_message"]


def test_what_nobody_thought_of_does_not_end_the_run(
    indexed: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def broken(*_: object, **__: object) -> None:
        raise ZeroDivisionError("by nothing")

    monkeypatch.setattr("pincite.surfaces.adk.toolset.traced_search", broken)
    (given,), _ = run(toolset(indexed), calling("retrieve_evidence", query="rotate a key"))
    assert given["status"] == "error"
    assert given["error_message"] == "ZeroDivisionError: by nothing"


def test_a_toolset_that_cannot_be_is_refused_when_it_is_made(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="no tool is named 'search'"):
        EvidenceToolset(tmp_path, tools=["search"])
    with pytest.raises(ConfigError, match="no preset is named 'best'"):
        EvidenceToolset(tmp_path, preset="best")


def test_the_example_of_the_documentation_makes_an_agent(
    indexed: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = (Path(__file__).parents[3] / "docs/adk.md").read_text(encoding="utf-8")
    (block,) = re.findall(r"^```python\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    monkeypatch.chdir(indexed.folder)
    made: dict[str, Any] = {}
    exec(block, made)
    (tools,) = made["agent"].tools

    async def ask() -> dict[str, Any]:
        given: dict[str, Any] = await tools.retrieve_evidence("rotate a key")
        await tools.close()
        return given

    assert asyncio.run(ask())["status"] == "success"


def test_tools_are_bound_to_kinds_and_a_filter_that_no_message_shows(indexed: Cli) -> None:
    ask = calling("retrieve_evidence", query="how do I rotate a key")
    outside = calling("retrieve_evidence", query="rotate", kinds=["docs"], where="symbols = nope")
    bound = {"kinds": "code", "where": "path ^= src/ or path ^= secret/", "sources": ["acme"]}
    (given, none), _ = run(toolset(indexed, **bound), ask, outside)
    assert {one["path"] for one in given["evidence_pack"]["evidence"]} == {"src/keys.py"}
    assert none["status"] == "no_results"
    assert "that may be searched matches kinds=['docs'], where='symbols = nope'" in none["evidence"]
    assert "secret" not in str(none)
    assert "acme" not in none["evidence"]
    for wrong in ({"kinds": ["markdown"]}, {"where": "kind ="}, {"where": 5}):
        with pytest.raises(UsageError, match=r"kinds is 'markdown'|where"):
            toolset(indexed, **wrong)


def test_a_prefix_and_a_filter_of_the_framework_apply(indexed: Cli) -> None:
    both = ["retrieve_evidence", "retrieve_adk_evidence"]
    options: dict[str, Any] = {"tools": both, "tool_filter": both[:1], "tool_name_prefix": "keys"}
    ask = calling("keys_retrieve_evidence", query="how do I rotate a key")
    (given,), model = run(toolset(indexed, **options), ask)
    assert given["status"] == "success"
    assert list(model.heard[0].tools_dict) == ["keys_retrieve_evidence"]


def test_a_wrong_value_of_an_optional_choice_is_answered_with_the_valid_ones(indexed: Cli) -> None:
    ask = calling("retrieve_evidence", query="keys", kinds=["markdown"])
    (given,), _ = run(toolset(indexed), ask)
    assert "kinds[0]: Invalid enum value 'markdown'; use one of 'code'" in given["error_message"]


def test_missing_tags_are_named_in_the_form_that_the_tool_takes(tmp_path: Path) -> None:
    (tmp_path / "pincite.toml").write_text('[collections.main]\nrequire = ["tenant"]\n')
    record = {"id": "a", "text": "A key is rotated.", "attributes": {"tenant": "a"}}
    with Pincite(tmp_path / ".pincite") as pincite:
        pincite.upsert(record, lexical=True)
    asks = [calling("retrieve_evidence", query="key", tags=tags) for tags in (None, ["tenant=a"])]
    (refused, given), _ = run(EvidenceToolset(tmp_path / ".pincite"), *asks)
    assert refused["error_message"].endswith('; try: tags=["tenant=..."]')
    assert given["status"] == "success"


def test_a_tag_that_the_program_sets_is_not_shown_beside_one_of_the_call(tmp_path: Path) -> None:
    attributes = {"tenant": "secret-42", "topic": "keys"}
    with Pincite(tmp_path / ".pincite") as pincite:
        pincite.upsert({"id": "a", "text": "A key.", "attributes": attributes}, lexical=True)

    async def session() -> list[dict[str, Any]]:
        bound = EvidenceToolset(tmp_path / ".pincite", tags={"tenant": "secret-42"})
        asks = ("topic=nothing", "topic=keys", "topik=keys")
        given = [await bound.retrieve_evidence("key", tags=[one]) for one in asks]
        await bound.close()
        return given

    none, found, unknown = asyncio.run(session())
    assert none["status"] == "no_results"
    assert (
        "no indexed document that may be searched matches tags={'topic': 'nothing'}"
        in none["evidence"]
    )
    assert (found["status"], unknown["status"]) == ("success", "error")
    assert "secret-42" not in str([none, unknown])


def test_an_argument_that_the_tool_does_not_offer_is_unknown(indexed: Cli) -> None:
    record = {"id": "a", "text": "A key is rotated.", "attributes": {"tenant": "acme"}}
    with Pincite(indexed.folder / ".tenants") as pincite:
        pincite.upsert(record, lexical=True)
    empties: list[Any] = [None, [], "", {}]
    for name in ("retrieve_evidence", "retrieve_adk_evidence"):
        tools = EvidenceToolset(indexed.folder / ".tenants", tools=[name], tags={"tenant": "acme"})
        asks = [
            calling(name, query="key", tags=["tenant=bolt"]),
            calling(name, query="key", foo=1),
            calling(name, query="key", tags="tenant=bolt"),
            calling(name, query="key", tags=7),
            *(calling(name, query="key", tags=empty) for empty in empties),
        ]
        (tagged, unknown, text, number, *right), _ = run(tools, *asks)
        for refused in (tagged, text, number):
            said = refused["error_message"]
            assert said.startswith(f"{name}: no argument is named 'tags'; try: ")
            assert "tags=" not in said
        assert "tags=" not in unknown["error_message"]
        assert [one["status"] for one in right] == ["success"] * 4


def test_a_refusal_has_the_name_with_the_prefix(indexed: Cli) -> None:
    tools = toolset(indexed, tool_name_prefix="keys")
    (refused,), _ = run(tools, calling("keys_retrieve_evidence", q="rotate a key"))
    said = refused["error_message"]
    assert said.startswith("keys_retrieve_evidence: no argument is named 'q'")
    assert "; try: keys_retrieve_evidence(query, " in said
