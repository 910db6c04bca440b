"""Names of commits that a search is given."""

from __future__ import annotations

import asyncio
import threading
from pathlib import Path

import pytest

from pincite.asking import revisions
from pincite.asking.revisions import find_commits
from pincite.model import Scope, Source, SourceRecord
from tests.sources.helpers import commit, git, plant


def of(place: Path, name: str = "acme", machine: str = "", ref: str = "") -> SourceRecord:
    source = Source(name, str(place), "git", ref=ref or None)
    return SourceRecord(source, machine=machine)


def found(scope: Scope, *records: SourceRecord) -> tuple[str, ...]:
    return asyncio.run(find_commits(scope, records)).commits


def test_only_checkouts_of_this_machine_and_of_the_scope_are_read(tmp_path: Path) -> None:
    top = plant(tmp_path, {"a.md": "x"})
    sha = commit(top)
    assert found(Scope(ref="HEAD"), of(top)) == (sha,)
    assert found(Scope(ref="HEAD", sources=("acme",)), of(top)) == (sha,)
    assert found(Scope(ref="HEAD", sources=("other",)), of(top)) == ()
    assert found(Scope(ref="HEAD"), of(top, machine="another")) == ()
    assert found(Scope(ref="HEAD"), of(tmp_path / "gone")) == ()
    assert found(Scope(ref="no-such-name"), of(top)) == ()


def test_the_beginning_of_an_indexed_commit_is_no_tag(tmp_path: Path) -> None:
    top = plant(tmp_path, {"a.md": "x"})
    first = commit(top)
    plant(top, {"a.md": "y"})
    second = commit(top)
    git(top, "tag", first[:7], second)
    assert found(Scope(ref=first[:7]), of(top, ref=first)) == ()
    assert found(Scope(ref=first[:7]), of(top, ref=second)) == (second,)


def test_a_disk_that_does_not_answer_costs_the_limit_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked, go = [], threading.Event()

    def hang(place: Path, _: str) -> None:
        asked.append(place)
        go.wait(30)

    monkeypatch.setattr(revisions, "commit_named", hang)
    monkeypatch.setattr(revisions, "_LIMIT_S", 0.05)
    for _ in range(3):
        assert found(Scope(ref="v1"), of(tmp_path)) == ()
    go.set()
    assert asked == [tmp_path]
