"""The errors that callers may see. Adapters translate the errors of their vendor into these.

    PinciteError
    ├── UsageError            an invalid option, path or query
    │   ├── ConfigError       an unknown or contradictory setting or profile
    │   │   └── UntrustedConfig  a found file has settings that need your consent
    │   ├── TagsRequired      a collection that requires tags for searches and reads
    │   ├── InvalidAttribute  an attribute with an invalid name, type or value
    │   ├── InvalidRecord     a record with an invalid id, text or field
    │   ├── ConversationNotFound  no conversation has that id, or it is another user's
    │   └── NotFound          nothing in the workspace has that id, or the user may not see it
    ├── Unauthenticated       the key is missing, wrong, revoked or expired
    ├── Forbidden             the user's role or key allows reading but not changing it
    ├── WorkspaceUnavailable  the database of users and documents is unavailable
    │   ├── ReadOnlyDatabase  it accepts no changes
    │   └── SchemaTooNew      a newer version has changed it so that this one cannot go on
    ├── CollectionsFailed     some of several collections could not be updated
    ├── SourceError           a file, folder, checkout or archive could not be read
    ├── IndexUnavailable      no index, no daemon, or no response
    │   ├── IndexNotFound     nothing has been indexed here
    │   ├── IndexTooNew       written by a newer version of Pincite
    │   └── DaemonOfAnotherVersion  the index process has another version and stays
    ├── FingerprintMismatch   the index was made with another encoder, analyser or chunker
    ├── StoreError            the store refused an operation or lost data
    │   ├── DiskFull          not enough free space to write safely
    │   └── EnginePanicked    the state of Qdrant Edge is no longer reliable
    ├── InvalidPoint          a vector or payload that must not reach the store
    ├── MemoryUnavailable     facts about users or conversations are unavailable
    ├── ModelUnavailable      weights are unavailable or do not match their checksum
    │   └── ModelsUnwritable  the models folder is not writable
    └── ProviderError         a request to a provider's model failed
        ├── AuthError         the key is missing, wrong or lacks permission
        ├── Gone              the model or endpoint does not exist, or no longer
        ├── Invalid           the request was refused; repeating it does not help
        │   └── TooLarge      refused for its size: a smaller request may pass
        ├── RateLimited       too many requests or tokens at a time; retried
        ├── Unavailable       no usable response right now; retried
        └── BadResponse       an invalid response: wrong count, size, order or number

Every message says what failed, on what, and what to do next; `hint` is the next command to run.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


class PinciteError(Exception):
    """Base class of all errors of Pincite. `hint` is a command or an action that helps."""

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.message}\n  try: {self.hint}" if self.hint else self.message

    @property
    def line(self) -> str:
        """The message with its hint, for places that have one line."""
        return f"{self.message} (try: {self.hint})" if self.hint else self.message


class UsageError(PinciteError):
    """An invalid option, path or query."""


class NoDenseVectors(UsageError):
    """A search by vectors alone asks a collection without dense vectors."""


class ConfigError(UsageError):
    """An unknown or contradictory setting. `keys` are the contradictory keys by their names in
    `pincite.toml`; empty if a single key is wrong. `at` is the path of that one, if it is known."""

    def __init__(
        self,
        message: str,
        *,
        hint: str = "",
        keys: tuple[str, ...] = (),
        at: tuple[str, ...] = (),
    ) -> None:
        super().__init__(message, hint=hint)
        self.keys = keys
        self.at = at


class UntrustedConfig(ConfigError):
    """A `pincite.toml` that was found, not named, has untrusted settings: models, addresses or
    paths outside of its folder. `config` is the file. `digest` is stored if you trust it. Each
    of `claims` has a key, its value, a reason, and the target if the value is a path."""

    def __init__(
        self,
        message: str,
        *,
        hint: str = "",
        config: str = "",
        digest: str = "",
        claims: tuple[tuple[str, ...], ...] = (),
    ) -> None:
        super().__init__(message, hint=hint)
        self.config = config
        self.digest = digest
        self.claims = claims


class InvalidAttribute(UsageError):
    """An invalid attribute. `code` gives the reason (`attribute_name`, `attribute_reserved`,
    `attribute_invalid`, `too_many_attributes`), `name` the attribute."""

    def __init__(
        self, message: str, *, code: str = "attribute_invalid", name: str = "", hint: str = ""
    ) -> None:
        super().__init__(message, hint=hint)
        self.code = code
        self.name = name


class InvalidRecord(UsageError):
    """A record that cannot be indexed. `code` gives the reason, `id` and `position` the record.
    Positions in the input count from 1."""

    def __init__(
        self,
        message: str,
        *,
        code: str = "",
        id: str = "",  # noqa: A002 - as in the record
        position: int = 0,
        hint: str = "",
    ) -> None:
        super().__init__(message, hint=hint)
        self.code = code
        self.id = id
        self.position = position


class TagsRequired(UsageError):
    """A collection requires tags that are missing."""


class ConversationNotFound(UsageError):
    """No conversation has that id, or it is another user's."""


class NotFound(UsageError):
    """Nothing in the workspace has that id, or the user may not see it."""


class Unauthenticated(PinciteError):
    """The key is missing, wrong, revoked or expired."""


class Forbidden(PinciteError):
    """The user's role or key allows reading but not changing it."""


class WorkspaceUnavailable(PinciteError):
    """The database of users and documents is unavailable or has another schema."""


class ReadOnlyDatabase(WorkspaceUnavailable):
    """The database of users and documents accepts no changes."""


class SchemaTooNew(WorkspaceUnavailable):
    """A newer version has changed the database so that this one cannot go on."""


class UpdatedInPart(PinciteError):
    """Some could not be updated, and all others were. `errors` has the error of each by its name,
    `reports` the `IngestReport`s of the others."""

    what = "ones"

    def __init__(
        self, errors: Mapping[str, PinciteError], tried: int, reports: tuple[Any, ...]
    ) -> None:
        said = "; ".join(f"{name}: {error.line}" for name, error in errors.items())
        super().__init__(f"{len(errors)} of {tried} {self.what} could not be updated: {said}")
        self.errors = errors
        self.reports = reports


class CollectionsFailed(UpdatedInPart):
    """Some of several collections could not be updated."""

    what = "collections"


class SourcesMissing(UpdatedInPart):
    """Some of several sources of a collection could not be opened. Their documents stay."""

    what = "sources"


class SourceError(PinciteError):
    """A source could not be read."""


class IndexUnavailable(PinciteError):
    """The index does not respond."""


class IndexNotFound(IndexUnavailable):
    """Nothing has been indexed here."""


class IndexTooNew(IndexUnavailable):
    """The index was written by a newer version."""


class DaemonOfAnotherVersion(IndexUnavailable):
    """The process that has the index open has another version, and is newer or in use."""


class FingerprintMismatch(PinciteError):
    """The index was made with other encoders than the current ones."""


class StoreError(PinciteError):
    """The store refused an operation."""


class DiskFull(StoreError):
    """Not enough free space to write safely."""


class EnginePanicked(StoreError):
    """Qdrant Edge panicked during an operation. Its process must not use it any more."""


class InvalidPoint(PinciteError):
    """A point that must not reach the store."""


class MemoryUnavailable(PinciteError):
    """Facts about users or conversations are unavailable."""


class ModelUnavailable(PinciteError):
    """Weights are unavailable or do not match their checksum."""


class ModelsUnwritable(ModelUnavailable):
    """Weights cannot be stored: the models folder is not writable."""


class ProviderError(PinciteError):
    """A request to a provider's model failed."""


class AuthError(ProviderError):
    """The key is missing, wrong or lacks permission."""


class Gone(ProviderError):
    """The model or endpoint does not exist, or no longer."""


class Invalid(ProviderError):
    """The request was refused; repeating it does not help. `item` is the text that is refused if it
    is known."""

    def __init__(self, message: str, *, hint: str = "", item: object = None) -> None:
        super().__init__(message, hint=hint)
        self.item = item


class TooLarge(Invalid):
    """The request was refused for its size; a smaller one may pass."""


class RateLimited(ProviderError):
    """Too many requests or tokens at a time. `retry_after_s` is the provider's value, or None."""

    def __init__(self, message: str, *, hint: str = "", retry_after_s: float | None = None) -> None:
        super().__init__(message, hint=hint)
        self.retry_after_s = retry_after_s


class Unavailable(ProviderError):
    """No usable response right now. `retry_after_s` as in RateLimited."""

    def __init__(self, message: str, *, hint: str = "", retry_after_s: float | None = None) -> None:
        super().__init__(message, hint=hint)
        self.retry_after_s = retry_after_s


class BadResponse(ProviderError):
    """An invalid response: wrong count, dimension, index or number, or no JSON."""
