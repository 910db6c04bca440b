"""A search in the daemon as a whole: the same answer, the same log, the same refusals, and a
process that has hardly imported anything."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pincite.daemon.client import json_exchange
from pincite.daemon.wire import protocol
from pincite.settings.index_folder import nearest
from pincite.settings.variables import SEARCH_VARIABLES, SERVER_VARIABLES
from tests.environment import clean_environment
from tests.forked import run
from tests.surfaces.cli.imported import modules_of
from tests.surfaces.cli.terminal.screens import on_terminal
from tests.surfaces.conftest import Cli

#: An environment in which the daemon cannot know where the client has its files.
LONG = {"XDG_DATA_HOME": "/elsewhere"}
#: Nothing of these may be imported by a search that the daemon makes.
ENGINE = (
    *("numpy", "msgspec", "httpx", "asyncio", "tomllib", "onnxruntime", "qdrant_edge", "Stemmer"),
    *("ssl", "subprocess", "sqlite3", "prompt_toolkit", "yaml", "tree_sitter", "platformdirs"),
    *("pincite.engine", "pincite.search", "pincite.model", "pincite.settings.load"),
)
#: One line, longer than a terminal.
LEASE = f"{'The quagga has a lease as all others do. ' * 12}It ends after 37 months."
MOST_MODULES = 176  # 176 with Python 3.11; the engine has 560
#: Python imports these first if the machine has them. Debian has the first.
OF_THE_MACHINE = frozenset(("sitecustomize", "usercustomize"))


@pytest.fixture(scope="module")
def zoo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cli]:
    """An index by word alone, of which one collection requires a tag; its daemon runs."""
    cli = Cli(tmp_path_factory.mktemp("zoo"))
    cli.write("pincite.toml", '[collections.closed]\nrequire = ["keeper"]\n')
    cli.write("files/guide.md", "# Zebras\n\nA zebra eats grass.\n\nIt is striped.\n")
    cli.write("files/feed.py", 'def feed(zebra):\n    """Give grass."""\n    return zebra\n')
    cli.write("files/lease.md", f"# Lease\n\n{LEASE}\n")
    cli.write("closed/secret.md", "# Keeper\n\nThe zebra of the keeper is called Quetzal.\n")
    cli("index", "files", "--lexical", "--name", "zoo")
    cli("index", "closed", "--lexical", "-c", "closed", "--set", "keeper=ann")
    yield cli
    cli("stop")


def logged(cli: Cli) -> dict[str, Any]:
    """The last line of the log, without what is another in every search."""
    lines = (cli.folder / ".pincite" / "retrieval.jsonl").read_bytes().splitlines()
    event: dict[str, Any] = json.loads(lines[-1])
    return {name: event[name] for name in event if name not in ("query_id", "time", "timings_ms")}


@pytest.mark.parametrize(
    "arguments",
    [
        ("zebra", "-c", "main"),
        ("what does a zebra eat", "-c", "main", "-n", "1", "--context", "section"),
        ("zebra", "-c", "main", "--kind", "code", "--by", "keyword", "--mode", "debug"),
        ("zebra", "-c", "main", "--path", "*.md", "--not-path", "x*", "--where", "kind = docs"),
        ("zebra", "--tag", "keeper=ann", "-c", "closed"),
        ("zebra", "-c", "main", "--preset", "evidence", "--budget-ms", "5000"),
        ("quantum", "-c", "main"),
        ("quantum", "-c", "main", "--all"),
        ("", "-c", "main"),
        ("zebra",),
        ("zebra", "-c", "nope"),
        ("zebra", "-c", "main", "--where", "kind ="),
        ("zebra", "-c", "main", "--tag", "novalue"),
        ("zebra", "--tag", "keeper=bob", "-c", "closed"),
    ],
)
def test_both_ways_give_the_same_pack_log_and_refusal(zoo: Cli, arguments: tuple[str, ...]) -> None:
    def told(**variables: str) -> tuple[Any, dict[str, Any]]:
        given = clean_environment() | {"PINCITE_IDLE_S": "60", "PINCITE_OFFLINE": "1"} | variables
        done = run(["search", *arguments, "--json"], zoo.folder, given)
        pack = json.loads(done.stdout) if done.stdout else {}
        pack.pop("timings_ms", None)
        lines = done.stderr.decode().splitlines()
        said = [line for line in lines if not line.startswith("query ")]
        return (done.returncode, pack, said), logged(zoo)

    quick, by_daemon = told()
    full, by_client = told(**LONG)
    assert quick == full
    assert by_daemon == by_client


@pytest.mark.parametrize(
    "form", [("-f", "table"), ("-f", "md"), ("-f", "files"), ("-f", "files", "-0")]
)
def test_both_ways_print_the_same(zoo: Cli, form: tuple[str, ...]) -> None:
    arguments = ("search", "zebra grass", "-c", "main", *form)
    quick, full = zoo(*arguments), zoo(*arguments, XDG_DATA_HOME="/elsewhere")
    assert (quick.stdout, quick.stderr) == (full.stdout, full.stderr)
    assert quick.stdout


@pytest.mark.parametrize("options", [(), ("--context", "unit"), ("-C", "2")])
def test_both_ways_show_long_lines_alike_in_a_pipe_and_on_a_terminal(
    zoo: Cli, options: tuple[str, ...]
) -> None:
    arguments = ("search", "lease of the quagga", "-c", "main", *options)
    quick, full = zoo(*arguments), zoo(*arguments, XDG_DATA_HOME=LONG["XDG_DATA_HOME"])
    assert quick.stdout == full.stdout
    assert LEASE in quick.stdout
    quick_screen, _, _ = on_terminal(zoo, *arguments, NO_COLOR="1", PINCITE_PAGER="cat")
    full_screen, _, _ = on_terminal(zoo, *arguments, NO_COLOR="1", PINCITE_PAGER="cat", **LONG)
    assert quick_screen == full_screen
    rows = quick_screen.replace("\r", "").split("\n")
    assert " ".join(" ".join(rows).split()).count(LEASE) == 1
    assert sum(row.startswith("     ") and len(row) <= 80 for row in rows) > 3


def test_a_search_in_a_warm_daemon_imports_a_socket_a_parser_and_little_else(zoo: Cli) -> None:
    loaded = set(modules_of(zoo, "search", "zebra", "-c", "main")) - OF_THE_MACHINE
    assert set(ENGINE).isdisjoint(loaded)
    assert len(loaded) <= MOST_MODULES
    assert "pincite.engine" in modules_of(zoo, "search", "zebra", "-c", "main", **LONG)


def test_a_first_index_of_few_files_imports_no_numpy(zoo: Cli) -> None:
    imported = modules_of(zoo, "index", "files", "--lexical", "--index", "fresh")
    zoo("stop", "--index", "fresh")
    assert "pincite.chunkers.small_texts" in imported
    assert "numpy" not in imported


def test_what_is_unusual_is_searched_here(zoo: Cli) -> None:
    for variables in (
        {"PINCITE_QDRANT_KEY": "k"},
        {"PINCITE_MODELS": "relative"},
        {"HOME": "/elsewhere"},
    ):
        assert "pincite.engine" in modules_of(zoo, "search", "zebra", "-c", "main", **variables)
    assert "pincite.engine" in modules_of(zoo, "search", "zebra", "-c", "main", "--explain")


def test_wrong_settings_are_said_as_ever(zoo: Cli) -> None:
    done = zoo("search", "zebra", code=2, PINCITE_NONSENSE="1")
    assert "unknown environment variable PINCITE_NONSENSE" in done.stderr


def test_settings_that_change_hold_with_the_next_search(zoo: Cli) -> None:
    toml = zoo.folder / "pincite.toml"
    before = toml.read_text()
    try:
        toml.write_text(before + "[select]\nresults = 1\n")
        assert len(zoo.json("search", "zebra", "-c", "main")["evidence"]) == 1
        toml.write_text(before + "[select]\nresults = 'many'\n")
        assert "results" in zoo("search", "zebra", "-c", "main", code=2).stderr
    finally:
        toml.write_text(before)
    assert len(zoo.json("search", "zebra", "-c", "main")["evidence"]) == 2


def test_without_a_daemon_the_search_starts_one(zoo: Cli) -> None:
    zoo("stop")
    assert "guide.md" in zoo("search", "zebra grass", "-c", "main").stdout


@pytest.mark.parametrize(
    "answer",
    [b"", b"\0\0\0\0", b"\xff\xff\xff\xff", b"\0\0\0\x02{]", b"\0\0\0\x02[]", b"\0\0\0\x10{}"],
)
def test_an_answer_that_is_none_leaves_the_search_to_the_client(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, answer: bytes
) -> None:
    monkeypatch.chdir(tmp_path)
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(json_exchange.SOCKET)
        server.listen()
        client = socket.socket(socket.AF_UNIX)
        client.connect(json_exchange.SOCKET)
        peer, _ = server.accept()
        with client, peer:
            peer.sendall(answer)
            peer.shutdown(socket.SHUT_WR)
            assert json_exchange._read(json_exchange._received(client)) is None


def test_no_folder_and_no_socket_are_nobody(tmp_path: Path) -> None:
    assert json_exchange.ask(tmp_path, {}) is None
    assert json_exchange.ask(tmp_path / "gone", {}) is None
    assert json_exchange.ask(tmp_path / ("x" * 200), {}) is None
    (tmp_path / json_exchange.SOCKET).write_text("no socket")
    assert json_exchange.ask(tmp_path, {}) is None


def test_a_daemon_declines_a_client_of_another_version(zoo: Cli) -> None:
    request = json.dumps({"identity": ["0.0", 1, "x"], "names": "sources"}).encode()
    for body, answered in ((request, b"declined"), (b"{nonsense", b"declined")):
        with socket.socket(socket.AF_UNIX) as stream:
            stream.connect(str(zoo.folder / ".pincite" / protocol.SOCKET))
            stream.sendall(json_exchange.LENGTH.pack(len(body)) + body)
            assert answered in json_exchange._received(stream)


def test_the_nearest_index_is_the_one_of_the_settings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    inner = tmp_path / "a" / "b"
    inner.mkdir(parents=True)
    monkeypatch.chdir(inner)
    assert nearest(None, {}) is None
    (tmp_path / ".pincite").mkdir()
    (tmp_path / ".pincite" / "catalog.db").touch()
    found = nearest(None, {"PINCITE_LOG": "0", "OTHER": "x"})
    assert found is not None
    assert (found.root, dict(found.variables)) == (tmp_path / ".pincite", {"PINCITE_LOG": "0"})
    variables = {n: "x" for n in (*SEARCH_VARIABLES, *SERVER_VARIABLES) if n != "QDRANT_API_KEY"}
    found = nearest(None, variables)
    assert found is not None
    assert found.variables == variables  # the daemon has all that settings of a search come from
    assert nearest(tmp_path / "none", {}) is None
    assert nearest(Path("../../.pincite"), {}) is not None
    assert nearest(None, {"PINCITE_INDEX": "~/x"}) is None
