"""Archives that are larger inside than out: what they cost is bounded, and said."""

from __future__ import annotations

import bz2
import gzip
import lzma
import struct
import subprocess
import sys
import tarfile
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from time import process_time

import pytest

from pincite.errors import SourceError
from pincite.sources import SourceLimits, open_source
from tests.sources.helpers import LIMITS, listed, opened, skipped
from tests.time_limits import GROWS_S

MEMORY = 250_000_000  # of a whole process; it begins with 40 MB, and bombs took 1.4 GB
OPENERS = {"gz": gzip.open, "bz2": bz2.open, "xz": lzma.open}

MEASURE = """
import sys
from pathlib import Path
from pincite.errors import SourceError
from pincite.sources import Entry, SourceLimits, open_source
try:
    with open_source(sys.argv[1], limits=SourceLimits()) as source:
        for each in source.entries():
            if isinstance(each, Entry):
                source.read(each)
except SourceError as error:
    print(error.message)
# The most memory of this program. `getrusage` counts that of the process which started it, too.
print(int(Path("/proc/self/status").read_text().split("VmHWM:")[1].split()[0]) * 1024)
"""


def measure(place: Path) -> tuple[str, int]:
    """What is said, and the most bytes that a process needs to read all members."""
    done = subprocess.run(
        [sys.executable, "-c", MEASURE, str(place)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    *said, peak = done.stdout.splitlines()
    return "\n".join(said), int(peak)


def header(name: str, size: int, kind: bytes = tarfile.REGTYPE) -> bytes:
    member = tarfile.TarInfo(name)
    member.size, member.type = size, kind
    return member.tobuf(tarfile.GNU_FORMAT)


def text_members() -> Iterator[bytes]:
    """Files of 2 MB that are one letter."""
    page = b"a" * 2_000_000
    for number in range(200):
        yield header(f"{number}.md", len(page)) + page + bytes(-len(page) % 512)


def long_name(kind: bytes) -> Iterator[bytes]:
    """A name, or what pax says of a member, of 400 MB."""
    yield header("x", 400_000_000, kind)
    for _ in range(400):
        yield b"a" * 1_000_000


def empty_members() -> Iterator[bytes]:
    block = header("a", 0)
    for _ in range(600):
        yield block * 1000


def nested_headers() -> Iterator[bytes]:
    said = b"12 path=aaa\n"
    block = header("x", len(said), tarfile.XHDTYPE) + said + bytes(512 - len(said))
    yield block * 100_000


def sparse_map() -> Iterator[bytes]:
    """An old sparse member whose map goes on for ever."""
    first = bytearray(header("a.md", 0, tarfile.GNUTYPE_SPARSE))
    first[482] = 1
    first[148:156] = b" " * 8
    first[148:156] = b"%06o\0 " % sum(first)
    yield bytes(first)
    block = (struct.pack("12s12s", b"00000000001\0", b"00000000001\0") * 21 + b"\1").ljust(
        512, b"\0"
    )
    for _ in range(200):
        yield block * 1000


BOMBS = {
    "text": text_members,
    "long name": lambda: long_name(tarfile.GNUTYPE_LONGNAME),
    "pax": lambda: long_name(tarfile.XHDTYPE),
    "global pax": lambda: long_name(tarfile.XGLTYPE),
    "empty members": empty_members,
    "sparse map": sparse_map,
}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("bomb", "suffix"),
    [(bomb, "gz") for bomb in BOMBS] + [("text", "bz2"), ("text", "xz"), ("long name", "xz")],
)
def test_a_tar_bomb_is_refused_by_name_in_bounded_memory(
    tmp_path: Path, bomb: str, suffix: str
) -> None:
    place = tmp_path / f"bomb.tar.{suffix}"
    quick = {"compresslevel": 6} if suffix != "xz" else {"preset": 1}
    with OPENERS[suffix](place, "wb", **quick) as packed:  # type: ignore[operator]
        for part in BOMBS[bomb]():
            packed.write(part)
    said, peak = measure(place)
    assert peak < MEMORY
    if bomb == "empty members":  # read up to their number
        return
    assert str(place) in said
    assert "unpacks to more than 200 times its size" in said or "a header is larger" in said


def test_headers_that_are_nested_without_end_are_damage(tmp_path: Path) -> None:
    place = tmp_path / "nested.tar"
    place.write_bytes(b"".join(nested_headers()))
    with pytest.raises(SourceError, match=r"nested\.tar"):
        opened(place)


def test_a_dictionary_of_gigabytes_is_refused(tmp_path: Path) -> None:
    place = tmp_path / "a.tar.xz"
    filters = [{"id": lzma.FILTER_LZMA2, "preset": 1, "dict_size": 1 << 20}]
    raw = bytearray(lzma.compress(header("a.md", 1) + b"x".ljust(512, b"\0"), filters=filters))
    at = raw.index(b"\x21\x01")  # LZMA2, one byte of properties: the size of the dictionary
    raw[at + 2] = 39  # 3 GB
    block = raw[12 : 12 + (raw[12] + 1) * 4 - 4]
    import zlib

    raw[12 + len(block) : 12 + len(block) + 4] = struct.pack("<I", zlib.crc32(block))
    place.write_bytes(bytes(raw))
    with pytest.raises(SourceError, match=r"(?i)memory.*|.*a\.tar\.xz"):
        opened(place)
    _, peak = measure(place)
    assert peak < MEMORY


def test_members_are_kept_on_disk_and_not_in_memory(tmp_path: Path) -> None:
    place = tmp_path / "large.tar"
    with place.open("wb") as written:
        lines = b"".join(b"line %d of a page\n" % n for n in range(70_000))
        for number in range(250):
            page = b"page %d\n" % number + lines
            written.write(header(f"{number}.md", len(page)) + page + bytes(-len(page) % 512))
    assert place.stat().st_size > 350_000_000
    said, peak = measure(place)
    assert said == ""
    assert peak < MEMORY


def test_what_lies_between_members_is_read_over(tmp_path: Path) -> None:
    with tarfile.open(tmp_path / "a.tar.gz", "w:gz") as archive:
        import io
        import random

        noise = random.Random(0).randbytes(7_000_001)
        for name, raw in (("a.md", b"x"), ("large.md", noise), ("c.md", b"y"), ("d.png", noise)):
            member = tarfile.TarInfo(name)
            member.size = len(raw)
            archive.addfile(member, io.BytesIO(raw))
    with opened(tmp_path / "a.tar.gz") as source:
        assert listed(source) == ["a.md", "c.md"]
        assert skipped(source) == {"large.md": "oversize", "d.png": "binary"}


def test_sparse_members_are_not_read(tmp_path: Path) -> None:
    place = tmp_path / "a.tar"
    first = bytearray(header("hole.md", 0, tarfile.GNUTYPE_SPARSE))
    first[483:495] = b"00004000000\0"  # 1 MB of nothing
    first[148:156] = b" " * 8
    first[148:156] = b"%06o\0 " % sum(first)
    place.write_bytes(bytes(first) + header("a.md", 1) + b"x".ljust(512, b"\0") + bytes(1024))
    with opened(place) as source:
        assert listed(source) == ["a.md"]
        assert skipped(source) == {"hole.md": "special"}


@pytest.mark.parametrize("suffix", ["zip", "tar.gz"])
def test_an_archive_of_very_many_files_is_read_up_to_a_number(tmp_path: Path, suffix: str) -> None:
    from tests.sources.archives import tarred, zipped

    make = zipped if suffix == "zip" else tarred
    place = make(tmp_path / f"a.{suffix}", {f"{n:03}.md": "x" for n in range(200)})
    with open_source(place, limits=SourceLimits(max_members=50)) as source:
        assert len(listed(source)) == 50
        assert skipped(source) == {place.name: "oversize"}
    with open_source(place, limits=LIMITS) as source:
        assert len(listed(source)) == 200


def test_a_directory_of_a_million_names_is_refused(tmp_path: Path) -> None:
    """A zip's directory is read at once, and takes eleven times its size in memory."""
    record = bytearray(b"PK\1\2".ljust(50, b"\0"))
    record[28:30], record[46:] = (4).to_bytes(2, "little"), b"a.md"
    listed_bytes = bytes(record) * 1_000_000
    count, size = (len(listed_bytes) // 50) & 0xFFFF, len(listed_bytes)
    end = struct.pack("<4s4H2IH", b"PK\5\6", 0, 0, count, count, size, 0, 0)
    place = tmp_path / "names.zip"
    place.write_bytes(listed_bytes + end)
    said, peak = measure(place)
    assert "names.zip cannot be opened as a zip file: its directory is larger than" in said
    assert peak < MEMORY


def test_a_name_of_spaces_in_metadata_does_not_hang(tmp_path: Path) -> None:
    place = tmp_path / "x-1.tar"
    text = b"Name: a" + b" " * 200_000 + b"b\nVersion: 2 \r\n"
    with tarfile.open(place, "w") as archive:
        member = tarfile.TarInfo("x-1/PKG-INFO")
        member.size = len(text)
        archive.addfile(member, BytesIO(text))
    begun = process_time()
    with opened(place) as source:
        assert source.source.ref == "2"
    assert process_time() - begun < GROWS_S
