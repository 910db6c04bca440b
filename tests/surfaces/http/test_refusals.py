"""What is refused is refused with a reason, in words of the request."""

from __future__ import annotations

import pytest

from pincite.records.accept import MOST_TEXT_CHARS
from tests.surfaces.http.desks import office

pytestmark = pytest.mark.anyio
BODIES = [
    (b"", 400, "the body is empty"),
    (b'{"question": "\xff"}', 400, "the body is not valid UTF-8"),
    (b'{"question": ' + b"[" * 200_000, 400, "the body is nested too deeply"),
    (b'{"question": "' + b"a" * 1_000_000 + b'"}', 413, "the body has more than 1,000,000 bytes"),
]


@pytest.mark.parametrize(("body", "status", "detail"), BODIES)
async def test_a_body_is_refused_with_its_reason(body: bytes, status: int, detail: str) -> None:
    async with office() as served:
        anna = await served.person("Anna")
        said = await anna.client.post("/v1/search", content=body)
    assert (said.status_code, said.json()["detail"]) == (status, detail)


async def test_a_text_that_is_too_long_fails_with_its_length() -> None:
    async with office() as served:
        anna = await served.person("Anna")
        made = await anna.upload("long.txt", b"key " * (MOST_TEXT_CHARS // 4) + b"s")
        await served.work()
        found = (await anna.client.get(f"/v1/documents/{made['id']}")).json()
    told = "too_large: the text has 5,000,001 characters; at most 5,000,000"
    assert (found["status"], found["error"]) == ("failed", told)


async def test_a_key_whose_document_is_being_deleted_conflicts() -> None:
    async with office() as served:
        anna = await served.person("Anna")

        async def post() -> tuple[int, str]:
            said = await anna.client.post(
                "/v1/documents",
                content=b"keys",
                params={"filename": "keys.txt"},
                headers={"Idempotency-Key": "k1"},
            )
            return said.status_code, said.json().get("id") or said.json()["detail"]

        status, document = await post()
        assert (status, (await post())[1]) == (202, document)
        await anna.client.delete(f"/v1/documents/{document}")
        status, detail = await post()
        assert (status, "Idempotency-Key" in detail) == (409, True)
        await served.work()
        assert (await post())[0] == 202
