"""Lines that are long, and lines that run from right to left, as a browser shows them."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st
from playwright.sync_api import Locator, Page, expect

from pincite.citations.passage import Passage
from pincite.surfaces.page.columns import MOST_COLUMNS, parted, shown_text
from tests.surfaces.conftest import Cli
from tests.surfaces.page.conftest import Served, serving

HEBREW = """# מפתחות

כדי להחליף מפתח, קוראים לפונקציה `rotate_key` עם סוד חדש.

- הסוד הישן כבר לא תקף.
- An English item.

| שם | ימים |
|---|---|
| rotate_key | 30 |

The English end.
"""
FILL = "lorem ipsum dolor sit amet " * 300
DEEP = "The axolotl sleeps under the seventh lamp."
CODE = "# הערה על הציפור\ndef quagga(bird):\n    return bird\n"


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    cli = Cli(tmp_path_factory.mktemp("lines"))
    cli.write("docs/מפתח.md", HEBREW)
    cli.write("docs/notes.txt", "זמיר rotate_key שר.\n\nThe nightingale ends.\n")
    cli.write("docs/long.txt", f"first line\n{FILL}{DEEP} {FILL}\nlast line\n")
    cli.write("docs/deep.md", f"# Quokka\n\n{FILL}The quokka hides. {FILL}\n")
    cli.write("src/bird.py", CODE)
    cli("index", ".", "--lexical", "--name", "acme", "--ref", "v1")
    with serving(cli) as found:
        yield found
    cli("stop")


def open_(page: Page, question: str, name: str) -> None:
    page.locator("#question").fill(question)
    page.locator(".place", has_text=name).first.click()
    expect(page.locator("#source .cited").first).to_be_visible()


def side(one: Locator) -> str:
    """Where a block of text stands in the box around it."""
    found: str = one.evaluate(
        """one => {
            const range = document.createRange();
            range.selectNodeContents(one);
            const text = range.getBoundingClientRect();
            const box = one.parentElement.getBoundingClientRect();
            return text.left - box.left < box.right - text.right ? "left" : "right";
        }"""
    )
    return found


def test_a_text_stands_on_the_side_where_it_begins(page: Page) -> None:
    open_(page, "מפתח rotate_key", "מפתח.md")
    drawn = page.locator(".rendered")
    assert side(drawn.locator("h3")) == "right"
    assert side(drawn.locator("p").first) == "right"
    assert side(drawn.locator("p").last) == "left"
    direction = "one => getComputedStyle(one).direction"
    assert [drawn.locator(one).evaluate(direction) for one in ("ul", "table")] == ["rtl"] * 2
    assert page.locator("#question").evaluate(direction) == "rtl"
    assert page.locator("#source h2").evaluate(direction) == "ltr"
    expect(page.locator(".place bdi").first).to_contain_text("מפתח.md")


def test_lines_of_prose_have_their_own_direction_and_code_has_none(page: Page) -> None:
    open_(page, "זמיר nightingale", "notes.txt")
    lines = page.locator(".line code")
    assert [side(lines.nth(at)) for at in (0, 2)] == ["right", "left"]
    page.keyboard.press("Escape")
    open_(page, "quagga bird", "bird.py")
    assert side(page.locator(".line code").first) == "left"
    assert page.locator(".snippet").first.get_attribute("dir") == "ltr"


@pytest.mark.parametrize("width", [1280, 390])
def test_a_passage_deep_in_a_long_line_is_in_view_and_marked_alone(page: Page, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 800})
    for question, name, wanted in (
        ("axolotl seventh lamp", "long.txt", DEEP),
        ("quokka hides", "deep.md", "The quokka hides."),
    ):
        open_(page, question, name)
        marked = page.locator("#source .cited")
        expect(marked).to_have_count(1)
        expect(marked).to_contain_text(wanted)
        expect(marked).to_be_in_viewport()
        line = page.locator(".line.partly")
        shown, cited = line.inner_text(), marked.inner_text()
        assert len(shown) <= MOST_COLUMNS + 2
        assert len(cited) < len(shown) / 2
        assert (shown[0], shown[-1]) == ("…", "…")
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        page.keyboard.press("Escape")


def passage(citation: str, start: int, end: int, text: str, **chars: int) -> Passage:
    return Passage(citation, "acme", "a.txt", start, end, text, changed=False, **chars)  # type: ignore[arg-type]


@given(
    st.lists(st.text("ab…𝐳\r", max_size=8).map(lambda one: one * 700), min_size=1, max_size=4),
    st.data(),
)
def test_what_is_marked_is_what_is_cited(lines: list[str], data: st.DataObject) -> None:
    text = "\n".join(lines)
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    around = passage("acme:a.txt#char=0,9", 0, 0, text, start_char=5, end_char=5 + len(text))
    cited = passage("", 0, 0, text[start:end], start_char=5 + start, end_char=5 + end)
    shown = shown_text(cited, around)
    rows = shown.text.split("\n")
    assert len(rows) == len(lines)
    assert max(map(len, rows)) <= MOST_COLUMNS + 2
    marked = "\n".join(rows[row][first:last] for row, (first, last) in shown.cited.items())
    wanted = text[start:end].removesuffix("\n").replace("\r\n", "\n").split("\n")
    if all(len(one) < MOST_COLUMNS for one in wanted):
        assert [one.rstrip("\r") for one in marked.split("\n")] == [
            one.rstrip("\r") for one in wanted
        ]
    else:
        assert len(marked.split("\n")) == len(wanted)


def test_columns_of_a_citation_are_those_that_are_marked() -> None:
    lines = ["one two three", "x" * 5_000 + "four" + "y" * 5_000, "five six"]
    around = passage("acme@v1:a.txt#L4-L6", 4, 6, "\n".join(lines))
    cited = passage("acme@v1:a.txt#L5C5001-L5C5004", 5, 5, "four")
    shown = shown_text(cited, around)
    ((row, (first, last)),) = shown.cited.items()
    line = shown.text.split("\n")[row]
    assert (row, line[first:last], shown.partly) == (1, "four", True)
    assert first == pytest.approx(len(line) / 2, abs=10)
    many = passage("acme@v1:a.txt#L4C5-L6C4", 4, 6, "")
    marks = shown_text(many, around).cited
    assert [marks[0], marks[2]] == [(4, 13), (0, 4)]
    itself = passage("acme@v1:a.txt#L5C5001-L5C5004", 5, 5, "four")
    assert shown_text(itself, itself).cited == {0: (0, 4)}


@given(
    st.lists(st.tuples(st.sampled_from(["", "hit"]), st.text("ab", min_size=1)), max_size=5),
    st.tuples(st.integers(0, 20), st.integers(0, 20)).map(sorted),
)
def test_pieces_are_cut_where_the_cited_ones_begin_and_end(
    line: list[tuple[str, str]], columns: list[int]
) -> None:
    text = "".join(piece for _, piece in line)
    pieces, (first, last) = parted(line, (columns[0], columns[1]))
    assert "".join(piece for _, piece in pieces) == text
    assert "".join(piece for _, piece in pieces[first:last]) == text[columns[0] : columns[1]]
