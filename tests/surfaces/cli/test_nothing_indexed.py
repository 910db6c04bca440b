"""An index without documents says so wherever somebody looks at it."""

from __future__ import annotations

import json

import pytest

from tests.surfaces.conftest import Cli


@pytest.fixture
def empty(cli: Cli) -> Cli:
    cli.write("files/a.bin", bytes(range(256)))
    return cli


def test_the_run_and_the_state_say_that_there_are_no_documents(empty: Cli) -> None:
    done = empty("index", "files", "--lexical")
    assert "warning: no_documents: main has no documents" in done.stderr
    assert "main has no documents: pincite index PATH -c main" in empty("status").stdout
    empty.write("files/a.md", "# Gates\n\nThe turnstile rotates.\n")
    assert "no_documents" not in empty("index", "files").stderr
    assert "no documents" not in empty("status").stdout


def test_searches_and_answers_say_it_too(empty: Cli) -> None:
    empty("index", "files", "--lexical")
    pack = json.loads(empty("search", "turnstile", "--json", code=3).stdout)
    assert pack["verdict"]["reason"] == "The index has no documents."
    assert "no_documents" in [one["code"] for one in pack["warnings"]]
    assert "no_documents" in empty("ask", "turnstile", code=3).stderr
    empty.write("files/a.md", "# Gates\n\nThe turnstile rotates.\n")
    empty("index", "files")
    pack = json.loads(empty("search", "dough", "--json", code=3).stdout)
    assert "no_documents" not in [one["code"] for one in pack["warnings"]]
