"""The page in a real browser: keys, clicks, hostile texts, and what people with aids can use."""

from __future__ import annotations

import re

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, expect

from pincite.evals.golden.questions import read_golden
from tests.surfaces.page.conftest import NAME, Served

QUESTION = "how is a key rotated"


def ask(page: Page, question: str = QUESTION) -> None:
    """Type it, and wait for results."""
    page.locator("#question").fill(question)
    expect(page.locator(".verdict")).to_be_visible()
    expect(page.locator(".result").first).to_be_visible()


def test_results_come_while_one_types_and_the_verdict_is_in_words(page: Page) -> None:
    page.keyboard.type(QUESTION)
    expect(page.locator(".verdict strong")).to_have_text("on topic")
    expect(page.locator(".result .place").first).to_contain_text("#L")
    expect(page.locator(".result mark").first).to_be_visible()


def test_a_document_opens_with_exactly_the_cited_lines_marked(page: Page) -> None:
    ask(page, "quetzal step 200")
    page.locator(".place").first.click()
    expect(page.locator(".rendered .cited").first).to_be_in_viewport()
    page.get_by_role("button", name="Source").click()
    expect(page.locator(".line.cited").first).to_be_in_viewport()
    place = page.locator(".place").first.inner_text()
    first, last = (int(part.strip("L")) for part in place.rpartition("#")[2].split("-"))
    numbers = page.locator(".line.cited").evaluate_all("all => all.map(one => +one.dataset.number)")
    assert numbers == list(range(first, last + 1))
    before = page.locator(".line").count()
    page.get_by_role("button", name="More lines").click()
    expect(page.locator(".line")).not_to_have_count(before)
    assert page.locator(".line").count() > before


def test_keys_do_all_that_clicks_do(page: Page, served: Served) -> None:
    page.keyboard.type(QUESTION)
    page.keyboard.press("Enter")
    expect(page.locator(".result.selected .number")).to_have_text("1")
    page.keyboard.press("j")
    expect(page.locator(".result.selected .number")).to_have_text("2")
    page.keyboard.press("k")
    expect(page.locator(".result.selected .number")).to_have_text("1")
    page.keyboard.press("Enter")
    expect(page.locator("#source .cited").first).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator("#source")).to_have_count(0)
    page.keyboard.press("?")
    expect(page.get_by_role("dialog")).to_be_visible()
    page.keyboard.press("Escape")
    page.keyboard.press("3")
    expect(page.locator(".selected [aria-pressed=true]")).to_have_text("answers")
    page.keyboard.press("/")
    expect(page.locator("#question")).to_be_focused()
    place = page.locator(".selected .place bdi").inner_text()
    kept = next(one for one in read_golden(served.golden).queries if one.query == QUESTION)
    assert [(one.name, one.grade) for one in kept.expected] == [(place, 3)]


def test_why_shows_signals_and_the_rank_in_each_stage(page: Page) -> None:
    ask(page)
    page.locator("summary").first.click()
    expect(page.locator(".flow").first).to_contain_text("→")
    expect(page.locator(".stages").first).to_contain_text("retrieve")
    expect(page.locator("details[open] td").first).to_be_visible()


def test_two_profiles_stand_side_by_side(page: Page) -> None:
    ask(page)
    page.get_by_label("Compare").check()
    page.get_by_role("combobox").nth(1).select_option("evidence")
    expect(page.locator(".side")).to_have_count(2)
    expect(page.locator(".side").nth(1).locator(".result").first).to_be_visible()
    expect(page.locator(".elsewhere").first).to_contain_text("in the other")


def test_an_answer_says_who_wrote_it_and_what_it_cites(page: Page) -> None:
    ask(page)
    page.get_by_role("button", name="Answer", exact=True).click()
    expect(page.locator(".answer .text")).to_contain_text("[1]")
    expect(page.locator(".answer")).to_contain_text("no language model wrote this")


def test_names_and_headings_of_files_are_texts(page: Page) -> None:
    ask(page, "zanzibar vault")
    expect(page.locator(".place").first).to_contain_text(NAME)
    page.locator(".place").first.click()
    expect(page.locator("#source h2")).to_contain_text(NAME)


def test_links_and_pictures_of_hostile_markdown_lead_nowhere_and_load_nothing(page: Page) -> None:
    ask(page, "zanzibar vault")
    page.locator(".place").first.click()
    drawn = page.locator(".rendered")
    expect(drawn).to_contain_text('<svg onload="window.hacked=8">')
    expect(drawn).to_contain_text("picture: chart")
    expect(drawn).to_contain_text("[here](javascript:window.hacked=6)")
    (link,) = drawn.locator("a").evaluate_all(
        "all => all.map(one => [one.href, one.rel, one.target])"
    )
    assert link == ["https://far.example/", "noopener noreferrer nofollow", "_blank"]
    drawn.get_by_text("near").click()
    assert drawn.locator("img, svg, script, iframe, style").count() == 0


def test_cited_code_in_markdown_has_colours_and_a_row_for_each_line(page: Page) -> None:
    ask(page, "how is tapioca boiled")
    page.locator(".place").first.click()
    lines = page.locator(".rendered .codeline.cited")
    expect(lines).to_have_text(["def boil(tapioca):", "    return tapioca"])
    expect(lines.first.locator(".c-keyword")).to_have_text("def")
    boxes = [lines.nth(at).bounding_box() for at in range(2)]
    (first, second) = [box for box in boxes if box is not None]
    assert first["x"] == second["x"]
    assert first["y"] + first["height"] <= second["y"] + 1


def test_a_page_of_a_pdf_is_shown_with_its_boxes(page: Page) -> None:
    ask(page, "where does the ocelot sleep")
    page.locator(".place").first.click()
    expect(page.locator(".sheet img")).to_have_attribute(
        "alt", re.compile("Page 2, with [1-9] marked")
    )
    sheet = page.locator(".sheet img").bounding_box()
    box = page.locator(".sheet .box").first.bounding_box()
    assert sheet is not None
    assert box is not None
    assert sheet["x"] <= box["x"]
    assert box["x"] + box["width"] <= sheet["x"] + sheet["width"] + 1
    assert sheet["y"] <= box["y"]
    assert box["y"] + box["height"] <= sheet["y"] + sheet["height"] + 1
    expect(page.locator(".line.cited").first).to_be_attached()
    found = Axe().run(page)
    assert found.violations_count == 0, found.generate_report()


def test_what_is_not_there_is_said_in_words(page: Page) -> None:
    page.locator("#question").fill("xylophone marmalade")
    expect(page.locator(".verdict strong")).to_have_text("nothing on topic")
    expect(page.locator(".verdict")).to_contain_text("nowhere in the index")


def test_a_page_without_its_token_says_what_to_do(browser: Browser, served: Served) -> None:
    context = browser.new_context()
    opened = context.new_page()
    opened.goto(served.url)
    expect(opened.get_by_role("alert")).to_contain_text("the token is missing in the address")
    context.close()


@pytest.mark.parametrize("colours", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
def test_axe_finds_no_fault_and_nothing_is_wider_than_the_screen(
    page: Page, colours: str, width: int
) -> None:
    page.emulate_media(color_scheme="dark" if colours == "dark" else "light")
    page.set_viewport_size({"width": width, "height": 800})
    ask(page)
    page.locator("summary").first.click()
    expect(page.locator(".flow").first).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    found = Axe().run(page)
    assert found.violations_count == 0, found.generate_report()
    page.locator(".place").first.click()
    expect(page.locator("#source .cited").first).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    found = Axe().run(page)
    assert found.violations_count == 0, found.generate_report()
