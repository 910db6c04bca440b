"""The page of the server: files that anybody may have, and nothing of anybody in them."""

from __future__ import annotations

import asyncio

import httpx
import pytest

from pincite.surfaces.http.app import Names, make_app
from pincite.surfaces.page.files import page_files
from tests.surfaces.http.workspace_server import HOST, workspace_server


async def asked(*paths: str, page: bool = True, **headers: str) -> list[httpx.Response]:
    async with workspace_server() as made:
        made.app = make_app(made.resources, Names((HOST,)), page=page)
        client = await made.client()
        return [await client.get(path, headers=headers) for path in paths]


def test_every_file_comes_without_a_key_under_the_strict_policy() -> None:
    names = [f"/ui/{name}" for name in page_files("key", "/ui/") if name]
    for found in asyncio.run(asked("/ui", "/ui/", *names)):
        assert found.status_code == 200
        (policy,) = found.headers.get_list("content-security-policy")
        assert policy.startswith("default-src 'none'; script-src 'self';")
        assert "unsafe" not in policy
        assert found.headers["x-content-type-options"] == "nosniff"
        assert found.headers["referrer-policy"] == "no-referrer"


def test_the_page_names_its_files_under_its_own_path() -> None:
    (found,) = asyncio.run(asked("/ui"))
    assert 'src="/ui/app.js"' in found.text
    assert 'href="/ui/style.css"' in found.text
    assert 'data-credential="key"' in found.text


@pytest.mark.parametrize("name", ["none", "..%2f..%2fguard.py", "index.html", "api"])
def test_there_is_nothing_else_under_its_path(name: str) -> None:
    (found,) = asyncio.run(asked(f"/ui/{name}"))
    assert found.status_code == 404


def test_it_can_be_switched_off() -> None:
    for found in asyncio.run(asked("/ui", "/ui/app.js", page=False)):
        assert found.status_code == 404


def test_routes_with_data_keep_the_policy_that_allows_nothing() -> None:
    for found in asyncio.run(asked("/openapi.json", "/healthz", "/uix", "/ui/api/ask")):
        assert "script-src" not in found.headers["content-security-policy"]


def test_a_host_that_rebinds_gets_no_page() -> None:
    (found,) = asyncio.run(asked("/ui", host="evil.example"))
    assert found.status_code == 421
