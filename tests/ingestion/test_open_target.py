"""Files and records open the collection that they go to in the same way."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from pincite.chunkers import ChunkerConfig
from pincite.ingest import index_sources
from pincite.ingestion.options import IndexOptions
from pincite.model import CollectionSpec, Notice
from pincite.providers.registry import Provider, providers
from pincite.providers.setup import Setup
from pincite.providers.sparse.bm25 import Bm25Encoder
from pincite.records.upsert import UpsertOptions, upsert
from tests.records.desk import Desk, tickets

TENANTS = '[attributes]\nyear = "integer"\n[collections.main]\nrequire = ["tenant"]\n'


class Closing(Bm25Encoder):
    """A model of another package that holds something until it is closed."""

    closed = 0

    async def close(self) -> None:
        self.closed += 1


OPENED: list[Closing] = []


async def open_sparse(setup: Setup) -> Closing:
    setup.on_notice(Notice("rate_waiting", "for another package"))
    OPENED.append(Closing("english"))
    return OPENED[-1]


async def write(desk: Desk, what: str, options: IndexOptions) -> None:
    if what == "files":
        folder = desk.root.parent / "docs"
        folder.mkdir()
        (folder / "a.md").write_text("# Printers\n\nThey burn.\n")
        await index_sources(desk.settings, desk.index, [folder], options, lambda _: None)
    else:
        records = tickets(1, tenant="eth")
        await upsert(desk.settings, desk.index, records, UpsertOptions(options))


@pytest.mark.parametrize("what", ["files", "records"])
def test_a_run_hears_of_its_sparse_model_and_closes_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    name = "of-another-package"
    provider = Provider(name, sparse=f"{__name__}:open_sparse")
    monkeypatch.setitem(providers(), name, provider)
    OPENED.clear()
    notices: list[Notice] = []
    options = IndexOptions(lexical=True, sparse=f"{name}:x", on_notice=notices.append)
    asyncio.run(write(Desk(tmp_path), what, options))
    assert [one.closed for one in OPENED] == [1]
    assert [one.code for one in notices].count("rate_waiting") == 1


def test_records_tell_all_members_of_attributes_that_the_settings_declare(tmp_path: Path) -> None:
    (tmp_path / "pincite.toml").write_text(TENANTS)
    desk = Desk(tmp_path)
    made_by = (Bm25Encoder("english").fingerprint, ChunkerConfig().fingerprint)
    spec = CollectionSpec("main", *made_by, dense="a model/1", dimensions=8, model="openai:a")

    async def work() -> dict[str, tuple[str, tuple[str, ...]]]:
        await desk.index.create(spec)
        await write(desk, "records", IndexOptions(lexical=True, beside=True))
        specs = [info.spec for info in await desk.index.collections()]
        return {one.name: (one.attributes["year"], one.require) for one in specs}

    known = ("integer", ("tenant",))
    assert asyncio.run(work()) == {"main": known, "main__lexical": known}
