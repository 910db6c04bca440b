"""`pincite serve` for the examples of docs/http.md."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from pincite.testing.contract_server import ContractServer
from tests.quick_folder import quick_folder
from tests.time_limits import HANGS_S

PINCITE = (sys.executable, "-m", "pincite.surfaces.cli.app")


class Served(NamedTuple):
    """A server for the examples, the folder that they run in, and what they name."""

    url: str
    folder: Path
    names: dict[str, str]

    def named(self, command: str) -> str:
        for name, value in self.names.items():
            command = command.replace(name, value)
        return command

    def run(self, command: str) -> str:
        command = self.named(command)
        environ = {"PATH": os.environ["PATH"], "URL": self.url, "CURL_HOME": str(self.folder)}
        done = subprocess.run(
            ["bash", "-euc", command],
            cwd=self.folder,
            env=environ,
            capture_output=True,
            text=True,
            check=False,
            timeout=HANGS_S,
        )
        assert done.returncode == 0, (command, done.stdout, done.stderr)
        return done.stdout


@contextmanager
def serving(*options: str) -> Iterator[Served]:
    """`pincite serve` with Ada and Bert, keys in files, and a reranker behind an address."""
    with quick_folder() as folder, ContractServer() as models:
        environ = {
            name: os.environ[name] for name in ("PATH", "HOME", "PYTHONPATH") if name in os.environ
        }
        environ |= {"PINCITE_INDEX": str(folder / "index"), "PINCITE_OFFLINE": "1"}
        environ |= {"PINCITE_IDLE_S": "60", "RERANK_ENABLED": "true", "RERANK_PROVIDER": "jina"}
        environ |= {"RERANK_BASE_URL": models.url("jina"), "JINA_API_KEY": "none-that-counts"}

        def pincite(*words: str) -> Any:
            done = subprocess.run(
                [*PINCITE, "workspace", *words, "--json"],
                cwd=folder,
                env=environ,
                capture_output=True,
                text=True,
                check=True,
                timeout=HANGS_S,
            )
            return json.loads(done.stdout)

        pincite("migrate")
        ada, bert = (pincite("user", "add", name)["id"] for name in ("Ada", "Bert"))
        keys = {}
        for name, scopes in (
            ("laptop", ("search", "write")),
            ("old", ("search",)),
            ("metrics", ("admin",)),
        ):
            flags = [word for scope in scopes for word in ("--scope", scope)]
            keys[name] = pincite("key", "add", ada, "--name", name, *flags)
        for file, name in (("key.txt", "laptop"), ("admin.txt", "metrics")):
            (folder / file).write_text(f"Authorization: Bearer {keys[name]['key']}\n")
        (folder / ".curlrc").write_text("silent\nshow-error\nfail-with-body\n")
        log = folder / "log"
        with log.open("w") as output:
            server = subprocess.Popen(
                [*PINCITE, "serve", "--lexical", "--port", "0", *options],
                cwd=folder,
                env=environ,
                stdout=output,
                stderr=output,
            )
        try:
            while not (said := re.search(r" at (http://\S+)", log.read_text())):
                assert server.poll() is None, log.read_text()
                time.sleep(0.05)
            yield Served(said[1], folder, {"USER_ID": bert, "KEY_ID": keys["old"]["id"]})
        finally:
            server.terminate()
            server.wait(HANGS_S)
            stop = [*PINCITE, "stop"]
            subprocess.run(stop, cwd=folder, env=environ, capture_output=True, check=False)
