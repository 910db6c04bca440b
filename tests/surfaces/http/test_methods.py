"""What comes by the address alone, and by the method HEAD."""

from __future__ import annotations

from collections.abc import AsyncIterator

import httpx
import pytest

from pincite.surfaces.http.app import Names, make_app
from pincite.version import VERSION
from tests.surfaces.http.listening import listening
from tests.surfaces.http.workspace_server import HOST, WorkspaceServer, workspace_server

pytestmark = pytest.mark.anyio

WELCOME = {
    "name": "Pincite",
    "version": VERSION,
    "api": "/v1",
    "openapi": "/openapi.json",
    "page": "/ui",
}


@pytest.fixture
async def served() -> AsyncIterator[WorkspaceServer]:
    async with workspace_server() as made:
        yield made


async def test_the_address_alone_names_what_there_is(served: WorkspaceServer) -> None:
    stranger = await served.client()
    said = await stranger.get("/")
    assert (said.status_code, said.json()) == (200, WELCOME)
    for path in (WELCOME["openapi"], WELCOME["page"]):
        assert (await stranger.get(path)).status_code == 200
    assert (await stranger.post("/")).status_code == 405


async def test_without_the_page_none_is_named(served: WorkspaceServer) -> None:
    app = make_app(served.resources, Names((HOST,)), page=False)
    transport = httpx.ASGITransport(app=app)
    async with httpx.AsyncClient(transport=transport, base_url=f"http://{HOST}") as client:
        assert (await client.get("/")).json() == {**WELCOME, "page": None}
        assert (await client.get("/ui")).status_code == 404


async def test_head_is_answered_as_get_is_without_a_body(served: WorkspaceServer) -> None:
    anna, stranger = await served.person("Anna"), await served.client()
    made = await anna.upload("keys.md", "# Keys\n\nCall `rotate_key`.\n")
    content = f"/v1/documents/{made['id']}/content"
    for client in (anna.client, stranger):
        for path in ("/", "/healthz", "/readyz", "/ui", "/openapi.json", "/v1/spaces", content):
            head, get = await client.head(path), await client.get(path)
            assert (head.status_code, head.content) == (get.status_code, b""), path
            for name in ("content-type", "content-length", "content-security-policy"):
                assert head.headers.get(name) == get.headers.get(name), (path, name)
    for path, status in (("/v1/search", 405), ("/v1/nothing", 404)):
        assert (await anna.client.head(path)).status_code == status
    refused = await anna.client.head("/", headers={"host": "elsewhere.example"})
    assert (refused.status_code, refused.content) == (421, b"")


async def test_a_connection_goes_on_after_head(served: WorkspaceServer) -> None:
    anna = await served.person("Anna")
    made = await anna.upload("keys.md", "# Keys\n" * 40_000)
    headers = {"authorization": f"Bearer {anna.key}", "host": HOST}
    async with listening(served) as port:
        url = f"http://127.0.0.1:{port}"
        async with httpx.AsyncClient(base_url=url, headers=headers) as client:
            for _ in range(3):
                head = await client.head(f"/v1/documents/{made['id']}/content")
                assert (head.status_code, head.content) == (200, b"")
                listed = await client.get("/v1/documents")
                assert [one["id"] for one in listed.json()["items"]] == [made["id"]]


async def test_a_path_names_its_methods(served: WorkspaceServer) -> None:
    anna = await served.person("Anna")
    for path, methods in (
        ("/v1/documents", "GET, HEAD, OPTIONS, POST"),
        ("/v1/documents/x", "DELETE, GET, HEAD, OPTIONS, PATCH"),
        ("/v1/documents/x/content", "GET, HEAD, OPTIONS, PUT"),
        ("/v1/search", "OPTIONS, POST"),
        ("/healthz", "GET, HEAD, OPTIONS"),
        ("/ui/x.js", "GET, HEAD, OPTIONS"),
    ):
        refused = await anna.client.request("TRACE", path)
        asked = await anna.client.options(path)
        assert (refused.status_code, refused.headers.get("allow")) == (405, methods), path
        assert (asked.status_code, asked.headers.get("allow")) == (204, methods), path
        assert asked.content == b""
    for method in ("OPTIONS", "TRACE"):
        missing = await anna.client.request(method, "/v1/nothing")
        assert (missing.status_code, missing.headers.get("allow")) == (404, None)
