"""Collections, reranking and tools over HTTP: nothing of others, nothing made up."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest

from pincite.stages.rerank import MOST_JUDGED
from pincite.support.fields import replace
from pincite.testing.fakes import FailingReranker, OverlapReranker
from tests.surfaces.http.workspace_server import Person, WorkspaceServer, workspace_server

pytestmark = pytest.mark.anyio

KEYS = "# Keys\n\nTo rotate a key, call `rotate_key` with the new secret.\n"
SECRET = "# Plan\n\nThe quetzal rotates a key at midnight.\n"
TOOL = "/v1/tools/search_documents"


@pytest.fixture
async def served() -> AsyncIterator[WorkspaceServer]:
    async with workspace_server() as made:
        yield made


@pytest.fixture
async def anna(served: WorkspaceServer) -> Person:
    return await served.person("Anna")


async def test_collections_say_what_is_searched_and_nothing_of_what_is_in_them(
    served: WorkspaceServer, anna: Person
) -> None:
    assert (await anna.client.get("/v1/collections")).json() == []
    bert = await served.person("Bert")
    await bert.upload("plan.md", SECRET)
    await served.work()
    said = await anna.client.get("/v1/collections")
    assert said.json() == [
        {"name": "chunks__lexical", "model": "", "dimensions": 0, "is_searched": True}
    ], said.text
    only_writes = await served.person("Carl", ["write"])
    for path in ("/v1/collections", "/v1/tools"):
        assert (await only_writes.client.get(path)).status_code == 403
        assert (await (await served.client()).get(path)).status_code == 401


async def test_texts_are_put_into_order(
    served: WorkspaceServer, anna: Person, judged: None
) -> None:
    texts = ["bread", "rotate a key", "a key"]
    asked: dict[str, Any] = {"query": "rotate a key", "documents": texts}
    said = (await anna.client.post("/v1/rerank", json=asked)).json()
    assert said["kind"] == "probability"
    assert [one["index"] for one in said["results"]] == [1, 2, 0]
    said = (await anna.client.post("/v1/rerank", json={**asked, "top_n": 1})).json()
    assert said["results"] == [{"index": 1, "score": 1.0}]


class Counting(OverlapReranker):
    """Keeps what it was asked."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[tuple[list[str], int | None]] = []

    async def rerank(self, query: str, documents: Any, top_n: Any = None, **more: Any) -> Any:
        self.asked.append((list(documents), top_n))
        return await super().rerank(query, documents, top_n, **more)


class Listwise(Counting):
    listwise = True


def limited(served: WorkspaceServer, monkeypatch: pytest.MonkeyPatch, **limits: int) -> None:
    engine = served.resources.workspace._engine
    profile = engine.settings.profile
    changed = replace(profile, rerank=replace(profile.rerank, **limits))
    monkeypatch.setattr(engine, "settings", replace(engine.settings, profile=changed))


async def test_many_texts_are_judged_in_batches_and_put_into_one_order(
    served: WorkspaceServer, anna: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    reranker = Counting()
    monkeypatch.setattr(served.resources.workspace._engine, "_reranker", reranker)
    limited(served, monkeypatch, budget_tokens=10, batch=2, body_tokens=6)
    texts = ["bread", "a key", "wood", "stone", "rotate a key", f"rotate {'x' * 100}"]
    asked = {"query": "rotate a key", "documents": texts, "top_n": 2}
    said = (await anna.client.post("/v1/rerank", json=asked)).json()
    assert [one["index"] for one in said["results"]] == [4, 1]
    assert said["cut"] == [5]
    assert [len(batch) for batch, _ in reranker.asked] == [2, 2, 2]
    assert all(len(one) < 50 for batch, _ in reranker.asked for one in batch)


async def test_a_listwise_reranker_gets_all_in_one_request_or_refuses(
    served: WorkspaceServer, anna: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    reranker = Listwise()
    monkeypatch.setattr(served.resources.workspace._engine, "_reranker", reranker)
    limited(served, monkeypatch, budget_tokens=100, batch=2)
    asked = {"query": "rotate", "documents": ["a", "b", "c"]}
    assert (await anna.client.post("/v1/rerank", json=asked)).status_code == 200
    assert [len(batch) for batch, _ in reranker.asked] == [3]
    asked["documents"] = ["word " * 50] * 3
    said = await anna.client.post("/v1/rerank", json=asked)
    assert (said.status_code, said.json()["code"]) == (400, "invalid_request")
    assert "send fewer" in said.json()["hint"]
    assert len(reranker.asked) == 1


@pytest.fixture
def judged(served: WorkspaceServer, monkeypatch: pytest.MonkeyPatch) -> None:
    engine = served.resources.workspace._engine
    monkeypatch.setattr(engine, "_reranker", OverlapReranker())


async def test_a_server_without_a_reranker_says_so(anna: Person) -> None:
    said = await anna.client.post("/v1/rerank", json={"query": "a", "documents": ["b"]})
    assert (said.status_code, said.json()["detail"]) == (
        404,
        "no reranker is configured on this server",
    )


async def test_a_reranker_that_fails_tells_its_fault_to_the_log_alone(
    served: WorkspaceServer, anna: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(served.resources.workspace._engine, "_reranker", FailingReranker())
    asked = {"query": "rotate", "documents": ["zanzibar"]}
    said = await anna.client.post("/v1/rerank", json=asked)
    assert (said.status_code, said.json()["code"]) == (503, "unavailable")
    assert "always fails" not in said.text
    assert "zanzibar" not in said.text


async def test_a_reranker_that_hangs_is_given_up(
    served: WorkspaceServer, anna: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Hanging(OverlapReranker):
        async def rerank(self, *_: Any, **__: Any) -> Any:
            await asyncio.Event().wait()

    engine = served.resources.workspace._engine
    profile = engine.settings.profile
    quick = replace(profile, rerank=replace(profile.rerank, timeout_s=0.05))
    monkeypatch.setattr(engine, "settings", replace(engine.settings, profile=quick))
    monkeypatch.setattr(engine, "_reranker", Hanging())
    said = await anna.client.post("/v1/rerank", json={"query": "a", "documents": ["b"]})
    assert (said.status_code, said.json()["code"]) == (504, "timed_out")


@pytest.mark.parametrize(
    "wrong",
    [
        {"documents": ["b"]},
        {"query": "", "documents": ["b"]},
        {"query": "a", "documents": []},
        {"query": "a", "documents": ["b"] * (MOST_JUDGED + 1)},
        {"query": "a", "documents": ["b" * 100_001]},
        {"query": "a", "documents": "bread"},
        {"query": "a", "documents": [1]},
        {"query": "a", "documents": ["b"], "top_n": 0},
        {"query": "a", "documents": ["b"], "top_n": True},
        {"query": "a", "documents": ["b"], "model": "another"},
        {"query": "a", "documents": ["b"], "user_id": "another"},
    ],
)
async def test_what_cannot_be_reranked_is_refused(
    anna: Person, judged: None, wrong: dict[str, Any]
) -> None:
    said = await anna.client.post("/v1/rerank", json=wrong)
    assert (said.status_code, said.json()["code"]) == (400, "invalid_request")


async def test_a_model_is_told_of_the_tool_and_its_call_finds_what_the_key_may_see(
    served: WorkspaceServer, anna: Person
) -> None:
    bert = await served.person("Bert")
    own = await anna.upload("keys.md", KEYS)
    his = await bert.upload("plan.md", SECRET)
    await served.work()
    (tool,) = (await anna.client.get("/v1/tools")).json()
    assert tool["name"] == TOOL.rpartition("/")[2]
    assert "query" in tool["parameters"]["required"]
    assert not [name for name in tool["parameters"]["properties"] if "user" in name]
    for more in ({}, {"document_ids": [own["id"], his["id"]]}):
        said = await anna.client.post(TOOL, json={"query": "quetzal rotate a key", **more})
        assert said.status_code == 200, said.text
        assert "rotate_key" in said.json()["content"]
        assert "midnight" not in said.text
    said = await anna.client.post(TOOL, json={"query": "quetzal", "document_ids": [his["id"]]})
    assert (said.status_code, "midnight" in said.text) == (200, False)


async def test_the_tool_of_a_key_of_one_space_stays_in_it(
    served: WorkspaceServer, anna: Person
) -> None:
    space = (await anna.client.post("/v1/spaces", json={"name": "T"})).json()["id"]
    await anna.upload("keys.md", KEYS)
    await anna.upload("plan.md", SECRET, space_id=space)
    await served.work()
    narrow = await served.person("bot", ["search"], user_id=anna.id, space_id=space)
    said = (await narrow.client.post(TOOL, json={"query": "rotate a key"})).json()["content"]
    assert ("midnight" in said, "rotate_key" in said) == (True, False)


@pytest.mark.parametrize(
    "wrong",
    [
        {},
        {"query": ""},
        {"query": "a", "user_id": "another"},
        {"query": "a", "space_id": "another"},
        {"query": "a", "limit": 0},
        {"query": "a", "max_tokens": -1},
        {"query": "a", "document_ids": [""]},
        {"query": "a", "category": ""},
    ],
)
async def test_arguments_that_a_model_makes_up_are_refused(
    anna: Person, wrong: dict[str, Any]
) -> None:
    said = await anna.client.post(TOOL, json=wrong)
    assert (said.status_code, said.json()["code"]) == (400, "invalid_request"), said.text


@pytest.mark.parametrize("hostile", ["\0", "'; DROP TABLE users; --", "../../etc", "x" * 200])
async def test_ids_that_are_none_find_nothing(
    served: WorkspaceServer, anna: Person, hostile: str
) -> None:
    await anna.upload("keys.md", KEYS)
    await served.work()
    for narrowed in ({"document_ids": [hostile]}, {"category": hostile}):
        said = await anna.client.post(TOOL, json={"query": "rotate a key", **narrowed})
        assert (said.status_code, "rotate_key" in said.text) == (200, False), said.text


async def test_there_is_no_other_tool(anna: Person) -> None:
    for name in ("delete_documents", "..", "search_documents/x"):
        said = await anna.client.post(f"/v1/tools/{name}", json={"query": "a"})
        assert said.status_code in (404, 405)
