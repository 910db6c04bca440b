"""Headers are read in the language of their content."""

from __future__ import annotations

import time

import pytest

from pincite.model import Source
from pincite.readers import read_document
from pincite.readers.headers import header_language

C = """#ifndef QUEUE_H
#define QUEUE_H
#include <stddef.h>
#ifdef __cplusplus
#include <cstddef>
namespace queues { class Queue; }
extern "C" {
#endif

/*
class Queue is std::queue in C++.
*/
struct queue { int class; const char *namespace; };
// template <class T>
[[gnu::cold]] int queue_put(struct queue *queue, const char *name, ...);
#define QUEUE_NAME "std::queue"

#ifdef __cplusplus
}
#endif
#endif
"""


@pytest.mark.parametrize(
    "line",
    [
        "template <typename T> T larger(T a, T b);",
        "namespace queues {",
        "inline namespace v2 {",
        "class Queue {",
        "class QUEUE_API Queue : public Base {",
        "enum class Colour { red };",
        " public:",
        "  private:",
        "using Name = const char *;",
        "using std::swap;",
        "void put(std::string name);",
        "#include <vector>",
        "inline Queue::Queue() {}",
    ],
)
def test_a_header_with_a_line_of_cpp_is_cpp(line: str) -> None:
    assert header_language(f"#pragma once\nint queue_size(void);\n{line}\n") == "cpp"


@pytest.mark.parametrize(
    "line",
    [
        "@interface Queue : NSObject",
        "@protocol Sink <NSObject>",
        "@class Queue;",
        "#import <Foundation/Foundation.h>",
        "@import Foundation;",
    ],
)
def test_a_header_with_a_line_of_objective_c_is_objective_c(line: str) -> None:
    assert header_language(f"int queue_size(void);\n{line}\n") == "objective_c"


def test_a_header_of_c_may_have_parts_for_other_compilers() -> None:
    assert header_language(C) == "c"
    assert header_language(C.replace("#ifdef __cplusplus", "#if defined(__cplusplus)")) == "c"
    assert header_language("int a;\n#ifdef __OBJC__\n@class Queue;\n#else\nint b;\n#endif\n") == "c"
    assert header_language("") == "c"


def test_what_a_compiler_of_c_reads_counts_also_beside_such_parts() -> None:
    without = "#ifndef __cplusplus\n#error C++ only\n#else\n#define X\n#endif\nclass Queue {};\n"
    assert header_language(without) == "cpp"
    inverse = "int a;\n#if !defined(__cplusplus)\nint b;\n#else\nclass Queue {};\n#endif\n"
    assert header_language(inverse) == "c"
    nested = "int a;\n#ifdef __cplusplus\n#if X\n#endif\nclass Queue;\n#endif\nint b;\n"
    assert header_language(nested) == "c"


def test_a_header_that_is_only_for_cpp_is_cpp() -> None:
    whole = "#pragma once\n#ifdef __cplusplus\n#include <vector>\nclass Queue {};\n#endif\n"
    assert header_language(whole) == "cpp"


def test_documents_have_the_language_of_their_header() -> None:
    source = Source("acme", "/x", "folder")
    raw = "class Größe {};\n".encode("utf-16")
    read = [read_document(raw, source=source, path=path, ref="") for path in ("a.h", "a.H")]
    assert [each.language for each in read] == ["cpp", "cpp"]
    raw = b"int size(void);\n"
    read = [read_document(raw, source=source, path=path, ref="") for path in ("a.h", "a.hpp")]
    assert [each.language for each in read] == ["c", "cpp"]


@pytest.mark.parametrize(
    "piece",
    [
        "/*",
        "//",
        '"',
        "'",
        '"\\"',
        "! ",
        "#if !\n",
        "#ifdef __cplusplus\n",
        "[[",
        "a",
        "  ",
        "\n",
        ":",
        "#",
    ],
)
def test_no_header_takes_long(piece: str) -> None:
    many = 200_000 // len(piece)
    for text in (piece * many, "#if __cplusplus\n#if !" + piece * many):
        began = time.process_time()
        header_language(text)
        assert time.process_time() - began < 5  # quadratic steps take minutes
