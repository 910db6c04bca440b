"""From the names that callers use to a question and a profile.

The command line, MCP, the Agent Development Kit and Python say `limit`, `kinds`, `paths`,
`not_paths`, `where`, `sources`, `collections` and `ref`. What they mean is decided here, once.
"""

from pincite.asking.options import SearchOptions
from pincite.asking.profile import profile_of
from pincite.asking.question import checked, question_of

__all__ = ["SearchOptions", "checked", "profile_of", "question_of"]
