"""Passages for language models: numbered, cited, each in a fence that its text cannot close."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import groupby
from typing import Final, Literal

import msgspec

from pincite.model.evidence import RECOGNISED, Evidence, Match
from pincite.support.fences import fence_for
from pincite.support.terminal import one_line, visible_passage
from pincite.support.token_estimate import estimate_tokens

BETWEEN = "\n\n"
_BETWEEN_TOKENS = estimate_tokens(BETWEEN)
_MOST_TITLE = 200  # characters; guess, unmeasured
_FOUND = "> "  # after the number of a found line, if other lines are shown around it
_PLAIN = "  "


class _Quoted(msgspec.Struct, frozen=True):
    """The quoted lines of an item, the number of the first one (0 if unknown), and the numbers of
    the found lines, empty if all were found."""

    item: Evidence
    lines: tuple[str, ...]
    first: int
    around: bool
    found: frozenset[int] = frozenset()


def cost_of(part: str) -> int:
    """Return a high estimate of the tokens of a part, with the blank line before or after it."""
    return estimate_tokens(part) + _BETWEEN_TOKENS


def fitting_block(
    item: Evidence, tokens: int, *, numbered: bool, cut: bool, label: str = ""
) -> str:
    """Return the text of `fit_block`."""
    return fit_block(item, tokens, numbered=numbered, cut=cut, label=label).text


class Fitted(msgspec.Struct, frozen=True):
    """The block of an item, empty if nothing fits, and its form: the passage with its context
    (`whole`), without it (`alone`), or only its first lines (`cut`)."""

    text: str
    part: Literal["whole", "alone", "cut"] = "whole"


NOTHING: Final = Fitted("")  #: no item fits


def fit_block(
    item: Evidence,
    tokens: int,
    *,
    numbered: bool,
    cut: bool,
    label: str = "",
    cost: Callable[[str], int] = cost_of,
) -> Fitted:
    """Fit an item into `tokens`: with its context, else without it, else, if `cut` is set, its
    first lines. The block is empty if nothing fits. `label` is the text before the citation, by
    default its number. `cost` counts the tokens of a part with its blank line."""
    whole = [_quoted(item, around=False)]
    if item.context:
        whole.insert(0, _quoted(item, around=True))
    named = label or f"[{item.number}]"
    for quoted in whole:
        block = _block(quoted, len(quoted.lines), numbered, named)
        if cost(block) <= tokens:
            return Fitted(block, "whole" if quoted is whole[0] else "alone")
    if not cut:
        return NOTHING
    alone = whole[-1]
    low, high = 0, len(alone.lines) - 1  # `low` lines fit, up to `high` may fit
    while low < high:
        middle = (low + high + 1) // 2
        fits = cost(_block(alone, middle, numbered, named)) <= tokens
        low, high = (middle, high) if fits else (low, middle - 1)
    return Fitted(_block(alone, low, numbered, named) if low else "", "cut")


def least_block(item: Evidence, *, numbered: bool) -> str:
    """Return the block of an item with its first line only."""
    return _block(_quoted(item, around=False), 1, numbered, f"[{item.number}]")


def number_lines(
    lines: Sequence[str], first: int, found: frozenset[int] = frozenset()
) -> Sequence[str]:
    """Return the lines with their numbers in the file, from `first`; unchanged if `first` is 0. A
    `>` follows the numbers in `found`."""
    if not first:
        return lines
    width = len(str(first + len(lines) - 1))
    return [
        f"{number:>{width}}{_FOUND if number in found else _PLAIN}{line}"
        for number, line in enumerate(lines, first)
    ]


def fenced(lines: Sequence[str]) -> str:
    """Return the lines in a fence that none of them can close."""
    fence = fence_for(*lines)
    return "\n".join([fence, *lines, fence])


def shown_lines(text: str) -> tuple[str, ...]:
    """Return the lines of a text, without terminal controls and invisible characters."""
    return tuple(visible_passage(text).removesuffix("\n").split("\n"))


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
    """Return label and citation, title, address, section, and the first `count` lines in a
    fence."""
    item, shown = quoted.item, quoted.lines[:count]
    head = [f"{label} {one_line(item.citation)}"]
    if item.title and item.record_id is not None:  # a file has its path and section
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
    """Return a line with the numbers of the shown and the found lines, if they differ."""
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
    """Return ranges such as `3-5` for consecutive numbers."""
    runs = groupby(enumerate(sorted(numbers)), lambda pair: pair[1] - pair[0])
    held = [[number for _, number in run] for _, run in runs]
    return [_run(one[0], one[-1]) for one in held]
