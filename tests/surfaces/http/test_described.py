"""The API keeps to its own description: nothing undocumented and no fault, whatever is sent."""

from __future__ import annotations

import asyncio
import logging
import os
import subprocess
import sys
from pathlib import Path

import pytest

from pincite.surfaces.http.resources import RequestLimits
from tests.surfaces.http.described import Description
from tests.surfaces.http.listening import listening
from tests.surfaces.http.workspace_server import HOST, workspace_server
from tests.time_limits import HANGS_S

pytestmark = pytest.mark.anyio

CHECKS = (
    "not_a_server_error,status_code_conformance,content_type_conformance,"
    "response_schema_conformance"
)
#: The owner's requests go deepest.
PHASES = {
    "nobody": "fuzzing",
    "owner": "coverage,fuzzing",
    "viewer": "fuzzing",
    "searcher": "fuzzing",
    "operator": "fuzzing",
}
#: Clients are generated from these names.
OPERATIONS = set(
    """
    healthz readyz metrics
    search context answer read_evidence verify_evidence
    begin_conversation conversations conversation turns delete_conversation
    remember recall facts forget_fact forget_facts
    collections rerank tools search_documents
    add_document documents document document_content
    replace_document change_document delete_document
    add_space spaces space rename_space delete_space members set_member remove_member
    add_feed feeds feed change_feed delete_feed
    keys me revoke_key
    """.split()
)
_EXAMPLES = os.environ.get("PINCITE_SCHEMA_EXAMPLES", "4")


async def test_operations_keep_their_names_and_each_says_what_it_does() -> None:
    async with workspace_server() as served:
        paths = (await (await served.client()).get("/openapi.json")).json()["paths"]
    operations = [one for path in paths.values() for one in path.values()]
    assert sorted(one["operationId"] for one in operations) == sorted(OPERATIONS)
    for one in operations:
        assert one["description"].endswith("."), one["operationId"]
        assert len(one["tags"]) == 1, one["operationId"]


async def test_the_description_accepts_what_clients_send_and_the_server_answers() -> None:
    async with workspace_server() as served:
        anna = await served.person("Anna")
        description = Description((await anna.client.get("/openapi.json")).json())
        space = (await anna.client.post("/v1/spaces", json={"name": "T"})).json()["id"]
        name = {"filename": "keys.csv"}
        first = await anna.client.post(
            "/v1/documents", params=name, content=b"key,days\nrotate_key,30\nold_key,90\n"
        )
        document = first.json()["id"]
        await anna.upload("keys.md", "# Keys\n\nCall `rotate_key`.\n", space_id=space)
        await served.work()
        feed = {"name": "F", "space_id": first.json()["space_id"]}
        made = await anna.client.post("/v1/feeds", json=feed)
        change = {"add": [document], "remove": [document]}
        search = {"question": "rotate_key", "document_ids": [document], "limit": 3}
        found = await anna.client.post("/v1/search", json=search)
        evidence = found.json()["evidence"]
        assert any(type(value) is int for value in evidence[0]["attributes"].values())
        claims = [{"citation": one["citation"]} for one in evidence]
        claims.append({"citation": "nowhere.md:1-2@00000000", "quote": "rotate"})
        call = {"query": "rotate_key", "document_ids": [document]}
        answers = [
            *(first, made, found),
            await anna.client.patch(f"/v1/feeds/{made.json()['id']}/documents", json=change),
            await anna.client.post("/v1/tools/search_documents", json=call),
            await anna.client.post("/v1/answers", json={"question": "rotate_key"}),
            await anna.client.post("/v1/evidence/verify", json={"claims": claims}),
            await anna.client.post("/v1/evidence/read", json={"citation": "nothing"}),
            await anna.client.post("/v1/search", json={"question": ""}),
            await anna.client.get("/v1/documents"),
            await anna.client.delete(f"/v1/documents/{document}"),
            await anna.client.delete(f"/v1/spaces/{space}"),
        ]
        assert [one.status_code for one in answers[-2:]] == [202, 202]
        for one in answers:
            description.check(one)


async def test_the_description_leaves_the_log_of_the_server_as_it_is() -> None:
    before = logging.root.level, list(logging.root.handlers)
    async with workspace_server() as served:
        assert (await (await served.client()).get("/openapi.json")).status_code == 200
    assert (logging.root.level, list(logging.root.handlers)) == before


async def test_the_description_has_one_address() -> None:
    async with workspace_server() as served:
        client = await served.client()
        for path in ("", "/", "/swagger", "/redoc", "/openapi.json", "/openapi.yaml", "/more"):
            said = await client.get(f"/schema{path}")
            assert (said.status_code, said.json()["code"]) == (404, "not_found"), path


@pytest.mark.parametrize("role", PHASES)
async def test_whatever_is_sent_is_answered_as_described(role: str, tmp_path: Path) -> None:
    async with workspace_server(limits=RequestLimits(1_000_000, 10_000, 100_000)) as served:
        anna = await served.person("Anna", ["search", "write", "admin"])
        space = (await anna.client.post("/v1/spaces", json={"name": "T"})).json()["id"]
        await anna.upload("keys.md", "# Keys\n\nCall `rotate_key`.\n", space_id=space)
        await served.work()
        keys = {"nobody": "", "owner": anna.key, "operator": ""}
        if role in ("viewer", "searcher", "operator"):
            scopes = {"viewer": ["search", "write"], "searcher": ["search"], "operator": ["admin"]}
            bert = await served.person("Bert", scopes[role])  # type: ignore[arg-type]
            put = f"/v1/spaces/{space}/members/{bert.id}"
            await anna.client.put(put, json={"role": "viewer"})
            keys[role] = bert.key
        async with listening(served) as port:
            command = [
                *(sys.executable, "-m", "schemathesis.cli", "run"),
                f"http://127.0.0.1:{port}/openapi.json",
                *("--header", f"Host: {HOST}", "--checks", CHECKS, "--max-examples", _EXAMPLES),
                *("--phases", PHASES[role], "--seed", "1", "--no-color"),
            ]
            if keys[role]:  # which it would revoke
                command += ["--exclude-operation-id", "revoke_key"]
                command += ["--header", f"Authorization: Bearer {keys[role]}"]
            done = await asyncio.to_thread(
                subprocess.run,
                command,
                cwd=tmp_path,
                capture_output=True,
                text=True,
                timeout=HANGS_S,
                check=False,
            )
    assert done.returncode == 0, done.stdout[-6_000:] + done.stderr[-2_000:]
