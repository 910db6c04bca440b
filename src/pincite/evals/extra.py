"""The packages of the extra `eval`, imported where they are used."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from pincite.errors import UsageError

INSTALL = 'pip install "pincite[eval]"'


def need(module: str) -> Any:
    """The module. Raises UsageError naming the install line if its package is not there; a
    broken installation lets its own error through."""
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        package = module.partition(".")[0]
        if error.name != package:
            raise
        raise UsageError(
            f"evaluation needs the package {package}, which is not installed", hint=INSTALL
        ) from error
