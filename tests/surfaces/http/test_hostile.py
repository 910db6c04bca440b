"""Strangers, floods and mistakes: each has a named answer, and none is a fault of the server."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress
from typing import Any

import httpx
import pytest

from pincite.errors import WorkspaceUnavailable
from pincite.model import Notice
from pincite.support.fields import replace
from pincite.surfaces.http.guard import GuardLimits
from pincite.surfaces.http.resources import RequestLimits
from tests.surfaces.http.listening import listening
from tests.surfaces.http.workspace_server import HOST, Person, WorkspaceServer, workspace_server

pytestmark = pytest.mark.anyio


@pytest.fixture(scope="module")
async def served() -> AsyncIterator[WorkspaceServer]:
    async with workspace_server(
        limits=RequestLimits(100_000, file_bytes=1_000, body_bytes=20_000)
    ) as made:
        yield made


@pytest.fixture(scope="module")
async def anna(served: WorkspaceServer) -> Person:
    return await served.person("Anna")


@pytest.mark.parametrize(
    ("headers", "status", "code"),
    [
        ({"host": "evil.example"}, 421, "wrong_host"),
        ({"host": "pincite.test.evil.example"}, 421, "wrong_host"),
        ({"origin": "https://evil.example"}, 403, "wrong_origin"),
        ({"origin": "null"}, 403, "wrong_origin"),
        ({"origin": "http://pincite.test"}, 200, ""),
    ],
)
async def test_names_and_pages_of_others_are_refused(
    anna: Person, headers: dict[str, str], status: int, code: str
) -> None:
    said = await anna.client.get("/v1/spaces", headers=headers)
    assert said.status_code == status
    assert code in said.text


async def test_a_request_with_two_keys_is_refused(anna: Person) -> None:
    bearer = f"Bearer {anna.key}"
    for other in (bearer, "Bearer pin_other", ""):
        twice = [("authorization", bearer), ("authorization", other)]
        said = await anna.client.get("/v1/spaces", headers=httpx.Headers(twice))
        assert (said.status_code, said.json()["code"]) == (400, "invalid_request")
        assert "several Authorization headers" in said.json()["detail"]


async def test_a_request_with_two_lengths_is_refused_and_its_connection_closed(
    served: WorkspaceServer, anna: Person
) -> None:
    body = '{"question": "quetzal"}'
    head = f"POST /v1/search HTTP/1.1\r\nhost: {HOST}\r\nauthorization: Bearer {anna.key}\r\n"
    lengths = f"content-length: {len(body)}\r\ntransfer-encoding: chunked\r\n"
    async with listening(served) as port:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(f"{head}{lengths}\r\n{len(body):x}\r\n{body}\r\n0\r\n\r\n".encode())
        said = await asyncio.wait_for(reader.read(), 60)  # to its end
        writer.close()
    assert said.startswith(b"HTTP/1.1 400 ")
    assert b"both Content-Length and Transfer-Encoding" in said


@pytest.mark.parametrize(
    ("body", "named"),
    [
        ({}, "question"),
        ({"question": ""}, "question"),
        ({"question": "x" * 10_001}, "question"),
        ({"question": 7}, "question"),
        ({"question": "x", "limit": 0}, "limit"),
        ({"question": "x", "limit": 1_000}, "limit"),
        ({"question": "x", "limit": True}, "limit"),
        ({"question": "x", "user_id": "00000000-0000-0000-0000-000000000001"}, "user_id"),
        ({"question": "x", "where": "space_id = 'a'"}, "where"),
        ({"question": "x", "space_id": "../../etc"}, "space_id"),
        ({"question": "x", "document_ids": ["1"]}, "document_ids"),
        ({"question": "x", "by": "magic"}, "by"),
    ],
)
async def test_a_body_that_cannot_be_is_refused_by_its_field(
    anna: Person, body: dict[str, Any], named: str
) -> None:
    said = await anna.client.post("/v1/search", json=body)
    assert (said.status_code, said.json()["code"]) == (400, "invalid_request")
    assert named in said.text


@pytest.mark.parametrize(
    "raw", [b"", b"{", b"\xff\xfe", b'"text"', b"[" * 5_000, b'{"question":"\xff"}', b"null"]
)
async def test_what_is_no_json_is_refused(anna: Person, raw: bytes) -> None:
    said = await anna.client.post(
        "/v1/search", content=raw, headers={"content-type": "application/json"}
    )
    assert (said.status_code, said.json()["code"]) == (400, "invalid_request")


async def test_what_is_too_large_is_refused_and_leaves_nothing(
    served: WorkspaceServer, anna: Person
) -> None:
    said = await anna.client.post("/v1/search", json={"question": "x", "space_id": "y" * 30_000})
    assert (said.status_code, said.json()["code"]) == (413, "too_large")
    lie = {"content-length": "999999999999"}
    for content, headers in ((b"x" * 2_000, {}), (b"x", lie), (pieces(), {})):
        said = await anna.client.post(
            "/v1/documents", params={"filename": "x.txt"}, content=content, headers=headers
        )
        assert (said.status_code, said.json()["code"]) == (413, "too_large")
    assert (await anna.client.get("/v1/documents")).json()["items"] == []
    assert await served.resources.files.older_than(-1) == ()


async def pieces() -> AsyncIterator[bytes]:
    """More than a file may have, without saying how much."""
    for _ in range(100):
        yield b"x" * 100


@pytest.mark.parametrize(
    "name",
    [
        *("../x", "/etc/passwd", "a/b", "a\\b", "..", " ", "x\0y", "x\u202ey.txt", "é" * 200),
        *("\n", "\u3000\u200d"),
    ],
)
async def test_a_filename_is_a_name(anna: Person, name: str) -> None:
    said = await anna.client.post("/v1/documents", params={"filename": name}, content=b"x")
    assert (said.status_code, said.json()["code"]) == (400, "invalid_request")


@pytest.mark.parametrize("sign", ["\u3000", "\u202f", "\xa0", "\u200c", "\u200d", "\U0001faea"])
async def test_a_name_has_the_spaces_and_joiners_of_its_language(anna: Person, sign: str) -> None:
    name = f"a{sign}b"
    made = await anna.upload(f"{name}.txt", "x", source_ids=[name])
    assert (made["filename"], made["source_ids"]) == (f"{name}.txt", [name])
    for path, field in (("spaces", "name"), ("conversations", "title")):
        said = await anna.client.post(f"/v1/{path}", json={field: name})
        assert said.json()[field] == name
    await anna.client.delete(f"/v1/documents/{made['id']}")


@pytest.mark.parametrize("sign", ["\0", "\x85", "\u2028", "\u200b", "\u202e", "\u2066", "\ufeff"])
async def test_a_hidden_character_is_refused_by_its_number(anna: Person, sign: str) -> None:
    name, named = f"a{sign}b", f"U+{ord(sign):04X}"
    upload = {"filename": "a.txt", "source_ids": name}
    for said in (
        await anna.client.post("/v1/documents", params={"filename": name}, content=b"x"),
        await anna.client.post("/v1/documents", params=upload, content=b"x"),
        await anna.client.post("/v1/spaces", json={"name": name}),
    ):
        assert said.status_code == 400
        assert named in said.json()["detail"]


@pytest.mark.parametrize(
    ("name", "raw", "reason"),
    [
        ("x", b"\0\1\2", "not read"),
        ("x.txt", b"a\0b", "binary"),
        ("x.txt", b"   \n", "empty"),
        ("x.pdf", b"%PDF-1.7 nothing", "broken"),
    ],
)
async def test_a_file_that_cannot_be_read_fails_with_its_reason(
    served: WorkspaceServer, anna: Person, name: str, raw: bytes, reason: str
) -> None:
    made = await anna.upload(name, raw)
    await served.work()
    found = (await anna.client.get(f"/v1/documents/{made['id']}")).json()
    assert found["status"] == "failed"
    assert reason in found["error"]
    await anna.client.delete(f"/v1/documents/{made['id']}")
    await served.work()


async def test_a_key_that_asks_too_often_is_told_when_to_come_back() -> None:
    async with workspace_server(limits=RequestLimits(per_minute=3)) as served:
        anna, bert = await served.person("Anna"), await served.person("Bert")
        for _ in range(3):
            assert (await anna.client.get("/v1/spaces")).status_code == 200
        said = await anna.client.get("/v1/spaces")
        assert (said.status_code, said.json()["code"]) == (429, "rate_limited")
        assert 1 <= int(said.headers["retry-after"]) <= 61
        assert (await bert.client.get("/v1/spaces")).status_code == 200


async def test_a_full_server_says_so_and_its_health_is_still_told(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with workspace_server(guard=GuardLimits(at_once=1, waiting=1)) as served:
        anna = await served.person("Anna")
        going, hold = asyncio.Event(), asyncio.Event()
        workspaces = served.resources.workspaces
        original = workspaces.administration

        def held() -> Any:
            going.set()
            return _After(hold, original())

        monkeypatch.setattr(workspaces, "administration", held)
        waiting = [asyncio.create_task(anna.client.get("/v1/spaces")) for _ in range(2)]
        await going.wait()
        await asyncio.sleep(0)
        refused = await anna.client.get("/v1/spaces")
        assert (refused.status_code, refused.json()["code"]) == (503, "rate_limited")
        assert refused.headers["retry-after"]
        assert (await anna.client.get("/healthz")).status_code == 200
        hold.set()
        assert [one.status_code for one in await asyncio.gather(*waiting)] == [200, 200]


class _After:
    """A transaction that begins once it may."""

    def __init__(self, may: asyncio.Event, inner: Any) -> None:
        self._may, self._inner = may, inner

    async def __aenter__(self) -> Any:
        await self._may.wait()
        return await self._inner.__aenter__()

    async def __aexit__(self, *given: Any) -> Any:
        return await self._inner.__aexit__(*given)


async def test_a_request_that_takes_too_long_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    async with workspace_server(guard=GuardLimits(seconds=0.2)) as served:
        anna = await served.person("Anna")

        async def search(*_: Any, **__: Any) -> Any:
            await asyncio.Event().wait()

        monkeypatch.setattr(type(served.resources.workspace), "search", search)
        said = await anna.client.post("/v1/search", json={"question": "x"})
        assert (said.status_code, said.json()["code"]) == (504, "timed_out")


async def test_a_database_that_is_away_is_a_503_without_its_address(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with workspace_server() as served:
        anna = await served.person("Anna")

        def away() -> Any:
            raise WorkspaceUnavailable("postgresql://app:secret@db does not answer")

        monkeypatch.setattr(served.resources.workspaces, "administration", away)
        said = await anna.client.get("/v1/spaces")
        assert (said.status_code, said.json()["code"]) == (503, "unavailable")
        assert said.headers["retry-after"]
        assert "secret" not in said.text


async def test_a_fault_is_told_by_its_number_alone(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async with workspace_server() as served:
        anna = await served.person("Anna")

        async def search(*_: Any, **__: Any) -> Any:
            raise RuntimeError("inside /srv/index")

        monkeypatch.setattr(type(served.resources.workspace), "search", search)
        said = await anna.client.post("/v1/search", json={"question": "my secret question"})
    assert (said.status_code, said.json()["code"]) == (500, "internal")
    assert "/srv/index" not in said.text
    assert said.json()["request_id"] in caplog.text
    assert "my secret question" not in caplog.text
    assert anna.key not in caplog.text


async def test_keys_questions_and_texts_are_in_no_log(
    served: WorkspaceServer, anna: Person, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("DEBUG")
    made = await anna.upload("secret.txt", "the zanzibar passphrase")
    await served.work()
    await anna.client.post("/v1/search", json={"question": "zanzibar"})
    assert "zanzibar" not in "\n".join(
        one.getMessage() for one in caplog.records if one.name.startswith("pincite")
    )
    assert anna.key not in caplog.text
    await anna.client.delete(f"/v1/documents/{made['id']}")


async def test_an_upload_that_is_cut_off_leaves_nothing(
    served: WorkspaceServer, anna: Person
) -> None:
    async def cut() -> AsyncIterator[bytes]:
        yield b"half"
        raise httpx.ReadError("gone")

    before = await served.resources.files.older_than(-1)
    with suppress(httpx.ReadError):
        await anna.client.post("/v1/documents", params={"filename": "x.txt"}, content=cut())
    assert await served.resources.files.older_than(-1) == before


async def test_who_leaves_before_its_body_is_complete_is_no_fault_of_the_server(
    served: WorkspaceServer, anna: Person, caplog: pytest.LogCaptureFixture
) -> None:
    said: list[Any] = []
    sent = iter([{"type": "http.request", "body": b"{", "more_body": True}])

    async def receive() -> Any:
        return next(sent, {"type": "http.disconnect"})

    async def send(message: Any) -> None:
        said.append(message)

    headers = {"host": HOST, "authorization": f"Bearer {anna.key}"}
    scope = {
        "type": "http",
        "method": "POST",
        "path": "/v1/search",
        "raw_path": b"/v1/search",
        "query_string": b"",
        "root_path": "",
        "client": None,
        "server": None,
        "headers": [(name.encode(), value.encode()) for name, value in headers.items()],
    }
    await served.app(scope, receive, send)
    assert said[0]["status"] == 400
    assert not caplog.records


async def test_uploads_that_never_end_hold_up_no_search() -> None:
    async with workspace_server(guard=GuardLimits(at_once=2, waiting=8)) as served:
        anna = await served.person("Anna")
        end = asyncio.Event()

        async def slowly() -> AsyncIterator[bytes]:
            yield b"one"
            await end.wait()

        going = [
            asyncio.create_task(
                anna.client.post("/v1/documents", params={"filename": "x.txt"}, content=slowly())
            )
            for _ in range(4)
        ]
        await asyncio.sleep(0)
        said = await anna.client.post("/v1/search", json={"question": "keys"})
        assert said.status_code == 200
        end.set()
        assert {one.status_code for one in await asyncio.gather(*going)} == {202}


async def test_who_asks_without_a_key_asks_the_database_once_a_second(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with workspace_server() as served:
        client, kind, count = await served.client(), type(served.resources.workspaces), 0
        pending = kind.pending

        async def counted(self: Any) -> Any:
            nonlocal count
            count += 1
            return await pending(self)

        monkeypatch.setattr(kind, "pending", counted)
        said = await asyncio.gather(*(client.get("/readyz") for _ in range(20)))
        assert {one.status_code for one in said} == {200}
        assert count == 1
        served.later(2)
        assert (await client.get("/readyz")).json()["ready"] is True
        assert count == 2


async def test_a_warning_names_what_failed_and_not_where(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async with workspace_server() as served:
        anna = await served.person("Anna")
        search = type(served.resources.workspace).search

        async def failing(self: Any, *given: Any, **keywords: Any) -> Any:
            pack = await search(self, *given, **keywords)
            away = Notice("dense_unavailable", "the request to http://10.0.0.7:9/v1 failed")
            return replace(pack, warnings=(away, Notice("nothing_in_scope", "kept")))

        monkeypatch.setattr(type(served.resources.workspace), "search", failing)
        said = await anna.client.post("/v1/search", json={"question": "keys"})
    codes = {one["code"]: one["message"] for one in said.json()["warnings"]}
    assert codes["nothing_in_scope"] == "kept"
    assert "dense unavailable" in codes["dense_unavailable"]
    assert "10.0.0.7" not in said.text
    assert "10.0.0.7" in caplog.text
