"""End requests whose body does not arrive."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

from pincite.errors import PinciteError

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]


class StalledBody(PinciteError):
    """A client has stopped sending its body, or sends it too slowly."""

    def __init__(self, waited_s: float, *, whole: bool = False) -> None:
        said = "the request was not complete after" if whole else "no byte of the body arrived for"
        super().__init__(f"{said} {waited_s:g} s", hint="send it again")


def steady(receive: Receive, idle_s: float = math.inf, whole_s: float = math.inf) -> Receive:
    """Return a `receive` that raises StalledBody if no piece of the body arrives for `idle_s`, or
    if the body is not complete `whole_s` after the first call. Once it is complete, `receive` waits
    without a limit for the client to disconnect."""
    complete = False
    end: float | None = None

    async def received() -> Message:
        nonlocal complete, end
        if complete:
            return await receive()
        now = asyncio.get_running_loop().time()
        end = now + whole_s if end is None else end
        try:
            async with asyncio.timeout_at(min(now + idle_s, end)):
                message = await receive()
        except TimeoutError:
            whole = end <= now + idle_s
            raise StalledBody(whole_s if whole else idle_s, whole=whole) from None
        complete = not message.get("more_body", False)
        return message

    return received
