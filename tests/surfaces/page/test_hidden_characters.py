"""Characters that reorder or hide text are escapes on the page, as on the terminal."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from pincite.support.terminal import one_line, visible
from tests.surfaces.conftest import Cli
from tests.surfaces.page.conftest import Served, serving

NAME = "docs/bidi\u202egnp\nof.md"
SHOWN = "docs/bidi\\u202egnp\\x0aof.md"
TEXT = """# Quokkas bidi \u202e evil

A quokka \u2066sleeps\u2069 here \x1b[31m and [there](https://far.example/\u202e "\u202e").

קווקה \u202e ישנה כאן
"""
CODE = 'def quokka() -> str:\n    return "a\u202eb\u2066c"  # level \u202e admin\n'
RAW = "[\u202a-\u202e\u2066-\u2069\u200e\u200f\x1b]"


@pytest.fixture(scope="module")
def cli(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cli]:
    cli = Cli(tmp_path_factory.mktemp("hidden"))
    cli.write(NAME, TEXT)
    cli.write("src/quokka.py", CODE)
    cli("index", ".", "--lexical", "--name", "acme", "--ref", "v1")
    yield cli
    cli("stop")


@pytest.fixture(scope="module")
def hostile(cli: Cli) -> Iterator[Served]:
    with serving(cli) as served:
        yield served


@pytest.fixture
def page(browser: Browser, hostile: Served) -> Iterator[Page]:
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    opened = context.new_page()
    opened.goto(hostile.address)
    yield opened
    context.close()


def raw_in(page: Page) -> list[str]:
    """All texts, and all attributes that people read, with a raw character."""
    found: list[str] = page.evaluate(
        """raw => {
          const hidden = new RegExp(raw, "u"), all = [...document.querySelectorAll("#page *")];
          const words = all.flatMap(one => ["title", "aria-label", "alt"].map(
            name => one.getAttribute(name) || ""));
          return [document.getElementById("page").textContent, ...words].filter(
            one => hidden.test(one));
        }""",
        RAW,
    )
    return found


def opened(page: Page, question: str, name: str) -> None:
    page.locator("#question").fill(question)
    page.locator(".place", has_text=name).first.click()
    expect(page.locator("#source .cited").first).to_be_visible()


def test_names_citations_snippets_and_documents_show_escapes(page: Page) -> None:
    opened(page, "quokkas bidi", "bidi")
    assert raw_in(page) == []
    assert SHOWN in page.locator(".place", has_text="bidi").first.inner_text()
    expect(page.locator("#source h2")).to_contain_text(SHOWN)
    expect(page.locator(".snippet", has_text="evil").first).to_contain_text("bidi \\u202e evil")
    rendered = page.locator("#source .rendered")
    expect(rendered.locator("h3")).to_have_text("Quokkas bidi \\u202e evil")
    expect(rendered).to_contain_text("\\u2066sleeps\\u2069 here \\x1b[31m")
    expect(rendered.locator(".escape").first).to_have_css("unicode-bidi", "isolate")
    page.get_by_role("button", name="Source").click()
    expect(page.locator(".line.cited", has_text="evil")).to_have_text("# Quokkas bidi \\u202e evil")
    assert raw_in(page) == []


def test_code_shows_escapes_and_keeps_its_cited_lines(page: Page) -> None:
    opened(page, "def quokka level admin", "quokka.py")
    expect(page.locator(".line.cited").nth(1)).to_have_text(
        '    return "a\\u202eb\\u2066c"  # level \\u202e admin'
    )
    assert page.locator(".line.cited").evaluate_all("all => all.map(l => l.dataset.number)") == [
        "1",
        "2",
    ]
    assert raw_in(page) == []


def test_hebrew_beside_an_escape_stays_right_to_left(page: Page) -> None:
    opened(page, "quokkas bidi", "bidi")
    page.get_by_role("button", name="Source").click()
    line = page.locator(".line code", has_text="ישנה")
    expect(line).to_have_text("קווקה \\u202e ישנה כאן")
    expect(line).to_have_css("direction", "rtl")


def test_a_copied_citation_is_read_by_get(page: Page, cli: Cli) -> None:
    opened(page, "quokkas bidi", "bidi")
    shown = page.locator("#source .about code").inner_text()
    assert SHOWN in shown
    assert "evil" in cli("get", shown).stdout


def test_the_page_escapes_exactly_the_characters_of_the_terminal(page: Page) -> None:
    drawn = """async () => {
      const { visible, words } = await import("/visible.js");
      const flat = one => Array.isArray(one) ? one.map(flat).join("")
        : typeof one === "string" ? one : flat(one.props.children);
      const found = [];
      for (let code = 0; code <= 0x10ffff; code += 1) {
        const one = `a${String.fromCodePoint(code)}b`;
        const texts = [flat(visible(one)), flat(visible(one, true)), words(one)];
        if (texts.some(text => text !== one)) found.push([code, ...texts]);
      }
      return found;
    }"""
    every = (f"a{chr(code)}b" for code in range(sys.maxunicode + 1))
    expected = [
        [ord(one[1]), visible(one), one_line(one), one_line(one)]
        for one in every
        if one_line(one) != one
    ]
    assert page.evaluate(drawn) == expected
