"""`[workspace] files` and `[workspace.s3]`: a bucket for uploaded files instead of a folder.

[workspace]
files = "s3://BUCKET/PREFIX"

[workspace.s3]
endpoint = "https://minio.example:9000"
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final, NamedTuple
from urllib.parse import urlsplit

import msgspec

from pincite.errors import ConfigError
from pincite.settings.file.tables import take_table

SCHEME: Final = "s3://"
_BUCKET: Final = re.compile(r"[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]")
_PREFIX: Final = re.compile(r"(?:[A-Za-z0-9_-][A-Za-z0-9_.-]*(?:/|\Z))*")
_REGION: Final = re.compile(r"[a-z0-9-]{1,64}")
_PREFIX_CHARS: Final = 512


class Bucket(NamedTuple):
    """A bucket, and the common prefix of the keys of its files."""

    name: str
    prefix: str


class S3Settings(msgspec.Struct, frozen=True):
    """The table `[workspace.s3]` of pincite.toml. `endpoint`: the address of the server, empty for
    Amazon's server of the region. `key_file`: a file with credentials in the format of AWS, which
    is read again from time to time; empty for the variables `AWS_...` or the role of the
    machine."""

    endpoint: str = ""
    region: str = "us-east-1"
    key_file: str = ""

    def __post_init__(self) -> None:
        if self.endpoint:
            _check_endpoint(self.endpoint)
        if not _REGION.fullmatch(self.region):
            raise ConfigError(
                "workspace.s3.region is not the name of a region", hint='"eu-central-1"'
            )
        if "\0" in self.key_file:
            raise ConfigError(
                "workspace.s3.key_file has a NUL character, so it is not a valid path"
            )


def take_s3_settings(table: Mapping[str, Any], origin: str) -> S3Settings:
    """Read the table `[workspace.s3]`. Raises ConfigError for an unknown key or wrong value, and
    for a key in the file."""
    if isinstance(table, Mapping):
        for key in table:
            if "secret" in key or "access_key" in key or "token" in key:
                raise ConfigError(
                    f"{origin}: [workspace.s3] has a key, but other people may read the file",
                    hint="use AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or key_file",
                )
    return take_table({"workspace.s3": table}, "workspace.s3", S3Settings, origin)


def bucket_of(files: str) -> Bucket | None:
    """Return the bucket in `[workspace] files`, None for the index folder. Raises ConfigError."""
    if not files:
        return None
    name, _, prefix = files.removeprefix(SCHEME).partition("/")
    prefix = prefix.rstrip("/")
    fits = _BUCKET.fullmatch(name) and _PREFIX.fullmatch(prefix) and len(prefix) <= _PREFIX_CHARS
    if not files.startswith(SCHEME) or not fits or ".." in files:
        raise ConfigError(
            "workspace.files does not name a bucket",
            hint=(
                'use "s3://BUCKET/PREFIX" of letters, digits, `.`, `_` and `-`; empty for a folder'
            ),
        )
    return Bucket(name, prefix)


def _check_endpoint(address: str) -> None:
    try:
        parts = urlsplit(address)
        host, _ = parts.hostname, parts.port
    except ValueError:
        host = None
        parts = urlsplit("")
    if parts.scheme not in ("http", "https") or not host or not address.isprintable():
        raise ConfigError("workspace.s3.endpoint is not an address", hint="https://HOST:PORT")
    if parts.username is not None or parts.query or parts.fragment or " " in address:
        raise ConfigError("workspace.s3.endpoint has more than scheme, host, port and path")
