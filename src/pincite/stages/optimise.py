"""Remove repetitions for a language model: passages of one document that overlap or touch are
merged, and text that a better passage already has is left out."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from itertools import islice

import msgspec

from pincite.model import Candidate, Chunk, Context, Drop, Match
from pincite.model.citation import cite
from pincite.model.spans import joined, match_of
from pincite.support.fields import replace
from pincite.support.ranges import require_range
from pincite.support.token_estimate import estimate_tokens

_WORD = re.compile(r"\w+")
_SHINGLE = 3  # words
_MOST_WORDS = 20_000  # longer texts are not compared: other programs may store a book as a passage
_COMPARED = 50  # best results to compare with, so that a thousand results take half a second


class OptimiseConfig(msgspec.Struct, frozen=True):
    """`enabled`: whether to merge results. `alike`: omit a result if this share of its three-word
    runs occurs in one better result; 1 for all of them. `max_tokens`: the maximum size of a merged
    result, by a conservative estimate. Measurements are in docs/decisions/0035."""

    enabled: bool = False
    alike: float = 0.9
    max_tokens: int = 900

    def __post_init__(self) -> None:
        require_range(self, "optimise", "alike", above=0, most=1)
        require_range(self, "optimise", "max_tokens", least=1)


class Optimised(msgspec.Struct, frozen=True):
    """The remaining results, best first, with the text shown for each, and the reasons for the
    others."""

    candidates: tuple[Candidate, ...]
    contexts: tuple[Context | None, ...]
    dropped: tuple[Drop, ...] = ()


class _Result(msgspec.Struct):
    """A result. `span` is all the text shown for it, None if its place in the file is unknown.
    `members` are the results merged into it."""

    rank: int
    lead: Candidate
    context: Context | None
    span: Chunk | None
    matches: tuple[Match, ...]
    members: list[Candidate] = []

    @property
    def text(self) -> str:
        return self.context.text if self.context else self.lead.chunk.text


def optimise(
    candidates: Sequence[Candidate], contexts: Sequence[Context | None], config: OptimiseConfig
) -> Optimised:
    """Merge overlapping results and omit repeated ones. Each result is a candidate, best first,
    with the lines shown for it, or None if only the passage is shown.

    Results of one document whose lines overlap or touch become one result at the rank of the best,
    which keeps its signals. It has the lines of all, equal to the file, and a citation for them;
    its `matches` are the found passages. Then a result is omitted if a better one contains its
    words. Every other candidate is named in `dropped`.
    """
    pairs = zip(candidates, contexts, strict=True)
    results = [_result(rank, *pair) for rank, pair in enumerate(pairs)]
    merged = _merged(results, config)
    kept, dropped = _distinct(merged, config)
    numbers = {id(one): number for number, one in enumerate(kept, start=1)}
    for result in merged:
        whole = f"merged into [{numbers[id(result)]}]" if id(result) in numbers else ""
        beside = whole or f"merged into {result.lead.chunk.candidate_id}"
        dropped += [Drop(one.chunk.candidate_id, beside) for one in result.members]
    return Optimised(
        tuple(one.lead for one in kept), tuple(one.context for one in kept), tuple(dropped)
    )


def _result(rank: int, lead: Candidate, context: Context | None) -> _Result:
    chunk = lead.chunk
    if context is None:
        return _Result(rank, lead, None, chunk, (match_of(chunk),))
    marks = context.matches or (match_of(chunk),)
    return _Result(rank, lead, context, _span(chunk, context), marks)


def _span(chunk: Chunk, context: Context) -> Chunk | None:
    """Return the text shown around a chunk as a span of its file, None if the chunk is not found in
    it."""
    lines = context.text.split("\n")
    above = chunk.start_line - context.start_line
    if not 0 <= above < len(lines):
        return None
    offset = sum(len(line) + 1 for line in lines[:above]) + (chunk.start_column or 1) - 1
    if context.text[offset : offset + len(chunk.text)] != chunk.text:
        return None
    start = chunk.start - offset
    return replace(
        chunk,
        text=context.text,
        start=start,
        end=start + len(context.text),
        start_line=context.start_line,
        end_line=context.end_line,
        start_column=None,
        end_column=None,
        space_before="" if offset else chunk.space_before,
    )


def _merged(results: Sequence[_Result], config: OptimiseConfig) -> list[_Result]:
    """Merge neighbours that meet, at the rank of the best."""
    left: list[_Result] = []
    files: dict[tuple[str, str, str], list[tuple[Chunk, _Result]]] = defaultdict(list)
    for one in results:
        if one.span is None:
            left.append(one)
        else:
            files[one.lead.file].append((one.span, one))
    for some in files.values():
        some.sort(key=lambda pair: (pair[0].start, -pair[0].end, pair[1].rank))
        stack: list[_Result] = []
        for _, one in some:
            current = one
            while stack and (span := _meeting(stack[-1], current, config)) is not None:
                best, other = sorted((stack.pop(), current), key=_rank)
                current = _together(best, other, span)
            stack.append(current)
        left += stack
    return sorted(left, key=_rank)


def _rank(one: _Result) -> int:
    return one.rank


def _meeting(upper: _Result, lower: _Result, config: OptimiseConfig) -> Chunk | None:
    """Return both as one span if they meet, have whole lines and are not too long together."""
    if upper.span is None or lower.span is None:
        return None
    span = joined(upper.span, lower.span)
    if span is None or span.start_column is not None or span.end_column is not None:
        return None
    if len(span.text) == max(len(upper.span.text), len(lower.span.text)):
        return span  # one contains the other, so the result is no longer than before
    return span if estimate_tokens(span.text) <= config.max_tokens else None


def _together(best: _Result, other: _Result, span: Chunk) -> _Result:
    marks = {one.chunk_id: one for one in (*best.matches, *other.matches)}
    matches = tuple(sorted(marks.values(), key=lambda one: (one.start_line, one.citation)))
    context = Context(
        start_line=span.start_line,
        end_line=span.end_line,
        text=span.text,
        citation=cite(span),
        matches=matches if len(matches) > 1 else (),
    )
    members = [*best.members, *other.members, other.lead]
    return _Result(best.rank, best.lead, context, span, matches, members)


def _distinct(
    results: Sequence[_Result], config: OptimiseConfig
) -> tuple[list[_Result], list[Drop]]:
    """Return the results without those that a better one contains almost entirely."""
    kept: list[tuple[_Result, frozenset[tuple[str, ...]]]] = []
    dropped: list[Drop] = []
    for one in results:
        words = _shingles(one.text)
        better = kept[:_COMPARED]
        like = next((k for k, known in better if _contained(words, known) >= config.alike), None)
        if like is None:
            kept.append((one, words))
            continue
        reason = f"says the same as {like.lead.chunk.candidate_id}"
        dropped.append(Drop(one.lead.chunk.candidate_id, reason))
    return [one for one, _ in kept], dropped


def _shingles(text: str) -> frozenset[tuple[str, ...]]:
    """Return the runs of three words, or all words if there are fewer (Broder, 1997, "On the
    resemblance and containment of documents"). A text without words has none."""
    words = [found[0].lower() for found in islice(_WORD.finditer(text), _MOST_WORDS + 1)]
    if not words or len(words) > _MOST_WORDS:
        return frozenset()
    if len(words) < _SHINGLE:
        return frozenset((tuple(words),))
    return frozenset(zip(words, words[1:], words[2:], strict=False))


def _contained(part: frozenset[tuple[str, ...]], whole: frozenset[tuple[str, ...]]) -> float:
    """Return the share of a part's runs that the whole has as well, 0 for a part without words."""
    return len(part & whole) / len(part) if part else 0.0
