"""Each response is counted and logged, and requests that a server ends are told so."""

from __future__ import annotations

import asyncio
import json
import logging
import re
from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest

from pincite.surfaces.http.guard import Guard, GuardLimits
from pincite.surfaces.http.requests import Message, Receive, Scope, Send
from pincite.workspace.workspace import Workspace
from tests.surfaces.http.listening import listening
from tests.surfaces.http.slow_uploads import slow, taken
from tests.surfaces.http.workspace_server import HOST, workspace_server

pytestmark = pytest.mark.anyio
SCOPE = {"type": "http", "method": "GET", "path": "/v1/me", "headers": [(b"host", HOST.encode())]}


def events(caplog: pytest.LogCaptureFixture) -> list[int]:
    return [
        one.__dict__["event"]["status"] for one in caplog.records if one.getMessage() == "request"
    ]


async def test_a_refusal_is_an_event_and_is_counted(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "pincite.http")
    async with workspace_server(guard=GuardLimits(at_once=0, waiting=0)) as served:
        client = await served.client("pin_x")
        assert (await client.get("/v1/me")).status_code == 503
        assert (await client.get("/v1/me", headers={"host": "other"})).status_code == 421
        assert (await client.get("/v1/me", headers={"origin": "http://x.org"})).status_code == 403
    assert events(caplog) == [503, 421, 403]
    (error,) = [one for one in caplog.records if one.levelno == logging.ERROR]
    assert re.match("[0-9a-f]{16} TooManyRequests: the server is at its limit", error.getMessage())


async def test_metrics_have_the_refusals_beside_all_others() -> None:
    async with workspace_server() as served:
        olga = await served.person("Olga", ["admin"])
        assert (await olga.client.get("/v1/me", headers={"host": "other"})).status_code == 421
        assert (await (await served.client()).get("/v1/spaces")).status_code == 401
        told = (await olga.client.get("/metrics")).text
    assert re.search(
        r'pincite_requests_total\{operation="none",process=".+",status="421"\} 1', told
    )
    assert len(re.findall(r'pincite_requests_total\{.*status="401"\} 1', told)) == 1


async def test_an_upload_that_the_server_ends_gets_503(caplog: pytest.LogCaptureFixture) -> None:
    async with workspace_server() as served, listening(served) as port:
        anna = await served.person("Anna")
        async with slow(port, anna) as upload:
            await taken(served, 1)
            served.app.end()
            head, body = await upload.whole()
    assert head.startswith("HTTP/1.1 503 ")
    assert "retry-after: 2\r\n" in head.lower()
    assert "connection: close\r\n" in head.lower()
    problem = json.loads(body)
    assert f"x-request-id: {problem['request_id']}" in head.lower()
    assert problem["code"] == "unavailable"
    errors = [one for one in caplog.records if one.levelno == logging.ERROR]
    assert [one.exc_info for one in errors] == [None]


@pytest.mark.parametrize(
    ("path", "body"),
    [("/v1/answers", {"question": "x", "stream": True}), ("/ui/api/answer", {"text": "x"})],
)
async def test_a_stream_that_the_server_ends_has_a_problem_as_its_last_event(
    path: str, body: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    begun = asyncio.Event()

    async def hangs(*_: Any, **__: Any) -> AsyncIterator[Any]:
        begun.set()
        await asyncio.sleep(600)
        yield None

    monkeypatch.setattr(Workspace, "answer_stream", hangs)
    async with workspace_server() as served, listening(served) as port:
        anna = await served.person("Anna")
        headers = {"host": HOST, "authorization": f"Bearer {anna.key}"}
        async with (
            httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}", timeout=60) as client,
            client.stream("POST", path, json=body, headers=headers) as said,
        ):
            assert said.status_code == 200
            await begun.wait()
            served.app.end()
            last = [line async for line in said.aiter_lines() if line][-1]
    problem = json.loads(last.removeprefix("data: "))
    assert problem.get("problem", problem)["code"] == "unavailable"


async def test_a_stream_that_takes_too_long_has_a_problem_as_its_last_event() -> None:
    async def hangs(scope: Scope, receive: Receive, send: Send) -> None:
        heads = [(b"content-type", b"text/event-stream; charset=utf-8")]
        await send({"type": "http.response.start", "status": 200, "headers": heads})
        await asyncio.sleep(600)

    sent = list[Message]()

    async def send(message: Message) -> None:
        sent.append(message)

    async def receive() -> Message:
        return {"type": "http.disconnect"}

    limits = GuardLimits(seconds=0.05)
    guard = Guard(hangs, frozenset((HOST,)), frozenset(), limits, lambda *_: None)
    await guard(dict(SCOPE), receive, send)
    assert sent[-1]["body"].startswith(b"event: problem\r\ndata: {")
    assert b'"code":"timed_out"' in sent[-1]["body"]


async def test_a_request_that_its_caller_cancels_is_cancelled() -> None:
    async def hangs(scope: Scope, receive: Receive, send: Send) -> None:
        await asyncio.sleep(600)

    async def nothing(*_: object) -> Any:
        return {}

    guard = Guard(hangs, frozenset((HOST,)), frozenset(), GuardLimits(), lambda *_: None)
    task = asyncio.create_task(guard(dict(SCOPE), nothing, nothing))
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
