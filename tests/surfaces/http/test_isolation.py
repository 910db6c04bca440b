"""Nobody is shown more over HTTP than the model of `isolation.py` says, whatever is done before.

To its users come conversations, facts about them, the tool of a model, collections and texts that
are reranked.
"""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import Iterator
from contextlib import AsyncExitStack
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis.stateful import rule, run_state_machine_as_test

from pincite.testing.fakes import OverlapReranker
from tests.surfaces.http.isolation import (
    NOBODY,
    WHICH,
    WHO,
    WORD,
    Isolation,
    Key,
    alike,
    new_word,
)
from tests.surfaces.http.workspace_server import workspace_server

EXAMPLES = int(os.environ.get("PINCITE_ISOLATION_EXAMPLES", "3"))
STEPS = int(os.environ.get("PINCITE_ISOLATION_STEPS", "20"))
#: A failure is told as it was found: to make it smaller takes minutes.
PHASES = (Phase.explicit, Phase.generate)


@dataclass
class Talk:
    """A conversation of a user, begun with a key of `space`. `words`: what was said in it, which
    stays when a document that it quotes is withdrawn."""

    user: str
    space: str | None
    words: set[str]
    turns: int = 0


class Talking(Isolation):
    """The same users, who converse as well."""

    def __init__(self) -> None:
        super().__init__()
        self.talks: dict[str, Talk] = {}
        self.facts: dict[tuple[str, str | None], dict[str, str]] = {}

    def hears(self, key: Key, id_: str) -> bool:
        talk = self.talks.get(id_)
        if talk is None or (talk.user, talk.space) != (key.person.id, key.space):
            return False
        return key.space is None or self.role(key, key.space) is not None

    def can_ask(self, key: Key) -> int:
        return 200 if key.space is None or self.role(key, key.space) else 404

    def may_be_told(self, key: Key, path: str, sent: dict[str, Any]) -> set[str]:
        may = super().may_be_told(key, path, sent)
        if path.startswith("/v1/conversations") or "conversation" in sent.get("json", {}):
            for id_, talk in self.talks.items():
                may |= talk.words if self.hears(key, id_) else set()
        if path.startswith("/v1/facts") and self.can_ask(key) == 200:
            may |= set(self.facts.get((key.person.id, key.space), {}).values())
        return may

    def preamble(self) -> None:
        super().preamble()
        for who in (0, 3):
            self.begins_a_conversation(who)
        for who, which in ((0, 0), (3, 1), (3, 0), (0, 1), (1, 0)):
            self.says(who, which)
        for who in (0, 1, 3):
            self.remembers(who)

    @rule(who=WHO)
    def remembers(self, who: int) -> None:
        key, word = self.key(who), new_word()
        sent = {"text": f"likes {word}"}
        made = self.change(self.can_ask(key), key, "POST", "/v1/facts", json=sent)
        if made:
            self.facts.setdefault((key.person.id, key.space), {})[made[0]["id"]] = word

    @rule(who=WHO, which=WHICH)
    def forgets_a_fact(self, who: int, which: int) -> None:
        key = self.key(who)
        mine = self.facts.get((key.person.id, key.space), {})
        id_ = self.named({one: None for held in self.facts.values() for one in held}, which)
        status = 200 if id_ in mine and self.can_ask(key) == 200 else 404
        if self.change(status, key, "DELETE", f"/v1/facts/{id_}") is not None:
            del mine[id_]

    @rule()
    def everybody_looks_at_facts(self) -> None:
        for key in self.keys:
            said = self.ask(key, "GET", "/v1/facts")
            found = self.ask(key, "POST", "/v1/facts/recall", json={"query": "likes", "limit": 100})
            if key.revoked:
                continue
            assert said.status_code == found.status_code == self.can_ask(key)
            if said.status_code == 200:
                mine = self.facts.get((key.person.id, key.space), {})
                assert [one["id"] for one in said.json()["items"]] == list(mine)
                assert {one["id"] for one in found.json()} == set(mine)

    @rule(who=WHO)
    def begins_a_conversation(self, who: int) -> None:
        key, word = self.key(who), new_word()
        sent = {"title": word}
        made = self.change(self.can_ask(key), key, "POST", "/v1/conversations", json=sent)
        if made:
            self.talks[made["id"]] = Talk(key.person.id, key.space, {word})

    @rule(who=WHO, which=WHICH)
    def says(self, who: int, which: int) -> None:
        key, id_, word = self.key(who), self.named(self.talks, which), new_word()
        sent = {"question": f"what of the common word and {word}?", "conversation": id_}
        status = 200 if self.hears(key, id_) else 404
        said = self.change(status, key, "POST", "/v1/answers", json=sent)
        if said is not None:
            self.talks[id_].words |= {word} | self.words_of(key)
            self.talks[id_].turns += 2

    @rule(who=WHO, which=WHICH)
    def deletes_a_conversation(self, who: int, which: int) -> None:
        key, id_ = self.key(who), self.named(self.talks, which)
        status = 200 if self.hears(key, id_) else 404
        if self.change(status, key, "DELETE", f"/v1/conversations/{id_}") is not None:
            del self.talks[id_]

    @rule()
    def everybody_looks_at_conversations(self) -> None:
        for key in self.keys:
            if key.revoked:
                self.ask(key, "GET", "/v1/conversations")
                continue
            said = self.ask(key, "GET", "/v1/conversations")
            assert said.status_code == self.can_ask(key)
            mine = {one for one in self.talks if self.hears(key, one)}
            if said.status_code == 200:
                told = {one["id"]: one["turns"] for one in said.json()["items"]}
                assert told == {one: self.talks[one].turns for one in mine}
            for id_ in self.talks:
                for path in ("", "/turns"):
                    said = self.ask(key, "GET", f"/v1/conversations/{id_}{path}")
                    if id_ in mine:
                        assert said.status_code == 200
                        continue
                    missing = self.ask(key, "GET", f"/v1/conversations/{NOBODY}{path}")
                    assert alike(said, id_) == alike(missing, NOBODY)

    @rule(who=WHO)
    def asks_as_a_model_does(self, who: int) -> None:
        """Its tool finds what the key may see, also where it names the ids of others."""
        key = self.key(who)
        for more in ({}, {"document_ids": list(self.documents)[:50]}):
            sent = {"query": "the common word", **more}
            said = self.ask(key, "POST", "/v1/tools/search_documents", json=sent)
            assert key.revoked or said.status_code == self.can_ask(key)

    @rule(who=WHO)
    def asks_for_models(self, who: int) -> None:
        """What is there of models is the same for everybody; texts come back as places alone."""
        key, engine = self.key(who), self.served.resources.workspace._engine
        told = [self.ask(one, "GET", "/v1/collections") for one in self.keys if not one.revoked]
        assert len({one.text for one in told}) == 1
        engine._reranker = OverlapReranker()
        try:
            sent = {"query": "common", "documents": ["a common word", "bread"]}
            said = self.ask(key, "POST", "/v1/rerank", json=sent)
        finally:
            engine._reranker = None
        if not key.revoked:
            assert [one["index"] for one in said.json()["results"]] == [0, 1]


class Kept(logging.Handler):
    """Every line of the log."""

    def __init__(self) -> None:
        super().__init__(logging.DEBUG)
        self.lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append(logging.Formatter().format(record))


@pytest.fixture
def runner() -> Iterator[asyncio.Runner]:
    with asyncio.Runner() as found:
        yield found


@pytest.mark.slow
def test_nobody_is_shown_more_over_http(runner: asyncio.Runner) -> None:
    log, kept = logging.getLogger("pincite"), Kept()
    before = log.level
    log.addHandler(kept)
    log.setLevel(logging.DEBUG)
    stack = AsyncExitStack()
    try:
        served = runner.run(stack.enter_async_context(workspace_server()))
        machine = type("Bound", (Talking,), {"served": served, "runner": runner})
        run_state_machine_as_test(
            machine,
            settings=settings(
                max_examples=EXAMPLES,
                stateful_step_count=STEPS,
                deadline=None,
                phases=PHASES,
                suppress_health_check=list(HealthCheck),
            ),
        )
    finally:
        log.removeHandler(kept)
        log.setLevel(before)
        runner.run(stack.aclose())
    told = "\n".join(kept.lines)
    assert not WORD.search(told)
    assert "pin_" not in told
