"""From the names that callers use to a question and a profile.

The command line, MCP, the Agent Development Kit and Python say `limit`, `kinds`, `paths`,
`not_paths`, `where`, `sources`, `collections`, `ref` and `tags`. What they mean is decided here,
once.
"""

from pincite.asking.options import SearchKeywords, SearchOptions
from pincite.asking.paths import is_placed, place_paths, within_sources
from pincite.asking.profile import profile_of
from pincite.asking.question import checked, question_of
from pincite.asking.tags import bind_tags, bound_tags, checked_tags, tags_of_texts

__all__ = [
    "SearchKeywords",
    "SearchOptions",
    "bind_tags",
    "bound_tags",
    "checked",
    "checked_tags",
    "is_placed",
    "place_paths",
    "profile_of",
    "question_of",
    "tags_of_texts",
    "within_sources",
]
