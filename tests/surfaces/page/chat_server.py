"""A language model as servers of other people are: pieces come one by one, some hang or break."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

WAIT_S = 60.0


class ChatServer(ThreadingHTTPServer):
    """`go_on` lets a slow answer end. A question that has the word `slowly` is answered slowly, one
    that has `breaks` in part."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Chat)
        self.go_on = threading.Event()
        self.left = threading.Event()  # somebody went away while an answer was written

    @property
    def model(self) -> str:
        """Its name in the settings."""
        return f"compatible:http://127.0.0.1:{self.server_address[1]}/v1#chat"


class _Chat(BaseHTTPRequestHandler):
    server: ChatServer

    def log_message(self, *_: object) -> None:
        """Nothing."""

    def do_GET(self) -> None:
        self._json({"data": [{"id": "chat"}]})

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        told = json.dumps(asked["messages"])
        if not asked.get("stream"):
            message = {"role": "assistant", "content": "The key is rotated by a call [1]."}
            self._json({"choices": [{"message": message, "finish_reason": "stop"}]})
            return
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.end_headers()
        try:
            self._pieces(told)
        except OSError:
            self.server.left.set()
        self.close_connection = True

    def _pieces(self, told: str) -> None:
        self._say("To rotate a key, ")
        if "breaks" in told:
            return
        if "slowly" in told:
            for _ in range(int(WAIT_S / 0.05)):
                if self.server.go_on.wait(0.05):
                    break
                self.wfile.write(b": still here\n\n")
                self.wfile.flush()
        self._say("call `rotate_key` with the new secret [1].")
        self._event({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]})
        self.wfile.write(b"data: [DONE]\n\n")

    def _say(self, text: str) -> None:
        self._event({"choices": [{"index": 0, "delta": {"content": text}, "finish_reason": None}]})

    def _event(self, value: object) -> None:
        self.wfile.write(b"data: " + json.dumps(value).encode() + b"\n\n")
        self.wfile.flush()

    def _json(self, value: object) -> None:
        raw = json.dumps(value).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(raw)))
        self.end_headers()
        self.wfile.write(raw)


@contextmanager
def chat_server() -> Iterator[ChatServer]:
    """The server, until the block ends."""
    server = ChatServer()
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.go_on.set()
        server.shutdown()
        server.server_close()
        thread.join()
