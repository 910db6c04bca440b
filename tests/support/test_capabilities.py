"""Files of strangers are opened safely, also where the system does not help."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from pincite.support import capabilities
from pincite.support.capabilities import open_to_read


@pytest.fixture(params=["by the system", "by looking"], autouse=True)
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """How links are told from files."""
    if request.param == "by looking":
        monkeypatch.setattr(capabilities, "NO_FOLLOW", 0)
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


def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    os.close(open_to_read(tmp_path / "pipe"))
