"""What appears above scrolled results is brought into view, and the choices leave the box room."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect


def scroll_down(page: Page) -> None:
    page.set_viewport_size({"width": 1280, "height": 500})
    page.locator("#question").fill("step of the quetzal")
    expect(page.locator(".result").nth(4)).to_be_attached()
    page.keyboard.press("Enter")
    expect(page.locator(".result.selected .number")).to_have_text("1")
    for _ in range(4):
        page.keyboard.press("j")
    expect(page.locator(".result.selected .number")).to_have_text("5")
    assert page.evaluate("scrollY") > 500


def is_seen_below_the_head(page: Page, panel: str) -> None:
    found = page.locator(panel)
    expect(found).to_be_in_viewport()
    expect(found).to_be_focused()
    box, head = found.bounding_box(), page.locator(".top").bounding_box()
    assert box is not None
    assert head is not None
    assert box["y"] >= head["y"] + head["height"]


def test_an_answer_above_scrolled_results_is_seen(page: Page) -> None:
    scroll_down(page)
    page.keyboard.press("a")
    is_seen_below_the_head(page, ".answer")
    page.keyboard.press("k")
    expect(page.locator(".result.selected .number")).to_have_text("4")


@pytest.mark.parametrize("key", ["?", "Escape"])
def test_the_keys_above_scrolled_results_are_seen_and_give_the_place_back(
    page: Page, key: str
) -> None:
    scroll_down(page)
    page.keyboard.press("?")
    is_seen_below_the_head(page, ".help")
    page.keyboard.press(key)
    expect(page.locator(".help")).to_have_count(0)
    expect(page.locator(".result.selected .place")).to_be_focused()
    expect(page.locator(".result.selected .place")).to_be_in_viewport()


@pytest.mark.parametrize("width", [390, 768, 1280, 1600])
@pytest.mark.parametrize("compare", [False, True])
def test_the_question_has_more_room_than_a_profile(page: Page, width: int, compare: bool) -> None:
    page.set_viewport_size({"width": width, "height": 800})
    page.get_by_label("Compare").set_checked(compare)
    expect(page.locator(".choices select")).to_have_count(1 + compare)
    box = page.locator("#question").bounding_box()
    assert box is not None
    for choice in page.locator(".choices select").all():
        found = choice.bounding_box()
        assert found is not None
        assert found["width"] < box["width"]
