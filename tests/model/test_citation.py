"""Citations are read as they are written."""

from __future__ import annotations

import pytest

from pincite.model.citation import Citation, cite, parse_citation
from tests.builders import chunk


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("acme@c0ffee:a/b.py#L3-L9", ("acme", "c0ffee", "a/b.py", 3, 9)),
        ("acme@c0ffee:a/b.py#L3", ("acme", "c0ffee", "a/b.py", 3, 3)),
        ("acme@v1:a.py#L3C10-L9C2", ("acme", "v1", "a.py", 3, 9)),
        ("acme@v1:a.py", ("acme", "v1", "a.py", None, None)),
        (
            "google/adk@v1:https://x.org/a/#top",
            ("google/adk", "v1", "https://x.org/a/#top", None, None),
        ),
        (" acme@v1:a b.md#L1 ", ("acme", "v1", "a b.md", 1, 1)),
    ],
)
def test_a_citation_has_its_parts(text: str, parts: tuple[object, ...]) -> None:
    assert parse_citation(text) == Citation(*parts)  # type: ignore[arg-type]


@pytest.mark.parametrize("text", ["", "#0123abcd", "a/b.py:3:9", "a.py", "acme@v1"])
def test_what_is_no_citation_is_none(text: str) -> None:
    assert parse_citation(text) is None


def test_what_a_pack_cites_can_be_read() -> None:
    one = chunk("a", text="x\ny", start_line=4, end_line=5, start_column=3, end_column=1)
    read = parse_citation(cite(one))
    assert read == Citation("acme/docs", "c0ffee", "docs/a.md", 4, 5)
