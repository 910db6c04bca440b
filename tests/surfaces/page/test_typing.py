"""What goes on while somebody types: the box keeps its text and the focus, and a wait is said."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, Route, expect

from tests.surfaces.page.conftest import Served

QUESTION = "how is a key rotated"


def hold(page: Page) -> list[Route]:
    """No search is answered from now on; the requests."""
    held = list[Route]()
    page.route("**/api/ask", lambda one: held.append(one))
    return held


def test_who_goes_on_typing_after_enter_stays_in_the_box(page: Page) -> None:
    hold(page)
    page.keyboard.type("key")
    page.keyboard.press("Enter")
    page.keyboard.type("s and a jar")
    page.unroute("**/api/ask")
    page.keyboard.type("s")
    expect(page.locator(".verdict strong")).to_be_visible()
    expect(page.locator("#question")).to_have_value("keys and a jars")
    expect(page.locator("#question")).to_be_focused()
    assert page.locator(".answer, .selected, [aria-pressed=true]").count() == 0


_A_KEY_AS_RESULTS_COME = """() => {
  const real = window.fetch;
  const entered = new Promise((then) => {
    // only after the page has handled the key, which is for what the box has then
    addEventListener("keydown", (event) => event.key === "Enter" && setTimeout(then), true);
  });
  window.fetch = async (...asked) => {
    const answer = await real(...asked);
    await entered; // on a busy machine, results of what was typed may come before
    const box = document.getElementById("question");
    if (box.value === "key") {
      box.value = "keys";
      box.dispatchEvent(new Event("input", { bubbles: true }));
    }
    return answer;
  };
}"""


def test_results_of_what_the_box_has_no_longer_do_not_move_the_focus(page: Page) -> None:
    page.evaluate(_A_KEY_AS_RESULTS_COME)
    page.keyboard.type("key")
    page.keyboard.press("Enter")
    expect(page.locator("#question")).to_have_value("keys")
    expect(page.locator(".verdict strong")).to_be_visible()
    page.keyboard.type("x")
    expect(page.locator("#question")).to_have_value("keysx")


def test_who_leaves_the_box_after_enter_is_not_called_back(page: Page) -> None:
    held = hold(page)
    page.keyboard.type(QUESTION)
    page.keyboard.press("Enter")
    page.get_by_label("Compare").focus()
    held[-1].continue_()
    expect(page.locator(".result").first).to_be_visible()
    expect(page.get_by_label("Compare")).to_be_focused()


def test_escape_leaves_the_box_with_its_question(page: Page) -> None:
    page.locator("#question").fill(QUESTION)
    expect(page.locator(".result").first).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator("#question")).not_to_be_focused()
    expect(page.locator("#question")).to_have_value(QUESTION)
    page.keyboard.press("a")
    expect(page.locator(".answer .text")).to_be_visible()


def test_the_key_of_the_box_types_nothing_on_a_page_that_has_just_opened(page: Page) -> None:
    """The box has the focus already, which whoever uses the key may not have seen."""
    box = page.locator("#question")
    expect(box).to_be_focused()
    page.keyboard.down("Shift")  # as some keyboards need for a slash
    page.keyboard.press("/")
    page.keyboard.up("Shift")
    expect(box).to_have_value("")
    page.keyboard.type("/v1/context")
    expect(box).to_have_value("/v1/context")


@pytest.mark.parametrize("first", ["click", "type"])
def test_a_slash_in_the_box_is_a_character(page: Page, first: str) -> None:
    box = page.locator("#question")
    if first == "click":
        box.click()
    else:
        page.keyboard.press("k")
        page.keyboard.press("Backspace")
    page.keyboard.type("/v1")
    expect(box).to_have_value("/v1")
    page.keyboard.press("Escape")
    expect(box).not_to_be_focused()
    page.keyboard.press("/")
    page.keyboard.type("/v2")
    expect(box).to_have_value("/v2")


def test_a_long_press_of_the_key_of_the_box_does_not_replace_the_question(
    page: Page,
) -> None:
    box = page.locator("#question")
    box.fill(QUESTION)
    expect(page.locator(".result").first).to_be_visible()
    page.get_by_label("Compare").focus()
    page.keyboard.down("/")
    page.keyboard.down("/")  # a key that is held down repeats
    page.keyboard.down("/")
    expect(box).to_be_focused()
    expect(box).to_have_value(QUESTION)
    page.keyboard.up("/")
    page.keyboard.type("/")
    expect(box).to_have_value("/")


def test_a_search_that_takes_long_says_so(page: Page) -> None:
    held = hold(page)
    page.locator("#question").fill(QUESTION)
    expect(page.get_by_role("status").first).to_have_text("Searching…")
    held[-1].continue_()
    expect(page.locator(".verdict strong")).to_be_visible()
    expect(page.get_by_role("status").first).not_to_contain_text("Searching")
    page.unroute("**/api/ask")
    held = hold(page)
    page.locator("#question").fill("zanzibar vault")
    expect(page.get_by_role("status").first).to_have_text("Searching…")
    page.locator("#question").fill("")
    expect(page.get_by_role("status").first).to_have_text("")


def test_nobody_is_sent_to_the_command_line_for_what_is_listed(served: Served) -> None:
    found = served.ask("ask", {"text": "which zebra bakes marmalade bread with a new lamp"}).json()
    assert found["level"] == "none"
    assert found["closest"]
    assert "--all" not in "".join(found["warnings"])
