"""An index of two tenants, what each entry point says about it, and the rule that it must hold."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from click.testing import CliRunner
from mcp import Client

from pincite import Claim, EvidencePack, Pincite
from pincite.engine import AsyncPincite
from pincite.errors import PinciteError, UsageError
from pincite.model import Question, Scope
from pincite.retrieval_log import Recorder
from pincite.settings.load import load_settings
from pincite.surfaces.adk import TOOLS, EvidenceToolset
from pincite.surfaces.cli.app import app
from pincite.surfaces.mcp.chatgpt import chatgpt_tools
from pincite.surfaces.mcp.server import make_server
from pincite.surfaces.mcp.tools import tools
from pincite.surfaces.text.render import to_json

REFUSED = "for every search and read"
MARKS = {"north": "quetzal", "south": "zanzibar"}
TEXT = "The oral exam of {0} asks how a key is rotated. The answer of {0} is short.\n"


@dataclass(frozen=True)
class Shelf:
    """A folder with an index of two tenants, the pack of both, and a locator of each kind."""

    folder: Path
    pack: EvidencePack
    places: Mapping[str, tuple[str, ...]]

    @property
    def settings(self) -> Any:
        return load_settings({"PINCITE_IDLE_S": "60", "PINCITE_OFFLINE": "1"}, self.folder)


@contextmanager
def shelf_of_tenants(folder: Path) -> Iterator[Shelf]:
    """Index two tenants in this folder."""
    (folder / "pincite.toml").write_text(
        '[collections.main]\nrequire = ["institution", "mode"]\n', encoding="utf-8"
    )
    made = load_settings({"PINCITE_IDLE_S": "60", "PINCITE_OFFLINE": "1"}, folder)
    with Pincite(made) as pincite:
        for tenant, mark in MARKS.items():
            place = folder / f"files-{tenant}" / f"{mark}-folder" / "exam.md"
            place.parent.mkdir(parents=True)
            place.write_text(f"# Exam {mark}\n\n{TEXT.format(mark)}", encoding="utf-8")
            attributes = {"institution": tenant, "mode": "exam"}
            pincite.index(
                folder / f"files-{tenant}",
                lexical=True,
                name={"north": "papers-a", "south": "papers-b"}[tenant],
                attributes=attributes,
            )
            pincite.upsert(
                {"id": one, "text": TEXT.format(mark), "title": mark, "attributes": attributes}
                for one in ("7", f"{mark}-7")
            )
        both = {"institution": ["north", "south"], "mode": "exam"}
        pack = pincite.search("how is a key rotated in the oral exam?", tags=both, limit=20)
        places: dict[str, tuple[str, ...]] = {}
        for tenant, mark in MARKS.items():
            its = [one for one in pack if mark in one.text]
            assert "records" in {one.repo for one in its}
            assert len(its) >= 2
            ids = [one.chunk_id for one in its]
            places[tenant] = (
                *ids,
                f"#{ids[0][:12]}",
                *(one.citation for one in its),
                f"{mark}-folder/exam.md",
                f"{mark}-folder/exam.md:1:2",
                f"{mark}-folder/exam.md#L1-L2",
                f"`{mark}-folder/exam.md:1-2`.",
                str(folder.resolve() / f"files-{tenant}" / f"{mark}-folder" / "exam.md"),
                f"file://{folder.resolve()}/files-{tenant}/{mark}-folder/exam.md#L1",
                f"{tenant}/exam/{mark}-7",
            )
        yield Shelf(folder, pack, places)
        pincite.stop()


def python_calls(shelf: Shelf, place: str) -> dict[str, Any]:
    """What each method that takes tags does with an engine and tags."""
    text = "how is a key rotated in the oral exam?"
    one = next((one for one in shelf.pack if place in (one.chunk_id, one.citation)), shelf.pack[0])
    return {
        "search": lambda p, tags: p.search(text, tags=tags, context="section"),
        "find": lambda p, tags: p.search(text, tags=tags, where="path ^= files", paths="*.md"),
        "ask": lambda p, tags: p.ask(Question(text, Scope(tags=tags, paths=("nowhere/*",)))),
        "get": lambda p, tags: p.get(place, 3, tags=tags),
        "files": lambda p, tags: p.files(["*", place], tags=tags),
        "get_many": lambda p, tags: p.get_many([place, "*.md", "*"], tags=tags),
        "verify": lambda p, tags: [
            (found.status, found.detail) for found in p.verify(shelf.pack, tags=tags)
        ],
        "check": lambda p, tags: p.check([place, Claim(place, one.text)], tags=tags),
        "delete": lambda p, tags: p.delete(ids=["absent"], tags=tags, collection="main"),
        "count_records": lambda p, tags: p.count_records(
            where="mode exists", tags=tags, collection="main"
        ),
        "context_for": lambda p, tags: p.context_for(text, tags=tags),
    }


def said_by_python(call: Any, pincite: Pincite, tags: Mapping[str, Any]) -> str:
    try:
        found = call(pincite, tags)
    except UsageError as error:
        return f"{type(error).__name__}: {error}"
    return str(to_json(found))


def said_by_mcp(
    shelf: Shelf, tool: str, bound: Mapping[str, Any], **arguments: Any
) -> tuple[str, bool]:
    """All that a client gets to see of a call, greeting and list of tools included."""

    async def session() -> tuple[str, bool]:
        async with AsyncPincite(shelf.settings) as engine:
            heard: list[Any] = []
            engine.log = partial(Recorder, heard.append)
            make = chatgpt_tools if tool in ("search", "fetch") else tools
            server = make_server(engine, make(engine, None, bound), bound)
            async with Client(server) as client:
                listed = await client.list_tools()
                result = await client.call_tool(tool, arguments)
                seen = [str(client.instructions), listed.model_dump_json()]
                seen += [result.model_dump_json(), to_json(heard)]
                return "\n".join(seen), bool(result.is_error)

    return asyncio.run(session())


def said_by_adk(shelf: Shelf, tool: str, bound: Mapping[str, Any], **arguments: Any) -> str:
    async def session() -> str:
        toolset = EvidenceToolset(shelf.settings, tools=TOOLS, tags=bound, debug=True)
        try:
            return json.dumps(await getattr(toolset, tool)(**arguments))
        finally:
            await toolset.close()

    return asyncio.run(session())


def said_by_command(shelf: Shelf, *arguments: str) -> str:
    found = CliRunner().invoke(app, [*arguments, "--index", str(shelf.folder / ".pincite")])
    if found.exception is not None and not isinstance(found.exception, SystemExit):
        assert isinstance(found.exception, PinciteError), found.exception
    return f"{found.output}\n{found.stderr}\n{found.exception!r} {found.exception}"


def texts_of_tags(tags: Mapping[str, Any]) -> list[str]:
    """As options: an empty list is no option."""
    given = [(k, one) for k, v in tags.items() for one in (v if isinstance(v, list) else [v])]
    return [f"{name}={value}" for name, value in given]


def named(tags: Mapping[str, Any], name: str) -> list[str]:
    value = tags.get(name, "")
    return [one for one in (value if isinstance(value, list) else [value]) if one]


def hold(shelf: Shelf, tags: Mapping[str, Any], said: str, given: tuple[str, ...] = ()) -> None:
    """Refused without all tags; never a word of a tenant that the tags do not name."""
    complete = named(tags, "institution") and named(tags, "mode")
    assert (REFUSED in said) is (not complete), said
    # messages repeat what was asked for: a locator, or the path in it
    parts = {
        part
        for one in given
        for head, _, rest in (one.partition(":"),)
        for part in (one, head, rest.partition("#")[0])
    }
    for one in sorted(filter(None, parts), key=len, reverse=True):
        said = said.replace(one, "")
    for tenant, mark in MARKS.items():
        if complete and tenant in named(tags, "institution") and "exam" in named(tags, "mode"):
            continue
        assert mark not in said, said
        for item in shelf.pack:
            if mark in item.text:
                assert item.chunk_id not in said, said
