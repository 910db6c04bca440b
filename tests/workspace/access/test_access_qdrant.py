"""A workspace over a Qdrant server and a reranker, as the variables of a platform say."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from pincite.settings.load import load_settings
from pincite.testing.contract_server import ContractServer
from pincite.workspace import Access, Document
from pincite.workspace.workspace import Workspace
from tests.quick_folder import quick_folder
from tests.stores.qdrant_http import Recorder, recording_server
from tests.workspace.desk import ANNA, BERT, HERS, HIS, SAME
from tests.workspace.memory import Memory, page

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.filterwarnings("ignore:Payload indexes have no effect:UserWarning"),
    pytest.mark.filterwarnings("ignore:Local mode performs exact:UserWarning"),
]
#: Of the payload, as the specification names it.
KEYWORDS = {"user_id", "space_id", "document_id", "source_ids", "feed_ids"}
SEARCHED = "POST /collections/{collection_name}/points/query"
POINTS = "POST /collections/{collection_name}/points/batch"
INDEX = "PUT /collections/{collection_name}/index"


@dataclass
class Platform:
    """A workspace whose settings came from variables alone."""

    workspace: Workspace
    memory: Memory
    recorder: Recorder
    models: ContractServer
    folder: Path
    hers: Document
    his: Document

    def bodies(self, operation: str) -> list[Any]:
        return [body for name, body in self.recorder.requests if name.startswith(operation)]


@pytest.fixture
async def platform(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Platform]:
    with quick_folder() as folder, recording_server() as recorder, ContractServer() as models:
        environ = {
            "QDRANT_URL": recorder.url,
            "QDRANT_API_KEY": "key-of-the-server",
            "QDRANT_COLLECTION": "texts",
            "RERANK_ENABLED": "true",
            "RERANK_BASE_URL": models.url("cohere"),
            "COHERE_API_KEY": "key-of-the-reranker",
            "PINCITE_IDLE_S": "60",
            "PINCITE_OFFLINE": "1",
        }
        for name, value in environ.items():
            monkeypatch.setenv(name, value)  # the process that has the index reads its key there
        (folder / "pincite.toml").write_text('extends = "workspace"\n')
        settings = load_settings(environ, folder)
        memory = Memory({HERS: {ANNA}, HIS: {BERT}})
        async with Workspace(settings, memory, lexical=True) as workspace:  # type: ignore[arg-type]
            hers = memory.add(21, HERS, ANNA, source_ids=("mail",), feed_ids=("f1", "f2"))
            his = memory.add(22, HIS, BERT, given={"category": "report"})
            for one in (hers, his):
                await workspace.index_document(one, page(SAME))
            yield Platform(workspace, memory, recorder, models, folder, hers, his)
            await workspace._engine.stop()


async def test_points_have_the_payload_and_the_indexes_of_the_specification(
    platform: Platform,
) -> None:
    records, _ = platform.recorder.engine.scroll("texts__lexical", with_payload=True)
    payloads = {str(one.id): one.payload or {} for one in records}
    held = {p["document_id"]: (key, p) for key, p in payloads.items() if "text" in p}
    assert set(held) == {platform.hers.id, platform.his.id}
    hers, his = held[platform.hers.id], held[platform.his.id]
    assert hers[0] != his[0]
    expected = {
        "content": SAME,
        "user_id": ANNA,
        "space_id": HERS,
        "chunk_index": 0,
        "filename": "21.txt",
        "start_char": 0,
        "end_char": len(SAME),
        "doc_title": "21.txt",
        "source_ids": ["mail"],
        "feed_ids": ["f1", "f2"],
    }
    assert {name: hers[1][name] for name in expected} == expected
    assert his[1]["doc_category"] == "report"
    made = {body["field_name"]: body["field_schema"] for body in platform.bodies(INDEX)}
    assert {name for name in KEYWORDS if name in made} == KEYWORDS
    assert made["user_id"] == {"type": "keyword", "is_tenant": True}
    assert made["chunk_index"] == "integer"
    assert made["content"]["type"] == "text"


async def test_searches_filter_rerank_what_may_be_read_and_carry_the_keys(
    platform: Platform,
) -> None:
    platform.recorder.requests.clear()
    pack = await platform.workspace.search(Access(ANNA), "turnstile quetzal", limit=5)
    assert [item.path for item in pack] == [f"{HERS}/{platform.hers.id}"]
    assert "content" not in pack[0].attributes
    asked = [one for body in platform.bodies(SEARCHED) for one in body.get("searches", [body])]
    assert asked
    for one in asked:
        flat = repr(one)
        assert HERS in flat
        assert HIS not in flat
    assert {one.get("api-key") for one in platform.recorder.headers} == {"key-of-the-server"}
    (judged,) = [body for body in platform.models.record.bodies if "documents" in body]
    assert judged["model"] == "rerank-v3.5"
    assert len(judged["documents"]) == 1


async def test_a_reranker_is_sent_nothing_that_the_second_lock_keeps_back(
    platform: Platform, monkeypatch: pytest.MonkeyPatch
) -> None:
    bounds = {"space_id": (HERS, HIS)}
    monkeypatch.setattr("pincite.workspace.workspace.bounds_of", lambda *_: bounds)
    other = platform.memory.add(23, HIS, BERT)
    await platform.workspace.index_document(other, page("The secret turnstile of bert."))
    platform.models.record.bodies.clear()
    pack = await platform.workspace.search(Access(ANNA), "turnstile quetzal")
    assert [item.path for item in pack] == [f"{HERS}/{platform.hers.id}"]
    assert "secret" not in repr(platform.models.record.bodies)
    assert platform.workspace.kept_back > 0


async def test_another_feed_changes_payloads_and_writes_no_point(platform: Platform) -> None:
    platform.recorder.requests.clear()
    changed = platform.memory.change(platform.hers, feed_ids=("f3",))
    await platform.workspace.index_document(changed, page(SAME))
    written = repr(platform.bodies(POINTS))
    assert "set_payload" in written
    assert "upsert" not in written.replace("'upsert': None", "")
    records, _ = platform.recorder.engine.scroll("texts__lexical", with_payload=True)
    feeds = [(one.payload or {}).get("feed_ids") for one in records]
    assert ["f3"] in feeds
    assert ["f1", "f2"] not in feeds
