"""Answers in the page while a model writes them."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.surfaces.conftest import Cli
from tests.surfaces.page.chat_server import ChatServer, chat_server
from tests.surfaces.page.conftest import GUIDE, Served, serving


@pytest.fixture(scope="module")
def chat() -> Iterator[ChatServer]:
    with chat_server() as server:
        yield server


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory, chat: ChatServer) -> Iterator[Served]:
    cli = Cli(tmp_path_factory.mktemp("answers"))
    cli.write("pincite.toml", f'[models]\nllm = "{chat.model}"\n')
    cli.write("docs/guide.md", GUIDE)
    cli("trust")
    cli("index", "docs", "--lexical", "--name", "acme", "--ref", "v1")
    with serving(cli) as served:
        yield served
    cli("stop")


@pytest.fixture
def page(browser: Browser, told: Served, chat: ChatServer) -> Iterator[Page]:
    chat.go_on.clear()
    chat.left.clear()
    context = browser.new_context(viewport={"width": 1280, "height": 800})
    opened, said = context.new_page(), list[str]()
    opened.on("console", lambda message: said.append(message.text))
    opened.on("pageerror", lambda error: said.append(str(error)))
    opened.goto(told.address)
    yield opened
    context.close()
    assert said == []


def begin(page: Page, question: str) -> None:
    page.locator("#question").fill(question)
    expect(page.locator(".result").first).to_be_visible()
    page.get_by_role("button", name="Answer", exact=True).click()


def test_an_answer_appears_while_it_is_written_and_its_citation_opens(
    page: Page, chat: ChatServer
) -> None:
    begin(page, "how is a key rotated slowly")
    expect(page.locator(".answer .text")).to_have_text("To rotate a key,")
    expect(page.locator(".answer")).to_have_attribute("aria-busy", "true")
    chat.go_on.set()
    expect(page.locator(".answer .text")).to_contain_text("new secret [1].")
    expect(page.locator(".answer")).to_have_attribute("aria-busy", "false")
    page.locator(".cite").first.click()
    expect(page.locator("#source .cited").first).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator(".cite").first).to_be_focused()


def test_an_answer_can_be_stopped_and_its_model_is_left_alone(page: Page, chat: ChatServer) -> None:
    begin(page, "how is a key rotated slowly")
    expect(page.locator(".answer .text")).to_have_text("To rotate a key,")
    page.get_by_role("button", name="Stop").click()
    expect(page.locator(".answer")).to_contain_text("the answer is incomplete")
    expect(page.locator(".answer .text")).to_have_text("To rotate a key,")
    assert chat.left.wait(30)


def test_an_answer_that_fails_in_the_middle_says_so(page: Page) -> None:
    begin(page, "how is a key rotated when it breaks")
    expect(page.locator(".answer")).to_contain_text("gave no complete answer")
    expect(page.locator(".answer")).to_have_attribute("aria-busy", "false")


def test_lines_of_the_stream_are_whole_objects(told: Served) -> None:
    found = told.ask("answer", {"text": "how is a key rotated"})
    assert found.headers["content-type"].startswith("application/x-ndjson")
    assert "script-src 'self'" in found.headers["content-security-policy"]
    lines = found.text.splitlines()
    assert all(line.startswith(('{"piece":', '{"answer":')) for line in lines)
    assert lines[-1].startswith('{"answer":')
