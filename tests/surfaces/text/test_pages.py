"""Passages of extracted documents are shown by page, and never with a line number."""

from __future__ import annotations

from typing import Any

import pytest

from pincite.evals.golden.questions import Expected
from pincite.evals.golden.targets import counts_for, named_path
from pincite.model import Context, Evidence, OnPage
from pincite.surfaces.text.render import null_files, render
from pincite.surfaces.text.table import Look, table
from tests.builders import chunk
from tests.readers.pdf.files import typeset
from tests.surfaces.conftest import Cli
from tests.surfaces.packs import pack, result, text_of

BOOK = """#set page(width: 400pt, height: 500pt)
Nothing of it stands on this first page.
#pagebreak()
Every ocelot of the archive is sleeping.
"""
SHOWN = "Keys\n\nTo rotate a key, ask.\n\nThen wait."


def paged(**values: Any) -> Evidence:
    """A passage of page 3, in the middle of what is shown of it."""
    fields: dict[str, Any] = {
        "citation": "acme@c0ffee:keys.pdf#page=3&char=106,128",
        "text": "To rotate a key, ask.",
        "start_line": 0,
        "end_line": 0,
        "start_char": 106,
        "end_char": 128,
        "page": 3,
        "page_unit": "page",
        "context": Context(0, 0, SHOWN, "acme@c0ffee:keys.pdf#page=3&char=100,140"),
    }
    return result(1, "keys.pdf", **(fields | values))


def test_a_result_names_its_page_and_its_text_has_no_numbers() -> None:
    said = text_of(table(pack(paged()), Look()))
    assert "[1] keys.pdf, page 3  0.71" in said
    assert "| To rotate a key, ask." in said
    assert ":0" not in said


@pytest.mark.parametrize("unit", ["slide", "sheet", "cell", "chapter"])
def test_a_page_is_called_what_it_is(unit: str) -> None:
    assert f"keys.pdf, {unit} 3" in text_of(table(pack(paged(page_unit=unit)), Look()))


@pytest.mark.parametrize("unit", ["page", "slide", "cell", "chapter"])
def test_a_list_of_files_names_the_page_once(unit: str) -> None:
    found = pack(paged(page_unit=unit), paged(page_unit=unit, start_char=130, end_char=140))
    assert text_of(render(found, "files")) == f"keys.pdf#{unit}=3"
    assert null_files(found, several=True) == f"acme:keys.pdf#{unit}=3\0".encode()
    assert null_files(pack(paged(page_unit="sheet", rows=(4, 9)))) == b"keys.pdf#sheet=3&row=4-9\0"


@pytest.mark.parametrize("several", [False, True])
def test_what_a_list_of_files_names_is_read_by_get(cli: Cli, several: bool) -> None:
    cli.folder.joinpath("docs").mkdir()
    for name, more in (("book.pdf", "Lamps are lit."), ('odd "name" #2.pdf', "Doors are shut.")):
        cli.folder.joinpath("docs", name).write_bytes(typeset(f"{BOOK}{more}"))
    cli("index", "docs", "--lexical", "--name", "docs")
    if several:
        cli.write("other/guide.md", "# Keys\n")
        cli("index", "other", "--lexical", "--name", "other")
    for raw in (True, False):
        listed = cli("search", "sleeping ocelot", "-f", "files", *(["-0"] if raw else [])).stdout
        names = listed.removesuffix("\0").split("\0") if raw else listed.splitlines()
        assert len(names) == 2
        for name in names:
            assert name.endswith("#page=2")
            read = cli("get", "--", name).stdout
            assert "ocelot" in read
            assert "first page" not in read
    cli("stop")


def test_only_the_passage_is_found_of_what_is_shown_of_its_page() -> None:
    many = "\n".join(f"line {n}" for n in range(30))
    text = f"{many}\nTo rotate a key, ask.\n{many}"
    start = 100 + len(many) + 1
    context = Context(0, 0, text, f"acme@c0ffee:keys.pdf#page=3&char=100,{100 + len(text)}")
    item = paged(start_char=start, end_char=start + 21, context=context)
    assert "To rotate a key, ask." in text_of(table(pack(item), Look()))


def test_markdown_and_prompts_say_the_page_and_no_lines() -> None:
    markdown = text_of(render(pack(paged()), "md"))
    assert "Page 3 around it:" in markdown
    assert "Lines 0" not in markdown
    prompt = pack(paged(truth="moved")).to_prompt(line_numbers=True)
    assert "[1] acme@c0ffee:keys.pdf#page=3&char=106,128" in prompt
    assert "Shown: page=3&char=100,140, with what stands around it." in prompt
    assert "these are its words now" in prompt
    assert "0  Keys" not in prompt


def test_a_golden_target_names_a_page() -> None:
    third = chunk("a", path="keys.pdf", cited_in="page", on_page=OnPage(3), end_line=0)
    assert named_path(third) == "keys.pdf#page=3"
    assert counts_for(third, Expected("keys.pdf#page=3"))
    assert counts_for(third, Expected("keys.pdf"))
    assert not counts_for(third, Expected("keys.pdf#page=4"))
    assert not counts_for(third, Expected("keys.pdf#slide=3"))
    odd = chunk("b", path="keys.pdf#page=3")
    assert named_path(odd) == "keys.pdf#page=3"
    assert counts_for(odd, Expected("keys.pdf#page=3"))
