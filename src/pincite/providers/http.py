"""JSON over HTTP, as all providers are asked: time limits, keys, tries, errors."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import cache, partial
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from pincite.errors import BadResponse, ProviderError, RateLimited, Unavailable
from pincite.providers.addresses import check_url, join
from pincite.providers.pace import Pace, Rate
from pincite.providers.retry import Clock, RetryPolicy, retrying
from pincite.providers.secret import Secret
from pincite.providers.shapes import shape
from pincite.providers.translate import translate
from pincite.support.concurrency import left_s
from pincite.trace import Reply, exchange

if TYPE_CHECKING:
    import ssl

    import httpx

T = TypeVar("T")
_ID_CHARS = 100
_CONNECT_S = 1.0  # to a server without TLS, which is on this machine or near it; guess, unmeasured


@dataclass(frozen=True, slots=True)
class Load:
    """What a request carries: how many texts or documents, and, counted when it matters, how many
    tokens the provider will count."""

    items: int = 0
    tokens: Callable[[], int] = lambda: 0


class Transport:
    """One provider at one address. For one event loop; close it at the end.

    The key goes into the header `Authorization: Bearer`, and nowhere else. Redirects are not
    followed.
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
        """`timeout_s` bounds one try. `pace` gives each its turn, None lets all go. Raises
        ConfigError for an address that cannot be one."""
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
        """The decoded answer. Raises a ProviderError; RateLimited and Unavailable after the tries
        that the policy allows, and RateLimited at once where its turn would come too late."""
        raw = encode(body)
        return await self._tried(path, body, load, partial(self._once, "POST", path, raw))

    async def get(self, path: str) -> Any:
        """As `post`, for what is only read."""
        return await self._tried(path, {}, Load(), partial(self._once, "GET", path, None))

    @asynccontextmanager
    async def lines(
        self, path: str, body: Mapping[str, object], load: Load = Load()
    ) -> AsyncIterator[AsyncIterator[str]]:
        """The lines of a streamed answer, as they come. Opening is tried again, reading is not:
        it raises Unavailable where the stream breaks. Leaving the block hangs up."""
        raw = encode(body)
        response = await self._tried(path, body, load, partial(self._open, path, raw))
        try:
            yield self._read_lines(response, path)
        finally:
            await response.aclose()

    async def close(self) -> None:
        """Hang up. The transport may be used again."""
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
        """Every request leaves through here, each try of it when it is its turn."""

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
        self, method: str, path: str, raw: bytes | None, reply: Reply, remaining_s: float
    ) -> Any:
        async with self._asked(path, remaining_s):
            response = await self._http().request(method, join(self._base, path), content=raw)
            _note(response, reply)
            if response.status_code != 200:
                raise self._refused(response, response.content, path)
        try:
            answer = msgspec.json.decode(response.content)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise BadResponse(f"{self._where(path)} sent what is no JSON: {error}") from error
        reply.answered = lambda: shape(answer if isinstance(answer, dict) else {"answer": answer})
        return answer

    async def _open(
        self, path: str, raw: bytes, reply: Reply, remaining_s: float
    ) -> httpx.Response:
        client = self._http()
        async with self._asked(path, remaining_s):
            request = client.build_request("POST", join(self._base, path), content=raw)
            response = await client.send(request, stream=True)
            _note(response, reply)
            if response.status_code != 200:
                try:
                    raise self._refused(response, await response.aread(), path)
                finally:
                    await response.aclose()
        return response

    async def _read_lines(self, response: httpx.Response, path: str) -> AsyncIterator[str]:
        import httpx

        try:
            async for line in response.aiter_lines():
                yield line
        except httpx.HTTPError as error:
            raise self._broken(path, error) from error

    @asynccontextmanager
    async def _asked(self, path: str, remaining_s: float) -> AsyncIterator[None]:
        """Translates what goes wrong on the way."""
        import httpx

        limit_s = max(0.0, min(self._timeout_s, remaining_s))
        try:
            async with asyncio.timeout(limit_s):
                yield
        except httpx.ConnectTimeout as error:
            hint = "is the server running, and is this its address? `pincite doctor` looks"
            said = f"{self._where(path)} could not be reached in time"
            raise Unavailable(said, hint=hint) from error
        except (TimeoutError, httpx.TimeoutException) as error:
            raise Unavailable(
                f"{self._where(path)} gave no answer within {limit_s:.3g} s",
                hint=f"raise timeout_s of [providers.{self.provider}] in pincite.toml",
            ) from error
        except httpx.HTTPError as error:
            raise self._broken(path, error) from error

    def _http(self) -> httpx.AsyncClient:
        if self._client is None:
            import httpx

            headers = {"Content-Type": "application/json", "Accept": "application/json"}
            if self._key is not None:
                headers["Authorization"] = f"Bearer {self._key.reveal()}"
            far = self._base.startswith("https:")
            connect_s = self._timeout_s if far else min(self._timeout_s, _CONNECT_S)
            timeout = httpx.Timeout(self._timeout_s, connect=connect_s, pool=None)
            # without TLS there is nothing to verify, and reading all certificates takes 20 ms
            verify = _trusted() if far else False
            self._client = httpx.AsyncClient(headers=headers, timeout=timeout, verify=verify)
        return self._client

    def _refused(self, response: httpx.Response, raw: bytes, path: str) -> ProviderError:
        if self._key is not None:
            raw = self._key.redact(raw.decode("utf-8", "replace")).encode()
        return translate(
            response.status_code, response.headers, raw, self._where(path), self._key_variable
        )

    def _broken(self, path: str, error: Exception) -> Unavailable:
        reason = str(error) or type(error).__name__
        if self._key is not None:
            reason = self._key.redact(reason)
        hint = "is the server running, and is this its address? `pincite doctor` looks"
        return Unavailable(f"{self._where(path)} could not be asked: {reason}", hint=hint)

    def _where(self, path: str) -> str:
        return f"{self.provider} at {join(self._base, path)}"


def _note(response: httpx.Response, reply: Reply) -> None:
    """Keep the status, and the provider's name for the request."""
    reply.status = response.status_code
    named = (response.headers.get(name, "") for name in ("x-request-id", "request-id"))
    reply.request_id = next(filter(None, named), "")[:_ID_CHARS]


@cache
def _trusted() -> ssl.SSLContext:
    """The certificates that are trusted; reading them takes 20 ms, once."""
    import httpx

    return httpx.create_ssl_context()


def encode(body: Mapping[str, object]) -> bytes:
    """JSON in UTF-8. Lone surrogates, which names of files and arguments may hold, become `?`."""
    try:
        return msgspec.json.encode(body)
    except UnicodeEncodeError:
        return msgspec.json.encode(_replaced(body))


def _replaced(value: object) -> object:
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    if isinstance(value, Mapping):
        return {key: _replaced(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_replaced(one) for one in value]
    return value
