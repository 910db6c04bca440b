"""Slow clients with real sockets: those of one key leave room for others, and stalled ones end."""

from __future__ import annotations

import asyncio
import time
from contextlib import AsyncExitStack

import httpx
import pytest

from pincite.surfaces.http.guard import GuardLimits
from tests.surfaces.http.listening import listening
from tests.surfaces.http.slow_uploads import SLOTS, slow, taken
from tests.surfaces.http.workspace_server import HOST, Person, workspace_server

pytestmark = pytest.mark.anyio


async def upload(port: int, who: Person) -> httpx.Response:
    headers = {"host": HOST, "authorization": f"Bearer {who.key}"}
    async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}", timeout=60) as client:
        path = "/v1/documents?filename=b.txt"
        return await client.post(path, content=b"the quetzal flies", headers=headers)


async def test_slow_uploads_of_one_key_leave_those_of_others_alone() -> None:
    async with workspace_server() as served, listening(served) as port, AsyncExitStack() as stack:
        anna, bert = await served.person("Anna"), await served.person("Bert")
        for _ in range(GuardLimits().each):
            await stack.enter_async_context(slow(port, anna))
        await taken(served, GuardLimits().streams_each)
        began_s = time.monotonic()
        assert (await upload(port, bert)).status_code == 202
        assert time.monotonic() - began_s < GuardLimits().wait_s


async def test_a_body_of_which_nothing_more_arrives_ends() -> None:
    limits = GuardLimits(idle_s=0.5)
    async with workspace_server(guard=limits) as served, listening(served) as port:
        anna = await served.person("Anna")
        async with slow(port, anna) as stalled, slow(port, anna, size=8) as trickling:
            for _ in range(7):
                await asyncio.sleep(0.1)
                await trickling.send(b"a")
            assert await trickling.status() == 202
            assert await stalled.status() == 408
        assert await served.resources.files.older_than(3_600) == ()
        said = await upload(port, anna)
        assert said.status_code == 202


async def test_a_download_may_take_as_long_as_an_upload() -> None:
    limits = GuardLimits(seconds=1, stream_s=60)
    async with workspace_server(guard=limits) as served, listening(served) as port:
        anna = await served.person("Anna")
        raw = b"quetzal " * 2_000_000
        made = await anna.upload("a.txt", raw)
        reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=65_536)
        head = f"GET /v1/documents/{made['id']}/content HTTP/1.1\r\nhost: {HOST}\r\n"
        writer.write(f"{head}authorization: Bearer {anna.key}\r\n\r\n".encode())
        assert int((await reader.readline()).split()[1]) == 200
        await asyncio.sleep(2)
        await reader.readuntil(b"\r\n\r\n")
        assert await reader.readexactly(len(raw)) == raw
        writer.close()


async def test_who_finds_no_slot_for_an_upload_is_told_when_to_come_back() -> None:
    limits = GuardLimits(wait_s=0.2, streams_each=SLOTS // 2)
    async with workspace_server(guard=limits) as served, listening(served) as port:
        anna, bert, eve = [await served.person(one) for one in ("Anna", "Bert", "Eve")]
        async with AsyncExitStack() as stack:
            for who in (anna, bert):
                for _ in range(SLOTS // 2):
                    await stack.enter_async_context(slow(port, who))
            await taken(served, SLOTS)
            said = await upload(port, eve)
            assert (said.status_code, said.json()["code"]) == (503, "rate_limited")
            assert said.headers["retry-after"] == "1"
        async with asyncio.timeout(30):
            while (await upload(port, eve)).status_code != 202:  # noqa: ASYNC110
                await asyncio.sleep(0.05)


async def test_what_is_no_file_as_it_is_makes_no_document() -> None:
    async with workspace_server() as served:
        anna = await served.person("Anna")
        made = await anna.upload("a.txt", "the quetzal flies")
        paths = (
            ("POST", "/v1/documents?filename=b.txt"),
            ("PUT", f"/v1/documents/{made['id']}/content"),
        )
        sent = (
            {"files": {"file": ("b.txt", b"the heron wades")}},
            {"content": b"x", "headers": {"content-type": "Multipart/Mixed; boundary=b"}},
            {"content": b"x", "headers": {"content-encoding": "gzip"}},
        )
        for method, path in paths:
            for one in sent:
                said = await anna.client.request(method, path, **one)
                assert (said.status_code, said.json()["code"]) == (415, "unsupported_body")
                assert "--data-binary" in said.json()["hint"]
            plain = {
                "content-encoding": "identity",
                "content-type": "application/x-www-form-urlencoded",
            }
            said = await anna.client.request(method, path, content=b"x", headers=plain)
            assert said.status_code == 202
        listed = (await anna.client.get("/v1/documents")).json()["items"]
        assert sorted(one["filename"] for one in listed) == ["a.txt", "b.txt"]
