"""Turn sections into chunks: ids, and the lines and columns for citations."""

from __future__ import annotations

import hashlib
from bisect import bisect_right
from typing import TYPE_CHECKING
from urllib.parse import quote

from pincite.model import Chunk

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pincite.model import Attributes, Document, Section

NO_ATTRIBUTES: Attributes = {}
_MOST_SPACE = 500  # characters of kept white space between two chunks
_FRAGMENT = "!$&'()*+,;=:@/?~-._"  # RFC 3986, besides letters and digits


def chunks_of(
    document: Document, sections: Iterable[Section], inherited: Attributes = NO_ATTRIBUTES
) -> tuple[Chunk, ...]:
    """Return the chunks of these sections, in the same order. A chunk's own attributes override
    those of its document, and these override the `inherited` ones of the source.

    A chunk's id depends only on source name, path, content and span: indexing the same file again,
    in another collection or at another revision, gives the same id.
    """
    text = document.text
    starts = [0]
    position = text.find("\n")
    while position >= 0:
        starts.append(position + 1)
        position = text.find("\n", position + 1)
    common = {**inherited, **document.attributes}
    begun = _begun_id(document.source, document.path, document.content_hash)
    chunks = []
    end = 0
    for section in sections:
        space = _space(text, end, section.start, section.on_page is not None) if end else ""
        own_id = _ended_id(begun, section.start, section.end)
        chunks.append(_chunk(document, section, starts, common, space, own_id))
        end = section.end
    return tuple(chunks)


def chunk_id(source: str, path: str, content_hash: str, start: int, end: int) -> str:
    """Return 32 hex digits: BLAKE2b-128 over the fields, each followed by a zero byte."""
    return _ended_id(_begun_id(source, path, content_hash), start, end)


def _begun_id(*fields: str) -> hashlib.blake2b:
    joined = "".join(f"{field}\0" for field in fields)
    return hashlib.blake2b(joined.encode("utf-8", "surrogatepass"), digest_size=16)


def _ended_id(begun: hashlib.blake2b, start: int, end: int) -> str:
    """Return the id of a chunk. `begun` has read what all chunks of the document share."""
    whole = begun.copy()
    whole.update(b"%d\0%d\0" % (start, end))
    return whole.hexdigest()


def _space(text: str, end: int, start: int, on_page: bool) -> str:
    """Return the white space between two chunks. "" if it has only newlines, because line numbers
    tell their number; chunks on pages have no line numbers, so their newlines are kept."""
    between = text[end:start] if end < start <= end + _MOST_SPACE else ""
    return between if between.isspace() and (on_page or between.strip("\n")) else ""


def _chunk(
    document: Document,
    section: Section,
    starts: list[int],
    common: Attributes,
    space: str,
    own_id: str,
) -> Chunk:
    start, end, page = section.start, section.end, section.on_page
    first = last = 0
    start_column = end_column = None
    if page is None:  # extracted texts have no lines
        first, last, start_column, end_column = _lines(document.text, start, end, starts)
    return Chunk(  # by position: by name it takes twice as long
        own_id,
        document.source,
        document.ref,
        document.path,
        document.source_type,
        document.language,
        start,
        end,
        first,
        last,
        document.text[start:end],
        document.content_hash,
        document.title,
        section.headings,
        section.symbols,
        _address(document.url, section.anchor),
        start_column,
        end_column,
        section.plain,
        {**common, **section.attributes} if section.attributes else common,
        document.cited_in,
        space,
        page,
        section.named_values,
    )


def _lines(
    text: str, start: int, end: int, starts: list[int]
) -> tuple[int, int, int | None, int | None]:
    """Return the first and the last line of a span, and its first and last column; None for columns
    if the span has whole lines. All count from 1."""
    first, last = bisect_right(starts, start), bisect_right(starts, end - 1)
    line_start = starts[first - 1]
    if start == line_start and (end == len(text) or text.startswith(("\n", "\r\n"), end)):
        return first, last, None, None
    return first, last, start - line_start + 1, end - starts[last - 1]


def _address(url: str | None, anchor: str) -> str | None:
    if url is None or not anchor or "#" in url:
        return url
    return f"{url}#{quote(anchor, safe=_FRAGMENT)}"
