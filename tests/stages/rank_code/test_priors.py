"""What a question asks for: tests, pages, configuration, examples."""

from __future__ import annotations

import pytest

from pincite.model import Candidate, Question, Signal
from pincite.questions.asked import asked_of
from pincite.stages.prepare import PrepareConfig, prepare
from pincite.stages.rank_code import RankCodeConfig, rank_code
from pincite.stages.rank_code.paths import is_of_tests, place_of
from pincite.stages.rank_code.priors import Priors, priors_for
from tests.builders import chunk


def priors_of(question: str, config: RankCodeConfig) -> Priors:
    return priors_for(asked_of(question), config)


@pytest.mark.parametrize(
    "question",
    [
        *("docker compose with postgres", "CI workflow for the race detector", "which linters run"),
        *(
            "which versions are in the compat section",
            "PrettyTables compat bound",
            "compat entries",
        ),
        "supported versions of Julia",
    ],
)
def test_a_question_about_configuration_finds_it(question: str) -> None:
    config = RankCodeConfig()
    assert priors_of(question, config).data == 1.0
    assert priors_of(question, config).prose == config.prose
    assert priors_of("how is a cart stored", config).data == config.prose


@pytest.mark.parametrize(
    ("question", "tests", "pages"),
    [
        ("tests that throttled requests get 429", True, False),
        ("where are the unit tests for the cache", True, False),
        ("which test covers the leader election", True, False),
        ("documentation of supported destinations", False, True),
        ("the user manual of the canceller", False, True),
        ("where is the upgrade guide", False, True),
        ("Where's the documentation of the cache", False, True),
        ("where can I find documentation on retries", False, True),
        ("is there a test for the retry policy", True, False),
        ("test of the install task", True, False),
        ("which docs are deleted", False, False),
        ("list docs of a group", False, False),
        ("where are docs added to the writer", False, False),
        ("manual commit of a writer", False, False),
        ("where is the style guide enforced", False, False),
        ("rfc 7231 date header parsing", False, False),
        ("test for membership in an id set", False, False),
        ("where is the hit test for mouse events", False, False),
        ("test of equality between two points", False, False),
        ("how is it tested", False, False),
        ("what does documentation generation do", False, False),
        ("documentation strings of a class", False, False),
        ("how are docs built", False, False),
        ("tests of the parser", True, False),
        ("show me the e2e tests for the login", True, False),
        ("list tests that cover the cache", True, False),
        ("which unit tests check the cache", True, False),
        ("integration test that a worker reconnects", True, False),
        ("which function tests for planarity", False, False),
        ("what tests for bipartite graphs", False, False),
        ("which method tests that a string is empty", False, False),
        ("find tests that match a keyword", False, False),
        ("rerun tests that failed in the last run", False, False),
        ("skip tests that need a missing module", False, False),
        ("tests that fail are retried where", False, False),
        ("parametrize tests for several arguments", False, False),
        ("statistical tests for equal variances", False, False),
        ("docs on deployment", False, True),
        ("show me the user guide for exports", False, True),
        ("what do the docs say about retries", False, True),
        ("upgrade notes for 2.0", False, True),
        ("disable docs for production", False, False),
        ("generate documentation for private members", False, False),
        ("show documentation for the symbol under the cursor", False, False),
        ("list docs for a shard", False, False),
        ("missing documentation for public items", False, False),
        ("what does the manual page builder write", False, False),
        ("what do the docs of a batch contain", False, False),
        ("upgrade notes parser", False, False),
    ],
)
def test_who_asks_for_tests_or_pages_gets_other_files_behind_them(
    question: str, tests: bool, pages: bool
) -> None:
    config = RankCodeConfig()
    priors = priors_of(question, config)
    of_code = priors.of(["code"], "src/cache.py")
    assert of_code == (config.unasked if tests or pages else 1.0)
    assert priors.of(["code"], "tests/test_cache.py") <= 1.0
    if tests:
        assert priors.of(["code"], "tests/test_cache.py") == 1.0
    if pages:
        assert priors.of(["docs"], "docs/cache.md") == 1.0


@pytest.mark.parametrize(
    "question",
    [
        *("how do I write a reporter", "how to release", "Can we log", "Is Windows supported?"),
        *("Does it run offline?", "Can two processes write?", "Are secrets masked?"),
        *("Is there a Docker image?", "Does it run on Node.js?", "does it support HTTP/2?"),
        *(
            "Configure the logging level",
            "Enable HTTPS",
            "disable `cache`",
            "has it a GUI",
            "is GitHub supported",
        ),
        *("Does uv_close call the callback?", "Can Foo::bar throw?", "does bar() block"),
    ],
)
def test_pages_count_in_full_for_a_question_of_use(question: str) -> None:
    config = RankCodeConfig()
    priors = priors_of(question, config)
    assert priors.prose == 1.0
    assert priors.of(["docs"], "CHANGELOG.md") == config.prose


@pytest.mark.parametrize(
    "question",
    [
        *("how does it write a report", "do not retry failed jobs", "delete a row", "use a lock"),
        *(
            "is there a function that retries",
            "are there classes for dates",
            "isolate a failing row",
        ),
        *("configure", "disable()", "enable", "deploy", "upgrade(db)", "configure.ac", "upgrade?"),
    ],
)
def test_pages_do_not_for_a_question_about_code(question: str) -> None:
    config = RankCodeConfig()
    assert priors_of(question, config).prose == config.prose


@pytest.mark.parametrize(
    "question",
    [
        *("unittest for the cache", "testcases of the parser", "TestCase", "FilterTests"),
        *("rspec for the mailer", "cucumber features", "assertions about headers", "stub a clock"),
        *("who checks that a key expires", "how do we verify that a key expires"),
        *("TestFilter", "test_filter", "filter_test", "PlainTextTestCase"),
    ],
)
def test_tests_count_in_full_for_a_question_about_them(question: str) -> None:
    assert priors_of(question, RankCodeConfig()).tests == 1.0


@pytest.mark.parametrize(
    "question",
    [
        "the latest value",
        "greatest common divisor",
        "attestation of keys",
        "LatestRelease",
        "Tester",
    ],
)
def test_tests_do_not_for_words_that_end_like_test(question: str) -> None:
    config = RankCodeConfig()
    assert priors_of(question, config).tests == config.tests


def test_a_question_about_examples_finds_them() -> None:
    config = RankCodeConfig()
    assert priors_of("show an example of a client", config).minor == 1.0
    assert priors_of("show a client", config).minor == config.minor
    assert priors_of("the compatibility layer of clients", config).minor == 1.0
    assert priors_of("compat bounds of a client", config).minor == config.minor


@pytest.mark.parametrize(
    ("path", "place"),
    [
        ("t/mojo/json.t", "tests"),
        ("xt/author.t", "tests"),
        ("regress/basic.t", "tests"),
        ("lib/t.pm", ""),
        ("src/t_map.c", ""),
        ("example/main.dart", "minor"),
        ("example_dart/lib/main.dart", "minor"),
        ("example_flutter_app/lib/main.dart", "minor"),
        ("examples-old/main.py", "minor"),
        ("lib/example.dart", ""),
        ("lib/examples_of.dart", ""),
        ("src/FluentValidation.Tests/LocalisedNameTester.cs", "tests"),
        ("src/Shop.UnitTests/Basket.cs", "tests"),
        ("src/Shop.Tests.Shared/Basket.cs", "tests"),
        ("src/Ftp/FtpAdapterTestCase.php", "tests"),
        ("script/Deploy.t.sol", "tests"),
        ("app/src/androidTest/java/Login.kt", "tests"),
        ("AppUITests/Login.swift", "tests"),
        ("App/LoginUITests.swift", "tests"),
        ("perf-test/clj/request_perf.clj", "tests"),
        ("e2e/run.sh", "tests"),
        ("web/login.e2e.ts", "tests"),
        ("web/login.cy.ts", "tests"),
        ("web/login.e2e-spec.ts", "tests"),
        ("scripts/test-upgrade-v0.3.sh", "tests"),
        ("lib/test-parser.js", "tests"),
        ("R/test-filter.R", "tests"),
        ("guide/test-rules.md", ""),
        ("ci/test-linux.yml", ""),
        ("lib/latest-parser.js", ""),
        ("modules/Test-Path.ps1", ""),  # a command that tests something
        ("latest/app.py", ""),
        ("contest/Contest.cs", ""),
        ("src/ab-test/group.ts", ""),
        ("src/ABTest/assign.cs", ""),
        ("SpeedTest/Run.cs", ""),
        ("app/src/integrationTest/java/Login.kt", "tests"),
        ("src/Attestation/Key.cs", ""),
        ("src/latest.test.conf.d.ts", "minor"),
        ("okio/src/commonTest/kotlin/okio/FakeClock.kt", "tests"),
        ("okhttp/src/jvmTest/resources/hello.txt", "tests"),
        ("src/iosTest/kotlin/Util.kt", "tests"),
        ("app/src/sharedTest/java/Util.kt", "tests"),
        ("src/speedTest/run.ts", ""),
        ("FooSDKTests/Helpers.swift", "tests"),
        ("HTTPTests/Helper.swift", "tests"),
        ("contests/run.py", ""),
        ("okhttp-testing-support/src/main/kotlin/okhttp3/Clock.kt", "tests"),
        ("test-support/src/lib.rs", "tests"),
        ("contest-support/src/lib.rs", ""),
        ("src/Snippets/Docs/Retry.cs", "minor"),
        ("docs/code/crawl.py", "minor"),
        ("docs/guide/retry.md", ""),
        ("docs/conf.yml", ""),
    ],
)
def test_a_path_tells_tests_and_examples(path: str, place: str) -> None:
    assert place_of(path) == place


@pytest.mark.parametrize(
    ("path", "of_tests"),
    [
        ("packages/a/__tests__/expected.md", True),
        ("src/__tests__/data.json", True),
        ("integration-tests/data.json", True),
        ("e2e/data.json", True),
        ("src/commonTest/resources/hello.txt", True),
        ("JSONTests/data.json", True),
        ("docs/e2e/setup.md", False),
        ("specs/login.md", False),
        ("testing/tools.md", False),
    ],
)
def test_a_folder_of_tests_has_texts_and_data_of_tests(path: str, of_tests: bool) -> None:
    assert is_of_tests(path) is of_tests


def defined(path: str, score: float, *symbols: str) -> Candidate:
    found = chunk(path, id=path, path=path, source_type="code", symbols=symbols)
    return Candidate("main", found, (Signal("fused", "normalised", score),))


def first(question: str, *candidates: Candidate) -> str:
    query = prepare(Question(question), PrepareConfig())
    config = RankCodeConfig(defined_first=0)
    ranked = rank_code(query, candidates, lambda text: frozenset(text.lower().split()), config)
    return ranked[0].chunk.path


@pytest.mark.parametrize("minor", ["test_functions.bash", "testing/assertions.py", "compat/py2.py"])
def test_what_tests_or_examples_alone_define_is_not_behind_other_code(minor: str) -> None:
    there = defined(minor, 1.0, "split_lines")
    other = defined("lib/common.bash", 0.9, "join")
    assert first("how split_lines makes an array", there, other) == minor
    assert first("how lines are split into an array", there, other) == "lib/common.bash"


def test_tests_that_define_a_name_as_other_code_does_stay_behind_it() -> None:
    there = defined("tests/test_lines.py", 1.0, "split_lines")
    for other in (defined("lib/lines.py", 0.9, "split_lines"), defined("lib/lines.py", 0.9, "x")):
        both = (there, other, defined("lib/text.py", 0.1, "split_lines"))
        assert first("how split_lines makes an array", *both) == "lib/lines.py"
