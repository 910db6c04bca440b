"""Tests of what `Workspaces` promises for documents and feeds."""

from __future__ import annotations

from typing import Any

import pytest

from pincite.errors import NotFound, UsageError
from pincite.testing.running import contract
from pincite.testing.workspaces import HASH, NO_IDS, NOBODY, Clock, add, set_scene
from pincite.workspace.model import Access
from pincite.workspace.ports import Workspaces


class WorkspaceDocumentsContract:
    """Derive from it and let `opened` yield workspaces with a schema and without users, which take
    the time from `clock`."""

    clock: Clock

    def setup_method(self) -> None:
        self.clock = Clock()

    @contract
    async def test_what_is_made_with_an_id_is_made_once(self, workspaces: Workspaces) -> None:
        scene = await set_scene(workspaces)
        space, feed, document = [f"{NOBODY[:-1]}{digit}" for digit in "123"]
        for _ in range(2):
            async with workspaces.of(scene.ada.id) as session:
                assert (await session.add_space("one", id_=space)).id == space
                assert (await session.add_feed(space, "news", id_=feed)).id == feed
                made = await add(session, space, id_=document, source_ids=("a",))
                assert (made.id, made.version) == (document, 1)
                assert len(await session.spaces()) == 3
        async with workspaces.of(scene.eve.id) as session:
            for asked in (
                session.add_space("mine", id_=space),
                session.add_feed(scene.eve.personal, "mine", id_=feed),
                add(session, scene.eve.personal, id_=document),
                session.add_space("mine", id_="x"),
            ):
                with pytest.raises(UsageError):
                    await asked
            assert await session.documents() == ()
        async with workspaces.of(scene.ada.id) as session:
            await session.delete_document(document)
            with pytest.raises(UsageError, match="already in use"):
                await add(session, space, id_=document)
            assert await session.documents() == ()

    @contract
    async def test_a_file_is_kept_while_a_document_needs_it(self, workspaces: Workspaces) -> None:
        scene = await set_scene(workspaces)
        async with workspaces.of(scene.ada.id) as session:
            made = await add(session, scene.team.id)
        async with workspaces.administration() as operator:
            there = (scene.team.id, HASH)
            others = ((scene.ada.personal, HASH), (scene.team.id, "f" * 64), ("x", HASH))
            assert await operator.needed((there, *others)) == {there}
            assert await operator.needed(()) == frozenset()
        async with workspaces.of(scene.ada.id) as session:
            await session.delete_document(made.id)
        async with workspaces.administration() as operator:
            assert await operator.needed([there]) == frozenset()

    @contract
    async def test_a_document_is_as_it_was_given(self, workspaces: Workspaces) -> None:
        scene = await set_scene(workspaces)
        given = {"title": "Keys & <locks> 文", "note": "a\n\u2028b", "category": "'; --"}
        async with workspaces.of(scene.ada.id) as session:
            made = await add(
                session, scene.team.id, "über 文.md", source_ids=("b", "a", "b"), given=given
            )
            assert made == await session.document(made.id)
        assert (made.filename, made.content_hash, made.bytes) == ("über 文.md", HASH, 12)
        assert (made.status, made.version, made.indexed_version) == ("pending", 1, 0)
        assert (made.given, made.metadata, made.error) == (given, {}, "")
        assert (made.source_ids, made.feed_ids) == (("a", "b"), ())
        assert made.created == made.updated == self.clock.now
        assert (made.space_id, made.user_id) == (scene.team.id, scene.ada.id)

    @contract
    async def test_a_changed_document_is_a_new_version(self, workspaces: Workspaces) -> None:
        scene = await set_scene(workspaces)
        async with workspaces.of(scene.ada.id) as session:
            made = await add(session, scene.team.id, source_ids=("a",), given={"title": "t"})
            self.clock.forward(60)
            changed = await session.change_document(made.id, content_hash="f" * 64, size=7)
            assert (changed.version, changed.content_hash, changed.bytes) == (2, "f" * 64, 7)
            assert (changed.source_ids, changed.given) == (("a",), {"title": "t"})
            assert (changed.created, changed.updated) == (made.created, self.clock.now)
            changed = await session.change_document(
                made.id, filename="b.md", given={"title": "u"}, source_ids=("c",)
            )
            assert (changed.version, changed.filename, changed.given) == (3, "b.md", {"title": "u"})
            assert (changed.source_ids, changed.content_hash) == (("c",), "f" * 64)
            with pytest.raises(UsageError, match="together"):
                await session.change_document(made.id, size=7)

    @contract
    async def test_a_title_with_hidden_characters_is_refused(self, workspaces: Workspaces) -> None:
        scene = await set_scene(workspaces)
        async with workspaces.of(scene.ada.id) as session:
            made = await add(session, scene.team.id, given={"title": "t"})
            for title in ("a\x1b[2Jb", "a\u202eb", "a\nb"):
                with pytest.raises(UsageError, match=r"given\.title .* is not allowed in it"):
                    await session.change_document(made.id, given={"title": title})
                with pytest.raises(UsageError, match=r"given\.title .* is not allowed in it"):
                    await add(session, scene.team.id, given={"title": title})
            assert (await session.document(made.id)).given == {"title": "t"}
            assert (await session.change_document(made.id, given={"title": ""})).given == {}

    @contract
    async def test_metadata_that_grows_by_changes_has_the_same_limit(
        self, workspaces: Workspaces
    ) -> None:
        scene = await set_scene(workspaces)
        most = {f"name{number}": "x" for number in range(64)}
        async with workspaces.of(scene.ada.id) as session:
            made = await add(session, scene.team.id, given=most)
            with pytest.raises(UsageError, match="64 at most"):
                await session.change_document(made.id, given={"one more": "x"})
            changed = await session.change_document(made.id, given={"name0": "y"})
            assert changed.given == {**most, "name0": "y"}
            changed = await session.change_document(made.id, given={"name0": "", "one more": "x"})
            assert len(changed.given) == 64

    @contract
    async def test_a_moved_document_leaves_its_feeds(self, workspaces: Workspaces) -> None:
        scene = await set_scene(workspaces)
        async with workspaces.of(scene.ada.id) as session:
            made = await add(session, scene.team.id, source_ids=("a",))
            feed = await session.add_feed(scene.team.id, "news")
            await session.add_to_feed(feed.id, [made.id])
            moved = await session.change_document(made.id, space_id=scene.ada.personal)
            assert (moved.space_id, moved.feed_ids) == (scene.ada.personal, ())
            assert (moved.version, moved.source_ids) == (2, ("a",))
            assert (await session.feed(feed.id)).documents == 0
            with pytest.raises(NotFound):
                await session.add_to_feed(feed.id, [made.id])
        async with workspaces.of(scene.bob.id) as session:
            assert await session.visible([made.id]) == frozenset()

    @contract
    async def test_a_deleted_document_is_seen_by_nobody(self, workspaces: Workspaces) -> None:
        scene = await set_scene(workspaces)
        async with workspaces.of(scene.ada.id) as session:
            made, other = await add(session, scene.team.id), await add(session, scene.team.id)
            feed = await session.add_feed(scene.team.id, "news")
            await session.add_to_feed(feed.id, [made.id, other.id])
            gone = await session.delete_document(made.id)
            assert (gone.id, gone.status, gone.version) == (made.id, "deleting", 2)
            assert await session.visible([made.id, other.id]) == {other.id}
            assert [one.id for one in await session.documents()] == [other.id]
            assert (await session.feed(feed.id)).documents == 1
            for asked in (
                session.document(made.id),
                session.delete_document(made.id),
                session.change_document(made.id, filename="x"),
                session.add_to_feed(feed.id, [made.id]),
            ):
                with pytest.raises(NotFound):
                    await asked

    @contract
    async def test_the_operator_knows_what_leaves_a_space(self, workspaces: Workspaces) -> None:
        scene = await set_scene(workspaces)
        team, own = scene.team.id, scene.ada.personal
        async with workspaces.of(scene.ada.id) as session:
            kept, gone, moved = [await add(session, team) for _ in range(3)]
            elsewhere = await add(session, own)
            await session.change_document(moved.id, space_id=own)
            for one in (gone, elsewhere):
                await session.delete_document(one.id)
        ids = [kept.id, gone.id, moved.id, elsewhere.id, *NO_IDS]
        async with workspaces.administration() as operator:
            assert await operator.leaving(ids, [team, *NO_IDS]) == {gone.id}
            assert await operator.leaving(ids, [team, own]) == {gone.id, elsewhere.id}
            assert await operator.leaving([kept.id, elsewhere.id], [team]) == frozenset()
            assert await operator.leaving(ids, []) == frozenset()

    @contract
    async def test_pages_of_documents_follow_each_other(self, workspaces: Workspaces) -> None:
        scene = await set_scene(workspaces)
        async with workspaces.of(scene.ada.id) as session:
            of_team = sorted([(await add(session, scene.team.id)).id for _ in range(5)])
            everything = sorted([*of_team, (await add(session, scene.ada.personal)).id])
            found: list[str] = []
            while page := await session.documents(after=found[-1] if found else "", limit=2):
                found += [one.id for one in page]
            assert found == everything
            page = await session.documents(scene.team.id, after=of_team[1], limit=2)
            assert [one.id for one in page] == of_team[2:4]
            for wrong in (0, 1_002, True, "2"):
                with pytest.raises(UsageError):
                    await session.documents(limit=wrong)  # type: ignore[arg-type]
            with pytest.raises(UsageError):
                await session.documents(after="x")

    @contract
    async def test_a_feed_takes_documents_of_its_space_all_or_none(
        self, workspaces: Workspaces
    ) -> None:
        scene = await set_scene(workspaces)
        async with workspaces.of(scene.ada.id) as session:
            one, two = await add(session, scene.team.id), await add(session, scene.team.id)
            elsewhere = await add(session, scene.ada.personal)
            feed = await session.add_feed(scene.team.id, "news")
            for wrong in (elsewhere.id, *NO_IDS):
                with pytest.raises(NotFound):
                    await session.add_to_feed(feed.id, [one.id, wrong])
            assert (await session.feed(feed.id)).documents == 0
            for _ in range(2):
                await session.add_to_feed(feed.id, [one.id, two.id, one.id])
            await session.add_to_feed(feed.id, [])
            assert (await session.feed(feed.id)).documents == 2
            assert (await session.document(one.id)).feed_ids == (feed.id,)
            await session.remove_from_feed(feed.id, [one.id, elsewhere.id, *NO_IDS])
            assert await session.feeds(scene.team.id) == (await session.feed(feed.id),)
            assert (await session.feed(feed.id)).documents == 1
            await session.delete_feed(feed.id)
            assert await session.feeds() == ()
            assert await session.visible([one.id, two.id]) == {one.id, two.id}

    @contract
    async def test_an_access_comes_to_what_its_user_may_read(self, workspaces: Workspaces) -> None:
        scene = await set_scene(workspaces)
        async with workspaces.of(scene.ada.id) as session:
            one, two = await add(session, scene.team.id), await add(session, scene.team.id)
            own = await add(session, scene.ada.personal)
            feed = await session.add_feed(scene.team.id, "news")
            empty = await session.add_feed(scene.team.id, "empty")
            await session.add_to_feed(feed.id, [one.id, two.id])

            async def ids(**asked: Any) -> tuple[str, ...] | None:
                return (await session.readable(Access(scene.ada.id, **asked))).document_ids

            everything = await session.readable(Access(scene.ada.id))
            assert everything.space_ids == tuple(sorted((scene.team.id, scene.ada.personal)))
            assert everything.document_ids is None
            of_team = await session.readable(Access(scene.ada.id, scene.team.id))
            assert (of_team.space_ids, of_team.document_ids) == ((scene.team.id,), None)
            both = tuple(sorted((one.id, two.id)))
            assert await ids(feed_ids=(feed.id, empty.id, NOBODY)) == both
            assert await ids(feed_ids=(empty.id,)) == await ids(feed_ids=()) == ()
            assert await ids(document_ids=()) == ()
            assert await ids(document_ids=(one.id, NOBODY, "x")) == (one.id,)
            assert await ids(document_ids=(one.id, own.id), feed_ids=(feed.id,)) == (one.id,)
            assert await ids(document_ids=(one.id, own.id), space_id=scene.team.id) == (one.id,)
            assert await ids(feed_ids=(feed.id,), space_id=scene.ada.personal) == ()
            with pytest.raises(UsageError):
                await session.readable(Access(scene.bob.id))

    @contract
    async def test_a_withdrawn_membership_holds_at_once(self, workspaces: Workspaces) -> None:
        scene = await set_scene(workspaces)
        async with workspaces.of(scene.ada.id) as session:
            one = await add(session, scene.team.id)
            feed = await session.add_feed(scene.team.id, "news")
            await session.add_to_feed(feed.id, [one.id])
        access = Access(scene.bob.id, feed_ids=(feed.id,))
        async with workspaces.of(scene.bob.id) as session:
            assert (await session.readable(access)).document_ids == (one.id,)
        async with workspaces.of(scene.ada.id) as session:
            await session.remove_member(scene.team.id, scene.bob.id)
        async with workspaces.of(scene.bob.id) as session:
            readable = await session.readable(access)
            assert (readable.space_ids, readable.document_ids) == ((scene.bob.personal,), ())
            assert await session.visible([one.id]) == frozenset()

    @contract
    async def test_what_cannot_be_kept_is_refused(self, workspaces: Workspaces) -> None:
        scene = await set_scene(workspaces)
        async with workspaces.of(scene.ada.id) as session:
            for name in ("", " ", "\0", "a\nb", "\ud800", "\u202e", "x" * 201, 7):
                for asked in (
                    session.add_space(name),  # type: ignore[arg-type]
                    session.add_feed(scene.team.id, name),  # type: ignore[arg-type]
                    session.rename_space(scene.team.id, name),  # type: ignore[arg-type]
                ):
                    with pytest.raises(UsageError):
                        await asked
            for more in (
                {"given": {"title": "\0"}},
                {"given": {"title": "\ud800"}},
                {"given": {"title": "x" * 4_001}},
                {"given": {"": "x"}},
                {"given": {"title": 1}},
                {"given": {str(one): "" for one in range(65)}},
                {"source_ids": ("\0",)},
                {"source_ids": ("",)},
                {"source_ids": tuple(map(str, range(101)))},
            ):
                with pytest.raises(UsageError):
                    await add(session, scene.team.id, **more)
            for hash_, size in (("x", 1), (HASH.upper(), 1), (HASH, -1), (HASH, 2**41)):
                with pytest.raises(UsageError):
                    await session.add_document(scene.team.id, "a", hash_, size)
            with pytest.raises(UsageError):
                await session.set_member(scene.team.id, scene.eve.id, "god")  # type: ignore[arg-type]
            assert await session.documents() == ()
