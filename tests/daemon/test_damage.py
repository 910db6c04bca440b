"""What a daemon does about an index that is not as it should be."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from pincite.catalog.schema import MIGRATIONS
from pincite.catalog.sqlite import SqliteCatalog
from pincite.daemon.wire import protocol
from pincite.errors import (
    IndexNotFound,
    IndexTooNew,
    IndexUnavailable,
    ModelUnavailable,
    StoreError,
)
from pincite.support.fields import replace
from pincite.testing.points import DENSE_SPEC, LEXICAL_SPEC, document_of, request_for
from tests.daemon.daemons import A1, client, connected, is_empty, run


def test_an_index_of_a_newer_version_says_so() -> None:
    async def check(folder: Path) -> None:
        catalog = SqliteCatalog(folder / "catalog.db")
        catalog._db.execute(f"PRAGMA user_version = {len(MIGRATIONS) + 1}")
        await catalog.close()
        with pytest.raises(IndexTooNew, match="newer version"):
            await client(folder).hello()

    run(check)


def test_a_damaged_catalog_says_what_to_do() -> None:
    async def check(folder: Path) -> None:
        (folder / "catalog.db").write_bytes(b"noise" * 5_000)
        with pytest.raises(StoreError) as caught:
            await client(folder).hello()
        assert "move the index folder away" in caught.value.hint

    run(check)


def test_a_folder_that_cannot_be_owned_says_why() -> None:
    async def check(folder: Path) -> None:
        (folder / protocol.LOCK).mkdir()
        with pytest.raises(IndexUnavailable, match="directory"):
            await client(folder).hello()
        with pytest.raises(IndexNotFound):
            await client(folder / "missing").hello()

    run(check)


def damage_engine(folder: Path) -> None:
    for path in (folder / "collections" / "main").rglob("*"):
        if path.is_file() and path.name != "state.json":
            path.write_bytes(b"noise")


def damage_state(folder: Path) -> None:
    (folder / "collections" / "main" / "state.json").write_bytes(b"noise")


@pytest.mark.parametrize("damage", [damage_engine, damage_state])
def test_a_broken_collection_leaves_the_others_usable_and_can_be_reset(
    damage: Callable[[Path], None],
) -> None:
    async def check(folder: Path) -> None:
        other = replace(LEXICAL_SPEC, name="other")
        async with connected(folder) as index:
            for spec in (LEXICAL_SPEC, other):
                await index.create(spec)
                await index.replace(spec.name, [A1])
            await index.leave()
            damage(folder)
            broken, fine = await index.collections()
            assert broken.broken
            assert (fine.broken, fine.documents) == ("", 1)
            with pytest.raises(StoreError) as caught:
                await index.search("main", request_for("fox"))
            assert caught.value.hint == "pincite collections rebuild main"
            with pytest.raises(StoreError):
                await index.replace("main", [A1])
            assert len(await index.page("other", None, 9)) == 1
            await index.reset(LEXICAL_SPEC)
            await index.replace("main", [A1])
            assert len(await index.page("main", None, 9)) == 1
            await index.leave()
            assert [info.broken for info in await index.collections()] == ["", ""]

    run(check)


def test_a_broken_collection_can_be_dropped() -> None:
    async def check(folder: Path) -> None:
        async with connected(folder) as index:
            await index.create(LEXICAL_SPEC)
            await index.leave()
            damage_engine(folder)
            await index.drop("main")
            assert await index.collections() == ()
            assert is_empty(folder / "collections")

    run(check)


def test_without_its_model_an_index_is_still_searched_by_word() -> None:
    async def check(folder: Path) -> None:
        async with connected(folder) as index:
            await index.create(DENSE_SPEC)
            await index.replace("main", [document_of("a.md", "a1", ["the brown fox"])])
            for _ in range(2):
                with pytest.raises(ModelUnavailable, match="is missing in"):
                    await index.embed_query(DENSE_SPEC.dense or "", "fox")
            (sparse,) = await index.search("main", request_for("fox", dense=None))
            assert len(sparse.hits) == 1
            await index.leave()
            assert len(await index.page("main", None, 9)) == 1

    run(check)
