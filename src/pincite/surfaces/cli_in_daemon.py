"""Run searches of the command line inside the daemon, with the same engine, log and output.

The daemon declines a search that this process cannot run, and the client runs it itself: if its
settings are invalid, or name models of providers, rerankers or collections of other programs; if
the index can only be read; if the environment puts files elsewhere.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import time
from collections.abc import Mapping
from contextvars import Context
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from pincite.asking import SearchOptions, profile_of, question_of, tags_of_texts
from pincite.daemon.client.json_exchange import identity
from pincite.daemon.client.open_index import prepare
from pincite.daemon.client.remote_search import remote_search_of
from pincite.daemon.wire.messages import Answer, RemoteSearch
from pincite.daemon.wire.protocol import describe_error
from pincite.engine import AsyncPincite
from pincite.errors import ConfigError, EnginePanicked, PinciteError, UsageError
from pincite.settings.index_folder import places
from pincite.settings.load import Settings, load_settings
from pincite.settings.of_index import trusted
from pincite.support.fields import replace
from pincite.surfaces.preset_warning import hidden_preset
from pincite.surfaces.text.pack_output import Printed, Wanted, parts_to_json, printed
from pincite.trace import Trace

if TYPE_CHECKING:
    from pincite.daemon.server.service import Daemon
    from pincite.daemon.wire.protocol import ServedIndex

log = logging.getLogger("pincite.daemon")


class _Declined(Exception):
    """The client has to run the search itself."""


class _Apart:
    """The daemon, as its clients use it. Its own work for a search is not part of the search's
    trace."""

    def __init__(self, daemon: Daemon) -> None:
        self._daemon = daemon

    async def ask(self, asked: RemoteSearch) -> Answer:
        """See `Service.ask`."""
        return await asyncio.create_task(self._daemon.ask(asked), context=Context())

    def __getattr__(self, name: str) -> Any:
        return getattr(self._daemon, name)


class _Inside(AsyncPincite):
    """The engine in the process that has the index open."""

    def __init__(self, settings: Settings, daemon: Daemon) -> None:
        super().__init__(settings)
        self._client = cast("ServedIndex", _Apart(daemon))

    def client(self, *, create: bool = False) -> ServedIndex:  # noqa: ARG002
        """Return the open index."""
        return cast("ServedIndex", self._client)

    async def require_hosted(self, asked: SearchOptions) -> None:
        """Raise _Declined unless the whole search can run here."""
        try:
            question, profile = question_of(asked), profile_of(asked, self.settings)
            _, deps = await self._searcher.collections.opened(question.scope, profile)
            index = cast("ServedIndex", self._client)
            hosted = remote_search_of(question, deps, index, profile, logged=False)
        except (EnginePanicked, _Declined):
            raise
        except PinciteError as error:
            if isinstance(error, UsageError) and not isinstance(error, ConfigError):
                return  # the search reports and logs it
            raise _Declined("the client may have what is missing here, such as a key") from error
        if hosted is None:
            raise _Declined("it needs what only the client has")


async def answer_short(body: bytes, daemon: Daemon, root: Path) -> bytes:
    """Answer a question; both are JSON. Raises EnginePanicked."""
    try:
        asked = json.loads(body)
        if not isinstance(asked, dict) or asked.get("identity") != identity():
            raise _Declined("this process is of another version")
        told = await _answer(asked, daemon, root)
    except _Declined as error:
        told = {"declined": str(error)}
    except EnginePanicked:
        raise
    except PinciteError as error:
        told = {"error": describe_error(error)}
    except Exception:
        log.exception("a short question failed")
        told = {"declined": "it failed"}
    return json.dumps(told).encode()


async def _answer(asked: Mapping[str, Any], daemon: Daemon, root: Path) -> dict[str, Any]:
    if "names" in asked:
        return {"names": await _names(asked["names"], daemon)}
    settings = _settings(asked, root)
    if (await daemon.hello()).only_read:
        raise _Declined("the index can only be read")
    if settings.foreign or settings.use.rerank or settings.tracing.enabled:
        raise _Declined("it needs what only the client has")
    try:
        prepare(root, settings.store, create=False)
    except PinciteError as error:
        raise _Declined("the index is not as the settings say") from error
    given = dict(asked["options"])
    options = SearchOptions(**{**given, "tags": tags_of_texts(given["tags"])})
    engine = _Inside(settings, daemon)
    await engine.require_hosted(options)
    trace = Trace(time.perf_counter, detailed=False)
    hidden = hidden_preset(settings, options.preset)
    try:
        pack = await engine.find(options, trace=trace)
    except PinciteError as error:
        return {"error": describe_error(error), "messages": [hidden] if hidden else []}
    infos = await daemon.collections()
    done = printed(pack, Wanted(**asked["wanted"]), infos, trace.query_id)
    return {"printed": _to_json(done, hidden)}


async def _names(what: str, daemon: Daemon) -> list[str]:
    """Return the names of the collections or of the sources, for completion."""
    infos = await daemon.collections()
    if what == "collections":
        return sorted({info.spec.public_name for info in infos})
    return sorted({record.source.name for info in infos for record in info.sources})


def _settings(asked: Mapping[str, Any], root: Path) -> Settings:
    """Return the client's settings. Raises _Declined if they cannot be determined here."""
    if asked["places"] != list(places(os.environ)):
        raise _Declined("the client has its files elsewhere")
    try:
        folder, index = Path(asked["folder"]), Path(asked["index"])
        settings = trusted(load_settings(asked["variables"], folder, index))
    except PinciteError as error:
        raise _Declined("the settings are wrong") from error
    if settings.index.resolve() != root.resolve():
        raise _Declined("it is about another index")
    return replace(settings, refresh=settings.refresh.by_itself())


def _to_json(done: Printed, hidden: str) -> dict[str, Any]:
    return {
        "parts": parts_to_json(done.parts),
        "raw": None if done.raw is None else done.raw.decode("utf-8", "surrogateescape"),
        "messages": [*([hidden] if hidden else []), *done.messages],
        "level": done.level,
        "query_id": done.query_id,
    }
