"""Store uploaded files in a bucket of an S3 server, in the same layout as in a folder.

    PREFIX/SPACE/ab/abcdef...      the bytes, under their SHA-256
    PREFIX/incoming/...            uploads in progress, which have no final name yet

A small file is one request. A large one is sent in parts under a temporary name, because its hash
is known only at its end; then the server copies it to its place.
"""

from __future__ import annotations

import asyncio
import configparser
import os
import secrets
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterator
from contextlib import aclosing, contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from pincite.errors import ConfigError, NotFound, WorkspaceUnavailable
from pincite.settings.sections.object_store import Bucket, S3Settings
from pincite.support.capabilities import open_to_read
from pincite.workspace.checks import is_hash, is_id
from pincite.workspace.files.file_store import (
    MARK,
    STALE_S,
    Measure,
    Stored,
    checked,
    require_place,
    require_space,
)

if TYPE_CHECKING:
    from obstore.store import S3Credential, S3Store

#: The smallest part that servers accept. An upload has a few of these in memory.
_PART: Final = 5 << 20
_PIECE: Final = 1 << 20
_INCOMING: Final = "incoming"
#: Seconds for a request, for its connection, and between two pieces of its answer; the number of
#: tries. Guesses, unmeasured.
_REQUEST_S: Final = 600
_CONNECT_S: Final = 5
_SILENT_S: Final = 20
_TRIES: Final = 2
_TRYING_S: Final = 30
_CUT_S: Final = 10.0
_KEY_BYTES: Final = 64_000
_READ_AGAIN: Final = timedelta(minutes=10)
_REASON_CHARS: Final = 200
_ROLES: Final = "169.254.169.254"  # the address at which a machine at Amazon requests its role


@dataclass(frozen=True, slots=True)
class Patience:
    """How long a server may be silent, and how often a request is repeated."""

    silent_s: float = _SILENT_S
    tries: int = _TRIES


class ObjectFiles:
    """A `FileStore` in a bucket."""

    def __init__(
        self, bucket: Bucket, settings: S3Settings, patience: Patience = Patience()
    ) -> None:
        """Set up the store; it connects on first use. Raise ConfigError."""
        self.place = f"s3://{bucket.name}/{bucket.prefix}".rstrip("/")
        self._store = _store(bucket, settings, patience)

    async def put(self, space_id: str, pieces: AsyncIterator[bytes], most: int) -> Stored:
        """Store a file; see `FileStore`."""
        require_space(space_id)
        measure, held = Measure(most), bytearray()
        upload: _Upload | None = None
        try:
            async for piece in pieces:
                held += measure.take(piece)
                if len(held) > _PART:
                    upload = upload or _Upload(self._store, f"{_INCOMING}/{secrets.token_hex(16)}")
                    with self._translated():
                        await upload.send(bytes(held))
                    held.clear()
            stored = measure.stored
            path = require_place(space_id, stored.content_hash)
            with self._translated():
                if upload is None:
                    await self._store.put_async(path, bytes(held), use_multipart=False)
                else:
                    await upload.send(bytes(held))
                    await upload.end()
                    await self._settle(upload.path, path, stored.size)
        finally:
            if upload is not None:
                await upload.cut()
        return stored

    async def read(self, space_id: str, content_hash: str) -> bytes:
        """Return the bytes of a file; see `FileStore`."""
        return b"".join([piece async for piece in self.pieces(space_id, content_hash)])

    async def pieces(self, space_id: str, content_hash: str) -> AsyncIterator[bytes]:
        """Yield the bytes of a file in pieces; see `FileStore`."""
        async with aclosing(self._raw(require_place(space_id, content_hash))) as raw:
            async for piece in checked(raw, content_hash):
                yield piece

    async def copy(self, from_space: str, to_space: str, content_hash: str) -> None:
        """Copy a file; see `FileStore`."""
        source, target = (
            require_place(from_space, content_hash),
            require_place(to_space, content_hash),
        )
        with self._translated():
            found = await self._store.head_async(source)
            if source != target:
                await self._settle(source, target, found["size"])

    async def older_than(self, age_s: float) -> tuple[tuple[str, str], ...]:
        """Return files of at least that age, by the clocks of both the server and this machine; see
        `FileStore`. Removes the leftovers of interrupted uploads."""
        now, found, left = datetime.now(UTC), list[tuple[str, str]](), list[str]()
        before, failed = now - timedelta(seconds=age_s), now - timedelta(seconds=STALE_S)
        with self._translated():
            async for batch in self._store.list(chunk_size=1_000):
                for one in batch:
                    folder, _, rest = one["path"].partition("/")
                    content_hash = rest.rpartition("/")[2]
                    if folder == _INCOMING and one["last_modified"] <= failed:
                        left.append(one["path"])
                    elif not (is_id(folder) and is_hash(content_hash)):
                        continue
                    elif one["last_modified"] <= before and one["path"] == require_place(
                        folder, content_hash
                    ):
                        found.append((folder, content_hash))
            for path in left:
                await self._remove(path)
        return tuple(sorted(found))

    async def delete(self, space_id: str, content_hash: str, age_s: float | None = None) -> None:
        """Remove a file; see `FileStore`."""
        path = require_place(space_id, content_hash)
        with self._translated():
            if age_s is None or await self._is_old(path, age_s):
                await self._remove(path)

    async def read_mark(self) -> str:
        """Return the mark of the prefix; see `FileStore`."""
        try:
            async with aclosing(self._raw(MARK)) as raw:
                return b"".join([piece async for piece in raw]).decode("utf-8", "replace")
        except NotFound:
            return ""

    async def mark(self, text: str) -> None:
        """Store the mark of the prefix; see `FileStore`."""
        with self._translated():
            await self._store.put_async(MARK, text.encode(), use_multipart=False)

    async def _is_old(self, path: str, age_s: float) -> bool:
        try:
            found = await self._store.head_async(path)
        except FileNotFoundError:
            return False
        return found["last_modified"] <= datetime.now(UTC) - timedelta(seconds=age_s)

    async def _settle(self, source: str, target: str, size: int) -> None:
        """Copy within the bucket and check the result: a server may report success and then break
        off."""
        await self._store.copy_async(source, target)
        if (await self._store.head_async(target))["size"] != size:
            await self._remove(target)
            raise WorkspaceUnavailable(f"{self.place} has not stored the whole file")

    async def _raw(self, path: str) -> AsyncGenerator[bytes, None]:
        with self._translated():
            found = await self._store.get_async(path)
            async for piece in found.stream(min_chunk_size=_PIECE):
                yield bytes(piece)

    async def _remove(self, path: str) -> None:
        with suppress(FileNotFoundError):
            await self._store.delete_async(path)

    @contextmanager
    def _translated(self) -> Iterator[None]:
        from obstore import exceptions

        try:
            yield
        except FileNotFoundError as error:
            if "NoSuchBucket" in str(error):
                raise WorkspaceUnavailable(
                    f"uploaded files are out of reach: the bucket {self.place} does not exist",
                    hint="create the bucket, or check [workspace] files",
                ) from error
            raise NotFound("the file is gone") from None
        except (exceptions.PermissionDeniedError, exceptions.UnauthenticatedError) as error:
            raise WorkspaceUnavailable(
                f"uploaded files are out of reach: {self.place} refuses the credentials",
                hint="they need permission to get, put, delete and list; see docs/operation.md",
            ) from error
        except (exceptions.BaseError, OSError, ValueError) as error:
            hint = "check the server and [workspace.s3]"
            if _ROLES in str(error):
                hint = "no credentials are configured: set key_file in [workspace.s3], or AWS_..."
            raise WorkspaceUnavailable(
                f"uploaded files in {self.place} are out of reach: {_reason(error)}",
                hint=hint,
            ) from error


class _CutOff(Exception):
    """Ends an upload; its parts are removed."""


class _Upload:
    """An upload in parts. A task of its own sends them, so that the server is also told if the
    caller is cancelled."""

    def __init__(self, store: S3Store, path: str) -> None:
        self.path = path
        self._store = store
        self._given: asyncio.Queue[bytes | _CutOff | None] = asyncio.Queue(1)
        self._sending = asyncio.create_task(self._send())

    async def send(self, piece: bytes | None) -> None:
        """Send the next bytes; None is the end. Raise earlier errors of the upload."""
        giving = asyncio.ensure_future(self._given.put(piece))
        try:
            await asyncio.wait({giving, self._sending}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            giving.cancel()
        if self._sending.done():
            self._sending.result()

    async def end(self) -> None:
        """Complete the object."""
        await self.send(None)
        await asyncio.shield(self._sending)

    async def cut(self) -> None:
        """Remove the parts of the upload, unless the server cannot be reached."""
        if not self._sending.done():
            while not self._given.empty():
                self._given.get_nowait()
            self._given.put_nowait(_CutOff())
            await asyncio.wait({self._sending}, timeout=_CUT_S)
            self._sending.cancel()
        if not self._sending.done() or self._sending.cancelled() or self._sending.exception():
            return
        with suppress(Exception):  # it is removed a day later
            await self._store.delete_async(self.path)

    async def _send(self) -> None:
        await self._store.put_async(
            self.path, self._pieces(), use_multipart=True, chunk_size=_PART, max_concurrency=1
        )

    async def _pieces(self) -> AsyncIterator[bytes]:
        while (piece := await self._given.get()) is not None:
            if isinstance(piece, _CutOff):
                raise piece
            yield piece


def _store(bucket: Bucket, settings: S3Settings, patience: Patience) -> S3Store:
    from obstore.store import S3Store

    given: dict[str, Any] = {}
    if settings.endpoint:
        given["aws_endpoint_url_s3"] = settings.endpoint.rstrip("/")
        given["virtual_hosted_style_request"] = False
    if settings.key_file:
        file = Path(settings.key_file).expanduser()
        read_credentials(file)  # report errors in it before the first upload
        given["credential_provider"] = _provider(file)
    return S3Store(
        bucket.name,
        prefix=bucket.prefix or None,
        region=settings.region,
        disable_bulk_delete=True,  # some servers do not support it
        client_options={
            "allow_http": settings.endpoint.startswith("http:"),
            "timeout": timedelta(seconds=_REQUEST_S),
            "connect_timeout": timedelta(seconds=_CONNECT_S),
            "read_timeout": timedelta(seconds=patience.silent_s),
        },
        retry_config={
            "max_retries": patience.tries,
            "retry_timeout": timedelta(seconds=_TRYING_S),
            "backoff": {"max_backoff": timedelta(seconds=2)},
        },
        **given,
    )


def read_credentials(file: Path) -> S3Credential:
    """Return the profile `default` of an AWS credentials file. Raise ConfigError with a message
    that quotes nothing from the file."""
    try:
        with os.fdopen(open_to_read(file, follow=True), encoding="utf-8") as opened:
            text = opened.read(_KEY_BYTES)
        parser = configparser.ConfigParser(interpolation=None)
        parser.read_string(text)
        found = parser["default"]
        key, secret = found["aws_access_key_id"], found["aws_secret_access_key"]
        token = found.get("aws_session_token")
    except OSError as error:
        raise ConfigError(f"the key file {file} cannot be read: {error.strerror}") from error
    except (configparser.Error, KeyError, UnicodeDecodeError):
        raise ConfigError(
            f"the key file {file} has no credentials",
            hint="[default], then lines aws_access_key_id = ... and aws_secret_access_key = ...",
        ) from None
    for one in (key, secret, token or "x"):
        if not one or not one.isascii() or not one.isprintable() or " " in one:
            raise ConfigError(f"the key file {file} has an invalid key")
    return {
        "access_key_id": key,
        "secret_access_key": secret,
        "token": token,
        "expires_at": datetime.now(UTC) + _READ_AGAIN,
    }


def _provider(file: Path) -> Callable[[], S3Credential]:
    def credentials() -> S3Credential:
        return read_credentials(file)

    return credentials


def _reason(error: Exception) -> str:
    """Return the first line of a library's message, without the body of a response."""
    first = (str(error).splitlines() or [""])[0].partition("<")[0]
    shown = "".join(sign for sign in first if sign.isprintable()).strip(" :")
    return shown[:_REASON_CHARS] or type(error).__name__
