"""Documents whose files are in a bucket: what clients see is what they see with a folder."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from pincite.settings.sections.object_store import Bucket, S3Settings
from pincite.workspace.files.bucket import ObjectFiles, Patience
from pincite.workspace.files.file_store import MARK
from pincite.workspace.files.one_database import sweep_files
from tests.surfaces.http.workspace_server import WorkspaceServer, workspace_server
from tests.workspace.conftest import s3
from tests.workspace.s3_server import BUCKET, S3, Answer

__all__ = ["s3"]
pytestmark = pytest.mark.anyio


@pytest.fixture
async def served(s3: S3) -> AsyncIterator[WorkspaceServer]:
    files = ObjectFiles(Bucket(BUCKET, ""), S3Settings(s3.url), Patience(20.0, 0))
    async with workspace_server(files=files) as made:
        yield made


async def test_a_document_is_uploaded_found_moved_replaced_and_cleaned_up(
    s3: S3, served: WorkspaceServer
) -> None:
    ada = await served.person("Ada")
    team = (await ada.client.post("/v1/spaces", json={"name": "Team"})).json()["id"]
    made = await ada.upload("plans.md", "# Plans\n\nThe zanzibar plan.\n")
    await served.work()
    assert await ada.found("the zanzibar plan") == {"plans.md"}
    path = f"/v1/documents/{made['id']}"
    said = await ada.client.get(f"{path}/content")
    assert said.text == "# Plans\n\nThe zanzibar plan.\n"
    assert (await ada.client.patch(path, json={"space_id": team})).status_code == 200
    said = await ada.client.put(f"{path}/content", content=b"# Plans\n\nThe lisbon plan.\n")
    assert said.status_code == 202
    await served.work()
    assert await ada.found("the lisbon plan", space_id=team) == {"plans.md"}
    assert len(s3.names()) == 3
    s3.age(7_200)
    assert await sweep_files(served.resources.workspaces, served.resources.files, 3_600, -1) == 2
    (name,) = (one for one in s3.names() if one != MARK)
    assert name.startswith(f"{team}/")
    assert "plans" not in name


async def test_while_the_bucket_is_away_searches_go_on(s3: S3, served: WorkspaceServer) -> None:
    ada = await served.person("Ada")
    made = await ada.upload("plans.md", "# Plans\n\nThe zanzibar plan.\n")
    await served.work()
    s3.fault = lambda asked: Answer(503)
    path = f"/v1/documents/{made['id']}/content"
    for said in (
        await ada.client.get(path),
        await ada.client.put(path, content=b"new"),
        await ada.client.post("/v1/documents?filename=a.md", content=b"new"),
    ):
        assert (said.status_code, said.json()["code"]) == (503, "unavailable")
        assert "detail" not in said.json()
        assert BUCKET not in said.text
    assert await ada.found("the zanzibar plan") == {"plans.md"}
    listed = (await ada.client.get("/v1/documents")).json()["items"]
    assert [one["version"] for one in listed] == [1]
    s3.fault = lambda asked: None
    assert (await ada.client.get(path)).status_code == 200


async def test_a_damaged_file_is_no_answer(s3: S3, served: WorkspaceServer) -> None:
    ada = await served.person("Ada")
    made = await ada.upload("plans.md", "# Plans\n")
    (name,) = s3.names()
    s3.objects[name] = (b"# Other plans\n", s3.objects[name][1])
    said = await ada.client.get(f"/v1/documents/{made['id']}/content")
    assert said.status_code == 503
    assert b"Other" not in said.content
    await served.work()
    assert await ada.found("other plans") == set()
