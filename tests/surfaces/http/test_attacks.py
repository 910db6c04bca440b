"""What a key could find out or reach that it should not, tried one by one."""

from __future__ import annotations

from collections.abc import AsyncIterator
from uuid import uuid4

import httpx
import pytest

from tests.surfaces.http.desks import Office, Person, office

pytestmark = pytest.mark.anyio

SECRET = b"# Plans\n\nThe zanzibar plan.\n"


@pytest.fixture
async def served() -> AsyncIterator[Office]:
    async with office() as made:
        yield made


@pytest.fixture
async def anna(served: Office) -> Person:
    return await served.person("Anna", ["search", "write", "admin"])


async def narrow_of(served: Office, anna: Person) -> Person:
    """A key of Anna's for a space beside her personal one."""
    made = (await anna.client.post("/v1/spaces", json={"name": "Team"})).json()
    return await served.person("Anna", user_id=anna.id, space_id=made["id"])


def alike(said: httpx.Response, id_: str) -> tuple[int, str]:
    request_id = said.headers["x-request-id"]
    return said.status_code, said.text.replace(id_, "ID").replace(request_id, "REQUEST")


async def test_what_is_in_another_space_does_not_exist_for_a_key_of_one(
    served: Office, anna: Person
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
            sent = {"json": {}} if method in ("PATCH", "PUT") else {}
            said = await narrow.client.request(method, path.format(one), **sent)  # type: ignore[arg-type]
            assert said.status_code == 404, (method, path, said.text)
            told.append(alike(said, one))
        assert anna.personal not in told[0][1]
        if "spaces" not in path and "space_id" not in path:
            assert told[0] == told[1]
    assert (await anna.client.get(f"/v1/documents/{document}")).status_code == 200


async def test_a_space_of_others_is_refused_in_the_words_for_none(
    served: Office, anna: Person
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
    served: Office, anna: Person
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
    served: Office, anna: Person
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


async def test_an_administrators_key_reads_no_text_of_others(served: Office, anna: Person) -> None:
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
