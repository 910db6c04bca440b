"""Passages as a block for another program's prompt, within a budget of tokens, the best ones at
both ends."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, Literal, TypeVar, get_args

from pincite.errors import UsageError
from pincite.model.budgets import BUDGET as BUDGET
from pincite.model.evidence import Evidence
from pincite.model.pack import EvidencePack
from pincite.model.passages import BETWEEN, Fitted, cost_of, fit_block, least_block
from pincite.model.prompt import MOST_TOKENS, closest_label, left_out, opening
from pincite.model.retrieval import Notice
from pincite.support.arguments import require_choice, require_count, require_function
from pincite.support.token_estimate import estimate_tokens

T = TypeVar("T")
#: `u`: best first, second best last, the others between (Liu et al., 2023, "Lost in the middle").
#: `rank`: best first.
ContextOrder = Literal["u", "rank"]
#: A function that counts the tokens of a text.
CountTokens = Callable[[str], int]
_BLANK: Final = 2  # tokens of a blank line between parts, at most; guess, unmeasured
_LINE: Final = 3  # the same with `support.token_estimate`
_MOST_RESULTS: Final = 50
_LEAST_RESULTS: Final = 12
#: Tokens of a passage with its head; guess, unmeasured.
_TOKENS_EACH: Final = 333


@dataclass(frozen=True, slots=True)
class ContextBlock:
    """A block for a prompt: `text`, and its number of `tokens` by the counting function in use.

    `shown` are the numbers of the evidence in the block, in its order. `left_out` are those that
    did not fit. `notices` say which passages were cut or lost their context. `pack` is the search
    result; all numbers and citations refer to it.
    """

    text: str
    tokens: int
    shown: tuple[int, ...]
    left_out: tuple[int, ...]
    notices: tuple[Notice, ...]
    pack: EvidencePack


def results_for(tokens: int) -> int:
    """Return the number of results to request if the caller gives no limit. The budget decides how
    many of them are shown in full."""
    return min(_MOST_RESULTS, max(_LEAST_RESULTS, tokens // _TOKENS_EACH))


def u_shaped(ranked: Sequence[T]) -> tuple[T, ...]:
    """Return the best item first, the second best last, and the others between in order of rank."""
    return (*ranked[:1], *ranked[2:], *ranked[1:2])


def write_context(
    pack: EvidencePack,
    budget: int = BUDGET,
    *,
    order: ContextOrder = "u",
    line_numbers: bool = True,
    count: CountTokens | None = None,
) -> ContextBlock:
    """Write the verdict and as many passages as fit, then the number of omitted ones. Each passage
    has its number and citation, and a fence that is longer than any in the passage.

    Passages are tried best first. One that does not fit with its context is tried without it, then
    left out, and the next one is tried. Only the best passage may be cut, at the end of a line. The
    whole text has at most `budget` tokens by `count`, or by the high estimate of
    `support.token_estimate` if there is no `count`. Raises UsageError for a budget without room for
    one line.
    """
    require_count("budget", budget, least=1, most=MOST_TOKENS)
    require_choice("order", order, get_args(ContextOrder))
    if count is not None:
        require_function("count", count)
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
        room -= spent - budget  # the whole may have more tokens than its parts
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
    """Return the blocks that fit, best first. Raises UsageError if none does."""

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
    """Return the error, which names a sufficient budget. The opening grows with the budget."""
    most = len(pack.evidence)
    first = least_block(pack.evidence[0], numbered=line_numbers)
    least = _least(pack, budget, (first, left_out(most, most)), count)
    return UsageError(
        f"a budget of {budget:,} tokens is too small: the fixed lines and the first line of"
        f" the best passage need {least:,}",
        hint=f"give a budget of at least {least:,}",
    )


def _least(pack: EvidencePack, budget: int, ending: Sequence[str], count: CountTokens) -> int:
    """Return a larger budget with room for the required texts, which grow with the budget."""
    wanted, least = budget, 0
    while least <= wanted:
        least = wanted + 1
        parts = (*opening(pack, least, question=False), *ending)
        wanted = max(wanted, sum(count(part) + _LINE for part in parts))
    return least


def _without_evidence(
    pack: EvidencePack, parts: list[str], budget: int, count: CountTokens
) -> ContextBlock:
    """Return the block without evidence, with the closest passages that fit."""
    if count(BETWEEN.join(parts)) > budget:
        least = _least(pack, budget, (), count)
        raise UsageError(
            f"a budget of {budget:,} tokens is too small: the fixed lines need {least:,}",
            hint=f"give a budget of at least {least:,}",
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
    """Notices about passages that are cut or lost their context."""
    notices = [
        Notice("context_cut", f"[{item.number}] alone is too long: only its first lines are there")
        for item, one in fitted
        if one.part == "cut"
    ]
    narrow = [f"[{item.number}]" for item, one in fitted if one.part == "alone"]
    if narrow:
        said = f"{', '.join(narrow)} without the text around, for lack of space"
        notices.append(Notice("context_narrowed", said))
    return tuple(notices)
