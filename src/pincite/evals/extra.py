"""Import the packages of the extra `eval` when they are needed."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from pincite.errors import UsageError

INSTALL = 'pip install "pincite[eval]"'


def need(module: str) -> Any:
    """Import the module. Raises UsageError with the install command if its package is missing. A
    broken installation raises its own error."""
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        package = module.partition(".")[0]
        if error.name != package:
            raise
        raise UsageError(
            f"evaluation needs the package {package}, which is not installed", hint=INSTALL
        ) from error
