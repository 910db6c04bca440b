"""The command line on an index folder that nobody may write to."""

from __future__ import annotations

from pincite.daemon.server.read_only import workplace
from pincite.daemon.wire import protocol
from tests.disks import files, read_only
from tests.surfaces.conftest import Cli


def test_the_command_line_says_once_that_an_index_is_read_only(cli: Cli) -> None:
    cli.write("docs/a.md", "# Foxes\n\nThe brown fox.\n")
    cli("index", "docs", "--lexical")
    cli("stop")
    root = cli.folder / ".pincite"
    before = files(root)
    with read_only(root):
        cli("index", "docs", "--lexical", code=1)
        assert not (workplace(root) / protocol.SOCKET).exists()  # no daemon, and no copy for it
        found = cli("search", "brown fox", "-f", "files")
        assert found.stdout == "a.md:1-3\n"
        assert found.stderr.count("is read-only: you can search it") == 1
        assert "searches are not logged" in found.stderr
        status = cli("status").stdout
        assert "log      off" in status
        assert "writes   none: the index folder" in status
        for command in (
            ["index", "docs", "--lexical"],
            ["collections", "forget", "docs"],
            ["collections", "rebuild", "main", "--lexical"],
        ):
            refused = cli(*command, code=1)
            assert "is read-only" in refused.stderr
            assert "Traceback" not in refused.stderr
        cli("stop")
        assert not (workplace(root) / protocol.SOCKET).exists()
    assert files(root) == before
