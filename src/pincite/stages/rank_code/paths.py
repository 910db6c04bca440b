"""Recognise files that seldom answer a question about code: tests, prose, data, examples; and
questions that ask for them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Literal

import msgspec

from pincite.model import SourceType
from pincite.stages.rank_code.changes import LONGEST_QUESTION, keeps_changelogs
from pincite.stages.rank_code.config import RankCodeConfig
from pincite.support.late_patterns import late_pattern

_KINDS = r"(?:unit|integration|functional|acceptance|perf(?:ormance)?|e2e|system|smoke)"
_TEST_FOLDER = re.compile(
    r"(?:^|/)(?:tests?|x?t|testing|specs?|__tests__|fixtures?|testdata|__mocks__|mocks?|e2e"
    rf"|{_KINDS}[-_]tests?|(?:[\w-]{{1,60}}-)?test(?:ing)?-support)/",
    re.I,
)
#: Folders of tests: `androidTest`, `AppUITests`, `Shop.Tests.Shared`; not `latest` or `contest`.
#: Source sets of Gradle (`src/jvmTest/kotlin/`) have a folder of their language; `src/speedTest/`,
#: which has none, may be code.
_TESTS_OF = re.compile(
    r"[A-Za-z0-9]Tests/|(?:UI|E2E)Test/|\.[Tt]ests?[./]"
    r"|(?i:unit|integration|functional|acceptance|android|smoke|system|perf(?:ormance)?)Test/"
    r"|(?:^|/)[a-z][A-Za-z0-9]*Test/(?:java|kotlin|scala|groovy|cpp|swift|resources|res|assets)/"
)
#: Folders whose pages and data belong to tests. `specs/` and `testing/` may have other pages.
_TEXTS_OF_TESTS = re.compile(
    r"(?:^|/)(?:tests?|fixtures?|testdata|__tests__|__snapshots__|_snaps|__mocks__|e2e"
    rf"|{_KINDS}[-_]tests?)/",
    re.I,
)
#: `test-rules.md` is a page about tests, and `test-linux.yml` a workflow.
_TEST_FILE = re.compile(
    r"(?:^|/)(?:test_[^/]*|test-(?![^/]*\.(?:mdx?|rst|adoc|txt|html?|org|ya?ml|toml|json|ini|conf)\Z)"
    r"[^/]*|[^/]*(?:_test|_spec|\.test|\.spec|\.e2e|\.e2e-spec|\.cy)"
    r"|[^/]*[a-z0-9](?:Tests?|Spec)|[^/]*(?:UITests?|TestCase))"
    r"\.[A-Za-z]+\Z|(?:^|/)conftest\.py\Z|\.t(?:\.sol)?\Z"
)
_PAGES_FOLDER = re.compile(r"(?:^|/)(?:docs?|documentation|guides?|manuals?)/", re.I)
_VENDORED = re.compile(r"(?:^|/)(?:vendor|third_party)/", re.I)
_MINOR = re.compile(
    r"(?:^|/)(?:examples?(?:[_-]\w+)?|samples?|snippets?|demos?|compat|legacy|deprecated"
    rf"|bench(?:marks?)?)/|{_VENDORED.pattern}|\.d\.ts\Z"
    r"|(?:^|/)[^/]*(?:compat|deprecated|legacy)[^/]*\Z",
    re.I,
)
#: Files and folders of that name. `changes`, `news` and `history` have other subjects, too, so they
#: count on the top level or in capitals, and `Pro-Changes.md` on the top level; `releases/` has
#: notes if its files are named by versions.
_CHANGELOG = re.compile(
    r"(?:^|/)(?i:change[-_ ]?logs?|release[-_ ]?notes?|relnotes|what'?s[-_ ]?new|upgrading"
    r"|migrating|migration[-_ ]guide)"
    r"(?:/|(?:[-_. ]v?\d[^/]*)?(?:\.[A-Za-z]+)?\Z)"
    r"|(?:^(?i:(?:[a-z]+-)?changes|news|history|upgrade)|(?:^|/)(?:CHANGES|NEWS|HISTORY|UPGRADE))"
    r"(?:[-_]v?\d[^/]*)?(?:\.[A-Za-z]+)?\Z|(?:^|/)releases/v?\d[^/]*\Z"
)
#: Files of code below a folder of pages are examples.
_CODE_FILE = re.compile(
    r"\.(?:c|cc|cpp|cs|dart|exs?|go|hpp?|java|jsx?|kts?|php|pyi?|rb|rs|scala|swift|tsx?)\Z", re.I
)
#: `FilterTests`, `TestFilter` and `test_filter` are names of tests; "latest" is no test.
_ASKS_TESTS = late_pattern(
    r"\b(?:(?:unit)?tests?|tested|testing|test ?cases?|specs?|rspec|cucumber|fixtures?"
    r"|mocks?|mocked|stub(?:bed)?|assertions?|tests?_\w+|\w+_(?:tests?|spec)"
    r"|(?-i:\w*[a-z\d]Tests?(?:Case)?|Tests?[A-Z]\w*)"
    r"|(?:who|what) (?:checks|verifies) that|how do we (?:check|verify))\b",
    re.I,
)
_ASKS_PROSE = re.compile(
    r"\b(?:(?:docs?|documentation)(?!\s+generat)|documented|readme|changelog|guide|tutorial"
    r"|config(?:uration)? file|install(?:ed|ation)?|licen[cs]e)\b",
    re.I,
)
_ASKS_DATA = re.compile(
    r"\b(?:config(?:s|uration|ured)?|compose|workflows?|pipelines?|ci|manifests?|ya?ml|toml|ini"
    r"|kubernetes|k8s|helm|lint(?:er|ers|ing)?|systemd|dependenc(?:y|ies)"
    r"|compat (?:section|bounds?|entr\w+)|supported versions?)\b",
    re.I,
)
_ASKS_MINOR = re.compile(
    r"\b(?:examples?|samples?|snippets?|demos?|compat\w*(?! (?:section|bound|entr))|legacy"
    r"|deprecat\w+|bench\w*|vendor\w*)\b",
    re.I,
)
#: How a question for tests begins (`tests that a key expires`), and one for pages (`where is the
#: documentation of the cache`). An imperative needs an article or "me": `find tests that match` and
#: `list docs for a term` describe what a program does, like all other verbs before "tests".
_WANTED = (
    r"(?:please )?(?:(?:(?:where|which|what)(?:'s| is| are)(?: all)?(?: the)?"
    r"|where can i find(?: all)?(?: the)?|(?:show|find|list|give)(?: me| us)? (?:all )?the"
    r"|(?:show|find|list|give) (?:me|us|all)|the) )?"
)
_KINDS_OF_TESTS = (
    r"(?:(?:unit|integration|regression|e2e|end-to-end|functional|acceptance|smoke|system|browser|ui"
    r"|api|property|property-based|fuzz|snapshot|performance|stress) )?"
)
_KINDS_OF_PAGES = (
    r"(?:(?:user|api|admin|developer|official|online|reference|installation|migration|deployment"
    r") )?"
)
_COVERS = r"(?:covers?|covering|checks?|checking|verif(?:y|ies)|exercises?)"
#: "tests that fail" are tests as such, "tests that a key expires" are some of the project.
_THAT = (
    r"that (?!(?:are|were|is|was|do|does|did|have|has|had|can|could|will|would|should|must|may"
    r"|might|fail|failed|pass|passed|run|ran|match|depend|need|require|share|take|took|use|hang"
    r"|start)\b)"
)
_WANTS_TESTS = re.compile(
    rf"(?:{_WANTED}{_KINDS_OF_TESTS}(?:tests (?:of|for)\b|test of the\b|tests? {_THAT}"
    rf"|tests? (?:(?:that|which) )?{_COVERS}\b)"
    rf"|(?:which|what|show|find|list) {_KINDS_OF_TESTS}tests? (?:(?:that|which) )?"
    rf"(?:{_COVERS}|exist for)\b"
    rf"|(?:is|are) there (?:a |any )?{_KINDS_OF_TESTS}tests? (?:(?:of|for|which)\b|{_THAT}))",
    re.I,
)
#: A question for the tests of one thing. What it calls this thing may be the name of their file.
_TESTS_OF_ONE = re.compile(
    rf"(?:(?:{_WANTED}|(?:is|are) there (?:a |any )?){_KINDS_OF_TESTS}tests? (?:of|for)"
    rf"|(?:which|what|show|find|list) {_KINDS_OF_TESTS}tests?"
    rf" (?:(?:that|which) )?(?:cover|check|{_COVERS}|exists? for)"
    r"|(?:how|where) (?:is|are)(?=.* tested\W*\Z)) (?:the )?"
    r"[`'\"]?(?P<name>[\w.:/-]+(?: [\w-]+){0,2}?)[`'\"]?"
    r"(?: (?P<kind>class|command|component|extension|function|handler|middleware|module|package"
    r"|plugin|provider|service|view))?(?: tested)?\W*\Z",
    re.I,
)
_WANTS_PAGES = re.compile(
    rf"(?:{_WANTED}{_KINDS_OF_PAGES}(?:documentation (?:of|for|on|about)\b|docs (?:for|on|about)\b"
    r"|(?:manual|guide|tutorial|rfc) (?:of|for|on|about|to)\b"
    r"|upgrad\w+ (?:notes|guide|instructions)(?: (?:for|from|to)\b|\W*\Z))"
    r"|what (?:does|do) the (?:\w+ )?(?:manual|docs|documentation)"
    r" (?:say|mention|recommend|state|tell|describe|explain|suggest)\b)",
    re.I,
)
#: Pages answer how something is used, and mostly whether it can be: "does it run offline". Of the
#: imperatives, these are a reader's. "Delete a row" or "use a lock" may be what a program does.
_ASKS_USE = late_pattern(
    r"(?:how (?:do|can|should) (?:i|we|you)|how to|can (?:i|we))\b"
    r"|(?:configure|deploy|disable|enable|upgrade) (?=[`'\"]?\w)",
    re.I,
)
_ASKS_WHETHER = late_pattern(
    r"(?:is|are|does|do|can|could|will|has|have|should|must|may) (?!not\b)"
    r"(?!there (?:an? |any |some )?(?:class|code|function|helper|hook|method|test|type)(?:e?s)?\b)",
    re.I,
)
#: Code answers these even if a page has more of their words.
_ASKS_CODE = late_pattern(
    r"(?:how (?:is|are|does|did|was|were)|where (?:is|are|does|do(?! i\b))"
    r"|which (?:function|class|method|file|module|code)|what happens)\b",
    re.I,
)
_REMEMBERED = 10_000  # paths, about 2 MB


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


@lru_cache(_REMEMBERED)
def place_of(path: str) -> Literal["", "tests", "minor"]:
    """Return the kind of a file by its path; empty for most files."""
    folders = path[: path.rfind("/") + 1]
    if _TEST_FOLDER.search(folders) or _TESTS_OF.search(folders) or _TEST_FILE.search(path):
        return "tests"
    is_example = _CODE_FILE.search(path) and _PAGES_FOLDER.search(folders)
    return "minor" if is_example or _MINOR.search(path) else ""


@lru_cache(_REMEMBERED)
def is_of_tests(path: str) -> bool:
    """Return whether a page or a file of data belongs to tests, such as a snapshot. Pages about
    tests (`docs/testing/tools.md`, `specs/login.md`) do not."""
    folders = path[: path.rfind("/") + 1]
    is_there = _TEXTS_OF_TESTS.search(folders) or _TESTS_OF.search(folders)
    return is_there is not None and not _PAGES_FOLDER.search(folders)


@lru_cache(_REMEMBERED)
def is_changelog(path: str) -> bool:
    """Return whether this path is a changelog of the project, such as `NEWS.md`,
    `docs/release-notes/2.0.md` or `UPGRADE-3.0.md`. Changelogs of tests and of vendored packages
    are not."""
    return _CHANGELOG.search(path) is not None and not place_of(path)


def is_page(path: str) -> bool:
    """Return whether a text at this path is a page of the project: no changelog, and not of tests
    or vendored packages. Only its folder tells: `docs/UnitTest.md` is a page."""
    return not (is_changelog(path) or is_of_tests(path) or _VENDORED.search(path))


def names_under_test(question: str) -> tuple[str, ...]:
    """Return what a question for the tests of one thing calls this thing: `lyrics` and `lyrics
    plugin` for `tests of the lyrics plugin`. Empty for other questions, and for those in other
    languages than English."""
    found = _TESTS_OF_ONE.match(question) if len(question) <= LONGEST_QUESTION else None
    if found is None:
        return ()
    name, kind = found["name"], found["kind"]
    return (name, f"{name} {kind}") if kind else (name,)


def priors_for(question: str, config: RankCodeConfig) -> Priors:
    """Return the factors for a question. A kind that the question asks for has the factor 1. So
    have pages, but no changelogs, if it asks how to use something, or whether something is so."""
    wants_pages = bool(_WANTS_PAGES.match(question))
    asks_prose = wants_pages or _ASKS_PROSE.search(question) is not None
    prose = 1.0 if asks_prose or _asks_use(question) else config.prose
    return Priors(
        tests=1.0 if _ASKS_TESTS.search(question) else config.tests,
        pages=prose,
        prose=prose,
        data=1.0 if _ASKS_DATA.search(question) else prose,
        minor=1.0 if _ASKS_MINOR.search(question) else config.minor,
        code=config.unasked if wants_pages else 1.0,
        others=config.unasked if _WANTS_TESTS.match(question) else 1.0,
        changelog=1.0 if asks_prose or keeps_changelogs(question) else config.prose,
    )


def _asks_use(question: str) -> bool:
    """Return whether pages may well answer a question: how something is used, or whether it is so,
    even if it names code: pages describe interfaces."""
    return bool(_ASKS_USE.match(question) or _ASKS_WHETHER.match(question))


def asks_code(question: str) -> bool:
    """Return whether a question is one for code by its form (`how does`, `where is`), so that code
    may well answer it even if pages have more of its words."""
    return _ASKS_CODE.match(question) is not None
