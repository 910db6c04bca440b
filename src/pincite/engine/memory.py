"""Methods of an open index for facts about users and for conversations."""

from __future__ import annotations

from pincite.engine.open_index import OpenIndex
from pincite.errors import UsageError
from pincite.model import Fact, Turn
from pincite.ports import Conversations, ConversationState, Memory, Reranker
from pincite.settings.load import Settings
from pincite.support.arguments import require_count

_MOST_FACTS = 1_000


class Remembering(OpenIndex):
    """Facts about users, and conversations. Each call names one user; the caller must have
    authenticated that user."""

    def __init__(self, settings: Settings, reranker: Reranker | None = None) -> None:
        super().__init__(settings, reranker)
        self._open_memory: Memory | None = None
        self._open_conversations: Conversations | None = None

    @property
    def _memory(self) -> Memory | None:
        """The memory that `[memory]` configures, None if there is none. It is opened when it is
        first used, because searches do not need it."""
        if self._open_memory is None:
            from pincite.engine.memory_stores import open_memory

            self._open_memory = open_memory(self.settings, self._models)
        return self._open_memory

    @property
    def _conversations(self) -> Conversations:
        """The conversations of the index folder, opened when they are first used."""
        if self._open_conversations is None:
            from pincite.engine.memory_stores import open_conversations

            self._open_conversations = open_conversations(self.settings)
        return self._open_conversations

    async def close(self) -> None:
        """Disconnect from the daemon and from providers. The daemon keeps running. Leaving the
        context manager calls this method.

        >>> await pincite.close()
        """
        if self._open_memory is not None:
            await self._open_memory.close()
        if self._open_conversations is not None:
            await self._open_conversations.close()
        await super().close()

    async def remember(self, user: str, text: str) -> tuple[Fact, ...]:
        """Store a fact about a user, for answers in all conversations.

        Arguments:
            user: the user. Names are compared character by character.
            text: the fact, at most 4,000 characters.

        Returns the stored facts: the text itself, or the facts that mem0 extracts. A text that is
        already stored is not stored twice. Raises UsageError, MemoryUnavailable, DiskFull, and the
        errors of a model if one is called.

        >>> (fact,) = await pincite.remember("ada", "prefers examples in Python")
        >>> fact.text
        'prefers examples in Python'
        """
        return await self._remembered().remember(user, text)

    async def recall(self, user: str, query: str, limit: int = 5) -> tuple[Fact, ...]:
        """Find the facts about a user that fit a question best.

        Arguments:
            user: the user.
            query: the question.
            limit: maximum number of facts, 1 to 1,000.

        Returns them best first, with their scores. Raises the errors of `remember`.

        >>> facts = await pincite.remember("ada", "prefers examples in Python")
        >>> [fact.text for fact in await pincite.recall("ada", "an example in Python?")]
        ['prefers examples in Python']
        """
        require_count("limit", limit, most=_MOST_FACTS)
        return await self._remembered().recall(user, query, limit)

    async def facts(self, user: str, after: str = "", limit: int | None = None) -> tuple[Fact, ...]:
        """List the facts about a user, oldest first.

        Arguments:
            user: the user.
            after: the id of a fact. Only later ones are listed.
            limit: maximum number of facts; by default all.

        Raises NotFound if the user has no fact with the id `after`, and the errors of `remember`.

        >>> await pincite.facts("nobody")
        ()
        """
        return await self._remembered().facts(user, after, limit)

    async def forget_facts(self, user: str, fact: str = "") -> int:
        """Delete facts about a user.

        Arguments:
            user: the user.
            fact: the id of one fact; by default all.

        Returns the number of deleted facts. Raises the errors of `remember`.

        >>> facts = await pincite.remember("ada", "prefers examples in Python")
        >>> await pincite.forget_facts("ada")
        1
        """
        return await self._remembered().forget(user, fact)

    async def begin_conversation(self, owner: str = "", title: str = "") -> str:
        """Begin a conversation.

        Arguments:
            owner: the owner. Every later call names the same one. Empty if only you use the index.
            title: its title.

        Returns its id, which cannot be guessed. Raises UsageError, MemoryUnavailable, DiskFull.

        >>> id = await pincite.begin_conversation("ada", "keys")
        >>> len(id)
        32
        """
        return await self._conversations.begin(owner, title)

    async def conversations(
        self, owner: str = "", limit: int = 50
    ) -> tuple[ConversationState, ...]:
        """List the conversations of an owner without their turns, the latest turn first.

        Arguments:
            owner: the owner.
            limit: maximum number of conversations.

        Raises UsageError, MemoryUnavailable.

        >>> await pincite.conversations("nobody")
        ()
        """
        return await self._conversations.list(owner, limit)

    async def turns(self, conversation: str, owner: str = "") -> tuple[Turn, ...]:
        """List all turns of a conversation, oldest first.

        Arguments:
            conversation: its id.
            owner: its owner.

        Raises ConversationNotFound, also if it has another owner, UsageError, MemoryUnavailable.

        >>> id = await pincite.begin_conversation("ada")
        >>> await pincite.turns(id, "ada")
        ()
        """
        return await self._conversations.turns(owner, conversation)

    async def delete_conversation(self, conversation: str, owner: str = "") -> None:
        """Delete a conversation with all of its turns. Its data are overwritten in the file.

        Arguments:
            conversation: its id.
            owner: its owner.

        Raises the errors of `turns`.

        >>> id = await pincite.begin_conversation("ada")
        >>> await pincite.delete_conversation(id, "ada")
        >>> await pincite.turns(id, "ada")
        Traceback (most recent call last):
        pincite.errors.ConversationNotFound: no conversation has the id ...
        """
        await self._conversations.delete(owner, conversation)

    def _remembered(self) -> Memory:
        memory = self._memory
        if memory is None:
            raise UsageError(
                "memory is off: no facts about users are kept", hint='[memory] kind = "sqlite"'
            )
        return memory
