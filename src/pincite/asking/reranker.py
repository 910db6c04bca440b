"""Check a reranker that a program provides."""

from __future__ import annotations

from inspect import iscoroutinefunction
from typing import TYPE_CHECKING, Final

from pincite.errors import UsageError
from pincite.support.arguments import shown

if TYPE_CHECKING:
    from pincite.ports import Reranker

_KINDS: Final = ("probability", "logit", "cosine")


def checked_reranker(given: Reranker | None) -> Reranker | None:
    """Return the reranker. Raises UsageError if it lacks an attribute of `pincite.ports.Reranker`,
    or has one of another type."""
    if given is None:
        return None
    if isinstance(given, type) or not callable(getattr(given, "rerank", None)):
        raise UsageError(
            f"reranker is {shown(given)}; it takes an object that implements"
            " pincite.ports.Reranker",
            hint='to name a model, set [models] rerank = "..." in pincite.toml',
        )
    wrong = [
        f"{name} {wanted}"
        for name, wanted, is_right in (
            ("fingerprint", "(a text)", lambda one: isinstance(one, str) and one.strip()),
            ("kind", f"({', '.join(_KINDS)})", lambda one: one in _KINDS),
            ("listwise", "(True or False)", lambda one: isinstance(one, bool)),
            ("instructed", "(True or False)", lambda one: isinstance(one, bool)),
            ("rerank", "(async def)", iscoroutinefunction),
        )
        if not is_right(getattr(given, name, None))
    ]
    if wrong:
        raise UsageError(
            f"reranker is {shown(given)}; missing in it or of another type: {', '.join(wrong)}",
            hint="see help(pincite.ports.Reranker)",
        )
    return given
