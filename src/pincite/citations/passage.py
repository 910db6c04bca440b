"""Read the text of a citation from the current file."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from pincite.citations.current_file import document_at, why_not_read
from pincite.citations.pages import Place, no_lines, place_in, widened
from pincite.errors import SourceError, UsageError
from pincite.model import Document, DocumentRecord, PageUnit, SourceRecord
from pincite.model.citation import Citation, format_citation, parse_citation
from pincite.model.pages import rows_at, unit_of
from pincite.model.revisions import content_ref
from pincite.sources import OpenSource
from pincite.sources.reopening import reopen_source
from pincite.support.counted import counted
from pincite.support.fields import replace

_LONG_LINE = 2_000  # characters, about a screen  # guess, unmeasured


@dataclass(frozen=True, slots=True)
class Passage:
    """Lines of the current file (from 1, inclusive), or a part of them if the citation has columns.
    `citation` names this text. `changed`: the content of the file is not the indexed one.

    `newline`: a newline, which is not part of `text`, follows it in the file; `crlf`: this newline
    is "\\r\\n". `text.encode(encoding)` are the bytes of the text in the file.

    A passage of a record or an extracted document has the characters from `start_char` to
    `end_char` (from 0, end exclusive). In an extracted document, the lines are 0, and `page` is the
    number of the `page_unit` that contains all of the text, or None.

    `warning` is a message if the cited revision may have another text at the cited place, "" if
    not.
    """

    citation: str
    repo: str
    path: str
    start_line: int
    end_line: int
    text: str
    changed: bool
    encoding: str = "utf-8"
    newline: bool = True
    start_char: int | None = None
    end_char: int | None = None
    page: int | None = None
    page_unit: PageUnit | None = None
    crlf: bool = False
    warning: str = ""

    @property
    def raw(self) -> bytes:
        """Return the bytes of the passage in the file, with the newline after it."""
        end = ("\r\n" if self.crlf else "\n") if self.newline else ""
        return f"{self.text}{end}".encode(self.encoding)


@dataclass(frozen=True, slots=True)
class IndexedFile:
    """An indexed file: its collection, its source, and its path, revision and content hash at that
    time."""

    collection: str
    record: SourceRecord
    path: str
    ref: str
    content_hash: str


def indexed_file(collection: str, record: SourceRecord, known: DocumentRecord) -> IndexedFile:
    """Return the file of a document of a collection."""
    return IndexedFile(collection, record, known.path, known.ref, known.content_hash)


def reopened(known: IndexedFile, folder: Path | None = None) -> OpenSource:
    """Reopen the source of a file. A ref that was given for the file applies only to its indexed
    content. Raises SourceError."""
    opened = reopen_source(known.record, folder=folder, only_read=True)
    is_given = known.ref == known.record.source.ref
    opened.named = {known.path: known.content_hash} if is_given else {}
    return opened


def _document(known: IndexedFile, folder: Path | None) -> Document:
    record, path = known.record, known.path
    with reopened(known, folder) as opened:
        document = document_at(opened, path)
        left_out = opened.left_out(path) if document is None else None
    if left_out is not None:
        said = f"{path} was not read: {why_not_read(left_out)}"
        # no hint for an unreadable file: `pincite index` would remove its text
        raise SourceError(said, hint="" if left_out.cannot_be_read else "pincite index")
    if document is None:
        raise SourceError(f"{path} is no longer in {record.source.location}", hint="pincite index")
    return document


def _revision_of(known: IndexedFile, document: Document) -> str:
    """Return the revision of the current document. If the content of an archive has changed and its
    version has not, this is the content hash."""
    changed = document.content_hash != known.content_hash
    is_archive = known.record.source.kind in ("archive", "wheel")
    if changed and is_archive and document.ref == known.ref:
        return content_ref(document.content_hash)
    return document.ref


def read_cited(known: IndexedFile, folder: Path | None, cited: Citation, context: int) -> Passage:
    """Return the cited page, rows or characters of the current record or extracted document, with
    `context` lines before and after. Raises UsageError, SourceError."""
    document = _document(known, folder)
    chars = cited.chars
    if cited.page is not None or unit_of(document) is not None:
        place = place_in(document, cited.page, cited.page_unit, chars, cited.rows)
        return _of_pages(known, document, widened(document, place, context))
    text = document.text
    if chars is None or not 0 <= chars[0] < chars[1] or chars[0] >= len(text):
        raise UsageError(
            f"{known.path} has {len(text):,} characters: {cited.start_char} to {cited.end_char} is"
            " outside of them"
        )
    first, last = chars[0], min(chars[1], len(text))
    if context:
        first, last = _line_start(text, first, context), _line_end(text, last, context)
    return _passage(known, document, first, last)


def _of_pages(known: IndexedFile, document: Document, place: Place) -> Passage:
    """Return a passage of an extracted document."""
    changed = document.content_hash != known.content_hash
    name, ref = known.record.source.name, _revision_of(known, document)
    unit = unit_of(document) if place.page else None
    cited = Citation(
        source=name,
        ref=ref,
        place=known.path,
        start_char=place.start,
        end_char=place.end,
        page=place.page,
        page_unit=unit,
        rows=rows_at(document.elements, document.text, place.start, place.end) if unit else None,
    )
    text = document.text[place.start : place.end]
    return Passage(
        citation=format_citation(cited),
        repo=name,
        path=known.path,
        start_line=0,
        end_line=0,
        text=text,
        changed=changed,
        newline=False,
        start_char=place.start,
        end_char=place.end,
        page=place.page,
        page_unit=unit,
    )


def _line_start(text: str, position: int, above: int) -> int:
    for _ in range(above + 1):
        position = text.rfind("\n", 0, position)
        if position < 0:
            return 0
    return position + 1


def _line_end(text: str, position: int, below: int) -> int:
    position -= 1
    for _ in range(below + 1):
        position = text.find("\n", position + 1)
        if position < 0:
            return len(text)
    return position


def _passage(known: IndexedFile, document: Document, first: int, last: int) -> Passage:
    """Return a passage of a record: its characters, and the lines that contain them."""
    changed = document.content_hash != known.content_hash
    name, ref = known.record.source.name, _revision_of(known, document)
    cited = Citation(name, ref, known.path, start_char=first, end_char=last)
    return Passage(
        citation=format_citation(cited),
        repo=name,
        path=known.path,
        start_line=document.text.count("\n", 0, first) + 1,
        end_line=document.text.count("\n", 0, max(first, last - 1)) + 1,
        text=document.text[first:last],
        changed=changed,
        newline=False,
        start_char=first,
        end_char=last,
    )


def lines_of(text: str) -> list[str]:
    """Return the lines of a text. A newline at its end does not begin another line."""
    lines = text.split("\n")
    return lines[:-1] if lines[-1] == "" and len(lines) > 1 else lines


def no_such_line(path: str, text: str, line: int) -> str:
    """Return the message for a line that a text does not have."""
    return f"{path} has {counted(len(lines_of(text)), 'line')}: line {line} does not exist"


def read_lines(
    known: IndexedFile, start: int, end: int, context: int, folder: Path | None
) -> Passage:
    """Return the lines `start` to `end` (from 1, inclusive) of the current file, with `context`
    lines before and after; lines above the last one are left out. An extracted document can only be
    read as a whole. Raises UsageError, SourceError."""
    record, path = known.record, known.path
    document = _document(known, folder)
    if unit_of(document) is not None:
        if (start, end) != (1, 10**9):
            raise no_lines(document)
        return _of_pages(known, document, place_in(document, None, None, None))
    changed = document.content_hash != known.content_hash
    ref = _revision_of(known, document)
    lines = document.text.split("\n")
    count = len(lines_of(document.text))
    if start > count or start < 1:
        raise UsageError(no_such_line(path, document.text, start))
    last = min(end + context, count)
    start = max(1, start - context)
    last = max(start, last)
    if document.cited_in == "char":
        begin = sum(len(line) + 1 for line in lines[: start - 1])
        return _passage(known, document, begin, begin + len("\n".join(lines[start - 1 : last])))
    found = Passage(
        citation=format_citation(Citation(record.source.name, ref, path, start, last)),
        repo=record.source.name,
        path=path,
        start_line=start,
        end_line=last,
        text="",
        changed=changed,
        encoding=document.encoding,
    )
    return with_text(found, "\n".join(lines[start - 1 : last]), newline=last < len(lines))


def with_text(passage: Passage, text: str, *, newline: bool) -> Passage:
    """Return the passage with this text of lines. `newline`: a newline follows it; a carriage
    return before that newline is part of the line end."""
    crlf = newline and text.endswith("\r")
    return replace(passage, text=text[:-1] if crlf else text, newline=newline, crlf=crlf)


def read_columns(
    known: IndexedFile, folder: Path | None, cited: Citation, context: int = 0
) -> Passage:
    """Return the text of a citation with columns, or its whole lines if they no longer have such
    columns. With `context`, return whole lines, and this number of lines before and after; but
    context is left out if a line has more than 2,000 characters. Raises UsageError, SourceError."""
    start = 1 if cited.start_line is None else cited.start_line
    end = start if cited.end_line is None else cited.end_line
    lines = read_lines(known, start, end, 0, folder)
    if context and max(map(len, lines.text.split("\n"))) <= _LONG_LINE:
        return read_lines(known, start, end, context, folder)
    rows = f"{lines.text}\r".split("\n") if lines.crlf else lines.text.split("\n")
    first, last = cited.start_column or 0, cited.end_column or len(rows[-1])
    held = lines.start_line == start and lines.end_line == end and lines.start_char is None
    if not held or first > len(rows[0]) or last > len(rows[-1]):
        return lines
    rows[-1] = rows[-1][:last]
    rows[0] = rows[0][max(0, first - 1) :]
    if not (text := "\n".join(rows)):
        return lines
    cut = replace(cited, source=lines.repo, ref=_ref_of(lines), place=lines.path)
    whole = cited.end_column is None
    lines = replace(lines, citation=format_citation(cut))
    return with_text(lines, text, newline=lines.newline and whole)


def no_such_column(cited: Citation, passage: Passage) -> str:
    """Return the message for a cited column that the lines of a passage do not have, "" if they
    have all."""
    lines = passage.text.split("\n")
    ends = (cited.start_line, cited.start_column), (cited.end_line, cited.end_column)
    read = parse_citation(passage.citation)
    if read is None or read.start_line is None or read.start_column or read.end_column:
        return ""  # the passage has the columns
    for line, column in ends:
        at = -1 if line is None else line - read.start_line
        if column and 0 <= at < len(lines) and column > len(lines[at]):
            return column_missing(passage.path, line or 1, len(lines[at]), column)
    return ""


def column_missing(path: str, line: int, size: int, column: int) -> str:
    """Return the message for a column that a line of this size does not have."""
    said = counted(size, "character")
    return f"line {line} of {path} has {said}: column {column} does not exist"


def _ref_of(passage: Passage) -> str:
    read = parse_citation(passage.citation)
    return read.ref if read is not None else ""
