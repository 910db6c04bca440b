"""The language of filters, for people and agents.

    kind = code and path ^= "src/" and not language in (go, c)

| form | true if | fields |
|---|---|---|
| `f = v`, `f = (v, w)`, `f in (v, w)` | the field is or has one of these | values |
| `f != v`, `f not in (v, w)` | it is not | values |
| `f ^= v` | it begins with the value | values |
| `f = 3`, `f != 3`, `f >= 3`, `f > 3`, `f <= 3`, `f < 3`, `3 <= f < 9` | it fits | numbers |
| `f ~ word` | the text has the word | texts |
| `f ~ "some words"` | it has these words one after the other | texts |
| `f ~ all (some, words)` | it has all of these words, in any order | texts |
| `f = true` | it is | booleans |
| `f = 2026-11-22`, `f < '2026-11-22T10:00:00+01:00'` | on that day, before that moment | dates |
| `f exists` | there is a value that is not empty | all but `id` |

The fields of values are `FILTER_FIELDS` and `id`, those of numbers `NUMBER_FIELDS`, and those of
texts `TEXT_FIELDS`, all of `pincite.ports`. `source_type` is written `kind` and `repo` is written
`source`; the names of the store are accepted, too. Attributes are fields of their types. Their
names are case-sensitive. A date without a time is the whole day in UTC. Conditions are joined by
`and`, `or`, `not` and parentheses, as far as a `Filter` can express it. Values with spaces, signs
or keywords need single or double quotes; a quote in a value needs a backslash before it. Keywords
may be upper case.

Names are imported when they are first used, because most searches have no filter.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pincite.support.late_names import late_names

if TYPE_CHECKING:
    from pincite.scope.where.compiling import parse_where
    from pincite.scope.where.printing import print_where, quote
    from pincite.scope.where.reading import Schema

if not TYPE_CHECKING:  # type checkers would take it for any name
    __getattr__ = late_names(
        __name__,
        {
            "pincite.scope.where.reading": "Schema",
            "pincite.scope.where.compiling": "parse_where",
            "pincite.scope.where.printing": "print_where quote",
        },
    )

__all__ = ["Schema", "parse_where", "print_where", "quote"]
