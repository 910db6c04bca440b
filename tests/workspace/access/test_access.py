"""A workspace shows a user what the user may see: by the filter, and by the lock behind it."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Iterator
from copy import deepcopy
from pathlib import Path

import pytest

from pincite import Claim
from pincite.errors import (
    Forbidden,
    NotFound,
    StoreError,
    TagsRequired,
    UsageError,
    WorkspaceUnavailable,
)
from pincite.model import EvidencePack
from pincite.settings.load import load_settings
from pincite.support.fields import replace
from pincite.workspace import Access
from pincite.workspace.access.second_check import SecondCheck
from pincite.workspace.workspace import Workspace
from tests.workspace.desk import ANNA, BERT, HERS, HIS, SAME, TEAM, Desk, opened_desk
from tests.workspace.memory import Memory, page, uuid

pytestmark = pytest.mark.anyio


@pytest.fixture(scope="module", params=["edge", "sqlite"])
async def indexed(request: pytest.FixtureRequest) -> AsyncIterator[Desk]:
    async with opened_desk(request.param) as made:
        yield made


@pytest.fixture
def desk(indexed: Desk) -> Iterator[Desk]:
    """As it was indexed; what a test changes in the database is taken back."""
    memory = indexed.memory
    before = deepcopy((memory.members, memory.documents, memory.feeds, memory.removed))
    settings = indexed.workspace._engine.settings
    indexed.workspace._check.kept_back = 0
    yield indexed
    memory.members, memory.documents, memory.feeds, memory.removed = before
    memory.down = memory.unmanned = False
    indexed.workspace._engine.settings = settings


async def test_a_user_finds_what_is_in_the_spaces_of_the_user_and_nothing_else(desk: Desk) -> None:
    assert await desk.found(Access(ANNA)) == {desk.hers.id, desk.team.id}
    assert await desk.found(Access(BERT)) == {desk.his.id, desk.team.id}
    assert await desk.found(Access(uuid(3))) == set()
    assert await desk.found(Access(ANNA, TEAM)) == {desk.team.id}
    with pytest.raises(NotFound):
        await desk.found(Access(ANNA, HIS))


async def test_the_same_upload_of_two_users_is_two_points(desk: Desk) -> None:
    hers = await desk.workspace.search(Access(ANNA, HERS), "turnstile")
    his = await desk.workspace.search(Access(BERT, HIS), "turnstile")
    assert hers[0].text == his[0].text
    assert hers[0].chunk_id != his[0].chunk_id


async def test_named_documents_feeds_sources_and_metadata_narrow(desk: Desk) -> None:
    desk.memory.feeds = {"all": {desk.hers.id, desk.his.id, desk.team.id}, "none": set()}
    assert await desk.found(Access(ANNA, document_ids=(desk.hers.id, desk.his.id))) == {
        desk.hers.id
    }
    assert await desk.found(Access(ANNA, document_ids=())) == set()
    assert await desk.found(Access(ANNA, feed_ids=("all",))) == {desk.hers.id, desk.team.id}
    assert await desk.found(Access(ANNA, feed_ids=("none",))) == set()
    assert await desk.found(Access(ANNA, source_ids=("mail", "web"))) == {desk.team.id}
    assert await desk.found(Access(ANNA, source_ids=())) == set()
    assert await desk.found(Access(ANNA, category="report")) == {desk.team.id}
    assert await desk.found(Access(ANNA, category="letter")) == set()


@pytest.mark.parametrize(
    ("access", "where", "said"),
    [
        (Access(ANNA, category="letter"), "", "is within what may be searched"),
        (Access(ANNA, document_ids=()), "", "is within what may be searched"),
        (Access(ANNA), "language = go", "that may be searched matches where='language = go'"),
    ],
)
async def test_what_matches_nothing_is_said_in_the_words_of_the_caller(
    desk: Desk, access: Access, where: str, said: str
) -> None:
    pack = await desk.workspace.search(access, "turnstile", where=where)
    assert not pack.evidence
    assert [one.message for one in pack.warnings if one.code == "nothing_in_scope"] == [
        f"no indexed document {said}"
    ]


async def test_what_is_withdrawn_is_not_found_by_the_next_search(desk: Desk) -> None:
    desk.memory.members[TEAM] = {BERT}
    assert await desk.found(Access(ANNA)) == {desk.hers.id}
    desk.memory.documents.pop(desk.hers.id)
    assert await desk.found(Access(ANNA)) == set()
    assert desk.workspace.kept_back == 1, "the index had it still"


ALL_SPACES = {"space_id": (HERS, HIS, TEAM)}


def alarms(caplog: pytest.LogCaptureFixture) -> list[str]:
    told = [one.getMessage() for one in caplog.records if one.levelno >= logging.ERROR]
    caplog.clear()
    return told


def alarm_of(number: int) -> list[str]:
    return [f"alarm: the index returned {number} documents that the user may not read"]


async def test_a_deleted_document_that_the_index_still_has_is_no_alarm(
    desk: Desk, caplog: pytest.LogCaptureFixture
) -> None:
    cited = (await desk.workspace.search(Access(ANNA, HERS), "turnstile"))[0].citation
    await desk.workspace.delete(Access(ANNA, scopes=("search", "write")), desk.hers.id)
    caplog.set_level(logging.INFO, "pincite.workspace")
    assert await desk.found(Access(ANNA)) == {desk.team.id}
    assert await desk.found(Access(ANNA, HERS)) == set()
    with pytest.raises(NotFound):
        await desk.workspace.get(Access(ANNA), cited)
    (checked,) = await desk.workspace.check(Access(ANNA), [Claim(cited)])
    assert (checked.status, checked.path) == ("unknown", None)
    told = {(one.levelname, one.getMessage()) for one in caplog.records}
    assert told == {("INFO", "the index still has 1 deleted documents; none is shown")}
    assert desk.workspace.kept_back == 0


async def test_a_deleted_document_that_the_filter_should_have_kept_back_is_an_alarm(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    await desk.workspace.delete(Access(BERT, scopes=("search", "write")), desk.his.id)
    monkeypatch.setattr("pincite.workspace.workspace.bounds_of", lambda *_: ALL_SPACES)
    assert await desk.found(Access(ANNA, HERS)) == {desk.hers.id}
    assert alarms(caplog) == alarm_of(2), "that of the team, and his, which was deleted elsewhere"
    both = (desk.his.id, desk.team.id)
    assert await desk.found(Access(BERT, document_ids=both)) == {desk.team.id}
    assert alarms(caplog) == alarm_of(2), "a filter by documents has only those that exist"
    desk.memory.feeds = {"all": {*both}}
    assert await desk.found(Access(BERT, feed_ids=("all",))) == {desk.team.id}
    assert alarms(caplog) == alarm_of(2)
    assert await desk.found(Access(BERT)) == {desk.team.id}
    assert alarms(caplog) == alarm_of(1), "hers, beside his, which is no alarm"
    assert desk.workspace.kept_back == 7


async def test_without_an_operator_a_deleted_document_is_an_alarm(
    desk: Desk, caplog: pytest.LogCaptureFixture
) -> None:
    await desk.workspace.delete(Access(ANNA, scopes=("search", "write")), desk.hers.id)
    desk.memory.unmanned = True
    assert await desk.found(Access(ANNA)) == {desk.team.id}
    assert alarms(caplog) == alarm_of(1)


async def test_a_filter_of_the_caller_cannot_widen(desk: Desk) -> None:
    for where in (
        f"space_id = '{HIS}'",
        f"space_id = '{HIS}' or document_id = '{desk.his.id}'",
        f"not space_id = '{HERS}'",
        f"user_id = '{BERT}' or user_id = '{ANNA}'",
    ):
        assert desk.his.id not in await desk.found(Access(ANNA), where=where), where
    assert desk.workspace.kept_back == 0


async def citation_of(desk: Desk, access: Access) -> tuple[EvidencePack, str, str]:
    pack = await desk.workspace.search(access, "turnstile quetzal")
    return pack, pack[0].citation, f"#{pack[0].chunk_id}"


async def test_citations_are_read_and_checked_with_an_access(desk: Desk) -> None:
    pack, citation, chunk = await citation_of(desk, Access(BERT, HIS))
    for name in (citation, chunk, chunk[:12], f"{HIS}/{desk.his.id}"):
        passage = await desk.workspace.get(Access(BERT), name)
        assert passage.text == SAME
        with pytest.raises(UsageError) as refused:
            await desk.workspace.get(Access(ANNA), name)
        with pytest.raises(UsageError) as unknown:
            await desk.workspace.get(Access(ANNA), name.replace(HIS, uuid(99)))
        assert str(refused.value).replace(HIS, uuid(99)) == str(unknown.value)
    claims = [Claim(citation, "the quetzal"), Claim(chunk)]
    assert [c.status for c in await desk.workspace.check(Access(BERT), claims)] == ["fresh"] * 2
    refused_claims = await desk.workspace.check(Access(ANNA), claims)
    assert [(c.status, c.path) for c in refused_claims] == [("unknown", None)] * 2
    assert [c.status for c in await desk.workspace.verify(Access(BERT), pack)] == ["fresh"]
    assert [c.status for c in await desk.workspace.verify(Access(ANNA), pack)] == ["deleted"]


async def test_a_citation_of_an_earlier_version_is_explained_only_to_readers(desk: Desk) -> None:
    own = desk.memory.add(41, HIS, BERT)
    await desk.workspace.index_document(own, page("The lynx waits at the gate."))
    cited = (await desk.workspace.search(Access(BERT, HIS), "lynx"))[0].citation
    changed = desk.memory.change(own)
    await desk.workspace.index_document(changed, page("The gate is where the lynx waits."))
    nowhere = cited.replace(HIS, uuid(99))
    claims = [Claim(cited), Claim(nowhere), Claim(cited, "the lynx waits")]
    old, missing, quoted = await desk.workspace.check(Access(BERT), claims)
    assert (old.status, old.path) == ("unknown", f"{HIS}/{own.id}")
    assert old.detail.startswith("the record now has revision ")
    assert old.detail.endswith(": give the quote, or search again")
    assert quoted.status in ("fresh", "moved")
    nothing = replace(missing, citation="")
    assert (nothing.status, nothing.path) == ("unknown", None)
    assert nothing.detail == "the citation names no accessible document"
    for stranger in (Access(ANNA), Access(BERT, TEAM), Access(BERT, document_ids=(desk.his.id,))):
        told = await desk.workspace.check(stranger, claims)
        assert [replace(one, citation="") for one in told] == [nothing] * 3
    desk.memory.documents.pop(own.id)
    told = await desk.workspace.check(Access(BERT), claims)
    assert [replace(one, citation="") for one in told] == [nothing] * 3
    await desk.workspace.remove_document(own)


async def test_a_check_tells_users_nothing_of_the_servers_files(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    cited = (await desk.workspace.search(Access(BERT, HIS), "turnstile"))[0].citation

    def broken(*_: object, **__: object) -> None:
        raise StoreError("the records /srv/index/records.db cannot be read")

    monkeypatch.setattr("pincite.citations.passage.reopen_source", broken)
    (told,) = await desk.workspace.check(Access(BERT), [Claim(cited)])
    assert (told.status, told.path) == ("unknown", None)
    assert told.detail == "the citation names no accessible document"


async def test_answers_and_blocks_have_what_the_access_lets_be_read(desk: Desk) -> None:
    answer = await desk.workspace.answer(Access(ANNA, HERS), "when does the turnstile rotate?")
    assert [item.path for item in answer.evidence] == [f"{HERS}/{desk.hers.id}"]
    block = await desk.workspace.context(Access(ANNA, HERS), "turnstile quetzal", 1_000)
    assert desk.hers.id in block.text
    assert desk.his.id not in block.text
    nobody = await desk.workspace.context(Access(uuid(3)), "turnstile quetzal", 1_000)
    assert "quetzal" not in nobody.text


async def test_without_the_filter_the_second_lock_keeps_back(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(
        "pincite.workspace.workspace.bounds_of", lambda *_: {"space_id": (HERS, HIS, TEAM)}
    )
    with caplog.at_level(logging.ERROR, "pincite.workspace"):
        assert await desk.found(Access(ANNA)) == {desk.hers.id, desk.team.id}
        assert await desk.found(Access(ANNA, TEAM)) == {desk.team.id}
        assert await desk.found(Access(ANNA, document_ids=(desk.hers.id,))) == {desk.hers.id}
    assert desk.workspace.kept_back > 0
    assert "alarm" in caplog.text
    assert "turnstile" not in caplog.text
    pack, citation, chunk = await citation_of(desk, Access(BERT, HIS))
    for name in (citation, chunk):
        with pytest.raises(NotFound, match="no indexed file"):
            await desk.workspace.get(Access(ANNA), name)
    (checked,) = await desk.workspace.check(Access(ANNA), [Claim(citation)])
    assert (checked.status, checked.path) == ("unknown", None)
    assert [c.status for c in await desk.workspace.verify(Access(ANNA), pack)] == ["deleted"]
    answer = await desk.workspace.answer(Access(ANNA, HERS), "when does the turnstile rotate?")
    assert {item.path for item in answer.evidence} == {f"{HERS}/{desk.hers.id}"}


async def test_without_the_second_lock_the_filter_keeps_back(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def everything(_: object, __: Access, ids: frozenset[str]) -> frozenset[str]:
        return ids

    monkeypatch.setattr(SecondCheck, "admitted", everything)
    await test_a_user_finds_what_is_in_the_spaces_of_the_user_and_nothing_else(desk)
    await test_named_documents_feeds_sources_and_metadata_narrow(desk)
    await test_citations_are_read_and_checked_with_an_access(desk)
    await test_answers_and_blocks_have_what_the_access_lets_be_read(desk)


async def test_a_lock_that_cannot_ask_fails_the_search(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    await desk.found(Access(ANNA))
    admitted = SecondCheck.admitted

    async def away(self: SecondCheck, access: Access, ids: frozenset[str]) -> frozenset[str]:
        desk.memory.down = True
        return await admitted(self, access, ids)

    monkeypatch.setattr(SecondCheck, "admitted", away)
    with pytest.raises(WorkspaceUnavailable):
        await desk.found(Access(ANNA))
    with pytest.raises(WorkspaceUnavailable):
        await desk.workspace.answer(Access(ANNA), "turnstile quetzal")


async def test_the_index_itself_is_not_read_without_a_space(desk: Desk) -> None:
    with pytest.raises(TagsRequired):
        await desk.workspace._engine.search("turnstile quetzal")


async def test_a_document_that_moves_is_in_its_new_space_alone(desk: Desk) -> None:
    own = desk.memory.add(31, HIS, BERT)
    await desk.workspace.index_document(own, page("The wombat moves."))
    assert await desk.found(Access(BERT), "wombat") == {own.id}
    moved = desk.memory.change(own, space_id=TEAM)
    assert await desk.found(Access(BERT, HIS), "wombat") == set()
    desk.workspace._check.kept_back = 0
    await desk.workspace.index_document(moved, page("The wombat moves."))
    assert await desk.found(Access(BERT), "wombat") == {own.id}
    assert await desk.found(Access(ANNA, TEAM), "wombat") == {own.id}
    assert await desk.found(Access(BERT, HIS), "wombat") == set()
    assert desk.workspace.kept_back == 0, "the index has it in one space"
    await desk.workspace.remove_document(moved)
    await desk.workspace.remove_document(moved)
    assert await desk.found(Access(BERT), "wombat") == set()
    assert desk.workspace.kept_back == 0


async def test_other_metadata_rewrites_what_points_say_and_keeps_their_text(desk: Desk) -> None:
    before = await desk.workspace.search(Access(BERT, HIS), "turnstile")
    changed = desk.memory.change(desk.his, given={"category": "letter"}, feed_ids=("f",))
    found = await desk.workspace.index_document(changed, page(SAME))
    assert (found["title"], found["title_from"]) == ("22.txt", "filename")
    assert await desk.found(Access(BERT, category="letter")) == {desk.his.id}
    after = await desk.workspace.search(Access(BERT, HIS), "turnstile")
    assert after[0].chunk_id == before[0].chunk_id
    await desk.workspace.index_document(desk.his, page(SAME))
    assert await desk.found(Access(BERT, category="letter")) == set()


async def test_the_title_that_a_person_set_is_that_of_the_evidence(desk: Desk) -> None:
    own = desk.memory.add(42, HIS, BERT)
    text = page("The ibex climbs the dam.", title="In the file")
    await desk.workspace.index_document(own, text)
    before = (await desk.workspace.search(Access(BERT, HIS), "ibex"))[0]
    assert before.title == "In the file"
    titled = desk.memory.change(own, given={"title": "Gamma Handbook"})
    found = await desk.workspace.index_document(titled, text)
    assert found["title"] == "In the file", "what was detected stays"
    after = (await desk.workspace.search(Access(BERT, HIS), "ibex"))[0]
    assert after.title == after.attributes["doc_title"] == "Gamma Handbook"
    assert (after.citation, after.chunk_id) == (before.citation, before.chunk_id)
    assert await desk.found(Access(BERT, HIS), "Gamma Handbook") == {own.id}
    cleared = desk.memory.change(titled, given={})
    await desk.workspace.index_document(cleared, text)
    assert (await desk.workspace.search(Access(BERT, HIS), "ibex"))[0].title == "In the file"
    await desk.workspace.remove_document(own)


async def test_an_empty_workspace_answers_that_there_is_nothing(tmp_path: Path) -> None:
    settings = load_settings({"PINCITE_IDLE_S": "60"}, tmp_path)
    memory = Memory({HERS: {ANNA}})
    async with Workspace(settings, memory, lexical=True) as workspace:  # type: ignore[arg-type]
        await workspace.check_index()
        assert (await workspace.search(Access(ANNA), "turnstile")).verdict.level == "none"
        assert (await workspace.answer(Access(ANNA), "turnstile")).kind == "refused"
        with pytest.raises(NotFound):
            await workspace.get(Access(ANNA), "documents:a/b@c#L1")
        assert (await workspace.check(Access(ANNA), [Claim("a:1")]))[0].status == "unknown"
        await workspace.remove_document(memory.add(21, HERS, ANNA))


async def test_a_key_without_the_scope_is_refused(desk: Desk) -> None:
    with pytest.raises(Forbidden, match="search"):
        await desk.workspace.search(Access(ANNA, scopes=("write",)), "turnstile")
    with pytest.raises(Forbidden, match="write"):
        await desk.workspace.delete(Access(ANNA), desk.hers.id)


async def test_a_document_is_deleted_within_the_access_alone(desk: Desk) -> None:
    may = Access(ANNA, scopes=("search", "write"))
    with pytest.raises(NotFound):
        await desk.workspace.delete(may, desk.his.id)
    with pytest.raises(NotFound):
        await desk.workspace.delete(replace(may, space_id=TEAM), desk.hers.id)
    assert (await desk.workspace.delete(may, desk.hers.id)).id == desk.hers.id
    assert await desk.found(Access(ANNA)) == {desk.team.id}


async def test_a_profile_that_looks_at_the_nearest_first_has_the_lock_too(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = desk.workspace._engine
    profile = engine.settings.profile
    probing = replace(profile, probe=replace(profile.probe, enabled=True))
    engine.settings = replace(engine.settings, profile=probing)
    monkeypatch.setattr(
        "pincite.workspace.workspace.bounds_of", lambda *_: {"space_id": (HERS, HIS, TEAM)}
    )
    assert await desk.found(Access(ANNA, HERS)) == {desk.hers.id}
