"""The real command over a folder with hostile files, and the browser of this machine."""

from __future__ import annotations

import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import Browser, expect, sync_playwright

from tests.environment import clean_environment
from tests.surfaces.conftest import Cli

GUIDE = """\
# Keys <script>window.hacked = 1</script>

Nothing is said here of what stands below.

## Rotate a key

To rotate a key, call `rotate_key` with the new secret.

<img src=x onerror="window.hacked = 2"><script>window.hacked = 3</script>
"""
CODE = '''\
"""Keys."""


def rotate_key(secret: str) -> None:
    """Rotate the key, so that the old secret is not valid any more."""
    store(secret, "<script>window.hacked = 4</script>")
'''
NAME = "docs/<img src=x onerror=hacked=5>.md"
expect.set_options(timeout=60_000)  # a busy machine is no failure
_BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


@dataclass(frozen=True)
class Served:
    """A page that is served: its address without the token, the token, and where judgements go."""

    url: str
    token: str
    golden: Path

    @property
    def address(self) -> str:
        """What a user opens."""
        return f"{self.url}/#token={self.token}"

    def ask(self, name: str, body: object, **headers: str) -> httpx.Response:
        """The response of a route to the page's own script."""
        given = {"X-Pincite-Token": self.token} | headers
        return httpx.post(f"{self.url}/api/{name}", json=body, headers=given, timeout=60)


@pytest.fixture(scope="session")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    cli = Cli(tmp_path_factory.mktemp("page"))
    cli.write("docs/guide.md", GUIDE)
    cli.write("src/keys.py", CODE)
    cli.write(NAME, "# Vaults\n\nA vault of zanzibar keeps every key.\n")
    cli.write("docs/long.md", "\n\n".join(f"Step {n} of the quetzal." for n in range(400)))
    cli("index", ".", "--lexical", "--name", "acme", "--ref", "v1")
    golden = cli.folder / "judged" / "questions.jsonl"
    command = [sys.executable, "-m", "pincite.surfaces.cli.app", "ui", "--port", "0"]
    process = subprocess.Popen(
        [*command, "--golden", str(golden)],
        cwd=cli.folder,
        env=clean_environment() | {"PINCITE_OFFLINE": "1", "PINCITE_IDLE_S": "60"},
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stderr is not None
    try:
        said = process.stderr.readline()
        found = re.search(r"(http://\S+)/#token=(\S+)", said)
        assert found is not None, said
        yield Served(found[1], found[2], golden)
    finally:
        process.send_signal(signal.SIGINT)
        process.stderr.read()
        process.stderr.close()
        process.wait(30)
        cli("stop")


@pytest.fixture(scope="module")  # while it is open, its thread can run no other event loop
def browser() -> Iterator[Browser]:
    found = next(filter(None, map(shutil.which, _BROWSERS)), None)
    if found is None:
        pytest.skip("there is no Chromium on this machine")
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=found, args=["--no-sandbox"])
        yield started
        started.close()
