"""Places of files in a text: which there are, in which order, and which files they fit."""

from __future__ import annotations

import time

import pytest

from pincite.questions.frames import Fit, Frame, frames_of, is_only_frames, without_lines

PYTHON = """Traceback (most recent call last):
  File "/usr/lib/python3/site-packages/click/core.py", line 1157, in __call__
    return self.main(*args)
  File "/srv/shop/src/shop/cli.py", line 12, in run
    order.close()
  File "/srv/shop/src/shop/order.py", line 40, in close
    raise ValueError(f"{self} is open")
ValueError: 7 is open"""
PYTEST = "tests/test_a.py:12: in test_a\n    f()\nsrc/a.py:3: in f\nsrc/b.py:9: ValueError"
GO = """goroutine 1 [running]:
example.org/shop/order.(*Order).Close(0xc000, {0x1a2b, 0xc0})
\t/build/shop/order/order.go:40 +0x1d
example.org/shop/cli.Run(...)
\t/build/shop/cli/run.go:12
net/http.(*conn).serve(0xc0)
\t/usr/local/go/src/net/http/server.go:2009 +0x5f4"""


@pytest.mark.parametrize(
    ("text", "path", "line"),
    [
        ('File "/srv/app/a.py", line 12, in f', "srv/app/a.py", 12),
        ('File "/srv/my app/run", line 3', "srv/my app/run", 3),
        ('"src/a.py", line 7', "src/a.py", 7),
        ("src/a.py:12", "src/a.py", 12),
        ("what is wrong in (src/a.py:12:3)?", "src/a.py", 12),
        ("flows.py:242", "flows.py", 242),
        ("docs/guide.md:120", "docs/guide.md", 120),
        ("../src/./x.ts:3", "src/x.ts", 3),
        ("at f (/app/src/x.ts:10:3)", "app/src/x.ts", 10),
        ("at f (file:///home/a/x.ts:3:4)", "home/a/x.ts", 3),
        ("webpack-internal:///(rsc)/./src/(main)/x.tsx:12:3", "(rsc)/src/(main)/x.tsx", 12),
        ("at src/x.tsx?t=170:12:3", "src/x.tsx", 12),
        ("\t/build/shop/x.go:12 +0x1d", "build/shop/x.go", 12),
        ("at com.shop.Order$Item.<init>(Order.java:55)", "com/shop/Order.java", 55),
        ("at app//com.shop.Order.close(Order.java:55)", "com/shop/Order.java", 55),
        ("app/x.rb:12:in `close'", "app/x.rb", 12),
        ("--> src/main.rs:4:5", "src/main.rs", 4),
        ("#0 /var/www/x.php(12): close()", "var/www/x.php", 12),
        ("PHP Fatal error: no in /var/www/x.php on line 12", "var/www/x.php", 12),
        ("at A.B() in C:\\src\\App\\x.cs:line 42", "src/App/x.cs", 42),
        ("C:\\src\\App\\x.py:42", "src/App/x.py", 42),
        ("src/a.ts(12,5): error TS1005", "src/a.ts", 12),
        ("src\\app\\x.cs(12,5): error CS1002: ; expected", "src/app/x.cs", 12),
        ("C:\\src\\app\\x.cpp(12): error C2065", "src/app/x.cpp", 12),
        ("https://example.org/o/r/blob/main/src/a.py#L12", "o/r/blob/main/src/a.py", 12),
        ("core.py#L174-L199", "core.py", 174),
        ("core.py#L174-199", "core.py", 174),
        ("https://example.org/o/r/blob/main/src/a.py#L12C5-L20C3", "o/r/blob/main/src/a.py", 12),
        ("a.py:3-9", "a.py", 3),
        ("a.py:3\u20139 fails", "a.py", 3),
        ("what do src/a.py lines 3-9 do?", "src/a.py", 3),
        ("a.py:3-b.py", "a.py", 3),
        ("a.py:3:9:b", "a.py", 3),
        ("deploy/Dockerfile:3", "deploy/Dockerfile", 3),
        ("src/a.py:L40", "src/a.py", 40),
        ("`src/a.py`:40", "src/a.py", 40),
        ('"src/a.py":40:3', "src/a.py", 40),
        ("show me line 40 of src/flask/cli.py", "src/flask/cli.py", 40),
        ("what is at line 40 of app.py?", "app.py", 40),
        ("lines 10-20 of helpers.py", "helpers.py", 10),
        ("Lines 10 to 20 in the file `src/helpers.py`", "src/helpers.py", 10),
        ("line 40 of C:\\src\\App\\x.py.", "src/App/x.py", 40),
        ("why fails it on line 12 in Makefile", "Makefile", 12),
        ("at f (http://localhost:3000/main.js:2:3)", "main.js", 2),
        ("at f (https://a.example.org:8443/js/main.js:2:3)", "js/main.js", 2),
    ],
)
def test_a_place_is_found_in_every_form(text: str, path: str, line: int) -> None:
    assert [(one.path, one.line) for one in frames_of(text)] == [(path, line)]


@pytest.mark.parametrize(
    "text",
    [
        "http://localhost:8080",
        "localhost:8080",
        "https://example.org:8443/orders",
        "example.org:443",
        "10.0.0.1:8080",
        "redis://db.local:6379/0",
        "registry.example.org/shop/app:12",
        "ubuntu:22",
        "at 12:30 today",
        "2024-01-02T12:30:11",
        "v1.2.3:4 of python 3.11:2",
        "16:9",
        "node:internal/process/task_queues:95:5",
        "self.c(12) and np.r(3)",
        'File "<stdin>", line 1, in <module>',
        "on line 12",
        "line 12 of the file",
        "what does line 12 in tests mean",
        "line 0 of a.py",
        "see shop/web#40",
        "what does docs/guide.md#4-oil say",
        "CHANGELOG.md#210---2024-01-01",
        "http://localhost:8080/a.b",
        "src/a.py:0",
        "src/a.py",
        "where is a key rotated?",
    ],
)
def test_ports_times_versions_and_calls_are_no_places(text: str) -> None:
    assert frames_of(text) == ()
    assert not is_only_frames(text)


@pytest.mark.parametrize(
    ("text", "paths"),
    [
        (PYTHON, ["order.py", "cli.py", "core.py"]),
        (" ".join(PYTHON.split()), ["order.py", "cli.py", "core.py"]),
        (PYTEST, ["b.py", "a.py", "test_a.py"]),
        (GO, ["order.go", "run.go", "server.go"]),
    ],
)
def test_the_frame_that_failed_is_first_and_libraries_are_last(text: str, paths: list[str]) -> None:
    assert [one.path.rpartition("/")[2] for one in frames_of(text)] == paths


@pytest.mark.parametrize(
    ("text", "stored", "fit"),
    [
        ("/srv/app/src/app/a.py:1", "src/app/a.py", Fit(3, True)),
        ("/srv/app/src/app/a.py:1", "app/a.py", Fit(2, True)),
        ("/srv/main.py:1", "main.py", Fit(1, True)),
        ("/srv/app/a.py:1", "src/app/a.py", Fit(2, False)),
        ("/srv/app/a.py:1", "one/two/app/a.py", None),
        ("/srv/app/a.py:1", "other/a.py", None),
        ("app/a.py:1", "app/a.py", Fit(2, True)),
        ("app/a.py:1", "services/one/app/a.py", Fit(2, False)),
        ("a.py:1", "src/app/a.py", Fit(1, False)),
        ("a.py:1", "src/app/aa.py", None),
        ("/usr/lib/python3/site-packages/app/a.py:1", "src/app/a.py", Fit(2, False)),
        ("/usr/lib/python3/site-packages/app/core/a.py:1", "core/a.py", None),
        ("/usr/lib/python3.11/json/decoder.py:1", "decoder.py", None),
        ("/go/pkg/mod/example.org/u/p@v1.2.3/context.go:1", "context.go", None),
        ("/w/node_modules/next/index.js:1", "index.js", None),
        (
            "at com.shop.Order.close(Order.java:5)",
            "core/src/main/java/com/shop/Order.java",
            Fit(3, False),
        ),
        ("at com.shop.Order.close(Order.java:5)", "src/main/java/com/other/Order.java", None),
    ],
)
def test_paths_of_the_index_fit_by_their_ends(text: str, stored: str, fit: Fit | None) -> None:
    (frame,) = frames_of(text)
    assert frame.fit(stored) == fit


@pytest.mark.parametrize(
    ("text", "source", "fit"),
    [
        ("alpha/cli.py:1", "alpha", Fit(2, True)),
        ("alpha/cli.py:1", "beta", Fit(1, True)),
        ("/srv/beta/cli.py:1", "beta", Fit(2, True)),
        ("/srv/beta/cli.py:1", "acme/beta", Fit(2, True)),
        ("acme/beta/cli.py:1", "acme/beta", Fit(3, True)),
        ("cli.py:1", "beta", Fit(1, True)),
        ("/usr/lib/python3/site-packages/beta/cli.py:1", "beta", Fit(2, True)),
        ("/usr/lib/python3/site-packages/beta/cli.py:1", "alpha", None),
        ("/srv/beta/other.py:1", "beta", None),
    ],
)
def test_the_name_of_the_source_counts_as_a_folder(text: str, source: str, fit: Fit | None) -> None:
    (frame,) = frames_of(text)
    assert frame.fit("cli.py", source) == fit


@pytest.mark.parametrize(
    ("text", "only"),
    [
        ("src/a.py:12", True),
        ("src/a.py#L12-L20", True),
        ("src/a.py:12:3", True),
        ('File "/srv/a.py", line 12, in f', True),
        ("at async f (webpack-internal:///./src/a.ts:12:3)", True),
        ("at com.shop.Order.close(Order.java:55)", True),
        ("app/x.rb:12:in `close'", True),
        ("line 12 of src/a.py", True),
        ("at f (http://localhost:3000/main.js:2:3)", True),
        ("src/a.py:12 fails", False),
        (PYTHON, False),
    ],
)
def test_a_question_may_be_nothing_but_places(text: str, only: bool) -> None:
    assert is_only_frames(text) is only


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        ("error 12 at src/a.py:12:3 of 3", "error 12 at src/a.py  of 3"),
        ("src/a.ts(12,5): error", "src/a.ts : error"),
        ('File "/srv/a.py", line 12, in f', "/srv/a.py , in f"),
        ("core.py#L174-L199", "core.py "),
        ("show line 40 of src/a.py", "show src/a.py "),
        ("at f (http://localhost:3000/main.js:2:3)", "at f /main.js )"),
        ("at 12:30 on port 80", "at 12:30 on port 80"),
    ],
)
def test_lines_and_columns_can_be_left_out(text: str, rest: str) -> None:
    assert without_lines(text) == rest


def test_there_are_at_most_a_hundred_the_last_of_a_traceback_of_python() -> None:
    lines = "\n".join(f'File "/srv/a{n}.py", line {n + 1}, in f' for n in range(500))
    found = frames_of(lines)
    assert len(found) == 100
    assert found[0] == Frame("srv/a499.py", 500)


@pytest.mark.parametrize(
    "hostile",
    [
        "a" * 100_000 + ":1",
        "a:1" * 30_000,
        'File "' * 20_000 + "line 1",
        "a/" * 50_000 + ":1",
        "(" * 100_000 + ":1",
        "a.php(1" * 15_000,
        "pkg/mod/" * 12_000 + "a.go:1",
        "a." * 50_000 + "(B.java:1",
        "?a=" * 30_000 + ":1",
        "at a(" * 20_000 + " a.py:1",
        "a://" * 25_000 + ":1",
        "a.py:1-" * 15_000,
        "a.py:1:1:1:" * 10_000,
        "line 1 of " * 15_000,
        "line 1 of a/" + "b." * 50_000,
        "at line 1 " * 15_000,
        "ab://a.b:1/" * 10_000 + ":1",
        "ab://" + "a.b" * 40_000 + ":1/x:1",
    ],
)
def test_hostile_texts_take_linear_time(hostile: str) -> None:
    begun = time.process_time()
    frames_of(hostile)
    is_only_frames(hostile)
    without_lines(hostile)
    assert time.process_time() - begun < 3
