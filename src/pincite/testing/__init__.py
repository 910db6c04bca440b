"""Fakes and contract tests for authors of adapters.

A suite is a class of tests. Derive from it, say how the thing under test is opened, and pytest runs
every promise of the port's docstrings against it:

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

if "pytest" in sys.modules:  # failures of a suite say what was compared
    sys.modules["pytest"].register_assert_rewrite(*(f"{__name__}.{suite}" for suite in _SUITES))
