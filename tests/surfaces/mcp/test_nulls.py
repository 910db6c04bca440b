"""Clients that send every argument of a tool, null for those that are left out."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from mcp import Client
from mcp.client.stdio import stdio_client
from msgspec import structs

from pincite.errors import UsageError
from pincite.surfaces.mcp.answering import AnswerArguments
from pincite.surfaces.mcp.chatgpt import FetchOne, SearchOne
from pincite.surfaces.mcp.refreshing import RefreshArguments
from pincite.surfaces.mcp.tools import (
    ReadArguments,
    SearchArguments,
    StatusArguments,
    VerifyArguments,
)
from pincite.surfaces.tools.arguments import take_arguments
from pincite.surfaces.tools.documents_tool import DocumentsArguments
from tests.surfaces.conftest import Cli
from tests.surfaces.mcp.conftest import command

CITED = "acme@v1:src/keys.py#L4-L6"
#: The required arguments of each tool.
REQUIRED: dict[str, dict[str, Any]] = {
    "search_evidence": {"query": "rotate a key"},
    "read_lines": {"locator": CITED},
    "verify_citations": {"citations": [CITED, {"citation": CITED, "quote": None}]},
    "index_status": {},
    "refresh": {},
}
STRUCTS: list[tuple[Any, dict[str, Any]]] = [
    (SearchArguments, REQUIRED["search_evidence"]),
    (ReadArguments, REQUIRED["read_lines"]),
    (VerifyArguments, REQUIRED["verify_citations"]),
    (StatusArguments, {}),
    (RefreshArguments, {}),
    (AnswerArguments, {"query": "rotate a key"}),
    (SearchOne, {"query": "rotate a key"}),
    (FetchOne, {"id": "0123456789"}),
    (DocumentsArguments, {"query": "rotate a key"}),
]


@pytest.mark.parametrize("chatgpt", [False, True])
def test_a_client_may_send_null_for_every_argument_that_is_optional(
    indexed: Cli, chatgpt: bool
) -> None:
    async def session() -> int:
        server = stdio_client(command(indexed.folder, *(["--chatgpt"] if chatgpt else [])))
        async with Client(server) as client:
            required = dict(REQUIRED)
            if chatgpt:
                found = await client.call_tool("search", {"query": "rotate a key", "tags": None})
                assert found.structured_content is not None
                best = found.structured_content["results"][0]["id"]
                required = {"search": {"query": "rotate a key"}, "fetch": {"id": best}}
            listed = (await client.list_tools()).tools
            assert {tool.name for tool in listed} == {*required}
            for tool in listed:
                nulls = {**dict.fromkeys(tool.input_schema["properties"]), **required[tool.name]}
                result = await client.call_tool(tool.name, nulls)
                plain = await client.call_tool(tool.name, required[tool.name])
                assert result.is_error is not True, result.content
                assert result.content == plain.content
        return len(listed)

    assert asyncio.run(session()) == (2 if chatgpt else 5)


@pytest.mark.parametrize(("into", "required"), STRUCTS)
def test_null_is_what_is_left_out_and_nothing_else(into: Any, required: dict[str, Any]) -> None:
    fields = structs.fields(into)
    assert {one.encode_name for one in fields if one.required} == {*required}
    nulls = {one.encode_name: None for one in fields}
    expected = take_arguments("tool", required, into)
    assert take_arguments("tool", {**nulls, **required}, into) == expected
    with pytest.raises(UsageError, match="no argument is named 'limitt'"):
        take_arguments("tool", {**required, "limitt": None}, into)
    for name in required:
        with pytest.raises(UsageError, match=f"{name}: Expected .*, got `null`"):
            take_arguments("tool", {**required, name: None}, into)
