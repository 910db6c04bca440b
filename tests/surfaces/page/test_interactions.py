"""Thirty things that people do with the page, in a real browser, at three widths.

Each run does all of them in one tab, one after the other, as people do. Nothing may be said on the
console, and no request may leave for elsewhere: the fixture of the page sees to that.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Locator, Page, expect

QUESTION = "how is a key rotated"
STEPS: list[Callable[[Page], None]] = []


def step(work: Callable[[Page], None]) -> Callable[[Page], None]:
    STEPS.append(work)
    return work


def number(page: Page) -> Locator:
    return page.locator(".result.selected .number")


def button(page: Page, name: str) -> Locator:
    return page.get_by_role("button", name=name, exact=True)


@step
def the_page_opens_with_the_box_focused(page: Page) -> None:
    expect(page.locator("#question")).to_be_focused()


@step
def a_question_is_typed(page: Page) -> None:
    page.keyboard.type(QUESTION)
    expect(page.locator(".result").first).to_be_visible()


@step
def the_question_is_changed_and_results_follow(page: Page) -> None:
    page.locator("#question").fill("zanzibar vault")
    expect(page.locator(".place").first).to_contain_text("onerror")


@step
def the_box_is_emptied(page: Page) -> None:
    page.locator("#question").fill("")
    expect(page.locator(".result")).to_have_count(0)


@step
def enter_asks_and_goes_to_the_first_result(page: Page) -> None:
    page.locator("#question").fill(QUESTION)
    page.keyboard.press("Enter")
    expect(number(page)).to_have_text("1")


@step
def j_goes_to_the_next(page: Page) -> None:
    page.keyboard.press("j")
    expect(number(page)).to_have_text("2")


@step
def k_goes_back(page: Page) -> None:
    page.keyboard.press("k")
    expect(number(page)).to_have_text("1")


@step
def k_stays_at_the_first(page: Page) -> None:
    page.keyboard.press("k")
    expect(number(page)).to_have_text("1")


@step
def enter_opens_the_document(page: Page) -> None:
    page.keyboard.press("Enter")
    expect(page.locator("#source .cited").first).to_be_in_viewport()


@step
def escape_closes_it_and_gives_the_focus_back(page: Page) -> None:
    page.keyboard.press("Escape")
    expect(page.locator("#source")).to_have_count(0)
    expect(page.locator(".result.selected .place")).to_be_focused()


@step
def tab_goes_on_to_the_passage_and_its_judgement(page: Page) -> None:
    page.keyboard.press("Tab")
    expect(page.locator(".selected .snippet")).to_be_focused()
    page.keyboard.press("Tab")
    expect(page.locator(".selected .judge button").first).to_be_focused()


@step
def space_judges(page: Page) -> None:
    pressed = page.locator(".selected .judge button").first
    before = pressed.get_attribute("aria-pressed")
    page.keyboard.press("Space")
    expect(pressed).not_to_have_attribute("aria-pressed", before or "")


@step
def a_key_judges(page: Page) -> None:
    page.keyboard.press("1")
    expect(page.locator(".selected [aria-pressed=true]")).to_have_text("related")


@step
def the_same_key_takes_it_back(page: Page) -> None:
    page.keyboard.press("1")
    expect(page.locator(".selected [aria-pressed=true]")).to_have_count(0)


@step
def a_click_judges(page: Page) -> None:
    button(page, "helps").first.click()
    expect(page.locator("[aria-pressed=true]").first).to_have_text("helps")


@step
def a_click_takes_it_back(page: Page) -> None:
    button(page, "helps").first.click()
    expect(page.locator(".judge [aria-pressed=true]")).to_have_count(0)


@step
def why_opens(page: Page) -> None:
    page.locator("summary").first.click()
    expect(page.locator(".flow").first).to_contain_text("→")


@step
def why_closes(page: Page) -> None:
    page.locator("summary").first.click()
    expect(page.locator("details[open]")).to_have_count(0)


@step
def the_keys_are_shown(page: Page) -> None:
    page.keyboard.press("?")
    expect(page.get_by_role("dialog")).to_be_visible()


@step
def the_keys_are_hidden(page: Page) -> None:
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)


@step
def slash_goes_to_the_box(page: Page) -> None:
    page.keyboard.press("/")
    expect(page.locator("#question")).to_be_focused()


@step
def an_answer_is_asked_for(page: Page) -> None:
    button(page, "Answer").click()
    expect(page.locator(".answer .cite").first).to_be_visible()


@step
def its_citation_opens_the_passage(page: Page) -> None:
    page.locator(".cite").first.click()
    expect(page.locator("#source .cited").first).to_be_in_viewport()


@step
def closing_goes_back_to_the_citation(page: Page) -> None:
    button(page, "Close").click()
    expect(page.locator(".cite").first).to_be_focused()


@step
def a_profile_is_chosen(page: Page) -> None:
    page.get_by_role("combobox").first.select_option("evidence")
    expect(page.locator(".answer")).to_have_count(0)
    expect(page.locator(".result").first).to_be_visible()


@step
def two_profiles_are_compared(page: Page) -> None:
    page.get_by_label("Compare").check()
    expect(page.locator(".side")).to_have_count(2)
    expect(page.locator(".elsewhere").first).to_be_visible()


@step
def they_are_no_longer_compared(page: Page) -> None:
    page.get_by_label("Compare").uncheck()
    expect(page.locator(".side")).to_have_count(1)
    page.get_by_role("combobox").first.select_option("")


@step
def markdown_is_opened_rendered(page: Page) -> None:
    page.locator("#question").fill("quetzal step 200")
    expect(page.locator(".place").first).to_contain_text("long.md")
    page.locator(".place").first.click()
    expect(page.locator(".rendered .cited").first).to_be_in_viewport()


@step
def s_shows_its_source(page: Page) -> None:
    page.keyboard.press("s")
    expect(page.locator(".line.cited").first).to_be_in_viewport()


@step
def more_lines_come(page: Page) -> None:
    before = page.locator(".line").count()
    button(page, "More lines").click()
    expect(page.locator(".line")).not_to_have_count(before)


@step
def s_renders_it_again(page: Page) -> None:
    page.keyboard.press("s")
    expect(page.locator(".rendered .cited").first).to_be_in_viewport()
    page.keyboard.press("Escape")


@step
def a_page_of_a_pdf_is_opened(page: Page) -> None:
    page.locator("#question").fill("where does the ocelot sleep")
    expect(page.locator(".place").first).to_contain_text("handbook.pdf")
    page.locator(".place").first.click()
    expect(page.locator(".sheet .box").first).to_be_in_viewport()


@step
def what_is_not_there_is_said(page: Page) -> None:
    page.keyboard.press("Escape")
    page.locator("#question").fill("xylophone marmalade")
    expect(page.locator(".verdict strong")).to_have_text("nothing on topic")


#: After these axe looks at the page.
LOOKED_AT = (an_answer_is_asked_for, markdown_is_opened_rendered, a_page_of_a_pdf_is_opened)


def test_there_are_thirty() -> None:
    assert len(STEPS) >= 30


@pytest.mark.parametrize(("width", "colours"), [(1280, "light"), (768, "dark"), (390, "light")])
def test_people_do_thirty_things(page: Page, width: int, colours: str) -> None:
    page.set_viewport_size({"width": width, "height": 800})
    page.emulate_media(color_scheme="dark" if colours == "dark" else "light")
    for one in STEPS:
        one(page)
        assert page.evaluate("document.documentElement.scrollWidth") <= width, one.__name__
        if one in LOOKED_AT:
            found = Axe().run(page)
            assert found.violations_count == 0, (one.__name__, found.generate_report())
