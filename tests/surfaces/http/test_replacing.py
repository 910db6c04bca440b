"""What clients are told of documents that are replaced or refused, and of themselves."""

from __future__ import annotations

import pytest

from tests.readers.pdf.files import scan
from tests.surfaces.http.workspace_server import workspace_server

pytestmark = pytest.mark.anyio

TEXT = b"# Contract\n\nThe quetzal password is 4711.\n"
QUESTION = {"question": "what is the quetzal password?"}


async def test_the_text_of_a_replaced_document_is_not_current_and_gone_after_a_failure() -> None:
    async with workspace_server() as served:
        ada = await served.person("Ada")
        document = await ada.upload("a.md", TEXT)
        place = f"/v1/documents/{document['id']}"
        await served.work()
        found = (await ada.client.post("/v1/search", json=QUESTION)).json()
        (item,) = found["evidence"]
        claims = {"claims": [{"citation": item["citation"], "quote": "quetzal password"}]}
        assert item["truth"] == "fresh"
        said = await ada.client.put(f"{place}/content", content=b"\0" * 50)
        assert said.status_code == 202
        found = (await ada.client.post("/v1/search", json=QUESTION)).json()
        assert [one["truth"] for one in found["evidence"]] == ["unchecked"]
        assert [one["code"] for one in found["warnings"]] == ["refreshing"]
        (check,) = (await ada.client.post("/v1/evidence/verify", json=claims)).json()
        assert check["status"] == "unknown"
        await served.work()
        failed = (await ada.client.get(place)).json()
        assert (failed["status"], failed["indexed_version"]) == ("failed", 0)
        found = (await ada.client.post("/v1/search", json=QUESTION)).json()
        assert (found["evidence"], found["closest"]) == ([], [])
        answer = (await ada.client.post("/v1/answers", json=QUESTION)).json()
        assert "4711" not in str(answer)
        citation = {"citation": item["citation"]}
        assert (await ada.client.post("/v1/evidence/read", json=citation)).status_code == 404
        (check,) = (await ada.client.post("/v1/evidence/verify", json=claims)).json()
        assert (check["status"], check["path"]) == ("unknown", None)


async def test_a_change_of_another_version_is_refused_and_changes_nothing() -> None:
    async with workspace_server() as served:
        ada = await served.person("Ada")
        place = f"/v1/documents/{(await ada.upload('a.md', TEXT))['id']}"
        one, two = {"if-match": '"1"'}, {"if-match": '"2"'}
        change = {"metadata": {"category": "x"}}
        said = await ada.client.patch(place, json=change, headers=two)
        assert (said.status_code, said.json()["code"]) == (412, "version_changed")
        said = await ada.client.put(f"{place}/content", content=b"other", headers=two)
        assert said.status_code == 412
        assert (await ada.client.get(f"{place}/content")).content == TEXT
        assert (await ada.client.get(place)).json()["version"] == 1
        assert (await ada.client.patch(place, json=change, headers=one)).json()["version"] == 2
        said = await ada.client.put(f"{place}/content", content=b"other", headers=two)
        assert (said.status_code, said.json()["version"]) == (202, 3)
        assert (await ada.client.patch(place, json=change, headers={"if-match": "*"})).is_success
        for wrong in ("1", 'W/"1"', '"x"'):
            said = await ada.client.patch(place, json=change, headers={"if-match": wrong})
            assert said.status_code == 400
        assert (await ada.client.delete(place, headers=one)).status_code == 412
        assert (await ada.client.get(place)).json()["version"] == 4
        assert (await ada.client.delete(place, headers={"if-match": '"4"'})).status_code == 202
        assert (await ada.client.get(place)).status_code == 404


async def test_documents_are_listed_by_status_and_name() -> None:
    async with workspace_server() as served:
        ada = await served.person("Ada")
        ready = await ada.upload("a.md", TEXT)
        failed = await ada.upload("b.txt", b"MZ\0")
        await served.work()
        pending = await ada.upload("a.md", TEXT)

        async def listed(query: str) -> set[str]:
            said = await ada.client.get(f"/v1/documents?{query}")
            assert said.status_code == 200, said.text
            return {one["id"] for one in said.json()["items"]}

        assert await listed("status=failed") == {failed["id"]}
        assert await listed("filename=a.md") == {ready["id"], pending["id"]}
        assert await listed("filename=a.md&status=ready") == {ready["id"]}
        assert await listed("filename=a%25") == set()
        assert (await ada.client.get("/v1/documents?status=gone")).status_code == 400


async def test_a_user_asks_who_they_are() -> None:
    async with workspace_server() as served:
        ada = await served.person("Ada")
        team = (await ada.client.post("/v1/spaces", json={"name": "Team"})).json()
        said = (await ada.client.get("/v1/me")).json()
        assert (said["id"], said["name"], said["personal"]) == (ada.id, "Ada", ada.personal)
        assert {one["id"] for one in said["spaces"]} == {ada.personal, team["id"]}
        assert (said["scopes"], said["space_id"]) == (["search", "write"], None)
        bound = await served.person("Ada", ("search",), space_id=team["id"], user_id=ada.id)
        said = (await bound.client.get("/v1/me")).json()
        assert (said["personal"], said["space_id"]) == (None, team["id"])
        assert [one["id"] for one in said["spaces"]] == [team["id"]]
        assert (await (await served.client()).get("/v1/me")).status_code == 401


async def test_half_a_character_in_a_body_is_named() -> None:
    async with workspace_server() as served:
        ada = await served.person("Ada")
        for raw in (b'{"question": "\\ud800"}', b'{"question": "abc'):
            said = await ada.client.post(
                "/v1/search", content=raw, headers={"content-type": "application/json"}
            )
            assert said.status_code == 400
            assert "surrogate pair" in said.json()["detail"]


async def test_no_advice_for_the_command_line_reaches_a_user() -> None:
    async with workspace_server() as served:
        ada = await served.person("Ada")
        pictured = await ada.upload("scan.pdf", scan("red"))
        broken = await ada.upload("broken.pdf", b"%PDF-1.4 x")
        await served.work()
        for one in (pictured, broken):
            error = (await ada.client.get(f"/v1/documents/{one['id']}")).json()["error"]
            assert error
            assert "pincite" not in error
            assert "exclude" not in error
