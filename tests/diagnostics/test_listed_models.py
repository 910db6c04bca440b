"""What `pincite doctor` makes of the models that a server lists."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from pincite.diagnostics.doctor import _ignores_names, _others
from pincite.encoders.by_name import Models
from pincite.settings.load import load_settings

MODEL = "nomic-embed-text"


@contextmanager
def serving(listed: str, *, any_name: bool = False) -> Iterator[str]:
    """The address of a server of embeddings that lists one model."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self._send(200, {"data": [{"id": listed}]})

        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            if asked["model"] != MODEL and not any_name:
                self._send(404, {"error": {"message": "model not found"}})
                return
            rows = [{"index": n, "embedding": [1.0, 2.0]} for n, _ in enumerate(asked["input"])]
            self._send(200, {"data": rows})

        def _send(self, status: int, body: object) -> None:
            raw = json.dumps(body).encode()
            self.send_response(status)
            self.send_header("Content-Length", str(len(raw)))
            self.end_headers()
            self.wfile.write(raw)

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()


def found(address: str, model: str, folder: Path) -> tuple[str, bool]:
    async def ask() -> tuple[str, bool]:
        name = f"compatible:{address}#{model}"
        async with Models(load_settings({}, folder)) as models:
            return await _others(models, name), await _ignores_names(models, name)

    return asyncio.run(ask())


@pytest.mark.parametrize(
    ("listed", "asked"), [(f"{MODEL}:latest", MODEL), (MODEL, f"{MODEL}:latest"), (MODEL, MODEL)]
)
def test_a_name_without_a_tag_is_that_of_the_latest(
    tmp_path: Path, listed: str, asked: str
) -> None:
    with serving(listed, any_name=True) as address:
        assert found(address, asked, tmp_path)[0] == ""


def test_another_tag_is_another_model(tmp_path: Path) -> None:
    with serving(f"{MODEL}:v1.5", any_name=True) as address:
        assert found(address, MODEL, tmp_path)[0] == f"{MODEL}:v1.5"


@pytest.mark.parametrize("any_name", [False, True])
def test_a_model_that_is_not_listed_is_there_if_the_server_refuses_unknown_names(
    tmp_path: Path, any_name: bool
) -> None:
    with serving("chat-model", any_name=any_name) as address:
        assert found(address, MODEL, tmp_path) == ("chat-model", any_name)
