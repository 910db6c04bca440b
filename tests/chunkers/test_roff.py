"""Manual pages: sections by headings, and terms with their text."""

from __future__ import annotations

import pytest

from pincite.chunkers import ChunkerConfig
from pincite.chunkers.lines import Lines
from pincite.chunkers.markup import roff
from pincite.chunkers.pieces import Path, Piece
from pincite.support.roff.reader import read_roff
from tests.chunkers.laws import SMALL, lawful_chunks
from tests.counting import CountedList

LONG = "a value with so many words in it that nothing else can be merged with it here or there so"
MAN = (
    f'.\\" A comment\n.TH "TOOL" 1 2025\n.SH NAME\ntool \\- does it\n.SH "OPTIONS"\n{LONG}\n.TP\n'
    f".B \\-\\-one\n{LONG}\n.TP\n.B \\-\\-two\n.TQ\n.B \\-2\n{LONG}\n.SS Others\n{LONG}\n{LONG}\n"
)
MDOC = (
    f".Dd May 1, 2025\n.Dt TOOL 8\n.Os\n.Sh NAME\n.Nm tool\n.Nd does it\n.Sh OPTIONS\n{LONG}\n"
    f".Bl -tag -width Ds\n.It Fl one\n{LONG}\n.It Fl two Ar file\n{LONG}\n.El\n.Ss Others\n{LONG}\n"
)


def places(headings: int, text: str, config: ChunkerConfig = SMALL) -> list[tuple[str, ...]]:
    found = [chunk.headings[:headings] for chunk in lawful_chunks("tool.1", text, config)]
    return list(dict.fromkeys(found))


@pytest.mark.parametrize(("text", "title"), [(MAN, "TOOL(1)"), (MDOC, "TOOL(8)")])
def test_sections_are_those_of_headings(text: str, title: str) -> None:
    chunks = lawful_chunks("tool.1", text)
    assert {chunk.title for chunk in chunks} == {title}
    assert {chunk.language for chunk in chunks} == {"roff"}
    assert places(2, text)[-2:] == [("OPTIONS",), ("OPTIONS", "Others")]


@pytest.mark.parametrize(("text", "term"), [(MAN, "--two"), (MDOC, "-two file")])
def test_a_term_stays_with_its_text(text: str, term: str) -> None:
    read = [chunk.read_as for chunk in lawful_chunks("tool.1", text)]
    (found,) = [one for one in read if term in one]
    assert found.startswith(term)
    assert LONG in found


def test_a_paragraph_is_the_term_of_what_is_indented_below_it() -> None:
    """The form of DocBook and AsciiDoc."""
    text = "".join(f".PP\n\\fB\\-{at}\\fR\n.RS 4\n{LONG}\n.RE\n" for at in "abc")
    read = [chunk.read_as for chunk in lawful_chunks("tool.1", f".TH T 1\n.SH OPTIONS\n{text}")]
    assert [one.split("\n")[-2:] for one in read][1:] == [["-b", LONG], ["-c", LONG]]


def test_later_parts_of_a_long_item_are_below_its_term() -> None:
    item = f".TP\n.B \\-\\-long\n{LONG}\n.IP\n{LONG} {LONG}\n.IP\n{LONG} {LONG}\n"
    text = f".TH T 1\n.SH OPTIONS\n{item}.TP\n.B \\-\\-next\n{LONG}\n.PP\n{LONG} {LONG}\n"
    assert places(2, text) == [("OPTIONS",), ("OPTIONS", "--long")]
    assert lawful_chunks("tool.1", text)[-1].headings == ("OPTIONS",)


def test_passages_are_read_as_displayed_and_cited_as_written() -> None:
    (chunk,) = lawful_chunks("tool.1", ".TH T 1\n.SH NAME\n\\fBtool\\fP \\- \\(lqit\\(rq\n")
    assert chunk.read_as == "T 1\nNAME\ntool - “it”"
    assert chunk.text.endswith("\\fBtool\\fP \\- \\(lqit\\(rq")


def test_a_page_of_comments_is_read_as_it_is() -> None:
    (chunk,) = lawful_chunks("tool.1", '.\\" Copyright\n.\\" A person\n')
    assert chunk.read_as == chunk.text


def test_the_same_text_in_another_language_keeps_its_letters() -> None:
    text = "\\fBNAME\\fP is\n.SH NAME\n"
    assert [chunk.plain for chunk in lawful_chunks("a.txt", text)] == [None]


@pytest.mark.parametrize(
    "item",
    [
        ".TP\n.B a\nText\n",
        ".RS\n.IP x\nText\n",
        ".TP\nterm\n",
        ".It\n",
        ".SH x\n.PP\na\n",
        ".RE\n.Bl\n.It x\nText\n",
    ],
)
def test_the_time_is_linear_in_the_lines(item: str) -> None:
    def steps(count: int) -> int:
        text = f".SH A\n{item * count}"
        page = read_roff(text)
        lines = Lines(text)
        lines.lines = counted = CountedList(lines.lines)
        asked = 0

        def room(_: Path) -> float:
            nonlocal asked
            asked += 1
            return 4.0

        found: list[Piece] = list(roff.roff_pieces(lines, page, room))
        return counted.reads + asked + len(found)

    assert steps(4_000) <= 4.2 * steps(1_000)
