"""What is said of files that are gone, strange, closed, hanging, or on another machine."""

from __future__ import annotations

import asyncio
import hashlib
import os
import threading
import time
import zipfile
from collections.abc import Sequence
from pathlib import Path

import pytest

from pincite.current_files.disk import Content, Disk, Lacking
from pincite.current_files.files import FilesOnDisk, _Work
from pincite.errors import StoreError
from pincite.model import Source, SourceRecord
from pincite.model.revisions import content_ref
from pincite.ports import Quote, Seen
from pincite.sources import SourceLimits
from pincite.support.fields import replace
from tests.builders import chunk
from tests.current_files.looks import files_of, look, record
from tests.sources.helpers import commit

TEXT = "alpha\nbeta\ngamma\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "source" / "docs").mkdir(parents=True)
    (tmp_path / "source" / "docs" / "a.md").write_text(TEXT)
    return tmp_path / "source"


def quote(path: str = "docs/a.md", text: str = "beta", **values: object) -> Quote:
    digest = hashlib.sha256(TEXT.encode()).hexdigest()
    known = {"ref": content_ref(digest), "content_hash": digest, "start_line": 2, "end_line": 2}
    return Quote("main", chunk("a", text=text, path=path, repo="acme", **(known | values)))


def seen_after(folder: Path, *quotes: Quote) -> Seen:
    return look(files_of(record(folder)), *(quotes or (quote(),)))[0]


def test_a_file_as_it_was_is_fresh_and_one_above_which_lines_came_has_moved(folder: Path) -> None:
    assert seen_after(folder) == Seen(quote().chunk, None, "fresh")
    raw = b"new\n\n" + TEXT.encode()
    (folder / "docs/a.md").write_bytes(raw)
    seen = seen_after(folder)
    assert (seen.truth, seen.gone, seen.chunk.start_line) == ("moved", None, 4)
    assert seen.chunk.ref == content_ref(hashlib.sha256(raw).hexdigest())


def test_a_file_without_the_text_is_stale_and_one_that_is_gone_deleted(folder: Path) -> None:
    (folder / "docs/a.md").write_text("alpha\ngamma\n")
    assert seen_after(folder).gone == "stale"
    (folder / "docs/a.md").unlink()
    assert seen_after(folder).gone == "deleted"


def make_link(place: Path) -> None:
    outside = place.parents[2] / "outside.md"
    outside.write_text(TEXT)
    place.symlink_to(outside)


@pytest.mark.parametrize("make", [os.mkfifo, Path.mkdir, make_link])
def test_what_is_no_regular_file_any_more_is_deleted_and_nothing_hangs(
    folder: Path, make: object
) -> None:
    (folder / "docs/a.md").unlink()
    make(folder / "docs/a.md")  # type: ignore[operator]
    assert seen_after(folder).gone == "deleted"


def test_a_folder_that_became_a_link_out_of_the_source_is_not_followed(folder: Path) -> None:
    (folder / "docs").rename(folder.parent / "outside")
    (folder / "docs").symlink_to(folder.parent / "outside")
    assert seen_after(folder).gone == "deleted"


def test_a_folder_that_becomes_a_link_between_look_and_read_is_not_followed(folder: Path) -> None:
    outside = folder.parent / "outside"
    outside.mkdir()
    (outside / "a.md").write_text("secret\n")

    def replaced() -> int:  # the clock is read before the file is opened
        (folder / "docs").rename(folder / "old")
        (folder / "docs").symlink_to(outside)
        return time.time_ns()

    disk = Disk(SourceLimits().most_bytes, clock_ns=replaced)
    assert disk.content(str(folder), "docs/a.md", {}) == Lacking("gone", "the file is gone")


@pytest.mark.parametrize(
    "path", ["../outside.md", "/etc/passwd", "docs/../a.md", "docs//a.md", "a\0b", "", "x" * 5000]
)
def test_a_path_that_leads_elsewhere_is_deleted(folder: Path, path: str) -> None:
    (folder.parent / "outside.md").write_text(TEXT)
    assert seen_after(folder, quote(path)).gone == "deleted"


def test_a_file_that_has_grown_huge_is_stale_and_not_read(folder: Path) -> None:
    (folder / "docs/a.md").write_text(TEXT * 1000)
    small = files_of(record(folder), limits=SourceLimits(max_file_bytes=1000))
    (seen,) = look(small, quote())
    assert seen.gone == "stale"
    assert "1,000 bytes" in seen.detail
    os.truncate(folder / "docs/a.md", 10**12)  # without a disk that large
    assert look(small, quote())[0].gone == "stale"


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_that_may_not_be_read_any_more_is_left_out(folder: Path) -> None:
    (folder / "docs/a.md").chmod(0)
    assert seen_after(folder).gone == "stale"


def test_a_folder_that_was_deleted_is_deleted_and_one_of_another_machine_is_not_at_hand(
    folder: Path,
) -> None:
    known = record(folder)
    folder.rename(folder.with_name("elsewhere"))
    (here,) = look(files_of(known), quote())
    assert (here.gone, here.detail) == ("deleted", f"{folder} is gone")
    for machine in ("", "another"):
        (there,) = look(files_of(replace(known, machine=machine)), quote())
        assert (there.gone, there.truth, there.chunk) == (None, "unchecked", quote().chunk)
        assert there.notice is not None
        assert there.notice.code == "source_gone"


def test_records_are_as_indexed_and_of_what_is_unknown_nothing_is_claimed(folder: Path) -> None:
    kept = replace(record(folder), source=Source("acme", "records:main/acme", "records"))
    assert look(files_of(kept), quote())[0].truth == "fresh"
    assert look(files_of(), quote())[0].truth == "unchecked"

    async def failing(_: str) -> Sequence[SourceRecord]:
        raise StoreError("the catalog is damaged")

    assert look(FilesOnDisk(failing), quote())[0].truth == "unchecked"


def test_only_what_is_still_of_a_revision_that_is_asked_for_is_there(folder: Path) -> None:
    files = files_of(record(folder))
    given = quote(ref="v1.2")
    (kept,) = asyncio.run(files.look([given], 30, refs=("v1",)))
    assert (kept.truth, kept.chunk.ref) == ("fresh", "v1.2")
    (folder / "docs/a.md").write_text("new\n" + TEXT)
    (lost,) = asyncio.run(files.look([given], 30, refs=("v1",)))
    assert lost.gone == "stale"


def test_a_disk_that_does_not_answer_costs_the_time_limit_once_and_no_other_source(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder.parent / "second/docs").mkdir(parents=True)
    (folder.parent / "second/docs/a.md").write_text(TEXT)
    hanging = record(folder)
    second = replace(hanging, source=Source("other", str(folder.parent / "second"), "folder"))
    released = threading.Event()
    before = set(threading.enumerate())
    real = os.lstat

    def lstat(path: str) -> os.stat_result:
        if str(path).startswith(str(folder)):
            released.wait(60)
        return real(path)

    monkeypatch.setattr("pincite.current_files.disk.os.lstat", lstat)
    files = files_of(second, hanging)
    other = replace_source(quote(), "other")
    try:
        for _ in range(5):
            ours, stuck = look(files, other, quote(), limit_s=0.5)
            assert ours.truth == "fresh"
            assert (stuck.truth, stuck.gone) == ("unchecked", None)
            assert stuck.notice is not None
            assert stuck.notice.code == "source_not_answering"
        new = set(threading.enumerate()) - before
        assert len(new) < 5  # one hangs; of the others, one may begin before another has ended
    finally:
        released.set()
    until = time.monotonic() + 60
    while look(files, quote())[0].truth != "fresh":
        assert time.monotonic() < until


def test_a_hang_of_another_process_is_none_here(folder: Path) -> None:
    """After a fork, the thread that hangs is in the parent alone."""
    files = files_of(record(folder))
    files._hanging[str(folder)] = _Work(process=os.getpid())
    assert look(files, quote())[0].truth == "unchecked"
    files._hanging[str(folder)] = _Work(process=os.getpid() + 1)
    assert look(files, quote())[0].truth == "fresh"


def replace_source(one: Quote, name: str) -> Quote:
    values = {name: getattr(one.chunk, name) for name in ("ref", "content_hash")}
    return Quote("main", chunk("a", text="beta", path="docs/a.md", repo=name, start_line=2,
                               end_line=2, **values))  # fmt: skip


def test_a_look_that_fails_for_a_reason_of_ours_is_no_silence(folder: Path) -> None:
    broken = replace(record(folder), source=Source("acme", None, "folder"))  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        look(files_of(broken), quote())


def test_a_member_of_an_archive_is_held_against_the_archive(tmp_path: Path) -> None:
    place = tmp_path / "acme-1.0.zip"

    def make(text: str) -> None:
        with zipfile.ZipFile(place, "w") as made:
            made.writestr("acme-1.0/docs/a.md", text)
            made.writestr("acme-1.0/b.md", "b")

    make(TEXT)
    files = files_of(replace(record(place), source=Source("acme", str(place), "archive", "1.0")))
    given = quote(ref="1.0")
    assert look(files, given)[0].truth == "fresh"
    make("new\n" + TEXT)
    (moved,) = look(files, given)
    assert (moved.truth, moved.chunk.start_line) == ("moved", 3)
    assert moved.chunk.ref.startswith("sha256-")  # it is not what 1.0 was
    make("nothing")
    assert look(files, given)[0].gone == "stale"
    place.write_bytes(b"no archive")
    assert look(files, given)[0].truth == "unchecked"
    place.unlink()
    assert look(files, given)[0].gone == "deleted"
    os.mkfifo(place)
    assert look(files, given)[0].gone == "deleted"


class Clock:
    def __init__(self, ahead_s: float) -> None:
        self.ahead_s = ahead_s

    def __call__(self) -> int:
        return time.time_ns() + int(self.ahead_s * 1e9)


def content(disk: Disk, folder: Path) -> Content | Lacking:
    return disk.content(str(folder), "docs/a.md", {})


def test_a_file_that_has_just_changed_is_read_each_time_and_an_older_one_once(
    folder: Path,
) -> None:
    for ahead_s, read_again in ((0.0, True), (60.0, False)):
        disk = Disk(lambda _: 1000, Clock(ahead_s))
        first, second = content(disk, folder), content(disk, folder)
        assert isinstance(first, Content)
        assert isinstance(second, Content)
        assert first.raw == TEXT.encode()
        assert (second.raw is not None) == read_again
        assert second.content_hash == first.content_hash


def test_an_edit_of_the_same_size_with_the_old_time_stamp_is_seen(folder: Path) -> None:
    place = folder / "docs/a.md"
    disk = Disk(lambda _: 1000, Clock(60.0))
    before = content(disk, folder)
    status = place.stat()
    place.write_text(TEXT.replace("beta", "BETA"))
    os.utime(place, ns=(status.st_atime_ns, status.st_mtime_ns))
    after = content(disk, folder)
    assert isinstance(before, Content)
    assert isinstance(after, Content)
    assert before.content_hash != after.content_hash


def test_another_file_in_its_place_is_seen_whatever_its_times(folder: Path) -> None:
    disk = Disk(lambda _: 1000, Clock(60.0))
    assert isinstance(content(disk, folder), Content)
    other = folder.parent / "other"
    other.mkdir()
    (other / "a.md").write_text(TEXT.replace("beta", "BETA"))
    status = (folder / "docs/a.md").stat()
    os.utime(other / "a.md", ns=(status.st_atime_ns, status.st_mtime_ns))
    (folder / "docs").rename(folder.parent / "old")
    other.rename(folder / "docs")
    found = content(disk, folder)
    assert isinstance(found, Content)
    assert found.raw is not None
    assert b"BETA" in found.raw


def test_a_commit_that_could_not_be_read_is_asked_for_again(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sha = commit(folder)
    files = files_of(record(folder, source=Source("acme", str(folder), "git", ref=sha)))
    monkeypatch.setattr("pincite.current_files.checkouts._AGAIN_S", 0.0)
    of_content, of_earlier = quote(), quote(ref="e" * 40)
    refs = (of_content.chunk.ref, of_earlier.chunk.ref)
    with monkeypatch.context() as without_git:
        without_git.setenv("PATH", "")
        assert tuple(one.chunk.ref for one in look(files, of_content, of_earlier)) == refs
    assert {one.chunk.ref for one in look(files, of_content, of_earlier)} == {sha}
