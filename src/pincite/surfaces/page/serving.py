"""`pincite ui`: serve the page of an index on this machine only, until it is interrupted."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import uvicorn

from pincite.engine import AsyncPincite
from pincite.settings.load import Settings
from pincite.support.fields import replace
from pincite.support.log_lines import escape_log_lines
from pincite.surfaces.page.app import PageResources, make_app
from pincite.surfaces.web.address import LOOPBACK, Address, bracketed
from pincite.surfaces.web.connections import BACKLOG, HttpLimits, limited_protocol
from pincite.surfaces.web.serving import serve_until_signal


@dataclass(frozen=True, slots=True)
class Page:
    """The file of judgements, and the preset and the tags for every search."""

    golden: Path
    preset: str | None = None
    tags: Mapping[str, Any] = field(default_factory=dict, hash=False)


async def serve_page(
    settings: Settings, port: int, page: Page, ready: Callable[[str], None]
) -> None:
    """Serve until SIGINT or SIGTERM. `ready` is called with the URL and its token once browsers can
    connect. Raises UsageError if the port is not available, and IndexNotFound."""
    address, token = Address(port=port, command="pincite ui"), secrets.token_urlsafe(24)
    with address.listen() as listener:
        bound: int = listener.getsockname()[1]
        silent = replace(settings.log, enabled=False)  # questions are searched while typed
        kept = replace(settings, refresh=settings.refresh.by_itself(), log=silent)
        engine = AsyncPincite(kept)
        async with engine:
            if not settings.foreign:
                engine.client()  # report a missing index at once
            resources = PageResources(engine, page.golden, page.tags, page.preset)
            config = uvicorn.Config(
                make_app(resources, [f"{bracketed(name)}:{bound}" for name in LOOPBACK], token),
                backlog=BACKLOG,
                http=limited_protocol(HttpLimits()),
                ws="none",
                lifespan="off",
                access_log=False,
                log_level="warning",
                server_header=False,
                timeout_graceful_shutdown=3,
            )
            escape_log_lines()
            try:
                url = f"http://{address.host}:{bound}/#token={token}"
                await serve_until_signal(config, listener, lambda: ready(url))
            finally:
                await resources.colours.close()
