"""Answers over a real index and, on the wire, a model of the contract server."""

from __future__ import annotations

import asyncio
import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from pincite import AsyncPincite, Claim, Pincite
from pincite.diagnostics.replay import replay
from pincite.errors import TagsRequired, UsageError
from pincite.model import Answer, AnswerPiece
from pincite.providers.provider_options import ProviderOptions
from pincite.settings.load import Settings, load_settings
from pincite.support.fields import replace
from pincite.testing.contract_server import ContractServer
from tests.engine.asked import GOOD, JUNK, settings
from tests.providers.llm.raw_server import RawServer


def test_a_search_is_asked_again_by_the_engine_that_has_asked_it(shop: Path) -> None:
    async def check() -> None:
        async with AsyncPincite(shop / ".pincite") as engine:
            await engine.search(GOOD)
            before = (shop / ".pincite" / "retrieval.jsonl").read_bytes()
            found = await replay(engine, "last")
            assert found.text == GOOD
            assert (shop / ".pincite" / "retrieval.jsonl").read_bytes() == before

    asyncio.run(check())


def asked(of: Settings, text: str = GOOD, **keywords: Any) -> Answer:
    with Pincite(of) as pincite:
        return pincite.answer(text, **keywords)


def sent(server: ContractServer) -> list[str]:
    return [json.dumps(body) for body in server.record.bodies]


def test_a_model_writes_from_the_evidence_and_cites_it(shop: Path, server: ContractServer) -> None:
    one = asked(settings(shop, server))
    assert one.kind == "generated"
    assert one.text.startswith("To rotate a key, call `rotate_key` with the new secret. [1]")
    assert one.sources[0].citation == one.evidence.evidence[0].citation
    assert (one.doubts, one.removed) == ((), ())
    (body,) = server.record.bodies
    assert body["stream"] is True
    assert body["max_tokens"] == 1_000
    assert "rotate_key" in body["messages"][-1]["content"]


@pytest.mark.parametrize(
    ("said", "kind"),
    [
        ("The documentation says that Python 2 is not supported.", "generated"),
        ("No, the context manager does not provide a timeout.", "generated"),
        ("The passages do not say whether Python 2 is supported.", "refused"),
    ],
)
def test_a_negative_answer_without_a_citation_is_doubtful_and_no_refusal(
    said: str, kind: str, shop: Path, server: ContractServer
) -> None:
    choice = {"delta": {"content": said}, "finish_reason": "stop"}
    event = f"data: {json.dumps({'choices': [choice]})}\n\n"
    with RawServer(event.encode()) as address:
        known = settings(shop, server)
        provider = ProviderOptions(url=address, tries=1)
        one = asked(replace(known, use=replace(known.use, providers={"ollama": provider})))
    assert (one.kind, one.text) == (kind, said)
    if kind == "generated":
        assert [doubt.why for doubt in one.doubts] == ["uncited"]
        assert one.sources != ()


@pytest.mark.parametrize("mode", ["strict", "open", "learning"])
def test_nothing_found_sends_no_request(mode: Any, shop: Path, server: ContractServer) -> None:
    one = asked(settings(shop, server), JUNK, mode=mode)
    assert (one.kind, one.sources) == ("refused", ())
    assert server.record.requests == 0


def test_a_refusal_of_the_model_carries_no_passage(shop: Path, server: ContractServer) -> None:
    known = settings(shop, server)
    profile = replace(known.profile, answer=replace(known.profile.answer, refusal="model"))
    one = asked(known, JUNK, profile=profile)
    assert (one.kind, one.text, one.sources) == ("refused", "Nothing about that was found.", ())
    (body,) = sent(server)
    assert "passage-" not in body
    assert JUNK in body


@pytest.mark.parametrize(
    ("fault", "error"),
    [
        ("400", "Invalid"),
        ("401", "AuthError"),
        ("403", "AuthError"),
        ("404", "Gone"),
        ("410", "Gone"),
        ("413", "TooLarge"),
        ("429", "RateLimited"),
        ("500", "Unavailable"),
        ("503", "Unavailable"),
        ("cut-off", "BadResponse"),
        ("no-json", "BadResponse"),
        ("slow", "Unavailable"),
    ],
)
def test_every_fault_ends_in_an_answer_with_the_evidence(
    fault: str, error: str, shop: Path, server: ContractServer
) -> None:
    server.fail(fault, times=9, path="completions", wait_s=0.6)
    limits = {"timeout_s": 0.3} if fault == "slow" else {}
    one = asked(settings(shop, server, **limits))
    assert one.kind == "failed"
    assert len(one.evidence) > 0
    assert one.sources != ()
    (notice,) = [warning for warning in one.warnings if warning.code == "llm_failed"]
    assert notice.message.startswith(error)
    assert ("rate_limited" in [warning.code for warning in one.warnings]) == (fault == "429")


@pytest.mark.parametrize(
    ("fault", "kind", "code"),
    [("filter", "failed", "answer_filtered"), ("length", "generated", "answer_length")],
)
def test_what_a_service_withholds_or_cuts_off_is_named(
    fault: str, kind: str, code: str, shop: Path, server: ContractServer
) -> None:
    server.fail(fault, path="completions")
    one = asked(settings(shop, server))
    assert one.kind == kind
    assert code in [warning.code for warning in one.warnings]


def test_a_fault_that_passes_is_tried_again(shop: Path, server: ContractServer) -> None:
    server.fail("503", times=1, path="completions")
    assert asked(settings(shop, server, tries=3)).kind == "generated"
    assert server.record.requests == 2


def test_silence_ends_when_the_profile_says(shop: Path, server: ContractServer) -> None:
    server.fail("slow", path="completions", wait_s=2.0)
    known = settings(shop, server)
    profile = replace(known.profile, answer=replace(known.profile.answer, timeout_s=0.2))
    one = asked(known, profile=profile)
    assert one.kind == "failed"
    assert "answer.timeout_s" in one.warnings[0].message


def test_pieces_come_before_the_answer_and_are_its_text(shop: Path, server: ContractServer) -> None:
    with Pincite(settings(shop, server)) as pincite:
        *pieces, last = pincite.answer_stream(GOOD)
        assert isinstance(last, Answer)
        assert len(pieces) > 3
        written = "".join(one.text for one in pieces if isinstance(one, AnswerPiece))
        assert written == last.text
        for _ in pincite.answer_stream(GOOD):  # left early
            break
        assert pincite.answer(GOOD).text == last.text
    with pytest.raises(UsageError, match="closed"):
        next(iter(pincite.answer_stream(GOOD)))


def test_an_error_of_the_search_is_raised_out_of_a_stream(shop: Path) -> None:
    with Pincite(shop / ".pincite") as pincite, pytest.raises(UsageError, match="collections"):
        list(pincite.answer_stream(GOOD, collections="nope-collections"))


@pytest.mark.parametrize(
    ("keywords", "said"),
    [
        ({"mode": "strictly"}, "mode is 'strictly'"),
        ({"mode": 3}, "mode is 3"),
        ({"user": None}, "user is None"),
        ({"conversation": "x" * 2_000}, "2,000 characters"),
        ({"limit": 0}, "limit is 0"),
        ({"kinds": "markdown"}, "kinds is 'markdown'"),
        ({"where": "path ~~ 3"}, "where"),
    ],
)
def test_what_cannot_be_asked_is_named(shop: Path, keywords: Any, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        asked(load_settings({}, shop, shop / ".pincite"), **keywords)


@pytest.mark.parametrize("text", ["", "x" * 100_001])
def test_no_question_and_a_book_are_refused(shop: Path, text: str) -> None:
    with pytest.raises(UsageError):
        asked(load_settings({}, shop, shop / ".pincite"), text)


def test_sentences_that_are_quoted_are_where_their_citations_say(shop: Path) -> None:
    async def run() -> None:
        async with AsyncPincite(shop / ".pincite") as pincite:
            one = await pincite.answer(GOOD)
            assert one.kind == "extractive"
            claims = [Claim(source.citation, source.text) for source in one.sources]
            checked = await pincite.check(claims)
            assert [found.status for found in checked] == ["fresh"] * len(claims)

    asyncio.run(run())


@pytest.mark.parametrize("with_model", [False, True])
def test_the_sources_of_an_answer_are_verified(
    shop: Path, server: ContractServer, with_model: bool
) -> None:
    of = settings(shop, server) if with_model else load_settings({}, shop, shop / ".pincite")
    with Pincite(of) as pincite:
        one = pincite.answer(GOOD)
        assert one.kind == ("generated" if with_model else "extractive")
        found = pincite.verify(Answer.from_dict(one.to_dict()))
    assert [(it.number, it.citation) for it in found] == [
        (it.number, it.citation) for it in one.sources
    ]
    assert {it.status for it in found} == {"fresh"}


def test_the_log_has_the_answer_and_no_text_of_it(shop: Path, server: ContractServer) -> None:
    log = shop / ".pincite" / "retrieval.jsonl"
    before = len(log.read_text().splitlines()) if log.exists() else 0
    one = asked(settings(shop, server))
    search, line = map(json.loads, log.read_text().splitlines()[before:])
    assert line["answer_of"] == search["query_id"]
    assert (line["model"], line["prompt"]) == (one.model, one.prompt)
    assert (line["kind"], line["mode"], line["told"]) == ("generated", "strict", len(one.sources))
    assert "rotate" not in json.dumps(line)
    with Pincite(shop / ".pincite") as pincite:
        assert pincite.search(GOOD)  # searches can be read from the log as before


def test_a_model_that_has_no_key_fails_and_keeps_the_evidence(shop: Path) -> None:
    known = load_settings({}, shop, shop / ".pincite")
    one = asked(replace(known, use=replace(known.use, llm="openai:gpt-5-mini")))
    assert one.kind == "failed"
    assert "OPENAI_API_KEY" in one.warnings[0].message


def test_required_tags_are_asked_for_before_any_model(
    tmp_path: Path, server: ContractServer
) -> None:
    (tmp_path / "a.md").write_text("To rotate a key, call rotate_key with the new secret.\n")
    (tmp_path / "pincite.toml").write_text(
        '[attributes]\ncourse = "keyword"\n[collections.main]\nrequire = ["course"]\n'
    )
    known = settings(tmp_path, server)
    with Pincite(known) as pincite:
        pincite.index(tmp_path / "a.md", lexical=True, attributes={"course": "ml"})
        with pytest.raises(TagsRequired):
            pincite.answer(GOOD)
        assert pincite.answer(GOOD, tags={"course": "ml"}).kind == "generated"
        assert pincite.answer(GOOD, tags={"course": "physics"}).kind == "refused"
        pincite.stop()
    assert server.record.requests == 1
    shutil.rmtree(tmp_path / ".pincite")
