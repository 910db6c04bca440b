from __future__ import annotations

import stat
import tarfile
import zipfile
from typing import TYPE_CHECKING

import pytest

from pincite.errors import SourceError
from pincite.sources import Entry, OpenSource, SourceLimits, open_source
from tests.sources.archives import METADATA, add, tarred, zipped
from tests.sources.helpers import LIMITS, listed, opened, skipped

if TYPE_CHECKING:
    from pathlib import Path


def contents(source: OpenSource) -> dict[str, bytes]:
    return {each.path: source.read(each) for each in source.entries() if isinstance(each, Entry)}


def test_a_wheel_is_named_by_its_metadata_and_keeps_its_paths(tmp_path: Path) -> None:
    files = {"pkg/b.py": "x = 1\n", "pkg/a.py": "y\n", "p-1.dist-info/METADATA": METADATA}
    with opened(zipped(tmp_path / "other_name-9-py3-none-any.whl", files)) as source:
        assert (source.source.name, source.source.ref, source.source.kind) == (
            "Some-Package", "1.2.3", "wheel",
        )  # fmt: skip
        assert listed(source) == ["p-1.dist-info/METADATA", "pkg/a.py", "pkg/b.py"]
        assert contents(source)["pkg/b.py"] == b"x = 1\n"
        assert source.ref_for(Entry("pkg/a.py", 2, 0), "0" * 64) == "1.2.3"


@pytest.mark.parametrize(
    ("suffix", "mode"), [("tar", "w"), ("tar.gz", "w:gz"), ("tgz", "w:gz"), ("tar.bz2", "w:bz2"),
                         ("tar.xz", "w:xz")]
)  # fmt: skip
def test_a_source_distribution_loses_its_single_folder(
    tmp_path: Path, suffix: str, mode: str
) -> None:
    files = {"x-1/PKG-INFO": METADATA, "x-1/src/a.py": "y\n", "x-1/README.md": "z\n"}
    with opened(tarred(tmp_path / f"x-1.{suffix}", files, mode)) as source:
        assert (source.source.name, source.source.ref, source.source.kind) == (
            "Some-Package", "1.2.3", "archive",
        )  # fmt: skip
        assert contents(source)["src/a.py"] == b"y\n"
        assert listed(source) == ["PKG-INFO", "README.md", "src/a.py"]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("adk-docs-1.2.zip", ("adk-docs", "1.2")),
        ("repo-" + "ab" * 20 + ".zip", ("repo", "ab" * 20)),
        ("notes.zip", ("notes", None)),
    ],
)
def test_without_metadata_the_file_name_tells(
    tmp_path: Path, name: str, expected: tuple[str, str | None]
) -> None:
    with opened(zipped(tmp_path / name, {"top/a.md": "x"})) as source:
        assert (source.source.name, source.source.ref) == expected
        assert listed(source) == ["a.md"]


def test_an_archive_made_by_git_names_its_commit(tmp_path: Path) -> None:
    sha = "ab" * 20
    with opened(zipped(tmp_path / "repo-main.zip", {"t/a.md": "x"}, sha.encode())) as source:
        assert source.source.ref == sha
    with tarfile.open(tmp_path / "repo.tar.gz", "w:gz", pax_headers={"comment": sha}) as archive:
        add(archive, "t/a.md")
    with opened(tmp_path / "repo.tar.gz") as source:
        assert source.source.ref == sha


def test_entries_change_when_the_content_does(tmp_path: Path) -> None:
    def stamp(text: str) -> list[object]:
        place = zipped(tmp_path / "a.zip", {"a.md": text})
        with opened(place) as source:
            return list(source.entries())

    assert stamp("one") == stamp("one")
    assert stamp("one") != stamp("two")


def test_members_of_a_zip_that_lead_astray_are_named_and_not_read(tmp_path: Path) -> None:
    place = tmp_path / "evil.zip"
    with zipfile.ZipFile(place, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in ("../up.md", "/abs.md", "a/../../b.md", "C:/x.md", "..\\w.md", "good.md"):
            archive.writestr(name, "x")
        link = zipfile.ZipInfo("link.md")
        link.external_attr = (stat.S_IFLNK | 0o777) << 16
        archive.writestr(link, "/etc/passwd")
        archive.writestr("bomb.md", "0" * 4_000_000)
        archive.writestr("web/node_modules/a.md", "x")
        archive.writestr("web/node_modules/b/node_modules/c.md", "x")
        archive.writestr(".hidden/a.md", "x")
    with opened(place) as source:
        assert contents(source) == {"good.md": b"x"}
        found = skipped(source)
    assert found.pop("link.md") == "link"
    assert found.pop("bomb.md") == "oversize"
    assert found.pop(".hidden/") == "hidden"
    assert found.pop("web/node_modules/") == "dependencies"
    assert set(found.values()) == {"outside"}
    assert len(found) == 5


def test_names_of_a_zip_in_utf_8_are_read_without_its_flag(tmp_path: Path) -> None:
    """As macOS and older Java write them: Pincite showed `caf├⌐.md`."""
    place = zipped(tmp_path / "a.zip", {"proj/caf??.md": "x", "proj/b.md": "x"})
    place.write_bytes(place.read_bytes().replace(b"caf??", "café".encode()))
    with opened(place) as source:
        assert contents(source) == {"b.md": b"x", "café.md": b"x"}
    place = zipped(tmp_path / "b.zip", {"a?.md": "x", "b.md": "x"})
    place.write_bytes(place.read_bytes().replace(b"a?", "aé".encode("cp437")))
    with opened(place) as source:
        assert listed(source) == ["aé.md", "b.md"]


def test_what_macos_adds_to_a_zip_is_not_listed(tmp_path: Path) -> None:
    files = {"proj/a.md": "x", "__MACOSX/proj/._a.md": "x", "__MACOSX/b.md": "x"}
    with opened(zipped(tmp_path / "a.zip", files)) as source:
        assert contents(source) == {"a.md": b"x"}
        assert skipped(source) == {}
        assert source.find("__MACOSX/b.md") is None


def test_names_that_only_look_like_places_elsewhere_are_read(tmp_path: Path) -> None:
    names = ["TODO:", "\\x.md", "docs/a:b.md", "re:/a.md"]
    with tarfile.open(tmp_path / "a.tar.gz", "w:gz") as archive:
        for name in (*names, "C:/x.md", "\\..\\up.md"):
            add(archive, name)
    with opened(tmp_path / "a.tar.gz") as source:
        assert contents(source) == dict.fromkeys(names, b"x")
        assert skipped(source) == {"C:/x.md": "outside", "\\..\\up.md": "outside"}


def test_members_of_a_tar_that_lead_astray_are_named_and_not_read(tmp_path: Path) -> None:
    with tarfile.open(tmp_path / "evil.tar.gz", "w:gz") as archive:
        for name in ("../up.md", "/abs.md", "good.md"):
            add(archive, name)
        add(archive, "good.md", "twice")
        add(archive, "soft.md", kind=tarfile.SYMTYPE)
        add(archive, "hard.md", kind=tarfile.LNKTYPE)
        add(archive, "pipe.md", kind=tarfile.FIFOTYPE)
        add(archive, "device.md", kind=tarfile.CHRTYPE)
    with opened(tmp_path / "evil.tar.gz") as source:
        assert contents(source) == {"good.md": b"x"}
        assert skipped(source) == {
            "../up.md": "outside", "/abs.md": "outside", "good.md": "unreadable",
            "soft.md": "link", "hard.md": "link", "pipe.md": "special", "device.md": "special",
        }  # fmt: skip


def test_an_archive_is_unpacked_up_to_its_limit_only(tmp_path: Path) -> None:
    limits = SourceLimits(max_file_bytes=2000, max_total_bytes=2500)
    files = {f"{n}.md": "x" * 1000 for n in range(5)} | {"big.md": "x" * 3000}
    for place in (
        tarred(tmp_path / "a.tar.gz", files),
        zipped(tmp_path / "a.zip", {name: text[::-1] for name, text in files.items()}),
    ):
        with open_source(place, limits=limits) as source:
            assert listed(source) == ["0.md", "1.md"]
            assert "oversize" in skipped(source).values()


def test_a_member_that_lies_about_its_size_is_not_read_beyond_the_limit(tmp_path: Path) -> None:
    place = zipped(tmp_path / "a.zip", {"a.md": "x" * 50_000})
    raw = bytearray(place.read_bytes())
    central = raw.rindex(b"PK\x01\x02")
    raw[central + 24 : central + 28] = (100).to_bytes(4, "little")
    place.write_bytes(bytes(raw))
    with open_source(place, limits=SourceLimits(max_file_bytes=1000)) as source:
        (entry,) = source.entries()
        assert isinstance(entry, Entry)
        with pytest.raises(SourceError, match=r"a\.md"):
            source.read(entry)


@pytest.mark.parametrize("name", ["a.zip", "a.whl", "a.tar.gz", "a.tar"])
def test_what_is_no_archive_is_refused_by_name(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_bytes(b"no archive at all" * 99)
    with pytest.raises(SourceError, match=name):
        opened(tmp_path / name)


def test_a_damaged_archive_gives_what_comes_before_the_damage(tmp_path: Path) -> None:
    import random

    noise = random.Random(0)
    text = "".join(chr(noise.randrange(32, 127)) for _ in range(30_000))
    place = tarred(tmp_path / "a.tar.gz", {"a.md": "x", "b.md": text, "c.md": text})
    place.write_bytes(place.read_bytes()[:-25_000])
    with open_source(place, limits=LIMITS) as source:
        assert "a.md" in listed(source)
        assert "unreadable" in skipped(source).values()


@pytest.mark.parametrize("suffix", ["zip", "tar"])
def test_of_a_name_that_occurs_twice_the_member_that_is_listed_is_found(
    tmp_path: Path, suffix: str
) -> None:
    """Each search reported its passages as those of a file that is gone."""
    place = tmp_path / f"a.{suffix}"
    if suffix == "zip":
        with zipfile.ZipFile(place, "w") as zip_archive:
            zip_archive.writestr("a.md", "first")
            with pytest.warns(UserWarning, match="Duplicate name"):
                zip_archive.writestr("a.md", "second")
    else:
        with tarfile.open(place, "w") as archive:
            for text in ("first", "second"):
                add(archive, "a.md", text)
    with opened(place) as source:
        assert contents(source) == {"a.md": b"first"}
        assert skipped(source) == {"a.md": "unreadable"}
        found = source.find("a.md")
        assert found is not None
        assert source.read(found) == b"first"


def test_a_member_packed_by_lzma_that_is_damaged_costs_itself(tmp_path: Path) -> None:
    """Also the metadata of a wheel, which is read when it is opened."""
    place = tmp_path / "lamp-1.0-py3-none-any.whl"
    name = "lamp-1.0.dist-info/METADATA"
    with zipfile.ZipFile(place, "w", zipfile.ZIP_LZMA) as archive:
        archive.writestr(name, METADATA)
        archive.writestr("lamp/a.py", "x = 1")
    raw = bytearray(place.read_bytes())
    raw[30 + len(name) + 4] = 0xFF  # the properties of its filter
    place.write_bytes(bytes(raw))
    with opened(place) as source:
        assert source.source.name == "lamp"
        broken, whole = [each for each in source.entries() if isinstance(each, Entry)]
        assert source.read(whole) == b"x = 1"
        with pytest.raises(SourceError, match="METADATA cannot be unpacked"):
            source.read(broken)
