"""Whatever ends the lines of a file, a passage of it is found where it is."""

from __future__ import annotations

import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pincite.chunkers.chunks import chunks_of
from pincite.chunkers.lines import Lines
from pincite.citations.check_item import Checked, check_item
from pincite.current_files.find_again import find_again
from pincite.model import Chunk, Document, Section
from pincite.model.citation import cite
from pincite.model.revisions import content_ref
from pincite.sources import SourceLimits, open_source
from tests.answering.evidence import evidence
from tests.quick_folder import quick_folder

# no line ends with a carriage return: before a newline it would become part of the line's end
_LINE = st.text("ab\r \f\x0b\x85\u2028", max_size=4).map(lambda line: line.rstrip("\r"))
_LINES = st.lists(_LINE, min_size=1, max_size=6)


def document_of(text: str) -> Document:
    digest = hashlib.sha256(text.encode()).hexdigest()
    return Document(
        *("notes", content_ref(digest), "a.txt", text, "utf-8", digest, "docs", "text"), title="a"
    )


def passage_of(text: str, first: int, last: int) -> Chunk | None:
    """The lines from `first` to before `last`, counted from 0, as chunkers cut them."""
    lines = Lines(text)
    first, last = lines.trim(min(first, len(lines)), min(last, len(lines)))
    if first == last:
        return None
    (made,) = chunks_of(document_of(text), [Section(lines.starts[first], lines.end_of(last - 1))])
    return made


def checked(one: Chunk, text: str) -> Checked:
    """What `verify` says of the passage when the file has this text."""
    known = ("repo", "ref", "path", "content_hash", "start_line", "end_line")
    columns = ("start_column", "end_column")
    fields = {name: getattr(one, name) for name in (*known, *columns)}
    item = evidence(one.text, citation=cite(one), **fields)
    with quick_folder() as folder:
        (folder / one.path).write_bytes(text.encode())
        with open_source(folder, name=one.repo, limits=SourceLimits()) as opened:
            return check_item(opened, item)


@given(_LINES, st.lists(st.sampled_from(["\n", "\r\n"]), min_size=6), st.booleans(), st.data())
def test_a_passage_is_fresh_in_its_file_and_in_one_with_translated_line_ends(
    lines: list[str], ends: list[str], ended: bool, data: st.DataObject
) -> None:
    text = "".join(f"{line}{end}" for line, end in zip(lines, ends, strict=False))
    text = text if ended else text.removesuffix("\n")
    first = data.draw(st.integers(0, len(lines)))
    one = passage_of(text, first, data.draw(st.integers(first, len(lines))))
    if one is None:
        return
    now = checked(one, text)
    assert (now.status, now.revision) == ("fresh", "confirmed"), one
    plain = text.replace("\r\n", "\n")
    for other in (plain, plain.replace("\n", "\r\n")):
        assert checked(one, other).status == "fresh", one
        found = find_again(one, other, "ref", "f" * 64)
        assert found is not None
        assert other[found.start : found.end] == found.text
        moved = find_again(one, f"above\n{other}", "ref", "f" * 64)
        assert moved is not None
        if found.start_line == one.start_line:  # the same words may be as near, or nearer, now
            assert abs(moved.start_line - one.start_line) <= 1


@pytest.mark.parametrize(
    "text",
    [
        "# Keys\rRotate them.\r",  # as on a Mac of old
        "progress 1%\rprogress 2%\r\ndone\r\n",
        "one\r\r\ntwo\r\r\n",
        "one\r\ntwo\r",
    ],
)
def test_a_carriage_return_that_ends_no_line_is_a_character(text: str) -> None:
    one = passage_of(text, 0, 9)
    assert one is not None
    now = checked(one, text)
    assert (now.status, now.revision) == ("fresh", "confirmed")
    assert checked(one, f"above\n{text}").status == "moved"
    assert checked(one, text.replace("o", "0")).status == "changed"


def test_mixed_line_ends_are_found_where_all_are_alike_now() -> None:
    one = passage_of("a\r\nb\nc\r\nd\n", 0, 3)
    assert one is not None
    for end in ("\n", "\r\n"):
        text = end.join(["x", "a", "b", "c", "d", ""])
        found = find_again(one, text, "ref", "f" * 64)
        assert found is not None
        assert (found.start_line, found.end_line) == (2, 4)
        assert found.text == end.join("abc")
        assert (found.start_column, found.end_column) == (None, None)
        now = checked(one, text)
        assert (now.status, now.start_line, now.end_line) == ("moved", 2, 4)
