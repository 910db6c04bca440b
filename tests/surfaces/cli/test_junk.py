"""What nobody should feed to an index, and somebody will."""

from __future__ import annotations

import os
import sqlite3

import pytest

from pincite import Pincite, load_settings
from tests.surfaces.conftest import Cli

GOOD = "# Good\n\nA walrus lives here.\n"


def left_out(cli: Cli) -> dict[str, str]:
    """Path to reason code of every file that the last run named."""
    (main,) = cli.json("status")["collections"]
    named = main["sources"][0]["skipped_paths"]
    return {entry.split(": ")[1].split(" (")[0]: entry.split(": ")[0] for entry in named}


def test_a_folder_full_of_junk_is_indexed_around_it_and_all_of_it_is_named(cli: Cli) -> None:
    cli.write("a/good.md", GOOD)
    cli.write("a/empty.md", "")
    cli.write("a/blank.md", " \n\t\n")
    cli.write("a/empty.pdf", "")
    cli.write("a/noise.txt", bytes(range(256)) * 64)
    cli.write("a/bundle.min.js", "var a=1;" * 2_000)
    cli.write("a/package-lock.json", "{}")
    cli.write("a/photo.png", b"\x89PNG\r\n\x1a\n")
    cli.write("a/what.xyzzy", "unknown")
    cli.write("a/letter.odt", b"PK\x03\x04\x14\0\0\x08\0\0 mimetype")
    cli.write("a/letter.DOC", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(500))
    with (cli.folder / "a/huge.log").open("wb") as log:
        log.truncate(200_000_000)
    (cli.folder / "a/self").symlink_to(cli.folder / "a")
    (cli.folder / "outside.md").write_text("secret walrus")
    (cli.folder / "a/link.md").symlink_to(cli.folder / "outside.md")
    os.mkfifo(cli.folder / "a/pipe.txt")
    (report,) = cli.json("index", "a", "--lexical")
    assert report["new"] == 1
    codes = left_out(cli)
    assert codes["empty.md"] == "empty"
    assert codes["blank.md"] == "empty"
    assert codes["empty.pdf"] == "unreadable"
    assert codes["noise.txt"] == "binary"
    assert codes["bundle.min.js"] == "minified"
    assert codes["package-lock.json"] == "generated"
    assert codes["photo.png"] == "binary"
    assert codes["what.xyzzy"] == "unsupported"
    assert codes["letter.odt"] == codes["letter.DOC"] == "unsupported"
    assert codes["huge.log"] == "oversize"
    assert codes["pipe.txt"] == "special"
    assert codes["link.md"] == "outside"
    assert codes["self"].rstrip("/") in ("loop", "link")
    found = cli.json("search", "walrus")["evidence"]
    assert [item["path"] for item in found] == ["good.md"]


def test_an_empty_folder_is_indexed_as_nothing(cli: Cli) -> None:
    (cli.folder / "nothing").mkdir()
    assert "no documents" in cli("index", "nothing", "--lexical").stderr
    cli("search", "anything", code=3)


def test_text_that_is_not_utf8_is_indexed_and_cited_exactly(cli: Cli) -> None:
    raw = "Das Walroß frißt Käse.\nZweite Zeile.\n".encode("latin-1")
    cli.write("alt.txt", raw)
    cli("index", "alt.txt", "--lexical", "--language", "german")
    cli.write("pack.json", cli("search", "Käse Walroß", "--json").stdout)
    (checked,) = cli.json("verify", "pack.json")
    assert checked["status"] == "fresh"


def test_a_path_that_does_not_exist_is_named(cli: Cli) -> None:
    done = cli("index", "nowhere", code=1)
    assert "nowhere does not exist" in done.stderr
    assert "try:" in done.stderr


def test_an_index_of_a_newer_version_is_left_alone(cli: Cli) -> None:
    cli.write("good.md", GOOD)
    cli("index", ".", "--lexical")
    cli("stop")
    catalog = cli.folder / ".pincite" / "catalog.db"
    with sqlite3.connect(catalog) as database:
        database.execute("PRAGMA user_version = 99")
    database.close()
    done = cli("search", "walrus", code=1)
    assert "newer version" in done.stderr
    assert "pip install --upgrade pincite" in done.stderr


def test_a_source_that_is_gone_is_named_with_a_way_on(cli: Cli) -> None:
    cli.write("a/good.md", GOOD)
    cli("index", "a", "--lexical")
    (cli.folder / "a/good.md").unlink()
    (cli.folder / "a").rmdir()
    done = cli("index", code=1)
    assert "pincite collections forget a" in done.stderr
    cli("collections", "forget", "a")
    cli("search", "walrus", code=3)


def test_two_sources_of_one_name_are_not_mixed(cli: Cli) -> None:
    cli.write("x/docs/a.md", GOOD)
    cli.write("y/docs/b.md", GOOD)
    cli("index", "x/docs", "--lexical")
    done = cli("index", "y/docs", code=1)
    assert "--name" in done.stderr
    cli("index", "y/docs", "--name", "other")
    assert len(cli.json("search", "walrus", "--all")["evidence"]) >= 1


def test_a_damaged_collection_is_rebuilt_by_one_command(cli: Cli) -> None:
    cli.write("a/good.md", GOOD)
    cli("index", "a", "--lexical")
    cli("stop")
    for file in (cli.folder / ".pincite/collections/main").rglob("*"):
        if file.is_file() and "state" not in file.name:
            file.write_bytes(b"\xff" * 64)
    done = cli("search", "walrus", code=1)
    assert "pincite collections rebuild main" in done.stderr
    assert "damaged" in cli("status").stdout
    cli("collections", "rebuild", "main", "--lexical")
    assert cli.json("search", "walrus")["evidence"][0]["path"] == "good.md"


@pytest.mark.parametrize("name", ["weird name é 🦓.md", "-dash.md", "a;b&c.md", "new\nline.md"])
def test_file_names_of_any_kind_are_cited_as_they_are(cli: Cli, name: str) -> None:
    cli.write(f"a/{name}", GOOD)
    cli("index", "a", "--lexical")
    assert cli.json("search", "walrus")["evidence"][0]["path"] == name


def test_a_query_that_is_no_valid_unicode_is_searched_as_far_as_it_goes(cli: Cli) -> None:
    cli.write("guide.md", "# Keys\n\nRotate a key with the new secret.\n")
    cli("index", ".", "--lexical")
    assert "guide.md:1-3" in cli("search", os.fsdecode(b"rotate \xff a key")).stdout


def test_a_path_that_is_no_valid_text_is_shown_without_signs_of_patterns(cli: Cli) -> None:
    cli.write("docs/a2.md", "# Keys\n\nRotate a key with the new secret.\n")
    cli("index", "docs", "--lexical")
    path = os.fsdecode(b"docs/\xff2.md")
    for form in ((), ("--json",)):
        done = cli("search", "rotate a key", "--path", path, *form, code=3)
        assert "paths=['docs/?2.md']" in done.stdout + done.stderr


def test_a_collection_of_an_unknown_language_can_still_be_searched(
    cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    cli.write("docs/keys.md", "To rotate a key, call rotate_key.\n")
    older = "pincite.ingestion.options.named_language"
    with monkeypatch.context() as patched:  # as versions did that took any language
        patched.setattr(older, lambda given: given)
        with Pincite(load_settings({}, cli.folder)) as pincite:
            pincite.index(cli.folder / "docs", lexical=True, language="klingon")
    cli.write("docs/locks.md", "To open a lock, turn the key.\n")
    assert "1 new" in cli("index").stderr
    assert "docs/locks.md" in cli("search", "open lock").stdout
    cli("stop")
