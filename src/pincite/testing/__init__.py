"""Fakes and contract tests for authors of adapters.

A suite is a class of tests. Derive from it, define how the object under test is opened, and pytest
checks all promises of the port's docstrings:

    class TestMemoryStore(StoreContract):
        @asynccontextmanager
        async def opened(self) -> AsyncIterator[Store]:
            yield MemoryStore()

Suites need pytest; `pincite.testing.fakes` and `pincite.testing.points` do not.
"""

import sys

_SUITES = (
    *("attributes", "catalogs", "changed_attributes", "contents", "conversations", "encoders"),
    *("filters", "fusions", "indexes", "llms", "memories", "replacing", "rerankers", "scores"),
    *("stores", "visibility", "workspaces", "workspace_documents", "workspace_jobs"),
    "workspace_rates",
)

if "pytest" in sys.modules:  # failures show the compared values
    sys.modules["pytest"].register_assert_rewrite(*(f"{__name__}.{suite}" for suite in _SUITES))
