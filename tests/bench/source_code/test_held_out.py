"""Questions about repositories that no setting was chosen with."""

from __future__ import annotations

import asyncio
import re
import subprocess
from collections import Counter
from pathlib import Path

import msgspec
import pytest
from bench.frame import Options, SkippedError
from bench.source_code.held_out import Answered, Group, HeldOutFigures, grouped, measure, run
from bench.source_code.held_out_questions import Asked, HeldOut, fault_of, read_questions
from bench.source_code.held_out_table import held_out

from pincite.support.fields import replace

WICK = Asked("trim the wick", "code", ("src/wick.py",))
GUIDE = Asked("how is a lamp filled with oil", "page", ("docs/guide.md",))
FILES = {
    "src/wick.py": 'def trim_wick(lamp):\n    """Trim the wick."""\n    lamp.wick -= 1\n',
    "src/other.py": "def burn(lamp):\n    lamp.burning = True\n",
    "docs/guide.md": "# Filling\n\nA lamp is filled with oil through the hole in its top.\n",
}


def git(place: Path, *arguments: str) -> str:
    who = ("-c", "user.name=A", "-c", "user.email=a@example.org")
    command = ("git", "-C", str(place), *who, *arguments)
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


@pytest.fixture
def lamps(tmp_path: Path) -> HeldOut:
    """A repository whose checkout is in `tmp_path`."""
    place = tmp_path / "maker+lamps"
    for path, text in FILES.items():
        (place / path).parent.mkdir(parents=True, exist_ok=True)
        (place / path).write_text(text, encoding="utf-8")
    git(place, "init", "-q")
    git(place, "add", ".")
    git(place, "commit", "-q", "-m", "Lamps")
    commit = git(place, "rev-parse", "HEAD")
    return HeldOut("maker/lamps", commit, "Python", "whole trees", (), (WICK, GUIDE))


def options_of(trees: Path | None, tmp_path: Path) -> Options:
    return Options(tmp_path, tmp_path, tmp_path, tmp_path / "models", trees=trees)


def test_every_question_is_asked_once_and_has_files_of_its_folders() -> None:
    repositories = read_questions()
    assert len({one.name for one in repositories}) == len(repositories) == 29
    asked = [each.question for one in repositories for each in one.questions]
    assert len(set(asked)) == len(asked) == 442
    assert Counter(one.set for one in repositories for _ in one.questions) == {
        "folders": 135,
        "later folders": 39,
        "latest folders": 108,
        "whole trees": 160,
    }
    for one in repositories:
        assert re.fullmatch(r"[0-9a-f]{40}", one.commit)
        assert re.fullmatch(r"[\w.-]+/[\w.-]+", one.name)
        for each in one.questions:
            assert each.question
            assert each.relevant
            assert len(set(each.relevant)) == len(each.relevant)
            for path in each.relevant:
                assert not one.folders or path.startswith(tuple(f"{f}/" for f in one.folders))
    kinds = {each.kind for one in repositories for each in one.questions}
    assert kinds == {"symbol", "semantic", "architecture", "code", "page", "other"}


def test_a_checkout_that_is_right_has_no_fault(lamps: HeldOut, tmp_path: Path) -> None:
    assert fault_of(lamps, tmp_path) == ""


def test_a_missing_checkout_says_how_to_get_it(lamps: HeldOut, tmp_path: Path) -> None:
    place = tmp_path / "none" / "maker+lamps"
    assert fault_of(lamps, tmp_path / "none") == (
        f"no checkout: git clone https://github.com/maker/lamps {place}"
        f" && git -C {place} checkout {lamps.commit}"
    )


def test_another_commit_and_missing_files_are_named(lamps: HeldOut, tmp_path: Path) -> None:
    place = tmp_path / "maker+lamps"
    (place / "docs/guide.md").unlink()
    assert fault_of(lamps, tmp_path).startswith("the checkout has no docs/guide.md: git -C")
    git(place, "commit", "-q", "-a", "-m", "No guide")
    assert f"checkout {lamps.commit}" in fault_of(lamps, tmp_path)
    assert git(place, "rev-parse", "HEAD") in fault_of(lamps, tmp_path)


def test_a_folder_within_another_checkout_is_none(lamps: HeldOut, tmp_path: Path) -> None:
    inner = tmp_path / "maker+lamps" / "maker+lamps"
    inner.mkdir()
    assert fault_of(lamps, inner.parent).startswith("no checkout: git clone")


def test_without_checkouts_nothing_is_measured_and_all_are_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SkippedError, match="set --trees"):
        asyncio.run(run(options_of(None, tmp_path)))
    with pytest.raises(SkippedError, match="has none of the checkouts"):
        asyncio.run(run(options_of(tmp_path, tmp_path)))
    printed = capsys.readouterr().out
    assert all(f"github.com/{one.name} " in printed for one in read_questions())


@pytest.mark.parametrize("folders", [(), ("src", "docs"), ("docs",)])
def test_a_repository_is_asked_and_a_missing_one_is_left_out(
    lamps: HeldOut, tmp_path: Path, folders: tuple[str, ...]
) -> None:
    one = replace(lamps, folders=folders)
    missing = replace(lamps, name="maker/none")
    figures = asyncio.run(measure([missing, one], options_of(tmp_path, tmp_path)))
    assert figures.left_out == ("maker/none",)
    code = float(folders != ("docs",))
    assert figures.groups == {
        "whole trees": Group(2, {"lexical": (code + 1) / 2}),
        "whole trees, code": Group(1, {"lexical": code, "lexical, kind code": code}),
        "whole trees, page": Group(1, {"lexical": 1.0}),
    }
    assert figures.repositories == {"maker/lamps": figures.groups["whole trees"]}


def test_a_system_is_shown_where_it_was_asked_everything() -> None:
    answered = [
        Answered("lexical", "maker/lamps", ("a", "b"), 1.0),
        Answered("lexical", "maker/lamps", ("a",), 0.5),
        Answered("semble", "maker/lamps", ("a", "b"), 0.25),
    ]
    groups = grouped(answered, lambda each: each.labels)
    assert groups == {
        "a": Group(2, {"lexical": 0.75}),
        "b": Group(1, {"lexical": 1.0, "semble": 0.25}),
    }
    page = held_out(msgspec.to_builtins(HeldOutFigures("1.0", ("maker/none",), groups, groups)))
    cells = [[cell.strip() for cell in row.split("|")] for row in page.splitlines()]
    assert ["", "a", "2", "0.750", "", ""] in cells
    assert ["", "b", "1", "1.000", "0.250", ""] in cells
    assert "Left out: maker/none." in page
