"""Brackets of a quoted text are text on the page, and citations are buttons."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, expect

from tests.surfaces.conftest import Cli
from tests.surfaces.page.conftest import Served, serving

QUOTED = "The quantum flux is measured as described in [2] and [1] of the bibliography."


@pytest.fixture
def told(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    cli = Cli(tmp_path_factory.mktemp("brackets"))
    cli.write("docs/flux.md", f"# Flux\n\n{QUOTED}\n")
    cli("index", "docs", "--lexical", "--name", "acme", "--ref", "v1")
    with serving(cli) as served:
        yield served
    cli("stop")


def test_a_bracket_of_a_quoted_sentence_is_no_citation(browser: Browser, told: Served) -> None:
    context = browser.new_context(viewport={"width": 1280, "height": 800})
    page = context.new_page()
    page.goto(told.address)
    page.locator("#question").fill("how is the quantum flux measured")
    expect(page.locator(".result").first).to_be_visible()
    page.get_by_role("button", name="Answer", exact=True).click()
    expect(page.locator(".answer .text")).to_contain_text(QUOTED)
    expect(page.locator(".answer .text .cite")).to_have_count(1)
    expect(page.locator(".answer .text")).not_to_contain_text("\\")
    context.close()
