"""Passages as language models read them: numbered, cited, each in a fence that it cannot end."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Literal

from pincite.model.evidence import RECOGNISED, Evidence, Match
from pincite.support.fences import fence_for
from pincite.support.terminal import one_line, visible
from pincite.support.token_estimate import estimate_tokens

BETWEEN = "\n\n"
_BETWEEN_TOKENS = estimate_tokens(BETWEEN)
_MOST_TITLE = 200  # characters; guess, unmeasured
_FOUND = "> "  # behind the number of a line that was found, where others stand around it
_PLAIN = "  "


@dataclass(frozen=True, slots=True)
class _Quoted:
    """What is quoted of an item: lines, the number of the first (0 where it has none), and the
    numbers of those that were found, empty where all were."""

    item: Evidence
    lines: tuple[str, ...]
    first: int
    around: bool
    found: frozenset[int] = frozenset()


def cost_of(part: str) -> int:
    """Tokens of a part at most, with the blank line before or behind it."""
    return estimate_tokens(part) + _BETWEEN_TOKENS


def fitting_block(
    item: Evidence, tokens: int, *, numbered: bool, cut: bool, label: str = ""
) -> str:
    """The text of `fit_block`."""
    return fit_block(item, tokens, numbered=numbered, cut=cut, label=label).text


@dataclass(frozen=True, slots=True)
class Fitted:
    """The block of an item, empty where nothing fits, and how much of it is left: all that is
    shown of the file (`whole`), the passage without what stands around it (`alone`), or its first
    lines (`cut`)."""

    text: str
    part: Literal["whole", "alone", "cut"] = "whole"


def fit_block(
    item: Evidence,
    tokens: int,
    *,
    numbered: bool,
    cut: bool,
    label: str = "",
    cost: Callable[[str], int] = cost_of,
) -> Fitted:
    """The block of an item: with what is shown around it if there is room, else alone, else, if it
    may be cut, its first lines; empty where nothing fits. `label` stands before its citation, by
    default its number. `cost` counts the tokens of a part, with the blank line beside it."""
    whole = [_quoted(item, around=False)]
    if item.context:
        whole.insert(0, _quoted(item, around=True))
    named = label or f"[{item.number}]"
    for quoted in whole:
        block = _block(quoted, len(quoted.lines), numbered, named)
        if cost(block) <= tokens:
            return Fitted(block, "whole" if quoted is whole[0] else "alone")
    if not cut:
        return Fitted("")
    alone = whole[-1]
    low, high = 0, len(alone.lines) - 1  # so many lines fit, so many may
    while low < high:
        middle = (low + high + 1) // 2
        fits = cost(_block(alone, middle, numbered, named)) <= tokens
        low, high = (middle, high) if fits else (low, middle - 1)
    return Fitted(_block(alone, low, numbered, named) if low else "", "cut")


def least_block(item: Evidence, *, numbered: bool) -> str:
    """The block of an item with its first line alone."""
    return _block(_quoted(item, around=False), 1, numbered, f"[{item.number}]")


def number_lines(
    lines: Sequence[str], first: int, found: frozenset[int] = frozenset()
) -> Sequence[str]:
    """The lines with the numbers that they have in their file, from `first`; as they are where it
    is 0. A `>` stands behind the numbers of `found`."""
    if not first:
        return lines
    width = len(str(first + len(lines) - 1))
    return [
        f"{number:>{width}}{_FOUND if number in found else _PLAIN}{line}"
        for number, line in enumerate(lines, first)
    ]


def fenced(lines: Sequence[str]) -> str:
    """The lines in a fence that none of them can end."""
    fence = fence_for(*lines)
    return "\n".join([fence, *lines, fence])


def shown_lines(text: str) -> tuple[str, ...]:
    """The lines of a text, without what a terminal would obey or a reader would not see."""
    return tuple(visible(text.replace("\r\n", "\n")).removesuffix("\n").split("\n"))


def _quoted(item: Evidence, *, around: bool) -> _Quoted:
    first = item.start_line if item.end_line else 0
    if not around or item.context is None:
        return _Quoted(item, shown_lines(item.text), first, around=False)
    shown = item.context
    lines = shown_lines(shown.text)
    first = shown.start_line if item.end_line else 0
    spans = shown.matches or (_itself(item),)
    found = frozenset(
        number
        for one in spans
        for number in range(max(one.start_line, first), min(one.end_line, shown.end_line) + 1)
    )
    extends = len(found) < len(lines)
    return _Quoted(item, lines, first, extends, found if extends and first else frozenset())


def _itself(item: Evidence) -> Match:
    return Match(item.citation, item.chunk_id, item.start_line, item.end_line)


def _block(quoted: _Quoted, count: int, numbered: bool, label: str) -> str:
    """Label and citation, title, address, section, and the first `count` lines in a fence."""
    item, shown = quoted.item, quoted.lines[:count]
    head = [f"{label} {one_line(item.citation)}"]
    if item.title and item.record_id is not None:  # of a file its path and section say enough
        head.append(f"Title: {one_line(item.title[:_MOST_TITLE])}")
    if item.url:
        head.append(f"URL: {one_line(item.url)}")
    if item.headings:
        head.append(f"Section: {one_line(' > '.join(item.headings))}")
    head += [f"Folder: {one_line(said)}" for said in item.descriptions]
    if item.recognised:
        head.append(f"Its text was {RECOGNISED}.")
    if item.truth == "moved":
        what = "lines" if item.page is None else "words"
        head.append(f"Its file has changed since it was indexed; these are its {what} now.")
    head += _spans(quoted)
    if count < len(quoted.lines):
        head.append(f"Cut: the first {count} of {len(quoted.lines)} lines.")
    numbers = quoted.first if numbered else 0
    return "\n".join([*head, fenced(number_lines(shown, numbers, quoted.found))])


def _spans(quoted: _Quoted) -> Sequence[str]:
    """Which lines are shown and which of them were found, where these are not the same."""
    item, context = quoted.item, quoted.item.context
    if item.page is not None and quoted.around and context is not None:
        return (f"Shown: {context.citation.rpartition('#')[2]}, with what stands around it.",)
    if not quoted.first or context is None:
        return ()
    if not quoted.around:
        others = [one for one in context.matches if one.chunk_id != item.chunk_id]
        if not others or len(quoted.lines) >= context.end_line - context.start_line + 1:
            return ()
        return (f"Also found in this file: {', '.join(_lines_of(one) for one in others)}.",)
    last = quoted.first + len(quoted.lines) - 1
    found = ", ".join(_runs(quoted.found)) or _run(item.start_line, item.end_line)
    return (f"Shown: lines {quoted.first}-{last}. Found: {found}.",)


def _lines_of(match: Match) -> str:
    return _run(match.start_line, match.end_line)


def _run(first: int, last: int) -> str:
    return str(first) if first == last else f"{first}-{last}"


def _runs(numbers: frozenset[int]) -> Sequence[str]:
    """Numbers that follow each other as `3-5`."""
    runs = groupby(enumerate(sorted(numbers)), lambda pair: pair[1] - pair[0])
    held = [[number for _, number in run] for _, run in runs]
    return [_run(one[0], one[-1]) for one in held]
