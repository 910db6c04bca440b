"""Definitions within namespaces and modules, which many files open."""

from __future__ import annotations

import pytest

from pincite.model import Candidate, Question, Signal
from pincite.providers.sparse.analyser import informative_terms
from pincite.stages.prepare import PrepareConfig, prepare
from pincite.stages.rank_code import RankCodeConfig, rank_code
from pincite.stages.rank_code.namespaces import namespaces_of, outermost, without_namespaces
from tests.builders import chunk

ENGLISH = informative_terms("english")


def one(
    path: str,
    score: float,
    *headings: str,
    symbols: tuple[str, ...] = (),
    values: bool = False,
    kind: str = "code",
) -> Candidate:
    found = chunk(
        path,
        id=path,
        path=path,
        source_type=kind,
        headings=headings,
        symbols=symbols or headings[-1:],
        named_values=int(values),
    )
    return Candidate("main", found, (Signal("fused", "normalised", score),))


def first(question: str, *found: Candidate) -> str:
    query = prepare(Question(question), PrepareConfig())
    return rank_code(query, found, ENGLISH, RankCodeConfig())[0].chunk.id


GUIDE = one("guide.md", 1.0, kind="docs")
CART = one("cart.rb", 0.5, "Shop", "Cart")
ORDER = one("order.rb", 0.4, "Shop", "Order")


def test_a_class_in_a_module_of_several_files_comes_before_a_page() -> None:
    assert first("Cart", GUIDE, CART, ORDER) == "cart.rb"


def test_a_class_within_a_class_of_one_file_may_be_a_topic() -> None:
    inner = one("order.rb", 0.4, "Other", "Order")
    assert first("Cart", GUIDE, CART, inner) == "guide.md"


def test_a_function_of_a_module_comes_before_a_page() -> None:
    apart = one("shop.rb", 0.5, "Shop", "total")
    assert first("total", GUIDE, apart, CART, ORDER) == "shop.rb"
    short = one("shop.rb", 0.5, "Shop", symbols=("Shop", "open?", "total"))
    assert first("total", GUIDE, short, CART, ORDER) == "shop.rb"


def test_a_method_in_a_short_file_of_a_module_may_be_a_topic() -> None:
    short = one("tax.rb", 0.5, "Shop", symbols=("Shop", "Tax", "initialize", "total"))
    assert first("total", GUIDE, short, CART, ORDER) == "guide.md"
    assert first("Tax", GUIDE, short, CART, ORDER) == "tax.rb"


@pytest.mark.parametrize("name", ["parseOrder", "MAX", "_", "税率", "Order.open"])
def test_names_that_are_no_classes_hide_no_function_of_a_module(name: str) -> None:
    short = one("shop.ts", 0.5, "Shop", symbols=("Shop", name, "total"))
    assert first("total", GUIDE, short, CART, ORDER) == "shop.ts"
    inner = one("tax.ts", 0.5, "Shop", symbols=("Shop", "Shop.Tax", "total"))
    assert first("total", GUIDE, inner, CART, ORDER) == "guide.md"


def test_a_method_of_a_class_of_several_files_may_be_a_topic() -> None:
    method = one("cart.rb", 0.5, "Shop", "Cart", "total")
    inner = [one(f"{name}.rb", 0.4, "Shop", "Cart", name.title()) for name in ("line", "size")]
    assert first("total", GUIDE, method, *inner) == "guide.md"
    assert first("Line", GUIDE, method, *inner) == "line.rb"


def test_a_header_and_its_source_file_open_no_namespace() -> None:
    header = one("cart.h", 0.4, "Shop", "Size")
    body = one("cart.cc", 0.5, "Shop", "Cart")
    assert first("Cart", GUIDE, body, header) == "guide.md"


def test_a_field_of_a_type_with_methods_in_several_files_may_be_a_topic() -> None:
    field = one("cart.rb", 0.5, "Shop", "Cart", values=True)
    assert first("Cart", GUIDE, field, ORDER) == "guide.md"


def test_tests_and_examples_open_no_namespace() -> None:
    spec = one("spec/order_spec.rb", 0.4, "Shop", "Order")
    assert first("Cart", GUIDE, CART, spec) == "guide.md"


def test_tests_within_files_of_rust_are_no_namespace() -> None:
    found = [one(f"src/{n}.rs", 0.5, "tests", str(n)).chunk for n in ("pool", "timeout")]
    assert not namespaces_of(found)


def test_the_longest_namespace_is_taken_away() -> None:
    found = [one(f"{n}.rb", 1.0, "Shop", "Tax", str(n)).chunk for n in range(2)]
    known = namespaces_of([*found, CART.chunk])
    assert known == {("Shop",), ("Shop", "Tax")}
    assert outermost(known) == {("Shop",)}
    assert without_namespaces(("Shop", "Tax", "Rate"), known) == ("Rate",)
    assert without_namespaces(("Shop", "Cart"), known) == ("Cart",)
    assert without_namespaces(("Other", "Cart"), known) == ("Other", "Cart")
    assert without_namespaces((), known) == ()
