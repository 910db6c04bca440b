"""The heads of classes in many languages."""

from __future__ import annotations

import time

import pytest

from pincite.stages.rank_code.heads import heads_of
from tests.time_limits import GROWS_S


@pytest.mark.parametrize(
    ("language", "text", "name", "bases"),
    [
        ("python", "class A(b.B[int], C, metaclass=M):\n    x: X", "A", "B C"),
        ("python", "class A(\n    B,\n    C,\n):\n", "A", "B C"),
        ("java", "public final class A extends B<X> implements C, d.D {", "A", "B C D"),
        ("java", "@Entity(name = X)\nclass A\n    extends B {", "A", "B"),
        ("kotlin", "class A(\n    val x: X,\n) : B(x), C by x {", "A", "B C"),
        ("kotlin", "val a = object : B {", "", "B"),
        ("scala", "case class A(x: X) extends B(x) with C[X] {", "A", "B C"),
        ("c_sharp", "public class A<T> : B<T>, IC where T : X {", "A", "B IC"),
        ("c_sharp", "public record A(int X) : B(X);", "A", "B"),
        ("cpp", "class API A final : public B<X>, private virtual n::C {", "A", "B C"),
        ("objective_c", "@interface A : B <C>", "A", "B C"),
        ("swift", "extension A: B, C where T: X {", "A", "B C"),
        ("php", "abstract class A extends \\N\\B implements C,\n    D {", "A", "B C D"),
        ("typescript", "export class A<T extends X> extends q.B<T> implements C {", "A", "B C"),
        ("typescript", "export interface A extends B, C {", "A", "B C"),
        ("typescript", "export type A = B & { x: number }", "A", "B"),
        ("javascript", "module.exports = class A extends B {", "A", "B"),
        ("ruby", "class A < N::B\n  def x", "A", "B"),
        ("ruby", "  include B", "", "B"),
        ("rust", "impl<'a, T: X> b::B<T> for &'a A<T> {", "A", "B"),
        ("rust", "pub trait A: B {", "A", "B"),
        ("rust", "#[derive(B, C)]\nstruct", "", "B C"),
        ("go", "var _ p.B = (*A)(nil)", "A", "B"),
        ("go", 'type A struct {\n\tB\n\t*p.C `json:"c"`\n\tx X\n}', "A", "B C"),
        ("haskell", "instance X a => B (A a) where", "A", "B"),
        ("elixir", "defimpl B, for: A do", "A", "B"),
        ("julia", "struct A <: B", "A", "B"),
        ("perl", "use parent 'B';", "", "B"),
        ("solidity", "contract A is B, C {", "A", "B C"),
    ],
)
def test_a_head_has_its_name_and_its_bases(language: str, text: str, name: str, bases: str) -> None:
    head = heads_of(text, language)[0]
    assert (head.name, head.bases) == (name, frozenset(bases.split()))


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("python", "class A:\n    b = B()"),
        ("rust", "impl A {\n    fn b(&self) -> B {"),
        ("rust", "    type A: B;"),
        ("kotlin", "class A(val b: B)\nval c = C"),
        ("go", "type A struct {\n\tb B\n}"),
    ],
)
def test_what_is_only_mentioned_is_no_base(language: str, text: str) -> None:
    assert [head.bases for head in heads_of(text, language)] == [frozenset()]


def test_interfaces_and_abstract_classes_are_abstract() -> None:
    text = "interface A {}\nabstract class B {}\nclass C {}"
    assert [head.abstract for head in heads_of(text, "java")] == [True, True, False]
    assert heads_of("class A(ABC):\n    pass", "python")[0].abstract
    assert heads_of("type A interface {\n}", "go")[0].abstract


def test_the_number_of_heads_and_the_length_of_a_body_are_limited() -> None:
    assert len(heads_of("class A:\n" * 1_000, "python")) == 200
    late = "type A struct {\n" + "\tx X\n" * 1_000 + "\tB\n}"
    assert heads_of(late, "go")[0].bases == frozenset()


@pytest.mark.parametrize("language", ["python", "go", "ruby", "java", "rust", "cpp", ""])
def test_odd_texts_are_read_in_little_time(language: str) -> None:
    parts = [
        *("class A<", "class A:\n", "(", "@a(", "type A struct {\n\tB\n", "abstract ", "a-"),
        *("impl A for ", "include A\n", "  ", "<", "var _ A = ", "= \t"),
    ]
    begun = time.process_time()
    for part in parts:
        heads_of(part * (100_000 // len(part)), language)
    assert time.process_time() - begun < GROWS_S


def test_the_characters_of_all_heads_are_limited() -> None:
    """Many heads that go on over blank lines took seconds."""
    assert len(heads_of(("class A," + "\n" * 990) * 100, "python")) == 10
    assert len(heads_of("class A(\n" * 1_000, "python")) == 10
    structs = "type A struct {\n" + "\tx X\n" * 1_000
    assert len(heads_of(structs * 20, "go")) == 3


def test_words_that_begin_like_class_and_object_are_no_heads() -> None:
    assert heads_of("a = objective(X)\nb = classes: B", "python") == []
    assert heads_of("def f(objects: X) {", "") == []
    assert heads_of("val a = object: B {", "kotlin")[0].bases == {"B"}
