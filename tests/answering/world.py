"""Two folders of the preset `chat`, one with documents and one without, on a recorded Qdrant server
and with recorded providers: all of it over real HTTP."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, TypeVar

from pincite.engine import AsyncPincite
from pincite.model import ChatMode
from pincite.settings.load import Settings, load_settings
from pincite.support.fields import replace
from pincite.testing.contract_server import ContractServer
from tests.stores.qdrant_http import Recorder, recording_server

T = TypeVar("T")
KEY: Final = "key-of-the-tests"
MODEL: Final = "voyage-4"
LLM: Final = "openai:gpt-5-mini"
RERANKER: Final = "voyage:rerank-2"
FACT: Final = "Ann drew the backups, the castle and Vesuvius."
SEARCH: Final = "POST /collections/{collection_name}/points/query/batch"
TEXTS: Final = MappingProxyType(
    {
        "keys": "To rotate a key, call `rotate_key` with the new secret.",
        "backups": "Backups run every night and are kept for thirty days.",
        "invoices": "Invoices are sent on the first day of each month.",
    }
)


@dataclass(frozen=True)
class World:
    """What there is. Each piece of work has an engine of its own, opened as a user opens it."""

    root: Path
    server: ContractServer
    qdrant: Recorder

    def within(
        self,
        work: Callable[[AsyncPincite], Awaitable[T]],
        *,
        empty: bool = False,
        strategy: str = "mmr",
        mode: ChatMode = "strict",
        llm: str = "",
        rerank: str = "",
        timeout_s: float | None = None,
    ) -> T:
        """The work's result. `timeout_s` is that of the provider of `llm`."""
        environ = {
            "PINCITE_IDLE_S": "60",
            "PINCITE_OFFLINE": "1",
            "PINCITE_CACHE": str(self.root / "vectors.db"),
            "PINCITE_RATES": str(self.root / "rates.db"),
            "VOYAGE_API_KEY": KEY,
            "OPENAI_API_KEY": KEY,
            "RETRIEVAL_STRATEGY": strategy,
            "CHAT_MODE": mode,
        }
        known = load_settings(environ, self.root / ("empty" if empty else "full"))
        known = replace(known, use=replace(known.use, rerank=rerank, llm=llm))
        if timeout_s is not None:
            known = _impatient(known, timeout_s)

        async def session() -> T:
            async with AsyncPincite(known) as engine:
                return await work(engine)

        return asyncio.run(session())

    def forget(self) -> None:
        """What was asked so far."""
        self.server.record.clear()
        self.qdrant.requests.clear()

    def searches(self) -> list[Any]:
        """What the store was asked for in one request each."""
        return [body["searches"] for one, body in self.qdrant.requests if one == SEARCH]

    def asked(self, path: str) -> list[Any]:
        """The bodies of requests to a path of the providers."""
        record = self.server.record
        pairs = zip(record.paths, record.bodies, strict=True)
        return [body for one, body in pairs if one.endswith(path)]

    def _build(self) -> None:
        for name in ("full", "empty"):
            folder = self.root / name
            (folder / "docs").mkdir(parents=True)
            (folder / "pincite.toml").write_text(
                'extends = "chat"\n[refresh]\nmode = "manual"\n'
                f'[store]\nurl = "{self.qdrant.url}"\nprefix = "{name}-"\n'
                f'[models]\ndense = "voyage:{MODEL}"\n'
                f'[providers.voyage]\nurl = "{self.server.url("voyage")}"\ntries = 1\n'
                f'[providers.openai]\nurl = "{self.server.url("openai")}"\ntries = 1\n'
            )
            for path, text in TEXTS.items():
                (folder / f"docs/{path}.md").write_text(f"# {path.title()}\n\n{text}\n")
            self.within(_index, empty=name == "empty")

    def _stop(self) -> None:
        for empty in (False, True):
            self.within(lambda engine: engine.stop(), empty=empty)


async def _index(engine: AsyncPincite) -> None:
    docs = engine.settings.index.parent / "docs"
    await engine.index([docs])
    await engine.remember("ann", FACT)
    if docs.parent.name == "empty":
        for path in docs.iterdir():
            path.unlink()
        await engine.index([docs])
        await engine.search("what is there?")  # the next client need not be told what is gone


def _impatient(known: Settings, timeout_s: float) -> Settings:
    providers = dict(known.use.providers)
    providers["openai"] = replace(providers["openai"], timeout_s=timeout_s)
    return replace(known, use=replace(known.use, providers=providers))


@contextmanager
def opened_world(root: Path) -> Iterator[World]:
    """Built, and stopped at the end."""
    with ContractServer(key=KEY) as server, recording_server() as qdrant:
        made = World(root, server, qdrant)
        made._build()
        yield made
        made._stop()
        assert qdrant.wrong == []
