"""Faults of a server that can be switched on."""

from __future__ import annotations

import base64
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from pincite.testing.contract_server.chat_faults import CHAT_FAULTS, spoil_chat
from pincite.testing.contract_server.wire import Response, Vendor

_STATUS = {
    "400": "the request is malformed",
    "401": "the key is wrong",
    "403": "the key may not do this",
    "404": "no such model",
    "408": "the request took too long to arrive",
    "409": "another request is at work on this",
    "410": "the model has been retired; use its successor",
    "413": "the request entity is too large",
    "422": "the value of a field is not valid",
    "424": "the backend failed",
    "429": "rate limit reached",
    "429-retry-after": "rate limit reached",
    "500": "internal error",
    "503": "the model is overloaded",
}
#: Errors of llama.cpp alone: texts larger than its batch, and reranking without its option.
_LLAMACPP = {
    "500-too-large": "input (900 tokens) is too large to process. increase the physical batch size",
    "501": "This server does not support reranking. Start it with `--reranking`",
}
LLAMACPP_FAULTS = tuple(_LLAMACPP)
_PACKED_CHARS = 64  # longer strings of a result are packed vectors
#: Faults that change the answer.
_SPOILT = ("slow", "cut-off", "wrong-count", "wrong-order", "nan", "no-json")
FAULTS = (*_STATUS, *_SPOILT)


@dataclass(slots=True)
class Fault:
    """A fault for the next `times` requests whose path ends in `path`. `wait_s` is the delay of
    `slow` and `stall`, `retry_after_s` the wait that `429-retry-after` asks for."""

    name: str
    times: int = 1
    path: str = ""
    wait_s: float = 5.0
    retry_after_s: float = 0.05

    def __post_init__(self) -> None:
        known = (*FAULTS, *CHAT_FAULTS, *LLAMACPP_FAULTS)
        if self.name not in known:
            raise ValueError(f"there is no fault {self.name!r}; there are: {', '.join(known)}")


class Switches:
    """The active faults. Threads may share them."""

    def __init__(self) -> None:
        self._faults: list[Fault] = []
        self._lock = threading.Lock()

    def on(self, fault: Fault) -> None:
        """Switch a fault on."""
        with self._lock:
            self._faults.append(fault)

    def off(self) -> None:
        """Switch all faults off."""
        with self._lock:
            self._faults.clear()

    def take(self, path: str) -> Fault | None:
        """Return the fault for a request, None without one."""
        with self._lock:
            for fault in self._faults:
                if fault.times > 0 and path.endswith(fault.path):
                    fault.times -= 1
                    return fault
        return None


def refused(fault: Fault, vendor: Vendor) -> Response | None:
    """Return the answer of a fault that is a status; None for others."""
    message = _STATUS.get(fault.name) or _LLAMACPP.get(fault.name)
    if message is None:
        return None
    status = int(fault.name[:3])
    headers = (
        {"Retry-After": f"{fault.retry_after_s:g}"} if fault.name.endswith("retry-after") else {}
    )
    return Response(status, vendor.error(status, message), headers)


def spoil(fault: Fault, response: Response) -> Response:
    """Return the answer with the fault in it. `cut-off` happens while sending."""
    if fault.name == "slow":
        time.sleep(fault.wait_s)
    if fault.name in CHAT_FAULTS:
        return spoil_chat(fault.name, response, fault.wait_s)
    if response.stream is not None:  # a stream has no count and no order
        lines = response.stream
        return Response(stream=(n[:-9] for n in lines) if fault.name == "no-json" else lines)
    if fault.name == "no-json":
        return Response(200, response.raw()[:-5])
    if fault.name in ("wrong-count", "wrong-order", "nan"):
        return Response(200, _each_list(response.body, _CHANGES[fault.name]), response.headers)
    return response


def _each_list(value: Any, change: Callable[[list[Any]], list[Any]]) -> Any:
    """Change the outermost list of results: the answer itself, or one of its fields."""
    if isinstance(value, list):
        return change(value)
    if isinstance(value, dict):
        names = ("data", "embeddings", "results", "float")
        return {k: _each_list(v, change) if k in names else v for k, v in value.items()}
    return value


def _nan(values: list[Any]) -> list[Any]:
    """Replace the first number of the first result by null."""
    first = values[0] if values else None
    if isinstance(first, float):
        return [None, *values[1:]]
    if isinstance(first, list):
        return [_nan(first), *values[1:]]
    if isinstance(first, dict):
        return [{k: _spoilt_number(v) for k, v in first.items()}, *values[1:]]
    return values


def _spoilt_number(value: Any) -> Any:
    if isinstance(value, float):
        return None
    if isinstance(value, str) and len(value) > _PACKED_CHARS:  # base64 of little-endian float32
        return base64.b64encode(b"\x00\x00\xc0\x7f" + base64.b64decode(value)[4:]).decode()
    return _nan(value) if isinstance(value, list) else value


_CHANGES: dict[str, Callable[[list[Any]], list[Any]]] = {
    "wrong-count": lambda values: values[:-1],
    "wrong-order": lambda values: values[::-1],
    "nan": _nan,
}
