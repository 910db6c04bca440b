"""Summarise conversations in the background, so that no question waits for a summary."""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING, Final

from pincite.errors import PinciteError

if TYPE_CHECKING:
    from pincite.answering.config import AnswerConfig
    from pincite.ports import LLM, Conversations

log = logging.getLogger("pincite")

_WAIT_S: Final = 10.0  # of `close` for a model; guess, unmeasured


class Summaries:
    """The summaries that are being written. Use it in one event loop and close it at the end."""

    def __init__(self, wait_s: float = _WAIT_S) -> None:
        """`wait_s` limits how long `close` waits for language models, in seconds."""
        self._wait_s = wait_s
        self._tasks: set[asyncio.Task[None]] = set()

    def begin(
        self,
        conversations: Conversations,
        owner: str,
        conversation: str,
        llm: LLM | None,
        config: AnswerConfig,
    ) -> None:
        """Begin to summarise a conversation if it is due."""

        async def write() -> None:
            from pincite.answering.summarise import summarise

            try:
                try:
                    done = await summarise(conversations, owner, conversation, llm, config)
                except asyncio.CancelledError:
                    # Otherwise the next answer would send, and pay for, the same request again.
                    await summarise(conversations, owner, conversation, None, config)
                    log.warning(
                        "summary_unavailable: the model did not summarise the conversation within"
                        " %g s of its last answer; the summary is made of its first lines",
                        self._wait_s,
                    )
                    return
            except PinciteError as error:
                log.warning("a conversation is not summarised: %s", error)
                return
            for notice in done.notices:
                log.warning("%s: %s", notice.code, notice.message)

        task = asyncio.create_task(write())
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def close(self) -> None:
        """Wait for all summaries. Those that a language model has not finished within `wait_s`
        seconds are made without one."""
        if not self._tasks:
            return
        _, late = await asyncio.wait(self._tasks, timeout=self._wait_s)
        for task in late:
            task.cancel()
        if late:
            await asyncio.wait(late)
