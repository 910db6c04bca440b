"""What `pincite explain` says of candidates that were dropped."""

from __future__ import annotations

import asyncio
import itertools

from pincite.diagnostics.explain import explain, explain_table
from pincite.trace import Trace
from tests.small_search import TEXTS, ask, make


def traced() -> Trace:
    trace = Trace(lambda ticks=itertools.count(): float(next(ticks)))  # type: ignore[misc]
    ask("rotate a key", asyncio.run(make(None, {**TEXTS, "copy": TEXTS["keys"]})), trace=trace)
    return trace


def test_a_dropped_candidate_is_listed_by_the_stage_that_dropped_it_alone() -> None:
    said = [view.stage for view in explain(traced()) if view.dropped]
    assert said.count("dedup") == 1
    assert not {"rerank", "blend"} & set(said)


def test_a_dropped_candidate_and_the_kept_one_have_ids_that_get_takes() -> None:
    trace = traced()
    (view,) = [one for one in explain(trace) if one.stage == "dedup"]
    (kept,) = [one for one in view.candidates if one.place.startswith(("copy#", "keys#"))]
    (line,) = [one for one in explain_table(trace).splitlines() if one.startswith("    - ")]
    dropped = view.dropped[0].candidate_id.rpartition(":")[2]
    assert line.startswith(
        f"    - #{dropped[:12]}  {'keys' if kept.place.startswith('copy') else 'copy'}#L"
    )
    assert line.endswith(f": same text as #{kept.id[:12]}")
