"""The tools of agent frameworks: what they show to a model, and what they refuse when made."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest
from agents import Agent, Runner
from pydantic_ai import Agent as PydanticAgent
from pydantic_ai.models.test import TestModel

from pincite import Pincite
from pincite.errors import TagsRequired, UsageError
from pincite.surfaces.frameworks import openai_agents, pydantic_ai
from pincite.surfaces.frameworks.evidence_source import EvidenceSource
from pincite.surfaces.frameworks.tools import evidence_text
from pincite.surfaces.tools.hints import ToolNames, for_tools
from tests.surfaces.frameworks.conftest import Opened, without_model
from tests.surfaces.frameworks.scripted import Scripted

MAKERS: list[Any] = [openai_agents.evidence_tool, pydantic_ai.evidence_tool]


@pytest.mark.parametrize(
    ("bound", "hidden"),
    [
        ({"kinds": "code"}, "code"),
        ({"sources": "secret"}, "secret"),
        ({"sources": "secret"}, "acme"),
        ({"tags": {"secret": 1}}, "secret"),
        ({"collections": "secret"}, "secret"),
        ({"collections": "secret"}, "main"),
    ],
)
def test_an_agent_reads_nothing_of_the_restrictions_of_its_tool(
    index: Path, opened: Opened, bound: Any, hidden: str
) -> None:
    source = opened(EvidenceSource(index, **bound))
    told = asyncio.run(evidence_text(source, "how is a key rotated?", "path ^= docs/"))
    assert hidden not in told
    assert "that may be searched matches where='path ^= docs/'" in told or "is bound to" in told


def test_no_warning_names_a_collection_that_a_tool_is_bound_to(
    tmp_path: Path, opened: Opened
) -> None:
    names = ("inner", "outer")
    with without_model(tmp_path), Pincite(tmp_path / ".pincite") as pincite:
        for name in names:
            pincite.upsert({"id": name, "text": "A key."}, collection=name)
        told = {one.message for one in pincite.search("key", collections=names).warnings}
    assert [sum(name in one for one in told) for name in names] == [1, 1]
    source = opened(EvidenceSource(tmp_path / ".pincite", collections=names))
    text = asyncio.run(evidence_text(source, "key"))
    assert not [name for name in names if f"{name} " in text or f"-c {name}" in text]
    assert text.endswith(
        "\n\nwarning lexical_only: a collection has no dense vectors, so it was searched by"
        " keywords only: to add them, ask the user to run `pincite status`"
    )


def test_where_nothing_was_searched_no_warning_is_about_a_search(
    index: Path, opened: Opened
) -> None:
    source = opened(EvidenceSource(index, refresh="auto"))
    told = asyncio.run(evidence_text(source, "how is a key rotated?", "path ^= nowhere/"))
    assert "Nothing was searched." in told
    assert "warning" not in told
    (notice,) = source.search("how is a key rotated?", where="path ^= nowhere/").warnings
    assert notice.code == "nothing_in_scope"


def test_a_program_gets_the_reason_of_a_wrong_restriction(index: Path, opened: Opened) -> None:
    with pytest.raises(UsageError, match="a collection that this search is bound to") as found:
        opened(EvidenceSource(index, collections="nope")).search("keys")
    assert str(found.value.__cause__).startswith("no collection is named 'nope'; known")
    with pytest.raises(UsageError, match="the filter that this search is bound to") as found:
        opened(EvidenceSource(index, tags={"nope": 1})).search("keys")
    assert str(found.value.__cause__).startswith("no attribute is named 'nope'")


def test_what_is_proposed_instead_is_within_the_restrictions(index: Path, opened: Opened) -> None:
    found = opened(EvidenceSource(index, kinds="code")).search("keys", where="path ^= nowhere/")
    (notice,) = (one for one in found.warnings if one.code == "nothing_in_scope")
    assert "such as src/keys.py" in notice.message
    assert "docs" not in notice.message


@pytest.mark.parametrize("make", MAKERS)
@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"max_tokens": 10}, "max_tokens is 10; it takes a whole number from 300"),
        ({"max_tokens": "400"}, "max_tokens is '400'"),
        ({"kinds": ["x"]}, "kinds is 'x'; it takes one of"),
    ],
)
def test_a_wrong_argument_of_a_tool_is_refused_at_once(
    index: Path, make: Any, wrong: Any, said: str
) -> None:
    with pytest.raises(UsageError, match=said):
        make(index, **wrong)
    with pytest.raises(TypeError, match="an EvidenceSource has its own kinds"):
        make(EvidenceSource(index), kinds="code")


def test_an_agent_has_several_tools_with_names_of_their_own(index: Path) -> None:
    named = {"name": "search_code", "description": "Searches code."}
    tools = [make(index, kinds="code", **named) for make in MAKERS]
    assert [(one.name, one.description) for one in tools] == [("search_code", "Searches code.")] * 2
    both: list[Any] = [pydantic_ai.evidence_tool(index), tools[1]]
    agent = PydanticAgent(TestModel(), tools=both)
    assert {*json.loads(agent.run_sync("go").output)} == {"search_evidence", "search_code"}


def test_errors_of_a_tool_have_its_name(index: Path) -> None:
    model = Scripted(arguments='{"q": 1}', tool="search_code")
    tool = openai_agents.evidence_tool(index, name="search_code")
    asyncio.run(Runner.run(Agent(name="dev", tools=[tool], model=model), "go"))
    assert model.told.startswith("error: search_code: no argument is named 'q'")
    assert 'search_code(query, where="")' in model.told


def test_a_tool_without_tags_is_told_to_filter_by_the_required_ones(
    tmp_path: Path, opened: Opened
) -> None:
    (tmp_path / "pincite.toml").write_text('[collections.main]\nrequire = ["tenant"]\n')
    record = {"id": "a", "text": "A key is rotated.", "attributes": {"tenant": "a"}}
    with Pincite(tmp_path / ".pincite") as pincite:
        pincite.upsert(record, lexical=True)
    source = opened(EvidenceSource(tmp_path / ".pincite"))
    told = asyncio.run(evidence_text(source, "key"))
    assert told.endswith('\n  try: where="tenant = ..."')
    assert "A key is rotated." in asyncio.run(evidence_text(source, "key", "tenant = a"))
    with pytest.raises(TagsRequired, match="requires tenant"):
        source.search("key")


@pytest.mark.parametrize(
    ("form", "hint"),
    [
        ("object", 'tags={"a": ..., "b": ...}'),
        ("texts", 'tags=["a=...", "b=..."]'),
        ("filter", 'where="a = ... and b = ..."'),
    ],
)
def test_missing_tags_are_named_in_the_form_of_a_tool(form: Any, hint: str) -> None:
    said = '--tag a=... --tag b=..., or tags={"a": ..., "b": ...}'
    assert for_tools(said, ToolNames(tags=form)) == hint


def test_an_error_does_not_name_the_collection_that_a_tool_is_bound_to(
    tmp_path: Path, opened: Opened
) -> None:
    (tmp_path / "pincite.toml").write_text('[collections.merger]\nrequire = ["tenant"]\n')
    record = {"id": "a", "text": "A key is rotated.", "attributes": {"tenant": "a"}}
    with Pincite(tmp_path / ".pincite") as pincite:
        pincite.upsert(record, lexical=True, collection="merger")
    source = opened(EvidenceSource(tmp_path / ".pincite", collections="merger"))
    told = asyncio.run(evidence_text(source, "key"))
    assert told.startswith("error: a collection requires tenant for every search and read")
    with pytest.raises(TagsRequired) as raised:
        source.search("key")
    assert "the collection 'merger' requires tenant" in str(raised.value.__cause__)


def test_a_source_that_is_gone_is_shown_with_neither_name_nor_place(
    tmp_path: Path, opened: Opened
) -> None:
    folder = tmp_path / "merger.zip"
    with ZipFile(folder, "w") as archive:
        archive.writestr("keys.md", "# Keys\n\nA key is rotated every 30 days.\n")
    with Pincite(tmp_path / ".pincite") as pincite:
        pincite.index(folder, name="merger", lexical=True)
    folder.write_bytes(b"no archive")
    source = opened(EvidenceSource(tmp_path / ".pincite", sources="merger"))
    (gone,) = (
        n for n in source.search("how is a key rotated?").warnings if n.code == "source_gone"
    )
    assert gone.message.startswith("the files of a source are not available")
