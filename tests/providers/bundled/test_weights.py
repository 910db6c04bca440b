"""The cache of models: what fetching leaves in it, damage, removal, and processes at once."""

from __future__ import annotations

import hashlib
import json
import signal
import subprocess
import sys
import time
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

from pincite.errors import DiskFull, ModelUnavailable, UsageError
from pincite.providers.bundled import cache
from pincite.providers.bundled.fetch import fetch
from pincite.providers.bundled.origins import FetchOptions
from pincite.support.fields import replace
from tests.providers.bundled.tiny_bert import Published, publish
from tests.providers.dense.local_hub import Hub, fetch_from_folder, serve
from tests.time_limits import HANGS_S

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> Published:
    return publish(tmp_path_factory.mktemp("published") / "files")


@pytest.fixture
def hub(published: Published) -> Iterator[Hub]:
    with serve(published.folder) as server:
        yield server


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "cache" / "models"


def test_fetching_from_the_hub_gives_a_small_folder_that_verifies(
    hub: Hub, published: Published, root: Path
) -> None:
    seen: list[tuple[str, int, int]] = []
    folder = fetch(
        "tiny",
        root,
        options=hub.options(),
        progress=lambda *step: seen.append(step),
        now=lambda: datetime(2030, 1, 2, 3, 4, 5, tzinfo=UTC),
        catalog=published.catalog,
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
    assert seen[-1] == ("convert to int7", size, size)

    status = cache.verify("tiny", root, catalog=published.catalog)
    assert (status.state, status.path, status.problem) == ("ready", folder, "")
    assert status.size == sum(path.stat().st_size for path in folder.iterdir())
    assert cache.find("tiny", root, catalog=published.catalog) == folder


def test_a_second_fetch_asks_nobody(hub: Hub, published: Published, root: Path) -> None:
    for _ in range(2):
        fetch("tiny", root, options=hub.options(), catalog=published.catalog)
    assert len(hub.asked) == 2  # the weights and the tokenizer, once


def test_a_full_disk_is_noticed_before_anything_is_fetched(
    hub: Hub, published: Published, root: Path
) -> None:
    with pytest.raises(DiskFull, match="temporarily needs 0 MB"):
        fetch(
            "tiny",
            root,
            options=hub.options(),
            free_bytes=lambda folder: published.model.weights.size,
            catalog=published.catalog,
        )
    assert hub.asked == []


def test_a_root_that_cannot_be_made_is_named(published: Published, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(ModelUnavailable, match=r"tiny cannot be written to .*file"):
        fetch_from_folder(published, tmp_path / "file" / "models")


def test_an_unknown_name_is_answered_with_the_known_ones(root: Path) -> None:
    for verb in (fetch, cache.find, cache.verify, cache.remove):
        with pytest.raises(UsageError, match="known models: all-MiniLM-L6-v2"):
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
    status = cache.verify("tiny", root, catalog=published.catalog)
    assert status.state == "damaged"
    assert problem in status.problem
    if damage is not flip:  # sizes alone cannot tell
        assert cache.find("tiny", root, catalog=published.catalog) is None
        (listed,) = cache.list_models(root, catalog=published.catalog)
        assert listed == status
    fetch_from_folder(published, root)
    assert cache.verify("tiny", root, catalog=published.catalog).state == "ready"
    assert sorted(path.name for path in root.iterdir()) == [".tiny.lock", "tiny"]


def test_a_model_of_other_weights_is_not_ready(published: Published, root: Path) -> None:
    fetch_from_folder(published, root)
    moved_on = replace(published.model.weights, sha256="0" * 64)
    catalog = {"tiny": replace(published.model, weights=moved_on)}
    assert cache.find("tiny", root, catalog=catalog) is None


def test_removing_frees_what_was_there(published: Published, root: Path) -> None:
    fetch_from_folder(published, root)
    size = cache.verify("tiny", root, catalog=published.catalog).size
    assert cache.remove("tiny", root, catalog=published.catalog) == size
    assert cache.remove("tiny", root, catalog=published.catalog) == 0
    (listed,) = cache.list_models(root, catalog=published.catalog)
    assert (listed.state, listed.path, listed.size) == ("absent", None, 0)


FETCH_PROGRAM = """
import sys
from pathlib import Path
from pincite.providers.bundled.fetch import fetch
from pincite.providers.bundled.known_models import KnownModel, PinnedFile
from pincite.providers.bundled.origins import FetchOptions
model = {model!r}
print(fetch("tiny", Path(sys.argv[1]), options={options!r}, catalog={{"tiny": model}}))
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


def wait_until(condition: Callable[[], bool], timeout_s: float = HANGS_S) -> None:
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
        output, complaints = process.communicate(timeout=HANGS_S)
        assert (process.returncode, complaints) == (0, "")
        assert output.strip() == str(root / "tiny")
    assert len(hub.asked) == 2
    assert cache.verify("tiny", root, catalog=published.catalog).state == "ready"


def test_a_killed_fetch_leaves_nothing_that_looks_ready(
    hub: Hub, published: Published, root: Path
) -> None:
    hub.mood = "dripping"
    process = start_fetching(published, root, hub.options())
    wait_until(lambda: any(root.glob(".tiny.temporary-*/model.safetensors")))
    process.send_signal(signal.SIGKILL)
    process.communicate(timeout=HANGS_S)
    (listed,) = cache.list_models(root, catalog=published.catalog)
    assert listed.state == "absent"
    hub.mood = "well"
    fetch("tiny", root, options=hub.options(), catalog=published.catalog)
    assert sorted(path.name for path in root.iterdir()) == [".tiny.lock", "tiny"]


def test_an_interrupted_fetch_cleans_up(published: Published, root: Path) -> None:
    def interrupt(stage: str, done: int, total: int) -> None:
        if stage.startswith("convert"):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fetch(
            "tiny",
            root,
            options=FetchOptions(order=(f"folder:{published.folder}",)),
            progress=interrupt,
            catalog=published.catalog,
        )
    assert [path.name for path in root.iterdir()] == [".tiny.lock"]


def test_importing_loads_nothing_heavy() -> None:
    program = (
        "import sys, pincite.providers.bundled.fetch\n"
        "heavy = {'httpx', 'numpy', 'onnxruntime', 'tokenizers', 'safetensors', 'filelock'}\n"
        "print(sorted(heavy & set(sys.modules)))"
    )
    run = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert run.stdout.strip() == "[]"
