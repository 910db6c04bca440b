"""JSON over HTTP for all providers: time limits, keys, retries, errors."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from pincite.errors import BadResponse, ConfigError, ProviderError, RateLimited, Unavailable
from pincite.providers.addresses import check_url, join
from pincite.providers.bodies import ACCEPTED, ANSWER_BYTES, ITEM_BYTES, read_body, read_lines
from pincite.providers.certificates import trusted
from pincite.providers.pace import Pace, Rate
from pincite.providers.retry import Clock, RetryPolicy, retrying
from pincite.providers.secret import PiecewiseRedaction, Secret
from pincite.providers.shapes import shape
from pincite.providers.translate import translate
from pincite.support.concurrency import left_s
from pincite.support.proxies import proxies_for, proxy_variable
from pincite.support.valid_text import valid_json
from pincite.trace import Reply, exchange

if TYPE_CHECKING:
    import httpx

T = TypeVar("T")
_ID_CHARS = 100
_UNKNOWN_AUTHORITY = re.compile("local issuer certificate|self[- ]signed certificate")
#: Seconds to connect to a server without TLS, which is on this machine or near it. The packet that
#: opens a connection is sent again after 1 s and after 3 s (RFC 6298), and a busy machine may not
#: respond for as long.
_CONNECT_S = 4.0


@dataclass(frozen=True, slots=True)
class Load:
    """The size of a request: the number of texts or documents, and a function for the number of
    tokens that the provider will count, called only if needed."""

    items: int = 0
    tokens: Callable[[], int] = lambda: 0


class Transport:
    """One provider at one address. Use it in one event loop and close it at the end.

    The key is sent only in the header `Authorization: Bearer`. It is removed from every answer, so
    that messages may quote answers. Redirects are not followed. Answers have limits of bytes
    (`bodies.py`): BadResponse is raised for a longer one.
    """

    def __init__(
        self,
        provider: str,
        url: str,
        *,
        key: Secret | None = None,
        key_variable: str = "",
        timeout_s: float = 60.0,
        retry: RetryPolicy = RetryPolicy(),
        clock: Clock = Clock(),
        pace: Pace | None = None,
    ) -> None:
        """Prepare the transport. `timeout_s` limits one try. `pace` limits the rate of requests;
        None means no limit. Raises ConfigError for an invalid address."""
        self.provider = provider
        self._base = check_url(url)
        self._key = key
        self._key_variable = key_variable
        self._timeout_s = timeout_s
        self._retry = retry
        self._clock = clock
        self._pace = pace or Pace(provider, "", Rate(), None, clock=clock)
        self._client: httpx.AsyncClient | None = None

    async def post(self, path: str, body: Mapping[str, object], load: Load = Load()) -> Any:
        """Send a request and return the decoded answer. Raises a ProviderError: RateLimited and
        Unavailable after the tries that the policy allows, and RateLimited at once if its turn
        would come too late."""
        raw = valid_json(body)
        most = ANSWER_BYTES + load.items * ITEM_BYTES
        return await self._tried(path, body, load, partial(self._once, "POST", path, raw, most))

    async def get(self, path: str) -> Any:
        """Send a GET request; otherwise as `post`."""
        once = partial(self._once, "GET", path, None, ANSWER_BYTES)
        return await self._tried(path, {}, Load(), once)

    @asynccontextmanager
    async def lines(
        self, path: str, body: Mapping[str, object], load: Load = Load()
    ) -> AsyncIterator[AsyncIterator[str]]:
        """Yield the lines of a streamed answer as they arrive. Opening is retried, reading is not:
        it raises Unavailable if the stream breaks. Leaving the block closes the connection."""
        raw = valid_json(body)
        response = await self._tried(path, body, load, partial(self._open, path, raw))
        try:
            yield self._read_lines(response, path)
        finally:
            await response.aclose()

    def redact(self, text: str) -> str:
        """Return a text about an answer without the key, also if the key is as short as a word."""
        return text if self._key is None else self._key.redact(text)

    def redaction(self) -> PiecewiseRedaction:
        """Return an object that removes the key from a streamed answer, also if several events
        contain parts of the key."""
        return PiecewiseRedaction() if self._key is None else self._key.in_pieces()

    async def close(self) -> None:
        """Close the connections. The transport may be used again."""
        self._pace.close()
        if self._client is not None:
            client, self._client = self._client, None
            await client.aclose()

    async def _tried(
        self,
        path: str,
        body: Mapping[str, object],
        load: Load,
        ask: Callable[[Reply, float], Awaitable[T]],
    ) -> T:
        """Send a request with retries; each try waits for its turn. Every request goes through
        here."""

        async def once(remaining_s: float) -> T:
            asked = partial(shape, body)
            try:
                with exchange(
                    self.provider, path, asked=asked, items=load.items, tokens=load.tokens
                ) as reply:
                    return await ask(reply, remaining_s)
            except RateLimited as error:
                if error.retry_after_s:
                    await self._pace.pause(error.retry_after_s)
                raise

        def turn() -> Awaitable[float]:
            return self._pace.turn(load.tokens, left_s())

        return await retrying(once, self._retry, self._clock, turn)

    async def _once(
        self, method: str, path: str, raw: bytes | None, most: int, reply: Reply, remaining_s: float
    ) -> Any:
        url = join(self._base, path)
        async with (
            self._asked(path, remaining_s),
            self._http().stream(method, url, content=raw) as response,
        ):
            self._note(response, reply)
            if response.status_code != 200:
                raise await self._refused(response, path)
            raw_body = await read_body(response, most, self._where(path), self.redact)
            body = self._without_key(raw_body)
        try:
            answer = msgspec.json.decode(body)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            if body.lstrip()[:1] == b"<":
                raise self._page(path) from error
            raise BadResponse(f"{self._where(path)} returned invalid JSON: {error}") from error
        reply.answered = lambda: shape(answer if isinstance(answer, dict) else {"answer": answer})
        return answer

    async def _open(
        self, path: str, raw: bytes, reply: Reply, remaining_s: float
    ) -> httpx.Response:
        client = self._http()
        async with self._asked(path, remaining_s):
            request = client.build_request("POST", join(self._base, path), content=raw)
            response = await client.send(request, stream=True)
            self._note(response, reply)
            if response.status_code != 200:
                try:
                    raise await self._refused(response, path)
                finally:
                    await response.aclose()
        return response

    async def _read_lines(self, response: httpx.Response, path: str) -> AsyncIterator[str]:
        import httpx

        begun = False
        try:
            async for line in read_lines(response, self._where(path), self.redact):
                if not begun and line.lstrip()[:1] == "<":
                    raise self._page(path)
                begun = begun or bool(line.strip())
                yield self._without_key(line.encode()).decode()
        except httpx.HTTPError as error:
            raise self._broken(path, error) from error

    @asynccontextmanager
    async def _asked(self, path: str, remaining_s: float) -> AsyncIterator[None]:
        """Translate errors of the transport."""
        import httpx

        limit_s = max(0.0, min(self._timeout_s, remaining_s))
        try:
            async with asyncio.timeout(limit_s):
                yield
        except httpx.ConnectTimeout as error:
            hint = "check that the server is running at this address: `pincite doctor`"
            said = f"could not connect to {self._where(path)} in time"
            raise Unavailable(said, hint=hint) from error
        except (TimeoutError, httpx.TimeoutException) as error:
            raise Unavailable(
                f"{self._where(path)} gave no response within {limit_s:.3g} s",
                hint=f"raise timeout_s of [providers.{self.provider}] in pincite.toml",
            ) from error
        except httpx.InvalidURL as error:  # of a host that only this library refuses
            raise ConfigError(f"{self._base!r} is not a valid address: {error}") from error
        except httpx.HTTPError as error:
            raise self._broken(path, error) from error

    def _http(self) -> httpx.AsyncClient:
        if self._client is None:
            import httpx

            headers = {
                "Content-Type": "application/json",
                "Accept": "application/json",
                "Accept-Encoding": ACCEPTED,
            }
            if self._key is not None:
                headers["Authorization"] = f"Bearer {self._key.reveal()}"
            far = self._base.startswith("https:")
            connect_s = self._timeout_s if far else min(self._timeout_s, _CONNECT_S)
            timeout = httpx.Timeout(self._timeout_s, connect=connect_s, pool=None)
            # without TLS there is nothing to verify, and loading all certificates takes 20 ms
            verify = trusted() if far else False
            with proxies_for(self._base) as proxied:
                self._client = httpx.AsyncClient(
                    headers=headers, timeout=timeout, verify=verify, trust_env=proxied
                )
        return self._client

    async def _refused(self, response: httpx.Response, path: str) -> ProviderError:
        try:
            where = self._where(path)
            raw = await read_body(response, ANSWER_BYTES, where, self.redact, cut=True)
        except BadResponse:  # packed in another way; the status says enough
            raw = b""
        raw = self.redact(raw.decode("utf-8", "replace")).encode()
        headers = {name: self.redact(value) for name, value in response.headers.items()}
        return translate(response.status_code, headers, raw, self._where(path), self._key_variable)

    def _broken(self, path: str, error: Exception) -> Unavailable:
        reason = self.redact(str(error) or type(error).__name__)
        hint = "check that the server is running at this address: `pincite doctor`"
        if _UNKNOWN_AUTHORITY.search(reason):
            hint = "export SSL_CERT_FILE=/path/to/its/authority.pem"
        elif variable := proxy_variable(self._base):
            hint = f"check that the server is running, and the proxy of {variable}"
        return Unavailable(f"the request to {self._where(path)} failed: {reason}", hint=hint)

    def _page(self, path: str) -> BadResponse:
        """Return the error for HTML, which another server at this address may have sent."""
        hint = "check the address: a web page is there, not an API"
        return BadResponse(f"{self._where(path)} returned a web page instead of JSON", hint=hint)

    def _note(self, response: httpx.Response, reply: Reply) -> None:
        """Record the status, and the provider's id of the request."""
        reply.status = response.status_code
        named = (response.headers.get(name, "") for name in ("x-request-id", "request-id"))
        reply.request_id = self.redact(next(filter(None, named), ""))[:_ID_CHARS]

    def _without_key(self, raw: bytes) -> bytes:
        return raw if self._key is None else self._key.redact_answer(raw)

    def _where(self, path: str) -> str:
        return f"{self.provider} at {join(self._base, path)}"
