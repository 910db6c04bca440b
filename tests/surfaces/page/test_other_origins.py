"""Pages of other origins in a real browser: an allowed one uses both APIs, another one neither."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from tests.surfaces.http.example_server import serving
from tests.surfaces.mcp.conftest import indexed  # noqa: F401 - a fixture
from tests.surfaces.mcp.messages import JSON, OLD, start
from tests.time_limits import HANGS_S

_SEND = """async ([url, options]) => {
    try {
        const said = await fetch(url, options);
        const headers = Object.fromEntries(said.headers);
        return {status: said.status, headers, text: await said.text()};
    } catch (error) {
        return {failed: String(error)};
    }
}"""


class _Blank(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("content-type", "text/html")
        self.end_headers()

    def log_message(self, *_: Any) -> None: ...


@contextmanager
def page_at(browser: Browser) -> Iterator[Page]:
    """An empty page at an origin of its own."""
    with ThreadingHTTPServer(("127.0.0.1", 0), _Blank) as server:
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        opened = browser.new_context().new_page()
        opened.goto(f"http://127.0.0.1:{server.server_port}/")
        yield opened
        opened.context.close()
        server.shutdown()


@pytest.fixture
def pages(browser: Browser) -> Iterator[tuple[Page, Page]]:
    """The allowed page and another one."""
    with page_at(browser) as allowed, page_at(browser) as other:
        yield allowed, other


def send(page: Page, url: str, **options: Any) -> Any:
    return page.evaluate(_SEND, [url, options])


def origin(page: Page) -> str:
    return page.url.rstrip("/")


def test_an_allowed_page_uses_the_server_with_a_key(pages: tuple[Page, Page]) -> None:
    allowed, other = pages
    with serving("--allow-origin", origin(allowed)) as served:
        key = (served.folder / "key.txt").read_text().split()[-1]
        headers = {"authorization": f"Bearer {key}", "content-type": "application/json"}
        space = {
            "method": "POST",
            "headers": headers | {"idempotency-key": "1"},
            "body": '{"name": "Team"}',
        }
        made = send(allowed, f"{served.url}/v1/spaces", **space)
        assert made["status"] == 201
        assert made["headers"]["x-request-id"]
        for method in ("GET", "DELETE"):
            said = send(allowed, f"{served.url}/v1/facts", method=method, headers=headers)
            assert said["status"] == 200
        refused = send(allowed, f"{served.url}/v1/nothing", headers=headers)
        assert (refused["status"], "not_found" in refused["text"]) == (404, True)
        wrong = {"headers": headers | {"authorization": "Bearer pin_no"}}
        assert send(allowed, f"{served.url}/v1/spaces", **wrong)["status"] == 401
        for options in (space, {"headers": headers}, {}):
            assert "failed" in send(other, f"{served.url}/v1/spaces", **options)


def test_an_allowed_page_opens_a_session_of_mcp(
    pages: tuple[Page, Page],
    indexed: Any,  # noqa: F811
) -> None:
    allowed, other = pages
    server = start(indexed, "--http", "--port", "0", "--allow-origin", origin(allowed))
    assert server.stderr is not None
    try:
        found = re.search(r"http://127\.0\.0\.1:\d+/mcp", server.stderr.readline())
        assert found is not None
        opened = send(allowed, found[0], method="POST", headers=JSON, body=json.dumps(OLD))
        assert opened["status"] == 200
        session = {
            "mcp-session-id": opened["headers"]["mcp-session-id"],
            "mcp-protocol-version": "2025-11-25",
        }
        told = {"jsonrpc": "2.0", "method": "notifications/initialized"}
        said = send(allowed, found[0], method="POST", headers=JSON | session, body=json.dumps(told))
        assert said["status"] == 202
        assert send(allowed, found[0], method="DELETE", headers=session)["status"] == 200
        assert "failed" in send(other, found[0], method="POST", headers=JSON, body=json.dumps(OLD))
    finally:
        server.terminate()
        server.communicate(timeout=HANGS_S)
