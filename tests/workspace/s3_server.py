"""A small server that speaks as much of S3 as files need, and fails as it is told."""

from __future__ import annotations

import hashlib
import re
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Lock, Thread
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit
from xml.sax.saxutils import escape

BUCKET = "papers"
KEY, SECRET = "AKIDEXAMPLE", "wJalrXUtnFEMI"
_SIGNED = re.compile(
    r"AWS4-HMAC-SHA256 Credential=(\w+)/\d{8}/([\w-]+)/s3/aws4_request,"
    r" SignedHeaders=([\w;-]+), Signature=[0-9a-f]{64}"
)
_PAGE = 1_000


@dataclass
class Asked:
    """A request: its method, the key within the bucket, and the names of its parameters."""

    method: str
    key: str
    parameters: dict[str, str]


@dataclass
class Answer:
    """A status and a body in place of the true answer. `cut`: the connection ends after so many
    bytes of the body. `hold`: nothing is said before it is set."""

    status: int = 200
    body: bytes = b""
    cut: int | None = None
    hold: Event | None = None
    after: bool = False  # it is done, and only the answer is another one


@dataclass
class S3:
    """`objects` are the bytes and times by key, `parts` the uploads that have not ended. `fault`
    says what is answered in place of the truth."""

    url: str
    objects: dict[str, tuple[bytes, float]] = field(default_factory=dict)
    parts: dict[str, dict[int, bytes]] = field(default_factory=dict)
    asked: list[Asked] = field(default_factory=list)
    largest: int = 0
    fault: Callable[[Asked], Answer | None] = lambda asked: None
    lock: Lock = field(default_factory=Lock)

    def names(self) -> list[str]:
        return sorted(self.objects)

    def age(self, seconds: float) -> None:
        """All objects are older by so much."""
        self.objects = {key: (raw, at - seconds) for key, (raw, at) in self.objects.items()}

    def answer(self, asked: Asked, copied: str | None, body: bytes) -> tuple[int, bytes]:
        found = self.objects.get(asked.key)
        match asked.method:
            case "GET" if "list-type" in asked.parameters:
                return 200, self._listed(asked.parameters)
            case "GET" | "HEAD":
                return (200, found[0]) if found else _failed(404, "NoSuchKey")
            case "PUT" if "uploadId" in asked.parameters:
                parts = self.parts.get(asked.parameters["uploadId"])
                if parts is None:
                    return _failed(404, "NoSuchUpload")
                parts[int(asked.parameters["partNumber"])] = body
                return 200, b""
            case "PUT" if copied is not None:
                name = unquote(copied).removeprefix("/").removeprefix(f"{BUCKET}/")
                if name not in self.objects:
                    return _failed(404, "NoSuchKey")
                self.objects[asked.key] = (self.objects[name][0], time.time())
                return 200, b'<CopyObjectResult><ETag>"x"</ETag></CopyObjectResult>'
            case "PUT":
                self.objects[asked.key] = (body, time.time())
                return 200, b""
            case "POST" if "uploads" in asked.parameters:
                name = f"u{len(self.asked)}"
                self.parts[name] = {}
                told = f"<UploadId>{name}</UploadId>"
                return 200, _tagged("InitiateMultipartUploadResult", told)
            case "POST" if "uploadId" in asked.parameters:
                parts = self.parts.pop(asked.parameters["uploadId"], None)
                if parts is None:
                    return _failed(404, "NoSuchUpload")
                whole = b"".join(parts[number] for number in sorted(parts))
                if any(len(one) < 5 << 20 for one in list(parts.values())[:-1]):
                    return _failed(400, "EntityTooSmall")
                self.objects[asked.key] = (whole, time.time())
                return 200, _tagged("CompleteMultipartUploadResult", '<ETag>"x"</ETag>')
            case "DELETE" if "uploadId" in asked.parameters:
                self.parts.pop(asked.parameters["uploadId"], None)
                return 204, b""
            case "DELETE":
                self.objects.pop(asked.key, None)
                return 204, b""
        return _failed(501, "NotImplemented")

    def _listed(self, parameters: dict[str, str]) -> bytes:
        keys = [key for key in self.names() if key.startswith(parameters.get("prefix", ""))]
        keys = [key for key in keys if key > parameters.get("continuation-token", "")]
        shown = "".join(
            f"<Contents><Key>{escape(key)}</Key><LastModified>{_time(self.objects[key][1])}"
            f"</LastModified><Size>{len(self.objects[key][0])}</Size><ETag>x</ETag></Contents>"
            for key in keys[:_PAGE]
        )
        more = len(keys) > _PAGE
        if more:
            shown += f"<NextContinuationToken>{escape(keys[_PAGE - 1])}</NextContinuationToken>"
        truncated = f"<IsTruncated>{str(more).lower()}</IsTruncated>"
        return _tagged("ListBucketResult", f"{truncated}{shown}")


def _time(at: float) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime(at))


def _tagged(name: str, inside: str) -> bytes:
    return f"<{name}>{inside}</{name}>".encode()


def _failed(status: int, code: str) -> tuple[int, bytes]:
    return status, _tagged("Error", f"<Code>{code}</Code><Message>{SECRET}</Message>")


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server_version = "s3"
    s3: S3

    def answer(self) -> None:
        parts = urlsplit(self.path)
        body = self.rfile.read(int(self.headers.get("content-length") or 0))
        bucket, _, key = unquote(parts.path).removeprefix("/").partition("/")
        parameters = {
            name: one[0] for name, one in parse_qs(parts.query, keep_blank_values=True).items()
        }
        asked = Asked(self.command, key, parameters)
        with self.s3.lock:
            self.s3.asked.append(asked)
            self.s3.largest = max(self.s3.largest, len(body))
        told = self.s3.fault(asked)
        if told is not None and told.hold is not None:
            told.hold.wait(60)
        status, said = self._refusal(bucket, body) or (0, b"")
        if not status and (told is None or told.after or told.cut is not None):
            with self.s3.lock:
                copied = self.headers.get("x-amz-copy-source")
                status, said = self.s3.answer(asked, copied, body)
        if told is not None and told.cut is None:
            status, said = told.status, told.body
        self._say(status, said, asked, told)

    def _say(self, status: int, said: bytes, asked: Asked, told: Answer | None) -> None:
        try:
            if status == 200 and "range" in self.headers and self.command == "GET":
                first, _, last = self.headers["range"].removeprefix("bytes=").partition("-")
                end = min(int(last or len(said)), len(said) - 1)
                status, whole, said = 206, len(said), said[int(first) : end + 1]
                self.send_response(status)
                self.send_header("content-range", f"bytes {first}-{end}/{whole}")
            else:
                self.send_response(status)
            self.send_header("etag", f'"{hashlib.md5(asked.key.encode()).hexdigest()}"')
            found = self.s3.objects.get(asked.key, (b"", time.time()))
            stamp = time.strftime("%a, %d %b %Y %H:%M:%S GMT", time.gmtime(found[1]))
            self.send_header("last-modified", stamp)
            if status != 204:
                self.send_header("content-length", str(len(said)))
            self.end_headers()
            if self.command != "HEAD":
                cut = told.cut if told is not None else None
                self.wfile.write(said if cut is None else said[:cut])
                self.close_connection = cut is not None
        except ConnectionError:
            self.close_connection = True  # whoever asked has hung up

    def _refusal(self, bucket: str, body: bytes) -> tuple[int, bytes] | None:
        """What is not signed, or not by whom it should be, is refused as the true server does."""
        signed = _SIGNED.fullmatch(self.headers.get("authorization", ""))
        if signed is None or signed[1] != KEY or "host" not in signed[3].split(";"):
            return _failed(403, "AccessDenied")
        if self.headers.get("x-amz-content-sha256") != hashlib.sha256(body).hexdigest():
            return _failed(400, "XAmzContentSHA256Mismatch")
        return None if bucket == BUCKET else _failed(404, "NoSuchBucket")

    def log_message(self, *said: object) -> None:
        """Nothing."""


@contextmanager
def s3_serving() -> Iterator[S3]:
    """A server that listens, with an empty bucket, until the block ends."""

    methods = ("GET", "HEAD", "PUT", "POST", "DELETE")
    handler: Any = type("_Of", (_Handler,), {f"do_{one}": _Handler.answer for one in methods})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    s3 = S3(f"http://127.0.0.1:{server.server_port}")
    handler.s3 = s3
    thread = Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield s3
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
