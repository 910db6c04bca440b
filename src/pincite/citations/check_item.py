"""Checks of one item of a pack: in the files as they are, and in the revision it names."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from pincite.citations.current_file import CitationStatus, Renames, absent, document_at
from pincite.citations.item_context import around_now
from pincite.citations.lines_and_columns import WHOLE, chars_of_lines, named_lines
from pincite.citations.pages import chars_now, cited_then, held_against, words_of
from pincite.model import Document, Evidence
from pincite.model.revisions import is_ambiguous, names_content, same_revision, short_ref
from pincite.ports import Readable
from pincite.readers import text_in
from pincite.sources import OpenSource
from pincite.support.fields import replace
from pincite.support.finding.find import Lines, find_span, without_returns

RevisionState = Literal["confirmed", "refuted", "unknown"]


@dataclass(frozen=True, slots=True)
class Checked:
    """What has become of one item of a pack. `start_line` and `end_line` are where its text is
    now, in a record also `start_char` and `end_char`; in an extracted document these and its `page`
    stand in place of lines. `revision` says whether the cited revision
    has the text there; it is `unknown` where that revision is not at hand."""

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
    """`fresh`: the cited lines are the text, and the cited revision does not contradict it.
    `moved`: the text stands elsewhere in the file, or the file elsewhere in the source.
    `changed`: it is nowhere, or the cited revision has something else at those lines, or neither
    that nor the file has the lines that are shown around it.
    `deleted`: the file is gone. With `text_cut`, texts are beginnings. With `renames`, other
    files are looked at: it may have got another name. Raises SourceError.
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
    """As `check_item`, without the lines that are shown around it."""
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
        detail = "; ".join(filter(None, (detail, f"the revision is now {short_ref(document.ref)}")))
    return Checked(item.number, item.citation, status, detail, start, end, revision)


async def check_stored(index: Readable, item: Evidence, *, text_cut: bool = False) -> Checked:
    """What has become of an item of a collection whose sources are not indexed here. It is
    `unknown` at best: that the collection has the same text says nothing of the source. Raises
    StoreError, UsageError."""
    found = await index.load(item.collection, [item.chunk_id])
    if not found:
        return Checked(item.number, item.citation, "deleted", "the collection no longer has it")
    text = found[0].chunk.text
    if not (text.startswith(item.text) if text_cut else text == item.text):
        return Checked(item.number, item.citation, "changed", "the collection has a different text")
    said = f"the source is not indexed here; the collection {item.collection} has the same text"
    return Checked(item.number, item.citation, "unknown", said)


def check_chars(document: Document | None, item: Evidence, *, text_cut: bool) -> Checked:
    """As `check_item`, of a record: by characters; only its current revision is kept."""
    if document is None:
        return Checked(item.number, item.citation, "deleted", "the record is gone")
    chars = chars_now(document.text, item, text_cut=text_cut)
    holds = chars == (item.start_char, item.end_char)
    as_cited = same_revision(item.ref, document.ref)
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
    """As `check_item`, of an extracted document: by page and characters of its text."""
    then = cited_then(opened, item, document)
    if opened.source.kind == "records":
        renames = None  # the same text in another record is another document
    revision: RevisionState = "unknown"
    if then is not None:
        revision = "confirmed" if held_against(then, item, text_cut=text_cut).there else "refuted"
    if document is None:
        state, said = _absent(opened, item, renames=renames)
        return Checked(item.number, item.citation, state, said, revision=revision)
    held = held_against(document, item, text_cut=text_cut)
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
    """As `absent`, or where the file has been moved to."""
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
    """The whole text of the cited revision, None where that is not at hand."""
    if item.page is not None:
        then = cited_then(opened, item, document)
        return None if then is None else then.text
    raw = opened.read_at(item.ref, item.path)
    return None if raw is None else text_in(raw, opened.source, item.path)[0]


def _holds(text: str, item: Evidence, *, text_cut: bool) -> bool:
    """Are the cited lines the text? A checkout may have translated line ends."""
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
    """Where the text is now. What began or ended with a line must do so still."""
    return find_span(
        text,
        item.text,
        Lines(item.start_line, item.end_line),
        starts_line=item.start_column is None,
        ends_line=item.end_column is None and not text_cut,
    )
