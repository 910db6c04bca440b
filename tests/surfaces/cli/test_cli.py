"""The command line as its users meet it: real processes, a real index, by word alone."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from jsonschema import Draft202012Validator

from pincite.surfaces.cli.app import SECTIONS, app
from tests.surfaces.conftest import Cli

GUIDE = """\
# Guide

## Rotating keys

To rotate a key, call `rotate_key` with the new secret. The old key stays valid for one hour.

## Backups

Backups run every night at two o'clock and are kept for thirty days.
"""
CODE = '''\
"""Keys."""


def rotate_key(secret: str) -> None:
    """Replace the current key by a new secret."""
    store(secret)
'''


ROOT = Path(__file__).parents[3]
UNKNOWN_OPTIONS = {("evidence", "--all"), ("explain", "--all"), ("context", "--json")}


@pytest.fixture
def indexed(cli: Cli) -> Cli:
    cli.write("guide.md", GUIDE)
    cli.write("src/keys.py", CODE)
    cli("index", ".", "--lexical", "--name", "acme")
    return cli


def test_a_search_prints_a_cited_pack_and_nothing_else_on_stdout(indexed: Cli) -> None:
    done = indexed("search", "how do I rotate a key", "--json")
    pack = json.loads(done.stdout)
    first = pack["evidence"][0]
    assert first["citation"].startswith("acme@sha256-")
    lines = (indexed.folder / first["path"]).read_text().split("\n")
    assert "\n".join(lines[first["start_line"] - 1 : first["end_line"]]) == first["text"]
    assert {item["path"] for item in pack["evidence"][:2]} == {"guide.md", "src/keys.py"}
    assert pack["plan"]["rung"] == "lexical"
    assert "lexical_only" not in done.stderr  # it was made with --lexical, and `rung` says so


def test_a_pack_is_what_its_published_schema_says(indexed: Cli) -> None:
    schema = json.loads(indexed("schema").stdout)
    pack = indexed.json("search", "rotate")
    fields = schema["$defs"]["EvidencePack"]["properties"]
    assert set(pack) == set(fields)
    evidence = schema["$defs"]["Evidence"]["properties"]
    assert set(pack["evidence"][0]) == set(evidence)


def test_an_answer_is_what_its_published_schema_says(indexed: Cli) -> None:
    schema = json.loads(indexed("schema", "answer").stdout)
    answer = indexed.json("ask", "how is a key rotated?")
    Draft202012Validator(schema).validate(answer)
    assert set(answer) == set(schema["$defs"]["Answer"]["properties"])
    assert json.loads(indexed("schema", "pack").stdout) == json.loads(indexed("schema").stdout)
    wrong = indexed("schema", "claims", code=2)
    assert "'pack', 'answer'" in wrong.stderr


def test_the_same_question_gives_the_same_bytes_but_for_timings(indexed: Cli) -> None:
    packs = [indexed.json("search", "rotate a key") for _ in range(2)]
    for pack in packs:
        del pack["timings_ms"]
    assert packs[0] == packs[1]


@pytest.mark.parametrize("form", ["table", "md", "files"])
def test_every_format_names_path_and_lines(indexed: Cli, form: str) -> None:
    out = indexed("search", "nightly backups", "-f", form).stdout
    assert "guide.md" in out
    assert "\x1b" not in out  # no colour where there is no terminal


def test_nothing_relevant_ends_with_3_and_shows_nothing(indexed: Cli) -> None:
    assert indexed.json("search", "zebra quantum ferment", code=3)["evidence"] == []


def test_an_empty_query_is_wrong_usage_with_a_way_on(indexed: Cli) -> None:
    done = indexed("search", "  ", code=2)
    assert "empty" in done.stderr
    assert "try: write a question" in done.stderr


def test_two_formats_at_once_are_wrong_usage(indexed: Cli) -> None:
    done = indexed("search", "key", "--json", "--format", "md", code=2)
    assert "--json is --format json: give either it or --format md" in done.stderr
    for words in (["--json"], ["--format", "json"], ["--json", "--format", "json"]):
        assert json.loads(indexed("search", "rotate key", *words).stdout)["evidence"]


def test_a_query_of_100000_characters_is_cut_and_answered(indexed: Cli) -> None:
    done = indexed("search", "rotate key " * 9_100)
    assert "query_cut" in done.stderr
    assert "keys.py" in done.stdout


def test_a_query_of_emoji_finds_nothing_by_word_and_says_why(indexed: Cli) -> None:
    done = indexed("search", "🦓🎺🧀", code=3)
    assert "no_terms" in done.stderr


def test_searches_can_be_limited_by_kind_path_and_source(indexed: Cli) -> None:
    def paths(*options: str, code: int = 0) -> set[str]:
        pack = indexed.json("search", "rotate a key", *options, code=code)
        return {item["path"] for item in pack["evidence"]}

    assert paths("--kind", "code") == {"src/keys.py"}
    assert paths("--kind", "docs") == {"guide.md"}
    assert paths("--path", "src/*") == {"src/keys.py"}
    assert paths("--not-path", "src/*") == {"guide.md"}
    assert paths("--source", "other", code=3) == set()


def test_an_unknown_collection_is_wrong_usage_and_the_known_ones_are_named(indexed: Cli) -> None:
    done = indexed("search", "key", "-c", "nope", code=2)
    assert "'nope'" in done.stderr
    assert "main" in done.stderr


def test_get_prints_lines_by_path_and_by_the_id_of_a_hit(indexed: Cli) -> None:
    assert indexed("get", "keys.py:4:1").stdout == "def rotate_key(secret: str) -> None:\n"
    hit = indexed.json("search", "rotate a key")["evidence"][0]
    assert indexed("get", f"#{hit['chunk_id'][:12]}").stdout == hit["text"] + "\n"


@pytest.mark.parametrize("locator", ["../../etc/passwd", "/etc/passwd", "#ffffffff", "guide.md:99"])
def test_get_reads_nothing_that_is_not_indexed(indexed: Cli, locator: str) -> None:
    done = indexed("get", locator, code=2)
    assert done.stdout == ""


def test_verify_tells_fresh_moved_changed_and_deleted_apart(indexed: Cli) -> None:
    indexed.write("pack.json", indexed("search", "rotate a key", "--json").stdout)
    assert all(one["status"] == "fresh" for one in indexed.json("verify", "pack.json"))

    def statuses() -> dict[str, str]:
        checked = indexed.json("verify", "pack.json", code=3)
        return {one["citation"].split(":")[1].split("#")[0]: one["status"] for one in checked}

    indexed.write("guide.md", "# A new first line\n\n" + GUIDE)
    assert statuses()["guide.md"] == "moved"
    indexed.write("guide.md", "# All is new\n")
    assert statuses()["guide.md"] == "changed"
    (indexed.folder / "src/keys.py").unlink()
    assert statuses()["src/keys.py"] == "deleted"
    indexed.write("src/secrets.py", CODE)
    assert statuses()["src/keys.py"] == "moved"


def test_verify_refuses_what_is_no_pack(indexed: Cli) -> None:
    indexed.write("pack.json", '{"a": 1}')
    assert "invalid evidence pack" in indexed("verify", "pack.json", code=2).stderr
    os.mkfifo(indexed.folder / "pipe.json")
    refused = indexed("verify", "pipe.json", code=1).stderr
    assert "pipe.json cannot be read: it is not a regular file" in refused


def test_indexing_again_follows_edits_renames_and_deletions(indexed: Cli) -> None:
    indexed.write("guide.md", GUIDE.replace("thirty", "ninety"))
    (indexed.folder / "src/keys.py").rename(indexed.folder / "src/renamed.py")
    indexed.write("new.txt", "A giraffe is tall.\n")
    (report,) = indexed.json("index")
    counts = ("new", "changed", "renamed", "removed", "unchanged")
    assert {name: report[name] for name in counts} == {
        "new": 1,
        "changed": 1,
        "renamed": 1,
        "removed": 0,
        "unchanged": 0,
    }
    assert indexed.json("search", "giraffe")["evidence"][0]["path"] == "new.txt"
    texts = [item["text"] for item in indexed.json("search", "kept for days")["evidence"]]
    assert any("ninety" in text for text in texts)
    assert not any("thirty" in text for text in texts)
    found = {i["path"] for i in indexed.json("search", "rotate_key")["evidence"]}
    assert "src/keys.py" not in found
    (again,) = indexed.json("index")
    assert again["unchanged"] == 3
    assert again["chunks"] == 0


def test_status_says_what_is_there_and_what_would_make_it_better(indexed: Cli) -> None:
    status = indexed.json("status")
    (main,) = status["collections"]
    assert main["documents"] == 2
    assert main["sources"][0]["complete"]
    assert status["rung"] == "lexical"
    assert "pincite index --upgrade -c main" in status["advice"][0]
    assert "2 documents" in indexed("status").stdout


def test_collections_are_listed_forgotten_and_dropped(indexed: Cli) -> None:
    assert "acme" in indexed("collections").stdout
    indexed("collections", "forget", "nope", code=2)
    indexed("collections", "forget", "acme")
    assert indexed.json("search", "rotate", code=3)["evidence"] == []
    indexed("collections", "drop", "main", "--yes")
    assert "'main'" in indexed("collections", "drop", "main", "--yes", code=2).stderr


def test_a_rebuilt_collection_equals_the_old_one(indexed: Cli) -> None:
    def hits() -> list[tuple[str, float]]:
        pack = indexed.json("search", "rotate a key")
        return [(i["chunk_id"], i["signals"][-1]["value"]) for i in pack["evidence"]]

    before = hits()
    indexed("collections", "rebuild", "main", "--lexical")
    assert hits() == before


def test_a_pack_that_is_explained_is_the_same(indexed: Cli) -> None:
    plain, explained = (
        indexed("search", "rotate a key", "--json", *o) for o in ((), ("--explain",))
    )
    packs = [json.loads(done.stdout) for done in (plain, explained)]
    assert set(packs[0].pop("timings_ms")) == set(packs[1].pop("timings_ms"))
    assert packs[0] == packs[1]
    assert "retrieve" in explained.stderr
    assert "retrieve" not in plain.stderr


def test_explain_shows_every_stage_and_the_reason_of_each_drop(indexed: Cli) -> None:
    views = indexed.json("explain", "rotate a key")
    assert [view["stage"] for view in views] == [
        *("prepare", "retrieve", "fuse", "load", "dedup", "smooth", "rank_code"),
        *(
            "rerank",
            "blend",
            "versions_first",
            "cover",
            "gate",
            "select",
            "context",
            "look",
            "pack",
        ),
    ]
    assert all(view["duration_ms"] >= 0 for view in views)


@pytest.mark.parametrize("options", [(), ("--json",), ("--all",)])
def test_commands_that_search_end_with_the_code_of_the_verdict(
    indexed: Cli, options: tuple[str, ...]
) -> None:
    page = (ROOT / "docs/cli.md").read_text(encoding="utf-8")
    (row,) = re.findall(r"^\| (`search`.*?) \| the verdict is `none` \|$", page, re.MULTILINE)
    for name in re.findall(r"`(.+?)`", row):
        given = [one for one in options if (name, one) not in UNKNOWN_OPTIONS]
        indexed(name, "zebra", *given, code=3)
        indexed(name, "rotate a key", *given)


def test_a_command_without_an_index_says_how_to_make_one(cli: Cli) -> None:
    done = cli("search", "anything", code=1)
    assert "no index exists" in done.stderr
    assert "try: pincite index PATH" in done.stderr


@pytest.mark.parametrize("command", [("search", "x"), ("explain", "x"), ("ls",)])
def test_the_hint_for_a_named_index_makes_that_one(cli: Cli, command: tuple[str, ...]) -> None:
    done = cli(*command, "--index", "no where", code=1)
    assert done.stderr.endswith("try: pincite index --index 'no where' PATH\n")


def test_an_address_is_quoted_as_it_was_given(cli: Cli) -> None:
    done = cli("index", "https://example.org/x/y", code=1)
    assert "error: https://example.org/x/y is an address" in done.stderr


def test_a_run_cannot_add_and_leave_out_a_model(cli: Cli) -> None:
    cli.write("docs/a.md", "# A\n")
    done = cli("index", "docs", "--upgrade", "--lexical", code=2)
    assert "lexical and upgrade exclude each other" in done.stderr


def test_an_unknown_option_is_wrong_usage(cli: Cli) -> None:
    said = cli("search", "--colour", "x", code=2).stderr
    assert "No such option" in said
    assert said.endswith("try: for words that begin with a dash: pincite search -- -WORD\n")
    assert "dash" not in cli("status", "--colour", code=2).stderr


def test_an_unknown_setting_names_file_and_key(indexed: Cli) -> None:
    indexed.write("pincite.toml", "[fuse]\nkk = 3\n")
    done = indexed("search", "key", code=2)
    assert "pincite.toml" in done.stderr
    assert "fuse.kk" in done.stderr


def test_a_setting_of_the_wrong_type_names_file_and_key(indexed: Cli) -> None:
    indexed.write("pincite.toml", '[fuse]\nk = "many"\n')
    done = indexed("search", "key", code=2)
    assert "pincite.toml" in done.stderr
    assert "pincite.toml:2: fuse.k: " in done.stderr


def test_settings_reach_the_search(indexed: Cli) -> None:
    indexed.write("pincite.toml", '[fuse]\nmethod = "rrf"\n')
    assert indexed.json("search", "key")["plan"]["fusion"] == "rrf"


def test_a_pipe_that_closes_early_is_no_error(indexed: Cli) -> None:
    shell = f"{sys.executable} -m pincite.surfaces.cli.app search key --json | head -c 10"
    done = subprocess.run(
        ["bash", "-c", shell], cwd=indexed.folder, capture_output=True, check=False
    )
    assert b"Traceback" not in done.stderr


def test_help_lists_every_command_once_and_first_steps_first(cli: Cli) -> None:
    listed = [name for section in SECTIONS.values() for name in section]
    assert sorted(listed) == sorted(app.list_commands(click.Context(app)))
    titles = re.findall(r"^(\w[\w ]*):$", cli("--help").stdout, re.MULTILINE)
    assert titles == ["Options", *SECTIONS]


def lists_of_commands(group: click.Group, path: str) -> Iterator[tuple[str, str]]:
    """The help of a group and of the groups in it, on a terminal of 60 columns."""
    context = click.Context(group, info_name=path, terminal_width=60, max_content_width=60)
    yield path, group.get_help(context)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        if isinstance(command, click.Group):
            yield from lists_of_commands(command, f"{path} {name}")


def test_no_summary_of_a_command_is_cut_on_a_narrow_terminal() -> None:
    found = dict(lists_of_commands(app, "pincite"))
    assert len(found) >= 10
    cut = [
        line
        for text in found.values()
        for line in text.splitlines()
        if line.endswith("...") and not line.startswith("Usage: ")
    ]
    assert cut == []


def test_a_path_without_a_file_leaves_no_index_behind(cli: Cli) -> None:
    for command in (["index", "gone"], ["import", "gone.jsonl"]):
        refused = cli(*command, code=1).stderr
        assert refused.startswith("error: gone")
        assert "try: check the path" in refused
        assert not (cli.folder / ".pincite").exists()


def test_a_copy_without_a_server_says_where_to_name_one(cli: Cli) -> None:
    refused = cli("push", code=2).stderr
    assert "names no server" in refused
    assert "[store] with url" in refused
    cli.write("pincite.toml", '[store]\nurl = "http://127.0.0.1:9"\n')
    refused = cli("pull", code=2).stderr
    assert "remove url from [store]" in refused


def test_a_question_without_an_index_gets_each_warning_once(cli: Cli) -> None:
    said = cli("ask", "where?", code=3).stderr
    assert said.count("no index exists") == 1
    assert "try: pincite index PATH" in said


def test_a_token_limit_without_a_prompt_is_refused(indexed: Cli) -> None:
    refused = indexed("search", "rotate a key", "--max-tokens", "500", code=2).stderr
    assert "--format prompt" in refused
    indexed("search", "rotate a key", "--format", "prompt", "--max-tokens", "500")
    indexed("context", "rotate a key", "--budget", "500")


def test_an_unknown_file_is_answered_with_the_list_of_files(indexed: Cli) -> None:
    assert "try: pincite ls" in indexed("get", "nothing.md", code=2).stderr


def test_the_version_is_printed(cli: Cli) -> None:
    assert cli("--version").stdout.startswith("pincite ")


def test_evidence_wants_docs_and_code_and_shows_what_stands_around(indexed: Cli) -> None:
    pack = indexed.json(
        "evidence", "how do I rotate a key", "--mode", "build", "--context", "section"
    )
    assert pack["plan"]["mode"] == "build"
    assert pack["plan"]["search_params"]["hnsw_ef"] == 256
    assert {item["source_type"] for item in pack["evidence"]} == {"docs", "code"}
    assert "url_missing" in [warning["code"] for warning in pack["warnings"]]
    same = indexed.json(
        "search", "how do I rotate a key", "--preset", "evidence", "--mode", "build"
    )
    assert [e["chunk_id"] for e in same["evidence"]] == [e["chunk_id"] for e in pack["evidence"]]


def test_context_is_shown_in_every_format(cli: Cli) -> None:
    text = "# Guide\n\nFirst part.\n\n" + "\n\n".join(
        f"Paragraph {n} {'word ' * 60}" for n in range(9)
    )
    cli.write("guide.md", text)
    cli("index", ".", "--lexical")
    pack = cli.json("search", "paragraph 4", "-n", "1", "--all", "--context", "neighbours")
    around = pack["evidence"][0]["context"]
    lines = text.split("\n")[around["start_line"] - 1 : around["end_line"]]
    assert around["text"] == "\n".join(lines)
    for form in ("table", "md"):
        shown = cli("search", "paragraph 4", "-n1", "--all", "--context", "neighbours", "-f", form)
        assert lines[0][:40] in shown.stdout
        assert lines[-1][:40] in shown.stdout
