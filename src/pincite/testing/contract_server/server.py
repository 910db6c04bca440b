"""The server: routing, faults, and a record of requests."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self

import msgspec

from pincite.testing.contract_server.faults import Fault, Switches, refused, spoil
from pincite.testing.contract_server.vendors import VENDORS
from pincite.testing.contract_server.wire import Refusal, Request, Response, Vendor

_FAULTS_PATH = "/_faults"


@dataclass(slots=True)
class Record:
    """A record of requests: their number, how many ran at once at most, and, with `keep_bodies`,
    each body and path."""

    keep_bodies: bool = False
    requests: int = 0
    most_at_once: int = 0
    bodies: list[Any] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)
    _now: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def begin(self, path: str, body: Any) -> None:
        with self._lock:
            self.requests += 1
            self._now += 1
            self.most_at_once = max(self.most_at_once, self._now)
            if self.keep_bodies:
                self.bodies.append(body)
                self.paths.append(path)

    def end(self) -> None:
        with self._lock:
            self._now -= 1

    def clear(self) -> None:
        """Forget all requests."""
        with self._lock:
            self.requests = self.most_at_once = 0
            self.bodies.clear()
            self.paths.clear()


class ContractServer:
    """Serves on loopback while its block is open. With `key`, vendors that need one accept no
    other; without it, any."""

    def __init__(self, *, port: int = 0, key: str = "", keep_bodies: bool = True) -> None:
        self.record = Record(keep_bodies)
        self._key = key
        self._switches = Switches()
        self._http = ThreadingHTTPServer(("127.0.0.1", port), _handler(self))
        self._http.daemon_threads = True
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.02,), daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()

    @property
    def port(self) -> int:
        """Return the port of the server."""
        return int(self._http.server_address[1])

    def url(self, vendor: str) -> str:
        """Return the address of a vendor, without a version."""
        return f"http://127.0.0.1:{self.port}/{vendor}"

    def fail(
        self,
        name: str,
        *,
        times: int = 1,
        path: str = "",
        wait_s: float = 5.0,
        retry_after_s: float = 0.05,
    ) -> None:
        """Switch a fault on for the next `times` requests whose path ends in `path`. Raises
        ValueError for an unknown name."""
        self._switches.on(Fault(name, times, path, wait_s, retry_after_s))

    def heal(self) -> None:
        """Switch all faults off."""
        self._switches.off()

    def serve_forever(self) -> None:
        """Serve until interrupted, from a shell."""
        self._http.serve_forever()

    def answer(self, request: Request) -> tuple[Response, bool]:
        """Return the answer to a request, and whether it is cut off."""
        if request.path == _FAULTS_PATH:
            return self._switch(request), False
        vendor = VENDORS.get(request.vendor)
        if vendor is None:
            return Response(404, {"error": f"vendors: {', '.join(sorted(VENDORS))}"}), False
        fault = self._switches.take(request.path)
        if fault is not None and (answer := refused(fault, vendor)) is not None:
            return answer, False
        answer = self._ask(vendor, request)
        if fault is not None:
            answer = spoil(fault, answer)
        return answer, fault is not None and fault.name == "cut-off"

    def _ask(self, vendor: Vendor, request: Request) -> Response:
        wrong = bool(self._key) and request.key != self._key
        if vendor.needs_key and (wrong or not request.key):
            return Response(401, vendor.error(401, "Provided API key is invalid."))
        endpoint = vendor.endpoints.get((request.method, request.path))
        if endpoint is None:
            return Response(404, vendor.error(404, f"Not Found: {request.path}"))
        try:
            return endpoint(request)
        except Refusal as refusal:
            return Response(refusal.status, vendor.error(refusal.status, refusal.message))

    def _switch(self, request: Request) -> Response:
        self._switches.off()
        if request.method == "POST":
            try:
                self._switches.on(Fault(**request.body))
            except (TypeError, ValueError) as error:
                return Response(400, {"error": str(error)})
        return Response(200, {"ok": True})


def _handler(server: ContractServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def do_GET(self) -> None:
            self._serve()

        def do_POST(self) -> None:
            self._serve()

        def do_DELETE(self) -> None:
            self._serve()

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - inherited
            """Print nothing."""

        def _serve(self) -> None:
            raw = self.rfile.read(int(self.headers.get("content-length") or 0))
            request = _request(self.command, self.path, dict(self.headers), raw)
            server.record.begin(self.path, request.body)
            try:
                response, cut_off = server.answer(request)
            finally:
                server.record.end()
            try:
                self._send(response, cut_off)
            except (BrokenPipeError, ConnectionResetError):
                self.close_connection = True

        def _send(self, response: Response, cut_off: bool) -> None:
            self.send_response(response.status)
            self.send_header("X-Request-Id", f"request-{server.record.requests}")
            for name, value in response.headers.items():
                self.send_header(name, value)
            if response.stream is not None:
                self.send_header("Content-Type", "text/event-stream")
                self.send_header("Connection", "close")
                self.end_headers()
                for number, line in enumerate(response.stream):
                    if cut_off and number == 2:
                        break
                    self.wfile.write(line)
                    self.wfile.flush()
                self.close_connection = True
                return
            raw = response.raw()
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(raw)))
            self.end_headers()
            self.wfile.write(raw[: len(raw) // 2] if cut_off else raw)
            self.close_connection |= cut_off

    return Handler


def _request(method: str, path: str, headers: dict[str, str], raw: bytes) -> Request:
    vendor, _, rest = path.partition("?")[0].lstrip("/").partition("/")
    path, vendor = (_FAULTS_PATH, "") if vendor == _FAULTS_PATH[1:] else (f"/{rest}", vendor)
    try:
        body = msgspec.json.decode(raw) if raw else None
    except (msgspec.DecodeError, UnicodeDecodeError):
        body = None
    return Request(vendor, method, path, {k.lower(): v for k, v in headers.items()}, body)
