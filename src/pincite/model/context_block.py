"""Passages as a block for somebody else's prompt, within a budget of tokens, the best at both
ends."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, Literal, TypeVar, get_args

from pincite.errors import UsageError
from pincite.model.evidence import Evidence, EvidencePack
from pincite.model.passages import BETWEEN, Fitted, cost_of, fit_block, least_block
from pincite.model.prompt import MOST_TOKENS, closest_label, left_out, opening
from pincite.model.retrieval import Notice
from pincite.support.arguments import require_choice, require_count
from pincite.support.token_estimate import estimate_tokens

T = TypeVar("T")
#: Best first, second best last, the others between (Liu et al., 2023, "Lost in the middle"); or
#: best first.
ContextOrder = Literal["u", "rank"]
#: How many tokens a text has.
CountTokens = Callable[[str], int]
BUDGET: Final = 6_000
_BLANK: Final = 2  # tokens of a blank line between parts, by any tokenizer; guess, unmeasured
_LINE: Final = 3  # and with the estimate of `support.token_estimate`
_MOST_RESULTS: Final = 50
_LEAST_RESULTS: Final = 12
#: A passage with its head; guess, unmeasured.
_TOKENS_EACH: Final = 333


@dataclass(frozen=True, slots=True)
class ContextBlock:
    """A block for a prompt: `text`, and how many `tokens` it has, as they were counted.

    `shown` are the numbers of the evidence in it, in the order in which it stands there,
    `left_out` those that there was no room for. `notices` say what was cut or shown without what
    stands around it. `pack` is what was found, all numbers and citations being its own.
    """

    text: str
    tokens: int
    shown: tuple[int, ...]
    left_out: tuple[int, ...]
    notices: tuple[Notice, ...]
    pack: EvidencePack


def results_for(tokens: int) -> int:
    """How many results are asked for where the caller gives no limit: the budget decides how many
    of them are shown whole."""
    return min(_MOST_RESULTS, max(_LEAST_RESULTS, tokens // _TOKENS_EACH))


def u_shaped(ranked: Sequence[T]) -> tuple[T, ...]:
    """The best first, the second best last, the others between in order of rank."""
    return (*ranked[:1], *ranked[2:], *ranked[1:2])


def write_context(
    pack: EvidencePack,
    budget: int = BUDGET,
    *,
    order: ContextOrder = "u",
    line_numbers: bool = True,
    count: CountTokens | None = None,
) -> ContextBlock:
    """The verdict, and as many passages as fit, each with its number and citation in a fence that
    is longer than any in it; then how many were left out.

    Passages are taken best first: one that does not fit with what stands around it is tried alone,
    then left out, and those behind it are tried. The best alone is cut at the end of a line where
    it does not fit. With `count`, all of the text has no more than `budget` tokens by that; else by
    the estimate from above of `support.token_estimate`. Raises UsageError for a budget that has no
    room for one line.
    """
    require_count("budget", budget, least=1, most=MOST_TOKENS)
    require_choice("order", order, get_args(ContextOrder))
    counted = count or estimate_tokens
    parts = opening(pack, budget, question=False)
    if not pack.evidence:
        return _without_evidence(pack, parts, budget, counted)
    most = len(pack.evidence)
    room = budget
    while True:
        fitted = _fitted(pack, parts, room, line_numbers, count)
        ordered = u_shaped(fitted) if order == "u" else tuple(fitted)
        behind = [left_out(most - len(fitted), most)] if len(fitted) < most else []
        text = BETWEEN.join((*parts, *(one.text for _, one in ordered), *behind))
        spent = counted(text)
        if spent <= budget:
            break
        room -= spent - budget  # by this tokenizer the whole has more than its parts
    shown = {item.number for item, _ in fitted}
    return ContextBlock(
        text=text,
        tokens=spent,
        shown=tuple(item.number for item, _ in ordered),
        left_out=tuple(one.number for one in pack.evidence if one.number not in shown),
        notices=_notices(fitted),
        pack=pack,
    )


def _fitted(
    pack: EvidencePack,
    parts: Sequence[str],
    budget: int,
    line_numbers: bool,
    count: CountTokens | None,
) -> list[tuple[Evidence, Fitted]]:
    """The blocks that there is room for, best first. Raises UsageError where there is none."""

    def cost(part: str) -> int:
        return cost_of(part) if count is None else count(part) + _BLANK

    most = len(pack.evidence)
    left = budget - sum(map(cost, parts)) - cost(left_out(most, most))
    found = []
    for place, item in enumerate(pack.evidence):
        one = fit_block(item, left, numbered=line_numbers, cut=not place, cost=cost)
        if one.text:
            found.append((item, one))
            left -= cost(one.text)
        elif not place:
            raise _too_small(pack, budget, line_numbers, count or estimate_tokens)
    return found


def _too_small(
    pack: EvidencePack, budget: int, line_numbers: bool, count: CountTokens
) -> UsageError:
    """The error, with a budget that is enough. What is said first grows with the budget."""
    most = len(pack.evidence)
    first = least_block(pack.evidence[0], numbered=line_numbers)
    least = _least(pack, budget, (first, left_out(most, most)), count)
    return UsageError(
        f"a budget of {budget:,} tokens has no room for one line: what must be said and the first"
        f" line of the best passage take {least:,}",
        hint=f"a budget of {least:,} or more",
    )


def _least(pack: EvidencePack, budget: int, ending: Sequence[str], count: CountTokens) -> int:
    """A budget above this one that is enough for what must be said; that grows with the budget."""
    wanted, least = budget, 0
    while least <= wanted:
        least = wanted + 1
        parts = (*opening(pack, least, question=False), *ending)
        wanted = max(wanted, sum(count(part) + _LINE for part in parts))
    return least


def _without_evidence(
    pack: EvidencePack, parts: list[str], budget: int, count: CountTokens
) -> ContextBlock:
    """What is said where there is nothing to cite, with what is closest as far as it fits."""
    if count(BETWEEN.join(parts)) > budget:
        least = _least(pack, budget, (), count)
        raise UsageError(
            f"a budget of {budget:,} tokens has no room for what must be said, which takes"
            f" {least:,}",
            hint=f"a budget of {least:,} or more",
        )
    for place, item in enumerate(pack.closest):
        left = budget - count(BETWEEN.join(parts)) - _BLANK
        label = closest_label(place)
        one = fit_block(item, left - _BLANK, numbered=True, cut=False, label=label)
        if one.text and count(BETWEEN.join((*parts, one.text))) <= budget:
            parts = [*parts, one.text]
    text = BETWEEN.join(parts)
    return ContextBlock(text, count(text), (), (), (), pack)


def _notices(fitted: Sequence[tuple[Evidence, Fitted]]) -> tuple[Notice, ...]:
    """What is not there as the pack has it."""
    notices = [
        Notice("context_cut", f"[{item.number}] alone is too long: only its first lines are there")
        for item, one in fitted
        if one.part == "cut"
    ]
    narrow = [f"[{item.number}]" for item, one in fitted if one.part == "alone"]
    if narrow:
        said = f"{', '.join(narrow)} without what stands around, for lack of space"
        notices.append(Notice("context_narrowed", said))
    return tuple(notices)
