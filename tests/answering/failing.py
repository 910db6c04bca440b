"""A language model that raises, or never answers."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence

from pincite.errors import PinciteError, Unavailable
from pincite.ports import Completion, Finish, Message
from pincite.testing.fakes import ScriptedLLM


class Failing(ScriptedLLM):
    """Raises, or never answers."""

    def __init__(self, error: PinciteError | None) -> None:
        super().__init__("")
        self._error = error

    async def complete(
        self, messages: Sequence[Message], *, max_tokens: int | None = None
    ) -> Completion:
        if self._error is None:
            await asyncio.Event().wait()
        raise self._error or Unavailable("never")

    async def stream(
        self,
        messages: Sequence[Message],
        *,
        max_tokens: int | None = None,
        on_finish: Callable[[Finish], None] | None = None,
    ) -> AsyncIterator[str]:
        yield ""
