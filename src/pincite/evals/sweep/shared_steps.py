"""The query path with cached stages, so that profiles share the steps up to their first difference.

Only `pincite.search.search` defines the steps and their order. Its own code is run here, with each
stage function replaced by one that caches its results by its arguments: configurations and other
small values by value, results of earlier steps by identity. So two profiles that agree on the first
steps compute these once.
"""

from __future__ import annotations

import inspect
import time
from collections.abc import Awaitable, Callable, Hashable
from functools import cache
from types import FunctionType
from typing import Any, cast

import msgspec

from pincite.evals.sweep.shared_ports import Ledger
from pincite.model import EvidencePack
from pincite.search import search
from pincite.support.fields import field_names

Search = Callable[..., Awaitable[EvidencePack]]
_STAGES = "pincite.stages."
_ORDER = (search.__module__, "pincite.search_steps.")
_BY_VALUE = frozenset((str, bytes, int, float, bool, frozenset, type(None)))


class Steps:
    """`search` has the signature of the real one. It caches results until `forget` is called; until
    then, nobody may change its arguments. The time of a cached step is added to the ledger."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._known: dict[Hashable, tuple[Any, float, Any]] = {}
        self._configs: dict[int, tuple[object, bytes]] = {}
        self._modules: dict[str, dict[str, Any]] = {}
        self.search: Search = self._twin(cast(FunctionType, search))

    def forget(self) -> None:
        """Drop all results."""
        self._known.clear()

    def _twin(self, function: FunctionType) -> FunctionType:
        """Return the same function with cached stages, also in the functions that it calls."""
        names = self._modules.get(function.__module__)
        if names is None:
            names = self._modules[function.__module__] = dict(function.__globals__)
            for name, value in tuple(names.items()):
                if not isinstance(value, FunctionType):
                    continue
                if value.__module__.startswith(_STAGES):
                    names[name] = self._remembered(value)
                elif value.__module__.startswith(_ORDER):
                    names[name] = self._twin(value)
        return _among(function, names)

    def _remembered(self, function: Callable[..., Any]) -> Callable[..., Any]:
        name = function.__name__

        async def later(*args: Any, **kwargs: Any) -> Any:
            key = (name, *map(self._key, args), self._key(kwargs))
            if key not in self._known:
                started_s, saved_ms = time.perf_counter(), self._ledger.saved_ms
                value = await function(*args, **kwargs)
                self._keep(key, value, started_s, saved_ms, (args, kwargs))
                return value
            return self._recall(name, key)

        def now(*args: Any, **kwargs: Any) -> Any:
            key = (name, *map(self._key, args), self._key(kwargs))
            if key not in self._known:
                started_s, saved_ms = time.perf_counter(), self._ledger.saved_ms
                value = function(*args, **kwargs)
                self._keep(key, value, started_s, saved_ms, (args, kwargs))
                return value
            return self._recall(name, key)

        return later if inspect.iscoroutinefunction(function) else now

    def _keep(
        self, key: Hashable, value: Any, started_s: float, saved_ms: float, given: Any
    ) -> None:
        """Cache a result. `given` is stored, too, because an identity is valid only while the
        object exists."""
        took_ms = (time.perf_counter() - started_s) * 1000 + self._ledger.saved_ms - saved_ms
        self._known[key] = (value, took_ms, given)
        self._ledger.count(f"step {key[0]}", 1, 0)  # type: ignore[index]

    def _recall(self, name: str, key: Hashable) -> Any:
        value, took_ms, _ = self._known[key]
        self._ledger.saved_ms += took_ms
        self._ledger.count(f"step {name}", 0, 1)
        return value

    def _key(self, value: Any) -> Hashable:
        """Return a key: small values by value, values of Pincite by their fields, all others by
        identity."""
        kind = type(value)
        if kind in _BY_VALUE:
            return value  # type: ignore[no-any-return]
        if kind is dict:
            return tuple((name, self._key(item)) for name, item in value.items())
        if kind.__module__.startswith(_STAGES) and kind.__name__.endswith("Config"):
            return self._config(value)
        if names := _fields(cast(Hashable, kind)):
            return (kind, *(self._key(getattr(value, name)) for name in names))
        return ("identity", id(value))

    def _config(self, value: object) -> bytes:
        """Return all values of a configuration, encoded. The result is cached, because one profile
        serves many questions."""
        known = self._configs.get(id(value))
        if known is None:
            known = self._configs[id(value)] = (value, msgspec.msgpack.encode(value))
        return known[1]


def _among(function: FunctionType, names: dict[str, Any]) -> FunctionType:
    """Return the same function with `names` as its global names."""
    twin = FunctionType(
        function.__code__, names, function.__name__, function.__defaults__, function.__closure__
    )
    twin.__kwdefaults__ = function.__kwdefaults__
    return twin


@cache
def _fields(kind: Hashable) -> tuple[str, ...]:
    """Return the field names of a class of Pincite, none for other classes."""
    if not (isinstance(kind, type) and kind.__module__.startswith("pincite.")):
        return ()
    return field_names(kind)
