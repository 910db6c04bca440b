from __future__ import annotations

import os
import stat
import time
import tracemalloc
from typing import TYPE_CHECKING

import pytest

from pincite.errors import SourceError
from pincite.model import Source, SourceRecord
from pincite.readers import content_hash_of
from pincite.sources import (
    Entry,
    Selection,
    Skipped,
    SourceLimits,
    open_source,
    reject_content,
)
from pincite.sources.folder import FolderSource
from pincite.sources.reopening import reopen_source
from tests.sources.helpers import LIMITS, listed, opened, plant, skipped
from tests.time_limits import GROWS_S

if TYPE_CHECKING:
    from pathlib import Path


def test_files_come_in_the_order_of_their_paths(tmp_path: Path) -> None:
    names = ["a/z.md", "a-b.md", "a.md", "a/b/c.md", "ab.md", "b.md", "A.md", "a/é.md"]
    plant(tmp_path, dict.fromkeys(names, "x"))
    with opened(tmp_path) as source:
        assert listed(source) == sorted(names)


def test_a_plain_folder_is_named_after_itself_and_its_files_after_their_content(
    tmp_path: Path,
) -> None:
    root = plant(tmp_path / "notes", {"a.md": "words"})
    with opened(root) as source:
        assert (source.source.name, source.source.kind, source.source.ref) == (
            "notes", "folder", None,
        )  # fmt: skip
        (entry,) = source.entries()
        assert isinstance(entry, Entry)
        assert source.read(entry) == b"words"
        content = content_hash_of(b"words")
        assert source.ref_for(entry, content) == f"sha256-{content[:12]}"


def test_name_ref_and_rule_may_be_given(tmp_path: Path) -> None:
    plant(tmp_path, {"a.md": "words"})
    with open_source(tmp_path, name="n", ref="v1", url_rule="a=>b", limits=LIMITS) as source:
        assert (source.source.name, source.source.ref, source.source.url_rule) == (
            "n", "v1", "a=>b",
        )  # fmt: skip
        (entry,) = source.entries()
        assert isinstance(entry, Entry)
        assert source.ref_for(entry, "0" * 64) == "v1"


def test_a_time_that_no_catalog_could_store_is_another_one_and_stays_itself(tmp_path: Path) -> None:
    """A camera without a clock, a damaged disk, an image built with all times at zero."""
    plant(tmp_path, {"a.md": "words"})
    real, told = set(), set()
    for seconds in (0, -(2**31), 2**33, 11_000_000_000, 11_000_000_001):
        os.utime(tmp_path / "a.md", (seconds, seconds))
        real.add((tmp_path / "a.md").stat().st_mtime_ns)
        times = []
        for place in (tmp_path, tmp_path / "a.md"):
            with opened(place) as source:
                times += [one.mtime_ns for one in source.entries() if isinstance(one, Entry)]
        assert times[0] == times[1] != 0
        assert -(2**63) <= times[0] < 2**63
        told.add(times[0])
    assert len(told) == len(real)


def test_a_single_file_is_a_source_of_its_own(tmp_path: Path) -> None:
    plant(tmp_path, {"a.md": "words", "b.md": "other"})
    with opened(tmp_path / "a.md") as source:
        assert (source.source.kind, source.source.name, source.within) == ("file", "a.md", "a.md")
        assert listed(source) == ["a.md"]


def test_what_does_not_exist_is_refused_by_name(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match=r"nowhere"):
        opened(tmp_path / "nowhere")


def test_a_file_that_became_a_folder_cannot_be_read(tmp_path: Path) -> None:
    plant(tmp_path, {"a.md": "words"})
    with opened(tmp_path) as source:
        (entry,) = source.entries()
        (tmp_path / "a.md").unlink()
        (tmp_path / "a.md").mkdir()
        assert isinstance(entry, Entry)
        with pytest.raises(SourceError, match=r"a\.md cannot be read: Is a directory"):
            source.read(entry)


def test_folders_with_the_name_of_an_ignore_file_keep_no_file_open(tmp_path: Path) -> None:
    def next_handle() -> int:
        handle = os.dup(1)
        os.close(handle)
        return handle

    for number in range(3):
        plant(tmp_path, {f"{number}/.gitignore/a.md": "x", f"{number}/b.md": "words"})
    before = next_handle()
    with opened(tmp_path) as source:
        assert listed(source) == ["0/b.md", "1/b.md", "2/b.md"]
        assert next_handle() == before


def test_names_and_sizes_alone_rule_out_what_is_not_for_people(tmp_path: Path) -> None:
    plant(
        tmp_path,
        {
            "a.png": "x", "empty.md": "", "package-lock.json": "{}", "uv.lock": "x",
            "a.js.map": "{}", "jquery.min.js": "x", "good.md": "x",
            "a.egg-info/SOURCES.txt": "a.py",
        },
    )  # fmt: skip
    with (tmp_path / "big.md").open("wb") as file:
        file.truncate(200_000_000)
    with opened(tmp_path) as source:
        assert listed(source) == ["good.md"]
        assert skipped(source) == {
            "a.png": "binary", "empty.md": "empty", "package-lock.json": "generated",
            "uv.lock": "generated", "a.js.map": "generated", "jquery.min.js": "minified",
            "big.md": "oversize", "a.egg-info/SOURCES.txt": "generated",
        }  # fmt: skip


@pytest.mark.parametrize(
    ("path", "raw", "code"),
    [
        ("a.md", b"words\n", None),
        ("a.md", b"  \n\n", "empty"),
        ("a.md", b"one\0two", "binary"),
        ("a.md", bytes(range(1, 32)) * 9, "binary"),
        ("a.md", "wörds\n".encode("utf-16"), None),
        ("a.md", "wörds\n".encode("utf-16") + b"a", "unreadable"),
        ("a.md", b"\xff\xfethorn", None),
        ("a.md", b"\x1b[31mred\x1b[0m\n", None),
        ("a.md", b"a long paragraph " * 900, None),
        ("a.js", b"var a=1;" * 900, "minified"),
        ("a.js", b"var a = 1;\n" * 900, None),
        ("a.json", b'{"a":1}', None),
        ("a.json", b'{"a":1},' * 900, "minified"),
        ("a.js", b"// a licence\n" * 20 + b"var a=1;" * 900, "minified"),
    ],
)
def test_contents_that_are_not_for_people_are_told(path: str, raw: bytes, code: str | None) -> None:
    rejected = reject_content(path, raw)
    assert (rejected.code if rejected else None) == code


def test_folders_of_tools_are_never_entered_and_hidden_ones_are_named(tmp_path: Path) -> None:
    plant(
        tmp_path,
        {
            "node_modules/a.md": "x", "__pycache__/a.md": "x", ".hg/a.md": "x",
            ".pincite/a.md": "x", "env/pyvenv.cfg": "x", "env/lib/a.md": "x",
            ".secret/a.md": "x", ".env": "x", ".github/workflows/ci.yml": "x", "a.md": "x",
        },
    )  # fmt: skip
    with opened(tmp_path) as source:
        assert listed(source) == [".github/workflows/ci.yml", "a.md"]
        packages = {"node_modules/": "dependencies", "env/": "dependencies"}
        assert skipped(source) == {".env": "hidden", ".secret/": "hidden", **packages}
        why = {path: source.left_out(path) for path in ("node_modules/a.md", "env/lib/a.md")}
        assert {path: one.code if one else "" for path, one in why.items()} == dict.fromkeys(
            why, "dependencies"
        )
    with opened(tmp_path, hidden=True) as source:
        assert listed(source) == [".env", ".github/workflows/ci.yml", ".secret/a.md", "a.md"]
        assert skipped(source) == packages


def test_patterns_choose_what_counts(tmp_path: Path) -> None:
    plant(tmp_path, dict.fromkeys(["a.md", "b.py", "docs/c.md", "docs/old/d.md", "e/f.txt"], "x"))
    with opened(tmp_path, include=("*.md",), exclude=("docs/old/",)) as source:
        assert listed(source) == ["a.md", "docs/c.md"]
    with opened(tmp_path, include=("docs/**",)) as source:
        assert listed(source) == ["docs/c.md", "docs/old/d.md"]


def test_a_folder_that_became_a_link_since_it_was_listed_is_not_followed(tmp_path: Path) -> None:
    root = plant(tmp_path / "root", {"v/f.md": "words"})
    plant(tmp_path / "else", {"f.md": "secret", ".gitignore": "f.md"})
    with opened(root) as source:
        (entry,) = source.entries()
        assert isinstance(entry, Entry)
        (root / "v").rename(tmp_path / "old")
        (root / "v").symlink_to(tmp_path / "else")
        assert not source.can_read(entry)
        with pytest.raises(SourceError, match=r"v/f\.md cannot be read"):
            source.read(entry)


def test_links_are_never_followed_and_always_named(tmp_path: Path) -> None:
    outside = plant(tmp_path / "outside", {"secret.md": "x"})
    root = plant(tmp_path / "root", {"a.md": "x", "sub/b.md": "x"})
    (root / "file_out.md").symlink_to(outside / "secret.md")
    (root / "folder_out").symlink_to(outside)
    (root / "inner.md").symlink_to("a.md")
    (root / "twin").symlink_to("sub")
    (root / "sub/loop").symlink_to("..")
    (root / "sub/self").symlink_to("self")
    (root / "dangling.md").symlink_to("nowhere")
    with opened(root) as source:
        assert listed(source) == ["a.md", "sub/b.md"]
        assert skipped(source) == {
            "file_out.md": "outside", "folder_out": "outside", "inner.md": "link", "twin": "link",
            "sub/loop": "loop", "sub/self": "loop", "dangling.md": "unreadable",
        }  # fmt: skip


def test_a_folder_whose_name_begins_like_the_root_is_outside(tmp_path: Path) -> None:
    plant(tmp_path / "root-other", {"b.md": "x"})
    root = plant(tmp_path / "root", {"a.md": "x"})
    (root / "b.md").symlink_to(tmp_path / "root-other" / "b.md")
    with opened(root) as source:
        assert skipped(source) == {"b.md": "outside"}


def test_what_is_no_regular_file_is_never_opened(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.md")
    plant(tmp_path, {"a.md": "x"})
    with opened(tmp_path) as source:
        assert listed(source) == ["a.md"]
        assert skipped(source) == {"pipe.md": "special"}


def test_a_file_that_changed_its_kind_since_it_was_listed_is_not_read(tmp_path: Path) -> None:
    plant(tmp_path, {"a.md": "x", "b.md": "x", "c.md": "x"})
    with open_source(tmp_path, limits=SourceLimits(max_file_bytes=10)) as source:
        entries = [each for each in source.entries() if isinstance(each, Entry)]
        for name in ("a.md", "b.md"):
            (tmp_path / name).unlink()
        (tmp_path / "a.md").symlink_to("/etc/hostname")
        os.mkfifo(tmp_path / "b.md")
        (tmp_path / "c.md").write_bytes(b"x" * 11)
        for entry in entries:
            with pytest.raises(SourceError, match=entry.path):
                source.read(entry)


def test_a_folder_that_may_not_be_read_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plant(tmp_path, {"a.md": "x", "locked/b.md": "x"})
    if os.geteuid() == 0:  # root may read everything: let the system call fail instead
        real = os.scandir

        def scandir(path: str) -> object:
            if str(path).endswith("locked"):
                raise PermissionError(13, "Permission denied", str(path))
            return real(path)

        monkeypatch.setattr(os, "scandir", scandir)
    else:
        (tmp_path / "locked").chmod(0)
    with opened(tmp_path) as source:
        assert listed(source) == ["a.md"]
        assert skipped(source) == {"locked/": "unreadable"}
    (tmp_path / "locked").chmod(0o700)


def test_a_name_that_is_no_text_is_named_and_left_out(tmp_path: Path) -> None:
    try:
        (tmp_path / os.fsdecode(b"bad-\xff.md")).write_text("x")
    except OSError:
        pytest.skip("this file system refuses such names")
    plant(tmp_path, {"a.md": "x"})
    with opened(tmp_path) as source:
        assert list(source.entries())[1] == Skipped(
            "bad-\ufffd.md", "unreadable", "the name is not valid UTF-8"
        )


def test_five_thousand_files_are_listed_at_once(tmp_path: Path) -> None:
    for folder in range(50):
        base = tmp_path / f"folder{folder}"
        base.mkdir()
        for number in range(100):
            (base / f"file{number}.md").touch()
    patterns = "".join(f"*.ext{number}\nbuild{number}/\n/out/{number}*\n" for number in range(15))
    (tmp_path / ".gitignore").write_text(patterns)
    begun = time.process_time()
    with open_source(tmp_path, limits=LIMITS, selection=Selection()) as source:
        assert sum(1 for _ in source.entries()) == 5000
    assert time.process_time() - begun < GROWS_S  # 0.1 s when the machine is idle


def test_a_folder_that_is_moved_while_it_is_read_has_no_files_any_more(tmp_path: Path) -> None:
    plant(tmp_path, {"a/x.md": "words", "b/y.md": "words", "c.md": "words"})

    def entering(folder: str) -> None:
        if folder == "b":
            (tmp_path / "b").rename(tmp_path.parent / f"{tmp_path.name}-away")

    with opened(tmp_path) as source:
        assert isinstance(source, FolderSource)
        found = list(source.visit(entering))
    assert [(type(one), one.path) for one in found] == [(Entry, "a/x.md"), (Entry, "c.md")]


def test_a_source_that_goes_while_it_is_read_is_not_taken_for_empty(tmp_path: Path) -> None:
    root = plant(tmp_path / "notes", {"a.md": "words"})
    with opened(root) as source:
        root.rename(tmp_path / "away")
        (found,) = source.entries()
    assert isinstance(found, Skipped)
    assert (found.code, found.path) == ("unreadable", "")


def test_a_part_that_was_named_is_found_even_if_it_is_hidden_or_ignored(tmp_path: Path) -> None:
    files = dict.fromkeys(["a.md", ".hid/b.md", ".hid/.c.md", "out/d.md", "out/e.md"], "words")
    root = plant(tmp_path / "root", {**files, ".gitignore": "out/\n"})
    record = SourceRecord(Source("root", str(root), "folder"), (".hid/", "out/d.md", "a.md"))
    with reopen_source(record) as source:
        found = [name for name in files if source.find(name)]
        assert found == ["a.md", ".hid/b.md", "out/d.md"]
        left_out = {name: source.left_out(name) for name in (*files, "none.md", ".hid/none.md")}
        codes = {name: one.code for name, one in left_out.items() if one}
        assert codes == {".hid/.c.md": "hidden", "out/e.md": "ignored"}
    (root / ".hid").rename(tmp_path / "outside")
    (root / ".hid").symlink_to(tmp_path / "outside")
    (root / "out/d.md").unlink()
    with reopen_source(record) as source:
        assert [name for name in files if source.find(name)] == ["a.md"]
        assert source.left_out("out/d.md") is None


def test_why_a_file_that_is_there_is_left_out(tmp_path: Path) -> None:
    plant(tmp_path, {"a.md": "words", "empty.md": "", ".hid/b.md": "x", "out/deep/c.md": "x"})
    (tmp_path / "link.md").symlink_to(tmp_path / "a.md")
    plant(tmp_path, {".gitignore": "out/\n"})
    with opened(tmp_path) as source:
        names = ("a.md", "empty.md", ".hid/b.md", "out/deep/c.md", "link.md", "none/d.md")
        codes = [one.code if (one := source.left_out(name)) else "" for name in names]
        assert codes == ["", "empty", "hidden", "ignored", "link", ""]


def test_a_small_file_needs_no_room_for_the_largest_one(tmp_path: Path) -> None:
    plant(tmp_path, {"a.md": "words"})
    with open_source(tmp_path, limits=SourceLimits(max_file_bytes=50_000_000)) as source:
        (entry,) = source.entries()
        assert isinstance(entry, Entry)
        tracemalloc.start()
        try:
            assert source.read(entry) == b"words"
            assert tracemalloc.get_traced_memory()[1] < 1_000_000
        finally:
            tracemalloc.stop()


@pytest.mark.parametrize("longer", [1, 2, 4_000, 100_000])
def test_a_file_that_grows_while_it_is_opened_is_read_in_whole_or_refused(
    longer: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plant(tmp_path, {"a.md": "words"})
    real = os.fstat

    def shorter(handle: int) -> os.stat_result:
        found = list(real(handle))
        found[stat.ST_SIZE] -= longer
        return os.stat_result(found)

    with open_source(tmp_path, limits=SourceLimits(max_file_bytes=50_000)) as source:
        (entry,) = source.entries()
        assert isinstance(entry, Entry)
        grown = b"words" + b"x" * longer
        (tmp_path / "a.md").write_bytes(grown)
        monkeypatch.setattr("pincite.sources.folder.os.fstat", shorter)
        if len(grown) <= 50_000:
            assert source.read(entry) == grown
        else:
            with pytest.raises(SourceError, match="above the limit of 50,000 bytes"):
                source.read(entry)
