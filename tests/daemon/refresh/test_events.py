"""Which file events call for a look, and at which paths."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from pincite.daemon.refresh.events import matters, parts_of
from pincite.daemon.refresh.glance import Limits, glance, glance_at
from pincite.model import Source, SourceRecord
from pincite.support.fields import replace
from tests.daemon.refresh.two_pages import docs as docs
from tests.daemon.refresh.two_pages import indexed, record_of
from tests.sources.helpers import commit, git, plant


@pytest.mark.parametrize(
    ("path", "calls"),
    [
        ("app.log", False),
        (".swap.swp", False),
        ("image.png", False),
        ("node_modules/a/index.js", False),
        ("env/lib/a.md", False),
        ("env/pyvenv.cfg", True),
        (".gitignore", True),
        ("a.md", True),
        ("inner/removed.md", True),
        ("../elsewhere.md", False),
    ],
)
def test_events_of_what_is_left_out_call_for_no_look(docs: Path, path: str, calls: bool) -> None:
    (docs / ".gitignore").write_text("*.log\n")
    for name in (
        *("app.log", ".swap.swp", "image.png"),
        *("node_modules/a/index.js", "env/lib/a.md", "env/pyvenv.cfg"),
    ):
        (docs / name).parent.mkdir(parents=True, exist_ok=True)
        (docs / name).write_text("x")
    assert matters([os.path.normpath(docs / path)], [record_of(docs)]) is calls


def test_a_log_that_is_written_calls_for_a_look_only_where_pages_show_files(docs: Path) -> None:
    record = record_of(docs)
    log = [str(docs / "app.md.log")]
    assert matters(log, [record])  # it may have been a folder
    (docs / "app.md.log").write_text("line\n")
    assert not matters(log, [record])
    assert matters(log, [record], [record])
    (docs / "app.md.log").write_text("")
    assert not matters(log, [record])
    os.truncate(docs / "app.md.log", 100_000_000)
    assert not matters(log, [record])
    typed = replace(record, source=replace(record.source, file_types=("*.log=markdown",)))
    assert matters(log, [typed])


def test_events_beside_a_long_ignore_file_are_not_sifted(docs: Path) -> None:
    (docs / ".gitignore").write_text("*.log\n" + "x*y\n" * 6_000)
    (docs / "app.log").write_text("x")
    logs = ([str(docs / "app.log")], [record_of(docs)])
    assert matters(*logs, limits=Limits.of_daemon(60.0))
    assert not matters(*logs)


def test_sifting_ends_when_its_time_is_over(docs: Path) -> None:
    (docs / ".gitignore").write_text("*.log\n")
    (docs / "app.log").write_text("x")
    logs = ([str(docs / "app.log")], [record_of(docs)])
    assert matters(*logs, limits=Limits(until_s=0.0))
    assert not matters(*logs, limits=Limits.of_daemon(60.0))


@pytest.mark.parametrize("linked", [False, True])
def test_the_ignore_file_of_git_is_watched_and_asks_for_a_look_at_everything(
    docs: Path, linked: bool
) -> None:
    sha = commit(docs)
    top = docs.parent / "linked" if linked else docs
    if linked:
        git(docs, "worktree", "add", "-q", "-b", "b", str(top))
    record = SourceRecord(Source("docs", str(top), "git", sha), complete=True)
    info, private = docs / ".git/info", docs / (".git/worktrees/linked" if linked else ".git")
    assert str(info) in glance(record, indexed(top)).folders
    for path in (info, info / "exclude"):
        assert matters([str(path)], [record])
        assert parts_of([str(path)], record) is None
    assert parts_of([str(private / "HEAD")], record) is None
    assert not matters([str(info / "refs"), str(private / "index")], [record])
    before = glance(record, indexed(top)).named
    (info / "exclude").write_text("inner/\n")
    assert glance(record, indexed(top)).named == {**before, "inner/b.md": "gone"}


def test_the_ignore_file_of_a_submodule_is_watched_and_asks_for_a_look_at_everything(
    docs: Path,
) -> None:
    lib = plant(docs.parent / "lib", {"c.md": "x"})
    commit(lib)
    commit(docs)
    git(docs, "-c", "protocol.file.allow=always", "submodule", "add", "-q", str(lib), "sub")
    record = SourceRecord(Source("docs", str(docs), "git", commit(docs)), complete=True)
    info = docs / ".git/modules/sub/info"
    records = indexed(docs)
    before = glance(record, records)
    assert str(info) in before.folders
    assert str(info) in glance_at(record, records, ["sub"]).folders
    for path in (info, info / "exclude"):
        assert matters([str(path)], [record])
        assert parts_of([str(path)], record) is None
    assert not matters([str(info / "refs"), str(info.parent / "index")], [record])
    assert before.named == {}
    (info / "exclude").write_text("c.md\n")
    assert glance(record, records).named == {"sub/c.md": "gone"}


@pytest.mark.parametrize("name", [".gitignore", "pincite.toml", "x/pyvenv.cfg", ".git/HEAD", ""])
def test_what_may_change_more_than_itself_asks_for_a_look_at_everything(
    docs: Path, name: str
) -> None:
    assert parts_of([str(docs / "a.md"), str(docs / name)], record_of(docs)) is None
    assert parts_of([str(docs.parent)], record_of(docs)) is None


def test_paths_of_others_are_none_of_its_own(docs: Path) -> None:
    record = replace(record_of(docs), within=("inner/",))
    assert parts_of([f"{docs}2/a.md", str(docs / "a.md")], record) == ()
    assert parts_of([str(docs / "inner/b.md")], record) == ("inner/b.md",)
    assert parts_of([str(docs / "inner")], record) == ("inner",)


def test_paths_of_events_on_windows_are_those_of_their_source() -> None:
    record = SourceRecord(Source("docs", r"C:\Users\me\docs", "folder"), complete=True)
    assert parts_of([r"C:\Users\me\docs\sub\a.md"], record) == ("sub/a.md",)
    assert parts_of([r"C:\Users\me\docs\sub\.gitignore"], record) is None
    assert parts_of([r"C:\Users\me\docs2\a.md"], record) == ()
    assert parts_of([r"C:\Users\me"], record) is None
