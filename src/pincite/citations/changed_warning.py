"""Warn that cited lines have a different text than in the cited revision."""

from __future__ import annotations

from pathlib import Path

from pincite.citations.current_file import document_at
from pincite.citations.passage import IndexedFile, Passage, lines_of, reopened
from pincite.errors import PinciteError
from pincite.model.citation import parse_citation
from pincite.model.pages import unit_of
from pincite.model.revisions import (
    content_digits,
    is_ambiguous,
    names_content,
    same_revision,
    short_ref,
)
from pincite.readers import content_hash_of, text_in
from pincite.sources import OpenSource
from pincite.support.fields import replace
from pincite.support.finding.find import Lines, find_text


def with_warning(
    passage: Passage, known: IndexedFile, folder: Path | None, ref: str, first: int, last: int
) -> Passage:
    """Return the passage with a warning if the cited revision `ref` has other text at the lines
    `first` to `last` (1-based, inclusive), or may have. Reads the source again unless it is that
    revision."""
    read = parse_citation(passage.citation)
    if not ref or read is None or same_revision(ref, read.ref):
        return passage
    if same_revision(ref, known.ref) and not passage.changed:
        return passage
    try:
        with reopened(known, folder) as opened:
            return replace(passage, warning=_since(opened, known.path, ref, Lines(first, last)))
    except PinciteError:
        return passage  # it was read a moment ago; nothing more can be said


def _since(opened: OpenSource, path: str, ref: str, lines: Lines) -> str:
    """Return the warning, "" if the text is still that of the revision."""
    document = document_at(opened, path)
    if document is None or names_content(ref, document.content_hash):
        return ""
    raw = opened.read_at(ref, path)
    if raw and content_hash_of(raw) == document.content_hash:
        return ""
    if is_ambiguous(ref):
        said = "does not identify a content"
        return f"{short_ref(ref)} {said}: the text is that of the file as it is now"
    if content_digits(ref) or (raw and unit_of(document) is not None):
        return f"the text has changed since {short_ref(ref)} was cited"
    if not raw:
        said = "is not at hand" if raw is None else "has no such file"
        return f"{short_ref(ref)} {said}: the text is that of the file as it is now"
    text = text_in(raw, opened.source, path)[0]
    then, now = (lines_of(one)[lines.start - 1 : lines.end] for one in (text, document.text))
    if _bare(then) == _bare(now):
        return ""
    found = find_text(document.text, "\n".join(then), lines, spaces="any")
    if found is None:
        return f"{short_ref(ref)} has another text at these lines"
    return f"the cited text is now in lines {found.start}-{found.end}"


def _bare(lines: list[str]) -> list[str]:
    """Return the lines without the carriage returns that a checkout may add."""
    return [one.removesuffix("\r") for one in lines]
