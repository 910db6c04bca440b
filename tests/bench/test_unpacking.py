"""Archives that benchmarks unpack, with and without the check of Python 3.11.4."""

from __future__ import annotations

import io
import tarfile
from pathlib import Path

import pytest
from bench.unpacking import extract, require_plain


def archive_of(place: Path, name: str, link: str = "") -> Path:
    with tarfile.open(place, "w") as archive:
        member = tarfile.TarInfo(name)
        member.type, member.linkname = (tarfile.SYMTYPE if link else tarfile.REGTYPE), link
        member.size = 0 if link else 3
        archive.addfile(member, io.BytesIO(b"oil"))
    return place


def test_members_are_written_below_the_folder(tmp_path: Path) -> None:
    with tarfile.open(archive_of(tmp_path / "a.tar", "lamps/wick.md")) as archive:
        require_plain(archive.getmembers(), tmp_path / "here")
        extract(archive, tmp_path / "here")
    assert (tmp_path / "here/lamps/wick.md").read_text() == "oil"


@pytest.mark.parametrize("name", ["../out.md", "lamps/../../out.md"])
def test_a_member_outside_of_the_folder_is_refused(tmp_path: Path, name: str) -> None:
    with tarfile.open(archive_of(tmp_path / "a.tar", name)) as archive:
        with pytest.raises(tarfile.TarError, match="outside"):
            extract(archive, tmp_path / "here")
        with pytest.raises(tarfile.ReadError, match="outside"):
            require_plain(archive.getmembers(), tmp_path / "here")
    assert not (tmp_path / "out.md").exists()


def test_a_link_is_refused_where_it_cannot_be_checked(tmp_path: Path) -> None:
    with tarfile.open(archive_of(tmp_path / "a.tar", "out", link="..")) as archive:
        with pytest.raises(tarfile.ReadError, match=r"3\.11\.4"):
            require_plain(archive.getmembers(), tmp_path / "here")
        with pytest.raises(tarfile.TarError):
            extract(archive, tmp_path / "here")
