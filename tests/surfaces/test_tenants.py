"""Two tenants in one collection that requires tags: nobody reads of one with the tags of the other.

Every public entry point has a decision here; a new one without a decision fails.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

import click
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pincite import Pincite
from pincite.engine import AsyncPincite
from pincite.errors import TagsRequired
from pincite.surfaces.adk import TOOLS, EvidenceToolset
from pincite.surfaces.cli.app import app
from pincite.surfaces.mcp.chatgpt import chatgpt_tools
from pincite.surfaces.mcp.tools import tools
from pincite.surfaces.text.render import to_json
from tests.surfaces.tenants import (
    MARKS,
    REFUSED,
    Shelf,
    hold,
    python_calls,
    said_by_adk,
    said_by_command,
    said_by_mcp,
    said_by_python,
    shelf_of_tenants,
    texts_of_tags,
)

#: What the entry points do about tags. `tags`: refused without, narrowed by them. `owner`: whoever
#: calls it has the folder with all that is in it, and it says nothing to others. `user`: of one
#: user, whom it names; nothing of documents.
PYTHON = {
    **dict.fromkeys(
        ("search", "find", "ask", "get", "verify", "check", "delete", "count_records"), "tags"
    ),
    **dict.fromkeys(("files", "get_many"), "tags"),
    **dict.fromkeys(("index", "upsert", "collections", "warm", "refresh", "reopen"), "owner"),
    **dict.fromkeys(("freshness", "close", "stop", "reembed", "drop"), "owner"),
    **dict.fromkeys(("answer", "answer_stream", "answering"), "answers"),  # tests/engine
    **dict.fromkeys(("forget", "client", "deps", "describe", "descriptions", "reranker"), "owner"),
    **dict.fromkeys(("remember", "recall", "facts", "forget_facts", "turns"), "user"),
    **dict.fromkeys(("begin_conversation", "conversations", "delete_conversation"), "user"),
    "context_for": "tags",
}
COMMANDS = {
    **dict.fromkeys(("search", "evidence", "explain", "get", "verify", "delete"), "tags"),
    **dict.fromkeys(("mcp", "ui"), "tags"),
    **dict.fromkeys(("ls", "multi-get"), "tags"),
    **dict.fromkeys(("context", "eval run", "eval gate", "eval sweep", "eval ann"), "tags"),
    **dict.fromkeys(("eval calibrate", "eval gen", "eval label", "ask", "chat"), "tags"),
    "replay": "logged",
    **dict.fromkeys(("memory", "conversations"), "user"),
    **dict.fromkeys(
        ("index", "import", "reembed", "push", "pull", "status", "stop", "watch"), "owner"
    ),
    **dict.fromkeys(("collections", "models", "cache", "config", "presets", "describe"), "owner"),
    **dict.fromkeys(("doctor", "embed", "rerank", "schema", "completion"), "nothing of an index"),
    **dict.fromkeys(("init", "trust"), "nothing of an index"),
    **dict.fromkeys(("serve", "worker", "workspace"), "workspaces, which have their own access"),
    **dict.fromkeys(
        ("eval check", "eval compare", "eval report", "eval import", "eval export"),
        "nothing of an index",
    ),
}
MCP = {"search_evidence", "read_lines", "verify_citations", "search", "fetch", "index_status"}
MCP |= {"refresh"}
WITHOUT_TAGS = {"index_status", "refresh"}


@pytest.fixture(scope="module")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shelf]:
    with shelf_of_tenants(tmp_path_factory.mktemp("tenants")) as opened:
        yield opened


def commands(group: click.Group, prefix: str = "") -> dict[str, click.Command]:
    """All commands; those below `eval` one by one."""
    found: dict[str, click.Command] = {}
    for name in group.list_commands(click.Context(group)):
        one = group.get_command(click.Context(group), name)
        assert one is not None
        if isinstance(one, click.Group) and name == "eval":
            found |= commands(one, "eval ")
        else:
            found[f"{prefix}{name}"] = one
    return found


def test_every_method_has_a_decision() -> None:
    named = {name for name in dir(AsyncPincite) if name[0] != "_"}
    assert named == set(PYTHON)
    assert {name for name in dir(Pincite) if name[0] != "_"} <= set(PYTHON)


def test_every_command_has_a_decision_and_those_that_read_take_tags() -> None:
    known = commands(app)
    assert set(known) == set(COMMANDS)
    for name, one in known.items():
        takes = "tags" in {parameter.name for parameter in one.params}
        assert takes is (COMMANDS[name] == "tags"), name


def test_every_tool_has_a_decision(shelf: Shelf) -> None:
    engine = AsyncPincite(shelf.settings)
    known = (*tools(engine), *chatgpt_tools(engine))
    assert {tool.name for tool in known} == MCP
    for tool in known:
        assert ("tags" in tool.takes.__struct_fields__) is (tool.name not in WITHOUT_TAGS)
    assert TOOLS == ("retrieve_evidence", "retrieve_adk_evidence")


VALUES = st.sampled_from(
    ["", [], [""], "north", "south", ["north", "south"], "elsewhere", ["", "north"], "NORTH"]
)
TAGS = st.fixed_dictionaries(
    {}, optional={"institution": VALUES, "mode": st.sampled_from(["exam", "exam", "open", "", []])}
)


@settings(
    max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(tags=TAGS, data=st.data())
def test_no_method_says_anything_of_another_tenant(
    shelf: Shelf, tags: dict[str, Any], data: st.DataObject
) -> None:
    place = data.draw(st.sampled_from([one for its in shelf.places.values() for one in its]))
    calls = python_calls(shelf, place)
    assert set(calls) == {name for name, does in PYTHON.items() if does == "tags"}
    with Pincite(shelf.settings) as pincite:
        for call in calls.values():
            hold(shelf, tags, said_by_python(call, pincite, tags), (place,))


@settings(
    max_examples=6, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(tags=TAGS, data=st.data())
def test_no_tool_of_mcp_says_anything_of_another_tenant(
    shelf: Shelf, tags: dict[str, Any], data: st.DataObject
) -> None:
    place = data.draw(st.sampled_from([one for its in shelf.places.values() for one in its]))
    question = "how is a key rotated in the oral exam?"
    calls: dict[str, dict[str, Any]] = {
        "search_evidence": {
            "query": question,
            "detail": "debug",
            "context": "section",
            "tags": tags,
        },
        "read_lines": {"locator": place, "context": 3, "tags": tags},
        "verify_citations": {"citations": [place], "tags": tags},
        "search": {"query": question, "tags": tags},
        "fetch": {"id": place if len(place) >= 8 else "00000000", "tags": tags},
        "index_status": {},
        "refresh": {},
    }
    assert set(calls) == MCP
    for tool, arguments in calls.items():
        said, _ = said_by_mcp(shelf, tool, {}, **arguments)
        if tool in WITHOUT_TAGS:
            assert not any(mark in said for mark in MARKS.values())
            assert "papers-" not in said
        else:
            hold(shelf, tags, said, (place,))


@settings(
    max_examples=5, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(tags=TAGS)
def test_no_tool_of_the_adk_says_anything_of_another_tenant(
    shelf: Shelf, tags: dict[str, Any]
) -> None:
    for tool in TOOLS:
        said = said_by_adk(shelf, tool, {}, query="oral exam", tags=texts_of_tags(tags))
        hold(shelf, tags, said)


@settings(
    max_examples=6, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(tags=TAGS, data=st.data())
def test_no_command_says_anything_of_another_tenant(
    shelf: Shelf, tags: dict[str, Any], data: st.DataObject, tmp_path_factory: Any
) -> None:
    place = data.draw(st.sampled_from([one for its in shelf.places.values() for one in its]))
    folder = tmp_path_factory.mktemp("said")
    pack, golden, out = folder / "pack.json", folder / "golden.jsonl", folder / "made.jsonl"
    pack.write_text(shelf.pack.to_json(), encoding="utf-8")
    golden.write_text('{"id": "q", "query": "oral exam", "off_topic": true}\n', encoding="utf-8")
    options = [part for one in texts_of_tags(tags) for part in ("--tag", one)]
    for name in ("search", "evidence", "explain", "context"):
        hold(shelf, tags, said_by_command(shelf, name, "oral exam", "--json", *options))
    said = said_by_command(shelf, "get", place, "--json", *options)
    hold(shelf, tags, said, (place, place.replace("\n", "\\n")))
    cited = tuple(one.citation for one in shelf.pack)
    hold(shelf, tags, said_by_command(shelf, "verify", str(pack), *options), cited)
    hold(shelf, tags, said_by_command(shelf, "eval", "run", str(golden), "--json", *options))
    said = said_by_command(shelf, "eval", "gen", "-o", str(out), *options)
    hold(shelf, tags, said + (out.read_text(encoding="utf-8") if out.exists() else ""))


NORTH = {"institution": "north", "mode": "exam"}


def test_what_another_tenant_has_is_answered_as_what_there_is_not(shelf: Shelf) -> None:
    with Pincite(shelf.settings) as pincite:
        for place in shelf.places["south"]:
            pairs = [("zanzibar", "xylophone"), ("south/", "nowhere/")]
            if re.fullmatch(r"#?[0-9a-f]{12,}", place):
                pairs = [(place.lstrip("#")[:12], "0123456789ab")]
            absent = renamed(place, pairs)
            assert absent != place
            for name in ("get", "check"):
                said = said_by_python(python_calls(shelf, place)[name], pincite, NORTH)
                wanted = said_by_python(python_calls(shelf, absent)[name], pincite, NORTH)
                assert renamed(said, pairs) == wanted


def renamed(text: str, pairs: list[tuple[str, str]]) -> str:
    for old, new in pairs:
        text = text.replace(old, new)
    return text


def test_a_tenant_reads_its_own(shelf: Shelf) -> None:
    with Pincite(shelf.settings) as pincite:
        for place in shelf.places["north"]:
            assert "quetzal" in pincite.get(place, tags=NORTH).text
        states = {
            item.path: one.status
            for item, one in zip(shelf.pack, pincite.verify(shelf.pack, tags=NORTH), strict=True)
        }
        assert {s for path, s in states.items() if "zanzibar" in path} == {"deleted"}
        assert {s for path, s in states.items() if "quetzal" in path} == {"fresh"}


@pytest.mark.parametrize("tool", sorted(MCP - WITHOUT_TAGS))
def test_bound_tags_are_added_and_cannot_be_widened(shelf: Shelf, tool: str) -> None:
    own, other = shelf.places["north"][0], shelf.places["south"][0]

    def arguments(place: str, **tags: Any) -> dict[str, Any]:
        by_tool: dict[str, dict[str, Any]] = {
            "read_lines": {"locator": place},
            "verify_citations": {"citations": [place]},
            "fetch": {"id": place},
        }
        return by_tool.get(tool, {"query": "oral exam"}) | ({"tags": tags} if tags else {})

    said, failed = said_by_mcp(shelf, tool, NORTH, **arguments(own))
    assert not failed, said
    allowed: list[dict[str, Any]] = [{}, {"institution": "north"}, {"mode": ["exam"]}]
    for tags in allowed:
        said, _ = said_by_mcp(shelf, tool, NORTH, **arguments(other, **tags))
        assert "zanzibar" not in said
        assert REFUSED not in said
        assert '"tags"' not in said.split('"structured_content"')[0].split("institution")[0]
    others: list[dict[str, Any]] = [
        {"institution": "south"},
        {"institution": ["north", "south"]},
        {"institution": ""},
        {"institution": []},
        {"mode": "open"},
    ]
    for tags in others:
        said, failed = said_by_mcp(shelf, tool, NORTH, **arguments(other, **tags))
        assert failed, said
        assert "zanzibar" not in said
        assert "is fixed by the server" in said


def test_the_adk_is_bound_as_well(shelf: Shelf) -> None:
    for tool in TOOLS:
        said = said_by_adk(shelf, tool, NORTH, query="oral exam")
        assert "quetzal" in said
        assert "zanzibar" not in said
        said = said_by_adk(shelf, tool, NORTH, query="oral exam", tags=["institution=south"])
        assert json.loads(said)["error_type"] == "UsageError"


def test_descriptions_name_required_tags_that_are_not_bound(shelf: Shelf) -> None:
    async def described(bound: Mapping[str, Any]) -> list[tuple[str, bool]]:
        toolset = EvidenceToolset(shelf.settings, tools=TOOLS, tags=bound)
        try:
            made = [tool._get_declaration() for tool in await toolset.get_tools()]
        finally:
            await toolset.close()
        schemas = [(one, one.parameters_json_schema or {}) for one in made if one]
        return [(str(one.description), "tags" in of["properties"]) for one, of in schemas]

    for text, asks in asyncio.run(described({"mode": "exam"})):
        assert "without a value for each of these in `tags`: institution." in text
        assert asks
    for text, asks in asyncio.run(described(NORTH)):
        assert "institution" not in text
        assert not asks
    said, _ = said_by_mcp(shelf, "search", {}, query="x")
    assert "each of these in `tags`: institution, mode." in said


def test_a_log_is_replayed_with_its_tags_and_refused_without(shelf: Shelf) -> None:
    from pincite.diagnostics.replay import replay
    from pincite.trace import Trace

    async def again(tags: Mapping[str, Any]) -> str:
        async with AsyncPincite(shelf.settings) as engine:
            trace = Trace(lambda: 0.0)
            try:
                await engine.search("oral exam", tags=tags, trace=trace)
            except TagsRequired:
                return to_json(await replay(engine, "last"))
            return to_json(await replay(engine, trace.query_id))

    assert "zanzibar" not in asyncio.run(again(NORTH))
    with pytest.raises(TagsRequired):
        asyncio.run(again({}))


def test_the_folder_of_another_tenant_is_a_folder_that_is_not_indexed(shelf: Shelf) -> None:
    top, north = shelf.folder.resolve(), {"institution": "north", "mode": "exam"}

    def said(folder: str) -> tuple[list[str], str]:
        with Pincite(shelf.settings) as pincite:
            pack = pincite.search("a key", paths=f"{top}/{folder}", tags=north)
            notices = " ".join(one.message for one in pack.warnings)
            return [one.path for one in pack], notices.replace(folder, "FOLDER")

    assert said("files-north")[0] == [f"{MARKS['north']}-folder/exam.md"]
    assert said("files-south") == said("files-nobody")
    theirs = f"{MARKS['south']}-folder"
    assert said(f"files-south/{theirs}") == said(f"files-nobody/{theirs}")
