"""An issuer of tokens on this machine, over HTTP, with keys of its own."""

from __future__ import annotations

import json
import ssl
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread
from typing import Any

from cryptography.hazmat.primitives.asymmetric.rsa import generate_private_key
from joserfc import jws
from joserfc.jwk import ECKey, RSAKey
from trustme import LeafCert

AUDIENCE = "pincite"


def now() -> datetime:
    return datetime.now(UTC)


@cache
def rsa(name: str, bits: int = 2048) -> RSAKey:
    """A key of this name; making one takes a while."""
    made = generate_private_key(65_537, bits)
    return RSAKey(made, made, {"kid": name, "use": "sig"})


@cache
def curve(name: str) -> ECKey:
    return ECKey.generate_key("P-256", {"kid": name}, private=True)


def public(*keys: RSAKey | ECKey) -> list[dict[str, Any]]:
    return [key.as_dict(private=False) for key in keys]


@dataclass
class Issuer:
    """`keys` are those that it publishes, `answers` what it says instead at a path (a status and a
    body), `asked` the paths that were asked for. While `hold` is there no request is answered."""

    url: str
    keys: list[dict[str, Any]]
    answers: dict[str, tuple[int, bytes]] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)
    hold: Event | None = None
    was_asked: Event = field(default_factory=Event)

    def claims(self, subject: str = "ada", **over: Any) -> dict[str, Any]:
        seconds = int(time.time())
        given: dict[str, Any] = {
            "iss": self.url,
            "aud": AUDIENCE,
            "sub": subject,
            "exp": seconds + 300,
            "iat": seconds,
            "scope": "openid pincite:search pincite:write",
        }
        return {name: one for name, one in {**given, **over}.items() if one is not None}

    def token(
        self,
        subject: str = "ada",
        *,
        key: RSAKey | ECKey | None = None,
        header: Mapping[str, Any] = {},
        **over: Any,
    ) -> str:
        """A token that is as it should be but for what `header` and `over` say; None leaves out."""
        signing = key or rsa("one")
        whole = {"alg": "RS256", "typ": "JWT", "kid": signing.kid, **header}
        whole = {name: one for name, one in whole.items() if one is not None}
        return jws.serialize_compact(
            whole,
            json.dumps(self.claims(subject, **over)),
            signing,
            registry=jws.JWSRegistry(algorithms=[whole["alg"]], strict_check_header=False),
        )

    def reply(self, path: str) -> tuple[int, bytes]:
        self.asked.append(path)
        self.was_asked.set()
        if self.hold is not None:
            self.hold.wait(60)
        if path in self.answers:
            return self.answers[path]
        if path == "/.well-known/openid-configuration":
            return 200, json.dumps({"issuer": self.url, "jwks_uri": f"{self.url}/keys"}).encode()
        return (200, json.dumps({"keys": self.keys}).encode()) if path == "/keys" else (404, b"")


@contextmanager
def issuing(certificate: LeafCert | None = None) -> Iterator[Issuer]:
    """An issuer that listens, with TLS where it has a certificate, until the block ends."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            status, body = found.reply(self.path)
            try:
                self.send_response(status)
                self.send_header("content-length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)
            except ConnectionError:
                pass  # whoever asked has hung up

        def log_message(self, *said: object) -> None:
            """Nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    url = f"http://127.0.0.1:{server.server_port}"
    if certificate is not None:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        certificate.configure_cert(context)
        server.socket = context.wrap_socket(
            server.socket, server_side=True, do_handshake_on_connect=False
        )
        url = f"https://localhost:{server.server_port}"
    found = Issuer(url, public(rsa("one")))
    thread = Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield found
    finally:
        if found.hold is not None:
            found.hold.set()
        server.shutdown()
        server.server_close()
        thread.join()
