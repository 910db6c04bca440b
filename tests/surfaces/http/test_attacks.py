"""What a key could find out or reach that it should not, tried one by one."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any
from uuid import uuid4

import httpx
import pytest

from pincite.surfaces.http.cursors import cursor_after
from pincite.surfaces.http.guard import GuardLimits
from tests.surfaces.http.workspace_server import Person, WorkspaceServer, workspace_server

pytestmark = pytest.mark.anyio

SECRET = b"# Plans\n\nThe zanzibar plan.\n"


@pytest.fixture
async def served() -> AsyncIterator[WorkspaceServer]:
    async with workspace_server() as made:
        yield made


@pytest.fixture
async def anna(served: WorkspaceServer) -> Person:
    return await served.person("Anna", ["search", "write", "admin"])


async def narrow_of(served: WorkspaceServer, anna: Person) -> Person:
    """A key of Anna's for a space beside her personal one."""
    made = (await anna.client.post("/v1/spaces", json={"name": "Team"})).json()
    return await served.person("Anna", user_id=anna.id, space_id=made["id"])


def alike(said: httpx.Response, id_: str) -> tuple[int, str]:
    request_id = said.headers["x-request-id"]
    return said.status_code, said.text.replace(id_, "ID").replace(request_id, "REQUEST")


async def test_what_is_in_another_space_does_not_exist_for_a_key_of_one(
    served: WorkspaceServer, anna: Person
) -> None:
    narrow = await narrow_of(served, anna)
    document = (await anna.upload("plans.md", SECRET))["id"]
    body = {"name": "Plans", "space_id": anna.personal}
    feed = (await anna.client.post("/v1/feeds", json=body)).json()["id"]
    for method, path, id_ in (
        ("GET", "/v1/documents/{}", document),
        ("GET", "/v1/documents/{}/content", document),
        ("PUT", "/v1/documents/{}/content", document),
        ("PATCH", "/v1/documents/{}", document),
        ("DELETE", "/v1/documents/{}", document),
        ("GET", "/v1/feeds/{}", feed),
        ("PATCH", "/v1/feeds/{}/documents", feed),
        ("DELETE", "/v1/feeds/{}", feed),
        ("GET", "/v1/spaces/{}", anna.personal),
        ("GET", "/v1/spaces/{}/members", anna.personal),
        ("GET", "/v1/documents?space_id={}", anna.personal),
        ("GET", "/v1/feeds?space_id={}", anna.personal),
    ):
        told = []
        for one in (id_, str(uuid4())):
            sent: dict[str, Any] = {"json": {}} if method in ("PATCH", "PUT") else {}
            said = await narrow.client.request(method, path.format(one), **sent)
            assert said.status_code == 404, (method, path, said.text)
            told.append(alike(said, one))
        assert anna.personal not in told[0][1]
        if "spaces" not in path and "space_id" not in path:
            assert told[0] == told[1]
    assert (await anna.client.get(f"/v1/documents/{document}")).status_code == 200


async def test_a_space_of_others_is_refused_in_the_words_for_none(
    served: WorkspaceServer, anna: Person
) -> None:
    """Also by a key of one space, which is refused before the database is asked."""
    narrow = await narrow_of(served, anna)
    bert = await served.person("Bert")
    none = str(uuid4())
    want = alike(await anna.client.get(f"/v1/spaces/{none}"), none)
    for person, space in ((narrow, anna.personal), (narrow, none), (anna, bert.personal)):
        assert alike(await person.client.get(f"/v1/spaces/{space}"), space) == want
        body = {"question": "plan", "space_id": space}
        assert alike(await person.client.post("/v1/search", json=body), space) == want


async def test_a_key_of_one_space_cannot_ask_what_was_made_elsewhere(
    served: WorkspaceServer, anna: Person
) -> None:
    narrow = await narrow_of(served, anna)
    headers = {"idempotency-key": "one"}
    asked = {"content": SECRET, "params": {"filename": "plans.md"}, "headers": headers}
    made = (await anna.client.post("/v1/documents", **asked)).json()  # type: ignore[arg-type]
    path = f"/v1/documents/{made['id']}"
    await anna.client.patch(path, json={"filename": "zanzibar.md"})
    said = await narrow.client.post("/v1/documents", **asked)  # type: ignore[arg-type]
    assert said.status_code == 202
    assert "zanzibar" not in said.text
    assert said.json()["id"] != made["id"]
    again = await narrow.client.post("/v1/documents", **asked)  # type: ignore[arg-type]
    assert again.json()["id"] == said.json()["id"]


async def test_a_key_of_one_space_sees_and_revokes_no_key_of_others(
    served: WorkspaceServer, anna: Person
) -> None:
    narrow = await narrow_of(served, anna)
    listed = (await anna.client.get("/v1/keys")).json()
    assert len(listed) == 2
    (wide,) = (one for one in listed if one["space_id"] is None)
    (own,) = (await narrow.client.get("/v1/keys")).json()
    assert own["prefix"] in narrow.key
    for id_ in (wide["id"], str(uuid4())):
        said = await narrow.client.delete(f"/v1/keys/{id_}")
        assert said.status_code == 404
    assert (await anna.client.get("/v1/spaces")).status_code == 200
    assert (await narrow.client.delete(f"/v1/keys/{own['id']}")).status_code == 204
    assert (await narrow.client.get("/v1/spaces")).status_code == 401


async def test_an_administrators_key_reads_no_text_of_others(
    served: WorkspaceServer, anna: Person
) -> None:
    bert = await served.person("Bert", ["search", "write"])
    made = await bert.upload("plans.md", SECRET)
    await served.work()
    assert await anna.found("zanzibar plan") == set()
    assert (await anna.client.get(f"/v1/documents/{made['id']}/content")).status_code == 404
    alone = await served.person("Olga", ["admin"])
    for method, path in (("GET", "/v1/documents"), ("GET", "/v1/keys"), ("POST", "/v1/search")):
        body = {"question": "plan"} if method == "POST" else None
        assert (await alone.client.request(method, path, json=body)).status_code == 403


@pytest.mark.parametrize(
    "origin", ["http://[", "http://[::1", "//pincite.test", "ftp://pincite.test"]
)
async def test_an_origin_that_is_no_url_is_refused(anna: Person, origin: str) -> None:
    said = await anna.client.get("/v1/spaces", headers={"origin": origin})
    assert (said.status_code, said.json()["code"]) == (403, "wrong_origin")


async def test_one_key_cannot_take_all_the_room() -> None:
    """Uploads that never end, as many as there is room for."""
    async with workspace_server(guard=GuardLimits(at_once=4, waiting=0, each=2)) as served:
        anna, bert = await served.person("Anna"), await served.person("Bert")
        begun, hold = asyncio.Semaphore(0), asyncio.Event()

        async def slow() -> AsyncIterator[bytes]:
            yield b"a"
            begun.release()
            await hold.wait()

        def upload() -> asyncio.Task[httpx.Response]:
            sent = {"params": {"filename": "a.txt"}, "content": slow()}
            return asyncio.create_task(anna.client.post("/v1/documents", **sent))  # type: ignore[arg-type]

        going = [upload(), upload()]
        for _ in going:
            await begun.acquire()
        for spelled in (f"Bearer {anna.key}", f"bearer   {anna.key} "):
            said = await anna.client.get("/v1/spaces", headers={"authorization": spelled})
            assert (said.status_code, said.json()["code"]) == (429, "rate_limited")
            assert said.headers["retry-after"] == "1"
        assert (await bert.client.get("/v1/spaces")).status_code == 200
        hold.set()
        assert [one.status_code for one in await asyncio.gather(*going)] == [202, 202]
        assert (await anna.client.get("/v1/spaces")).status_code == 200


async def test_a_document_that_moves_while_its_bytes_come_keeps_them(
    served: WorkspaceServer, anna: Person
) -> None:
    space = (await anna.client.post("/v1/spaces", json={"name": "Team"})).json()["id"]
    made = await anna.upload("plans.md", SECRET)
    path = f"/v1/documents/{made['id']}"

    async def moving() -> AsyncIterator[bytes]:
        yield b"# Plans\n\n"
        said = await anna.client.patch(path, json={"space_id": space})
        assert said.status_code == 200
        yield b"The kingston plan.\n"

    said = await anna.client.put(f"{path}/content", content=moving())
    assert (said.status_code, said.json()["space_id"]) == (202, space)
    assert b"kingston" in (await anna.client.get(f"{path}/content")).content
    await served.work()
    assert (await anna.client.get(path)).json()["status"] == "ready"


async def test_a_key_of_one_space_changes_nothing_that_has_left_it_meanwhile(
    served: WorkspaceServer, anna: Person
) -> None:
    narrow = await narrow_of(served, anna)
    made = await narrow.upload("plans.md", SECRET)
    path = f"/v1/documents/{made['id']}"

    async def moving() -> AsyncIterator[bytes]:
        said = await anna.client.patch(path, json={"space_id": anna.personal})
        assert said.status_code == 200
        yield b"other"

    said = await narrow.client.put(f"{path}/content", content=moving())
    assert (said.status_code, said.json()["code"]) == (404, "not_found")
    now = (await anna.client.get(path)).json()
    assert (now["space_id"], now["content_hash"]) == (anna.personal, made["content_hash"])
    assert (await anna.client.get(f"{path}/content")).content == SECRET


async def test_a_membership_that_ends_while_bytes_come_keeps_them_out(
    served: WorkspaceServer, anna: Person
) -> None:
    bert = await served.person("Bert")
    space = (await anna.client.post("/v1/spaces", json={"name": "Team"})).json()["id"]
    member = f"/v1/spaces/{space}/members/{bert.id}"
    for end in ("DELETE", "PUT"):
        assert (await anna.client.put(member, json={"role": "editor"})).status_code == 200

        async def ending(how: str = end) -> AsyncIterator[bytes]:
            body = {"role": "viewer"} if how == "PUT" else None
            assert (await anna.client.request(how, member, json=body)).is_success
            yield b"text"

        params = {"filename": "a.txt", "space_id": space}
        said = await bert.client.post("/v1/documents", params=params, content=ending())
        assert said.status_code == (404 if end == "DELETE" else 403)
    assert (await anna.client.get("/v1/documents")).json()["items"] == []


async def test_a_viewer_moves_nothing_in_or_out(served: WorkspaceServer, anna: Person) -> None:
    bert = await served.person("Bert")
    space = (await anna.client.post("/v1/spaces", json={"name": "Team"})).json()["id"]
    await anna.client.put(f"/v1/spaces/{space}/members/{bert.id}", json={"role": "viewer"})
    theirs = await anna.upload("plans.md", SECRET, space_id=space)
    own = await bert.upload("own.md", "mine")
    for id_, to in ((theirs["id"], bert.personal), (own["id"], space)):
        said = await bert.client.patch(f"/v1/documents/{id_}", json={"space_id": to})
        assert (said.status_code, said.json()["code"]) == (403, "forbidden")
    narrow = await served.person("Anna", user_id=anna.id, space_id=space)
    path = f"/v1/documents/{theirs['id']}"
    said = await narrow.client.patch(path, json={"space_id": anna.personal})
    assert said.status_code == 404
    assert (await anna.client.get(path)).json()["space_id"] == space


async def test_what_is_uploaded_is_never_a_page(served: WorkspaceServer, anna: Person) -> None:
    made = await anna.upload('x";a=b.html', "<script>alert(1)</script>")
    said = await anna.client.get(f"/v1/documents/{made['id']}/content")
    assert said.headers["content-type"] == "application/octet-stream"
    assert said.headers["content-disposition"] == "attachment"
    assert said.headers["x-content-type-options"] == "nosniff"
    assert "default-src 'none'" in said.headers["content-security-policy"]


@pytest.mark.parametrize(
    "path",
    [
        *("/v1/documents/..%2F..%2Fetc", "/v1/documents/%2e%2e/content", "/v1/spaces/%00/members"),
        *("/v1/documents/x%2Fcontent", "/v1/feeds/" + "a" * 9_000, "/v1/documents//content"),
        *(
            "/v1/documents?limit=0",
            "/v1/documents?limit=1001",
            "/v1/documents?limit=" + "9" * 5_000,
        ),
        *(
            "/v1/documents?cursor=" + "A" * 200,
            "/v1/documents?cursor=%00%ff",
            "/v1/feeds/%0d%0aa:b",
        ),
    ],
)
async def test_a_path_that_cannot_be_is_a_mistake_of_the_client(anna: Person, path: str) -> None:
    said = await anna.client.get(path)
    assert said.status_code in (400, 404), said.text
    assert said.json()["code"] in ("invalid_request", "not_found")


async def test_a_cursor_that_is_made_up_points_into_ones_own_documents(
    served: WorkspaceServer, anna: Person
) -> None:
    bert = await served.person("Bert")
    await bert.upload("plans.md", SECRET)
    own = await anna.upload("own.md", "mine")
    lowest = cursor_after(anna.id, "0" * 8 + "-0000-0000-0000-" + "0" * 12)
    page = (await anna.client.get("/v1/documents", params={"cursor": lowest})).json()
    assert [one["id"] for one in page["items"]] == [own["id"]]
    for last in ("' OR 1=1 --", "", "z" * 36):
        said = await anna.client.get(
            "/v1/documents", params={"cursor": cursor_after(anna.id, last)}
        )
        assert said.status_code in (200, 400)
        assert "plans" not in said.text


async def test_every_way_to_cite_what_is_hidden_is_answered_as_what_there_is_not(
    served: WorkspaceServer, anna: Person
) -> None:
    bert = await served.person("Bert")
    made = await anna.upload("plans.md", SECRET)
    await bert.upload("own.md", "# Mine\n\nNothing of others.\n")
    await served.work()
    said = (await anna.client.post("/v1/search", json={"question": "zanzibar plan"})).json()
    found = said["evidence"][0]
    path, chunk, id_ = found["path"], found["chunk_id"], made["id"]
    other, none = str(uuid4()), uuid4().hex
    for hidden, missing in (
        (found["citation"], found["citation"].replace(id_, other)),
        (path, path.replace(id_, other)),
        (f"documents:{path}:1-3", f"documents:{path.replace(id_, other)}:1-3"),
        (f"documents:{path}:900-901", f"documents:{path.replace(id_, other)}:900-901"),
        (f"#{chunk}", f"#{none}"),
        (f"#{chunk[:12]}", f"#{none[:12]}"),
    ):
        told = []
        for one in (hidden, missing):
            claims = {"claims": [{"citation": one, "quote": "The zanzibar plan."}]}
            for path_, body in (("read", {"citation": one}), ("verify", claims)):
                answer = await bert.client.post(f"/v1/evidence/{path_}", json=body)
                assert "The zanzibar plan" not in answer.text
                told.append(alike(answer, one.removeprefix("#")))
        assert told[:2] == told[2:], hidden
    own = await anna.client.post("/v1/evidence/read", json={"citation": f"#{chunk[:12]}"})
    assert "zanzibar" in own.text


async def test_who_is_no_member_any_more_finds_nothing_however_many_ask_meanwhile(
    served: WorkspaceServer, anna: Person
) -> None:
    bert = await served.person("Bert")
    space = (await anna.client.post("/v1/spaces", json={"name": "Team"})).json()["id"]
    made = await anna.upload("plans.md", SECRET, space_id=space)
    await served.work()
    member, asked = f"/v1/spaces/{space}/members/{bert.id}", {"question": "zanzibar plan"}
    for _ in range(5):
        assert (await anna.client.put(member, json={"role": "viewer"})).status_code == 200
        assert await bert.found("zanzibar plan") == {"plans.md"}
        going = [asyncio.create_task(bert.client.post("/v1/search", json=asked)) for _ in range(6)]
        await asyncio.sleep(0)
        assert (await anna.client.delete(member)).status_code == 204
        after = await bert.client.post("/v1/search", json=asked)
        assert "The zanzibar plan" not in after.text
        assert (await bert.client.get(f"/v1/documents/{made['id']}")).status_code == 404
        assert {one.status_code for one in await asyncio.gather(*going)} == {200}


async def test_what_is_deleted_or_moved_while_it_is_indexed_is_where_it_was_asked_last(
    served: WorkspaceServer, anna: Person
) -> None:
    bert = await served.person("Bert")
    space = (await anna.client.post("/v1/spaces", json={"name": "Team"})).json()["id"]
    await anna.client.put(f"/v1/spaces/{space}/members/{bert.id}", json={"role": "viewer"})
    for _ in range(4):
        going = await anna.upload("plans.md", SECRET, space_id=space)
        moving = await anna.upload("plans.md", SECRET, space_id=space)
        working = asyncio.create_task(served.work())
        await asyncio.sleep(0.01)
        await anna.client.delete(f"/v1/documents/{going['id']}")
        path = f"/v1/documents/{moving['id']}"
        await anna.client.patch(path, json={"space_id": anna.personal})
        assert await bert.found("zanzibar plan") == set()
        await working
        await served.work()
        assert await bert.found("zanzibar plan") == set()
        assert await anna.found("zanzibar plan", space_id=space) == set()
        assert await anna.found("zanzibar plan") == {"plans.md"}
        await anna.client.delete(path)
        await served.work()
