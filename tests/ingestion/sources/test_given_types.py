"""Files that are read as the type that a pattern gives them, and which files a change concerns."""

from __future__ import annotations

import tarfile
import zipfile
from pathlib import Path

import pytest

from pincite.model import SourceRecord
from pincite.sources.reopening import reopen_source
from tests.ingestion.desk import Desk
from tests.sources.helpers import git

HEADER = "int wombat_count(int zoo);\n"


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    desk = Desk(tmp_path)
    desk.write("docs/lamp.md", "# Lamp\n\nIt shines.\n")
    desk.write("docs/page.tmpl", "<h1>Plug</h1>\n<p>It sparks.</p>\n")
    desk.write("docs/conf.d/site", "# Not a heading\nlisten = 80\n")
    desk.write("docs/zoo.h", HEADER)
    return desk


def languages(desk: Desk) -> dict[str, str]:
    return {one.path: one.language for one in desk.chunks()}


def counts(desk: Desk, *paths: str, file_types: tuple[str, ...] = ()) -> tuple[int, int, int, int]:
    """How many documents are new, changed, removed and unchanged."""
    (report,) = desk.run(*paths, file_types=file_types)
    return report.new, report.changed, report.removed, report.unchanged


def test_a_change_indexes_what_it_concerns_and_nothing_else(desk: Desk) -> None:
    assert counts(desk, "docs") == (2, 0, 0, 0)
    assert counts(desk, "docs", file_types=("*.tmpl=html",)) == (1, 0, 0, 2)
    assert counts(desk, "docs", file_types=("conf.d/=text",)) == (1, 0, 0, 3)
    assert languages(desk)["page.tmpl"] == "html"
    assert counts(desk, "docs", file_types=("*.tmpl=markdown",)) == (0, 1, 0, 3)
    assert languages(desk) == {
        "lamp.md": "markdown", "page.tmpl": "markdown", "conf.d/site": "text", "zoo.h": "c"
    }  # fmt: skip
    assert counts(desk, "docs", file_types=("*.md=markdown",)) == (0, 0, 0, 4)
    assert counts(desk, "docs", file_types=("conf.d/=rst",)) == (0, 1, 0, 3)
    assert counts(desk, "docs", file_types=("*.h=cpp",)) == (0, 1, 0, 3)
    assert languages(desk)["zoo.h"] == "cpp"
    assert counts(desk, "docs", file_types=("*.h=",)) == (0, 1, 0, 3)
    assert counts(desk, "docs", file_types=("*.tmpl=",)) == (0, 0, 1, 3)


def test_they_are_kept_for_later_runs_until_they_are_removed(desk: Desk) -> None:
    types = ("*.tmpl=html", "conf.d/=text")
    desk.run("docs", file_types=types)
    for paths in ((), ("docs",)):
        assert counts(desk, *paths) == (0, 0, 0, 4)
        assert desk.sources()["docs"].file_types == types
    desk.run(rebuild=True)
    assert len(desk.records()) == 4
    assert counts(desk, "docs", file_types=("",)) == (0, 0, 2, 2)
    assert desk.sources()["docs"].file_types == ()


def test_a_table_of_the_configuration_is_read_with_each_run(desk: Desk) -> None:
    table = '[[source]]\npath = "docs"\nfile_types = { "*.tmpl" = "html", "site" = "ini" }\n'
    desk.write("pincite.toml", table)
    assert counts(desk) == (4, 0, 0, 0)
    assert languages(desk)["conf.d/site"] == "ini"
    assert counts(desk, "docs", file_types=("site=text",)) == (0, 1, 0, 3)
    assert counts(desk) == (0, 1, 0, 3), "the option was for one run"
    desk.write("pincite.toml", '[[source]]\npath = "docs"\n')
    assert counts(desk) == (0, 0, 2, 2)


def test_parts_of_a_checkout_share_them(desk: Desk, tmp_path: Path) -> None:
    desk.write("docs/mail/a.tmpl", "<p>Letter</p>\n")
    git(tmp_path / "docs", "init", "--quiet")
    desk.run("docs/conf.d", file_types=("*.tmpl=html", "conf.d/=text"))
    desk.run("docs/mail")
    assert sorted(languages(desk)) == ["conf.d/site", "mail/a.tmpl"]
    desk.write(
        "pincite.toml",
        '[[source]]\npath = "docs/conf.d"\nfile_types = { "site" = "ini" }\n'
        '[[source]]\npath = "docs/mail"\nfile_types = { "*.tmpl" = "html" }\n',
    )
    for _ in range(2):
        desk.run()
        assert languages(desk) == {"conf.d/site": "ini", "mail/a.tmpl": "html"}
        assert desk.sources()["docs"].file_types == ("site=ini", "*.tmpl=html")


def test_a_change_over_a_part_names_the_command_for_the_other_files(
    desk: Desk, tmp_path: Path
) -> None:
    desk.write("docs/mail/a.tmpl", "<p>Letter</p>\n")
    git(tmp_path / "docs", "init", "--quiet")
    desk.run("docs", file_types=("*.tmpl=html",))
    desk.run("docs/mail", file_types=("*.tmpl=html",))
    assert desk.said("part_only") == []
    desk.run("docs/mail", file_types=("*.tmpl=",))
    (said,) = desk.said("part_only")
    assert said == (
        "the file types of docs have changed, and its other files are as before until they are"
        f" indexed: pincite index {tmp_path / 'docs'}"
    )
    assert languages(desk)["page.tmpl"] == "html"


def test_no_type_lets_in_what_is_binary_huge_or_generated(desk: Desk, tmp_path: Path) -> None:
    (tmp_path / "docs/raw.tmpl").write_bytes(b"\x00\x01\x02" * 50)
    (tmp_path / "docs/huge.tmpl").write_bytes(b"word " * 1_000_001)
    (tmp_path / "docs/.hidden.tmpl").write_text("word\n")
    (tmp_path / "docs/poetry.lock").write_text("word\n")
    (tmp_path / "docs/paper.pdf").write_text("this is no PDF\n")
    types = ("*.tmpl=text", "*.lock=toml", "*.p*=text", "*aper.*=text")
    (report,) = desk.run("docs", file_types=types)
    assert sorted(desk.records()) == ["lamp.md", "page.tmpl", "zoo.h"]
    left_out = {path.split(" (")[0] for path in report.skipped_paths}
    assert left_out >= {
        "binary: raw.tmpl",
        "oversize: huge.tmpl",
        "hidden: .hidden.tmpl",
        "generated: poetry.lock",
    }
    assert any("paper.pdf" in one and not one.startswith("unsupported") for one in left_out)


def test_a_type_for_the_suffix_of_a_binary_format_lets_the_content_decide(
    desk: Desk, tmp_path: Path
) -> None:
    desk.write("docs/points.dat", "lamp 4711\n")
    desk.write("docs/conf.d/notes.DAT", "plug 12\n")
    desk.write("docs/conf.d/server.key", "secret\n")
    (tmp_path / "docs/image.dat").write_bytes(b"GIF\x00\x01\x02" * 50)
    before = len(desk.run("docs")[0].skipped_paths)
    (report,) = desk.run("docs", file_types=("*.da[t]=text", "conf.d/notes.DAT=ini"))
    assert (report.new, report.removed) == (2, 0)
    found = languages(desk)
    assert (found["points.dat"], found["conf.d/notes.DAT"]) == ("text", "ini")
    left_out = set(report.skipped_paths)
    assert len(left_out) == before - 2
    assert "binary: image.dat (contains NUL bytes)" in left_out
    assert "binary: conf.d/server.key (.key)" in left_out
    (report,) = desk.run("docs", file_types=("conf.d/=text", "*.d*=text", "*.k*=text", "serv*=ini"))
    assert "binary: conf.d/server.key (.key)" in report.skipped_paths, "no pattern names .key"
    assert counts(desk, "docs", file_types=("*.da[t]=",))[2] == 1
    assert "points.dat" not in languages(desk)


def test_such_types_hold_in_archives(desk: Desk, tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "pages.zip", "w") as packed:
        packed.writestr("top/a/points.dat", "lamp 4711\n")
        packed.writestr("top/b/points.dat", "plug 4711\n")
        packed.writestr("top/a/image.dat", "GIF\0\1\2")
    with tarfile.open(tmp_path / "others.tar", "w") as packed_tar:
        for name in ("c", "d"):
            desk.write(f"{name}.dat", "lamp 4711\n")
            packed_tar.add(tmp_path / f"{name}.dat", f"top/{name}/points.dat")
    desk.run("pages.zip", file_types=("a/*.dat=text",))
    assert languages(desk) == {"a/points.dat": "text"}
    desk.run("others.tar", file_types=("c/*.dat=ini",))
    assert languages(desk) == {"a/points.dat": "text", "c/points.dat": "ini"}


def test_they_hold_in_archives(desk: Desk, tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "pages.zip", "w") as packed:
        packed.writestr("top/a/page.tmpl", "<p>It sparks.</p>\n")
        packed.writestr("top/site", "listen = 80\n")
    desk.run("pages.zip", file_types=("a/*.tmpl=html",))
    assert languages(desk) == {"a/page.tmpl": "html"}
    desk.run("pages.zip")
    assert languages(desk) == {"a/page.tmpl": "html"}


def test_a_reopened_source_has_them(desk: Desk, tmp_path: Path) -> None:
    desk.run("docs", file_types=("*.tmpl=html",))
    with reopen_source(SourceRecord(desk.sources()["docs"])) as opened:
        assert opened.source.file_types == ("*.tmpl=html",)


def test_a_type_decides_where_content_would(desk: Desk) -> None:
    line = '{"role": "user", "content": "How do I feed it?"}\n'
    desk.write("chat/log.jsonl", line * 3)
    assert counts(desk, "chat") == (1, 0, 0, 0)
    assert languages(desk) == {"log.jsonl": "transcript"}
    assert counts(desk, "chat", file_types=("*.jsonl=text",)) == (0, 1, 0, 0)
    assert languages(desk) == {"log.jsonl": "text"}
