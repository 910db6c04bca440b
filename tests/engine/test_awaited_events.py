"""A search that finds nothing waits for file events that are on their way."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast

import pytest

from pincite.daemon.refresh.freshness import Change, Freshness, Pending
from pincite.engine.awaited_events import INDEXED_S, SETTLE_S, changed_meanwhile, is_followed, lacks
from pincite.engine.search_notices import SearchNotices
from pincite.model import (
    AbsentTerms,
    CollectionSpec,
    EvidencePack,
    Plan,
    Question,
    Scope,
    Source,
    SourceRecord,
    Verdict,
)
from pincite.model.verdict import VerdictLevel
from pincite.ports import CollectionInfo
from pincite.settings.load import load_settings
from pincite.stages.prepare import PrepareConfig
from pincite.support.fields import replace


def lacking(question: str, level: VerdictLevel, *absent: str) -> bool:
    verdict, plan = (
        Verdict(level, "coverage", "share", 0.6, 0.4, 0.25, False, "Because."),
        Plan(("main",), "lexical", "sum", {}, {}, {}),
    )
    pack = EvidencePack("1.5", question, verdict, plan, (), {}, absent_terms=AbsentTerms(absent))
    return lacks(pack, Question(question), PrepareConfig())


TRACE = 'Traceback (most recent call last):\n  File "/srv/user_name/a.py", line 3, in run_it\n'


@pytest.mark.parametrize(
    ("question", "level", "absent", "waits"),
    [
        ("src/new_file.py:3", "weak", (), True),
        ("src/new_file.py:3", "weak", ("new_file.py",), True),
        ("src/new_file.py:3", "none", (), True),
        ("/home/user_name/src/a.py:3", "grounded", ("user_name",), False),
        (f"{TRACE}    load_it()\nValueError: no", "weak", ("user_name", "load_it"), False),
        ("load_it", "weak", ("load_it",), True),
        ("where is load_it defined?", "grounded", ("load_it",), True),
        ("load_it", "grounded", (), False),
        ("how does load_it parse options", "grounded", ("load_it",), False),
        ("how does load_it parse options", "none", ("load_it",), True),
        ("how is a key rotated", "weak", ("key",), False),
    ],
)
def test_only_questions_for_a_name_or_a_place_wait_although_there_is_evidence(
    question: str, level: VerdictLevel, absent: tuple[str, ...], waits: bool
) -> None:
    assert lacking(question, level, *absent) is waits


QUIET = Freshness(auto=True, watching="2 folders")
PENDING = replace(QUIET, pending=(Pending("main", "docs", 1),))
CHANGED = replace(QUIET, changes=(Change(1, "", "main", "docs", "new", "a.md"),))


def waited(states: Sequence[Freshness], before: Freshness = QUIET) -> tuple[bool, float, int]:
    """Whether another search may find more if these states follow each other and the last one
    stays; the seconds that the question waited; and the number of looks."""
    looks = 0

    async def look() -> Freshness:
        nonlocal looks
        looks += 1
        return states[min(looks, len(states)) - 1]

    now_s = [0.0]

    async def no_time(seconds: float) -> None:
        now_s[0] += seconds

    found = changed_meanwhile(
        look, before, lambda one: bool(one.pending), 0.0, lambda: now_s[0], no_time
    )
    return asyncio.run(found), round(now_s[0], 3), looks


def test_without_an_event_the_wait_has_an_end() -> None:
    assert waited([QUIET]) == (False, SETTLE_S, 5)
    assert waited([CHANGED], before=CHANGED) == (False, SETTLE_S, 5)


def test_it_ends_once_the_change_is_indexed() -> None:
    assert waited([QUIET, PENDING, PENDING, CHANGED]) == (True, 0.16, 4)
    assert waited([QUIET, QUIET, CHANGED]) == (True, 0.12, 3)
    words_only = [PENDING, QUIET]  # the vectors of the change follow later
    assert waited(words_only) == (True, 0.08, 2)


def test_a_long_run_is_not_waited_for() -> None:
    assert waited([QUIET] * 4 + [PENDING]) == (True, INDEXED_S, 13)


def test_a_search_that_took_long_looks_once() -> None:
    async def look() -> Freshness:
        return QUIET

    begun_s = time.monotonic() - 10
    found = asyncio.run(changed_meanwhile(look, QUIET, lambda one: bool(one.pending), begun_s))
    assert not found
    assert time.monotonic() - begun_s < 10 + SETTLE_S


def test_a_search_that_has_said_what_is_being_indexed_does_not_wait() -> None:
    class Client:
        """A daemon that has indexed a change when it is asked."""

        looks = 0

        async def look(self, wish: object) -> Freshness:
            assert wish
            self.looks += 1
            return CHANGED

    client = Client()
    notices = SearchNotices(
        load_settings({}, Path.cwd(), Path(".pincite")), lambda: cast("Any", client)
    )
    spec = CollectionSpec("main", "s", "c")
    infos = [CollectionInfo(spec, (SourceRecord(Source("docs", "/docs", "folder")),), 0, 0, 0)]

    def asked(before: Freshness | None, scope: Scope = Scope()) -> bool:
        begun_s = time.monotonic()
        return asyncio.run(notices.changed_meanwhile(before, infos, scope, begun_s))

    assert not asked(PENDING)
    assert not asked(None)
    assert client.looks == 0
    assert asked(QUIET)
    elsewhere = replace(QUIET, pending=(Pending("code", "lib", 1),))
    assert asked(elsewhere, Scope(collections=("main",)))  # nothing was said of another collection
    assert client.looks == 2


def test_only_watched_sources_of_the_question_are_waited_for() -> None:
    spec = CollectionSpec("main", "s", "c")
    files = CollectionInfo(spec, (SourceRecord(Source("docs", "/docs", "folder")),), 0, 0, 0)
    records = CollectionInfo(spec, (SourceRecord(Source("crm", "", "records")),), 0, 0, 0)
    assert is_followed(QUIET, [records, files], Scope())
    assert not is_followed(QUIET, [records], Scope())
    assert not is_followed(QUIET, [files], Scope(sources=("other",)))
    assert not is_followed(QUIET, [replace(files, foreign=True)], Scope())
    assert not is_followed(replace(QUIET, auto=False), [files], Scope())
    for standing in ("", "no folders", "nothing; searches look at the folders instead: no watches"):
        assert not is_followed(replace(QUIET, watching=standing), [files], Scope())
