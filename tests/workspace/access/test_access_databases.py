"""The same access over real databases: what is changed there holds for the next call."""

from __future__ import annotations

import logging

import pytest

from pincite.errors import Forbidden, NotFound
from pincite.workspace import Access
from tests.workspace.access.real import Real
from tests.workspace.access.real import database as database
from tests.workspace.access.real import real as real

pytestmark = pytest.mark.anyio


async def test_members_feeds_and_deletions_hold_for_the_next_call(real: Real) -> None:
    anna, bert = real.anna, real.bert
    async with real.workspaces.of(bert.id) as session:
        team = await session.add_space("team")
        feed = await session.add_feed(team.id, "news")
    hers = await real.upload(anna, anna.personal, "The turnstile of anna rotates.")
    ours = await real.upload(bert, team.id, "The turnstile of the team rotates.")
    assert await real.found(Access(anna.id), "turnstile") == {hers.id}
    with pytest.raises(NotFound):
        await real.found(Access(anna.id, team.id), "turnstile")
    with pytest.raises(NotFound):
        await real.found(Access(bert.id, anna.personal), "turnstile")

    async with real.workspaces.of(bert.id) as session:
        await session.set_member(team.id, anna.id, "viewer")
    assert await real.found(Access(anna.id), "turnstile") == {hers.id, ours.id}
    assert await real.found(Access(anna.id, team.id), "turnstile") == {ours.id}
    assert await real.found(Access(anna.id, feed_ids=(feed.id,)), "turnstile") == set()
    async with real.workspaces.of(bert.id) as session:
        await session.add_to_feed(feed.id, [ours.id])
    assert await real.found(Access(anna.id, feed_ids=(feed.id,)), "turnstile") == {ours.id}
    with pytest.raises(Forbidden):
        await real.workspace.delete(Access(anna.id, scopes=("write",)), ours.id)

    pack = await real.workspace.search(Access(anna.id, team.id), "turnstile")
    async with real.workspaces.of(bert.id) as session:
        await session.remove_member(team.id, anna.id)
    assert await real.found(Access(anna.id), "turnstile") == {hers.id}
    with pytest.raises(NotFound):
        await real.workspace.get(Access(anna.id), pack[0].citation)
    assert [c.status for c in await real.workspace.verify(Access(anna.id), pack)] == ["deleted"]

    assert real.workspace.kept_back == 0, "the filter held all of this back before the lock"
    await real.workspace.delete(Access(bert.id, scopes=("write",)), ours.id)
    assert await real.found(Access(bert.id), "turnstile") == set()
    assert (await real.workspace.answer(Access(bert.id), "what of the turnstile?")).sources == ()


async def test_the_lock_over_a_real_database_holds_without_the_filter(
    real: Real, monkeypatch: pytest.MonkeyPatch
) -> None:
    hers = await real.upload(real.anna, real.anna.personal, "The turnstile of anna rotates.")
    his = await real.upload(real.bert, real.bert.personal, "The turnstile of bert rotates.")
    spaces = (real.anna.personal, real.bert.personal)
    monkeypatch.setattr("pincite.workspace.workspace.bounds_of", lambda *_: {"space_id": spaces})
    for user, own in ((real.anna, hers), (real.bert, his)):
        assert await real.found(Access(user.id), "turnstile rotates") == {own.id}
        assert await real.found(Access(user.id, user.personal), "turnstile") == {own.id}
        assert await real.found(Access(user.id, document_ids=()), "turnstile") == set()
        narrow = Access(user.id, document_ids=(hers.id, his.id))
        assert await real.found(narrow, "turnstile") == {own.id}
    assert real.workspace.kept_back > 0


async def test_a_deletion_is_no_alarm_and_a_breach_is_one(
    real: Real, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    hers = await real.upload(real.anna, real.anna.personal, "The turnstile of anna rotates.")
    his = await real.upload(real.bert, real.bert.personal, "The turnstile of bert rotates.")
    for user, document in ((real.anna, hers), (real.bert, his)):
        await real.workspace.delete(Access(user.id, scopes=("write",)), document.id)
    with caplog.at_level(logging.INFO, "pincite.workspace"):
        assert await real.found(Access(real.anna.id), "turnstile") == set()
    assert {one.levelname for one in caplog.records} == {"INFO"}
    assert real.workspace.kept_back == 0
    spaces = (real.anna.personal, real.bert.personal)
    monkeypatch.setattr("pincite.workspace.workspace.bounds_of", lambda *_: {"space_id": spaces})
    assert await real.found(Access(real.anna.id), "turnstile") == set()
    assert {one.getMessage() for one in caplog.records if one.levelname == "ERROR"} == {
        "alarm: the index returned 1 documents that the user may not read"
    }, "his: it was deleted, but not from a space of hers"
    assert real.workspace.kept_back > 0
