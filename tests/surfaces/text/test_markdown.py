"""Packs as Markdown: nothing that comes from a file is markup, and a citation can be copied."""

from __future__ import annotations

from collections.abc import Iterable

import pytest
from markdown_it import MarkdownIt

from pincite.citations.forms import forms
from pincite.model import AbsentTerms, Notice, Omitted
from pincite.surfaces.text.render import render
from tests.surfaces.conftest import Cli
from tests.surfaces.packs import pack, result, text_of

HOSTILE = [
    "[a](https://evil.example)",
    "![a](https://evil.example/a.png)",
    "<script>alert(1)</script>",
    "<https://evil.example>",
    "www.evil.example and a@evil.example",
    "`` `[a](b)` ```<img src=x>",
    "`[a](b)",
    "<a href='`'>`",
    "# a **b** | c",
    "a\\[b]",
    " a ",
    " ",
    "`",
]
#: What Markdown of ours consists of; links, pictures and HTML have other types.
OURS = {"text", "code_inline", "strong_open", "strong_close", "softbreak"}


def read(markdown: str) -> tuple[set[str], list[str]]:
    """The types of all parts within lines and blocks, and the texts of code spans and fences."""
    blocks = MarkdownIt().parse(markdown)
    parts = [part for block in blocks for part in block.children or ()]
    code = [part.content for part in parts if part.type == "code_inline"]
    fences = [block.content for block in blocks if block.type == "fence"]
    return {part.type for part in parts} | {b.type for b in blocks if b.type[:4] == "html"}, [
        *code,
        *fences,
    ]


def hostile_pack(text: str) -> Iterable[tuple[str, str]]:
    item = result(
        citation=text,
        headings=(text, text),
        descriptions=(text,),
        attributes={"course": text},
        url=text,
        start_char=0,
        end_char=9,
        text=text,
    )
    found = pack(
        item,
        query=text,
        omitted=(Omitted("stale", text, "main", text, text),),
        absent_terms=AbsentTerms((text,), ("other",)),
        warnings=(Notice("stale_omitted", text),),
    )
    yield "found", text_of(render(found, "md"))
    yield "below the bar", text_of(render(pack(level="none", closest=(item,)), "md"))


@pytest.mark.parametrize("text", HOSTILE)
def test_no_text_of_a_file_is_markup(text: str) -> None:
    for _, markdown in hostile_pack(text):
        types, code = read(markdown)
        assert types <= OURS
        if text.strip():
            assert text in code  # the citation, the address, the description, unchanged
            assert f"{text} > {text}" in code
            assert f"course={text}" in code
            assert f"{text}\n" in code


@pytest.mark.parametrize(
    "name",
    [
        "pages/[id]/[slug].tsx",
        "a\x07b.txt",
        "a`b.txt",
        "``a.txt",
        "a <b> & *c*.txt",
    ],
)
def test_a_citation_of_markdown_is_read_as_it_is_copied(cli: Cli, name: str) -> None:
    cli.write(f"notes/{name}", "a walrus sleeps on ice\n")
    cli("index", "notes", "--lexical")
    citation = cli.json("search", "walrus")["evidence"][0]["citation"]
    (heading,) = [
        line.removeprefix("## [1] ")
        for line in cli("search", "walrus", "-f", "md").stdout.split("\n")
        if line.startswith("## [1] ")
    ]
    inner = read(heading)[1][0]
    assert citation in forms(heading)
    for copied in (heading, inner):
        assert cli("get", copied).stdout == "a walrus sleeps on ice\n"
        assert cli.json("verify", copied, "--quote", "walrus sleeps")[0]["status"] == "fresh"
