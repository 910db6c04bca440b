"""The page of `pincite serve` in a real browser: each key sees what is its user's."""

from __future__ import annotations

import json
import os
import re
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass

import httpx
import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, expect

from tests.readers.pdf.files import typeset
from tests.surfaces.http.example_server import PINCITE, serving
from tests.time_limits import HANGS_S

TEXT = """# Beasts <script>window.hacked = 1</script>

The {0} of the archive sleeps under the third shelf, and keeps the keys.
[here](javascript:window.hacked=2) <svg onload="window.hacked=3"><a href="javascript:hacked=4">x</a>
![x](https://far.example/x.png) <img src=x onerror="window.hacked=5">
"""
NAME = "<img src=x onerror=hacked=6>{0}.md"


PAPER = """#set page(width: 400pt, height: 500pt)
= Lamps
Nothing of it stands on this page.
#pagebreak()
= Beasts
The lamp of the cellar burns beside the quagga.
"""


@dataclass(frozen=True)
class Server:
    """A server with the keys of two users, each of whom has a document."""

    url: str
    keys: dict[str, str]


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with serving() as served:
        kept = ("PATH", "HOME", "PYTHONPATH")
        environ = {name: os.environ[name] for name in kept if name in os.environ}
        environ["PINCITE_INDEX"] = str(served.folder / "index")
        scopes = ("--name", "bert", "--scope", "search", "--scope", "write")
        made = subprocess.run(
            [*PINCITE, "workspace", "key", "add", served.names["USER_ID"], *scopes, "--json"],
            cwd=served.folder,
            env=environ,
            capture_output=True,
            text=True,
            check=True,
            timeout=HANGS_S,
        )
        ada = (served.folder / "key.txt").read_text().split()[-1]
        keys = {"ocelot": ada, "zanzibar": json.loads(made.stdout)["key"]}
        for word, key in keys.items():
            headers = {"Authorization": f"Bearer {key}"}
            with httpx.Client(base_url=served.url, headers=headers, timeout=60) as client:
                upload(client, NAME.format(word), TEXT.format(word).encode())
                if word == "ocelot":
                    upload(client, "paper.pdf", typeset(PAPER))
        yield Server(served.url, keys)


def upload(client: httpx.Client, name: str, body: bytes) -> None:
    said = client.post("/v1/documents", params={"filename": name}, content=body)
    ready = f"/v1/documents/{said.json()['id']}"
    while client.get(ready).json()["status"] in ("pending", "indexing"):
        time.sleep(0.1)
    assert client.get(ready).json()["status"] == "ready"


@pytest.fixture
def page(browser: Browser, server: Server) -> Iterator[Page]:
    context = browser.new_context(viewport={"width": 1280, "height": 800})
    opened, said, asked = context.new_page(), list[str](), list[str]()
    opened.on("console", lambda message: said.append(message.text))
    opened.on("pageerror", lambda error: said.append(str(error)))
    opened.on("request", lambda request: asked.append(request.url))
    opened.goto(f"{server.url}/ui")
    yield opened
    assert opened.evaluate("window.hacked") is None
    assert opened.locator("#page script, #page iframe").count() == 0
    assert opened.locator("#page img:not([src^='data:image/png;base64,'])").count() == 0
    context.close()
    assert [one for one in said if "401" not in one] == []
    assert [url for url in asked if not url.startswith((f"{server.url}/", "data:"))] == []
    assert not any(key in url for url in asked for key in server.keys.values())


def unlock(page: Page, key: str) -> None:
    page.get_by_label("Key of this server").fill(key)
    page.keyboard.press("Enter")


def ask(page: Page, question: str) -> None:
    page.locator("#question").fill(question)
    expect(page.locator(".verdict")).to_be_visible()
    expect(page.locator(".result").first).to_be_visible()


def test_each_user_sees_what_is_theirs_and_nothing_of_the_other(page: Page, server: Server) -> None:
    for own, other in (("ocelot", "zanzibar"), ("zanzibar", "ocelot")):
        unlock(page, server.keys[own])
        expect(page.locator("#question")).to_be_visible()
        assert page.locator(".result").count() == 0
        ask(page, "who sleeps under the third shelf of the archive")
        expect(page.locator(".found")).to_contain_text(f"{own}.md")
        assert other not in page.locator("#page").inner_text()
        page.locator(".place").first.click()
        expect(page.locator(".rendered .cited").first).to_contain_text("Beasts <script>")
        page.keyboard.press("s")
        expect(page.locator(".line.cited").first).to_contain_text("Beasts <script>")
        page.keyboard.press("Escape")
        page.get_by_role("button", name="Answer", exact=True).click()
        expect(page.locator(".answer .cite").first).to_be_visible()
        assert other not in page.locator("#page").inner_text()
        page.get_by_role("button", name="Forget the key").click()
        expect(page.get_by_label("Key of this server")).to_be_focused()
        assert own not in page.locator("#page").inner_text()
        assert page.evaluate("JSON.stringify({...sessionStorage, ...localStorage})") == "{}"


def test_a_key_that_is_not_known_is_refused_in_words_and_forgotten(page: Page) -> None:
    unlock(page, "pin_nothing")
    expect(page.get_by_role("alert")).to_contain_text("does not know this key")
    expect(page.get_by_label("Key of this server")).to_be_focused()
    assert page.evaluate("sessionStorage.length") == 0


def test_what_comes_after_the_key_is_forgotten_is_not_shown_to_the_next(
    page: Page, server: Server
) -> None:
    unlock(page, server.keys["ocelot"])
    page.route("**/ui/api/ask", lambda _: None)  # no answer comes
    with page.expect_request("**/ui/api/ask"):
        page.locator("#question").fill("ocelot")
    with page.expect_event("requestfailed") as ended:
        page.get_by_role("button", name="Forget the key").click()
    assert ended.value.url.endswith("/ui/api/ask")
    page.unroute("**/ui/api/ask")
    unlock(page, server.keys["zanzibar"])
    expect(page.locator("#question")).to_have_value("")
    assert page.locator(".verdict, .result").count() == 0


def test_a_key_that_is_none_is_not_sent(page: Page) -> None:
    unlock(page, "zwei Wörter")
    expect(page.get_by_role("alert")).to_contain_text("letters, digits")


def test_the_key_is_in_no_storage_no_address_and_no_other_page(page: Page, server: Server) -> None:
    unlock(page, server.keys["ocelot"])
    ask(page, "ocelot")
    assert page.url == f"{server.url}/ui"
    assert (
        page.evaluate("localStorage.length + sessionStorage.length + document.cookie.length") == 0
    )
    assert page.evaluate("history.state") is None
    with page.context.expect_page() as opened:
        page.evaluate("window.open('/ui')")
    expect(opened.value.get_by_label("Key of this server")).to_be_visible()
    opened.value.close()
    page.reload()
    expect(page.get_by_label("Key of this server")).to_be_visible()
    assert page.locator(".result").count() == 0


def test_stages_and_two_profiles_are_shown_as_in_the_page_of_an_index(
    page: Page, server: Server
) -> None:
    unlock(page, server.keys["ocelot"])
    ask(page, "ocelot")
    page.locator("summary").first.click()
    expect(page.locator(".flow").first).to_contain_text("→")
    expect(page.locator(".stages").first).to_contain_text("retrieve")
    page.get_by_label("Compare").check()
    expect(page.locator(".side")).to_have_count(2)
    page.get_by_role("combobox").nth(1).select_option("evidence")
    expect(page.locator(".elsewhere").first).to_contain_text("in the other")
    found = Axe().run(page)
    assert found.violations_count == 0, found.generate_report()


def test_a_page_of_an_uploaded_pdf_is_shown_with_its_boxes(page: Page, server: Server) -> None:
    unlock(page, server.keys["ocelot"])
    ask(page, "which lamp burns beside the quagga")
    expect(page.locator(".place").first).to_contain_text("paper.pdf#page=2")
    page.locator(".place").first.click()
    expect(page.locator(".sheet img")).to_have_attribute(
        "alt", re.compile("Page 2, with [1-9] marked")
    )
    expect(page.locator(".sheet .box").first).to_be_visible()
    expect(page.locator(".line.cited", has_text="quagga")).to_be_attached()


def test_judgements_are_not_offered_where_nobody_keeps_them(page: Page, server: Server) -> None:
    unlock(page, server.keys["ocelot"])
    ask(page, "ocelot")
    assert page.locator(".judge").count() == 0
    page.keyboard.press("Escape")  # out of the box
    page.keyboard.press("j")
    page.keyboard.press("3")
    page.locator("summary").first.click()
    expect(page.locator("details[open] td").first).to_be_visible()
    for width in (390, 768, 1280):
        page.set_viewport_size({"width": width, "height": 800})
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        found = Axe().run(page)
        assert found.violations_count == 0, found.generate_report()
    page.get_by_role("button", name="Forget the key").click()
    found = Axe().run(page)
    assert found.violations_count == 0, found.generate_report()
