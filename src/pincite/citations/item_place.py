"""Check the place of an item of a pack: its citation and its fields must name the same possible
place, and its address must be the current one."""

from __future__ import annotations

from pincite.citations.check_item import Checked
from pincite.model import Evidence
from pincite.model.citation import (
    Citation,
    chars_of,
    format_citation,
    page_of,
    parse_citation,
)
from pincite.model.revisions import same_revision
from pincite.readers import url_for
from pincite.support.fields import replace


def not_checkable(item: Evidence) -> str:
    """Return why an item cannot be checked, "" if it can. Its fields say what is compared, and its
    citation is what a reader sees: both must name the same source, revision and place, which may be
    a path or an address. Lines, columns, pages and rows count from 1, characters from 0, and no end
    comes before its start."""
    if not item.path:
        return "its fields name no file"
    if not _is_possible(item):
        return f"no file has such a place: {format_citation(_citation(item, item.path))}"
    named = [format_citation(_citation(item, one)) for one in (item.path, item.url) if one]
    read = _read(item)
    if read is None or format_citation(read) not in named:
        return f"its citation names {item.citation}, and its fields name {named[0]}"
    return ""


def at_address(checked: Checked, item: Evidence, url_rule: str | None) -> Checked:
    """Return the result of a check, as `moved` if the item is cited by an address that the
    `url_rule` of its source no longer gives to its file. Results other than `fresh` and `moved` are
    not changed."""
    read = _read(item)
    if checked.status not in ("fresh", "moved") or read is None or read.place == item.path:
        return checked
    address = url_for(item.path, url_rule)
    if address and _page(read.place) == _page(address):
        return checked
    now = f"now at {address}" if address else f"{item.path} has no address now"
    detail = "; ".join(filter(None, (now, checked.detail)))
    return replace(checked, status="moved", detail=detail)


def _read(item: Evidence) -> Citation | None:
    read = parse_citation(item.citation)
    if read is not None and same_revision(read.ref, item.ref):
        read = replace(read, ref=item.ref)
    return read


def _page(address: str) -> str:
    return address.partition("#")[0]


def _citation(item: Evidence, place: str) -> Citation:
    chars, (page, unit) = chars_of(item), page_of(item)
    if chars is None:
        lines = (item.start_line, item.end_line, item.start_column, item.end_column)
        return Citation(item.repo, item.ref, place, *lines)
    rows = item.rows if page else None
    return Citation(item.repo, item.ref, place, None, None, None, None, *chars, page, unit, rows)


def _is_possible(item: Evidence) -> bool:
    chars = chars_of(item)
    if chars is not None:
        rows, page = item.rows or (1, 1), 1 if item.page is None else item.page
        return 0 <= chars[0] < chars[1] and page >= 1 and 1 <= rows[0] <= rows[1]
    first = 1 if item.start_column is None else item.start_column
    last = first if item.end_column is None else item.end_column
    if min(item.start_line, item.end_line, first, last) < 1:
        return False
    return item.start_line < item.end_line or (item.start_line == item.end_line and first <= last)
