"""The errors that callers may see. Adapters translate their vendor's errors into these, once.

    PinciteError
    ├── UsageError            a bad option, path or query: something that cannot be
    │   ├── ConfigError       a setting or profile that is unknown or contradicts itself
    │   │   └── UntrustedConfig  a file that was found asks for what takes a person's word
    │   ├── TagsRequired      a collection that is only searched and read with certain tags
    │   ├── InvalidAttribute  an attribute that cannot be: its name, its type or its value
    │   ├── InvalidRecord     a record that cannot be: its id, its text or a field
    │   ├── ConversationNotFound  there is none of that id, or it is another user's
    │   └── NotFound          nothing in a workspace has that id, or the user may not know of it
    ├── Unauthenticated       no key, or one that is wrong, revoked or has expired
    ├── Forbidden             the user sees it, and their role or key does not allow to change it
    ├── WorkspaceUnavailable  the database of users and documents is out of reach
    ├── SourceError           a file, folder, checkout or archive could not be read
    ├── IndexUnavailable      no index, no daemon, or it does not answer
    │   ├── IndexNotFound     nothing has been indexed here
    │   ├── IndexTooNew       written by a newer version of Pincite
    │   └── DaemonOfAnotherVersion  its process is of another version and stays
    ├── FingerprintMismatch   the index was made with another encoder, analyser or chunker
    ├── StoreError            the store refused or lost something
    │   ├── DiskFull          not enough free space to write safely
    │   └── EnginePanicked    Qdrant Edge's state cannot be trusted any more
    ├── InvalidPoint          a vector or payload that the store must never see
    ├── MemoryUnavailable     what is remembered of users is out of reach
    ├── ModelUnavailable      weights that cannot be had or do not match their checksum
    │   └── ModelsUnwritable  the folder of models cannot be written to
    └── ProviderError         a model behind an address did not do what it was asked
        ├── AuthError         the key is missing, wrong or not allowed to do this
        ├── Gone              there is no such model or endpoint, or no longer
        ├── Invalid           the request was refused, and would be again
        │   └── TooLarge      refused for its size: half of it may pass
        ├── RateLimited       too much at a time; it is tried again
        ├── Unavailable       no answer, or none of use right now; it is tried again
        └── BadResponse       an answer that cannot be: wrong count, size, order or number

Every message says what failed, on what, and what to do next; `hint` is the next command to run.
"""

from __future__ import annotations


class PinciteError(Exception):
    """Base of all errors that Pincite raises on purpose. `hint` is a command or an action."""

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.message}\n  try: {self.hint}" if self.hint else self.message


class UsageError(PinciteError):
    """A bad option, path or query."""


class ConfigError(UsageError):
    """An unknown or contradictory setting. `keys` are those that contradict each other, by their
    names in `pincite.toml`; nothing where one alone is wrong."""

    def __init__(self, message: str, *, hint: str = "", keys: tuple[str, ...] = ()) -> None:
        super().__init__(message, hint=hint)
        self.keys = keys


class UntrustedConfig(ConfigError):
    """A `pincite.toml` that nobody named and nobody trusted asks for models, addresses or paths
    outside of its folder. `config` is the file, `digest` what is remembered if it is trusted,
    `claims` are a key, its value, a reason and where a path leads each."""

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
    """An attribute that cannot be. `code` says why (`attribute_name`, `attribute_reserved`,
    `attribute_invalid`, `too_many_attributes`), `name` which one it is."""

    def __init__(
        self, message: str, *, code: str = "attribute_invalid", name: str = "", hint: str = ""
    ) -> None:
        super().__init__(message, hint=hint)
        self.code = code
        self.name = name


class InvalidRecord(UsageError):
    """A record that cannot be indexed. `code` says why, `id` and `position` which one it is: its
    place among those that were given, from 1."""

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
    """A collection requires tags that were not given."""


class ConversationNotFound(UsageError):
    """No conversation of that id, or it is another user's."""


class NotFound(UsageError):
    """Nothing in a workspace has that id, or the user may not know of it."""


class Unauthenticated(PinciteError):
    """No key, or one that is wrong, revoked or has expired."""


class Forbidden(PinciteError):
    """The user sees it, and their role or key does not allow to change it."""


class WorkspaceUnavailable(PinciteError):
    """The database of users and documents is out of reach, or has another schema."""


class SourceError(PinciteError):
    """A source that could not be read."""


class IndexUnavailable(PinciteError):
    """The index does not answer."""


class IndexNotFound(IndexUnavailable):
    """Nothing has been indexed here."""


class IndexTooNew(IndexUnavailable):
    """The index was written by a newer version."""


class DaemonOfAnotherVersion(IndexUnavailable):
    """The process that has the index is of another version, and is newer or in use."""


class FingerprintMismatch(PinciteError):
    """The index was made by other encoders than the ones in use."""


class StoreError(PinciteError):
    """The store refused an operation."""


class DiskFull(StoreError):
    """Not enough free space to write safely."""


class EnginePanicked(StoreError):
    """Qdrant Edge gave up in the middle of an operation. Its process must not go on with it."""


class InvalidPoint(PinciteError):
    """A point that must not reach the store."""


class MemoryUnavailable(PinciteError):
    """What is remembered of users, or was said before, is out of reach."""


class ModelUnavailable(PinciteError):
    """Weights that cannot be had, or that are not what they should be."""


class ModelsUnwritable(ModelUnavailable):
    """Weights have no place: the folder of models cannot be written to."""


class ProviderError(PinciteError):
    """A model behind an address did not do what it was asked."""


class AuthError(ProviderError):
    """The key is missing, wrong or not allowed to do this."""


class Gone(ProviderError):
    """There is no such model or endpoint, or no longer."""


class Invalid(ProviderError):
    """The request was refused and would be refused again."""


class TooLarge(Invalid):
    """The request was refused for its size; a smaller one may pass."""


class RateLimited(ProviderError):
    """Too much at a time. `retry_after_s` is what the provider asked for, None if it did not."""

    def __init__(self, message: str, *, hint: str = "", retry_after_s: float | None = None) -> None:
        super().__init__(message, hint=hint)
        self.retry_after_s = retry_after_s


class Unavailable(ProviderError):
    """No answer, or none of use right now. `retry_after_s` as with RateLimited."""

    def __init__(self, message: str, *, hint: str = "", retry_after_s: float | None = None) -> None:
        super().__init__(message, hint=hint)
        self.retry_after_s = retry_after_s


class BadResponse(ProviderError):
    """An answer that cannot be: wrong count, dimension, index or number, or no JSON."""
