"""A request of the page whose body does not arrive is refused."""

from __future__ import annotations

import asyncio
from collections.abc import MutableMapping
from pathlib import Path
from typing import Any, cast

from pincite.engine import AsyncPincite
from pincite.surfaces.page.app import PageResources, make_app
from tests.time_limits import HANGS_S


def test_a_body_that_never_arrives_is_answered_with_408() -> None:
    headers = [(b"host", b"x"), (b"x-pincite-token", b"token"), (b"content-length", b"20")]
    scope = {
        "type": "http",
        "method": "POST",
        "path": "/api/about",
        "raw_path": b"/api/about",
        "headers": headers,
        "query_string": b"",
        "root_path": "",
        "http_version": "1.1",
    }
    told: list[int] = []

    async def receive() -> MutableMapping[str, Any]:
        await asyncio.Event().wait()
        raise AssertionError

    async def send(message: MutableMapping[str, Any]) -> None:
        if "status" in message:
            told.append(message["status"])

    app = make_app(PageResources(cast("AsyncPincite", None), Path("x")), ["x"], "token", 0.1)
    asyncio.run(asyncio.wait_for(app(scope, receive, send), HANGS_S))
    assert told == [408]
