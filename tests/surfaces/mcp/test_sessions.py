"""Sessions beyond the limit: the one that was used longest ago ends."""

from __future__ import annotations

import asyncio
from collections.abc import MutableMapping
from typing import Any

from pincite.surfaces.mcp.sessions import SESSION, LimitedSessions


class Library:
    """The sessions of the protocol library. `wait` is what its requests wait for, `sending` what
    its answers to new sessions wait for."""

    def __init__(self) -> None:
        self.open: list[bytes] = []
        self.owners: dict[bytes, str] = {}
        self.made = 0
        self.wait: asyncio.Event | None = None
        self.sending: asyncio.Event | None = None

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        session: Any = dict(scope["headers"]).get(SESSION)
        headers: list[tuple[bytes, bytes]] = []
        known = (b"host", b"x") in scope["headers"]
        if not known or self.owners.get(session, scope["user"]) != scope["user"]:
            status = 404 if known else 421
            await send({"type": "http.response.start", "status": status, "headers": headers})
            await send({"type": "http.response.body"})
            return
        if scope["method"] == "DELETE":
            self.open.remove(session)
        elif session is None:
            self.made += 1
            self.open.append(str(self.made).encode())
            self.owners[self.open[-1]] = scope["user"]
            headers = [(SESSION, self.open[-1])]
        elif self.wait is not None:
            await self.wait.wait()
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        if session is None and self.sending is not None:
            await self.sending.wait()
        await send({"type": "http.response.body"})


async def ask(
    app: Any,
    session: bytes | None = None,
    method: str = "POST",
    host: bytes = b"x",
    user: str = "ann",
) -> None:
    headers = [(b"host", host)] + ([(SESSION, session)] if session else [])

    async def receive() -> MutableMapping[str, Any]:
        return {"type": "http.request", "body": b""}

    async def send(_: MutableMapping[str, Any]) -> None:
        pass

    scope = {"type": "http", "method": method, "headers": headers, "user": user}
    await app(scope, receive, send)


def test_a_new_session_ends_the_one_that_was_used_longest_ago() -> None:
    async def run() -> list[bytes]:
        library = Library()
        app = LimitedSessions(library, 3)
        for _ in range(3):
            await ask(app)
        await ask(app, b"1")
        for _ in range(2):
            await ask(app)
        return library.open

    assert asyncio.run(run()) == [b"1", b"4", b"5"]


def test_a_session_in_use_is_kept() -> None:
    async def run() -> tuple[list[bytes], list[bytes]]:
        library = Library()
        library.wait = asyncio.Event()
        app = LimitedSessions(library, 1)
        await ask(app)
        stream = asyncio.create_task(ask(app, b"1", "GET"))
        await asyncio.sleep(0)
        for _ in range(3):
            await ask(app)
        during = list(library.open)
        library.wait.set()
        await stream
        await ask(app)
        return during, library.open

    during, after = asyncio.run(run())
    assert b"1" in during
    assert len(during) <= 2
    assert after == [b"5"]


def test_a_session_that_its_client_ends_does_not_count() -> None:
    async def run() -> list[bytes]:
        library = Library()
        app = LimitedSessions(library, 2)
        await ask(app)
        await ask(app)
        await ask(app, b"1", "DELETE")
        await ask(app)
        return library.open

    assert asyncio.run(run()) == [b"2", b"3"]


def test_a_session_that_a_refused_request_does_not_end_counts() -> None:
    async def run() -> list[bytes]:
        library = Library()
        app = LimitedSessions(library, 2)
        for number in range(1, 6):
            await ask(app)
            await ask(app, str(number).encode(), "DELETE", b"elsewhere")
        return library.open

    assert asyncio.run(run()) == [b"4", b"5"]


def test_a_session_is_ended_even_if_the_request_of_that_moment_is_refused() -> None:
    """With the headers of that request, it stayed open in the library without being counted."""

    async def run() -> list[bytes]:
        library = Library()
        app = LimitedSessions(library, 2)
        await ask(app)
        await ask(app)
        for _ in range(3):
            library.sending = asyncio.Event()
            opening = asyncio.create_task(ask(app))
            await asyncio.sleep(0)
            await ask(app, host=b"elsewhere")
            library.sending.set()
            await opening
        return library.open

    assert asyncio.run(run()) == [b"4", b"5"]


def test_a_session_of_another_user_is_ended_in_the_name_of_that_user() -> None:
    async def run() -> list[bytes]:
        library = Library()
        app = LimitedSessions(library, 1)
        await ask(app, user="ann")
        await ask(app, user="ben")
        return library.open

    assert asyncio.run(run()) == [b"2"]
