"""Find the text of a citation in the current file, or warn that it may no longer be there."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from pincite.citations.current_file import document_at
from pincite.citations.lines_and_columns import (
    WHOLE,
    chars_of_lines,
    columns_at,
    find_former_text,
    named_lines,
)
from pincite.citations.pages import (
    Place,
    document_then,
    exact_place,
    find_page,
    page_words,
    place_in,
    place_of_chars,
)
from pincite.citations.passage import IndexedFile, reopened
from pincite.errors import PinciteError, UsageError
from pincite.model import Document
from pincite.model.citation import Citation
from pincite.model.pages import unit_of
from pincite.model.revisions import is_ambiguous, names_content, short_ref
from pincite.readers import content_hash_of, text_in
from pincite.sources import OpenSource
from pincite.support.fields import replace
from pincite.support.finding.ends import Part, part_of
from pincite.support.finding.find import Exact, Lines, find_chars, without_returns


@dataclass(frozen=True, slots=True)
class Followed:
    """The result of `follow`. `warning` is for the reader, "" if the cited place still has the
    cited text. `now` is the current place of that text, None if it is the cited one or unknown."""

    warning: str = ""
    now: Citation | None = None


def follow(
    known: IndexedFile, folder: Path | None, cited: Citation, indexed: Part | None
) -> Followed:
    """Return the place where the text of the cited revision is now. The text is read from the
    revision if that is available, else it is `indexed`, the text that the index has of it. Reads
    the source again."""
    try:
        with reopened(known, folder) as opened:
            return _follow(opened, known.path, cited, indexed)
    except PinciteError:
        return Followed()  # the source was readable a moment ago; nothing more is known


def _follow(opened: OpenSource, path: str, cited: Citation, indexed: Part | None) -> Followed:
    document, short = document_at(opened, path), short_ref(cited.ref)
    if document is None or names_content(cited.ref, document.content_hash):
        return Followed()
    raw = opened.read_at(cited.ref, path)
    if raw and content_hash_of(raw) == document.content_hash:
        return Followed()
    if is_ambiguous(cited.ref):
        said = "does not identify a content"
        return Followed(f"{short} {said}: the text is that of the file as it is now")
    then = indexed if raw is None else _text_then(opened, path, cited, document, raw)
    if cited.start_line is None and cited.start_char is None and cited.page is None:
        return Followed(f"the text has changed since {short} was cited")
    if then is None:
        said = "is not available" if raw is None else "has no such text"
        return Followed(f"{short} {said}: another text may be at this place now")
    return _found(document, cited, then)


def _text_then(
    opened: OpenSource, path: str, cited: Citation, document: Document, raw: bytes
) -> Part | None:
    """Return the text of the cited place in the cited revision, whose file has these bytes. None if
    the revision has no such file or place."""
    if not raw:
        return None
    if unit_of(document) is not None:
        then = document_then(opened, cited.ref, path)
        if then is None:
            return None
        try:
            place = exact_place(then, cited.page, cited.page_unit, cited.chars, cited.rows)
        except UsageError:
            return None
        return part_of(then.text, place.start, place.end)
    return _part_at(text_in(raw, opened.source, path)[0], cited)


def _part_at(text: str, cited: Citation) -> Part | None:
    if (chars := cited.chars) is None:
        lines = _lines_at(text, cited)
        chars = chars_of_lines(text, lines.start, lines.end, cited.columns)
    return None if chars is None else part_of(text, *chars)


def _lines_at(text: str, cited: Citation) -> Lines:
    """Return the cited lines, up to the last line of the text."""
    last = text.count("\n") + (not text.endswith("\n"))
    return Lines(cited.start_line or 1, min(cited.end_line or cited.start_line or 1, last))


def _found(document: Document, cited: Citation, then: Part) -> Followed:
    text, short = document.text, short_ref(cited.ref)
    nowhere = Followed(f"{short} has another text at this place, which is no longer in the file")
    if (chars := cited.chars) is not None or cited.page is not None:
        place = _place_of(document, cited, then)
        if place is None:
            return nowhere
        if chars is None and place == _place_at(document, cited):
            return Followed()
        now = replace(cited, start_char=place.start, end_char=place.end, page=place.page, rows=None)
        if unit_of(document) is None or place.page is None:
            now = replace(now, page=None, page_unit=None)
        there = page_words(document, place) or f"characters {place.start}-{place.end}"
        same = now.page == cited.page and cited.start_char == now.start_char
        return Followed() if same else Followed(_moved(short, f"at {there}"), now)
    near, columns = _lines_at(text, cited), cited.columns
    if not then.text.strip():
        here = _part_at(text, cited)
        same = here is not None and without_returns(here.text) == without_returns(then.text)
        return Followed("" if same else f"{short} has no words at this place")
    found = find_former_text(Exact(text), then.text, near, columns)
    if found is None:
        return nowhere
    if found == chars_of_lines(text, near.start, near.end, columns):
        return Followed()
    lines, (first, last) = columns_at(text, *found, columns)
    now = replace(cited, start_line=lines.start, end_line=lines.end)
    if columns == WHOLE:
        return Followed(_moved(short, f"in lines {lines.start}-{lines.end}"), now)
    now = replace(now, start_column=first, end_column=last)
    return Followed(_moved(short, f"at {named_lines(text, *found, columns)}"), now)


def _place_at(document: Document, cited: Citation) -> Place | None:
    with suppress(UsageError):
        return place_in(document, cited.page, cited.page_unit, cited.chars, cited.rows)
    return None


def _place_of(document: Document, cited: Citation, then: Part) -> Place | None:
    """Return the place of the text in an extracted document or a record, None if it is missing. If
    no characters are cited, the text is that of a whole page, or of rows."""
    if (chars := cited.chars) is None:
        return find_page(document, then.text, cited.page, cited.page_unit, cited.rows)
    start = find_chars(document.text, then.text, chars[0], then.ends)
    return None if start is None else place_of_chars(document, start, start + len(then.text))


def _moved(short: str, there: str) -> str:
    return f"the text that {short} has at the cited place is now {there}"
