"""Put those candidates first that the question asks for: places of files, or tests of one thing."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from operator import itemgetter

from pincite.model import Candidate
from pincite.stages.rank_code.names import file_name
from pincite.stages.rank_code.paths import place_of
from pincite.stages.rank_code.words import Vocabulary
from pincite.support.names import last_component

_OF_TESTS = frozenset(("test", "tests", "spec", "specs"))


def at_places(
    places: Mapping[tuple[str, str], int], candidates: Sequence[Candidate]
) -> list[Candidate]:
    """Return the candidates at the places that the question names, in the order of these, else in
    their own. `places` has the number of the place of each, by collection and id."""
    there = [one for one in candidates if one.key in places]
    return sorted(there, key=lambda one: places[one.key])


def tests_of(
    asked: Iterable[str], candidates: Sequence[Candidate], most: int, vocabulary: Vocabulary
) -> list[Candidate]:
    """Return the best passages of the tests of one thing, which a question calls by the names
    `asked`: up to `most`, in order, one for each file with such a name. `test_lyrics.py` and
    `LyricsTest.java` have the tests of "lyrics" and of "lyrics plugin". Files that are tests by
    their name precede those that are tests by their folder only."""
    names = {_bare(name, vocabulary)[0] for name in asked}
    if not names:
        return []
    found: dict[tuple[str, str, str], tuple[bool, Candidate]] = {}
    for one in candidates:
        chunk = one.chunk
        if chunk.source_type != "code" or place_of(chunk.path) != "tests":
            continue
        bare, is_test = _bare(file_name(chunk.path).stem, vocabulary)
        if bare in names:
            found.setdefault(one.file, (not is_test, one))
    return [one for _, one in sorted(found.values(), key=itemgetter(0))][:most]


def _bare(name: str, vocabulary: Vocabulary) -> tuple[str, bool]:
    """Return a name as one word in lower case, without the words for tests, and whether it had
    any."""
    words = [word.text for word in vocabulary.words(last_component(name))]
    left = [word for word in words if word not in _OF_TESTS]
    return "".join(left or words), len(left) < len(words)
