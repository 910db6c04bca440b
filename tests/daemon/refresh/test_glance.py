"""A look at a source by size and time."""

from __future__ import annotations

import os
import time
from datetime import UTC, datetime
from pathlib import Path

import pytest

from pincite.daemon.refresh.glance import CHANGES, Glance, Limits, glance, glance_at
from pincite.model import DocumentRecord, Source, SourceRecord
from pincite.sources import Skipped
from pincite.sources.reopening import reopen_source
from pincite.support.fields import replace
from tests.daemon.refresh.two_pages import docs as docs
from tests.daemon.refresh.two_pages import indexed, record_of
from tests.disks import unreadable
from tests.quick_folder import quick_folder
from tests.sources.helpers import commit


def look(docs: Path, records: list[DocumentRecord], limits: Limits = Limits()) -> Glance:
    return glance(record_of(docs), records, limits)


def test_nothing_differs_where_size_and_time_are_the_same(docs: Path) -> None:
    found = look(docs, indexed(docs))
    assert (found.state, found.named) == ("same", {})
    assert found.folders == [str(docs), str(docs / "inner")]


def test_what_is_new_changed_or_gone_is_named(docs: Path) -> None:
    records = indexed(docs)
    (docs / "a.md").write_text("# longer than before\n")
    (docs / "inner/b.md").unlink()
    (docs / "c.md").write_text("# c\n")
    found = look(docs, records)
    assert found.state == "changed"
    assert found.named == {"a.md": "changed", "inner/b.md": "gone", "c.md": "new"}
    assert glance(record_of(docs), records, Limits(), found.differing).state == "same"


def test_a_new_file_with_a_given_type_counts_as_new(docs: Path) -> None:
    (docs / "page.tmpl").write_text("<p>page</p>\n")
    (docs / "page.other").write_text("page\n")
    record = record_of(docs)
    record = replace(record, source=replace(record.source, file_types=("*.tmpl=html",)))
    named = glance(record, indexed(docs)).named
    assert named == {"page.tmpl": "new", "page.other": "left out"}


def test_a_file_that_was_warm_is_compared_by_its_content(docs: Path) -> None:
    warm = [replace(one, mtime_ns=0) for one in indexed(docs)]
    assert look(docs, warm).state == "same"
    (docs / "a.md").write_text("# z.md\n")  # as long as before
    assert look(docs, warm).named == {"a.md": "changed"}


def test_warm_files_beyond_those_that_are_read_are_not_called_changed(
    docs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    warm = [replace(one, mtime_ns=0) for one in indexed(docs)]
    monkeypatch.setattr("pincite.daemon.refresh.glance._READ_AT_MOST", 1)
    found = look(docs, warm)
    assert found.state == "changed"  # whoever indexes reads them
    assert set(found.named.values()) == {"not read"}
    assert not set(found.named.values()) & set(CHANGES)


@pytest.fixture
def swapped(docs: Path) -> tuple[SourceRecord, list[DocumentRecord]]:
    """A source of which each file changed since it was indexed, and kept its size and time. The
    last of them, `a.md`, has another content."""
    records = indexed(docs)
    at_ns = time.time_ns() - 60 * 10**9
    (docs / "inner/b.md").chmod(0o640)
    before, changed_ns = (docs / "a.md").stat(), (docs / "inner/b.md").stat().st_ctime_ns
    while (docs / "a.md").stat().st_ctime_ns <= changed_ns:
        (docs / "a.md").write_text("# z.md\n")
        os.utime(docs / "a.md", ns=(before.st_mtime_ns, before.st_mtime_ns))
    return replace(record_of(docs), compared_in={"": at_ns}), records


def test_the_last_files_that_changed_but_kept_size_and_time_are_compared_by_their_content(
    swapped: tuple[SourceRecord, list[DocumentRecord]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """`tar x` of an archive that was packed from `.` also sets the time of the root."""
    assert glance(*swapped).named == {"a.md": "changed"}
    monkeypatch.setattr("pincite.daemon.refresh.glance._READ_AT_MOST", 1)
    assert glance(*swapped).named == {"a.md": "changed"}
    later = replace(swapped[0], compared_in={"": time.time_ns() + 10**12})
    assert glance(later, swapped[1]).state == "same"


def test_each_part_is_compared_since_its_own_last_run(
    docs: Path, swapped: tuple[SourceRecord, list[DocumentRecord]]
) -> None:
    record, records = swapped
    early, late = record.compared_in[""], time.time_ns() + 10**12
    source = Source("docs", str(docs), "git", commit(docs))
    parts = replace(record, source=source, within=("a.md", "inner/"))
    found = glance(replace(parts, compared_in={"a.md": early, "inner/": late}), records)
    assert found.named == {"a.md": "changed"}
    found = glance(replace(parts, compared_in={"a.md": late, "inner/": early}), records)
    assert found.state == "same"


def test_files_that_kept_size_and_time_beyond_those_that_are_read_call_for_no_run(
    swapped: tuple[SourceRecord, list[DocumentRecord]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A run over them would change nothing in the index, and the next look would find the same."""
    monkeypatch.setattr("pincite.daemon.refresh.glance._READ_AT_MOST", 0)
    assert glance(*swapped).state == "same"


def test_a_folder_that_is_gone_says_so(docs: Path) -> None:
    records = indexed(docs)
    docs.rename(docs.parent / "away")
    found = look(docs, records)
    assert found.state == "gone"
    assert "does not exist" in found.detail


def test_a_look_ends_when_its_time_is_over_or_an_ignore_file_is_long(docs: Path) -> None:
    assert look(docs, indexed(docs), Limits(until_s=0.0)).state == "unknown"
    (docs / "inner/.gitignore").write_text("x*y\n" * 6_000)
    assert look(docs, indexed(docs), Limits.of_daemon(60.0)).state == "unknown"
    assert look(docs, indexed(docs)).state == "same"


@pytest.mark.parametrize("inner", [False, True])
def test_a_look_ends_within_a_folder_of_slow_names(docs: Path, inner: bool) -> None:
    """A look of 0.08 s took 5.5 s."""
    (docs / ".gitignore").write_text("".join(f"*{'[a-z]' * 118}{n:03}b*c\n" for n in range(32)))
    for number in range(400):
        (docs / "inner" / f"{'a' * 240}{number:04}.md").touch()
    limits = Limits.of_daemon(0.2)
    at = (record_of(docs), indexed(docs))
    found = glance_at(*at, ["inner"], limits) if inner else glance(*at, limits)
    assert found.state == "unknown"


def test_a_log_that_stays_left_out_is_no_change_where_no_page_shows_files(docs: Path) -> None:
    (docs / "app.md.log").write_text("line\n")
    records = indexed(docs)
    assert look(docs, records).named == {"app.md.log": "left out"}
    record = listing(docs, "unknown: app.md.log")
    assert glance(record, records).state == "same"
    showing = [replace(one, includes="app.md.log") for one in records]
    assert glance(record, showing).named == {"app.md.log": "left out"}


def test_odd_files_neither_hang_a_look_nor_count(docs: Path) -> None:
    records = indexed(docs)
    os.mkfifo(docs / "pipe.md")
    (docs / "loop.md").symlink_to(docs / "loop.md")
    (docs / "out.md").symlink_to("/etc/passwd")
    (docs / "bytes\udcff.md").write_text("x")
    (docs / ".hidden.md").write_text("x")
    (docs / "node_modules").mkdir()
    (docs / "node_modules/a.md").write_text("x")
    assert look(docs, records).state == "same"
    (docs / "line\nbreak \x1b[31m.md").write_text("x")
    assert list(look(docs, records).named) == ["line\nbreak \x1b[31m.md"]


def test_files_in_a_folder_that_cannot_be_read_are_not_gone() -> None:
    with quick_folder() as place:
        place.chmod(0o755)
        for name in ("a.md", "inner/b.md", "inner/c.md"):
            (place / name).parent.mkdir(exist_ok=True)
            (place / name).write_text(f"# {name}\n")
        records = indexed(place)
        (place / "a.md").unlink()
        with unreadable(place / "inner"):
            found = look(place, records)
        assert found.named == {"a.md": "gone", "inner/": "not read"}
        assert look(place, records).named == {"a.md": "gone"}


def test_files_that_no_reader_reads_are_not_counted_as_new(docs: Path) -> None:
    for name in ("data.unknown", "tool", "c.md"):
        (docs / name).write_text("text\n")
    started = replace(record_of(docs), complete=False)
    named = glance(started, indexed(docs)[:-1]).named
    assert named == {"data.unknown": "left out", "tool": "new", "inner/b.md": "new"}


def test_what_a_finished_run_left_out_is_not_called_new_if_more_was_than_is_listed(
    docs: Path,
) -> None:
    for name in ("inner/made.js", "made.js", "away/moved.js"):
        (docs / name).parent.mkdir(exist_ok=True)
        (docs / name).write_text("x=1;" * 10)
    (docs / "away").rename(docs.parent / "away")
    end_s = int(time.time()) + 1
    at = datetime.fromtimestamp(end_s, UTC).isoformat()
    listed = ("minified: a.js",)
    record = replace(record_of(docs), indexed_at=at, skipped={"minified": 3}, skipped_paths=listed)
    records = indexed(docs)
    assert set(glance(record, records).named.values()) == {"left out"}
    all_listed = replace(record, skipped={"minified": 1})
    assert set(glance(all_listed, records).named.values()) == {"new"}
    unfinished = replace(record, complete=False)
    assert set(glance(unfinished, records).named.values()) == {"new"}
    time.sleep(max(0.0, end_s - time.time()) + 0.05)
    (docs / "inner/later.js").write_text("y=1;")
    (docs.parent / "away").rename(docs / "inner/away")
    assert glance(record, records).named == {
        "made.js": "left out",
        "inner/made.js": "new",  # in a folder that has changed, nobody can tell
        "inner/later.js": "new",
        "inner/away/moved.js": "new",
    }
    assert glance_at(record, [], ["made.js"]).named == {"made.js": "left out"}


def listing(docs: Path, *skipped: str) -> SourceRecord:
    return replace(record_of(docs), skipped_paths=skipped)


def test_a_file_that_cannot_be_read_differs_again_when_it_can() -> None:
    with quick_folder() as place:
        place.chmod(0o755)
        docs = place / "docs"
        docs.mkdir(mode=0o755)
        (docs / "a.md").write_text("# a\n")
        records = indexed(docs)
        (docs / "a.md").write_text("# longer than before\n")
        (docs / "new.md").write_text("# new\n")
        with unreadable(docs / "a.md", docs / "new.md"):
            during = look(docs, records)
            assert during.named == {"a.md": "not read", "new.md": "not read"}
            again = glance(record_of(docs), records, Limits(), during.differing)
            assert again.named == {"a.md": "not read"}  # what is indexed is never settled
        later = glance(record_of(docs), records, Limits(), during.differing)
        assert later.named == {"a.md": "changed", "new.md": "new"}
        assert not during.differing & later.differing


def test_what_is_listed_as_unreadable_and_can_be_read_is_a_difference(docs: Path) -> None:
    records = indexed(docs)
    inner = listing(docs, "unreadable: inner/ (Permission denied)")
    found = glance(inner, records)
    assert (found.state, found.named) == ("changed", {"inner/": "left out"})
    assert glance_at(inner, records[1:], ["inner/b.md"]).state == "unknown"
    assert glance_at(inner, records[:1], ["a.md"]).state == "same"
    found = glance(listing(docs, "unreadable: a.md (Permission denied)"), records)
    assert (found.state, found.named) == ("changed", {"a.md": "left out"})
    both = listing(docs, "unreadable: a.md (x)", "unreadable: inner/ (x)")
    differing = glance(both, records).differing
    assert {path for path, *_ in differing} == {"a.md", "inner/"}
    assert glance(both, records, Limits(), differing).state == "same"
    others = listing(docs, "unreadable: gone/ (Permission denied)", "unreadable: x (1) (Damaged)")
    assert glance(others, records).state == "same"


def test_a_name_that_is_not_text_is_never_taken_for_the_file_that_has_the_shown_one(
    docs: Path,
) -> None:
    try:
        (docs / os.fsdecode(b"a\xff.md")).write_text("x")
        (docs / os.fsdecode(b"d\xff")).mkdir()
    except OSError:
        pytest.skip("this file system refuses such names")
    for name in ("a\ufffd.md", "d\ufffd/b.md"):
        (docs / name).parent.mkdir(exist_ok=True)
        (docs / name).write_text(f"# {name}\n")
    records = [one for one in indexed(docs) if one.path.isprintable()]
    with reopen_source(record_of(docs)) as opened:
        skipped = [one for one in opened.entries() if isinstance(one, Skipped)]
    assert [one.path for one in skipped] == ["a\ufffd.md", "d\ufffd/"]
    record = listing(docs, *(f"{one.code}: {one.path} ({one.detail})" for one in skipped))
    assert glance(record, records).state == "same"
    inner = [one for one in records if one.path == "d\ufffd/b.md"]
    assert glance_at(record, inner, ["d\ufffd/b.md"]).state == "same"
    (docs / "d\ufffd/b.md").unlink()
    assert glance(record, records).named == {"d\ufffd/b.md": "gone"}


def test_what_is_listed_as_unreadable_and_still_is_is_none() -> None:
    with quick_folder() as place:
        place.chmod(0o755)
        (place / "docs/inner").mkdir(parents=True, mode=0o755)
        (place / "docs").chmod(0o755)
        (place / "docs/a.md").write_text("# a\n")
        records = indexed(place / "docs")
        lines = [f"unreadable: {one} (Permission denied)" for one in ("a.md", "inner/")]
        with unreadable(place / "docs/a.md", place / "docs/inner"):
            assert glance(listing(place / "docs", *lines), records).state == "same"
