"""What a budget of tokens buys: passages one by one, whole units, and both put together.

Of `chunking-eval` (documents with the character spans that answer each question): the share of the
spans' characters in what is shown, and that share for 1,000 tokens of the block, by MiniLM's word
pieces. Of `adk-dev`: the share of the expected items that is shown. Every block is that of
`write_context` with the same budget, by the same estimate; headers count.

- *plain*: passages alone, best first, nothing put together (top-k at this budget)
- *units*: what the profile shows around them
- *optimised*: `stages.optimise` before that, and the U of `pincite context`
"""

from __future__ import annotations

import re
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from bench.frame import Options
from bench.local_preset.local_sets import AskedSet, spread
from bench.product import temporary_folder
from bench.retrieval.spans import characters, index_texts
from bench.variants import deps_of
from bench.vectors import CachedEncoder
from pincite.deps import Deps
from pincite.evals.analysis.statistics import interval
from pincite.evals.golden.beir import read_rows
from pincite.evals.run.runner import measured
from pincite.model import Evidence, EvidencePack, Question, Scope
from pincite.model.context_block import ContextBlock, results_for, write_context
from pincite.profile import Profile
from pincite.providers.bundled.minilm import MiniLmEncoder
from pincite.search import search
from pincite.stages.optimise import OptimiseConfig
from pincite.support.fields import replace
from pincite.trace import Trace

_BUDGETS: Final = (1_000, 2_000, 4_000)
_QUESTIONS: Final = 120  # of chunking-eval, evenly spread over it
_QUICK_QUERIES: Final = 20
_ALIKE: Final = (0.5, 0.7, 0.8, 0.9)
_SIZES: Final = (450, 900, 1_800)
_PART: Final = re.compile(r"\[(\d+)\]")


@dataclass(frozen=True, slots=True)
class SpanShare:
    """Of `chunking-eval`: the mean share of what is asked for, with its 95 % interval, that for
    1,000 tokens, and the mean number of tokens."""

    recall: float
    low: float
    high: float
    per_1000: float
    tokens: float


@dataclass(frozen=True, slots=True)
class ItemShare:
    """Of `adk-dev`: the mean share of the expected items, results left out, and merged into others,
    for a question."""

    recall: float
    alike: float
    merged: float


@dataclass(frozen=True, slots=True)
class ContextFigures:
    """`spans` by variant and budget, `items` by variant, at the largest budget."""

    questions: int
    spans: dict[str, dict[int, SpanShare]]
    items: dict[str, ItemShare]


async def measure_contexts(
    options: Options, encoder: CachedEncoder, counter: MiniLmEncoder, sets: Sequence[AskedSet]
) -> ContextFigures:
    """Index the documents of `chunking-eval`, and ask. Raises SkippedError."""
    folder = options.folder("chunking-eval", "documents.jsonl and span_queries.jsonl")
    texts = {row["_id"]: row["text"] for _, row in read_rows(folder / "documents.jsonl")}
    questions = [row for _, row in read_rows(folder / "span_queries.jsonl")]
    questions = list(spread(questions, _QUICK_QUERIES if options.quick else _QUESTIONS))
    spans: dict[str, dict[int, SpanShare]] = {name: {} for name in _profiles()}
    with temporary_folder() as work:
        async with index_texts(texts, work, encoder) as (spec, index):
            deps = deps_of("default", spec, index, encoder)
            for name, profile in _profiles().items():
                for budget in _BUDGETS:
                    one = await _spans(questions, texts, deps, profile, budget, counter)
                    spans[name][budget] = one
                    print(f"  {name}, {budget}: {one}", flush=True)
    adk = [one for one in sets if one.name == "adk-dev"]
    items = {name: await _items(one, profile) for one in adk for name, profile in _tried().items()}
    return ContextFigures(len(questions), spans, items)


def _profiles() -> dict[str, Profile]:
    units = measured(Profile())
    units = replace(units, select=replace(units.select, on_none="keep"))
    plain = replace(units, context=replace(units.context, around="none"))
    units = replace(units, context=Profile().context)
    sizes = {
        f"plain, optimised, {size:,} tokens": replace(
            plain, optimise=OptimiseConfig(enabled=True, max_tokens=size)
        )
        for size in _SIZES
    }
    optimised = replace(units, optimise=OptimiseConfig(enabled=True))
    return {"plain": plain, **sizes, "units": units, "units, optimised": optimised}


def _tried() -> dict[str, Profile]:
    units = _profiles()["units"]
    return {
        "units": units,
        **{
            f"units, alike {alike:g}": replace(
                units, optimise=OptimiseConfig(enabled=True, alike=alike)
            )
            for alike in _ALIKE
        },
    }


async def _ask(text: str, deps: Deps, profile: Profile, budget: int) -> tuple[EvidencePack, Trace]:
    trace = Trace(time.perf_counter)
    chosen = profile.showing(results_for(budget))
    return await search(Question(text, Scope()), deps, chosen, trace), trace


async def _spans(
    questions: Sequence[dict[str, Any]],
    texts: dict[str, str],
    deps: Deps,
    profile: Profile,
    budget: int,
    counter: MiniLmEncoder,
) -> SpanShare:
    recalls, tokens = [], []
    for row in questions:
        pack, _ = await _ask(row["text"], deps, profile, budget)
        order = "u" if profile.optimise.enabled else "rank"
        block = write_context(pack, budget, order=order, line_numbers=False)  # type: ignore[arg-type]
        wanted = characters((one["start_index"], one["end_index"]) for one in row["references"])
        path = f"{row['corpus_id']}.txt"
        shown = _shown(block, path, texts[row["corpus_id"]])
        recalls.append(len(wanted & shown) / len(wanted))
        tokens.append(counter.count_tokens([block.text])[0] - 2)
    low, high = interval(recalls)
    recall, mean = sum(recalls) / len(recalls), sum(tokens) / len(tokens)
    return SpanShare(
        *(round(recall, 4), round(low, 4), round(high, 4)),
        *(round(1000 * recall / mean, 4), round(mean, 1)),
    )


def _shown(block: ContextBlock, path: str, text: str) -> set[int]:
    """The characters of a document that are in a block."""
    alone = {int(number) for notice in block.notices for number in _PART.findall(notice.message)}
    begins = [0, *(place.end() for place in re.finditer("\n", text))]
    by_number = {item.number: item for item in block.pack.evidence}
    places: set[int] = set()
    for number in block.shown:
        item = by_number[number]
        if item.path != path:
            continue
        places |= _range(item, begins, text, whole=number not in alone)
    return places


def _range(item: Evidence, begins: Sequence[int], text: str, *, whole: bool) -> set[int]:
    if whole and item.context is not None:
        start, shown = begins[item.context.start_line - 1], item.context.text
    else:
        start, shown = begins[item.start_line - 1] + (item.start_column or 1) - 1, item.text
    if text[start : start + len(shown)] != shown:
        raise ValueError(f"{item.citation} is not what its file has")
    return set(range(start, start + len(shown)))


async def _items(one: AskedSet, profile: Profile) -> ItemShare:
    budget = max(_BUDGETS)
    recalls, alike, merged = [], 0, 0
    for query in one.golden.queries:
        pack, trace = await _ask(query.text, one.subject.deps, profile, budget)
        block = write_context(pack, budget, line_numbers=False)
        shown = set(block.shown)
        ids = {
            (item.collection, key)
            for item in pack.evidence
            if item.number in shown
            for key in (
                item.chunk_id,
                *(m.chunk_id for m in (item.context.matches if item.context else ())),
            )
        }
        expected = one.expected(query.id)
        found = {place for key in ids for place in expected.get(key, ())}
        recalls.append(len(found) / len(query.expected))
        for step in trace.steps:
            dropped = getattr(step.value, "dropped", ()) if step.stage == "optimise" else ()
            alike += sum(drop.reason.startswith("says the same") for drop in dropped)
            merged += sum("merged" in drop.reason for drop in dropped)
    count = len(one.golden.queries)
    share = ItemShare(
        round(sum(recalls) / count, 4), round(alike / count, 3), round(merged / count, 3)
    )
    print(f"  adk-dev, {profile.optimise}: {share}", flush=True)
    return share
