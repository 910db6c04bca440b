"""Checks of citations and quotes against the files as they are now."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from pincite.citations.cited import (
    Cited,
    cited_lines,
    columns_are,
    escapes_of,
    impossible,
    is_passage,
    is_revision,
    outside,
    text_then,
    was_cited,
)
from pincite.citations.forms import Span, forms, spans
from pincite.citations.locate import (
    NotNamed,
    find_chunk,
    find_path,
    find_span,
    open_within,
    read_any,
    shortened,
)
from pincite.citations.pages import (
    Place,
    chars_of_quote,
    document_then,
    find_quote,
    no_lines,
    place_in,
    words_of,
)
from pincite.citations.reading import IndexedFile, lines_of, reopened
from pincite.citations.verify import CitationStatus, Renames, absent, document_at
from pincite.errors import PinciteError, StoreError, UsageError
from pincite.model import Attributes, Document
from pincite.model.citation import Citation, chars_of, parse_citation
from pincite.model.pages import rows_at, unit_of
from pincite.model.revisions import CONTENT_DIGITS, content_digits, is_ambiguous, same_revision
from pincite.ports import CollectionInfo, ReadableIndex
from pincite.readers import content_hash_of
from pincite.scope.tagged_index import TaggedIndex
from pincite.sources import OpenSource
from pincite.sources.entries import within_any
from pincite.support.arguments import require_kind, shown
from pincite.support.fields import replace
from pincite.support.finding.find import Lines, find_text, has_words

_ID = re.compile(r"[0-9a-f]{1,32}")
_LONGEST = 10_000  # characters of a citation; the path of a file has up to 4,096
_SHORTEST_ID = 8  # as `get` takes it; a shorter one may become another chunk's


@dataclass(frozen=True, slots=True)
class Claim:
    """A citation or the #id of a chunk, with the quoted words, if any."""

    citation: str
    quote: str = ""


@dataclass(frozen=True, slots=True)
class ClaimCheck:
    """What has become of a claim. `path` and lines (1-based, inclusive), in a record also the
    characters, are where its text is now, None where that cannot be said. In an extracted document
    the `page` and characters stand in place of lines."""

    citation: str
    status: CitationStatus
    detail: str = ""
    path: str | None = None
    start_line: int | None = None
    end_line: int | None = None
    start_char: int | None = None
    end_char: int | None = None
    page: int | None = None


def claims_of(given: str | Claim | Iterable[str | Claim]) -> tuple[Claim, ...]:
    """One or several claims; a text is a citation without a quote. Raises UsageError for anything
    else."""
    if isinstance(given, str | Claim):
        given = (given,)
    if not isinstance(given, Iterable):
        raise UsageError(f"claims is {shown(given)}; it takes citations or Claims")
    claims = tuple(Claim(one) if isinstance(one, str) else one for one in given)
    for one in claims:
        require_kind("claims", one, Claim, "citations or Claims")
    return claims


async def check(
    index: ReadableIndex,
    claims: Sequence[Claim],
    folder: Path | None = None,
    *,
    tags: Attributes = MappingProxyType({}),
    bounds: Attributes = MappingProxyType({}),
    collections: Sequence[str] = (),
    faults: bool = True,
) -> tuple[ClaimCheck, ...]:
    """One verdict per claim, in their order. Differences in white space do not count.

    `fresh`: the cited lines have the quote; without one, the file is that of the cited revision.
    `moved`: the quote is elsewhere in the file. `changed`: it is not in the file, or without a
    quote, the file has no such lines, columns or page. `deleted`: the file is gone. `moved` is
    also a file whose content another one has. `unknown`: it is not indexed, nor was it in the cited
    revision, or the file is of another revision, which is not at hand, and there is no quote.
    An id stands for the text of its chunk, the lines of a commit that git has for theirs. Records
    are in the index `folder`.
    What is not within `tags`, `bounds`, and `collections` where some are named, is not indexed.
    Without `faults`, the detail of a store that fails is left out, and the path with it.
    Raises UsageError for these, and TagsRequired.
    """
    within = await open_within(index, tags, collections, bounds)
    renames = None if within.narrowed else Renames()
    return tuple(
        [await _check_one(within, within.infos, one, folder, faults, renames) for one in claims]
    )


async def _check_one(
    index: TaggedIndex,
    infos: Sequence[CollectionInfo],
    claim: Claim,
    folder: Path | None,
    faults: bool,
    renames: Renames | None,
) -> ClaimCheck:
    if len(claim.citation) > _LONGEST:
        return ClaimCheck(claim.citation, "unknown", _no_file(claim))
    try:
        cited = await _resolve(index, infos, claim)
    except UsageError as error:
        return ClaimCheck(claim.citation, "unknown", error.message)
    cited = replace(cited, cut=not claim.quote.strip())

    def held(cited: Cited) -> ClaimCheck:
        return _held_against(claim, cited, folder, faults, renames)

    found = await asyncio.to_thread(held, cited)
    if found.status != "changed" or cited.cut:
        return found
    # A passage of the index may begin and end inside of a word, other quotes may not.
    known = cited.known
    try:
        chunks = await index.document(known.collection, known.record.source.name, known.path)
    except StoreError as error:
        chunks, found = (), _unanswered(claim, cited, error, faults)
    if is_passage(claim.quote, chunks) or await asyncio.to_thread(was_cited, cited, folder):
        return await asyncio.to_thread(held, replace(cited, cut=True))
    return found


def _unanswered(claim: Claim, cited: Cited, error: StoreError, faults: bool) -> ClaimCheck:
    """A store that is away says nothing of what is in it. Its error may name files of a server."""
    if not faults:
        return ClaimCheck(claim.citation, "unknown")
    return ClaimCheck(claim.citation, "unknown", error.message, cited.known.path)


def _held_against(
    claim: Claim, cited: Cited, folder: Path | None, faults: bool, renames: Renames | None
) -> ClaimCheck:
    """What is claimed, against what the source has now; for a thread, as a source may be in a
    database that does not answer. Without `renames` no other file may be named."""
    try:
        with reopened(cited.known, folder) as opened:
            if not cited.known.content_hash:
                return _gone_before(claim, cited, opened, renames)
            document = document_at(opened, cited.known.path)
            if document is None:
                return _gone(claim, cited, opened, cited.known.content_hash, renames)
            if unit_of(document) is not None:
                return _compare_page(claim, cited, document, opened)
            if not cited.text.strip():
                if said := impossible(cited, document):
                    return ClaimCheck(claim.citation, "changed", said, cited.known.path)
                then = text_then(opened, cited, document)
                if then is not None:
                    if said := outside(cited, then):
                        return ClaimCheck(claim.citation, "changed", said, cited.known.path)
                    cited = replace(cited, text=cited_lines(cited, then))
    except StoreError as error:  # a database that is away says nothing of what is in it
        return _unanswered(claim, cited, error, faults)
    except PinciteError as error:
        if not cited.known.content_hash:
            return ClaimCheck(claim.citation, "unknown", _no_file(claim))
        return ClaimCheck(claim.citation, "deleted", error.message, cited.known.path)
    if cited.chars is not None:
        return _compare_chars(claim, cited, document, *cited.chars)
    status, detail, start, end = _compare(cited, document)
    chars: tuple[int | None, int | None] = (None, None)
    if cited.known.record.source.kind == "records" and start and end and cited.text.strip():
        chars = chars_of_quote(document.text, cited.text, Lines(start, end))
    return ClaimCheck(claim.citation, status, detail, cited.known.path, start, end, *chars)


def _gone_before(
    claim: Claim, cited: Cited, opened: OpenSource, renames: Renames | None
) -> ClaimCheck:
    """A file that is not indexed, and must be where files are. Only what the cited commit has is
    looked at, not what is on disk, which nobody has indexed. The file of another ref is gone."""
    record, path = cited.known.record, cited.known.path
    may_be_one = (
        within_any(path, record.within) is not None
        and not (record.include or record.exclude)
        and not any(part.startswith(".") for part in path.split("/"))
        and opened.find(path) is None
        and opened.left_out(path) is None
    )
    digits = content_digits(cited.ref)
    if may_be_one and (len(digits) >= CONTENT_DIGITS or is_ambiguous(cited.ref)):
        return _gone(claim, cited, opened, digits, renames)
    raw = opened.read_at(cited.ref, path) if may_be_one else None
    if not raw:
        return ClaimCheck(claim.citation, "unknown", _no_file(claim))
    return _gone(claim, cited, opened, content_hash_of(raw), renames)


def _gone(
    claim: Claim, cited: Cited, opened: OpenSource, content_hash: str, renames: Renames | None
) -> ClaimCheck:
    """A file that the source does not have now: moved, where another one has its content. The hash
    may be the beginning of one, or "" if it is not known."""
    path, parts = cited.known.path, cited.known.record.within
    status, detail = absent(opened, path)
    there = None
    if renames is not None and status == "deleted" and content_hash:
        there = renames.to(opened, path, content_hash, parts)
    if there is None:
        return ClaimCheck(claim.citation, status, detail, path)
    said = f"now in {there}"
    document = document_at(opened, there) if claim.quote.strip() else None
    if document is not None and not find_text(
        document.text,
        claim.quote,
        Lines(1, 1),
        spaces="any",
        whole_words=not cited.cut,
        escapes=escapes_of(document),
    ):
        return ClaimCheck(claim.citation, "changed", f"the text is not in the file, {said}", there)
    lines = (cited.start_line, cited.end_line, *(cited.chars or (None, None)), cited.page)
    return ClaimCheck(claim.citation, "moved", said, there, *lines)


def _no_file(claim: Claim) -> str:
    return f"no indexed file is named {shortened(claim.citation)}"


async def _resolve(index: TaggedIndex, infos: Sequence[CollectionInfo], claim: Claim) -> Cited:
    async def of_span(span: Span) -> Cited:
        known, cited = await find_span(index, infos, span)
        ref = cited.ref if cited else span.ref
        if cited is not None and (cited.end_char is not None or cited.page is not None):
            return _of_chars(known, cited, claim)
        if span.page is not None:
            page = (span.chars, span.page, span.page_unit, span.rows)
            return Cited(known, None, None, ref, claim.quote, *page)
        return Cited(known, span.first, span.last or span.first, ref, claim.quote)

    async def as_written(form: str) -> Cited:
        return await _as_written(index, infos, replace(claim, citation=form))

    try:
        return await read_any(claim.citation, as_written, of_span)
    except NotNamed:
        if index.narrowed or (earlier := _no_longer(infos, claim)) is None:
            raise
        return earlier


async def _as_written(index: TaggedIndex, infos: Sequence[CollectionInfo], claim: Claim) -> Cited:
    citation = parse_citation(claim.citation)
    if citation is None:
        prefix = claim.citation.strip().removeprefix("#")
        if not _ID.fullmatch(prefix):
            said = f"{shortened(claim.citation)} is neither a citation nor an id"
            raise NotNamed(f"{said}, and no indexed file has that name")
        if len(prefix) < _SHORTEST_ID:
            raise NotNamed(
                f"{claim.citation!r} is neither a citation nor an id: give at least"
                f" {_SHORTEST_ID} digits of the id"
            )
        info, chunk = await find_chunk(index, infos, prefix)
        record = next(r for r in info.sources if r.source.name == chunk.repo)
        text = claim.quote or chunk.text
        known = IndexedFile(info.spec.name, record, chunk.path, chunk.ref, chunk.content_hash)
        lines = (chunk.start_line, chunk.end_line)
        return Cited(known, *lines, chunk.ref, text, chars_of(chunk))
    try:
        known = await find_path(index, infos, citation.place, citation.source)
    except NotNamed as error:  # `a.py:12-20` reads as a place in a source of the name `a.py`
        raise NotNamed(_no_file(claim)) from error
    return _cited_in(known, citation, claim)


def _cited_in(known: IndexedFile, cited: Citation, claim: Claim) -> Cited:
    if cited.end_char is not None or cited.page is not None:
        return _of_chars(known, cited, claim)
    lines = (cited.start_line, cited.end_line, cited.ref, claim.quote)
    return Cited(known, *lines, columns=(cited.start_column, cited.end_column))


def _no_longer(infos: Sequence[CollectionInfo], claim: Claim) -> Cited | None:
    """A citation of a file that is not indexed, if an earlier revision of its source may have had
    it."""
    for form in forms(claim.citation):
        with_lines = [(one.name, one) for one in spans(form) if one.first is not None]
        for name, span in ((form, None), *with_lines, (form, Span(form))):
            cited = parse_citation(name)
            if cited is None or not cited.ref:
                continue
            found = [
                IndexedFile(info.spec.name, record, cited.place, "", "")
                for info in infos
                for record in info.sources
                if record.source.name == cited.source and record.source.kind != "records"
            ]
            if len(found) != 1:
                continue
            whole = _cited_in(found[0], cited, claim)
            if span is None and whole.start_line is None and whole.page is None:
                continue  # the name may have lines in another form
            if span is None or span.first is None:
                return whole
            return replace(whole, start_line=span.first, end_line=span.last or span.first)
    return None


def _of_chars(known: IndexedFile, cited: Citation, claim: Claim) -> Cited:
    start, end = cited.start_char, cited.end_char
    chars = None if start is None or end is None else (start, end)
    place = (chars, cited.page, cited.page_unit, cited.rows)
    return Cited(known, None, None, cited.ref, claim.quote, *place)


def _other_revision(cited: Cited, document: Document) -> str:
    """Why nothing is known of the text of the cited revision."""
    if is_ambiguous(cited.ref):
        return f"{cited.ref} does not identify a content: give the quote, or search again"
    return f"the file now has revision {document.ref}: give the quote, or search again"


def _compare_chars(
    claim: Claim, cited: Cited, document: Document, start: int, end: int
) -> ClaimCheck:
    """What is claimed of a record, against the record as it is now."""
    path, text = cited.known.path, document.text
    if cited.text.strip():
        whole, escapes = not cited.cut, escapes_of(document)
        if has_words(text, start, end, cited.text, whole_words=whole, escapes=escapes):
            lines = text.count("\n", 0, start) + 1, text.count("\n", 0, max(start, end - 1)) + 1
            return ClaimCheck(claim.citation, "fresh", "", path, *lines, start, end)
        near = text.count("\n", 0, start) + 1
        there = Lines(near, near)
        found = find_text(text, cited.text, there, spaces="any", whole_words=whole, escapes=escapes)
        if found is None:
            return ClaimCheck(claim.citation, "changed", "the text is not in the record", path)
        said = f"now in lines {found.start}-{found.end} of the record"
        chars = chars_of_quote(text, cited.text, found)
        return ClaimCheck(claim.citation, "moved", said, path, found.start, found.end, *chars)
    if not same_revision(cited.ref, document.ref):
        said = f"the record now has revision {document.ref}: give the quote, or search again"
        return ClaimCheck(claim.citation, "unknown", said, path)
    if not start < end <= len(text):
        said = f"the record has {len(text):,} characters"
        return ClaimCheck(claim.citation, "changed", said, path)
    lines = text.count("\n", 0, start) + 1, text.count("\n", 0, end - 1) + 1
    return ClaimCheck(claim.citation, "fresh", "", path, *lines, start, end)


def _compare_page(claim: Claim, cited: Cited, document: Document, opened: OpenSource) -> ClaimCheck:
    """What is claimed of an extracted document, against its text as it is now."""
    path, text, unit = cited.known.path, document.text, unit_of(document)
    if cited.start_line and not cited.chars and not cited.text.strip():
        return ClaimCheck(claim.citation, "unknown", no_lines(document).message, path)
    as_cited = is_revision(cited, document)
    wanted, then = cited.text, None
    if not wanted.strip() and not as_cited:
        then = document_then(opened, cited.ref, path)
        if then is None:
            said = _other_revision(cited, document)
            return ClaimCheck(claim.citation, "unknown", said, path)
    try:
        place = place_in(*(then or document, cited.page, cited.page_unit, cited.chars, cited.rows))
    except UsageError as error:
        if not wanted.strip():
            return ClaimCheck(claim.citation, "changed", error.message, path)
        place = Place(0, 0, None)
    if then is not None:
        wanted = then.text[place.start : place.end]
    where = (path, None, None, place.start, place.end, place.page)
    if not wanted.strip():
        return ClaimCheck(claim.citation, "fresh", "", *where)
    if place.end and has_words(text, place.start, place.end, wanted, whole_words=not cited.cut):
        now = rows_at(document.elements, text, place.start, place.end)
        if cited.chars and cited.rows not in (None, now):  # rows without text were put in or out
            return ClaimCheck(claim.citation, "moved", f"now {words_of(document, place)}", *where)
        return ClaimCheck(claim.citation, "fresh", "", *where)
    found = find_quote(document, wanted, place.start, whole_words=not cited.cut)
    if found is None:
        return ClaimCheck(claim.citation, "changed", "the text is not in the file", path)
    said = f"now on {unit} {found.page}" if found.page else "now elsewhere in the file"
    place_now = (path, None, None, found.start, found.end, found.page)
    status: CitationStatus = "moved" if cited.chars or cited.page else "fresh"
    return ClaimCheck(claim.citation, status, said, *place_now)


_Verdict = tuple[CitationStatus, str, int | None, int | None]


def _compare(cited: Cited, document: Document) -> _Verdict:
    text = document.text
    lines = Lines(cited.start_line or 1, cited.end_line or len(lines_of(text)))
    if cited.text.strip():
        if any(cited.columns) and columns_are(cited, text):
            return "fresh", "", cited.start_line, cited.end_line
        whole, escapes = not cited.cut, escapes_of(document)
        found = find_text(text, cited.text, lines, spaces="any", whole_words=whole, escapes=escapes)
        if found is None:
            return "changed", "the text is not in the file", None, None
        if lines.start <= found.start and found.end <= lines.end:
            return "fresh", "", found.start, found.end
        return "moved", f"now lines {found.start}-{found.end}", found.start, found.end
    if not cited.ref:
        detail = "it names no revision to compare with: give the quote"
        return "unknown", detail, None, None
    if not is_revision(cited, document):
        return "unknown", _other_revision(cited, document), None, None
    if said := outside(cited, document.text):
        return "changed", said, None, None
    return "fresh", "", cited.start_line, cited.end_line
