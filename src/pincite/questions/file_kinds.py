"""Questions for a kind of files: tests, pages, data, examples or code. English only."""

from __future__ import annotations

import re

import msgspec

from pincite.questions.changes import LONGEST_QUESTION
from pincite.support.late_patterns import late_pattern

#: `FilterTests`, `TestFilter` and `test_filter` are names of tests; "latest" is no test.
_ASKS_TESTS = late_pattern(
    r"\b(?:(?:unit)?tests?|tested|testing|test ?cases?|specs?|rspec|cucumber|fixtures?"
    r"|mocks?|mocked|stub(?:bed)?|assertions?|tests?_\w+|\w+_(?:tests?|spec)"
    r"|(?-i:\w*[a-z\d]Tests?(?:Case)?|Tests?[A-Z]\w*)"
    r"|(?:who|what) (?:checks|verifies) that|how do we (?:check|verify))\b",
    re.I,
)
_ASKS_PROSE = late_pattern(
    r"\b(?:(?:docs?|documentation)(?!\s+generat)|documented|readme|changelog|guide|tutorial"
    r"|config(?:uration)? file|install(?:ed|ation)?|licen[cs]e)\b",
    re.I,
)
_ASKS_DATA = late_pattern(
    r"\b(?:config(?:s|uration|ured)?|compose|workflows?|pipelines?|ci|manifests?|ya?ml|toml|ini"
    r"|kubernetes|k8s|helm|lint(?:er|ers|ing)?|systemd|dependenc(?:y|ies)"
    r"|compat (?:section|bounds?|entr\w+)|supported versions?)\b",
    re.I,
)
_ASKS_MINOR = late_pattern(
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
_WANTS_TESTS = late_pattern(
    rf"(?:{_WANTED}{_KINDS_OF_TESTS}(?:tests (?:of|for)\b|test of the\b|tests? {_THAT}"
    rf"|tests? (?:(?:that|which) )?{_COVERS}\b)"
    rf"|(?:which|what|show|find|list) {_KINDS_OF_TESTS}tests? (?:(?:that|which) )?"
    rf"(?:{_COVERS}|exist for)\b"
    rf"|(?:is|are) there (?:a |any )?{_KINDS_OF_TESTS}tests? (?:(?:of|for|which)\b|{_THAT}))",
    re.I,
)
#: A question for the tests of one thing. What it calls this thing may be the name of their file.
_TESTS_OF_ONE = late_pattern(
    rf"(?:(?:{_WANTED}|(?:is|are) there (?:a |any )?){_KINDS_OF_TESTS}tests? (?:of|for)"
    rf"|(?:which|what|show|find|list) {_KINDS_OF_TESTS}tests?"
    rf" (?:(?:that|which) )?(?:cover|check|{_COVERS}|exists? for)"
    r"|(?:how|where) (?:is|are)(?=.* tested\W*\Z)) (?:the )?"
    r"[`'\"]?(?P<name>[\w.:/-]+(?: [\w-]+){0,2}?)[`'\"]?"
    r"(?: (?P<kind>class|command|component|extension|function|handler|middleware|module|package"
    r"|plugin|provider|service|view))?(?: tested)?\W*\Z",
    re.I,
)
_WANTS_PAGES = late_pattern(
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


class AskedKinds(msgspec.Struct, frozen=True):
    """The kinds of files that a question asks for.

    `tests`, `prose`, `data` and `minor` (examples, benchmarks, vendored packages and the like)
    tell whether it has a word for them. `wants_tests` and `wants_pages` tell whether it begins with
    asking for them (`tests that a key expires`); such pages are prose, too. `use`: pages may well
    answer it, even if it names code, because it asks how something is used, or whether it is so.
    `code`: code may well answer it, even if pages have more of its words, because of its form (`how
    does`, `where is`).

    `under_test` is what a question for the tests of one thing calls this thing: `lyrics` and
    `lyrics plugin` for `tests of the lyrics plugin`."""

    tests: bool = False
    prose: bool = False
    data: bool = False
    minor: bool = False
    wants_tests: bool = False
    wants_pages: bool = False
    use: bool = False
    code: bool = False
    under_test: tuple[str, ...] = ()


def asked_kinds(question: str) -> AskedKinds:
    """Return the kinds of files that a question asks for; none in other languages than English."""
    wants_pages = bool(_WANTS_PAGES.match(question))
    return AskedKinds(
        tests=bool(_ASKS_TESTS.search(question)),
        prose=wants_pages or bool(_ASKS_PROSE.search(question)),
        data=bool(_ASKS_DATA.search(question)),
        minor=bool(_ASKS_MINOR.search(question)),
        wants_tests=bool(_WANTS_TESTS.match(question)),
        wants_pages=wants_pages,
        use=bool(_ASKS_USE.match(question) or _ASKS_WHETHER.match(question)),
        code=bool(_ASKS_CODE.match(question)),
        under_test=_under_test(question),
    )


def _under_test(question: str) -> tuple[str, ...]:
    found = _TESTS_OF_ONE.match(question) if len(question) <= LONGEST_QUESTION else None
    if found is None:
        return ()
    name, kind = found["name"], found["kind"]
    return (name, f"{name} {kind}") if kind else (name,)
