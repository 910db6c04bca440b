"""Grow the shown text around a passage."""

from __future__ import annotations

from collections.abc import Callable

from pincite.stages.context.config import ContextConfig
from pincite.stages.context.document import DocumentChunks

#: The first and the last place of a range, both included.
Range = tuple[int, int]
#: Returns whether the chunk at a place may be shown with the passage.
Free = Callable[[int], bool]


def fits(document: DocumentChunks, reach: Range, config: ContextConfig, times: int = 1) -> bool:
    """Return whether a range is within `times` the budget."""
    if config.around == "unit":
        return document.tokens(*reach) <= times * config.max_tokens
    return document.characters(*reach) <= times * config.max_chars


def grown(document: DocumentChunks, place: int, free: Free, config: ContextConfig) -> Range:
    """Return the range to show for the chunk at a place: whole lines, or only that chunk."""
    if config.around == "unit":
        reach = _unit(document, place, free, config)
    else:
        reach = _near(document, place, free, config)
    first, last = reach
    while first < place and not document.begins_line(first):
        first += 1
    while last > place and not document.ends_line(last):
        last -= 1
    return (first, last) if whole_lines(document, (first, last)) else (place, place)


def whole_lines(document: DocumentChunks, reach: Range) -> bool:
    """Return whether a range begins and ends at line boundaries."""
    return document.begins_line(reach[0]) and document.ends_line(reach[1])


def _unit(document: DocumentChunks, place: int, free: Free, config: ContextConfig) -> Range:
    """Return the largest enclosing unit that fits, tried from the innermost outwards. If a unit
    does not fit, return its beginning and the nearest chunks while there is room."""
    headings = document.headings(place)
    reach = (place, place)
    for depth in range(len(headings), 0, -1):
        whole = _run(document, place, free, headings[:depth], config)
        if whole == reach:
            continue
        if not fits(document, whole, config):
            if _is_part(document, place, depth):
                reach = _towards(document, reach, whole, config)
            break
        reach = whole
    if document.lines(*reach) >= config.least_lines:
        return reach
    everything = _run(document, place, free, (), config)
    while document.lines(*reach) < config.least_lines:
        wider = _step(document, reach, everything, config)
        if wider == reach:
            break
        reach = wider
    return reach


def _is_part(document: DocumentChunks, place: int, depth: int) -> bool:
    """Return whether the chunk is a piece of a longer unit, rather than several whole units."""
    chunk = document.chunk(place)
    if chunk.source_type != "code" or depth != len(chunk.headings) or not chunk.definitions:
        return depth == len(chunk.headings)
    return chunk.headings[-1] in chunk.definitions


def _towards(document: DocumentChunks, reach: Range, whole: Range, config: ContextConfig) -> Range:
    head = (whole[0], reach[1])
    if fits(document, head, config):
        reach = head
    while True:
        wider = _step(document, reach, whole, config)
        if wider == reach:
            return reach
        reach = wider


def _step(document: DocumentChunks, reach: Range, whole: Range, config: ContextConfig) -> Range:
    """Return the range with one more chunk if there is room: the next one, else the one before."""
    first, last = reach
    for wider in ((first, last + 1), (first - 1, last)):
        if whole[0] <= wider[0] and wider[1] <= whole[1] and fits(document, wider, config):
            return wider
    return reach


def _run(
    document: DocumentChunks, place: int, free: Free, path: tuple[str, ...], config: ContextConfig
) -> Range:
    """Return the chunks around a place that can be shown as one text with it and lie below this
    path. Each side has at most one chunk more than there is room for."""

    def below(other: int) -> bool:
        return free(other) and document.headings(other)[: len(path)] == path

    first = last = place
    while fits(document, (first, place), config) and document.joined(first - 1):
        if not below(first - 1):
            break
        first -= 1
    while fits(document, (place, last), config) and document.joined(last) and below(last + 1):
        last += 1
    return first, last


def _near(document: DocumentChunks, place: int, free: Free, config: ContextConfig) -> Range:
    first = last = place
    headings = document.headings(place)

    def belongs(other: int) -> bool:
        if not free(other):
            return False
        if config.around == "neighbours":
            return abs(other - place) == 1
        return document.headings(other) == headings

    while True:
        near: list[tuple[int, Range]] = []
        if document.joined(last) and belongs(last + 1):
            near.append((last + 1 - place, (first, last + 1)))
        if document.joined(first - 1) and belongs(first - 1):
            near.append((place - first + 1, (first - 1, last)))
        wider = [one for one in near if fits(document, one[1], config)]
        if not wider:
            return first, last
        first, last = min(wider, key=lambda one: one[0])[1]
