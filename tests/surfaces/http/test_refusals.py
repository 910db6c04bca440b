"""What is refused is refused with a reason, in words of the request."""

from __future__ import annotations

import pytest

from pincite.records.normalise import MOST_TEXT_CHARS
from tests.surfaces.http.workspace_server import workspace_server

pytestmark = pytest.mark.anyio
BODIES = [
    (b"", 400, "the body is empty"),
    (b'{"question": "\xff"}', 400, "the body is not valid UTF-8"),
    (b'{"question": ' + b"[" * 200_000, 400, "the body is nested too deeply"),
    (b'{"question": "' + b"a" * 1_000_000 + b'"}', 413, "the body has more than 1,000,000 bytes"),
]


async def test_half_of_a_surrogate_pair_is_named_so() -> None:
    async with workspace_server() as served:
        anna = await served.person("Anna")
        said = await anna.client.post("/v1/search", content=b'{"question": "\\ud800"}')
    assert (said.status_code, "surrogate pair" in said.json()["detail"]) == (400, True)


@pytest.mark.parametrize(("body", "status", "detail"), BODIES)
async def test_a_body_is_refused_with_its_reason(body: bytes, status: int, detail: str) -> None:
    async with workspace_server() as served:
        anna = await served.person("Anna")
        said = await anna.client.post("/v1/search", content=body)
    assert (said.status_code, said.json()["detail"]) == (status, detail)


async def test_a_text_that_is_too_long_fails_with_its_length() -> None:
    async with workspace_server() as served:
        anna = await served.person("Anna")
        made = await anna.upload("long.txt", b"key " * (MOST_TEXT_CHARS // 4) + b"s")
        await served.work()
        found = (await anna.client.get(f"/v1/documents/{made['id']}")).json()
    told = "too_large: the text has 5,000,001 characters; at most 5,000,000"
    assert (found["status"], found["error"]) == ("failed", told)


async def test_a_key_whose_document_is_being_deleted_conflicts() -> None:
    async with workspace_server() as served:
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


async def test_an_unknown_parameter_is_refused_as_an_unknown_field_is() -> None:
    async with workspace_server() as served:
        anna = await served.person("Anna")
        said = await anna.client.post("/v1/documents?filename=a.md&spaceid=TEAM", content=b"x")
        assert (said.status_code, said.json()["code"]) == (400, "invalid_request")
        assert "spaceid" in said.json()["detail"]
        assert said.json()["hint"] == "its parameters: filename, source_ids, space_id"
        assert (await anna.client.get("/v1/documents")).json()["items"] == []
        paths = (await anna.client.get("/openapi.json")).json()["paths"]
        for path, operations in paths.items():
            for method, operation in operations.items():
                if not path.startswith("/v1/"):
                    continue
                said = await anna.client.request(method, path, params={"nonsense": "1"})
                named = [
                    one["name"] for one in operation.get("parameters", ()) if one["in"] == "query"
                ]
                assert said.status_code == 400, path
                hint = f"its parameters: {', '.join(sorted(named)) or 'none'}"
                assert said.json()["hint"] == hint, path


async def test_a_name_is_as_long_for_a_rename_as_for_an_upload() -> None:
    async with workspace_server() as served:
        anna = await served.person("Anna")
        made = await anna.upload("a" * 252 + ".md", "keys")
        path = f"/v1/documents/{made['id']}"
        said = await anna.client.patch(path, json={"filename": "b" * 252 + ".md"})
        assert (said.status_code, said.json()["filename"]) == (200, "b" * 252 + ".md")
        assert (await anna.client.patch(path, json={"filename": "b" * 256})).status_code == 400


async def test_a_cursor_that_is_nonsense_is_said_to_be_invalid() -> None:
    async with workspace_server() as served:
        anna = await served.person("Anna")
        said = await anna.client.get("/v1/documents?cursor=abc")
        assert (said.status_code, "invalid" in said.json()["detail"]) == (400, True)


async def test_an_empty_server_names_no_folder_of_its_own() -> None:
    async with workspace_server() as served:
        anna = await served.person("Anna")
        for path in ("search", "context", "answers"):
            said = await anna.client.post(f"/v1/{path}", json={"question": "keys"})
            assert said.status_code == 200
            assert "no indexed document is accessible" in said.text
            assert ".pincite" not in said.text


@pytest.mark.parametrize(
    ("query", "told"),
    [
        ("filename=a.txt&filename=b.txt", "filename is given 2 times"),
        ("filename=a.txt&space_id=1&space_id=1", "space_id is given 2 times"),
        ("filename=%ff%fe.md", "not valid UTF-8"),
        ("filename=a.txt&source_ids=%c3", "not valid UTF-8"),
    ],
)
async def test_a_query_that_would_be_misread_is_refused(query: str, told: str) -> None:
    async with workspace_server() as served:
        anna = await served.person("Anna")
        said = await anna.client.post(f"/v1/documents?{query}", content=b"x")
        assert (said.status_code, said.json()["code"]) == (400, "invalid_request")
        assert told in said.json()["detail"]
        assert (await anna.client.get("/v1/documents?limit=5")).json()["items"] == []
        lists = "filename=a%20%C3%A9.txt&source_ids=a&source_ids=b"
        made = (await anna.client.post(f"/v1/documents?{lists}", content=b"x")).json()
        assert (made["filename"], made["source_ids"]) == ("a é.txt", ["a", "b"])


@pytest.mark.parametrize(
    ("path", "body", "field"),
    [
        ("search", {"question": "x", "limit": "5"}, "limit"),
        ("search", {"question": "x", "budget_ms": "5"}, "budget_ms"),
        ("answers", {"question": "x", "stream": "true"}, "stream"),
        ("answers", {"question": "x", "stream": 1}, "stream"),
        ("rerank", {"query": "x", "documents": ["x"], "top_n": "1"}, "top_n"),
        ("tools/search_documents", {"query": "x", "limit": "5"}, "limit"),
        ("evidence/read", {"citation": "x", "context": "5"}, "context"),
    ],
)
async def test_a_value_of_another_type_is_refused_by_its_field(
    path: str, body: dict[str, object], field: str
) -> None:
    async with workspace_server() as served:
        anna = await served.person("Anna")
        said = await anna.client.post(f"/v1/{path}", json=body)
        assert (said.status_code, said.json()["code"]) == (400, "invalid_request")
        assert said.json()["fields"][0].startswith(f"{field}: Expected ")


@pytest.mark.parametrize(
    ("path", "body", "told"),
    [
        (
            "search",
            {"question": "x", "limt": 5},
            "limt: there is no such field; did you mean limit?",
        ),
        (
            "evidence/verify",
            {"claims": [{"citation": "x", "quotes": "y"}]},
            "claims[0].quotes: there is no such field; did you mean quote?",
        ),
        (
            "evidence/read",
            {"citation": "x", "zzz": 1},
            "zzz: there is no such field; its fields are citation, context",
        ),
    ],
)
async def test_an_unknown_field_is_refused_with_the_one_that_is_meant(
    path: str, body: dict[str, object], told: str
) -> None:
    async with workspace_server() as served:
        anna = await served.person("Anna")
        said = await anna.client.post(f"/v1/{path}", json=body)
        assert (said.status_code, said.json()["code"]) == (400, "invalid_request")
        assert said.json()["detail"] == told
        assert said.json()["fields"] == [told]


async def test_a_whole_number_may_have_a_point() -> None:
    async with workspace_server() as served:
        anna = await served.person("Anna")
        for limit in (5, 5.0, None):
            said = await anna.client.post("/v1/search", json={"question": "x", "limit": limit})
            assert said.status_code == 200


async def test_a_file_that_no_reader_reads_is_refused_and_one_whose_content_tells_is_not() -> None:
    async with workspace_server() as served:
        anna = await served.person("Anna")
        for name in ("m.eml", "p.PNG", "a.zip", "old.doc", "b.mp3", "t.odt"):
            said = await anna.client.post(
                "/v1/documents", params={"filename": name}, content=b"the quetzal flies"
            )
            assert (said.status_code, said.json()["code"]) == (415, "unsupported_type")
            assert name.lower()[name.index(".") :] in said.json()["detail"]
            assert "PDF" in said.json()["hint"]
        for name in ("a.", "letter.of.", "..a."):
            said = await anna.client.post("/v1/documents", params={"filename": name}, content=b"a")
            assert (said.status_code, said.json()["code"]) == (415, "unsupported_type")
            assert said.json()["detail"].endswith(f"with a name such as {name}")
        for name in ("noext", ".env", "a.txt", "bad.pdf", "Makefile", "tool.1"):
            said = await anna.client.post(
                "/v1/documents", params={"filename": name}, content=b"the quetzal flies"
            )
            assert said.status_code == 202, name
        listed = (await anna.client.get("/v1/documents")).json()["items"]
        assert len(listed) == 6
        path = f"/v1/documents/{listed[0]['id']}"
        assert (await anna.client.patch(path, json={"filename": "a.zip"})).status_code == 200
        said = await anna.client.put(f"{path}/content", content=b"PK")
        assert (said.status_code, said.json()["code"]) == (415, "unsupported_type")
