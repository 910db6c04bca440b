"""Compare a claimed text with the current file: a quote, or the text of a revision."""

from __future__ import annotations

from pincite.citations.claimed_text import (
    ClaimedText,
    cited_chars,
    escapes_of,
    is_revision,
    lines_cited,
    outside,
)
from pincite.citations.current_file import CitationStatus, CurrentFile
from pincite.citations.lines_and_columns import (
    WHOLE,
    chars_of_lines,
    columns_at,
    find_former_text,
    named_lines,
)
from pincite.citations.pages import chars_of_quote
from pincite.model import Document
from pincite.model.revisions import is_ambiguous
from pincite.support.finding.ends import has_ends
from pincite.support.finding.find import Lines, find_chars, has_words, without_returns

ALL_CHANGED = "the text of the file has changed"
#: Status, detail, first and last line.
Verdict = tuple[CitationStatus, str, int | None, int | None]


def compare_lines(cited: ClaimedText, current: CurrentFile) -> Verdict:
    """Compare a quote, or only the revision, with the current file."""
    document, text = current.document, current.document.text
    lines = Lines(*lines_cited(cited))
    if cited.text.strip():
        ends, escapes = cited.ends, escapes_of(document)
        chars = cited_chars(cited, text) if cited.at.columns != WHOLE else None
        if chars and has_words(text, *chars, cited.text, ends=ends, escapes=escapes):
            return "fresh", "", cited.at.start_line, cited.at.end_line
        found = current.words.find(cited.text, lines, ends=ends, escapes=escapes)
        if found is None:
            return "changed", "the text is not in the file", None, None
        if cited.at.columns != WHOLE:
            there = named_lines(text, *chars_of_quote(text, cited.text, found), cited.at.columns)
            return "moved", f"now {there}", found.start, found.end
        if cited.at.page is None and lines.start <= found.start and found.end <= lines.end:
            return "fresh", "", found.start, found.end
        return "moved", f"now lines {found.start}-{found.end}", found.start, found.end
    if not cited.at.ref:
        if said := outside(cited, text):
            return "changed", said, None, None
        detail = "it names no revision to compare with: give the quote"
        return "unknown", detail, None, None
    if not is_revision(cited, document):
        return "unknown", other_revision(cited, document), None, None
    if said := outside(cited, document.text):
        return "changed", said, None, None
    return "fresh", "", cited.at.start_line, cited.at.end_line


def compare_revision(cited: ClaimedText, current: CurrentFile) -> Verdict:
    """Compare the text that the cited lines and columns had in the cited revision with the current
    file."""
    text, lines = current.document.text, Lines(*lines_cited(cited))
    if cited.at.start_line is None:
        same = without_returns(text) == without_returns(cited.text)
        return ("fresh", "", None, None) if same else ("changed", ALL_CHANGED, None, None)
    found = find_former_text(current.exact, cited.text, lines, cited.at.columns)
    if found is None:
        return "changed", "the text is not in the file", None, None
    now, _ = columns_at(text, *found)
    if found == chars_of_lines(current.exact, lines.start, lines.end, cited.at.columns):
        return "fresh", "", now.start, now.end
    there = f"lines {now.start}-{now.end}"
    if cited.at.columns != WHOLE:
        there = named_lines(text, *found, cited.at.columns)
    return "moved", f"now {there}", now.start, now.end


def has_text(document: Document, start: int, end: int, cited: ClaimedText) -> bool:
    """Return whether these characters contain the quote, or are exactly the claimed text if it is
    no quote."""
    text = document.text
    if cited.quoted:
        escapes = escapes_of(document)
        return has_words(text, start, end, cited.text, ends=cited.ends, escapes=escapes)
    return text[start:end] == cited.text and has_ends(text, start, end, cited.ends)


def find_now(current: CurrentFile, near: int, cited: ClaimedText) -> tuple[int, int] | None:
    """Return the current characters of the claimed text, None if it is missing: for a quote, those
    nearest to the line of the character `near`; otherwise those nearest to `near`."""
    text = current.document.text
    if cited.quoted:
        line = text.count("\n", 0, near) + 1
        escapes = escapes_of(current.document)
        found = current.words.find(cited.text, Lines(line, line), ends=cited.ends, escapes=escapes)
        return None if found is None else chars_of_quote(text, cited.text, found)
    start = find_chars(text, cited.text, near, cited.ends)
    return None if start is None else (start, start + len(cited.text))


def other_revision(cited: ClaimedText, document: Document) -> str:
    """Return the reason why the text of the cited revision is unknown."""
    if is_ambiguous(cited.at.ref):
        return f"{cited.at.ref} does not identify a content: give the quote, or search again"
    return f"the file now has revision {document.ref}: give the quote, or search again"
