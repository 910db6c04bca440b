"""The claimed text of a citation, and its comparison with a document."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from pincite.citations.current_file import CurrentFiles
from pincite.citations.lines_and_columns import chars_of_lines, misordered
from pincite.citations.pages import document_then, place_in
from pincite.citations.passage import IndexedFile, column_missing, lines_of, no_such_line, reopened
from pincite.errors import PinciteError, UsageError
from pincite.model import Chunk, Document
from pincite.model.citation import Citation
from pincite.model.pages import unit_of
from pincite.model.revisions import names_content, same_revision
from pincite.readers import text_in
from pincite.sources import OpenSource
from pincite.support.finding.code_letters import Escapes
from pincite.support.finding.ends import WORDS, Ends, part_of, words_at
from pincite.support.finding.word_ends import places


@dataclass(frozen=True, slots=True)
class ClaimedText:
    """The claim that a place in a file, a record or a page has this `text`, or, without a text, has
    this revision. `at` is the place and the revision; `known` is its file, also if `at` names none.
    A `quoted` text may be a part of the place; any other text is all of the place in the cited
    revision. `ends` are the ends that the text must have. `blank`: the place is known to have only
    white space there. `otherwise` says why the file is not indexed, for a file that the cited
    revision did not have either."""

    known: IndexedFile
    at: Citation
    text: str
    quoted: bool = False
    ends: Ends = WORDS
    blank: bool = False
    otherwise: str = ""


def escapes_of(document: Document) -> Escapes:
    """Return the kind of escapes that a document may have: "code" for strings in code and data,
    "roff", or "" for none."""
    if document.language == "roff":
        return "roff"
    return "" if document.source_type == "docs" else "code"


def text_then(opened: OpenSource, cited: ClaimedText, document: Document) -> str | None:
    """Return the text of the whole file in the cited revision. None if that is the current one, if
    it is not available, or if characters are cited."""
    if cited.at.chars is not None or is_revision(cited, document):
        return None
    raw = opened.read_at(cited.at.ref, cited.known.path)
    return None if raw is None else text_in(raw, opened.source, cited.known.path)[0]


def cited_chars(cited: ClaimedText, text: str) -> tuple[int, int] | None:
    """Return the characters of the cited lines and columns, those of the whole text if no lines are
    cited. None if the text does not have these lines or columns."""
    if cited.at.start_line is None:
        return 0, len(text)
    return chars_of_lines(text, *lines_cited(cited), cited.at.columns)


def lines_cited(cited: ClaimedText) -> tuple[int, int]:
    """Return the first and the last cited line; without cited lines, those of any text."""
    first, last = cited.at.start_line, cited.at.end_line
    if first is None:
        return 1, 10**9
    return first, first if last is None else last


def cited_text(cited: ClaimedText, text: str) -> str:
    chars = cited_chars(cited, text)
    return "" if chars is None else text[slice(*chars)]


def impossible(cited: ClaimedText, document: Document) -> str:
    """Return why the cited place is impossible: for a page, in the current document; for lines, in
    any text. "" if it is possible."""
    if cited.at.page is not None:
        try:
            place_in(document, cited.at.page, cited.at.page_unit, cited.at.chars, cited.at.rows)
        except UsageError as error:
            return error.message
    if cited.at.start_line is None:
        return ""
    start, end = lines_cited(cited)
    if start < 1:
        return no_such_line(cited.known.path, document.text, start)
    return misordered(start, end, cited.at.columns)


def outside(cited: ClaimedText, text: str) -> str:
    """Return why this text of the file lacks the cited lines or columns, "" if it has them."""
    if cited.at.start_line is None or cited.at.chars is not None:
        return ""
    start, end = lines_cited(cited)
    lines = lines_of(text)
    for line, column in zip((start, end), cited.at.columns, strict=True):
        if line > len(lines):
            return no_such_line(cited.known.path, text, line)
        size = len(lines[line - 1])
        if (column or 0) > size:
            return column_missing(cited.known.path, line, size, column or 0)
    return ""


def is_revision(cited: ClaimedText, document: Document) -> bool:
    """Return whether the current file has the cited revision, which may be abbreviated."""
    ref = cited.at.ref
    if names_content(ref, document.content_hash) or same_revision(ref, document.ref):
        return True
    as_indexed = document.content_hash == cited.known.content_hash
    return as_indexed and same_revision(ref, cited.known.ref)


def _alike(one: str, other: str) -> bool:
    """Return whether the texts are equal apart from white space."""
    return one.split() == other.split()


class JoinedChunks:
    """The text of all chunks of a document with normalised white space, and the boundaries of the
    chunks in it."""

    def __init__(self, chunks: Sequence[Chunk]) -> None:
        parts: list[str] = []
        self._begins, self._ends, size = set[int](), set[int](), 0
        last, stop = "", -1  # of the chunk before
        for chunk in sorted(chunks, key=lambda one: one.start):
            words = " ".join(chunk.text.split())
            if not words:
                continue
            if stop != chunk.start or last.isspace() or chunk.text[:1].isspace():
                parts.append(" ")
                size += 1
            parts.append(words)
            self._begins.add(size)
            size += len(words)
            self._ends.add(size)
            last, stop = chunk.text[-1:], chunk.end
        self._text = "".join(parts)

    def ends_of(self, quote: str) -> Ends | None:
        """Return the ends of a quote that is, apart from white space, exactly one chunk, or several
        consecutive ones: "any" where it begins or ends inside a word. None for other quotes. Takes
        time linear in the lengths of both; a quote that is longer or shorter than all of these
        chunks is not searched for."""
        wanted = " ".join(quote.split())
        size, found = len(wanted), None
        begins = {at for at in self._begins if at + size in self._ends}
        for at in places(self._text, wanted) if begins else ():
            if at in begins:
                ends = words_at(self._text, at, at + size)
                found = ends if found is None else found.looser(ends)
        return found


def ends_of_claim(cited: ClaimedText, folder: Path | None, files: CurrentFiles) -> Ends | None:
    """Return the ends of the text in the cited revision. None if it is not, apart from white space,
    exactly the text of the cited characters or columns there, or if that revision is not
    available."""
    path = cited.known.path
    with suppress(PinciteError), reopened(cited.known, folder) as opened:
        current = files.at(opened, cited.known.collection, path)
        if current is None:
            return None
        document = current.document
        is_now = is_revision(cited, document)
        if cited.at.chars is not None:
            then = document if is_now else document_then(opened, cited.at.ref, path)
            if then is None:
                return None
            text, chars = then.text, cited.at.chars
            if unit_of(then) is not None:
                place = place_in(then, cited.at.page, cited.at.page_unit, chars, cited.at.rows)
                chars = place.start, place.end
        elif any(cited.at.columns):
            raw = None if is_now else opened.read_at(cited.at.ref, path)
            if not (is_now or raw):
                return None
            text = text_in(raw, opened.source, path)[0] if raw else document.text
            chars = cited_chars(cited, text) or (0, 0)
        else:
            return None
        if _alike(text[slice(*chars)], cited.text):
            return part_of(text, *chars).ends
    return None
