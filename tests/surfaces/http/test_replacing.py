"""A document that is replaced by a file without text: what is said, and when the text is gone."""

from __future__ import annotations

import pytest

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
