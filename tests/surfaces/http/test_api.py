"""The HTTP API, as its users use it."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from datetime import timedelta
from uuid import uuid4

import pytest

from tests.surfaces.http.workspace_server import WorkspaceServer, workspace_server

pytestmark = pytest.mark.anyio

KEYS = "# Keys\n\nTo rotate a key, call `rotate_key` with the new secret.\n"
LIMITS = "# Limits\n\nA client may send 600 requests a minute.\n"
LONG = b"\nAnother line of the manual.\n"


@pytest.fixture
async def served() -> AsyncIterator[WorkspaceServer]:
    async with workspace_server() as made:
        yield made


async def test_what_is_uploaded_is_found_cited_read_verified_and_deleted(
    served: WorkspaceServer,
) -> None:
    anna = await served.person("Anna")
    made = await anna.upload("keys.md", KEYS)
    assert (made["status"], made["space_id"], made["version"]) == ("pending", anna.personal, 1)
    assert await anna.found("rotate a key") == set()
    assert await served.work() == 1
    said = await anna.client.get(f"/v1/documents/{made['id']}")
    assert said.json()["status"] == "ready"
    pack = (await anna.client.post("/v1/search", json={"question": "how rotate a key"})).json()
    assert pack["verdict"]["level"] == "grounded"
    citation = pack["evidence"][0]["citation"]
    read = await anna.client.post("/v1/evidence/read", json={"citation": citation})
    assert "rotate_key" in read.json()["text"]
    claims = [{"citation": citation, "quote": "call `rotate_key`"}]
    claims += [{"citation": citation, "quote": "call nobody"}]
    checked = await anna.client.post("/v1/evidence/verify", json={"claims": claims})
    assert [one["status"] for one in checked.json()] == ["fresh", "changed"]
    block = await anna.client.post("/v1/context", json={"question": "rotate a key", "budget": 900})
    assert "rotate_key" in block.text
    raw = await anna.client.get(f"/v1/documents/{made['id']}/content")
    assert raw.content == KEYS.encode()
    assert (await anna.client.delete(f"/v1/documents/{made['id']}")).status_code == 202
    assert (await anna.client.get(f"/v1/documents/{made['id']}")).status_code == 404
    assert await anna.found("rotate a key") == set()
    assert await served.work() == 1
    assert await anna.found("rotate a key") == set()


async def test_an_answer_is_whole_or_in_pieces(served: WorkspaceServer) -> None:
    anna = await served.person("Anna")
    await anna.upload("keys.md", KEYS)
    await served.work()
    asked = {"question": "how is a key rotated?"}
    whole = (await anna.client.post("/v1/answers", json=asked)).json()
    assert whole["kind"] == "extractive"
    assert whole["sources"][0]["citation"]
    said = await anna.client.post("/v1/answers", json={**asked, "stream": True})
    assert said.headers["content-type"].startswith("text/event-stream")
    events = [line[7:] for line in said.text.splitlines() if line.startswith("event: ")]
    assert events[-1] == "answer"


async def test_a_stranger_sees_nothing_and_cannot_tell_it_from_nothing(
    served: WorkspaceServer,
) -> None:
    anna, bert = await served.person("Anna"), await served.person("Bert")
    made = await anna.upload("keys.md", KEYS)
    await served.work()
    citation = (await anna.client.post("/v1/search", json={"question": "rotate a key"})).json()[
        "evidence"
    ][0]["citation"]
    assert await bert.found("rotate a key") == set()
    for there in (made["id"], str(uuid4())):
        for method, path, body in (
            ("GET", f"/v1/documents/{there}", None),
            ("GET", f"/v1/documents/{there}/content", None),
            ("PATCH", f"/v1/documents/{there}", {"filename": "mine.md"}),
            ("DELETE", f"/v1/documents/{there}", None),
        ):
            said = await bert.client.request(method, path, json=body)
            assert said.status_code == 404, (method, path, said.text)
            problem = said.json()
            assert problem["code"] == "not_found"
            assert "keys.md" not in said.text
    for space in (anna.personal, str(uuid4())):
        said = await bert.client.post("/v1/search", json={"question": "key", "space_id": space})
        assert said.status_code == 404
        said = await bert.client.post(
            "/v1/documents", content=b"x", params={"filename": "x.txt", "space_id": space}
        )
        assert said.status_code == 404
        assert (await bert.client.get(f"/v1/spaces/{space}/members")).status_code == 404
    read = await bert.client.post("/v1/evidence/read", json={"citation": citation})
    assert read.status_code == 404
    checked = await bert.client.post(
        "/v1/evidence/verify", json={"claims": [{"citation": citation}]}
    )
    assert checked.json()[0]["status"] == "unknown"


async def test_what_verify_says_of_an_old_citation_depends_on_the_reader(
    served: WorkspaceServer,
) -> None:
    anna, bert = await served.person("Anna"), await served.person("Bert")
    made = await anna.upload("keys.md", KEYS)
    await served.work()
    pack = (await anna.client.post("/v1/search", json={"question": "rotate a key"})).json()
    citation = pack["evidence"][0]["citation"]
    replaced = await anna.client.put(f"/v1/documents/{made['id']}/content", content=b"# K\n" + LONG)
    assert replaced.status_code == 202
    await served.work()
    elsewhere = citation.replace(made["id"], str(uuid4()))
    body = {"claims": [{"citation": citation}, {"citation": elsewhere}]}
    own, none = (await anna.client.post("/v1/evidence/verify", json=body)).json()
    assert (own["status"], own["path"]) == ("unknown", f"{anna.personal}/{made['id']}")
    assert "now has revision" in own["detail"]
    told = (await bert.client.post("/v1/evidence/verify", json=body)).json()
    assert told == [{**none, "citation": citation}, none]
    assert (none["detail"], none["path"]) == ("the citation names no accessible document", None)


async def test_a_deletion_that_a_worker_has_not_done_is_no_alarm(
    served: WorkspaceServer, caplog: pytest.LogCaptureFixture
) -> None:
    anna = await served.person("Anna")
    made = await anna.upload("keys.md", KEYS)
    await served.work()
    assert await anna.found("rotate a key") == {"keys.md"}
    assert (await anna.client.delete(f"/v1/documents/{made['id']}")).status_code == 202
    assert await anna.found("rotate a key") == set()
    assert [one for one in caplog.records if one.levelname == "ERROR"] == []
    assert served.resources.workspace.kept_back == 0


async def test_a_title_by_patch_is_the_title_of_evidence(served: WorkspaceServer) -> None:
    anna = await served.person("Anna")
    made = await anna.upload("keys.md", KEYS)
    body = {"metadata": {"title": "Gamma Handbook"}}
    assert (await anna.client.patch(f"/v1/documents/{made['id']}", json=body)).status_code == 200
    for content in (None, KEYS.encode() + LONG):
        if content is not None:
            await anna.client.put(f"/v1/documents/{made['id']}/content", content=content)
        await served.work()
        pack = (await anna.client.post("/v1/search", json={"question": "rotate a key"})).json()
        assert pack["evidence"][0]["title"] == "Gamma Handbook"


async def test_a_membership_and_a_feed_hold_for_the_very_next_request(
    served: WorkspaceServer,
) -> None:
    anna, bert = await served.person("Anna"), await served.person("Bert")
    space = (await anna.client.post("/v1/spaces", json={"name": "Team"})).json()["id"]
    keys = await anna.upload("keys.md", KEYS, space_id=space)
    await anna.upload("limits.md", LIMITS, space_id=space)
    await served.work()
    assert await bert.found("rotate a key") == set()
    put = f"/v1/spaces/{space}/members/{bert.id}"
    assert (await anna.client.put(put, json={"role": "viewer"})).status_code == 200
    assert "keys.md" in await bert.found("rotate a key")
    refused = await bert.client.post(
        "/v1/documents", content=b"x", params={"filename": "x.txt", "space_id": space}
    )
    assert (refused.status_code, refused.json()["code"]) == (403, "forbidden")
    feed = (await anna.client.post("/v1/feeds", json={"name": "F", "space_id": space})).json()["id"]
    assert await bert.found("rotate a key", feed_ids=[feed]) == set()
    change = {"add": [keys["id"]]}
    said = await anna.client.patch(f"/v1/feeds/{feed}/documents", json=change)
    assert said.json()["documents"] == 1
    assert await bert.found("requests a minute rotate key", feed_ids=[feed]) == {"keys.md"}
    assert (await anna.client.delete(put)).status_code == 204
    assert await bert.found("rotate a key") == set()
    assert (
        await bert.client.post("/v1/search", json={"question": "k", "feed_ids": [feed]})
    ).status_code in (200, 404)


async def test_a_key_is_refused_once_it_is_revoked_or_has_expired(served: WorkspaceServer) -> None:
    soon = served.now + timedelta(minutes=5)
    anna = await served.person("Anna", expires=soon)
    assert (await anna.client.get("/v1/spaces")).status_code == 200
    served.later(301)
    said = await anna.client.get("/v1/spaces")
    assert (said.status_code, said.json()["code"]) == (401, "unauthenticated")
    assert said.headers["www-authenticate"] == "Bearer"
    other = await served.person("Anna", user_id=anna.id)
    (key, _) = (await other.client.get("/v1/keys")).json()
    own = next(one for one in (await other.client.get("/v1/keys")).json() if not one["expires"])
    assert (await other.client.delete(f"/v1/keys/{own['id']}")).status_code == 204
    assert (await other.client.get("/v1/spaces")).status_code == 401
    assert key["prefix"] not in (await (await served.client()).get("/v1/spaces")).text


@pytest.mark.parametrize(
    "header",
    ["", "Bearer", "Bearer pin_0", "Basic abc", "Bearer " + "x" * 5000, "Bearer pin_é_x"],
)
async def test_what_is_no_key_is_refused_alike(served: WorkspaceServer, header: str) -> None:
    client = await served.client()
    headers = [(b"authorization", header.encode())] if header else []
    said = await client.get("/v1/spaces", headers=headers)
    assert (said.status_code, said.json()["code"]) == (401, "unauthenticated")


async def test_a_key_of_one_space_sees_that_space_alone(served: WorkspaceServer) -> None:
    anna = await served.person("Anna")
    space = (await anna.client.post("/v1/spaces", json={"name": "Team"})).json()["id"]
    await anna.upload("keys.md", KEYS)
    await anna.upload("limits.md", LIMITS, space_id=space)
    await served.work()
    narrow = await served.person("Anna", user_id=anna.id, space_id=space)
    assert await narrow.found("rotate a key requests") == {"limits.md"}
    assert [one["id"] for one in (await narrow.client.get("/v1/spaces")).json()] == [space]
    listed = (await narrow.client.get("/v1/documents")).json()["items"]
    assert [one["filename"] for one in listed] == ["limits.md"]
    for space_id in (anna.personal, str(uuid4())):
        asked = {"question": "key", "space_id": space_id}
        assert (await narrow.client.post("/v1/search", json=asked)).status_code == 404
    made = await narrow.upload("more.md", KEYS)
    assert made["space_id"] == space


async def test_a_key_without_a_scope_may_not(served: WorkspaceServer) -> None:
    reader = await served.person("Anna", ["search"])
    said = await reader.client.post("/v1/documents", content=b"x", params={"filename": "x.txt"})
    assert (said.status_code, said.json()["code"]) == (403, "forbidden")
    writer = await served.person("Bert", ["write"])
    assert (await writer.client.post("/v1/search", json={"question": "x"})).status_code == 403
    assert (await writer.client.get("/metrics")).status_code == 403
    operator = await served.person("Olga", ["admin"])
    await writer.client.post("/v1/documents", params={"filename": "a.md"}, content=KEYS)
    told = (await operator.client.get("/metrics")).text
    assert re.search(r'pincite_requests_total\{operation="metrics",process=".+:\d+",.+"403"', told)
    assert 'pincite_jobs{state="waiting"} 1.0' in told
    assert 'pincite_documents{status="pending"} 1.0' in told


async def test_a_change_of_metadata_leaves_what_it_does_not_name(served: WorkspaceServer) -> None:
    anna = await served.person("Anna")
    place = f"/v1/documents/{(await anna.upload('a.md', KEYS))['id']}"
    for given in ({"category": "manual"}, {"document_type": "guide"}, {"category": ""}):
        said = (await anna.client.patch(place, json={"metadata": given})).json()
        if given.get("document_type"):
            assert said["given"] == {"category": "manual", "document_type": "guide"}
    assert said["given"] == {"document_type": "guide"}


async def test_headers_are_sent_once(served: WorkspaceServer) -> None:
    anna = await served.person("Anna")
    for path in ("/ui", "/ui/app.js", "/ui/style.css"):
        found = (await anna.client.get(path)).headers
        assert found["content-type"].count("charset") == 1
        assert found.get_list("cache-control") == ["no-store"]
    asked = {"question": "x", "stream": True}
    events = await anna.client.post("/v1/answers", json=asked)
    assert events.headers.get_list("cache-control") == ["no-store"]
    lost = await anna.client.post("/v1/answers", json={**asked, "conversation": "nope"})
    assert (lost.status_code, lost.json()["code"]) == (404, "not_found")


async def test_a_request_that_is_sent_again_makes_nothing_twice(served: WorkspaceServer) -> None:
    anna, bert = await served.person("Anna"), await served.person("Bert")
    headers = {"idempotency-key": "one"}
    asked = {"content": KEYS.encode(), "params": {"filename": "keys.md"}, "headers": headers}
    first = await anna.client.post("/v1/documents", **asked)  # type: ignore[arg-type]
    again = await anna.client.post("/v1/documents", **asked)  # type: ignore[arg-type]
    assert first.json()["id"] == again.json()["id"]
    other = await anna.client.post("/v1/documents", **{**asked, "content": b"other"})  # type: ignore[arg-type]
    assert (other.status_code, other.json()["code"]) == (409, "conflict")
    change = {"metadata": {"category": "manual"}}
    await anna.client.patch(f"/v1/documents/{first.json()['id']}", json=change)
    later = await anna.client.post("/v1/documents", **{**asked, "content": b"other"})  # type: ignore[arg-type]
    assert later.status_code == 409, "an upload is not lost where the document was changed since"
    assert (await anna.client.post("/v1/documents", **asked)).status_code == 202  # type: ignore[arg-type]
    his = await bert.client.post("/v1/documents", **asked)  # type: ignore[arg-type]
    assert his.json()["id"] != first.json()["id"]
    made = [await anna.client.post("/v1/spaces", json={"name": "T"}, headers=headers) for _ in "ab"]
    assert made[0].json()["id"] == made[1].json()["id"]
    assert len((await anna.client.get("/v1/spaces")).json()) == 2


async def test_pages_follow_each_other_and_a_cursor_of_somebody_else_is_named(
    served: WorkspaceServer,
) -> None:
    anna, bert = await served.person("Anna"), await served.person("Bert")
    for number in range(5):
        await anna.upload(f"{number}.md", KEYS)
    seen, cursor = [], ""
    while True:
        page = (
            await anna.client.get("/v1/documents", params={"limit": 2, "cursor": cursor})
        ).json()
        seen += [one["filename"] for one in page["items"]]
        if page["next"] is None:
            break
        last, cursor = page["next"], page["next"]
    assert sorted(seen) == [f"{number}.md" for number in range(5)]
    for limit in (5, 1_000):
        page = (await anna.client.get("/v1/documents", params={"limit": limit})).json()
        assert (len(page["items"]), page["next"]) == (5, None), "no empty page follows"
    said = await bert.client.get("/v1/documents", params={"cursor": last})
    assert (said.status_code, said.json()["code"]) == (400, "invalid_request")
    assert "belongs to another user" in said.json()["detail"]
    said = await bert.client.get("/v1/documents", params={"cursor": "nonsense"})
    assert said.status_code == 400
