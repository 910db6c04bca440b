"""The same commands, whatever the store."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from pincite.daemon.client.spawn import owned
from tests.stores.qdrant_http import Recorder, recording_server
from tests.surfaces.conftest import Cli

GUIDE = "# Keys\n\nTo rotate a key, call `rotate_key`.\n\n# Backups\n\nBackups run every night.\n"

pytestmark = [
    pytest.mark.filterwarnings("ignore:Payload indexes have no effect:UserWarning"),
    pytest.mark.filterwarnings("ignore:Local mode performs exact:UserWarning"),
]


@pytest.fixture
def server() -> Iterator[Recorder]:
    with recording_server() as recorder:
        yield recorder
        assert recorder.wrong == []


def walk_through(cli: Cli, store: str) -> None:
    """Index, search, change, search, restart, search, status."""
    cli.write("docs/guide.md", GUIDE)
    cli.write("docs/old.md", "# Old\n\nThe turnstile is broken.\n")
    cli("index", "docs", "--lexical")
    found = cli.json("search", "how do I rotate a key")["evidence"][0]
    assert (found["path"], found["start_line"]) == ("guide.md", 1)
    (cli.folder / "docs/old.md").unlink()
    cli.write("docs/guide.md", f"# New\n\nSomething new about a zebra.\n\n{GUIDE}")
    cli("index")
    cli("stop")
    assert "zebra" in cli.json("search", "zebra")["evidence"][0]["text"]
    cli("search", "turnstile", code=3)
    assert f"store    {store}" in cli("status").stdout


@pytest.mark.parametrize("kind", ["sqlite", "chroma"])
def test_an_index_on_a_store_in_its_folder(cli: Cli, kind: str) -> None:
    cli.write("pincite.toml", f'[store]\nkind = "{kind}"\n')
    walk_through(cli, kind)


@pytest.mark.parametrize("tokenizer", ["unicode61", "porter", "trigram"])
def test_an_index_whose_words_fts5_ranks(cli: Cli, tokenizer: str) -> None:
    cli.write(
        "pincite.toml", f'[store]\nkind = "sqlite"\nkeyword = "fts5"\ntokenizer = "{tokenizer}"\n'
    )
    walk_through(cli, "sqlite")
    assert cli.json("search", '"NEAR(zebra', "--all")["evidence"]
    cli.write("pincite.toml", '[store]\nkind = "sqlite"\n')
    cli("stop")
    assert "zebra" in cli.json("search", "zebra")["evidence"][0]["text"]


def test_an_index_on_a_qdrant_server(
    cli: Cli, server: Recorder, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = cli.write("key.txt", "secret\n")
    cli.write("pincite.toml", f'[store]\nurl = "{server.url}"\nkey_file = "{key}"\n')
    walk_through(cli, f"qdrant at {server.url}")
    assert all(headers.get("api-key") == "secret" for headers in server.headers)
    assert "secret" not in (cli.folder / ".pincite/store.json").read_text()


def test_an_index_never_changes_its_store_by_itself(cli: Cli, tmp_path: Path) -> None:
    cli.write("guide.md", GUIDE)
    cli("index", "guide.md", "--lexical")
    cli.write("pincite.toml", '[store]\nkind = "sqlite"\n')
    refused = cli("search", "rotate", code=2)
    assert "has its points in edge, but the settings name sqlite" in refused.stderr


def test_a_mistyped_address_can_be_corrected(cli: Cli) -> None:
    cli.write("guide.md", GUIDE)
    cli.write("pincite.toml", '[store]\nurl = "http://127.0.0.1:9"\n')
    said = cli("index", "guide.md", "--lexical", code=1, PINCITE_IDLE_S="600").stderr
    assert "127.0.0.1:9" in said
    deadline = time.monotonic() + 30
    while owned(cli.folder / ".pincite"):  # its process ends by itself, long before it is idle
        assert time.monotonic() < deadline
        time.sleep(0.05)
    cli.write("pincite.toml", '[store]\nkind = "sqlite"\n')
    cli("index", "guide.md", "--lexical")
    assert cli.json("search", "rotate a key")["evidence"]


def test_a_server_that_is_away_is_named_and_found_again(cli: Cli, server: Recorder) -> None:
    cli.write("guide.md", GUIDE)
    cli.write("pincite.toml", f'[store]\nurl = "{server.url}"\n')
    cli("index", "guide.md", "--lexical")
    cli("stop")
    server.failing = [403] * 50
    assert "PINCITE_QDRANT_KEY" in cli("search", "rotate", code=1).stderr
    server.failing = []
    assert cli.json("search", "rotate a key")["evidence"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('kind = "oracle"', "oracle"),
        ('kind = "qdrant"', "needs a url"),
        ('kind = "sqlite"\nurl = "http://x"', "has no url"),
        ('url = "http://x"\napi_key = "k"', "not allowed here"),
        ('url = "http://x"\ncolour = 1', "unknown key 'store.colour'"),
        ('url = "http://x"\nshards = -1', "negative"),
        ('keyword = "fts5"', "has no FTS5"),
        ('kind = "sqlite"\nkeyword = "fts9"', "keyword"),
        ('kind = "sqlite"\ntokenizer = "icu\'); DROP"', "tokenizer"),
        ('kind = "sqlite"\ntitle_weight = nan', "title_weight"),
    ],
)
def test_a_store_that_cannot_be_is_refused(cli: Cli, text: str, said: str) -> None:
    cli.write("pincite.toml", f"[store]\n{text}\n")
    assert said in cli("index", "x", code=2).stderr


def test_an_index_is_pushed_to_a_server_and_pulled_back(cli: Cli, server: Recorder) -> None:
    cli.write("docs/guide.md", GUIDE)
    cli.write("docs/other.md", "# Other\n\nA turnstile counts people.\n")
    cli("index", "docs", "--lexical")
    before = cli.json("search", "rotate a key")["evidence"]
    cli("push", code=2)
    cli.write("pincite.toml", f'[store]\nurl = "{server.url}"\n')
    assert "pincite push" in cli("search", "rotate", code=2).stderr
    server.failing = [0] * 20 + [403] * 99  # it goes away in the middle
    cli("push", code=1)
    server.failing = []
    assert "2 points" in cli("push").stdout
    assert cli("push").stdout == ""
    assert cli.json("search", "rotate a key")["evidence"] == before
    cli.write("docs/other.md", "# Other\n\nA zebra crosses.\n")
    cli("index")
    cli.write("pincite.toml", '[store]\nkind = "sqlite"\n')
    assert "2 points, 2 copied" in cli("pull").stdout
    assert cli.json("search", "zebra")["evidence"][0]["path"] == "other.md"
    cli("search", "turnstile", code=3)
