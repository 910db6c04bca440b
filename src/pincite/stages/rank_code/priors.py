"""The factors for the scores of files of some kinds, unless the question asks for these kinds."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from pincite.model import SourceType
from pincite.questions.asked import Asked
from pincite.stages.rank_code.config import RankCodeConfig
from pincite.stages.rank_code.paths import is_changelog, is_page, place_of


class Priors(msgspec.Struct, frozen=True):
    """The factors for kinds of files, for one question. `pages` is for pages of the project, and
    `prose` for those of tests and of vendored packages. `others` is for all but tests, `changelog`
    for pages and data that tell what changed."""

    tests: float
    pages: float
    prose: float
    data: float
    minor: float
    code: float
    others: float
    changelog: float

    def of(self, kinds: Iterable[SourceType], path: str, *, sought: bool = False) -> float:
        """Return the factor for the score of a file whose passages are of these kinds. The place of
        a `sought` file does not count."""
        place = "" if sought else place_of(path)
        by_place = self.others * (self.minor if place == "minor" else 1.0)
        if place == "tests":
            by_place = self.tests
        by_kind = {"code": self.code, "data": self.data}
        by_kind["docs"] = self.pages if is_page(path) else self.prose
        if is_changelog(path):
            by_kind["data"] = by_kind["docs"] = self.changelog
        return max(by_kind[kind] * by_place for kind in kinds)


def priors_for(asked: Asked, config: RankCodeConfig) -> Priors:
    """Return the factors for a question. A kind that the question asks for has the factor 1. So
    have pages, but no changelogs, if it asks how to use something, or whether something is so."""
    kinds = asked.kinds
    prose = 1.0 if kinds.prose or kinds.use else config.prose
    return Priors(
        tests=1.0 if kinds.tests else config.tests,
        pages=prose,
        prose=prose,
        data=1.0 if kinds.data else prose,
        minor=1.0 if kinds.minor else config.minor,
        code=config.unasked if kinds.wants_pages else 1.0,
        others=config.unasked if kinds.wants_tests else 1.0,
        changelog=1.0 if kinds.prose or asked.changes != "no" else config.prose,
    )
