"""Facts over HTTP: kept, found, listed and deleted, and recalled by answers of any host."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Coroutine
from typing import Any

import pytest

from pincite.ports import LLM
from pincite.settings.sections.memory import MemorySettings
from pincite.support.fields import replace
from pincite.testing.fakes import ScriptedLLM
from pincite.workspace.database.sqlite import SqliteWorkspaces
from tests.surfaces.http.workspace_server import Person, WorkspaceServer, workspace_server

pytestmark = pytest.mark.anyio


@pytest.fixture
async def served() -> AsyncIterator[WorkspaceServer]:
    async with workspace_server() as made:
        yield made


def opening(model: LLM) -> Callable[[], Coroutine[Any, Any, LLM | None]]:
    """What opens a model of the settings."""

    async def opened() -> LLM | None:
        return model

    return opened


async def kept(person: Person, text: str) -> str:
    said = await person.client.post("/v1/facts", json={"text": text})
    assert said.status_code == 201, said.text
    (made,) = said.json()
    assert made["text"] == text.strip()
    return str(made["id"])


async def listed(person: Person, **parameters: Any) -> list[str]:
    said = await person.client.get("/v1/facts", params=parameters)
    assert said.status_code == 200, said.text
    return [one["text"] for one in said.json()["items"]]


async def test_a_fact_is_kept_once_found_and_deleted(served: WorkspaceServer) -> None:
    anna = await served.person("Anna", ["search"])
    id_ = await kept(anna, " prefers examples in Python ")
    assert await kept(anna, "prefers examples in Python") == id_
    await kept(anna, "works at night")
    assert await listed(anna) == ["prefers examples in Python", "works at night"]
    said = await anna.client.post("/v1/facts/recall", json={"query": "an example in Python?"})
    (found,) = said.json()
    assert (said.status_code, found["id"]) == (200, id_)
    assert 0 < found["score"] <= 1
    assert (await anna.client.delete(f"/v1/facts/{id_}")).status_code == 204
    again = await anna.client.delete(f"/v1/facts/{id_}")
    assert (again.status_code, again.json()["code"]) == (404, "not_found")
    said = await anna.client.delete("/v1/facts")
    assert (said.status_code, said.json()) == (200, {"forgotten": 1})
    assert await listed(anna) == []


async def test_pages_follow_each_other(served: WorkspaceServer) -> None:
    anna, bert = await served.person("Anna"), await served.person("Bert")
    texts = [f"fact {number}" for number in range(5)]
    ids = [await kept(anna, text) for text in texts]
    seen, cursor = list[str](), ""
    for _ in range(3):
        page = (await anna.client.get("/v1/facts", params={"limit": 2, "cursor": cursor})).json()
        seen += [one["text"] for one in page["items"]]
        cursor = page["next"] or ""
    assert (seen, cursor) == (texts, "")
    first = (await anna.client.get("/v1/facts", params={"limit": 2})).json()["next"]
    others = await bert.client.get("/v1/facts", params={"cursor": first})
    assert others.status_code == 400
    await anna.client.delete(f"/v1/facts/{ids[1]}")
    gone = await anna.client.get("/v1/facts", params={"cursor": first})
    assert gone.status_code == 404


async def test_an_answer_of_another_host_recalls_them(served: WorkspaceServer) -> None:
    anna = await served.person("Anna")
    await kept(anna, "prefers examples in Python")
    workspaces = served.resources.workspaces
    assert isinstance(workspaces, SqliteWorkspaces)
    async with workspace_server(SqliteWorkspaces(workspaces._path)) as other:
        elsewhere = Person(anna.id, anna.personal, await other.client(anna.key), anna.key)
        await elsewhere.upload("keys.md", "# Keys\n\nTo rotate a key in Python, call `rotate`.\n")
        await other.work()
        model = ScriptedLLM("Call `rotate`. [1]")
        other.resources.workspace._engine._answering_llm = opening(model)  # type: ignore[method-assign]
        body = {"question": "how is a key rotated in Python?"}
        said = await elsewhere.client.post("/v1/answers", json=body)
        assert (said.status_code, said.json()["kind"]) == (200, "generated")
    assert "prefers examples in Python" in str(model.asked)


async def test_what_cannot_be_a_fact_is_refused(served: WorkspaceServer) -> None:
    anna = await served.person("Anna")
    for body in ({}, {"text": ""}, {"text": " \n"}, {"text": "x" * 4_001}, {"text": 1}, {"x": "y"}):
        said = await anna.client.post("/v1/facts", json=body)
        assert (said.status_code, said.json()["code"]) == (400, "invalid_request"), body
    recalls: tuple[dict[str, Any], ...] = (
        {"query": ""},
        {"query": " "},
        {"query": "x", "limit": 0},
        {"query": "x" * 10_001},
    )
    for sent in recalls:
        said = await anna.client.post("/v1/facts/recall", json=sent)
        assert said.status_code == 400, sent
    for odd in ("%00", "x%20y", "..", "%ed%a0%80", "A" * 24, "a" * 65):
        said = await anna.client.delete(f"/v1/facts/{odd}")
        assert said.status_code in (400, 404, 405), odd
    assert await listed(anna) == []


async def test_a_key_without_the_scope_may_not(served: WorkspaceServer) -> None:
    anna = await served.person("Anna", ["write"])
    for method, path in (("GET", ""), ("POST", ""), ("DELETE", ""), ("POST", "/recall")):
        body = {"text": "x"} if method == "POST" else None
        said = await anna.client.request(method, f"/v1/facts{path}", json=body)
        assert said.status_code == 403, (method, path)


async def test_where_nothing_is_remembered_that_is_said(served: WorkspaceServer) -> None:
    anna = await served.person("Anna")
    engine = served.resources.workspace._engine
    engine.settings = replace(engine.settings, memory=MemorySettings(kind="none"))
    said = await anna.client.post("/v1/facts", json={"text": "drinks tea"})
    assert said.status_code == 400
    assert said.json()["detail"] == "memory is off: no facts about users are kept"
    assert "memory.kind" not in said.text
