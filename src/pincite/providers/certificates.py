"""The certificates of authorities that a server's certificate is checked with."""

from __future__ import annotations

import os
from functools import lru_cache
from typing import TYPE_CHECKING

from pincite.errors import ConfigError

if TYPE_CHECKING:
    import ssl

_VARIABLES = ("SSL_CERT_FILE", "SSL_CERT_DIR")


def trusted() -> ssl.SSLContext:
    """Return the trusted authorities: those of `SSL_CERT_FILE`, of the folders in `SSL_CERT_DIR`,
    or else of the package certifi. Raises ConfigError that names a file that cannot be read or has
    none."""
    name = next((one for one in _VARIABLES if os.environ.get(one)), "")
    return _loaded(name, os.environ.get(name, ""))


@lru_cache(maxsize=4)
def _loaded(name: str, path: str) -> ssl.SSLContext:
    """Load the certificates, which takes 20 ms, once."""
    import ssl

    import httpx

    folders = path.split(os.pathsep)  # as OpenSSL reads it
    if name == "SSL_CERT_DIR" and not any(map(os.path.isdir, folders)):  # trusts no server
        raise _unusable(name, path, "it is not a folder")
    try:
        return httpx.create_ssl_context()
    except ssl.SSLError as error:
        raise _unusable(name, path, "it has no certificate in PEM") from error
    except OSError as error:
        raise _unusable(name, path, error.strerror or str(error)) from error


def _unusable(name: str, path: str, reason: str) -> ConfigError:
    hint = f"export {name}=/path/to/authority.pem, or unset it"
    if name != "SSL_CERT_FILE":
        hint = "export SSL_CERT_FILE=/path/to/authority.pem, or unset SSL_CERT_DIR"
    if not name:  # the file of certifi
        return ConfigError(f"the authorities of the package certifi cannot be read: {reason}")
    return ConfigError(f"{path}, named by {name}, cannot be used: {reason}", hint=hint)
