"""Notes of several institutions, on a recorded Qdrant server."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import pytest

from pincite.engine import AsyncPincite
from pincite.model import EvidencePack
from pincite.settings.load import load_settings
from pincite.testing.contract_server import ContractServer
from tests.stores.qdrant_http import Recorder, recording_server
from tests.surfaces.conftest import KEY

T = TypeVar("T")
TAGS: dict[str, Any] = {"institution": "north", "mode": "exam"}
QUESTION = "how does a heat pump move heat"


@dataclass(frozen=True)
class Campus:
    """An index folder whose points are on a recorded Qdrant server, and a recorded provider."""

    folder: Path
    server: ContractServer
    qdrant: Recorder

    def configure(self, more: str = "", models: str = "") -> None:
        (self.folder / "pincite.toml").write_text(
            f'extends = "notes"\n{more}\n'
            f'[store]\nurl = "{self.qdrant.url}"\n'
            f'[collections.main]\nrequire = ["institution", "mode"]\n'
            f'[providers.voyage]\nurl = "{self.server.url("voyage")}"\ntries = 1\n{models}',
            encoding="utf-8",
        )

    def within(self, work: Callable[[AsyncPincite], Awaitable[T]], key: str = KEY) -> T:
        async def session() -> T:
            environ = {"PINCITE_IDLE_S": "60", "PINCITE_OFFLINE": "1"}
            environ |= {"PINCITE_CACHE": str(self.folder / "vectors.db")}
            environ |= {"PINCITE_RATES": str(self.folder / "rates.db")}
            environ |= {"VOYAGE_API_KEY": key, "OPENAI_API_KEY": key} if key else {}
            async with AsyncPincite(load_settings(environ, self.folder)) as engine:
                return await work(engine)

        return asyncio.run(session())

    def write(self, scores: Mapping[str, float], **attributes: Any) -> None:
        """A note for each id, about the question, of which the reranker thinks so much."""
        held: dict[str, Any] = {**TAGS, "courseName": "Physics", **attributes}
        records = [
            {
                "id": name,
                "pages": [{"text": noted(name, score), "page_number": 3}],
                "attributes": held,
            }
            for name, score in scores.items()
        ]
        report = self.within(lambda engine: engine.upsert(records))
        assert report.failed_count == 0, report.failed

    def search(self, question: str = QUESTION, key: str = KEY, **options: Any) -> EvidencePack:
        self.server.record.clear()
        self.qdrant.requests.clear()
        return self.within(lambda engine: engine.search(question, **{"tags": TAGS, **options}), key)

    def asked(self, path: str) -> list[Any]:
        """The bodies that a path of the provider was asked with."""
        record = self.server.record
        pairs = zip(record.paths, record.bodies, strict=True)
        return [body for one, body in pairs if one.endswith(path)]

    def stored(self, operation: str) -> list[Any]:
        """The bodies of an operation of the Qdrant server."""
        return [body for one, body in self.qdrant.requests if one == operation]

    def payloads(self) -> list[Any]:
        """What the server keeps of each chunk."""
        engine = self.qdrant.engine
        (one,) = engine.get_collections().collections
        records, _ = engine.scroll(one.name, limit=100)
        return [held.payload for held in records if held.payload and "text" in held.payload]


def noted(name: str, score: float) -> str:
    return f"A heat pump moves heat, says note {name}. relevance={score}"


@pytest.fixture
def campus(tmp_path: Path) -> Iterator[Campus]:
    with ContractServer(key=KEY) as server, recording_server() as qdrant:
        made = Campus(tmp_path, server, qdrant)
        made.configure()
        yield made
        made.within(lambda engine: engine.stop())
        assert qdrant.wrong == []


#: Each lacks a value for a required name.
LACKING: list[dict[str, Any]] = [
    {},
    {"institution": "north"},
    {"institution": "north", "mode": ""},
    {"institution": [], "mode": "exam"},
    {"institution": ["", ""], "mode": ["exam"]},
]
