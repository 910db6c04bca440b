"""The engine of a workspace, which stores data of users in the database of workspaces."""

from __future__ import annotations

from pincite.engine import AsyncPincite
from pincite.ports import LLM, Memory, Reranker
from pincite.settings.load import Settings
from pincite.workspace.conversations import WorkspaceConversations
from pincite.workspace.facts import memory_of
from pincite.workspace.ports import Workspaces


class WorkspaceEngine(AsyncPincite):
    """An engine that stores conversations and facts of users in the database of workspaces instead
    of beside the index."""

    def __init__(
        self, settings: Settings, workspaces: Workspaces, reranker: Reranker | None
    ) -> None:
        super().__init__(settings, reranker=reranker)
        self._workspaces = workspaces
        self._open_conversations = WorkspaceConversations(workspaces)

    @property
    def _memory(self) -> Memory | None:
        if self._open_memory is None:
            self._open_memory = memory_of(self.settings, self._models, self._workspaces)
        return self._open_memory

    async def describing_llm(self) -> LLM:
        """Return the language model of the settings. Raise ConfigError, ProviderError."""
        return await self._models.llm(self.settings.use.llm)
