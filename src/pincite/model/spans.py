"""Passages of one document as spans of its text: the text between them, and merging them."""

from __future__ import annotations

from pincite.model.attribute_types import Attributes
from pincite.model.chunks import Chunk
from pincite.model.citation import chars_of, cite
from pincite.model.evidence import Match
from pincite.support.fields import replace


def match_of(chunk: Chunk) -> Match:
    """Return a found passage as a mark within a larger context."""
    start_char, end_char = chars_of(chunk) or (None, None)
    return Match(cite(chunk), chunk.id, chunk.start_line, chunk.end_line, start_char, end_char)


def between(before: Chunk, after: Chunk) -> str | None:
    """Return the white space between two neighbours in the file. None if it is unknown, if they are
    on two pages, or if their attributes differ, because a search may have access to only one of
    them."""
    if before.content_hash != after.content_hash or _given(before) != _given(after):
        return None
    size = after.start - before.end
    if before.on_page is not None or after.on_page is not None:
        known = before.page == after.page and size == len(after.space_before)
        return after.space_before if known else None
    newlines = after.start_line - before.end_line - before.text.endswith("\n")
    if size == newlines >= 0:
        return "\n" * size
    return after.space_before if size == len(after.space_before) > 0 else None


def _given(chunk: Chunk) -> Attributes:
    """Return the attributes of a chunk without `visual`: a table belongs to the text of its page,
    whether or not a filter selects tables."""
    held = chunk.attributes
    if chunk.on_page is None or held.get("visual") is not chunk.visual:
        return held
    return {name: value for name, value in held.items() if name != "visual"}


def joined(before: Chunk, after: Chunk) -> Chunk | None:
    """Merge two spans that overlap or touch. The text is that of the file from the beginning of the
    first to the end of the last. `before` begins no later than `after`. None if that text is not
    known exactly, if their common parts differ, or if they are on two pages."""
    if not _same_document(before, after) or before.start > after.start:
        return None
    if after.start > before.end:
        space = between(before, after)
        text = None if space is None else f"{before.text}{space}{after.text}"
    else:
        text = _overlapped(before, after)
    if text is None:
        return None
    last = after if after.end > before.end else before
    return replace(
        before,
        text=text,
        end=last.end,
        end_line=last.end_line,
        end_column=last.end_column,
        plain=None,
    )


def _same_document(before: Chunk, after: Chunk) -> bool:
    """Return whether both belong to the same text, with known positions."""

    def place(one: Chunk) -> tuple[object, ...]:
        return one.repo, one.ref, one.path, one.content_hash, one.cited_in, one.page

    return (
        place(before) == place(after)
        and before.attributes == after.attributes
        and not (before.visual or after.visual)
        and all(one.end_line and one.end - one.start == len(one.text) for one in (before, after))
    )


def _overlapped(before: Chunk, after: Chunk) -> str | None:
    """Return the text of two spans, where the second begins within the first or directly after
    it."""
    offset = after.start - before.start
    common = min(before.end, after.end) - after.start
    lines = before.text.count("\n", 0, offset)
    if before.start_line + lines != after.start_line:
        return None
    if before.text[offset : offset + common] != after.text[:common]:
        return None
    return before.text + after.text[common:]
