"""Read the public keys of a token issuer over HTTPS and cache them.

Anybody can send a token that names a key that does not exist. So at most one request every half
minute goes to the issuer, however many tokens arrive.
"""

from __future__ import annotations

import asyncio
import logging
import time
from base64 import urlsafe_b64decode
from collections.abc import Callable
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Final, cast

import msgspec

from pincite.errors import ConfigError, WorkspaceUnavailable
from pincite.providers.certificates import trusted
from pincite.settings.sections.oidc import OidcSettings, check_issuer_address
from pincite.support.proxies import proxies_for

if TYPE_CHECKING:
    import httpx
    from joserfc.jwk import ECKey, RSAKey

    PublicKey = RSAKey | ECKey

log = logging.getLogger("pincite.workspace")

#: A key that the issuer has withdrawn is refused after this time, and after `_STALE_S` if the
#: issuer cannot be reached. All values are safe guesses, unmeasured.
_FRESH_S: Final = 600.0
_STALE_S: Final = 3_600.0
_AGAIN_S: Final = 30.0
_TIMEOUT_S: Final = 5.0
_WAITING: Final = 256  # a waiting request is cheap, a refused one costs a sign-in
_MOST_BYTES: Final = 256_000
_MOST_KEYS: Final = 64
_RSA_BITS: Final = (2_048, 8_192)
_CURVES: Final = {"ES256": "P-256", "ES384": "P-384", "ES512": "P-521"}


class _Unreadable(Exception):
    """The answer of the issuer has no keys. The message is the reason."""


class IssuerKeys:
    """The keys of one issuer, for one event loop. Close it at the end."""

    def __init__(self, settings: OidcSettings, clock: Callable[[], float] = time.monotonic) -> None:
        self.settings = settings
        self._issuer = settings.issuer
        self._clock = clock
        self._keys: tuple[tuple[dict[str, Any], PublicKey], ...] = ()
        self._read_at = self._asked_at = float("-inf")
        self._reason = ""
        self._reading: asyncio.Task[None] | None = None
        self._waiting = 0
        self._client: httpx.AsyncClient | None = None

    @property
    def described_at(self) -> str:
        """Return the address of the issuer's description."""
        return f"{self._issuer.rstrip('/')}/.well-known/openid-configuration"

    async def key(self, name: str | None, algorithm: str) -> PublicKey | None:
        """Return the key with this name and algorithm, None if there is none. Without a name,
        return the only key with this algorithm. Raise WorkspaceUnavailable if the issuer cannot be
        reached."""
        now = self._clock()
        found = self._held(name, algorithm) if now - self._read_at < _STALE_S else None
        if found is not None and (now - self._read_at < _FRESH_S or self._reading is not None):
            return found
        if self._reading is None and now - self._asked_at >= _AGAIN_S:
            self._reading = asyncio.create_task(self._read())
        if self._reading is not None:
            await self._wait(self._reading)
        if self._clock() - self._read_at < _STALE_S:
            found = self._held(name, algorithm)
        if found is None and self._reason:
            raise WorkspaceUnavailable(
                f"the keys of {self._issuer} cannot be read: {self._reason}",
                hint="check [workspace.oidc] and the issuer",
            )
        return found

    async def close(self) -> None:
        """Close the connections."""
        if self._reading is not None:
            self._reading.cancel()
            await asyncio.wait({self._reading})
        if self._client is not None:
            client, self._client = self._client, None
            await client.aclose()

    async def _wait(self, reading: asyncio.Task[None]) -> None:
        """Wait until the keys are read. The request continues if the caller is cancelled."""
        if self._waiting >= _WAITING:
            raise WorkspaceUnavailable(
                "too many requests wait for the token issuer; try again later"
            )
        self._waiting += 1
        try:
            await asyncio.shield(reading)
        finally:
            self._waiting -= 1

    def _held(self, name: str | None, algorithm: str) -> PublicKey | None:
        fitting = [
            key
            for told, key in self._keys
            if _signs(told, algorithm) and (name is None or told.get("kid") == name)
        ]
        return fitting[0] if len(fitting) == 1 else None

    async def _read(self) -> None:
        """Read the keys from the issuer. A failure keeps the previous keys."""
        self._asked_at = self._clock()
        try:
            async with asyncio.timeout(_TIMEOUT_S):
                self._keys = await self._published()
            self._read_at, self._reason = self._clock(), ""
        except TimeoutError:
            self._reason = f"no answer within {_TIMEOUT_S:g} s"
        except _Unreadable as error:
            self._reason = str(error)
        finally:
            self._reading = None
        if self._reason:
            log.warning("the keys of %s cannot be read: %s", self._issuer, self._reason)

    async def _published(self) -> tuple[tuple[dict[str, Any], PublicKey], ...]:
        about = await self._json(self.described_at)
        if about.get("issuer") != self._issuer:
            raise _Unreadable("its description names another issuer")
        address = about.get("jwks_uri")
        if not isinstance(address, str):
            raise _Unreadable("its description has no jwks_uri")
        try:
            check_issuer_address("jwks_uri", address)
        except ConfigError as error:
            raise _Unreadable(error.message) from error
        if self._issuer.startswith("https:") and not address.startswith("https:"):
            raise _Unreadable("its jwks_uri is not https")
        listed = (await self._json(address)).get("keys")
        if not isinstance(listed, list) or len(listed) > _MOST_KEYS:
            raise _Unreadable(f"its keys are not a list of up to {_MOST_KEYS}")
        found = ((one, _usable(one)) for one in listed)
        return tuple((one, key) for one, key in found if key is not None)

    async def _json(self, url: str) -> dict[str, Any]:
        import httpx

        if self._client is None:
            headers = {"Accept": "application/json", "Accept-Encoding": "identity"}
            try:
                with proxies_for(url) as proxied:
                    self._client = httpx.AsyncClient(
                        headers=headers, timeout=_TIMEOUT_S, verify=trusted(), trust_env=proxied
                    )
            except ConfigError as error:  # of a proxy, or of certificates
                raise _Unreadable(error.message) from error
        try:
            async with self._client.stream("GET", url) as response:
                if response.status_code != 200:
                    raise _Unreadable(f"{url} answered {response.status_code}")
                raw = bytearray()
                async for (
                    piece
                ) in response.aiter_raw():  # not decompressed, whatever was negotiated
                    raw += piece
                    if len(raw) > _MOST_BYTES:
                        raise _Unreadable(f"{url} returned more than {_MOST_BYTES:,} bytes")
        except httpx.HTTPError as error:
            said = str(error) or type(error).__name__
            raise _Unreadable(f"the request to {url} failed: {said}") from error
        try:
            return msgspec.json.decode(raw, type=dict[str, Any])
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            raise _Unreadable(f"{url} did not return a JSON object") from error


def issuer_of(settings: OidcSettings) -> IssuerKeys | None:
    """Return the issuer of the settings, None if they name none. Raise ConfigError."""
    if not settings.issuer:
        return None
    if find_spec("joserfc") is None:
        raise ConfigError(
            "joserfc is not installed; [workspace.oidc] needs it",
            hint="pip install 'pincite[oidc]'",
        )
    return IssuerKeys(settings)


def _usable(one: object) -> PublicKey | None:
    """Return a public key for signatures, None if its size is weak or too slow."""
    if not isinstance(one, dict) or one.get("kty") not in ("RSA", "EC") or "d" in one:
        return None
    if one.get("use", "sig") != "sig" or not (one["kty"] == "EC" or _is_sized(one.get("n"))):
        return None
    return _key_of(one)


def _is_sized(modulus: object) -> bool:
    try:
        raw = urlsafe_b64decode(str(modulus) + "==")
    except ValueError:
        return False
    return _RSA_BITS[0] <= int.from_bytes(raw).bit_length() <= _RSA_BITS[1]


def _key_of(one: dict[str, Any]) -> PublicKey | None:
    from joserfc import jwk
    from joserfc.errors import JoseError

    try:
        return cast("PublicKey", jwk.import_key(one))
    except (JoseError, ValueError, TypeError, KeyError, AttributeError, OverflowError):
        return None  # unknown kind or form; other keys of the list may be usable


def _signs(one: dict[str, Any], algorithm: str) -> bool:
    """Return whether the key is for this algorithm."""
    if one.get("alg", algorithm) != algorithm:
        return False
    if algorithm in _CURVES:
        return one.get("crv") == _CURVES[algorithm]
    return one.get("kty") == "RSA"
