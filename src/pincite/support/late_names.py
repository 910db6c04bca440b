"""Names of a package that are imported when they are first used (PEP 562)."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any


def late_names(package: str, homes: Mapping[str, str]) -> Callable[[str], Any]:
    """Return the `__getattr__` of a package, and let `dir` list its `__all__`. `homes` are names
    with spaces between them, by the module that defines them."""
    home_of = {name: module for module, names in homes.items() for name in names.split()}
    own = vars(sys.modules[package])
    own["__dir__"] = lambda: sorted(own["__all__"])

    def find(name: str) -> Any:
        if name not in home_of:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        own[name] = getattr(import_module(home_of[name]), name)
        return own[name]

    return find
