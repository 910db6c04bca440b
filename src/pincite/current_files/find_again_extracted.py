"""Find passages of extracted documents again in a file that has changed."""

from __future__ import annotations

from typing import Final

from pincite.current_files.verdicts import gone, unchecked
from pincite.errors import SourceError
from pincite.model import Chunk, Context, Match, Notice, Source
from pincite.model.citation import format_citation, parse_citation
from pincite.model.pages import page_of_span, rows_at
from pincite.ports import Quote, Seen
from pincite.readers.extraction.result import Extraction, reason_of
from pincite.readers.extraction.run import extract_soon
from pincite.readers.secrets import without_secrets
from pincite.support.fields import replace
from pincite.support.finding.ends import WORDS
from pincite.support.finding.find import find_chars
from pincite.support.terminal import one_line

#: Seconds that a search waits for the text of a file, whose extraction may take two minutes.
WAIT_S: Final = 0.8  # guess, unmeasured: less than the second that a look may take


def changed_file(quote: Quote, raw: bytes, ref: str, content_hash: str, source: Source) -> Seen:
    """Compare a quote with the text that is extracted again from the current bytes of its file, at
    this revision. If that takes longer than `WAIT_S`, the passage is unchecked."""
    path = quote.chunk.path
    try:
        found = extract_soon(path, raw, content_hash, WAIT_S, ocr=source.ocr)
    except SourceError as error:
        code, detail = reason_of(error)
        return gone(quote, "stale", f"its file has changed and cannot be read: {detail or code}")
    if found is None:
        said = (
            f"{one_line(path)} has changed and is still being read: its passages were not checked"
        )
        return unchecked(quote, Notice("source_not_answering", said))
    if source.mask_secrets:
        text, title = without_secrets(found.text, path), without_secrets(found.title, "")
        found = replace(found, text=text, title=title)
    chunk = _find_again(quote.chunk, found, ref, content_hash)
    if chunk is None:
        return gone(quote, "stale", "its text is no longer in the file")
    context = _around(quote.context, quote.chunk, chunk, found.text)
    return Seen(chunk, context, "moved")


def _find_again(chunk: Chunk, found: Extraction, ref: str, content_hash: str) -> Chunk | None:
    start = find_chars(found.text, chunk.text, chunk.start, WORDS)
    if start is None or chunk.on_page is None:
        return None
    end = start + len(chunk.text)
    page = page_of_span(found.pages, start, end)
    if page is None:
        return None
    box = _box_of(found, start, end)
    return replace(
        chunk,
        ref=ref,
        start=start,
        end=end,
        content_hash=content_hash,
        title=found.title or chunk.path.rpartition("/")[2],
        headings=tuple(one for one in chunk.headings if one in found.text),
        cited_in=found.unit,
        on_page=replace(
            chunk.on_page,
            number=page.number,
            box=box,
            recognised=page.recognised,
            rows=rows_at(found.elements, found.text, start, end),
        ),
    )


def _box_of(found: Extraction, start: int, end: int) -> tuple[float, float, float, float] | None:
    boxes = [one.box for one in found.elements if one.box and one.start < end and start < one.end]
    if not boxes:
        return None
    left, top, right, bottom = zip(*boxes, strict=True)
    return min(left), min(top), max(right), max(bottom)


def _around(context: Context | None, then: Chunk, now: Chunk, text: str) -> Context | None:
    """Return the context if all of it is still around the passage, else None."""
    before = context.text.find(then.text) if context else -1
    if context is None or before < 0:
        return None
    start = now.start - before
    if start < 0 or not text.startswith(context.text, start):
        return None
    by = now.start - then.start
    cited = _moved(context.citation, now, by)
    matches = tuple(_moved_match(one, now, by) for one in context.matches)
    return replace(context, citation=cited, matches=matches)


def _moved_match(one: Match, now: Chunk, by: int) -> Match:
    start, end = one.start_char, one.end_char
    if start is None or end is None:
        return one
    cited = _moved(one.citation, now, by)
    return replace(one, citation=cited, start_char=start + by, end_char=end + by)


def _moved(citation: str, now: Chunk, by: int) -> str:
    parsed = parse_citation(citation) if citation else None
    if parsed is None or parsed.start_char is None or parsed.end_char is None:
        return citation
    start, end = parsed.start_char + by, parsed.end_char + by
    there = replace(parsed, ref=now.ref, start_char=start, end_char=end, page=now.page)
    there = replace(there, rows=None)  # rows may have been inserted in the context
    return format_citation(there)
