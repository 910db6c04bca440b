"""Translate callers' arguments to a question and a profile.

The command line, MCP, the Agent Development Kit and Python all accept `limit`, `kinds`, `paths`,
`not_paths`, `where`, `sources`, `collections`, `ref` and `tags`. Only this package defines their
meaning.

Names are imported when they are first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pincite.support.late_names import late_names

if TYPE_CHECKING:
    from pincite.asking.options import SearchKeywords, SearchOptions
    from pincite.asking.paths import Placing, is_placed, sources_around, within_sources
    from pincite.asking.profile import profile_of
    from pincite.asking.question import checked, question_of
    from pincite.asking.tags import bind_tags, bound_tags, checked_tags, tags_of_texts

if not TYPE_CHECKING:  # type checkers would take it for any name
    __getattr__ = late_names(
        __name__,
        {
            "pincite.asking.options": "SearchKeywords SearchOptions",
            "pincite.asking.paths": "Placing is_placed sources_around within_sources",
            "pincite.asking.profile": "profile_of",
            "pincite.asking.question": "checked question_of",
            "pincite.asking.tags": "bind_tags bound_tags checked_tags tags_of_texts",
        },
    )

__all__ = [
    "Placing",
    "SearchKeywords",
    "SearchOptions",
    "bind_tags",
    "bound_tags",
    "checked",
    "checked_tags",
    "is_placed",
    "profile_of",
    "question_of",
    "sources_around",
    "tags_of_texts",
    "within_sources",
]
