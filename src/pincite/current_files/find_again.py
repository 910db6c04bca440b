"""Find a passage and its context again in a file that has changed."""

from __future__ import annotations

from pincite.model import Chunk, Context, Match
from pincite.model.citation import format_citation, parse_citation
from pincite.readers.titles import title_of
from pincite.support.fields import replace
from pincite.support.finding.find import Lines, find_span


def find_again(chunk: Chunk, text: str, ref: str, content_hash: str) -> Chunk | None:
    """Return the chunk at its place in the current `text` of its file, cited at this revision; None
    if the text no longer has it. Every character must match, but line ends may have been
    translated. A passage that began or ended with a line must still do so. Headings that the text
    no longer has are removed."""
    near = Lines(chunk.start_line, chunk.end_line)
    starts, ends = chunk.start_column is None, chunk.end_column is None
    span = find_span(text, chunk.text, near, starts_line=starts, ends_line=ends)
    return None if span is None else _at(chunk, text, span, ref, content_hash)


def _at(chunk: Chunk, text: str, span: tuple[int, int], ref: str, content_hash: str) -> Chunk:
    begin, end = span
    found = text[begin:end]
    start_line = text.count("\n", 0, begin) + 1
    first = text.rfind("\n", 0, begin) + 1
    last = text.rfind("\n", 0, end) + 1
    cut_behind = text[end : end + 2] not in ("", "\r\n") and text[end : end + 1] != "\n"
    headings = tuple(one for one in chunk.headings if one in text)
    same_place = headings == chunk.headings
    return replace(
        chunk,
        ref=ref,
        start=begin,
        end=end,
        start_line=start_line,
        end_line=start_line + found.count("\n"),
        start_column=begin - first + 1 if begin > first else None,
        end_column=end - last if cut_behind else None,
        text=found,
        content_hash=content_hash,
        title=title_of(text, chunk.path, chunk.language),
        headings=headings,
        url=chunk.url if same_place or not chunk.url else chunk.url.partition("#")[0],
    )


def around(context: Context | None, then: Chunk, now: Chunk, text: str) -> Context | None:
    """Return the context as the file has it now: the unchanged lines around the passage, without a
    gap, and the matches within them. None if only the passage itself is left."""
    if context is None:
        return None
    lines, shown = text.split("\n"), context.text.split("\n")
    if lines[-1] == "":
        lines.pop()  # the file ends with the newline before it
    by = now.start_line - then.start_line

    def stays(number: int) -> bool:
        """Return whether this line of the context is unchanged and has moved as the passage has."""
        place = number - context.start_line
        there = 0 <= place < len(shown) and 0 < number + by <= len(lines)
        return there and shown[place].rstrip() == lines[number + by - 1].rstrip()

    first, last = then.start_line, then.end_line
    while first > context.start_line and stays(first - 1):
        first -= 1
    while last < context.end_line and stays(last + 1):
        last += 1
    if (first, last) == (then.start_line, then.end_line):
        return None
    kept = [one for one in context.matches if first <= one.start_line and one.end_line <= last]
    return Context(
        first + by,
        last + by,
        "\n".join(lines[first + by - 1 : last + by]).removesuffix("\r"),
        _cited(context.citation, now.ref, first + by, last + by),
        tuple(_moved(one, now.ref, by) for one in kept),
    )


def at_ref(context: Context | None, ref: str) -> Context | None:
    """Return the context with its citations at another revision of the same content."""
    if context is None:
        return None
    return replace(
        context,
        citation=_cited(context.citation, ref, context.start_line, context.end_line),
        matches=tuple(_moved(one, ref, 0) for one in context.matches),
    )


def _moved(one: Match, ref: str, by: int) -> Match:
    start, end = one.start_line + by, one.end_line + by
    return replace(
        one, citation=_cited(one.citation, ref, start, end), start_line=start, end_line=end
    )


def _cited(citation: str, ref: str, start: int, end: int) -> str:
    """Return the citation with these lines and this revision; a text that is not a citation is
    unchanged."""
    parsed = parse_citation(citation) if citation else None
    if parsed is None:
        return citation
    return format_citation(replace(parsed, ref=ref, start_line=start, end_line=end))
