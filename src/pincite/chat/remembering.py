"""What an open index remembers of users, and of what was said."""

from __future__ import annotations

from pincite.collection.opened import OpenIndex
from pincite.errors import UsageError
from pincite.model import Fact, Turn
from pincite.ports import Conversations, ConversationState, Memory, Reranker
from pincite.settings.load import Settings


class Remembering(OpenIndex):
    """Facts of users and conversations. Each call names one user, and whoever calls has made sure
    of who that is."""

    def __init__(self, settings: Settings, reranker: Reranker | None = None) -> None:
        super().__init__(settings, reranker)
        self._open_memory: Memory | None = None
        self._open_conversations: Conversations | None = None

    @property
    def _memory(self) -> Memory | None:
        """What `[memory]` names, None for nothing. A search has no need of it: it is opened with
        its first call."""
        if self._open_memory is None:
            from pincite.chat.opening import open_memory

            self._open_memory = open_memory(self.settings, self._models)
        return self._open_memory

    @property
    def _conversations(self) -> Conversations:
        """Those of the index folder, opened with their first call."""
        if self._open_conversations is None:
            from pincite.chat.opening import open_conversations

            self._open_conversations = open_conversations(self.settings)
        return self._open_conversations

    async def close(self) -> None:
        """Hang up on the daemon, which stays for the next client, and on providers. The end of
        the context manager calls it.

        >>> await pincite.close()
        """
        if self._open_memory is not None:
            await self._open_memory.close()
        if self._open_conversations is not None:
            await self._open_conversations.close()
        await super().close()

    async def remember(self, user: str, text: str) -> tuple[Fact, ...]:
        """Keep a fact of a user, for answers in all conversations.

        Arguments:
            user: whose fact it is. Names are compared character by character.
            text: what is to be remembered, at most 4,000 characters.

        Returns what was kept: the text itself, or what mem0 makes of it. A text that is known is
        not kept twice. Raises UsageError, MemoryUnavailable, DiskFull, and where a model is asked
        its errors.

        >>> (fact,) = await pincite.remember("ada", "prefers examples in Python")
        >>> fact.text
        'prefers examples in Python'
        """
        return await self._remembered().remember(user, text)

    async def recall(self, user: str, query: str, limit: int = 5) -> tuple[Fact, ...]:
        """The facts of a user that fit a question best.

        Arguments:
            user: whose facts.
            query: the question.
            limit: so many at most.

        Returns them best first, with their scores. Raises as `remember`.

        >>> facts = await pincite.remember("ada", "prefers examples in Python")
        >>> [fact.text for fact in await pincite.recall("ada", "an example in Python?")]
        ['prefers examples in Python']
        """
        return await self._remembered().recall(user, query, limit)

    async def facts(self, user: str) -> tuple[Fact, ...]:
        """All that is remembered of a user, in the order in which it was learned.

        Arguments:
            user: whose facts.

        Raises as `remember`.

        >>> await pincite.facts("nobody")
        ()
        """
        return await self._remembered().facts(user)

    async def forget_facts(self, user: str, fact: str = "") -> int:
        """Delete what is remembered of a user.

        Arguments:
            user: whose facts.
            fact: the id of one; by default all.

        Returns how many were deleted. Raises as `remember`.

        >>> facts = await pincite.remember("ada", "prefers examples in Python")
        >>> await pincite.forget_facts("ada")
        1
        """
        return await self._remembered().forget(user, fact)

    async def begin_conversation(self, owner: str = "", title: str = "") -> str:
        """Begin a conversation.

        Arguments:
            owner: whose it is; every later call names the same owner. Empty on one's own machine.
            title: what it is about.

        Returns its id, which cannot be guessed. Raises UsageError, MemoryUnavailable, DiskFull.

        >>> id = await pincite.begin_conversation("ada", "keys")
        >>> len(id)
        32
        """
        return await self._conversations.begin(owner, title)

    async def conversations(
        self, owner: str = "", limit: int = 50
    ) -> tuple[ConversationState, ...]:
        """The conversations of an owner, those with the latest turn first, without their turns.

        Arguments:
            owner: whose.
            limit: so many at most.

        Raises UsageError, MemoryUnavailable.

        >>> await pincite.conversations("nobody")
        ()
        """
        return await self._conversations.list(owner, limit)

    async def turns(self, conversation: str, owner: str = "") -> tuple[Turn, ...]:
        """All that was said in a conversation, oldest first.

        Arguments:
            conversation: its id.
            owner: whose it is.

        Raises ConversationNotFound, also where it is another's; UsageError, MemoryUnavailable.

        >>> id = await pincite.begin_conversation("ada")
        >>> await pincite.turns(id, "ada")
        ()
        """
        return await self._conversations.turns(owner, conversation)

    async def delete_conversation(self, conversation: str, owner: str = "") -> None:
        """Delete a conversation with all that was said. It is overwritten in its file.

        Arguments:
            conversation: its id.
            owner: whose it is.

        Raises as `turns`.

        >>> id = await pincite.begin_conversation("ada")
        >>> await pincite.delete_conversation(id, "ada")
        >>> await pincite.turns(id, "ada")
        Traceback (most recent call last):
        pincite.errors.ConversationNotFound: there is no conversation ...
        """
        await self._conversations.delete(owner, conversation)

    def _remembered(self) -> Memory:
        memory = self._memory
        if memory is None:
            raise UsageError(
                'nothing is remembered of users: memory.kind is "none"',
                hint='[memory] kind = "sqlite"',
            )
        return memory
