"""Outlines of documents."""

from __future__ import annotations

from itertools import pairwise

import pytest

from pincite.model import OnPage
from pincite.model.outline import OUTLINE_VERSION
from pincite.model.spans import between
from pincite.support.fields import replace
from pincite.support.token_estimate import estimate_tokens
from tests.stages.context_files import cut_up, outline_of

TEXTS = {
    "a.md": "# One\n\nSome words.\n\n\n## Two\n\n- a list\n- of items\n\n### Three\n\nLast.\n" * 5,
    "b.md": "word " * 400 + "\r\n\r\nand more\t\n" + "x" * 900,
    "c.py": "import os\n\n\nclass A:\n    def b(self):\n        return 1\n\n    c = 2\n" * 6,
    "d.py": "",
}


@pytest.mark.parametrize("path", TEXTS)
def test_an_outline_has_what_is_shown_around_a_result(path: str) -> None:
    chunks = cut_up(TEXTS[path], path)
    outline = outline_of(chunks)
    if outline is None:
        assert not chunks
        return
    for place, chunk in enumerate(chunks):
        row = outline.chunk(place)
        assert (row.start, row.end) == (chunk.start, chunk.end)
        assert (row.first_line, row.last_line) == (chunk.start_line, chunk.end_line)
        assert row.tokens == estimate_tokens(chunk.text)
        assert outline.headings(row) == chunk.headings
        assert row.begins_inside == (chunk.start_column not in (None, 1))
        assert row.ends_inside == (chunk.end_column is not None)
        known = between(chunk, chunks[place + 1]) if place + 1 < len(chunks) else None
        assert outline.space_after(row) == known


def test_spaces_are_newlines_others_or_unknown() -> None:
    chunks = list(cut_up(TEXTS["a.md"])[:1])
    for space in ("\n\n", "\t \n", "", "\t \n", " "):
        before = chunks[-1]
        start, line = before.end + len(space), before.end_line + space.count("\n")
        after = replace(before, text="words", start=start, end=start + 5, space_before=space)
        chunks.append(replace(after, start_line=line, end_line=line))
    chunks.append(replace(chunks[-1], attributes={"course": "x"}, start=start + 5, end=start + 9))
    outline = outline_of(chunks)
    assert outline is not None
    spaces = [outline.space_after(outline.chunk(place)) for place in range(len(chunks))]
    known = [between(*pair) for pair in pairwise(chunks)]
    assert spaces == [*known, None]
    assert spaces == ["\n\n", "\t \n", "", "\t \n", " ", None, None]
    assert outline.other_spaces == ("\t \n", " ")


def test_documents_on_pages_have_none() -> None:
    chunks = cut_up(TEXTS["a.md"])
    on_page = [replace(one, on_page=OnPage(1)) for one in chunks]
    assert outline_of(chunks) is not None
    assert outline_of(on_page) is None
    assert outline_of([*chunks[:-1], on_page[-1]]) is None
    assert outline_of([replace(chunks[0], end=2**31)]) is None


def test_another_estimate_of_tokens_needs_another_version() -> None:
    """Stored outlines have estimates. Change these numbers only with the version."""
    texts = ("def getUserName(self):\n\treturn 12.5", "Ein Wörterbuch  und\n\n漢字 😀", "x" * 50)
    assert OUTLINE_VERSION == 1
    assert [estimate_tokens(one) for one in texts] == [19, 18, 30]
