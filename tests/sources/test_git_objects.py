"""Objects of repositories that nobody vouches for, read and checked, within limits."""

from __future__ import annotations

import hashlib
import os
import tracemalloc
import zlib
from typing import TYPE_CHECKING

import pytest

from pincite.model.revisions import dirty_ref
from pincite.sources import Entry, git_objects, open_source
from pincite.sources.git import find_checkout
from pincite.sources.git_objects import Objects, Tree
from tests.sources.helpers import LIMITS, commit, git, plant

if TYPE_CHECKING:
    from pathlib import Path


def write_object(root: Path, kind: str, raw: bytes) -> str:
    """A loose object, as anyone can put it there."""
    whole = f"{kind} {len(raw)}\0".encode() + raw
    name = hashlib.sha1(whole).hexdigest()
    place = root / ".git/objects" / name[:2] / name[2:]
    place.parent.mkdir(exist_ok=True, parents=True)
    place.write_bytes(zlib.compress(whole))
    return name


def committed(root: Path, sha: str) -> Tree | None:
    return Objects(root / ".git/objects").tree(sha)


def test_a_tree_that_holds_itself_many_times_over_is_read_once(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q")
    name = write_object(tmp_path, "blob", b"x")
    entry = b"100644 f%d\0%s"
    for _ in range(30):  # 8 ** 30 files
        mode = entry
        raw = b"".join(mode % (n, bytes.fromhex(name)) for n in range(8))
        name, entry = write_object(tmp_path, "tree", raw), b"40000 f%d\0%s"
    sha = write_object(tmp_path, "commit", f"tree {name}\n\nx\n".encode())
    tree = committed(tmp_path, sha)
    assert tree is not None
    assert len(tree.folders) == 30
    assert tree.has("/".join(["f7"] * 30), b"x") is True


def test_a_commit_whose_objects_are_not_what_their_names_say_is_not_believed(
    tmp_path: Path,
) -> None:
    plant(tmp_path, {"a.md": "one\n"})
    sha = commit(tmp_path)
    objects = tmp_path / ".git/objects"
    tree, blob = (git(tmp_path, "rev-parse", f"{sha}{name}") for name in ("^{tree}", ":a.md"))
    for name, kind, raw in ((blob, "blob", b"two\n"), (tree, "tree", b""), (sha, "commit", b"")):
        (objects / name[:2] / name[2:]).unlink()
        (objects / name[:2] / name[2:]).write_bytes(
            zlib.compress(f"{kind} {len(raw)}\0".encode() + raw)
        )
        with open_source(tmp_path, limits=LIMITS) as source:
            assert source.read_at(sha, "a.md") is None
    with open_source(tmp_path, limits=LIMITS) as source:
        (entry,) = source.entries()
        assert isinstance(entry, Entry)
        assert source.ref_for(entry, "c" * 64) == "sha256-" + "c" * 12


def test_an_object_of_a_terabyte_is_not_unpacked(tmp_path: Path) -> None:
    plant(tmp_path, {"a.md": "one\n"})
    sha = commit(tmp_path)
    blob = git(tmp_path, "rev-parse", f"{sha}:a.md")
    place = tmp_path / ".git/objects" / blob[:2] / blob[2:]
    place.unlink()
    place.write_bytes(zlib.compress(b"blob 1000000000000\0" + bytes(1_000_000)))
    with open_source(tmp_path, limits=LIMITS) as source:
        assert source.read_at(sha, "a.md") is None


@pytest.mark.parametrize(
    "name", [".git/HEAD", ".git/refs/heads/main", ".git/config", ".git/packed-refs",
             ".git/info/exclude", ".git/commondir", ".git/index"]
)  # fmt: skip
def test_a_pipe_in_place_of_a_file_of_git_is_not_waited_for(tmp_path: Path, name: str) -> None:
    plant(tmp_path, {"a.md": "one\n"})
    git(tmp_path, "init", "-q", "-b", "main")
    sha = commit(tmp_path)
    (tmp_path / name).unlink(missing_ok=True)
    os.mkfifo(tmp_path / name)
    with open_source(tmp_path, limits=LIMITS) as source:
        entries = [each for each in source.entries() if isinstance(each, Entry)]
        (ref,) = {source.ref_for(each, "c" * 64) for each in entries}
    assert ref in (sha, "sha256-" + "c" * 12)


@pytest.mark.parametrize("name", ["info/alternates", "pack/pack-1.idx", "object"])
def test_git_is_not_asked_for_a_pipe_among_the_objects(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """A pipe cost 20 s in each run of each command."""
    monkeypatch.setattr(git_objects, "_TIMEOUT_S", 1.0)
    monkeypatch.setattr(git_objects, "_HUNG", hung := dict[object, float]())
    plant(tmp_path, {"a.md": "one\n"})
    sha = commit(tmp_path)
    place = tmp_path / ".git/objects" / (f"{sha[:2]}/{sha[2:]}" if name == "object" else name)
    place.unlink(missing_ok=True)
    os.mkfifo(place)
    with open_source(tmp_path, limits=LIMITS) as source:
        assert source.read_at(sha, "a.md") is None
        assert source.read_at(sha[:12], "a.md") is None
    assert hung == {}


def test_an_object_that_never_ends_costs_one_wait(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[int] = []
    monkeypatch.setattr(git_objects, "_TIMEOUT_S", 1.0)
    monkeypatch.setattr(git_objects, "_limit_memory", started.append)
    plant(tmp_path, {"a.md": "one\n"})
    sha = commit(tmp_path)
    borrowed = tmp_path / "borrowed"
    (borrowed / sha[:2]).mkdir(parents=True)
    (tmp_path / ".git/objects/info/alternates").write_text(f"{borrowed}\n")
    (tmp_path / ".git/objects" / sha[:2] / sha[2:]).unlink()
    os.mkfifo(borrowed / sha[:2] / sha[2:])
    for _ in range(10):  # claims open their source one by one
        with open_source(tmp_path, limits=LIMITS) as source:
            assert source.read_at(sha, "a.md") is None
            assert source.read_at(sha, "a.md") is None
    assert len(started) == 1


@pytest.mark.parametrize("kind", ["sha1", "sha256"])
def test_packed_and_borrowed_objects_and_both_hashes_are_read(tmp_path: Path, kind: str) -> None:
    main = plant(tmp_path / "main", {f"{n}/a.md": f"text {n}\n" * 99 for n in range(300)})
    git(main, "init", "-q", f"--object-format={kind}")
    sha = commit(main)
    git(main, "gc", "-q")
    git(tmp_path, "clone", "-q", "--shared", str(main), str(tmp_path / "copy"))
    with open_source(tmp_path / "copy", limits=LIMITS) as source:
        entries = [each for each in source.entries() if isinstance(each, Entry)]
        assert len(entries) == 300
        assert {source.ref_for(each, "c" * 64) for each in entries} == {sha}
        assert source.read_at(sha, "7/a.md") == b"text 7\n" * 99
        assert source.read_at(sha, "7") == b""
        assert source.read_at(sha, "7/b.md") == b""


@pytest.mark.parametrize("kind", ["sha1", "sha256"])
def test_commits_are_read_without_a_folder_for_temporary_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    """A daemon may outlive it, and its disk may be full."""
    root = plant(tmp_path / "r", {"a.md": "one\n"})
    git(root, "init", "-q", f"--object-format={kind}")
    sha = commit(root)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "gone"))
    with open_source(root, limits=LIMITS) as source:
        (entry,) = (each for each in source.entries() if isinstance(each, Entry))
        assert source.ref_for(entry, "c" * 64) == sha
        assert source.read_at(sha, "a.md") == b"one\n"
        assert source.read_at(sha[:12], "a.md") == b"one\n"


def test_line_ends_do_not_make_a_file_differ_from_the_commit(tmp_path: Path) -> None:
    plant(tmp_path, {"a.md": "one\r\ntwo\r\n", ".gitattributes": "* text=auto eol=crlf\n"})
    sha = commit(tmp_path)
    plant(tmp_path, {"b.md": "three\r\n"})
    with open_source(tmp_path, limits=LIMITS) as source:
        entries = {each.path: each for each in source.entries() if isinstance(each, Entry)}
        assert source.ref_for(entries["a.md"], "c" * 64) == sha
        assert source.ref_for(entries["b.md"], "c" * 64) == dirty_ref(sha, "c" * 64)


def test_millions_of_refs_are_looked_through_once(tmp_path: Path) -> None:
    plant(tmp_path, {"a.md": "one\n"})
    git(tmp_path, "init", "-q", "-b", "main")
    sha = commit(tmp_path)
    (tmp_path / ".git/refs/heads/main").unlink()
    packed = f"# pack-refs with: peeled\n{'a' * 40} refs/heads/mainly\n{sha} refs/heads/main\n"
    (tmp_path / ".git/packed-refs").write_text(packed + "\n" * 40_000_000)
    tracemalloc.start()
    try:
        found = find_checkout(tmp_path.resolve())
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert found is not None
    assert found.head == sha
    assert peak < 300_000_000  # a list of its lines took 700 MB
