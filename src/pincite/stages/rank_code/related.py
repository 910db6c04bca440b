"""Find the passages that stand in the relation to a name that the question asks for."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Mapping, Sequence, Set
from operator import itemgetter, truediv
from typing import Final

from pincite.model import Candidate, Chunk, Query
from pincite.questions.relations import Relation
from pincite.scope.named_place import NamedPlace
from pincite.stages.rank_code.definitions import names_of
from pincite.stages.rank_code.heads import Head, heads_of
from pincite.stages.rank_code.use_lines import declaring, defines
from pincite.stages.rank_code.uses import place_rank, using
from pincite.support.names import last_component

_RECEIVER: Final = re.compile(
    r"^func[ \t]+\([ \t]*(?:\w+[ \t]+)?\*?(\w+)\b[^)\n]{0,200}\)[ \t]*(\w+)", re.M
)
_QUALIFIED: Final = re.compile(r"(?<!\w)(\w++)(?:<[^<>\n]*+>)?::~?$")
_METHOD_OF_GO: Final = re.compile(r"^[ \t]+([A-Z]\w*)\(", re.M)
_CLASS_WORD: Final = re.compile(
    r"class|interface|struct|trait|enum|record|protocol|extension|actor|object|impl|instance|type"
    r"|contract|mixin|role|var _|include|@behaviour|use (?:parent|base)|extends|derive|module"
)
_MARKED: Final = re.compile(r"\boverride\b|@Override\b")
_MOST_HEADS: Final = 5_000  # of all candidates together


def related(query: Query, candidates: Sequence[Candidate]) -> list[Candidate]:
    """Return the passages of code that a question for a relation asks for, the best first: callers
    and other uses of a name (see `uses.using`), classes that extend or implement one, or overrides
    of a method. Empty for other questions and if no passage is known to stand in the relation.

    Heirs have the name among the bases of a head. Types of Go also implement an interface whose
    methods the candidates show them to have. Overrides define the method in another class than its
    owner: first in heirs of the owner and in files that mention it, then in others; code before
    examples and tests. "Where is A.m implemented" asks for overrides only if A is abstract, or if
    no candidate defines m in A. "Where is A implemented" asks for heirs only if A is abstract.
    Passages of the files or folders that the question names precede others, those first that have
    most of a path. Of several paths, the passages that have most of each are alike.
    """
    relation = query.asked.relation
    if relation is None:
        return []
    if relation.kind in ("heirs", "overrides", "implemented"):
        code = [one for one in candidates if one.chunk.source_type == "code"]
        found = _Classes(code, relation).found()
    else:
        found = using(relation, candidates)
    return _by_place(found, relation.places) if found and relation.places else found


def _by_place(found: Sequence[Candidate], places: Sequence[str]) -> list[Candidate]:
    """Return the passages by how well they fit one of the places, otherwise in their order: by the
    number of its parts that they have, divided by the largest such number."""
    named = [NamedPlace(one) for one in places]
    parts = [[place.parts(one.chunk.path, one.chunk.repo) for place in named] for one in found]
    most = [max(1, *of_place) for of_place in zip(*parts, strict=True)]
    fits = [max(map(truediv, own, most)) for own in parts]
    return [found[at] for at in sorted(range(len(found)), key=lambda at: -fits[at])]


class _Classes:
    """The heads of the classes among the candidates."""

    def __init__(self, code: Sequence[Candidate], relation: Relation) -> None:
        self._code = code
        self._asked = relation
        self._heads: list[list[Head]] = []
        left = _MOST_HEADS
        for one in code:
            has_any = left > 0 and _CLASS_WORD.search(one.chunk.text)
            heads = heads_of(one.chunk.text, one.chunk.language)[:left] if has_any else []
            self._heads.append(heads)
            left -= len(heads)
        self._bases: dict[str, set[str]] = defaultdict(set)
        self._abstract = {head.name for heads in self._heads for head in heads if head.abstract}
        for head in (head for heads in self._heads for head in heads):
            self._bases[head.name] |= head.bases

    def found(self) -> list[Candidate]:
        asked = self._asked
        if asked.kind == "overrides":
            return self._overrides()
        if asked.kind == "heirs":
            if asked.owner and asked.name not in self._bases and (found := self._overrides()):
                return found
            return self._heirs() or ([] if asked.owner else self._overrides())
        if asked.owner and asked.name not in self._abstract:
            is_concrete = asked.owner not in self._abstract and self._defined_in_owner()
            return [] if is_concrete else self._overrides()
        return self._heirs() if asked.name in self._abstract else []

    def _heirs(self) -> list[Candidate]:
        """Return the passages with a head that has the name among its bases, then those of types of
        Go that have the methods of the interface."""
        name = self._asked.name
        anonymous = re.compile(
            rf"\bnew[ \t]+(?:\w+\.)*{re.escape(name)}\b[^;{{}}\n]{{0,200}}\{{[ \t]*$", re.M
        )
        by_methods = self._structural(name)
        found: list[tuple[int, bool, int]] = []
        for place, (one, heads) in enumerate(zip(self._code, self._heads, strict=True)):
            chunk = one.chunk
            named = any(name in head.bases and head.name != name for head in heads)
            if named or _is_anonymous(chunk, anonymous) or _is_of_types(chunk, by_methods):
                found.append((place_rank(chunk, tests=self._asked.tests), not named, place))
        return [self._code[place] for *_, place in sorted(found)]

    def _structural(self, interface: str) -> Mapping[str, Set[str]]:
        """Return the types of Go that have at least half of the methods of an interface among the
        candidates, with these methods."""
        needed: set[str] = set()
        having: dict[str, set[str]] = defaultdict(set)
        opened = re.compile(rf"^type[ \t]+{re.escape(interface)}\b[^\n]*\binterface[ \t]*\{{", re.M)
        for one in self._code:
            if one.chunk.language != "go":
                continue
            if begin := opened.search(one.chunk.text):
                body = one.chunk.text[begin.end() :].partition("\n}")[0]
                needed |= set(_METHOD_OF_GO.findall(body))
            for owner, method in _RECEIVER.findall(one.chunk.text):
                having[owner].add(method)
        if not needed:
            return {}
        return {
            name: methods & needed
            for name, methods in having.items()
            if 2 * len(methods & needed) >= len(needed)
        }

    def _defined_in_owner(self) -> bool:
        asked = self._asked
        return any(
            defines(one.chunk.symbols, asked) and asked.owner in self._owners(one, heads)
            for one, heads in zip(self._code, self._heads, strict=True)
        )

    def _overrides(self) -> list[Candidate]:
        """Return the passages that define the name in another class than its owner."""
        asked, owner = self._asked, self._asked.owner
        heirs = self._closure(owner) if owner else set()
        if owner:
            heirs |= self._structural(owner).keys()
        mention = re.compile(rf"(?<!\w){re.escape(owner)}(?!\w)")
        files = {one.file for one in self._code if owner and mention.search(one.chunk.text)}
        found: list[tuple[int, bool, bool, int]] = []
        for place, (one, heads) in enumerate(zip(self._code, self._heads, strict=True)):
            if not defines(one.chunk.symbols, asked):
                continue
            others = self._owners(one, heads) - {owner}
            if not others:
                continue
            if owner:
                is_heir = not heirs.isdisjoint(others)
                near = is_heir or one.file in files
            else:
                is_heir = bool(_MARKED.search(one.chunk.text)) or any(map(self._bases.get, others))
                near = is_heir
            rank = place_rank(one.chunk, tests=asked.tests)
            found.append((rank, not near, not is_heir, place))
        return [self._code[place] for *_, place in sorted(found)]

    def _closure(self, owner: str) -> set[str]:
        """Return the names of the heirs of a class, and of theirs."""
        by_base: dict[str, list[str]] = defaultdict(list)
        for name, bases in self._bases.items():
            for base in bases if name else ():
                by_base[base].append(name)
        heirs = {owner}
        waiting = [owner]
        while waiting:
            new = [name for name in by_base[waiting.pop()] if name not in heirs]
            heirs.update(new)
            waiting += new
        return heirs - {owner}

    def _owners(self, one: Candidate, heads: Sequence[Head]) -> set[str]:
        """Return the classes in which a passage defines the name."""
        chunk = one.chunk
        around = _Around(heads)
        owners = {
            owner
            for start, line in declaring(chunk, self._asked)
            if (owner := _owner_at(line, start, around, chunk, self._asked.name))
        }
        return owners or ({within} if (within := _within(chunk)) else set())


class _Around:
    """The heads around lines of a text, which are asked for from the first line on."""

    def __init__(self, heads: Sequence[Head]) -> None:
        self._waiting = [head for head in reversed(heads) if head.name]
        self._open: list[tuple[int, str]] = []  # the indent of each is larger than the one before

    def name(self, start: int, indent: int) -> str:
        """Return the name of the nearest head before `start` with a smaller indent, "" if there is
        none. `start` is at least that of the call before."""
        while self._waiting and self._waiting[-1].start < start:
            head = self._waiting.pop()
            while self._open and self._open[-1][0] >= head.indent:
                self._open.pop()
            self._open.append((head.indent, head.name))
        place = bisect_left(self._open, indent, key=itemgetter(0))
        return self._open[place - 1][1] if place else ""


def _owner_at(line: str, start: int, around: _Around, chunk: Chunk, name: str) -> str:
    """Return the class around a line: that of its receiver, that before `::`, the nearest head
    above with a smaller indent, or the one that the headings give; "" if there is none."""
    if chunk.language == "go":
        found = _RECEIVER.match(line)
        return found[1] if found else ""
    if chunk.language in ("cpp", "c") and (found := _QUALIFIED.search(line.partition(name)[0])):
        return found[1]
    indent = len(line) - len(line.lstrip())
    return around.name(start, indent) or _within(chunk)


def _within(chunk: Chunk) -> str:
    """Return the class that the headings of a passage give for what it defines."""
    own = names_of(chunk.symbols)
    around = [last_component(one.partition("<")[0]) for one in chunk.headings]
    outer = [one for one in around if one not in own] or around[:-1]
    return outer[-1] if outer else ""


def _is_anonymous(chunk: Chunk, pattern: re.Pattern[str]) -> bool:
    """Return whether a passage of Java or C# makes an object of a class without a name."""
    return chunk.language in ("java", "c_sharp") and pattern.search(chunk.text) is not None


def _is_of_types(chunk: Chunk, methods: Mapping[str, Set[str]]) -> bool:
    """Return whether a passage defines one of these types of Go or one of these methods of it."""
    if not methods or chunk.language != "go":
        return False
    if not methods.keys().isdisjoint(names_of(chunk.definitions)):
        return True
    return any(one in methods.get(owner, ()) for owner, one in _RECEIVER.findall(chunk.text))
