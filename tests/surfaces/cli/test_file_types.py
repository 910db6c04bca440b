"""`pincite index --file-type`, and what is said of files of unknown types."""

from __future__ import annotations

import json
import shlex

import pytest

from tests.sources.helpers import git
from tests.surfaces.conftest import Cli

TEST = "localhost {\n    respond quokka\n}\n"


@pytest.fixture
def web(cli: Cli) -> Cli:
    cli.write("web/README.md", "# Server\n\nIt serves walruses.\n")
    cli.write("web/tests/a.caddyfiletest", TEST)
    cli.write("web/tests/b.caddyfiletest", "wombat\n")
    cli.write("web/mail.tmpl", "<h1>Dingo</h1>\n<p>A letter to the dingo.</p>\n")
    cli.write("web/old.rtf", b"{\\rtf1\x00}")
    return cli


def test_what_is_left_out_comes_with_the_command_that_includes_it(web: Cli) -> None:
    hint = "to index files of unknown types: pincite index PATH --file-type '*.caddyfiletest=text'"
    said = web("index", "web", "--lexical").stderr
    assert "4 unsupported (.caddyfiletest, .tmpl, .rtf)" in said
    assert said.count(hint) == 1
    assert web("status").stdout.count(hint) == 1
    said = web("index", "web", "--file-type", "*.caddyfiletest=text").stderr
    assert "web: 2 new, 1 unchanged documents" in said
    assert "PATH --file-type '*.tmpl=text'" in said
    said = web("index", "web", "--file-type", "*.tmpl=html").stderr
    assert "web: 1 new, 3 unchanged documents" in said
    assert "1 unsupported (.rtf)" in said
    assert "--file-type" not in said + web("status").stdout


def test_such_a_file_is_found_cited_shown_and_verified(web: Cli) -> None:
    web("index", "web", "--lexical", "--file-type", "*.caddyfiletest=text")
    (item,) = web.json("search", "respond quokka", "--limit", "1")["evidence"]
    assert item["path"] == "tests/a.caddyfiletest"
    assert web("get", item["citation"]).stdout.strip().endswith("}")
    web.write("pack.json", web("search", "respond quokka", "--json").stdout)
    assert web.json("verify", "pack.json")[0]["status"] == "fresh"
    refused = web("get", "mail.tmpl", code=2).stderr
    assert "mail.tmpl is left out of the index: unsupported" in refused


def test_status_shows_them_and_they_can_be_removed(web: Cli) -> None:
    web("index", "web", "--lexical", "--file-type", "*.tmpl=htm", "--file-type", "tests/=text")
    assert "file types: *.tmpl=html, tests/=text\n" in web("status").stdout
    (info,) = web.json("status")["collections"]
    assert info["sources"][0]["source"]["file_types"] == ["*.tmpl=html", "tests/=text"]
    assert "web: 2 removed, 2 unchanged" in web("index", "web", "--file-type", "tests/=").stderr
    assert "file types: *.tmpl=html\n" in web("status").stdout
    assert "web: 1 removed, 1 unchanged" in web("index", "web", "--file-type", "").stderr
    assert "file types" not in web("status").stdout


def test_the_printed_command_indexes_what_a_run_over_a_part_left(web: Cli) -> None:
    git(web.folder / "web", "init", "--quiet")
    web("index", "web", "--lexical", "--file-type", "*.caddyfiletest=text", "--file-type", "m*=xml")
    said = web("index", "web/tests", "--file-type", "m*=").stderr
    command = f"pincite index {web.folder / 'web'}\n"
    assert (
        f"the file types of web have changed, and its other files are as before until they are \
indexed: {command}"
        in said
    )
    said = web(*shlex.split(command)[1:]).stderr
    assert "web: 1 removed, 3 unchanged" in said
    assert "have changed" not in said


def test_an_option_for_a_part_of_a_configured_source_names_no_command(web: Cli) -> None:
    """A run over that source would read its table and drop the option."""
    git(web.folder / "web", "init", "--quiet")
    web.write("pincite.toml", '[[source]]\npath = "web"\nexclude = ["README.md"]\n')
    web("index", "--lexical")
    said = web("index", "web/tests", "--file-type", "*.caddyfiletest=text").stderr
    assert "web: 2 new" in said
    assert "have changed" not in said
    assert "web: 2 removed" in web("index", "web").stderr


def test_a_table_of_the_configuration_gives_them(web: Cli) -> None:
    web.write(
        "pincite.toml",
        '[[source]]\npath = "web"\n[source.file_types]\n'
        '"*.caddyfiletest" = "text"\n"*.tmpl" = "html"\n',
    )
    (report,) = web.json("index", "--lexical")
    assert report["new"] == 4
    items = web.json("search", "letter to the dingo")["evidence"]
    assert items[0]["path"] == "mail.tmpl"
    shown = json.loads(web("config", "show", "--json").stdout)
    assert "caddyfiletest" in json.dumps(shown)


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ('{ "*.x" = "hologram" }', "pincite.toml:3: [[source]] {}: file type 'hologram' of '*.x'"),
        ('{ "*.pdf" = "text" }', "file type pattern '*.pdf' is for .pdf files, whose text is"),
        ('{ "" = "text" }', "file type pattern '' is empty"),
        ('{ "*.x" = 3 }', "file_types"),
        ('"*.x=text"', "file_types"),
    ],
)
def test_mistakes_in_it_are_named(web: Cli, table: str, said: str) -> None:
    web.write("pincite.toml", f'[[source]]\npath = "web"\nfile_types = {table}\n')
    refused = web("index", "--lexical", code=2).stderr
    assert said.format(web.folder / "web") in refused
    if "hologram" in table:
        assert "one of: asciidoc, assembly, " in refused


@pytest.mark.parametrize(
    ("option", "said"),
    [
        ("*.x=hologram", "file type 'hologram' of '*.x' is unknown"),
        ("*.x=pdf", "file type 'pdf' of '*.x' cannot be given"),
        ("*=text", "file type pattern '*' matches every file"),
        ("=text", "file type pattern '' is empty"),
        ("text", "file type 'text' lacks a pattern or a type"),
    ],
)
def test_mistakes_of_the_option_are_named(web: Cli, option: str, said: str) -> None:
    assert said in web("index", "web", "--lexical", "--file-type", option, code=2).stderr
    assert not (web.folder / ".pincite").exists()
