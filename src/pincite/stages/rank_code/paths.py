"""Recognise by their paths the files that seldom answer a question about code: tests, examples,
changelogs and other pages."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Literal

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
_REMEMBERED = 10_000  # paths, about 2 MB


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
