"""Conversations over HTTP: answers go on from them, on any host, and nobody reads another's."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any
from uuid import uuid4

import pytest

from pincite.model import Turn
from pincite.workspace.database.sqlite import SqliteWorkspaces
from tests.surfaces.http.workspace_server import Person, WorkspaceServer, workspace_server

pytestmark = pytest.mark.anyio

KEYS = "# Keys\n\nTo rotate a key in Python, call `rotate_key` with the new secret.\n"
LIMITS = "# Limits\n\nA client may send 600 requests a minute.\n"


@pytest.fixture
async def served() -> AsyncIterator[WorkspaceServer]:
    async with workspace_server() as made:
        yield made


async def begun(person: Person, **body: Any) -> str:
    said = await person.client.post("/v1/conversations", json=body)
    assert said.status_code == 201, said.text
    return str(said.json()["id"])


async def asked(person: Person, conversation: str, question: str, **more: Any) -> dict[str, Any]:
    body = {"question": question, "conversation": conversation, **more}
    said = await person.client.post("/v1/answers", json=body)
    assert said.status_code == 200, said.text
    answer: dict[str, Any] = said.json()
    return answer


async def turns_of(person: Person, conversation: str) -> list[dict[str, Any]]:
    said = await person.client.get(f"/v1/conversations/{conversation}/turns")
    assert said.status_code == 200, said.text
    items: list[dict[str, Any]] = said.json()["items"]
    return items


async def test_an_answer_goes_on_from_what_was_said(served: WorkspaceServer) -> None:
    anna = await served.person("Anna")
    await anna.upload("keys.md", KEYS)
    await served.work()
    id_ = await begun(anna, title="keys")
    first = await asked(anna, id_, "how is a key rotated in Python?")
    assert first["kind"] == "extractive"
    second = await asked(anna, id_, "and what does it need?")
    assert "rotated" in second["retrieval_query"]
    turns = await turns_of(anna, id_)
    assert [one["role"] for one in turns] == ["user", "assistant"] * 2
    assert turns[0]["text"] == "how is a key rotated in Python?"
    assert turns[1]["citations"] == [first["sources"][0]["citation"]]
    listed = (await anna.client.get("/v1/conversations")).json()
    assert [(one["id"], one["title"], one["turns"]) for one in listed["items"]] == [
        (id_, "keys", 4)
    ]
    said = await anna.client.delete(f"/v1/conversations/{id_}")
    assert said.status_code == 204
    assert (await anna.client.get(f"/v1/conversations/{id_}")).status_code == 404


async def test_answers_in_pieces_are_kept_as_well(served: WorkspaceServer) -> None:
    anna = await served.person("Anna")
    await anna.upload("keys.md", KEYS)
    await served.work()
    id_ = await begun(anna)
    body = {"question": "how is a key rotated?", "conversation": id_, "stream": True}
    said = await anna.client.post("/v1/answers", json=body)
    assert "event: answer" in said.text
    assert [one["role"] for one in await turns_of(anna, id_)] == ["user", "assistant"]
    body["conversation"] = str(uuid4())
    said = await anna.client.post("/v1/answers", json=body)
    assert (said.status_code, said.json()["code"]) == (404, "not_found")


async def test_another_host_with_the_same_database_goes_on(served: WorkspaceServer) -> None:
    anna = await served.person("Anna")
    id_ = await begun(anna, title="keys")
    workspaces = served.resources.workspaces
    assert isinstance(workspaces, SqliteWorkspaces)
    async with workspace_server(SqliteWorkspaces(workspaces._path)) as other:
        client = await other.client(anna.key)
        elsewhere = Person(anna.id, anna.personal, client, anna.key)
        await elsewhere.upload("keys.md", KEYS)
        await other.work()
        await asked(elsewhere, id_, "how is a key rotated?")
    assert len(await turns_of(anna, id_)) == 2


async def test_nobody_reads_writes_or_deletes_those_of_another(served: WorkspaceServer) -> None:
    anna, bert = await served.person("Anna"), await served.person("Bert")
    space = (await anna.client.post("/v1/spaces", json={"name": "Team"})).json()["id"]
    put = f"/v1/spaces/{space}/members/{bert.id}"
    await anna.client.put(put, json={"role": "owner"})
    of_team = await served.person("Anna", space_id=space, user_id=anna.id)
    await anna.upload("keys.md", KEYS, space_id=space)
    await served.work()
    wide, narrow = await begun(anna, title="wide"), await begun(of_team, title="narrow")
    for id_, who in ((wide, anna), (narrow, of_team)):
        await asked(who, id_, "how is a key rotated?")
    refused = [(bert, wide), (bert, narrow), (anna, narrow), (of_team, wide)]
    told = set()
    for who, id_ in [*refused, (anna, str(uuid4())), (of_team, str(uuid4()))]:
        for method, path, body in (
            ("GET", f"/v1/conversations/{id_}", None),
            ("GET", f"/v1/conversations/{id_}/turns", None),
            ("DELETE", f"/v1/conversations/{id_}", None),
            ("POST", "/v1/answers", {"question": "and then?", "conversation": id_}),
        ):
            said = await who.client.request(method, path, json=body)
            assert said.status_code == 404, (method, said.text)
            problem = said.json()
            told.add(problem["detail"].replace(id_, "ID"))
    assert len(told) == 1, "others' are answered as those there are not"
    for who, ids in ((anna, [wide]), (of_team, [narrow]), (bert, [])):
        listed = (await who.client.get("/v1/conversations")).json()["items"]
        assert [one["id"] for one in listed] == ids
    for id_, who in ((wide, anna), (narrow, of_team)):
        assert len(await turns_of(who, id_)) == 2


async def test_a_question_may_be_narrower_than_its_conversation(served: WorkspaceServer) -> None:
    anna = await served.person("Anna")
    space = (await anna.client.post("/v1/spaces", json={"name": "Team"})).json()["id"]
    await anna.upload("keys.md", KEYS, space_id=space)
    await anna.upload("limits.md", KEYS)
    await served.work()
    id_ = await begun(anna)
    answer = await asked(anna, id_, "how is a key rotated?", space_id=space)
    assert {one["attributes"]["space_id"] for one in answer["evidence"]["evidence"]} == {space}
    assert len(await turns_of(anna, id_)) == 2


async def test_what_a_withdrawn_member_said_in_a_space_is_out_of_reach(
    served: WorkspaceServer,
) -> None:
    anna, bert = await served.person("Anna"), await served.person("Bert")
    space = (await anna.client.post("/v1/spaces", json={"name": "Team"})).json()["id"]
    put = f"/v1/spaces/{space}/members/{bert.id}"
    await anna.client.put(put, json={"role": "viewer"})
    narrow = await served.person("Bert", ["search"], space_id=space, user_id=bert.id)
    id_ = await begun(narrow)
    await anna.client.delete(put)
    for method, path in (
        ("GET", "/v1/conversations"),
        ("POST", "/v1/conversations"),
        ("GET", f"/v1/conversations/{id_}/turns"),
        ("DELETE", f"/v1/conversations/{id_}"),
    ):
        said = await narrow.client.request(method, path, json={} if method == "POST" else None)
        assert said.status_code == 404, (method, path)


async def test_pages_cursors_and_idempotency_are_as_elsewhere(served: WorkspaceServer) -> None:
    anna, bert = await served.person("Anna"), await served.person("Bert")
    again = {"Idempotency-Key": "c1"}
    made = [
        (await anna.client.post("/v1/conversations", json={"title": "a"}, headers=again)).json()
        for _ in range(2)
    ]
    assert made[0] == made[1]
    said = await anna.client.post("/v1/conversations", json={"title": "b"}, headers=again)
    assert said.status_code == 409
    ids = [made[0]["id"], *[await begun(anna) for _ in range(4)]]
    seen: list[str] = []
    page: dict[str, Any] = {"next": ""}
    while page["next"] is not None:
        asks = {"limit": 2, "cursor": page["next"]}
        page = (await anna.client.get("/v1/conversations", params=asks)).json()
        seen += [one["id"] for one in page["items"]]
        if len(seen) == 2:
            said = await bert.client.get("/v1/conversations", params={"cursor": page["next"]})
            assert said.status_code == 400
    assert seen == list(reversed(ids))
    for limit in (5, 1_000):
        page = (await anna.client.get("/v1/conversations", params={"limit": limit})).json()
        assert (len(page["items"]), page["next"]) == (5, None), "no empty page follows"
    async with served.resources.workspaces.of(anna.id) as session:
        await session.add_turns(ids[0], [Turn("user", f"t{n}\ud800") for n in range(5)])
    path = f"/v1/conversations/{ids[0]}/turns"
    first = (await anna.client.get(path, params={"limit": 3})).json()
    rest = (await anna.client.get(path, params={"limit": 3, "after": first["next"]})).json()
    assert [one["text"] for one in (*first["items"], *rest["items"])] == [
        f"t{n}?" for n in range(5)
    ]
    assert rest["next"] is None
    whole = (await anna.client.get(path, params={"limit": 5})).json()
    assert (len(whole["items"]), whole["next"]) == (5, None)


async def test_bad_requests_are_named(served: WorkspaceServer) -> None:
    anna = await served.person("Anna")
    writer = await served.person("Anna", ["write"], user_id=anna.id)
    for method, path, body, status in (
        ("POST", "/v1/conversations", {"title": "x" * 501}, 400),
        ("POST", "/v1/conversations", {"owner": anna.id}, 400),
        ("POST", "/v1/conversations", {"title": 1}, 400),
        ("GET", "/v1/conversations/x", None, 400),
        ("GET", "/v1/conversations?limit=0", None, 400),
        ("GET", "/v1/conversations?cursor=x", None, 400),
        ("GET", f"/v1/conversations/{uuid4()}/turns?after=-1", None, 400),
        ("GET", f"/v1/conversations/{uuid4()}/turns?limit=201", None, 400),
        ("POST", "/v1/answers", {"question": "a?", "conversation": "../x"}, 404),
        ("POST", "/v1/answers", {"question": "a?", "conversation": "x" * 201}, 400),
    ):
        said = await anna.client.request(method, path, json=body)
        assert (said.status_code, said.headers["content-type"]) == (
            status,
            "application/problem+json",
        ), (path, said.text)
        if method == "POST":
            assert (await writer.client.request(method, path, json=body)).status_code == 403
