"""A search is a span with its stages below it."""

from __future__ import annotations

import time

import pytest
from opentelemetry.trace import StatusCode

from pincite import Trace
from pincite.errors import UsageError
from pincite.ports.tracing import installed, span
from tests.quick_folder import quick_folder
from tests.telemetry.indexed import indexed
from tests.telemetry.watching import watched

pytestmark = pytest.mark.anyio


async def test_each_stage_of_a_search_here_is_a_span_below_that_of_the_search() -> None:
    with quick_folder() as folder:
        async with await indexed(folder) as engine:
            trace = Trace(time.perf_counter)
            with watched() as seen:
                await engine.search("rotate a key", trace=trace)
            found = seen.one("pincite.search")
            stages = [one.name for one in seen.children(found)]
            assert stages == [f"pincite.stage.{step.stage}" for step in trace.steps]
            assert found.attributes is not None
            assert found.attributes["pincite.searched_in"] == "process"
            assert found.attributes["pincite.results"] == 1
            loaded = seen.one("pincite.stage.load").attributes
            assert loaded is not None
            assert loaded["pincite.candidates"] == 1
            assert trace.follower is None
            await engine.stop()


async def test_a_search_in_the_daemon_has_its_stages_and_verdict_by_what_the_daemon_said() -> None:
    with quick_folder() as folder:
        async with await indexed(folder) as engine:
            with watched() as seen:
                pack = await engine.search("rotate a key")
            found = seen.one("pincite.search")
            assert found.attributes is not None
            assert found.attributes["pincite.searched_in"] == "daemon"
            assert found.attributes["pincite.verdict"] == pack.verdict.level
            stages = seen.children(found)
            assert [one.name for one in stages] == [
                f"pincite.stage.{name}" for name in pack.timings_ms
            ]
            assert all((one.end_time or 0) >= (one.start_time or 0) for one in stages)
            await engine.stop()


async def test_neither_questions_nor_texts_nor_paths_leave_the_process() -> None:
    with quick_folder() as folder:
        async with await indexed(folder) as engine:
            with watched() as seen:
                await engine.search("rotate zebra", trace=Trace(time.perf_counter))
                await engine.index(folder / "docs", lexical=True)
                with pytest.raises(UsageError):
                    await engine.search("zebra", collections="zebra")
            said = seen.all_said()
            assert "pincite.search" in said
            for secret in ("zebra", "rotate", "keys.md", str(folder)):
                assert secret not in said
            await engine.stop()


async def test_texts_that_are_allowed_are_masked_and_cut() -> None:
    with quick_folder() as folder:
        async with await indexed(folder) as engine:
            with watched(texts=True) as seen:
                await engine.search("rotate a key password=hunter22secret " + "x" * 9_000)
            attributes = seen.one("pincite.search").attributes
            assert attributes is not None
            query = str(attributes["pincite.query"])
            assert "rotate a key" in query
            assert "hunter22secret" not in query
            assert len(query) <= 4_000
            await engine.stop()


async def test_a_search_that_fails_says_the_kind_of_error_and_not_its_words() -> None:
    with quick_folder() as folder:
        async with await indexed(folder) as engine:
            with watched() as seen, pytest.raises(UsageError):
                await engine.search("rotate", collections="secretname")
            found = seen.one("pincite.search")
            assert found.status.status_code is StatusCode.ERROR
            assert found.attributes is not None
            assert found.attributes["error.type"] == "UsageError"
            assert not found.events
            assert "secretname" not in seen.all_said()
            await engine.stop()


def test_nothing_is_watched_unless_it_was_asked_for() -> None:
    assert installed() is None
    with span("x") as nothing:
        nothing.set("a", 1)
        nothing.fail("b")
    assert not nothing.texts
