"""The part of a file's score for passages that define a name of the question."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence, Set
from functools import lru_cache
from itertools import takewhile
from operator import itemgetter
from pathlib import PurePosixPath
from typing import NamedTuple

from pincite.model import Candidate, Chunk, Query
from pincite.stages.rank_code.config import RankCodeConfig
from pincite.stages.rank_code.declared import is_constructor, lacks_constructor, only_declares
from pincite.stages.rank_code.namespaces import (
    Headings,
    namespaces_of,
    outermost,
    without_namespaces,
)
from pincite.stages.rank_code.paths import place_of
from pincite.stages.rank_code.words import Likeness, QuestionWords
from pincite.support.names import components, last_component, owner_of, placed_name

_OTHER_CASE = 0.5
_WHERE = re.compile(
    r"where (?:is|are|was|do \w+ find) .*\b(?:defin|declar|implement)", re.IGNORECASE
)
#: How often `defines` counts if the question is only a name: 1, 2, 3, 4, 5 give .937, .964, .971,
#: .973, .976 for names in packages that no setting was chosen with, and .925, .925, .925, .924,
#: .924 on code-search-dev, by words (docs/decisions/0066)
_ALONE = 3
_REMEMBERED = 10_000  # lists of names that are cached, by an estimate 6 MB


@lru_cache(_REMEMBERED)
def names_of(symbols: tuple[str, ...]) -> frozenset[str]:
    """Return the last components of the names that a passage defines."""
    return frozenset(map(last_component, symbols))


def defining_files(files: Iterable[Iterable[Set[str]]]) -> Mapping[str, int]:
    """Count the files that define each name. A file is given by the names of its passages."""
    return Counter(name for passages in files for name in frozenset[str]().union(*passages))


def apart_from_code(names: Set[str], passages: Iterable[Chunk]) -> frozenset[str]:
    """Return those of the names that no passage outside of tests, examples and other minor places
    defines."""
    usual = (names_of(one.symbols) for one in passages if not place_of(one.path))
    return frozenset(names).difference(*usual) if names else frozenset()


class AtPath(NamedTuple):
    """The names of the question that a passage defines at the path that the question gives. `own`
    has all of these names, `within` those whose path is known from the definitions around the
    passage, and `written` those whose path is so in upper and lower case, too. The file of a name
    on the top level is its path for `written`."""

    own: Set[str] = frozenset()
    within: Set[str] = frozenset()
    written: Set[str] = frozenset()


_NOWHERE = AtPath()


def at_their_paths(asked: QuestionWords, chunks: Sequence[Chunk]) -> list[AtPath]:
    """Return the names of the question that each passage defines at their paths: `matches` of
    `Route.matches` if the passage defines this name within `Route`. The headings of the passage and
    the paths of its names tell the path. Its other names and the name of its file are used as a
    guess. Case is ignored. Empty if the question has no name with a path."""
    return [_at_path(asked.owners, chunk) for chunk in chunks] if asked.owners else []


def _at_path(owners: Iterable[tuple[str, str]], chunk: Chunk) -> AtPath:
    names = {name.lower() for name in names_of(chunk.symbols)}
    defined = [(owner, end) for owner, end in owners if end.lower() in names]
    if not defined:
        return _NOWHERE
    paths = [components(name.partition("<")[0]) for name in chunk.headings]
    paths += [components(name)[:-1] for name in chunk.symbols]
    as_written = {part for path in paths for part in path}
    around = {part.lower() for part in as_written}
    file = PurePosixPath(chunk.path).stem
    guessed = {*names, file.lower()}
    within = frozenset(end for owner, end in defined if owner.lower() in around)
    return AtPath(
        within | {end for owner, end in defined if owner.lower() in guessed},
        within,
        frozenset(
            end
            for owner, end in defined
            if owner in as_written or (owner == file and _is_outermost(chunk, end))
        ),
    )


def _is_outermost(chunk: Chunk, name: str) -> bool:
    """Return whether no definition is around that of this name."""
    return not chunk.headings or last_component(chunk.headings[0]).lower() == name.lower()


def defining(
    query: Query, candidates: Sequence[Candidate], most: int, *, beside_pages: bool
) -> list[Candidate]:
    """Return the passages of code that define the name that the question asks for: up to `most`, in
    order, one for each file. The question must be only a name, or ask where a name is defined. A
    name with a path must be defined at that path. Names without a path are case-sensitive. They are
    ordered by these rules, the first one first: names at the path as it is written, then names
    within its last part in other capitals, then names at a guessed path; the whole name before its
    last component (`print.rowwise_df`); passages that contain the question as it is written
    (`def echo`); definitions before values and before declarations of C; files of code before tests
    and examples; outer before inner definitions, such as a class before the properties with its
    name. Of several equal ones in a file, such as a class and its constructor, the first in the
    file counts. A class is not at the path of its constructor (`Shop::Shop`).

    A plain word in lower case may also be a topic. It gets one definition `beside_pages` of
    documentation, which mention the word and would hide the definition, and none among code only.
    For a plain or capitalised word, only definitions at the top level count, of a file or of a
    namespace that several files open (in lower case: an outermost one), not in tests or examples.
    If the question asks for the word's place among code only, there are up to `most`, and the other
    definitions follow these.
    """
    names = query.symbols if query.asks == "symbol" else _placed(query)
    if not names:
        return []
    namespaces = namespaces_of(one.chunk for one in candidates)
    sought = _SoughtNames(query, names, namespaces, beside_pages=beside_pages)
    if sought.may_be_topic and sought.word.islower():
        most = min(most, int(beside_pages))
    if not most:
        return []
    matching: list[tuple[_Rank, Candidate]] = []
    for one in candidates:
        rank = sought.rank_of(one.chunk)
        if rank is not None:
            matching.append((rank, one))
    matching.sort(key=itemgetter(0))
    found: dict[tuple[object, ...], tuple[_Rank, Candidate]] = {}
    for rank, one in matching:
        known = found.setdefault(one.file, (rank, one))
        if rank == known[0] and one.chunk.start < known[1].chunk.start:
            found[one.file] = (rank, one)
    return [one for _, one in found.values()][:most]


_Rank = tuple[int, ...]  # the smallest is best


class _SoughtNames:
    """The names whose definitions a question asks for."""

    def __init__(
        self,
        query: Query,
        names: Sequence[str],
        namespaces: Set[Headings],
        *,
        beside_pages: bool,
    ) -> None:
        asked_place = placed_name(query.text)
        self.word = asked_place or query.text
        self._is_word = self.word.isalpha() and self.word[1:].islower()
        self._namespaces = outermost(namespaces) if self.word.islower() else namespaces
        self.may_be_topic = self._is_word and (beside_pages or not asked_place)
        self._query = query
        self._owners = [owned for name in names if (owned := owner_of(name)) is not None]
        self._plain = frozenset(name for name in names if owner_of(name) is None)
        self._constructors = frozenset(name for owner, name in self._owners if owner == name)
        self._declared = query.text.partition("(")[0].strip()
        self._whole = {*names, self.word.strip("`")}

    def rank_of(self, chunk: Chunk) -> _Rank | None:
        """Return the place of a passage among the definitions, by the rules of `defining`; None if
        it defines none of the names."""
        if chunk.source_type != "code" or not chunk.symbols:
            return None
        owners = self._owners
        is_named = not self._plain.isdisjoint(names_of(chunk.symbols))
        at_path = _at_path(owners, chunk)
        if not is_named and not at_path.own:
            return None
        is_class, is_value = self._kind_of(chunk, self._plain | at_path.own)
        is_detail = self._is_word and self._is_detail(chunk, is_value=is_value)
        if is_detail and self.may_be_topic:
            return None
        return (
            bool(owners) and (is_class or not at_path.written),
            bool(owners) and (is_class or not at_path.within),
            bool(owners) and self._whole.isdisjoint(chunk.symbols),
            self._declared not in chunk.text,
            is_value,
            is_detail,
            *(_depth(chunk, self._plain) if is_named else (False, 0)),
        )

    def _is_detail(self, chunk: Chunk, *, is_value: bool) -> bool:
        """Return whether the passage is within a definition, or of a test or an example. A passage
        with values and definitions counts, too, because its values may be fields. For values, a
        namespace is a definition, too: it may be a type with methods in several files. A word in
        lower case is often a method, so only outermost namespaces count for it, and not if the
        passage defines a class in front of it."""
        around = chunk.headings
        if not is_value and not (self.word.islower() and _is_behind_class(chunk, self.word)):
            around = without_namespaces(around, self._namespaces)
        within = around not in ((), self._query.symbols[:1])
        return within or bool(place_of(chunk.path)) or (is_value and bool(chunk.definitions))

    def _kind_of(self, chunk: Chunk, sought: Set[str]) -> tuple[bool, bool]:
        """Return whether the passage has the class of a sought constructor without it, and whether
        it has less than a definition: a value, a declaration, such a class or a constructor."""
        declares = only_declares(chunk, sought, self._constructors)
        lacks = lacks_constructor(chunk, self._constructors)
        is_class = lacks or (bool(self._constructors) and declares)
        is_value = sought.isdisjoint(names_of(chunk.definitions))
        is_value |= declares or is_class or (not self._owners and is_constructor(chunk))
        return is_class, is_value


def _is_behind_class(chunk: Chunk, name: str) -> bool:
    """Return whether the passage defines a name like that of a class, which is no heading, before
    this one: with a capital in front, but not in capitals only, as constants are. The headings of
    a short file may be only its module."""
    before = takewhile(lambda one: last_component(one) != name, chunk.symbols)
    names = [last_component(one) for one in before if one not in chunk.headings]
    return any(one[:1].isupper() and not one.isupper() for one in names)


def _depth(chunk: Chunk, names: Set[str]) -> tuple[bool, int]:
    """Return whether a passage is of tests or examples, and how many definitions are around the
    outermost of these `names`. A passage may begin with a class and be named for its first
    member."""
    named = (last_component(name) in names for name in chunk.headings)
    around = next((place for place, is_own in enumerate(named) if is_own), len(chunk.headings))
    return bool(place_of(chunk.path)), around


def _placed(query: Query) -> tuple[str, ...]:
    """Return the name whose place the question asks for, if there is only one."""
    return query.identifiers if len(query.identifiers) == 1 and _WHERE.match(query.text) else ()


class DefinitionPart:
    """The contribution of the names that a passage defines to the score of its file."""

    def __init__(
        self,
        asked: QuestionWords,
        like: Likeness,
        files: Mapping[str, int],
        config: RankCodeConfig,
        placed: Set[str] = frozenset(),
    ) -> None:
        """`files` has the number of found files that define each name, `placed` the names that any
        passage is known to define at the path that the question gives."""
        self._names = asked.names
        self._code = asked.code - placed
        self._code_lower = {name.lower() for name in self._code}
        self._like = like
        self._files = files
        self._defines = config.defines * (_ALONE if asked.alone else 1)
        self._mentions = config.mentions
        self._overlap = config.overlap

    def of(self, names: Set[str], definitions: Set[str], own: Set[str] = frozenset()) -> float:
        """Return the contribution of one passage:

        defines  if it defines a name that the question writes like code; half if the case differs;
                 three times as much if the question is only this name, because then it does not ask
                 for the uses of the name
        mentions if it defines any word of the question
        overlap  * share of the question's words in the names that it defines

        `defines` uses `names`. The two others use `definitions`, without values, because words of
        prose match many fields by chance. A name that n of the found files define counts 1 / n for
        the first two: a namespace is opened in every file, and a partial class is in many. For
        `defines`, this does not apply to the passage's `own` names, which it defines at the path
        that the question gives. Names that are `placed` do not count in other passages.
        """
        if not names:
            return 0.0
        defined = self._defined(names) if self._code else 0.0
        if own:
            defined = max(defined, 1.0 if own & names else _OTHER_CASE)
        mentioned = definitions & self._names
        return (
            self._defines * defined
            + self._mentions * (self._rarest(mentioned) if mentioned else 0.0)
            + self._overlap * self._like.overlap(definitions)
        )

    def _defined(self, names: Set[str]) -> float:
        if as_written := names & self._code:
            return self._rarest(as_written)
        other_case = [name for name in names if name.lower() in self._code_lower]
        return _OTHER_CASE * self._rarest(other_case) if other_case else 0.0

    def _rarest(self, names: Iterable[str]) -> float:
        return max(1 / self._files[name] for name in names)
