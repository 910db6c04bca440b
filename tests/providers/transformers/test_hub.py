"""Models by name: folders, copies, and a hub on this machine."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from pincite.errors import DiskFull, ModelsUnwritable, ModelUnavailable
from pincite.providers.rerank.cross_encoder import CrossEncoder
from pincite.providers.transformers.hub import Limits, locate
from tests.providers.transformers.tiny_heads import pair_tensors, publish

NAME = "owner/tiny"


class Hub:
    """Serves a folder as `NAME`, as the hub does: large files from another place."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.lie, self.asked = folder, False, 0
        self.redirect_bytes, self.sent, self.circle, self.pause_s = 0, 0, False, 0.0
        self.store, self.passwords = "", 0
        hub = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                hub.asked += 1
                hub.passwords += "Authorization" in self.headers
                time.sleep(hub.pause_s)
                path = self.path.removeprefix(f"/{NAME}/resolve/main/").removeprefix("/store/")
                file = hub.folder / path
                if not file.is_file():
                    self.send_error(404)
                    return
                raw = file.read_bytes()
                if file.suffix == ".safetensors" and not self.path.startswith("/store"):
                    digest = hashlib.sha256(b"other" if hub.lie else raw).hexdigest()
                    self.send_response(302)
                    self.send_header(
                        "Location", self.path if hub.circle else f"{hub.store}/store/{path}"
                    )
                    self.send_header("X-Linked-Etag", f'"{digest}"')
                    self.send_header("Content-Length", str(hub.redirect_bytes))
                    self.end_headers()
                    self.send_much(hub.redirect_bytes)
                    return
                self.send_response(200)
                self.send_header("Content-Length", str(len(raw)))
                self.end_headers()
                self.wfile.write(raw)

            def send_much(self, size: int) -> None:
                with contextlib.suppress(ConnectionError):
                    for start in range(0, size, 1 << 16):
                        self.wfile.write(bytes(min(1 << 16, size - start)))
                        hub.sent += 1 << 16

            def log_message(self, *_: object) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"


@pytest.fixture
def hub(tmp_path: Path) -> Iterator[Hub]:
    found = Hub(publish(tmp_path / "published", pair_tensors()))
    thread = threading.Thread(target=found.server.serve_forever, args=(0.02,))
    thread.start()
    yield found
    found.server.shutdown()
    found.server.server_close()
    thread.join()


def test_a_model_of_the_hub_is_fetched_once(hub: Hub, tmp_path: Path) -> None:
    folder = locate(NAME, tmp_path / "models", hub=hub.url)
    assert sorted(p.name for p in folder.iterdir()) == [
        "config.json",
        "model.safetensors",
        "tokenizer.json",
    ]
    encoder = CrossEncoder(folder)
    assert len(asyncio.run(encoder.rerank("a", ["b", "c"]))) == 2
    asyncio.run(encoder.close())
    asked = hub.asked
    assert locate(NAME, tmp_path / "models", hub=hub.url) == folder
    assert locate(NAME, tmp_path / "models", offline=True) == folder
    assert hub.asked == asked


def test_a_file_that_is_not_what_the_hub_says_is_refused(hub: Hub, tmp_path: Path) -> None:
    hub.lie = True
    with pytest.raises(ModelUnavailable, match="is expected"):
        locate(NAME, tmp_path / "models", hub=hub.url)
    assert not [p for p in (tmp_path / "models").iterdir() if p.is_dir()]


@pytest.mark.parametrize("missing", ["tokenizer.json", "model.safetensors"])
def test_what_the_hub_does_not_have_is_named(hub: Hub, missing: str, tmp_path: Path) -> None:
    (hub.folder / missing).unlink()
    with pytest.raises(ModelUnavailable, match=missing):
        locate(NAME, tmp_path / "models", hub=hub.url)


@pytest.mark.parametrize(
    ("limits", "message"),
    [
        (Limits(small=10), "config.json has more than 10 bytes"),
        (Limits(weights=10), "model.safetensors has more than 10 bytes"),
        (Limits(per_second=1e15, patience_s=0.0), "was given up"),
    ],
)
def test_a_hub_that_sends_too_much_or_too_slowly_is_given_up(
    limits: Limits, message: str, hub: Hub, tmp_path: Path
) -> None:
    with pytest.raises(ModelUnavailable, match=message):
        locate(NAME, tmp_path / "models", hub=hub.url, limits=limits)
    assert not [one for one in (tmp_path / "models").iterdir() if one.is_dir()]


def test_a_download_ends_before_the_disk_is_full(hub: Hub, tmp_path: Path) -> None:
    with pytest.raises(DiskFull, match="no room for"):
        locate(NAME, tmp_path / "models", hub=hub.url, limits=Limits(spare=1 << 60))
    assert not [one for one in (tmp_path / "models").iterdir() if one.is_dir()]


def test_a_slow_answer_is_no_slow_download(hub: Hub, tmp_path: Path) -> None:
    hub.pause_s = 0.3
    limits = Limits(per_second=1_000.0, patience_s=0.25)
    assert locate(NAME, tmp_path / "models", hub=hub.url, limits=limits).is_dir()


def test_the_body_of_a_redirect_is_not_read(hub: Hub, tmp_path: Path) -> None:
    hub.redirect_bytes = 200 << 20
    assert locate(NAME, tmp_path / "models", hub=hub.url).is_dir()
    assert hub.sent < 50 << 20  # what the buffers of both sides hold


def test_a_redirect_names_no_password(hub: Hub, tmp_path: Path) -> None:
    hub.store = hub.url.replace("//", "//user:secret@")
    assert locate(NAME, tmp_path / "models", hub=hub.url).is_dir()
    assert hub.passwords == 0


def test_redirects_in_a_circle_are_given_up(hub: Hub, tmp_path: Path) -> None:
    hub.circle = True
    with pytest.raises(ModelUnavailable, match="redirected 10 times"):
        locate(NAME, tmp_path / "models", hub=hub.url)


def test_a_folder_is_taken_as_it_is(hub: Hub, tmp_path: Path) -> None:
    assert locate(str(hub.folder), None) == hub.folder
    assert hub.asked == 0


@pytest.mark.parametrize("name", ["no-owner", "../up/down", "a/b/c", "./x", "owner/"])
def test_a_name_that_is_no_repository_is_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(ModelUnavailable, match="OWNER/NAME"):
        locate(name, tmp_path)


def test_without_a_network_the_way_out_is_named(tmp_path: Path) -> None:
    with pytest.raises(ModelUnavailable, match="could not be fetched") as caught:
        locate(NAME, tmp_path, hub="http://127.0.0.1:9")
    assert "local:/path" in caught.value.hint
    with pytest.raises(ModelUnavailable, match="offline is set"):
        locate(NAME, tmp_path, offline=True)


def test_a_models_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    for models in (tmp_path / "file", tmp_path / "file" / "models", tmp_path / ("x" * 300)):
        with pytest.raises(ModelsUnwritable, match="cannot be written to") as caught:
            locate(NAME, models, hub="http://127.0.0.1:9")
        assert str(models) in caught.value.message
        assert "PINCITE_MODELS" in caught.value.hint
    with pytest.raises(ModelsUnwritable, match="cannot be written to"):
        locate("owner/" + "n" * 300, tmp_path, hub="http://127.0.0.1:9")


def test_the_home_of_an_unknown_user_is_no_model(tmp_path: Path) -> None:
    with pytest.raises(ModelUnavailable, match="home of a user"):
        locate("~no-such-user-here/model", tmp_path)
