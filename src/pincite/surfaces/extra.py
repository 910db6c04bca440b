"""Frameworks that an extra of this package installs."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def needs_extra(extra: str, module: str) -> Iterator[None]:
    """Import the framework `module` in the block. Raises ModuleNotFoundError with the install
    command if it is missing. A broken installation raises its own error."""
    try:
        yield
    except ModuleNotFoundError as error:
        if not error.name or not f"{module}.".startswith(f"{error.name}."):
            raise
        raise ModuleNotFoundError(
            f"this module needs {module}, which is not installed: pip install 'pincite[{extra}]'",
            name=error.name,
        ) from error
