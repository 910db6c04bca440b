"""Check one item of a pack against the current file, and against the cited revision."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from pincite.citations.current_file import CitationStatus, Renames, absent, document_at
from pincite.citations.item_context import around_now
from pincite.citations.lines_and_columns import WHOLE, chars_of_lines, ends_of_columns, named_lines
from pincite.citations.pages import chars_now, cited_then, ends_of_item, held_against, words_of
from pincite.model import Document, Evidence
from pincite.model.revisions import is_ambiguous, names_content, same_revision, short_ref
from pincite.ports import Readable
from pincite.readers import text_in
from pincite.sources import OpenSource
from pincite.support.fields import replace
from pincite.support.finding.ends import ANYWHERE
from pincite.support.finding.find import Lines, find_span, without_returns

RevisionState = Literal["confirmed", "refuted", "unknown"]


@dataclass(frozen=True, slots=True)
class Checked:
    """The result of checking one item of a pack. `number` and `citation` are those of the item.
    `start_line` and `end_line` (from 1, inclusive) are the current place of its text. In a record,
    there are also `start_char` and `end_char` (from 0, end exclusive); in an extracted document,
    these and `page` instead of lines. `revision`: whether the cited revision has the text at the
    cited place; `unknown` if that revision is not available."""

    number: int
    citation: str
    status: CitationStatus
    detail: str = ""
    start_line: int | None = None
    end_line: int | None = None
    revision: RevisionState = "unknown"
    start_char: int | None = None
    end_char: int | None = None
    page: int | None = None


def check_item(
    opened: OpenSource, item: Evidence, *, text_cut: bool = False, renames: Renames | None = None
) -> Checked:
    """Return the result of checking an item of a pack. Its status is one of:

    - `fresh`: the text is in the cited lines, and the cited revision does not contradict this;
    - `moved`: the text is elsewhere in the file, or the file is elsewhere in the source;
    - `changed`: the text is not in the file, or the cited revision has another text in the cited
      lines, or the context lines around the text are neither in that revision nor in the file;
    - `deleted`: the file no longer exists;
    - `unknown`: the file is left out of its source now.

    With `text_cut`, texts of items may be only the beginning of the cited text. With `renames`, a
    missing file is searched under other names. Raises SourceError.
    """
    document = document_at(opened, item.path)
    checked = _check_text(opened, document, item, text_cut=text_cut, renames=renames)
    if item.context is None or document is None or checked.status not in ("fresh", "moved"):
        return checked
    may_be_shown, said = around_now(item, document, _text_then(opened, item, document))
    status = checked.status if may_be_shown else "changed"
    return replace(checked, status=status, detail="; ".join(filter(None, (checked.detail, said))))


def _check_text(
    opened: OpenSource,
    document: Document | None,
    item: Evidence,
    *,
    text_cut: bool,
    renames: Renames | None,
) -> Checked:
    """Return the result of `check_item` without a check of the context lines."""
    if item.page is not None:
        return check_page(opened, document, item, text_cut=text_cut, renames=renames)
    if item.start_char is not None and item.end_char is not None:
        return check_chars(document, item, text_cut=text_cut)
    revision = _revision(opened, item, document, text_cut=text_cut)
    now = _now(opened, item, document, text_cut=text_cut, renames=renames)
    status, detail, start, end = now
    if revision == "refuted" and status in ("fresh", "moved"):
        detail = f"{short_ref(item.ref)} does not have this text at those lines"
        return Checked(item.number, item.citation, "changed", detail, start, end, revision)
    if revision == "confirmed" and status != "fresh":
        detail += f"; {short_ref(item.ref)} has it"
    elif document is not None and not same_revision(document.ref, item.ref):
        detail = "; ".join(filter(None, (detail, _now_at(document))))
    return Checked(item.number, item.citation, status, detail, start, end, revision)


async def check_stored(index: Readable, item: Evidence, *, text_cut: bool = False) -> Checked:
    """Return the result of checking an item of a collection whose sources are not indexed here. The
    best status is `unknown`: if the collection has the same text, the source may have another one.
    Raises StoreError, UsageError."""
    found = await index.load(item.collection, [item.chunk_id])
    if not found:
        return Checked(item.number, item.citation, "deleted", "the collection no longer has it")
    text = found[0].chunk.text
    if not (text.startswith(item.text) if text_cut else text == item.text):
        return Checked(item.number, item.citation, "changed", "the collection has a different text")
    said = f"the source is not indexed here; the collection {item.collection} has the same text"
    return Checked(item.number, item.citation, "unknown", said)


def check_chars(document: Document | None, item: Evidence, *, text_cut: bool) -> Checked:
    """Return the result of `check_item` for an item of a record, which is cited by characters. Only
    the current revision of a record is stored."""
    if document is None:
        return Checked(item.number, item.citation, "deleted", "the record is gone")
    as_cited = same_revision(item.ref, document.ref)
    ends = ANYWHERE if as_cited else ends_of_columns((item.start_column, item.end_column))
    chars = chars_now(document.text, item, text_cut=text_cut, ends=ends)
    holds = chars == (item.start_char, item.end_char)
    revision: RevisionState = "unknown"
    if as_cited:
        revision = "confirmed" if holds else "refuted"
    now = "" if as_cited else _now_at(document)
    if chars is None or (as_cited and not holds):
        missing = "the text is not in the record"
        said = missing if chars is None else "the record has a different text"
        detail = "; ".join(filter(None, (said, now)))
        return Checked(item.number, item.citation, "changed", detail, revision=revision)
    start, end = chars
    first = document.text.count("\n", 0, start) + 1
    said = "" if holds else f"now characters {start}-{end}"
    return Checked(
        number=item.number,
        citation=item.citation,
        status="fresh" if holds else "moved",
        detail="; ".join(filter(None, (said, now))),
        start_line=first,
        end_line=first + document.text.count("\n", start, end),
        revision=revision,
        start_char=start,
        end_char=end,
    )


def check_page(
    opened: OpenSource,
    document: Document | None,
    item: Evidence,
    *,
    text_cut: bool,
    renames: Renames | None,
) -> Checked:
    """Return the result of `check_item` for an item of an extracted document, which is cited by
    page and characters."""
    then = cited_then(opened, item, document)
    if opened.source.kind == "records":
        renames = None  # a record with the same text is another document
    revision: RevisionState = "unknown"
    if then is not None:
        revision = "confirmed" if held_against(then, item, text_cut=text_cut).there else "refuted"
    if document is None:
        state, said = _absent(opened, item, renames=renames)
        return Checked(item.number, item.citation, state, said, revision=revision)
    ends = ends_of_item(then, item)
    held = held_against(document, item, text_cut=text_cut, ends=ends)
    details = [] if same_revision(document.ref, item.ref) else [_now_at(document)]
    if held.place is None:
        details.insert(0, "the text is not in the file")
        detail = "; ".join(details)
        return Checked(item.number, item.citation, "changed", detail, revision=revision)
    status: CitationStatus = "fresh"
    if not held.there:
        status = "moved"
        details.insert(0, f"now {words_of(document, held.place)}")
    if revision == "refuted":
        status = "changed"
        details.insert(0, f"{short_ref(item.ref)} does not have this text there")
    return Checked(
        number=item.number,
        citation=item.citation,
        status=status,
        detail="; ".join(details),
        revision=revision,
        start_char=held.place.start,
        end_char=held.place.end,
        page=held.place.page,
    )


def _now_at(document: Document) -> str:
    return f"the revision is now {short_ref(document.ref)}"


def _now(
    opened: OpenSource,
    item: Evidence,
    document: Document | None,
    *,
    text_cut: bool,
    renames: Renames | None,
) -> tuple[CitationStatus, str, int | None, int | None]:
    if document is None:
        status, said = _absent(opened, item, renames=renames)
        lines = (item.start_line, item.end_line) if status == "moved" else (None, None)
        return status, said, *lines
    if _holds(document.text, item, text_cut=text_cut):
        return "fresh", "", item.start_line, item.end_line
    found = _find(document.text, item, text_cut=text_cut)
    if found is None:
        return "changed", "the text is not in the file", None, None
    start = document.text.count("\n", 0, found[0]) + 1
    end = start + document.text.count("\n", found[0], found[1] - 1)
    if text_cut:
        end = start + item.end_line - item.start_line
    elif (columns := (item.start_column, item.end_column)) != WHOLE:
        return "moved", f"now {named_lines(document.text, *found, columns)}", start, end
    return "moved", f"now lines {start}-{end}", start, end


def _absent(
    opened: OpenSource, item: Evidence, *, renames: Renames | None
) -> tuple[CitationStatus, str]:
    """Return the result of `absent`, or `moved` if another file has the content of this one."""
    status, said = absent(opened, item.path)
    path = None
    if renames is not None and status == "deleted":
        path = renames.to(opened, item.collection, item.path, item.content_hash)
    return ("moved", f"now in {path}") if path else (status, said)


def _revision(
    opened: OpenSource, item: Evidence, document: Document | None, *, text_cut: bool
) -> RevisionState:
    by_content = names_content(item.ref, item.content_hash) or is_ambiguous(item.ref)
    at_ref = document is not None and same_revision(document.ref, item.ref)
    if document is not None and (by_content or at_ref):
        if document.content_hash == item.content_hash:
            return "confirmed" if _holds(document.text, item, text_cut=text_cut) else "refuted"
        if at_ref and opened.source.kind in ("archive", "wheel"):
            return "refuted"
    raw = opened.read_at(item.ref, item.path)
    if raw is None:
        return "unknown"
    text = text_in(raw, opened.source, item.path)[0]
    return "confirmed" if _holds(text, item, text_cut=text_cut) else "refuted"


def _text_then(opened: OpenSource, item: Evidence, document: Document) -> str | None:
    """Return the text of the whole file in the cited revision, None if that is not available."""
    if item.page is not None:
        then = cited_then(opened, item, document)
        return None if then is None else then.text
    raw = opened.read_at(item.ref, item.path)
    return None if raw is None else text_in(raw, opened.source, item.path)[0]


def _holds(text: str, item: Evidence, *, text_cut: bool) -> bool:
    """Return whether the cited lines of a file have the text of the item. A checkout may have
    translated line ends."""
    columns = item.start_column, item.end_column
    chars = chars_of_lines(text, item.start_line, item.end_line, columns)
    if chars is None:
        return False
    cited = text[slice(*chars)]
    wanted = without_returns(item.text)
    if text_cut:
        return without_returns(cited).startswith(wanted)
    ends = (cited,) if item.end_column is not None else (cited, cited.removesuffix("\r"))
    return wanted in map(without_returns, ends)


def _find(text: str, item: Evidence, *, text_cut: bool) -> tuple[int, int] | None:
    """Return the current place of the text, as characters. If the item began or ended with whole
    lines, so does this place."""
    return find_span(
        text,
        item.text,
        Lines(item.start_line, item.end_line),
        starts_line=item.start_column is None,
        ends_line=item.end_column is None and not text_cut,
    )
