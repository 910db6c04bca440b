"""A hub on this machine, in several moods, and a cache that tries to fetch from it."""

from __future__ import annotations

import threading
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING

import pytest

from pincite.errors import ModelUnavailable
from pincite.providers.bundled import cache
from pincite.providers.bundled.fetch import fetch
from pincite.providers.bundled.origins import FetchOptions
from pincite.support.fields import replace

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.providers.bundled.tiny_bert import Published


@dataclass
class Hub:
    """A server of the published files. `mood` says how the weights are served."""

    folder: Path
    url: str = ""
    mood: str = "well"
    asked: list[str] = field(default_factory=list)
    stop: threading.Event = field(default_factory=threading.Event)

    def options(self, **changes: object) -> FetchOptions:
        return replace(FetchOptions(order=("hub",), hub_url=self.url), **changes)


def answer(hub: Hub, request: BaseHTTPRequestHandler) -> None:
    hub.asked.append(request.path)
    name = request.path.rsplit("/", 1)[-1]
    content = (hub.folder / name).read_bytes()
    mood = hub.mood if name == "model.safetensors" else "well"
    if mood == "gone":
        request.send_error(404)
        return
    if mood == "silent":
        hub.stop.wait()
        return
    request.send_response(200)
    request.send_header("Content-Length", str(len(content)))
    request.end_headers()
    if mood == "forged":
        content = bytes(len(content))
    if mood == "cut":
        content = content[:5000]
    if mood == "dripping":
        for start in range(0, len(content), 4096):
            request.wfile.write(content[start : start + 4096])
            if hub.stop.wait(0.02):
                return
        return
    request.wfile.write(content)


@contextmanager
def serve(folder: Path) -> Iterator[Hub]:
    hub = Hub(folder)

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            try:
                answer(hub, self)
            except (BrokenPipeError, ConnectionResetError):
                self.close_connection = True

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        hub.url = f"http://127.0.0.1:{server.server_port}"
        thread = threading.Thread(target=server.serve_forever, args=(0.02,))
        thread.start()
        try:
            yield hub
        finally:
            hub.stop.set()
            server.shutdown()
            thread.join()


def failing_fetch(published: Published, root: Path, options: FetchOptions) -> str:
    """The message of a fetch that must fail and leave nothing that looks like a model."""
    with pytest.raises(ModelUnavailable) as caught:
        fetch("tiny", root, options=options, catalog=published.catalog)
    assert cache.find("tiny", root, catalog=published.catalog) is None
    assert [path.name for path in root.iterdir()] == [".tiny.lock"]
    return str(caught.value)


def fetch_from_folder(published: Published, root: Path) -> Path:
    options = FetchOptions(order=(f"folder:{published.folder}",), offline=True)
    return fetch("tiny", root, options=options, catalog=published.catalog)
