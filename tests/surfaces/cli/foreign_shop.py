"""Collections of other programs on a recorded server, and a command that searches them."""

from __future__ import annotations

import contextlib
import io
import json
import os
import subprocess
from collections.abc import Iterator
from typing import Any
from unittest import mock

import pytest
from qdrant_client import models

from pincite.surfaces.cli.app import main
from pincite.testing.contract_server import ContractServer
from tests.environment import clean_environment
from tests.stores.foreign import BM25, TEXTS, langchain
from tests.stores.qdrant_http import Recorder, recording_server
from tests.surfaces.conftest import Cli

MODEL = "embeddinggemma"
PLACES = ("https://example.org/keys", "https://example.org/backups", "https://example.org/bills")


class Inside(Cli):
    """The command in this process, which has imported the client of the server already."""

    def __call__(
        self, *arguments: str, code: int = 0, stdin: bytes = b"", **variables: str
    ) -> subprocess.CompletedProcess[str]:
        clean = clean_environment()
        given = clean | {"PINCITE_IDLE_S": "60", "PINCITE_OFFLINE": "1"} | variables
        out, err = io.StringIO(), io.StringIO()
        with (
            mock.patch.dict(os.environ, given, clear=True),
            mock.patch("sys.argv", ["pincite", *arguments]),
            mock.patch("sys.stdin", io.TextIOWrapper(io.BytesIO(stdin))),
            contextlib.chdir(self.folder),
            contextlib.redirect_stdout(out),
            contextlib.redirect_stderr(err),
            pytest.raises(SystemExit) as caught,
        ):
            main()
        assert caught.value.code == code, f"{arguments}: {caught.value.code}\n{err.getvalue()}"
        return subprocess.CompletedProcess(arguments, code, out.getvalue(), err.getvalue())


@pytest.fixture(scope="module")
def provider() -> Iterator[ContractServer]:
    with ContractServer() as running:
        yield running


@pytest.fixture
def server() -> Iterator[Recorder]:
    """Two collections of other programs. Nothing that is done here may write."""
    with recording_server() as recorder:
        yield recorder
        assert recorder.wrong == []
        writing = [one for one in recorder.operations if one.startswith(("PUT", "PATCH", "DELETE"))]
        assert writing == []
        assert not any(one.endswith("/points/batch") for one in recorder.operations)


def fill(server: Recorder, embedded: dict[str, Any]) -> None:
    params = models.VectorParams(size=embedded["dimensions"], distance=models.Distance.COSINE)
    bm25 = models.SparseVectorParams(modifier=models.Modifier.IDF)
    server.engine.create_collection("wiki_v2", {"content": params}, {"bm25": bm25})
    server.engine.create_collection("notes", params)
    for number, text in enumerate(TEXTS):
        dense = embedded["vectors"][number]
        sparse, _ = BM25.encode_document(text, 6.0)
        words = models.SparseVector(indices=list(sparse.indices), values=list(sparse.values))
        payload = langchain(text, source=f"pages/{number}.html", url=PLACES[number])
        whole = models.PointStruct(
            id=number, vector={"content": dense, "bm25": words}, payload=payload
        )
        server.engine.upsert("wiki_v2", [whole])
        plain = models.PointStruct(id=number, vector=dense, payload={"document": f"Note: {text}"})
        server.engine.upsert("notes", [plain])


@pytest.fixture
def shop(server: Recorder, provider: ContractServer, cli: Cli) -> Cli:
    configured = f"""
[providers.ollama]
url = "{provider.url("ollama")}"

[collections.wiki]
qdrant = "wiki_v2"
url = "{server.url}"
model = "ollama:{MODEL}"
vector = "content"
sparse = "bm25"
fields = {{ layout = "langchain", url = "metadata.url" }}

[collections.notes]
qdrant = "notes"
url = "{server.url}"
model = "ollama:{MODEL}"
fields = "mcp-server-qdrant"
"""
    cli.write("pincite.toml", configured)
    cli.write("guide.md", "# Keys\n\nTo rotate a key, call `rotate_key`.\n")
    inside = Inside(cli.folder)
    fill(server, json.loads(inside("embed", *TEXTS, "--model", f"ollama:{MODEL}").stdout))
    return inside
