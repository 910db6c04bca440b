"""Write a pack as the text of a tool's answer, with as many passages as fit into a budget."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from typing import Annotated, TypeVar

from msgspec import Meta

from pincite.model import Evidence, EvidencePack, Omitted
from pincite.model.citation import short_citation
from pincite.model.context_block import results_for
from pincite.model.passages import BETWEEN, NOTHING, cost_of, fit_block
from pincite.model.prompt import LEAST_TOKENS, closest_label, lacks, unsearched
from pincite.model.verdict_words import CLOSEST, LEVEL_ADVICE, LEVEL_WORDS
from pincite.support.arguments import require_count
from pincite.support.fields import replace
from pincite.support.terminal import one_line
from pincite.support.token_estimate import cut_estimated, estimate_tokens
from pincite.surfaces.text.parts import reason_of
from pincite.surfaces.tools.hints import TOOLS, ToolNames, for_tools

#: The default budget of an answer, in tokens. Some clients cut answers at 10,000 tokens.
MAX_TOKENS = 4_000
MOST_TOKENS = 100_000
__all__ = ["LEAST_TOKENS", "MAX_TOKENS", "MOST_TOKENS", "Budget", "answer_text", "results_for"]
#: The budget as an argument of a tool.
Budget = Annotated[int, Meta(ge=LEAST_TOKENS, le=MOST_TOKENS)]
_Cited = TypeVar("_Cited", Evidence, Omitted)
_LISTED_SHARE = 5  # a fifth of the budget is for the list of what does not fit, see `_fitted`
_NOTED_SHARE = 5  # and at most a fifth for gaps and warnings
#: With fewer tokens left, a passage is left out instead of cut: its head alone takes 30 to 60. No
#: other number was measured.
_LEAST_CUT = 120
_BEYOND = "... and {} more"
_BEYOND_TOKENS = estimate_tokens(_BEYOND.format(99)) + 2
_NOT_SHOWN = "Not shown for lack of space"
#: Warnings that are left out: the verdict, a passage or a line of `lacks` says it better.
_SAID = ("nothing_relevant", "moved", "stale_omitted")
#: Warnings that the index is incomplete. They come first, because little fits into a small budget.
_INCOMPLETE = ("refreshing", "partly_encoded", "unfinished", "not_refreshed", "no_documents")
_UNSEARCHED = (
    "Nothing was searched. Fix the filter or remove it."
    " This does not mean that the index has no match."
)


def answer_text(pack: EvidencePack, max_tokens: int = MAX_TOKENS, tools: ToolNames = TOOLS) -> str:
    """Return the verdict, the passages with line numbers, best first, the citations of those that
    do not fit, and the gaps of the answer. It never exceeds `max_tokens`, as estimated by
    `support.token_estimate`.

    Each passage is in a fence that its content cannot end. Passages below the threshold are marked.
    If a filter matched nothing, the text says that nothing was searched, and judges nothing about
    the index. `tools` are the tools of the reader. Raises UsageError for a budget below 300 or
    above 100,000.
    """
    require_count("max_tokens", max_tokens, least=LEAST_TOKENS, most=MOST_TOKENS)
    pack = _shortened(pack)
    first = _verdict(pack, max_tokens // 10, tools)
    noted = _notes(pack, max_tokens // _NOTED_SHARE, tools)
    heading = f"{_NOT_SHOWN}{f'; {tools.read} reads them' if tools.read else ''}:"
    passages, labels = list(pack.evidence), [f"[{one.number}]" for one in pack.evidence]
    if not passages and pack.closest:
        passages = list(pack.closest)
        labels = [closest_label(place) for place in range(len(passages))]
        first = f"{first}\n{CLOSEST}"
    left = max_tokens - sum(cost_of(part) for part in (first, heading, noted))
    blocks, out = _fitted(passages, labels, left, max_tokens // _LISTED_SHARE)
    left -= sum(cost_of(block) for block in blocks)
    parts = [first, *blocks, "\n".join(filter(None, (*_listed(heading, out, left), noted)))]
    return BETWEEN.join(part for part in parts if part)


def _shortened(pack: EvidencePack) -> EvidencePack:
    """Return the pack with short revisions in its citations; full ones took 6 to 18 % of an
    answer."""
    return replace(
        pack,
        evidence=tuple(_cited_short(one) for one in pack.evidence),
        closest=tuple(_cited_short(one) for one in pack.closest),
        omitted=tuple(_cited_short(one) for one in pack.omitted),
    )


def _cited_short(one: _Cited) -> _Cited:
    return replace(one, citation=short_citation(one.citation))


def _verdict(pack: EvidencePack, tokens: int, tools: ToolNames) -> str:
    """Return the first lines: how good the evidence is, and what to do if it is not good."""
    if why := unsearched(pack):
        return f"{_cut(for_tools(why, tools), tokens * 4)}\n{_UNSEARCHED}"
    reason = for_tools(reason_of(pack.verdict), tools)
    if pack.omitted and not pack.evidence:
        again = "If the index keeps itself up to date, search again in a few seconds."
        return f"none (files have changed): {_cut(reason, tokens)}\n{again}"
    level = pack.verdict.level
    advice = "" if level == "grounded" else f"\n{LEVEL_ADVICE[level]}"
    return f"{level} ({LEVEL_WORDS[level]}): {_cut(reason, tokens)}{advice}"


def _fitted(
    passages: Sequence[Evidence], labels: Sequence[str], left: int, most_listed: int
) -> tuple[Sequence[str], Sequence[str]]:
    """Return the blocks of passages that fit, and lines with the citations of the others.

    The first passage that does not fit is cut, or left out if little room is left. This ends the
    blocks, because shorter passages of lower rank held no answer; only if not even the head of a
    passage fits, the next one is tried. At most `most_listed` tokens are kept for the lines, or
    more if a single line needs more, up to half of what is left.
    """
    blocks, out = [], []
    ended = False
    lines = [
        f"{label} {one_line(one.citation)}" for one, label in zip(passages, labels, strict=True)
    ]
    costs = [estimate_tokens(line) + 2 for line in lines]
    to_list = sum(costs)
    most_listed = max(most_listed, min(left // 2, max(costs, default=0) + _BEYOND_TOKENS))
    for place, item in enumerate(passages):
        room = left - min(most_listed, to_list - costs[place])
        cut = not place or room >= _LEAST_CUT
        found = NOTHING
        if not ended:
            found = fit_block(item, room, numbered=True, cut=cut, label=labels[place])
            ended = found.part == "cut" if found.text else not cut
        if not found.text:
            out.append(lines[place])
            continue
        blocks.append(found.text)
        left -= cost_of(found.text)
        to_list -= costs[place]
    return blocks, out


def _listed(heading: str, lines: Sequence[str], tokens: int) -> Sequence[str]:
    """Return the heading, as many lines as fit, and the number of the others; nothing without
    lines."""
    if not lines:
        return ()
    costs = [estimate_tokens(line) + 2 for line in lines]
    count = len(lines)
    if sum(costs) > tokens:
        fits = accumulate(costs, initial=_BEYOND_TOKENS)
        count = max(0, sum(spent <= tokens for spent in fits) - 1)
    rest = [_BEYOND.format(len(lines) - count)] if count < len(lines) else []
    return (heading, *lines[:count], *rest)


def _notes(pack: EvidencePack, tokens: int, tools: ToolNames) -> str:
    """Return a line for each gap of the answer and for each warning, as far as they fit. Warnings
    that the index is incomplete come first."""
    why = unsearched(pack)
    said = [*lacks(pack)]
    said += [
        f"warning {one.code}: {for_tools(one.message, tools)}"
        for one in sorted(pack.warnings, key=lambda one: one.code not in _INCOMPLETE)
        if one.code not in _SAID and (not why or one.message not in why)
    ]
    kept: list[str] = []
    for line in said:
        kept.append(_cut(line, tokens))
        tokens -= estimate_tokens(kept[-1]) + 2
        if tokens <= 2:
            break
    return "\n".join(kept)


def _cut(text: str, tokens: int) -> str:
    plain = one_line(text)
    kept = cut_estimated(plain, max(0, tokens - 3))
    return kept if kept == plain else f"{kept}..."
