"""Paths and revisions of a scope are resolved without lists that cannot matter."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any, cast

import pytest

from pincite.engine.place_scope import place_scope, placing_in
from pincite.model import DocumentRecord, PlacedPath, Scope
from tests.records.desk import Desk


def test_records_are_not_listed_for_a_revision_or_an_id(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk = Desk(tmp_path)
    records = [{"id": f"r{n}", "text": "A lantern.", "attributes": {"team": "a"}} for n in range(3)]
    asyncio.run(desk.upsert(records))
    listed: list[str] = []
    documents = type(desk.index).documents

    async def counted(index: Any, name: str, source: Any = None) -> tuple[DocumentRecord, ...]:
        listed.append(name)
        return await documents(index, name, source)

    monkeypatch.setattr(type(desk.index), "documents", counted)
    where: Any = (lambda: desk.index, cast(Any, {}), desk.settings)

    async def placed() -> tuple[Scope, object]:
        tags = {"team": "a"}
        placing = await placing_in(Scope(tags=tags), None, *where)
        assert placing is not None
        scope = await place_scope(Scope(ref="v1", tags=tags), None, *where)
        return scope, await placing.path("r5")

    scope, places = asyncio.run(placed())
    assert (scope.commits, places, listed) == ((), (PlacedPath("r5"),), [])
