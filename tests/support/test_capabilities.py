"""Files of strangers are opened safely, also where the system does not help."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from pincite.support import capabilities
from pincite.support.capabilities import open_below, open_to_read

ROOT = capabilities.USERS and capabilities.this_user() == 0  # may do everything
OPEN_FILES = next((one for one in map(Path, ("/proc/self/fd", "/dev/fd")) if one.is_dir()), None)


@pytest.fixture(params=["by the system", "by listable folders", "by looking"], autouse=True)
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """How links are told from files."""
    if request.param == "by listable folders":  # a system that opens no others
        monkeypatch.setattr(capabilities, "_ENTER", 0)
    if request.param == "by looking":
        monkeypatch.setattr(capabilities, "NO_FOLLOW", 0)
        monkeypatch.setattr(capabilities, "FROM_FOLDERS", False)
    return str(request.param)


def content(path: Path, *, follow: bool = False) -> bytes:
    handle = open_to_read(path, follow=follow)
    try:
        return os.read(handle, 1000)
    finally:
        os.close(handle)


def test_a_file_is_read_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"one\r\ntwo\r\n\x1a")
    assert content(tmp_path / "a") == b"one\r\ntwo\r\n\x1a"


def test_a_link_is_followed_only_if_asked(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"secret")
    (tmp_path / "link").symlink_to(tmp_path / "a")
    with pytest.raises(OSError, match="link") as raised:
        open_to_read(tmp_path / "link")
    assert raised.value.errno == errno.ELOOP
    assert content(tmp_path / "link", follow=True) == b"secret"


def test_a_file_that_becomes_a_link_while_it_is_opened_is_not_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "secret").write_bytes(b"secret")
    place = tmp_path / "a"
    place.write_bytes(b"mine")
    opens = os.open

    def replaced(path: Path, flags: int) -> int:
        place.unlink()
        place.symlink_to(tmp_path / "secret")
        return opens(path, flags)

    monkeypatch.setattr(os, "open", replaced)
    with pytest.raises(OSError, match=r"link|replaced"):
        open_to_read(place)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes")
def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    os.close(open_to_read(tmp_path / "pipe"))


def below(root: Path, path: str) -> bytes:
    handle = open_below(str(root), path)
    try:
        return os.read(handle, 1000)
    finally:
        os.close(handle)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "root/a/b").mkdir(parents=True)
    (tmp_path / "root/a/b/f.md").write_bytes(b"mine")
    (tmp_path / "root/f.md").write_bytes(b"top")
    (tmp_path / "else/b").mkdir(parents=True)
    for name in ("f.md", "b/f.md"):
        (tmp_path / "else" / name).write_bytes(b"secret")
    return tmp_path / "root"


def test_a_file_below_a_folder_is_read_also_where_the_folder_is_a_link(root: Path) -> None:
    (root.parent / "link").symlink_to(root)
    for place in (root, root.parent / "link"):
        assert (below(place, "f.md"), below(place, "a/b/f.md")) == (b"top", b"mine")


def test_no_part_of_the_path_below_a_folder_may_be_a_link_or_lead_up(root: Path) -> None:
    (root / "out").symlink_to(root.parent / "else")
    (root / "a/out").symlink_to(root.parent / "else")
    (root / "a/f.md").symlink_to(root / "f.md")
    for path in ("out/f.md", "out/b/f.md", "a/out/f.md", "a/out/b/f.md", "a/f.md"):
        with pytest.raises(OSError, match=r"directory|link") as raised:
            open_below(str(root), path)
        assert raised.value.errno in (errno.ENOTDIR, errno.ELOOP)
    for path in ("../else/f.md", "a/../f.md", "/f.md", "a//b/f.md", "./f.md", "", "a/none/f.md"):
        with pytest.raises(FileNotFoundError):
            open_below(str(root), path)
    with pytest.raises(IsADirectoryError):
        open_below(str(root), "a/b")


@pytest.mark.skipif(OPEN_FILES is None, reason="the system does not list open files")
def test_no_folder_stays_open(root: Path) -> None:
    def count() -> int:
        return len(os.listdir(OPEN_FILES))  # noqa: PTH208

    before = count()
    below(root, "a/b/f.md")
    for path in ("a/b/none.md", "a/none/f.md", "f.md/x", "a/b"):
        with pytest.raises(OSError, match="directory"):
            open_below(str(root), path)
    assert count() == before


@pytest.mark.skipif(ROOT or not capabilities.FILE_MODES, reason="everybody may list everything")
@pytest.mark.parametrize("folder", [".", "a", "a/b"])
def test_a_folder_that_may_be_entered_but_not_listed_is_no_obstacle(
    root: Path, folder: str
) -> None:
    (root / "a/out").symlink_to(root.parent / "else")
    (root / folder).chmod(0o111)
    assert below(root, "a/b/f.md") == b"mine"
    with pytest.raises(OSError, match=r"directory|link"):
        open_below(str(root), "a/out/f.md")
    (root / folder).chmod(0o700)


@pytest.mark.skipif(ROOT or not capabilities.FILE_MODES, reason="everybody may enter everything")
def test_a_folder_that_may_not_be_entered_is_an_obstacle(root: Path) -> None:
    (root / "a").chmod(0o600)
    with pytest.raises(PermissionError):
        open_below(str(root), "a/b/f.md")
    (root / "a").chmod(0o700)


def test_a_folder_that_becomes_a_link_while_its_file_is_opened_is_not_left(
    root: Path, way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if way == "by looking":
        pytest.skip("only folders that are open stay the same")
    opens = os.open

    def replaced(path: str, flags: int, *, dir_fd: int | None = None) -> int:
        if path == "b":  # `a` is open, and its name leads elsewhere from now on
            (root / "a").rename(root / "old")
            (root / "a").symlink_to(root.parent / "else")
        return opens(path, flags, dir_fd=dir_fd)

    monkeypatch.setattr(os, "open", replaced)
    assert below(root, "a/b/f.md") == b"mine"
