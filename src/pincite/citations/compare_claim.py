"""Compare one claim with the current file."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypeGuard

from pincite.citations.claimed_text import (
    ClaimedText,
    cited_text,
    escapes_of,
    impossible,
    is_revision,
    outside,
    text_then,
)
from pincite.citations.compare_text import (
    ALL_CHANGED,
    compare_lines,
    compare_revision,
    find_now,
    has_text,
    other_revision,
)
from pincite.citations.current_file import (
    CitationStatus,
    CurrentFile,
    CurrentFiles,
    Renames,
    absent,
    status_of,
)
from pincite.citations.left_out import reason_now
from pincite.citations.pages import (
    Place,
    chars_of_quote,
    document_then,
    exact_place,
    find_page,
    no_lines,
    page_words,
    place_of_chars,
    words_of,
)
from pincite.citations.passage import reopened
from pincite.citations.resolve import not_named
from pincite.errors import PinciteError, StoreError, UsageError
from pincite.model import Document
from pincite.model.pages import unit_of
from pincite.model.revisions import (
    CONTENT_DIGITS,
    content_digits,
    is_ambiguous,
    names_content,
    same_revision,
    short_ref,
)
from pincite.readers import content_hash_of
from pincite.sources import OpenSource
from pincite.sources.entries import within_any
from pincite.support.fields import replace
from pincite.support.finding.ends import part_of
from pincite.support.finding.find import Lines, without_returns

#: Reasons to leave out a file with a name that is indexed, for its content.
_KINDS_NOT_INDEXED: Final = frozenset({"binary", "empty", "generated", "minified", "unsupported"})
_WITHOUT_TEXT: Final = frozenset({"binary", "empty"})


@dataclass(frozen=True, slots=True)
class Claim:
    """A citation or the #id of a chunk, and the quoted words, "" for none."""

    citation: str
    quote: str = ""


@dataclass(frozen=True, slots=True)
class ClaimCheck:
    """The verdict on a claim. `path` and the lines (from 1, inclusive) are the current place of its
    text; None if unknown. In a record, there are also characters (from 0, end exclusive); in an
    extracted document, `page` and characters instead of lines."""

    citation: str
    status: CitationStatus
    detail: str = ""
    path: str | None = None
    start_line: int | None = None
    end_line: int | None = None
    start_char: int | None = None
    end_char: int | None = None
    page: int | None = None


def compare_claim(
    claim: Claim,
    cited: ClaimedText,
    folder: Path | None,
    faults: bool,
    renames: Renames | None,
    files: CurrentFiles,
) -> ClaimCheck:
    """Return the verdict on a claim, from the current files of its source. Call it in a thread: a
    source may be in a database that does not answer. Without `renames`, no other file is named as
    the new place. `files` are those of one request; use them in one thread at a time."""
    try:
        with reopened(cited.known, folder) as opened:
            if not cited.known.content_hash:
                verdict = _not_indexed(claim, cited, opened, renames, files)
                if verdict is not None:
                    return verdict
            current = files.at(opened, cited.known.collection, cited.known.path)
            if current is None:
                return _gone(claim, cited, opened, cited.known.content_hash, renames, files)
            document = current.document
            if unit_of(document) is not None:
                return _compare_page(claim, cited, current, opened)
            if cited.blank:
                return _blank(claim, cited, document)
            if not cited.text.strip():
                if said := impossible(cited, document):
                    return ClaimCheck(claim.citation, "changed", said, cited.known.path)
                then = text_then(opened, cited, document)
                if then is not None:
                    if said := outside(cited, then):
                        return ClaimCheck(claim.citation, "changed", said, cited.known.path)
                    cited = replace(cited, text=cited_text(cited, then))
                    if not cited.text.strip():
                        return _blank(claim, cited, document)
    except StoreError as error:  # without its database, nothing is known of a source
        return unanswered(claim, cited, error, faults)
    except PinciteError as error:
        if not cited.known.content_hash:
            return _not_known(claim, cited)
        state = status_of(error, cited.known.record)
        return ClaimCheck(claim.citation, state, error.message, cited.known.path)
    if cited.at.chars is not None:
        return _compare_chars(claim, cited, current, *cited.at.chars)
    compare = compare_lines if cited.quoted or not cited.text.strip() else compare_revision
    status, detail, start, end = compare(cited, current)
    start_char, end_char = None, None
    if cited.known.record.source.kind == "records" and start and end and cited.text.strip():
        start_char, end_char = chars_of_quote(document.text, cited.text, Lines(start, end))
    return ClaimCheck(
        citation=claim.citation,
        status=status,
        detail=detail,
        path=cited.known.path,
        start_line=start,
        end_line=end,
        start_char=start_char,
        end_char=end_char,
    )


def _blank(claim: Claim, cited: ClaimedText, document: Document) -> ClaimCheck:
    """Return the verdict on lines or columns that have only white space in the cited revision. Such
    a text is not searched for elsewhere."""
    path, now = cited.known.path, cited_text(cited, document.text)
    same = without_returns(f"{now}\n") == without_returns(f"{cited.text}\n")
    if same and not outside(cited, document.text):
        return ClaimCheck(claim.citation, "fresh", "", path, cited.at.start_line, cited.at.end_line)
    said = f"{short_ref(cited.at.ref)} has no words at this place"
    return ClaimCheck(claim.citation, "changed", said, path)


def unanswered(claim: Claim, cited: ClaimedText, error: StoreError, faults: bool) -> ClaimCheck:
    """Return the verdict `unknown` for a store that is not available. Without `faults`, its error
    is left out: it may name files of a server."""
    if not faults:
        return ClaimCheck(claim.citation, "unknown")
    return ClaimCheck(claim.citation, "unknown", error.message, cited.known.path)


def _not_indexed(
    claim: Claim,
    cited: ClaimedText,
    opened: OpenSource,
    renames: Renames | None,
    files: CurrentFiles,
) -> ClaimCheck | None:
    """Return the verdict on a file that is not indexed, None if its text is to be compared. It is
    `unknown` unless the file would belong to the source, and the cited commit has it or the ref
    names a content. Then it is that of `_gone` if there is no such file now. A file on disk is only
    read if its content is of a kind that is not indexed, such as `binary`."""
    record, path = cited.known.record, cited.known.path
    may_be_one = (
        within_any(path, record.within) is not None
        and not (record.include or record.exclude)
        and not any(part.startswith(".") for part in path.split("/"))
    )
    hash_then = content_digits(cited.at.ref)
    raw = None
    if may_be_one and not (len(hash_then) >= CONTENT_DIGITS or is_ambiguous(cited.at.ref)):
        raw = opened.read_at(cited.at.ref, path)
        hash_then = content_hash_of(raw) if raw else ""
        may_be_one = bool(raw)
    if not may_be_one:
        return _not_known(claim, cited)
    if (entry := opened.find(path)) is None:
        status, _ = absent(opened, path)
        if status == "unknown":
            return _not_known(claim, cited)
        return _gone(claim, cited, opened, hash_then, renames, files)
    code, _ = reason_now(opened, path) or ("", "")
    if code not in _KINDS_NOT_INDEXED:
        return _not_known(claim, cited)
    if raw or claim.quote.strip():
        return None
    hash_now = content_hash_of(opened.read(entry)) if code in _WITHOUT_TEXT else ""
    if hash_now and not names_content(cited.at.ref, hash_now):
        return ClaimCheck(claim.citation, "changed", f"the file is {code}", path)
    return _not_known(claim, cited)


def _not_known(claim: Claim, cited: ClaimedText) -> ClaimCheck:
    said = cited.otherwise or not_named(claim.citation)
    return ClaimCheck(claim.citation, "unknown", said)


def _gone(
    claim: Claim,
    cited: ClaimedText,
    opened: OpenSource,
    content_hash: str,
    renames: Renames | None,
    files: CurrentFiles,
) -> ClaimCheck:
    """Return the verdict on a file that the source does not have now: `moved` if another file has
    its content. The hash may be abbreviated, or "" if it is unknown."""
    path, parts = cited.known.path, cited.known.record.within
    status, detail = absent(opened, path)
    there = None
    if renames is not None and status == "deleted" and content_hash:
        there = renames.to(opened, cited.known.collection, path, content_hash, parts)
    if there is None:
        return ClaimCheck(claim.citation, status, detail, path)
    said = f"now in {there}"
    current = files.at(opened, cited.known.collection, there)
    why = "" if current is None else _not_in(current, claim, cited)
    if why:
        return ClaimCheck(claim.citation, "changed", f"{why}, {said}", there)
    start_char, end_char = cited.at.chars or (None, None)
    return ClaimCheck(
        citation=claim.citation,
        status="moved",
        detail=said,
        path=there,
        start_line=cited.at.start_line,
        end_line=cited.at.end_line,
        start_char=start_char,
        end_char=end_char,
        page=cited.at.page,
    )


def _not_in(current: CurrentFile, claim: Claim, cited: ClaimedText) -> str:
    """Return the reason why a file with the cited content does not have the quote or the place, ""
    if it has it."""
    document = current.document
    if claim.quote.strip():
        escapes = escapes_of(document)
        found = current.words.find(claim.quote, Lines(1, 1), ends=cited.ends, escapes=escapes)
        return "" if found else "the text is not in the file"
    if unit_of(document) is None:
        return impossible(cited, document) or outside(cited, document.text)
    try:
        _exact_place(cited, document)
    except UsageError as error:
        return error.message
    return ""


def _compare_chars(
    claim: Claim, cited: ClaimedText, current: CurrentFile, start: int, end: int
) -> ClaimCheck:
    """Compare a claim about a record with the current record."""
    document = current.document
    path, text = cited.known.path, document.text
    if cited.text.strip():
        if cited.at.page is None and end <= len(text) and has_text(document, start, end, cited):
            return _in_record(claim, "fresh", "", path, _lines(text, start, end), (start, end))
        if (chars := find_now(current, start, cited)) is None:
            return ClaimCheck(claim.citation, "changed", "the text is not in the record", path)
        found = _lines(text, *chars)
        said = f"now in lines {found.start}-{found.end} of the record"
        return _in_record(claim, "moved", said, path, found, chars)
    if not same_revision(cited.at.ref, document.ref):
        said = f"the record now has revision {document.ref}: give the quote, or search again"
        return ClaimCheck(claim.citation, "unknown", said, path)
    if not start < end <= len(text):
        said = f"the record has {len(text):,} characters"
        return ClaimCheck(claim.citation, "changed", said, path)
    return _in_record(claim, "fresh", "", path, _lines(text, start, end), (start, end))


def _lines(text: str, start: int, end: int) -> Lines:
    """Return the lines that contain these characters."""
    return Lines(text.count("\n", 0, start) + 1, text.count("\n", 0, max(start, end - 1)) + 1)


def _in_record(
    claim: Claim,
    status: CitationStatus,
    detail: str,
    path: str,
    lines: Lines,
    chars: tuple[int, int],
) -> ClaimCheck:
    """Return a verdict with a place in a record: its lines and its characters."""
    return ClaimCheck(
        citation=claim.citation,
        status=status,
        detail=detail,
        path=path,
        start_line=lines.start,
        end_line=lines.end,
        start_char=chars[0],
        end_char=chars[1],
    )


def _compare_page(
    claim: Claim, cited: ClaimedText, current: CurrentFile, opened: OpenSource
) -> ClaimCheck:
    """Compare a claim about an extracted document with its current text."""
    document = current.document
    path, then = cited.known.path, None
    if not cited.text.strip():
        if cited.at.start_line and not cited.at.chars:
            return ClaimCheck(claim.citation, "unknown", no_lines(document).message, path)
        if not is_revision(cited, document):
            then = document_then(opened, cited.at.ref, path)
            if then is None:
                said = other_revision(cited, document)
                return ClaimCheck(claim.citation, "unknown", said, path)
        try:
            place = _exact_place(cited, then or document)
        except UsageError as error:
            return ClaimCheck(claim.citation, "changed", error.message, path)
        if then is None or not then.text[place.start : place.end].strip():
            return _at_place(claim, "fresh", "", path, place)
        part = part_of(then.text, place.start, place.end)
        cited = replace(cited, text=part.text, ends=part.ends)
    if not (cited.quoted or cited.at.chars):
        return _compare_pages(claim, cited, document)
    return _compare_words(claim, cited, current)


def _compare_pages(claim: Claim, cited: ClaimedText, document: Document) -> ClaimCheck:
    """Compare the text that the cited page or rows had in the cited revision with the current
    document."""
    path = cited.known.path
    found = find_page(document, cited.text, cited.at.page, cited.at.page_unit, cited.at.rows)
    if found is None:
        said = "the text is not in the file" if cited.at.page else ALL_CHANGED
        return ClaimCheck(claim.citation, "changed", said, path)
    if found == _place_now(cited, document):
        return _at_place(claim, "fresh", "", path, found)
    return _at_place(claim, "moved", f"now on {page_words(document, found)}", path, found)


def _compare_words(claim: Claim, cited: ClaimedText, current: CurrentFile) -> ClaimCheck:
    """Compare the claimed text with the current text of an extracted document."""
    document, path = current.document, cited.known.path

    def has(place: Place | None) -> TypeGuard[Place]:
        return place is not None and has_text(document, place.start, place.end, cited)

    if has(here := _place_now(cited, document)):
        return _at_place(claim, "fresh", "", path, here)
    there = place_of_chars(document, *cited.at.chars) if cited.at.chars else None
    if has(there) and there.page:
        # the citation has another page or other rows, or empty rows were added or removed
        return _at_place(claim, "moved", f"now {words_of(document, there)}", path, there)
    if (chars := find_now(current, cited.at.chars[0] if cited.at.chars else 0, cited)) is None:
        return ClaimCheck(claim.citation, "changed", "the text is not in the file", path)
    found = place_of_chars(document, *chars)
    named = page_words(document, found)
    said = f"now on {named}" if named else "now elsewhere in the file"
    return _at_place(claim, "moved", said, path, found)


def _place_now(cited: ClaimedText, document: Document) -> Place | None:
    """Return the cited place in the current document, None if it has no such place."""
    if cited.at.start_line and not cited.at.chars:
        return None
    try:
        return _exact_place(cited, document)
    except UsageError:
        return None


def _exact_place(cited: ClaimedText, document: Document) -> Place:
    return exact_place(document, cited.at.page, cited.at.page_unit, cited.at.chars, cited.at.rows)


def _at_place(
    claim: Claim, status: CitationStatus, detail: str, path: str, place: Place
) -> ClaimCheck:
    """Return a verdict with a place in an extracted document, which has no lines."""
    return ClaimCheck(
        citation=claim.citation,
        status=status,
        detail=detail,
        path=path,
        start_char=place.start,
        end_char=place.end,
        page=place.page,
    )
