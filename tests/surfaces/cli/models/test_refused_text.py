"""A model that refuses one text: the file is named, keywords work, and nothing is paid twice."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import ClassVar

import msgspec
import pytest

from tests.surfaces.cli.models.in_process import run, said
from tests.surfaces.conftest import Cli


class Picky(BaseHTTPRequestHandler):
    """A model that refuses texts with a word, as for their content."""

    sent: ClassVar[list[list[str]]] = []

    def do_POST(self) -> None:
        body = msgspec.json.decode(self.rfile.read(int(self.headers["Content-Length"])))
        texts = body["input"]
        self.sent.append(texts)
        if any("forbidden" in text for text in texts):
            self._answer(400, {"error": {"message": "refused by the content policy"}})
        else:
            found = [{"index": n, "embedding": [1.0, n + 1.0]} for n in range(len(texts))]
            self._answer(200, {"data": found})

    def _answer(self, status: int, answer: object) -> None:
        raw = msgspec.json.encode(answer)
        self.send_response(status)
        self.send_header("Content-Length", str(len(raw)))
        self.end_headers()
        self.wfile.write(raw)

    def log_message(self, *args: object) -> None:
        pass


@pytest.fixture
def model() -> Iterator[str]:
    Picky.sent.clear()
    server = ThreadingHTTPServer(("127.0.0.1", 0), Picky)
    thread = threading.Thread(target=server.serve_forever, args=(0.02,))
    thread.start()
    yield f"compatible:http://127.0.0.1:{server.server_address[1]}#orgA/embed-x"
    server.shutdown()
    thread.join()
    server.server_close()


def test_a_refused_text_names_its_file_and_leaves_keywords(model: str, cli: Cli) -> None:
    for number in range(40):
        cli.write(f"docs/{number:02}.md", f"# Page {number}\n\nturnstile number{number} turns.\n")
    cli.write("docs/bad.md", "# Bad\n\nThis forbidden text has a xylophone.\n")
    run(cli, "index", "docs", "--model", model, code=1)
    assert "bad.md has a text that the model refuses" in said()
    assert "refused by the content policy" in said()
    assert "--exclude" in said()
    assert len(Picky.sent) <= 15  # one for the dimensions, one for all, two for each half
    for word, file in (("xylophone", "bad.md"), ("number39", "39.md")):
        assert file in run(cli, "search", word, "--json")

    accepted = {text for texts in Picky.sent for text in texts if "forbidden" not in text}
    refused = [texts for texts in Picky.sent if any("forbidden" in text for text in texts)]
    assert len(refused) <= 8
    Picky.sent.clear()
    cli.write("docs/bad.md", "# Bad\n\nThis text has a xylophone.\n")
    run(cli, "index")
    again = [text for texts in Picky.sent for text in texts if text in accepted]
    pages = [text for text in again if "Page" in text]
    assert len(pages) < 40
    assert "bad.md" in run(cli, "search", "xylophone", "--json")
