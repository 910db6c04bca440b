"""Import frameworks that need an extra of this package."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def needs_extra(extra: str, module: str, *more: str) -> Iterator[None]:
    """Import the framework `module` in the block, and `more` that come with it. Raises
    ModuleNotFoundError with the install command if one is missing. A broken installation raises its
    own error."""
    try:
        yield
    except ModuleNotFoundError as error:
        missing = error.name
        if not missing or not any(f"{one}.".startswith(f"{missing}.") for one in (module, *more)):
            raise
        raise ModuleNotFoundError(
            f"this module needs {module}, which is not installed: pip install 'pincite[{extra}]'",
            name=error.name,
        ) from error
