"""Nothing in a document makes the page wider than the screen: what is wide scrolls in its box."""

from __future__ import annotations

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Locator, Page, expect

WIDTHS = (390, 768, 1280)


def is_as_wide_as_the_screen(page: Page, width: int) -> None:
    assert page.evaluate("document.documentElement.scrollWidth") == width
    assert page.evaluate("document.documentElement.clientWidth") == width
    assert page.evaluate("document.body.scrollWidth") == width


def scrolls_within_the_screen(page: Page, found: Locator, width: int) -> None:
    box = found.bounding_box()
    assert box is not None
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= width
    assert found.evaluate("one => one.scrollWidth > one.clientWidth")
    found.evaluate("one => { one.scrollLeft = 10_000; }")
    assert found.evaluate("one => one.scrollLeft") > 0
    is_as_wide_as_the_screen(page, width)


def open_wide(page: Page, width: int, question: str, place: str) -> None:
    page.set_viewport_size({"width": width, "height": 800})
    page.locator("#question").fill(question)
    own = page.locator(".place", has_text=place).first
    expect(own).to_be_visible()
    is_as_wide_as_the_screen(page, width)
    own.click()


@pytest.mark.parametrize("width", WIDTHS)
def test_wide_tables_and_code_of_markdown_scroll_in_their_box(page: Page, width: int) -> None:
    open_wide(page, width, "axolotl of the wide tables", "docs/axolotl")
    expect(page.locator(".rendered .cited").first).to_be_visible()
    is_as_wide_as_the_screen(page, width)
    scrolls_within_the_screen(page, page.locator(".rendered .wide"), width)
    scrolls_within_the_screen(page, page.locator(".rendered pre"), width)
    found = Axe().run(page)
    assert found.violations_count == 0, found.generate_report()


@pytest.mark.parametrize("width", WIDTHS)
def test_long_lines_of_code_scroll_and_keep_their_numbers(page: Page, width: int) -> None:
    open_wide(page, width, "feed_axolotl tank", "src/wide.py")
    expect(page.locator(".line.cited").first).to_be_visible()
    lines = page.locator("#source .lines")
    number = "one => getComputedStyle(one, '::before').position"
    assert page.locator(".line.cited").first.evaluate(number) == "sticky"
    scrolls_within_the_screen(page, lines, width)
    page.keyboard.press("Escape")
    is_as_wide_as_the_screen(page, width)


def test_what_a_document_covers_is_not_reached_by_keys(page: Page) -> None:
    page.set_viewport_size({"width": 768, "height": 800})
    page.locator("#question").fill("how is a key rotated")
    page.locator(".place").first.click()
    expect(page.locator("#source .cited").first).to_be_visible()
    for _ in range(12):
        page.keyboard.press("Tab")
        inside = "(one => !one.closest('header.top, .found, footer'))(document.activeElement)"
        assert page.evaluate(inside)
    page.set_viewport_size({"width": 1280, "height": 800})
    expect(page.locator("[inert]")).to_have_count(0)
