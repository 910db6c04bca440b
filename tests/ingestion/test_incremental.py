"""However an index came about, it is the one that a clean build makes: on every store, to the id,
the payload and the vectors of every point, and to the last bit of every score, even where runs were
cut off at some step."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from tests.ingestion.mirror import Make, Mirror, chroma, edge, memory, qdrant, sqlite
from tests.quick_folder import quick_folder

_NAMES = tuple("abcdef")
_WORDS = st.sampled_from(["alpha", "beta", "gamma", "delta", "epsilon", "zeta " * 40])
_CONTENT = st.lists(_WORDS, min_size=1, max_size=12)
_NAME = st.sampled_from(_NAMES)
_CHANGES = st.lists(
    st.one_of(
        st.tuples(st.just("write"), _NAME, _CONTENT),
        st.tuples(st.just("rename"), _NAME, _NAME),
        st.tuples(st.just("delete"), _NAME, st.just("")),
    ),
    min_size=1,
    max_size=6,
)
#: What happens before each run, and after how many calls of store and catalog it is cut off.
RUNS = st.lists(
    st.tuples(_CHANGES, st.none() | st.integers(min_value=4, max_value=80)), min_size=1, max_size=4
)


async def check(
    kind: Callable[[Path], AbstractContextManager[Make]],
    runs: list[tuple[list[tuple[str, str, Any]], int | None]],
) -> None:
    with ExitStack() as stack:
        folder = stack.enter_context(quick_folder())
        mirrors = []
        for name in ("grown", "clean"):
            place = folder / name
            place.mkdir()
            make = stack.enter_context(kind(place))
            mirrors.append(Mirror(folder / "source", place, make, packs=kind is not qdrant))
        grown, clean = mirrors
        grown.source.mkdir()
        grown.change("write", "a", ["alpha", "beta"])
        for changes, calls in runs:
            for what, name, how in changes:
                grown.change(what, name, how)
            await grown.run(calls)
        await grown.run()  # what was cut off is finished
        await clean.run()
        assert await grown.seen() == await clean.seen()


def of(examples: int) -> settings:
    return settings(
        max_examples=examples, deadline=None, suppress_health_check=[HealthCheck.too_slow]
    )


@of(25)
@given(RUNS)
@example([([("write", "b", ["alpha"])], None), ([("delete", name, "") for name in "ab"], None)])
def test_an_index_in_memory_equals_a_clean_build(runs: Any) -> None:
    asyncio.run(check(memory, runs))


@of(8)
@given(RUNS)
def test_an_index_in_the_engine_equals_a_clean_build(runs: Any) -> None:
    asyncio.run(check(edge, runs))


@of(20)
@given(RUNS)
def test_an_index_in_sqlite_equals_a_clean_build(runs: Any) -> None:
    asyncio.run(check(sqlite, runs))


@of(4)
@given(RUNS)
def test_an_index_in_chroma_equals_a_clean_build(runs: Any) -> None:
    asyncio.run(check(chroma, runs))


@pytest.mark.filterwarnings("ignore:Local mode performs exact:UserWarning")
@pytest.mark.filterwarnings("ignore:Payload indexes have no effect:UserWarning")
@of(4)
@given(RUNS)
def test_an_index_on_a_qdrant_server_equals_a_clean_build(runs: Any) -> None:
    asyncio.run(check(qdrant, runs))
