"""Packs held against files and revisions, with real repositories and archives."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pincite.model.revisions import dirty_ref
from pincite.readers import content_hash_of
from tests.sources.archives import METADATA, tarred, zipped
from tests.sources.helpers import commit, git
from tests.surfaces.conftest import Cli

FILE = "a walrus sleeps on ice\nand dreams of fish\n"
OTHER = "a giraffe stands in the sun\nand eats the trees\n"


def search(cli: Cli, *options: str) -> dict[str, Any]:
    pack: dict[str, Any] = cli.json("search", "walrus dreams of fish", *options)
    cli.write("pack.json", json.dumps(pack))
    return pack


def verify(cli: Cli, code: int = 0) -> tuple[str, str, str]:
    """Status, state of the revision and detail of the first item."""
    first = cli.json("verify", "pack.json", code=code)[0]
    return first["status"], first["revision"], first["detail"]


@pytest.fixture
def repo(cli: Cli) -> tuple[Path, str]:
    place = cli.write("repo/docs/walrus.txt", FILE).parent.parent
    sha = commit(place)
    cli("index", "repo", "--lexical", "--language", "english")
    assert search(cli)["evidence"][0]["citation"] == f"repo@{sha}:docs/walrus.txt#L1-L2"
    return place, sha


def test_evidence_of_the_checked_out_commit_is_fresh_and_confirmed(
    cli: Cli, repo: tuple[Path, str]
) -> None:
    assert verify(cli) == ("fresh", "confirmed", "")


def test_a_pack_of_an_older_commit_is_held_against_that_commit_too(
    cli: Cli, repo: tuple[Path, str]
) -> None:
    place, sha = repo
    (place / "docs/other.txt").write_text(OTHER)
    second = commit(place)
    assert verify(cli) == ("fresh", "confirmed", f"the revision is now {second[:12]}")

    (place / "docs/walrus.txt").write_text("First a line.\n" + FILE)
    commit(place)
    assert verify(cli, 3) == ("moved", "confirmed", f"now lines 2-3; {sha[:12]} has it")

    (place / "docs/walrus.txt").write_text(OTHER)
    commit(place)
    detail = f"the text is not in the file; {sha[:12]} has it"
    assert verify(cli, 3) == ("changed", "confirmed", detail)

    (place / "docs/walrus.txt").unlink()
    commit(place)
    assert verify(cli, 3) == ("deleted", "confirmed", f"the file is gone; {sha[:12]} has it")

    (place / "docs/renamed.txt").write_text(FILE)
    commit(place)
    assert verify(cli, 3) == ("moved", "confirmed", f"now in docs/renamed.txt; {sha[:12]} has it")

    git(place, "checkout", "-q", sha)
    assert verify(cli) == ("fresh", "confirmed", "")


def test_a_citation_of_a_commit_that_never_said_so_is_not_fresh(
    cli: Cli, repo: tuple[Path, str]
) -> None:
    place, first = repo
    pack = search(cli)
    (place / "docs/walrus.txt").write_text("# A title\n\n" + FILE)
    second = commit(place)
    for item in pack["evidence"]:
        # line numbers of the first commit, name of the second
        item |= {"ref": second, "citation": item["citation"].replace(first, second)}
    cli.write("pack.json", json.dumps(pack))
    status, revision, detail = verify(cli, 3)
    assert (status, revision) == ("changed", "refuted")
    assert detail == f"{second[:12]} does not have this text at those lines"
    for item in pack["evidence"]:
        none = "0" * 40
        item |= {"ref": none, "citation": item["citation"].replace(second, none)}
    cli.write("pack.json", json.dumps(pack))
    assert verify(cli, 3)[:2] == ("moved", "unknown")
    assert first != second


def test_uncommitted_evidence_has_no_commit_to_be_held_against(
    cli: Cli, repo: tuple[Path, str]
) -> None:
    place, sha = repo
    text = "a walrus wakes\nand still dreams of fish\n"
    (place / "docs/walrus.txt").write_text(text)
    cli("index")
    assert search(cli)["evidence"][0]["ref"] == dirty_ref(sha, content_hash_of(text.encode()))
    assert verify(cli) == ("fresh", "confirmed", "")  # it is the very content that was indexed
    second = commit(place)
    assert verify(cli) == ("fresh", "confirmed", f"the revision is now {second[:12]}")


def test_a_line_is_only_found_again_as_a_whole_line(cli: Cli, repo: tuple[Path, str]) -> None:
    place, _ = repo
    (place / "docs/walrus.txt").write_text("x" + FILE.rstrip("\n") + "x\n")
    assert verify(cli, 3)[0] == "changed"
    (place / "docs/walrus.txt").write_text("x" + FILE + OTHER + FILE)
    assert verify(cli, 3)[2].startswith("now lines 5-6")


@pytest.mark.parametrize("kind", ["wheel", "sdist", "zip", "folder"])
def test_archives_and_folders_are_verified_by_content(cli: Cli, kind: str) -> None:
    def build(text: str) -> str:
        if kind == "wheel":
            files = {"pkg/walrus.txt": text, "p-1.dist-info/METADATA": METADATA}
            return zipped(cli.folder / "p-1.2.3-py3-none-any.whl", files).name
        if kind == "sdist":
            files = {"p-1.2.3/walrus.txt": text, "p-1.2.3/PKG-INFO": METADATA}
            return tarred(cli.folder / "p-1.2.3.tar.gz", files).name
        if kind == "zip":
            return zipped(cli.folder / "p-1.2.3.zip", {"top/walrus.txt": text}).name
        return cli.write("folder/walrus.txt", text).parent.name

    cli("index", build(FILE), "--lexical", "--language", "english")
    cited = search(cli)["evidence"][0]
    assert cited["ref"] == (f"sha256-{cited['content_hash'][:12]}" if kind == "folder" else "1.2.3")
    assert verify(cli) == ("fresh", "confirmed", "")
    known = "unknown" if kind == "folder" else "refuted"
    build(f"A line.\n{FILE}")
    status, revision, _ = verify(cli, 3)
    assert (status, revision) == ("moved" if kind == "folder" else "changed", known)
    build(OTHER)
    assert verify(cli, 3)[:2] == ("changed", known)


def test_a_pack_whose_texts_are_cut_is_fresh_all_the_same(cli: Cli, repo: tuple[Path, str]) -> None:
    cli.write("pincite.toml", "[pack]\nmax_chars = 10\n")
    assert search(cli)["evidence"][0]["text"] == FILE[:10]
    assert verify(cli) == ("fresh", "confirmed", "")
    (repo[0] / "docs/walrus.txt").write_text("First a line.\n" + FILE)
    assert verify(cli, 3)[0] == "moved"
    (repo[0] / "docs/walrus.txt").write_text(OTHER)
    assert verify(cli, 3)[0] == "changed"


def test_a_text_that_ends_inside_a_line_is_found_again(cli: Cli, repo: tuple[Path, str]) -> None:
    pack = search(cli)
    first = pack["evidence"][0]
    cut = {"text": FILE.rpartition(" of")[0], "end_column": 10}
    first |= cut | {"citation": f"{first['citation']}C10"}
    cli.write("pack.json", json.dumps(pack))
    assert verify(cli)[0] == "fresh"
    (repo[0] / "docs/walrus.txt").write_text("First a line.\n" + FILE)
    assert verify(cli, 3)[2].startswith("now L2-L3C10; ")


@pytest.mark.parametrize("named", ["out", "out/walrus.txt", ".hid/deep", ".hid/walrus.txt"])
def test_what_was_named_is_read_although_it_is_hidden_or_ignored(cli: Cli, named: str) -> None:
    folder = "repo/out" if named.startswith("out") else "repo/.hid"
    inner = "deep/" if named.endswith("deep") else ""
    cli.write("repo/.gitignore", "out/\n")
    place = cli.write(f"{folder}/{inner}walrus.txt", FILE)
    commit(cli.folder / "repo")
    cli("index", f"repo/{named}", "--lexical", "--language", "english")
    cited = search(cli)["evidence"][0]
    assert (cited["truth"], verify(cli)[0]) == ("fresh", "fresh")
    assert cli("get", cited["citation"]).stdout == FILE
    assert cli("verify", cited["citation"]).stdout.startswith("fresh")
    place.write_text("First a line.\n" + FILE)
    assert (search(cli)["evidence"][0]["truth"], verify(cli)[0]) == ("moved", "fresh")


def test_a_file_that_is_there_but_left_out_now_is_not_called_gone(
    cli: Cli, repo: tuple[Path, str]
) -> None:
    place, sha = repo
    (place / ".gitignore").write_text("docs/\n")
    said = "the file was not read: its source leaves it out now (ignored)"
    assert verify(cli, 3) == ("unknown", "confirmed", f"{said}; {sha[:12]} has it")
    citation = search(cli)["evidence"][0]["citation"]
    assert cli("verify", citation, code=3).stdout == f"unknown  {citation} {said}\n"
    assert "leaves it out now (ignored)" in cli("get", citation, code=1).stderr
    (place / ".gitignore").unlink()
    (place / "docs/walrus.txt").write_text("")
    assert verify(cli, 3) == ("changed", "confirmed", f"the file is empty; {sha[:12]} has it")


def test_a_file_without_a_suffix_is_found_under_its_new_name(
    cli: Cli, repo: tuple[Path, str]
) -> None:
    place, _ = repo
    (place / "docs/walrus.txt").rename(place / "docs/Makefile")
    cli("index")
    assert search(cli)["evidence"][0]["path"] == "docs/Makefile"
    (place / "docs/Makefile").rename(place / "Makefile.am")
    assert verify(cli, 3)[0] == "deleted"  # as another kind of file
    (place / "Makefile.am").rename(place / "GNUmakefile")
    assert verify(cli, 3)[2].startswith("now in GNUmakefile")


def test_single_citations_are_checked_in_the_forms_that_people_write(
    cli: Cli, repo: tuple[Path, str]
) -> None:
    place, _ = repo
    cited = search(cli)["evidence"][0]
    last = cited["end_line"]
    done = cli(
        "verify", cited["citation"], f"`{cited['path']}:{cited['start_line']}-{last}`", code=3
    )
    first, second = done.stdout.splitlines()
    assert first.split()[:2] == ["fresh", cited["citation"]]
    assert second.startswith("unknown")  # of no revision, and without a quote
    long = f"{cited['citation'].partition(':')[0]}:{'long' * 100}.md#L1"
    assert "no indexed file is named" in cli("verify", long, code=3).stdout
    (place / "docs/walrus.txt").unlink()
    gone = cli("verify", cited["citation"], "docs/walrus.txt:1", code=3)
    assert "deleted" in gone.stdout
    (one,) = json.loads(cli("verify", "docs/walrus.txt:1", "--json", code=3).stdout)
    assert one["status"] == "deleted"


def test_an_empty_word_is_wrong_usage(cli: Cli) -> None:
    cli.write("docs/a.md", "# A\n")
    cli("index", "docs", "--lexical")
    for words in (("get", ""), ("verify", ""), ("verify", "a.md:1", "")):
        assert "'' is neither" in cli(*words, code=2).stderr
    assert cli("verify", "docs", code=3).stdout.startswith("unknown  docs ")
