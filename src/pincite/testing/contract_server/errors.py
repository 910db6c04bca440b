"""The bodies of errors of each vendor."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

_TEI_TYPES = {400: "Empty", 413: "Validation", 422: "Validation", 424: "Backend"}
_TEI_TYPES |= {429: "Overloaded", 503: "Unhealthy"}


def _detail(_status: int, message: str) -> Any:
    return {"detail": message}


def _openai(status: int, message: str) -> Any:
    kind = "invalid_request_error" if status < 500 else "server_error"
    return {"error": {"message": message, "type": kind, "param": None, "code": None}}


def _llamacpp(status: int, message: str) -> Any:
    kinds = {401: "authentication_error", 501: "not_supported_error", 500: "server_error"}
    kind = kinds.get(status, "invalid_request_error")
    return {"error": {"code": status, "message": message, "type": kind}}


def _vllm(status: int, message: str) -> Any:
    return {"error": {"message": message, "type": "BadRequestError", "param": None, "code": status}}


def _cohere(_status: int, message: str) -> Any:
    return {"id": "0773d2a5", "message": message}


def _jina(status: int, message: str) -> Any:
    return {"detail": message} if status == 422 else {"error": {"message": message}}


def _ollama(_status: int, message: str) -> Any:
    return {"error": message}


def _tei(status: int, message: str) -> Any:
    return {"error": message, "error_type": _TEI_TYPES.get(status, "Backend")}


ERRORS: Mapping[str, Callable[[int, str], Any]] = MappingProxyType(
    {
        "voyage": _detail,
        "openai": _openai,
        "cohere": _cohere,
        "jina": _jina,
        "ollama": _ollama,
        "tei": _tei,
        "llamacpp": _llamacpp,
        "vllm": _vllm,
        "lmstudio": _openai,
    }
)
#: Vendors that refuse requests without a key.
NEED_KEY = frozenset(("voyage", "openai", "cohere", "jina"))
