"""The tools over a real index, through the official client in the same process."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from mcp import Client
from mcp.types import CallToolResult
from mcp.types import Tool as Listed

from pincite.daemon.client.spawn import daemon_pid
from pincite.engine import AsyncPincite
from pincite.settings.load import load_settings
from pincite.surfaces.mcp.greeting import warm
from tests.surfaces.conftest import Cli
from tests.surfaces.mcp.calls import call, structure_of, text_of, with_client
from tests.surfaces.mcp.conftest import definition_tokens

ERAS = ("legacy", "auto")
READS = {
    "read_only_hint": True,
    "destructive_hint": False,
    "idempotent_hint": True,
    "open_world_hint": False,
}
#: `refresh` removes what the index has of deleted files: that is not only additive.
HINTS = {"refresh": {"read_only_hint": False, "destructive_hint": True}}


def hints_of(tool: Listed) -> dict[str, bool]:
    """What the annotations of a tool say of its effects."""
    assert tool.annotations is not None
    hints = tool.annotations.model_dump(exclude_none=True)
    assert hints.pop("title") == tool.title
    return hints


@pytest.mark.parametrize("mode", ERAS)
def test_there_are_five_strict_tools_that_change_no_file(indexed: Cli, mode: str) -> None:
    listed = with_client(indexed.folder, lambda c: c.list_tools(), mode).tools
    names = ["search_evidence", "read_lines", "verify_citations", "index_status", "refresh"]
    assert [tool.name for tool in listed] == names
    for tool in listed:
        assert hints_of(tool) == {**READS, **HINTS.get(tool.name, {})}
        assert tool.input_schema["type"] == "object"
        assert tool.input_schema["additionalProperties"] is False
        assert tool.output_schema is None
        for argument in tool.input_schema["properties"].values():
            assert argument["type"]


def test_the_definitions_of_all_tools_are_as_short_as_the_page_says(indexed: Cli) -> None:
    listed = with_client(indexed.folder, lambda c: c.list_tools()).tools
    assert sum(map(definition_tokens, listed)) < 1_700


@pytest.mark.parametrize("mode", ERAS)
def test_the_instructions_say_what_is_indexed_and_how_it_is_searched(
    indexed: Cli, mode: str
) -> None:
    async def instructions(client: Client) -> str | None:
        return client.instructions

    said = with_client(indexed.folder, instructions, mode) or ""
    assert "- main: 3 documents" in said
    assert "acme" in said
    assert "keyword search only" in said


def test_without_an_index_the_instructions_and_the_error_say_what_to_do(tmp_path: Path) -> None:
    async def both(client: Client) -> tuple[str | None, CallToolResult]:
        return client.instructions, await client.call_tool("search_evidence", {"query": "x"})

    said, result = with_client(tmp_path, both)
    assert "pincite index PATH" in (said or "")
    assert result.is_error
    assert "pincite index PATH" in text_of(result)


def test_a_search_gives_whole_passages_and_the_pack_as_a_structure_where_it_is_asked_for(
    indexed: Cli,
) -> None:
    result = call(indexed.folder, "search_evidence", query="rotate a key", limit=2)
    pack = structure_of(result)
    first, *hits = text_of(result).splitlines()
    assert first.startswith(f"{pack['verdict']['level']} (on topic): ")
    assert [line[:3] for line in hits if line.startswith("[")] == ["[1]", "[2]"]
    cited = {item["citation"] for item in pack["evidence"]}
    assert "acme@v1:src/keys.py#L1-L6" in cited
    assert all(citation in text_of(result) for citation in cited)
    for line in ("4  def rotate_key(secret: str) -> None:", "6      store(secret)"):
        assert line in hits
    plain = call(indexed.folder, "search_evidence", query="rotate a key", limit=2, detail="text")
    assert plain.structured_content is None
    assert text_of(plain) == text_of(result)


def test_the_same_question_gives_the_same_pack_and_the_query_id_stands_beside_it(
    indexed: Cli,
) -> None:
    first, second = (call(indexed.folder, "search_evidence", query="backups") for _ in range(2))
    assert structure_of(first) == structure_of(second)
    ids = [(result.meta or {})["pincite/query_id"] for result in (first, second)]
    assert ids[0] != ids[1]
    assert ids[1] not in json.dumps(structure_of(second))
    assert indexed.json("replay", ids[1])["text"] == "backups"


def test_a_search_can_be_narrowed(indexed: Cli) -> None:
    choices: list[dict[str, Any]] = [
        {"kinds": ["code"]},
        {"paths": ["src/*"]},
        {"not_paths": ["docs/*"]},
        {"where": 'source_type = code and path ^= "src/"'},
    ]
    for narrowed in choices:
        found = call(indexed.folder, "search_evidence", query="rotate a key", **narrowed)
        assert {item["path"] for item in structure_of(found)["evidence"]} == {"src/keys.py"}
    nothing = call(indexed.folder, "search_evidence", query="rotate a key", ref="v2")
    assert structure_of(nothing)["evidence"] == []


def test_a_search_has_a_mode_a_budget_and_brings_context(indexed: Cli) -> None:
    asked: dict[str, Any] = {"mode": "build", "context": "neighbours", "budget_ms": 60_000}
    found = call(indexed.folder, "search_evidence", query="which step is step 150", **asked)
    pack = structure_of(found)
    assert pack["plan"]["mode"] == "build"
    first = pack["evidence"][0]
    assert first["context"]["start_line"] < first["start_line"]


def test_a_preset_may_stand_in_for_the_profile(indexed: Cli) -> None:
    async def limits(client: Client) -> int:
        asked = {"query": "backups", "detail": "full"}
        pack = structure_of(await client.call_tool("search_evidence", asked))
        return int(pack["plan"]["limits"]["sparse"])

    assert with_client(indexed.folder, limits, preset="evidence") == 120
    assert with_client(indexed.folder, limits) == 30


def test_nothing_relevant_is_an_answer_and_no_error(indexed: Cli) -> None:
    result = call(indexed.folder, "search_evidence", query="zebra quantum ferment")
    assert structure_of(result)["verdict"]["level"] == "none"
    assert text_of(result).startswith("none (nothing on topic): ")
    assert "Do not answer from this index" in text_of(result)


def test_lines_are_read_by_id_citation_and_place_with_context(indexed: Cli) -> None:
    pack = structure_of(call(indexed.folder, "search_evidence", query="rotate_key", kinds=["code"]))
    item = pack["evidence"][0]
    for locator in (f"#{item['chunk_id'][:12]}", item["citation"], "keys.py:1:6"):
        reading = structure_of(call(indexed.folder, "read_lines", locator=locator))
        assert reading["passage"]["text"] == item["text"]
    wider = structure_of(call(indexed.folder, "read_lines", locator="keys.py:4:1", context=3))
    assert (wider["passage"]["start_line"], wider["passage"]["end_line"]) == (1, 6)
    page = call(indexed.folder, "read_lines", locator="acme@v1:https://acme.example/guide/")
    assert text_of(page).startswith("acme@v1:docs/guide.md#L1-L9\n```\n1  # Guide")


def test_a_long_file_is_read_in_parts(indexed: Cli) -> None:
    result = call(indexed.folder, "read_lines", locator="docs/long.md")
    reading = structure_of(result)
    assert (reading["passage"]["end_line"], reading["lines_left"]) == (200, 399)
    assert text_of(result).splitlines()[0].endswith("#L1-L200")
    assert "\n199  Step 99 is the next one.\n```\n... 399 more lines: read_lines " in text_of(
        result
    )
    following = text_of(result).splitlines()[-1].split("read_lines ")[1]
    assert following.endswith(":201:200")  # no more than the tool gives at once
    rest = structure_of(call(indexed.folder, "read_lines", locator=following))
    assert rest["passage"]["start_line"] == 201
    blank = structure_of(call(indexed.folder, "read_lines", locator="docs/long.md#L199-L200"))
    assert (blank["passage"]["end_line"], blank["lines_left"]) == (200, 0)
    text = text_of(call(indexed.folder, "read_lines", locator="acme@v1:docs/long.md#L1C6-L300"))
    assert text.startswith("acme@v1:docs/long.md#L1C6-L200\n```\n  1  0 is the next one.\n")


def test_lines_of_an_earlier_revision_are_read_with_a_warning(indexed: Cli) -> None:
    said = text_of(call(indexed.folder, "read_lines", locator="acme@v0:src/keys.py#L1-L2"))
    warning = "warning: v0 is not available: another text may be at this place now"
    assert said.splitlines()[:2] == ["acme@v1:src/keys.py#L1-L2", warning]


def test_citations_are_verified_with_and_without_what_they_are_cited_for(indexed: Cli) -> None:
    code, page = "acme@v1:src/keys.py#L4-L6", "acme@v1:https://acme.example/guide/"
    result = call(
        indexed.folder,
        "verify_citations",
        citations=[
            code,
            {"citation": code, "quote": "def rotate_key(secret:\n str)"},
            {"citation": "acme@v1:src/keys.py#L1-L2", "quote": "store(secret)"},
            {"citation": page, "quote": "kept for thirty days"},
            {"citation": page, "quote": "kept for forty days"},
            "acme@v1:src/keys.py#L400-L401",
            "acme@v0:src/keys.py#L4-L6",
            "other@v1:nothing.py#L1",
            "made up",
        ],
    )
    found = structure_of(result)
    assert [one["status"] for one in found["checked"]] == [
        *("fresh", "fresh", "moved", "fresh", "changed"),
        *("changed", "unknown", "unknown", "unknown"),
    ]
    assert found["checked"][2]["start_line"] == 6
    assert found["all_fresh"] is False
    assert text_of(result).splitlines()[0] == f"fresh    {code}"


def test_the_status_is_that_of_the_command_line(indexed: Cli) -> None:
    result = call(indexed.folder, "index_status")
    assert structure_of(result)["collections"][0]["documents"] == 3
    assert "search   keyword search only" in text_of(result)


@pytest.mark.parametrize(
    ("tool", "arguments", "said"),
    [
        ("search_evidence", {}, "missing required field `query`"),
        ("search_evidence", {"query": ""}, "query: Expected `str` of length >= 1"),
        ("search_evidence", {"query": "x", "limt": 3}, "did you mean 'limit'?"),
        ("search_evidence", {"query": "x", "top_k": 3}, "no argument is named 'top_k'"),
        ("search_evidence", {"query": "x", "limit": 51}, "limit: Expected `int` <= 50"),
        (
            "search_evidence",
            {"query": "x", "limit": "3"},
            "limit: Expected `int | null`, got `str`",
        ),
        ("search_evidence", {"query": "x", "kinds": ["pdf"]}, "use one of 'code', 'data', 'docs'"),
        ("search_evidence", {"query": "x", "collections": ["no"]}, "known collections: main"),
        (
            "search_evidence",
            {"query": "x", "where": "lang = go"},
            "try: use language instead of lang",
        ),
        ("search_evidence", {"query": "x", "where": "path"}, "expected =, !=, in, not in, ^="),
        (
            "read_lines",
            {"locator": "nothing.py"},
            "error: no indexed file is named 'nothing.py'\n  try: call search_evidence",
        ),
        ("read_lines", {"locator": "keys.py:99"}, "has 6 lines"),
        ("read_lines", {"path": "keys.py"}, "no argument is named 'path'"),
        ("verify_citations", {"citations": []}, "citations: Expected `array` of length >= 1"),
        ("verify_citations", {"citations": [{"quote": "x"}]}, "missing required field `citation`"),
        (
            "verify_citations",
            {"citations": [{"citation": "a", "quotes": "x"}]},
            "citations[0]: there is no field 'quotes'; its fields are citation, quote",
        ),
        ("index_status", {"verbose": True}, "no argument is named 'verbose'"),
    ],
)
def test_a_wrong_argument_comes_back_as_an_error_to_act_on(
    indexed: Cli, tool: str, arguments: dict[str, Any], said: str
) -> None:
    result = call(indexed.folder, tool, **arguments)
    assert result.is_error
    assert said in text_of(result)
    assert result.structured_content is None


def test_the_page_shows_errors_as_they_are(indexed: Cli) -> None:
    page = (Path(__file__).parents[3] / "docs/mcp.md").read_text(encoding="utf-8")
    for tool, wrong in (
        ("search_evidence", {"limt": 3}),
        ("read_lines", {"locator": "nothing.py"}),
    ):
        arguments: dict[str, Any] = {"query": "x", **wrong} if "limt" in wrong else {**wrong}
        assert text_of(call(indexed.folder, tool, **arguments)) in page


@pytest.mark.parametrize(
    ("name", "value"),
    [("paths", "keys.py"), ("kinds", "code"), ("not_paths", "*.md"), ("subqueries", "lex: rotate")],
)
def test_one_text_counts_as_a_list_of_one(indexed: Cli, name: str, value: str) -> None:
    for given in (value, [value]):
        arguments: dict[str, Any] = {"query": "rotate_key", name: given}
        result = call(indexed.folder, "search_evidence", **arguments)
        assert not result.is_error, text_of(result)
        assert "keys.py" in text_of(result)
    checked = call(indexed.folder, "verify_citations", citations="acme@v1:src/keys.py#L4-L6")
    assert structure_of(checked)["all_fresh"] is True


@pytest.mark.parametrize("name", ["collections", "sources", "paths", "not_paths"])
@pytest.mark.parametrize("value", [["x"] * 2_001, ["x" * 200_001], ["x" * 1_000] * 201])
def test_a_call_has_limits_of_values_and_characters(
    indexed: Cli, name: str, value: list[str]
) -> None:
    arguments: dict[str, Any] = {"query": "rotate a key", name: value}
    result = call(indexed.folder, "search_evidence", **arguments)
    said = text_of(result)
    assert result.is_error
    assert "search_evidence: the arguments have" in said
    assert "pass at most 2,000 values with 200,000 characters" in said
    assert len(said) < 500


def test_what_others_index_meanwhile_is_found(indexed: Cli, tmp_path: Path) -> None:
    (tmp_path / "new.md").write_text("# New\n\nPenguins waddle over ice floes.\n")
    index = str(indexed.folder / ".pincite")

    async def around(client: Client) -> tuple[int, int]:
        counts = []
        for _ in range(2):
            asked = {"query": "penguins waddle", "detail": "full"}
            result = await client.call_tool("search_evidence", asked)
            counts.append(len(structure_of(result)["evidence"]))
            await asyncio.to_thread(
                indexed, "index", str(tmp_path), "-c", "other", "--lexical", "--index", index
            )
        return counts[0], counts[1]

    try:
        assert with_client(indexed.folder, around) == (0, 1)
    finally:
        indexed("collections", "drop", "other", "--yes")


def test_warming_starts_the_daemon_and_never_fails(indexed: Cli, tmp_path: Path) -> None:
    indexed("stop")

    async def warm_both() -> None:
        for folder in (indexed.folder, tmp_path):
            async with AsyncPincite(load_settings({"PINCITE_IDLE_S": "60"}, folder)) as engine:
                await warm(engine)

    asyncio.run(warm_both())
    assert daemon_pid(indexed.folder / ".pincite") is not None
    assert list(tmp_path.iterdir()) == []


def test_the_tools_of_chatgpt_only_read(indexed: Cli) -> None:
    listed = with_client(indexed.folder, lambda c: c.list_tools(), chatgpt=True).tools
    assert [(tool.name, hints_of(tool)) for tool in listed] == [("search", READS), ("fetch", READS)]


def test_chatgpt_gets_its_two_tools_in_its_shapes(indexed: Cli) -> None:
    listed = with_client(indexed.folder, lambda c: c.list_tools(), chatgpt=True).tools
    takes = {tool.name: list(tool.input_schema["properties"]) for tool in listed}
    assert takes == {"search": ["query"], "fetch": ["id"]}
    found = call(indexed.folder, "search", chatgpt=True, query="how are backups kept")
    results = structure_of(found)["results"]
    assert json.loads(text_of(found)) == {"results": results}
    assert set(results[0]) == {"id", "title", "url"}
    assert results[0]["url"] == "https://acme.example/guide/"
    fetched = call(indexed.folder, "fetch", chatgpt=True, id=results[0]["id"])
    page = structure_of(fetched)
    assert json.loads(text_of(fetched)) == page
    assert set(page) == {"id", "title", "text", "url", "metadata"}
    assert "kept for thirty days" in page["text"]
    assert page["metadata"]["citation"] == "acme@v1:https://acme.example/guide/#L1-L9"
    missing = call(indexed.folder, "fetch", chatgpt=True, id="0000000000000000")
    assert missing.is_error
