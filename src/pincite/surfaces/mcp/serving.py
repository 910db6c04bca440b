"""Serve MCP over stdin and stdout, or over HTTP."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, cast

from pincite.engine import AsyncPincite
from pincite.settings.load import Settings
from pincite.support.fields import replace
from pincite.support.log_lines import escape_log_lines
from pincite.surfaces.mcp.greeting import (
    Answers,
    Requests,
    Unanswered,
    claim_wire,
    greeting,
    initialize_of,
    instructions_of,
    warm,
)
from pincite.surfaces.web.address import LOOPBACK, Address, bracketed

if TYPE_CHECKING:
    from anyio import AsyncFile
    from mcp.server.lowlevel import Server
    from mcp.server.transport_security import TransportSecuritySettings

    from pincite.surfaces.web.connections import HttpLimits

PATH = "/mcp"
#: Methods and headers that pages of other origins may send, and the headers that they may read.
_METHODS: Final = "GET, POST, DELETE"
_SENT: Final = (
    "authorization, content-type, mcp-session-id, mcp-protocol-version, mcp-method, mcp-name,"
    " last-event-id"
)
_SHOWN: Final = "mcp-session-id, mcp-protocol-version"


@dataclass(frozen=True, slots=True)
class Offer:
    """The offered tools. `chatgpt`: offer only the two for ChatGPT, otherwise only all others. The
    `preset` replaces the configured profile, unless it is None. The `tags` are added to each call;
    no call can widen them."""

    chatgpt: bool = False
    preset: str | None = None
    tags: Mapping[str, Any] = field(default_factory=dict, hash=False)


@asynccontextmanager
async def _served(engine: AsyncPincite, offer: Offer) -> AsyncIterator[Server[Any]]:
    """Yield the MCP server of an engine. The engine is prepared in the background."""
    from pincite.surfaces.mcp.chatgpt import chatgpt_tools
    from pincite.surfaces.mcp.server import make_server
    from pincite.surfaces.mcp.tools import tools

    make = chatgpt_tools if offer.chatgpt else tools
    warming = asyncio.create_task(warm(engine))
    try:
        yield make_server(engine, make(engine, offer.preset, offer.tags), offer.tags)
    finally:
        warming.cancel()
        with suppress(asyncio.CancelledError):
            await warming


def _by_itself(settings: Settings) -> Settings:
    """Return the settings, changed so that the index updates itself unless the configuration says
    otherwise."""
    return replace(settings, refresh=settings.refresh.by_itself())


async def serve_stdio(settings: Settings, offer: Offer = Offer()) -> None:
    """Serve one client until it closes stdin. The protocol library is imported inside this
    function, after `initialize` is answered."""
    wire = claim_wire()
    first = await asyncio.to_thread(wire.requests.readline)
    if not first:
        return
    async with AsyncPincite(_by_itself(settings)) as engine:
        asked = initialize_of(first)
        if asked is not None:
            wire.answers.write(greeting(asked, await instructions_of(engine, offer.tags)))
            wire.answers.flush()
        from mcp.server.stdio import stdio_server

        unanswered = Unanswered()
        requests = cast("AsyncFile[str]", Requests(wire, first, unanswered))
        greeted = None if asked is None else asked.id
        answers = cast("AsyncFile[str]", Answers(wire, greeted, unanswered))
        async with (
            _served(engine, offer) as server,
            stdio_server(requests, answers) as (read, write),
        ):
            await server.run(read, write, server.create_initialization_options())


async def serve_http(
    settings: Settings,
    address: Address,
    offer: Offer = Offer(),
    ready: Callable[[str], None] = lambda _: None,
    limits: HttpLimits | None = None,
) -> None:
    """Serve any number of clients until SIGINT or SIGTERM. `ready` is called with the URL as soon
    as clients can connect. `limits` disconnects clients that are too slow. Raises UsageError if the
    address is not available."""
    import uvicorn
    from uvicorn.config import LOGGING_CONFIG

    from pincite.surfaces.mcp.limits import Limited
    from pincite.surfaces.web.connections import BACKLOG, HttpLimits, limited_protocol
    from pincite.surfaces.web.cross_origin import AllowedPages, ForPages
    from pincite.surfaces.web.serving import serve_until_signal

    limits = limits or HttpLimits()
    with address.listen() as listening:
        port: int = listening.getsockname()[1]
        engine = AsyncPincite(_by_itself(settings))
        async with engine, _served(engine, offer) as server:
            app = server.streamable_http_app(
                streamable_http_path=PATH,
                json_response=True,
                max_request_body_size=limits.body_bytes,
                transport_security=security(address, port),
            )
            pages = AllowedPages(frozenset(address.origins), _METHODS, _SENT, _SHOWN)
            config = uvicorn.Config(
                ForPages(Limited(app, limits), pages),
                backlog=BACKLOG,
                http=limited_protocol(limits),
                ws="none",
                log_level="warning",
                log_config=None if settings.logging.format == "json" else LOGGING_CONFIG,
                timeout_graceful_shutdown=3,
            )
            if settings.logging.format != "json":
                escape_log_lines()
            url = f"http://{bracketed(address.host)}:{port}{PATH}"
            await serve_until_signal(config, listening, lambda: ready(url))


def security(address: Address, port: int) -> TransportSecuritySettings:
    """Return the accepted values of the headers Host and Origin. They keep a page in a browser from
    reaching the server under a domain name of that page (DNS rebinding)."""
    from mcp.server.transport_security import TransportSecuritySettings

    names = (*LOOPBACK, address.host) if address.host in LOOPBACK else (address.host,)
    hosts = [f"{bracketed(name)}:{port}" for name in dict.fromkeys(names)]
    return TransportSecuritySettings(
        allowed_hosts=[*hosts, *address.hosts],
        allowed_origins=[*(f"http://{host}" for host in hosts), *address.origins],
    )
