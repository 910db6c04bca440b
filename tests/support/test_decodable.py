"""Several threads may be the first to decode a type."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import pincite

_CODE = Path(pincite.__file__).parent
_RACE = """
import sys, threading
import msgspec
from pincite.daemon.wire.protocol import decode, encode
from pincite.support.decodable import ready

sys.setswitchinterval(1e-6)
ways = {
    "daemon": lambda value, kind: decode(encode(value), kind),
    "convert": lambda value, kind: msgspec.convert(msgspec.to_builtins(value), ready(kind)),
}
way = ways[sys.argv[1]]
for number in range(100):
    fields = [(f"f{one}", int | str | None) for one in range(30)]
    inner = msgspec.defstruct(f"Inner{number}", fields)
    outer = msgspec.defstruct(f"Outer{number}", [("a", tuple[inner, ...]), ("b", dict[str, inner])])
    part = inner(*range(30))
    value, gate, found = outer((part,), {"x": part}), threading.Barrier(4), []

    def first(kind):
        gate.wait()
        found.append(way(part if kind is inner else value, kind))

    threads = [threading.Thread(target=first, args=(one,)) for one in (outer, inner, outer, inner)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert sorted(map(repr, found)) == sorted(map(repr, (part, part, value, value)))
"""
_FORKS = """
import os, threading, time
import msgspec
from pincite.support.decodable import ready

begun = threading.Event()

def slow():
    begun.set()
    time.sleep(0.2)
    return int

class Inner(msgspec.Struct):
    a: "slow()"

class Outer(msgspec.Struct):
    a: Inner
    b: Inner

thread = threading.Thread(target=ready, args=(Outer,))
thread.start()
begun.wait()
child = os.fork()
if child == 0:
    one = Outer(Inner(1), Inner(2))
    whole = msgspec.json.decode(msgspec.json.encode(one), type=ready(Outer)) == one
    os._exit(0 if whole else 1)
thread.join()
assert os.waitpid(child, 0)[1] == 0
"""
#: The functions that collect what msgspec knows of a type, and the place of the type.
_FIRST_USES = {
    "msgspec.convert": 1,
    "msgspec.json.Decoder": 0,
    "msgspec.msgpack.Decoder": 0,
    "msgspec.json.decode": 9,  # only by name
    "msgspec.msgpack.decode": 9,
}


def _run(script: str, *arguments: str) -> None:
    begun = [sys.executable, "-X", "faulthandler", "-c", script, *arguments]
    ended = subprocess.run(begun, capture_output=True, text=True, timeout=60)
    assert ended.returncode == 0, ended.stderr[-2_000:]


@pytest.mark.parametrize("way", ["daemon", "convert"])
def test_threads_that_are_first_at_once_all_decode(way: str) -> None:
    _run(_RACE, way)


@pytest.mark.skipif(sys.platform == "win32", reason="no fork")
def test_a_fork_while_another_thread_prepares_a_type_has_the_whole_type() -> None:
    _run(_FORKS)


def test_every_class_is_prepared_before_its_first_use() -> None:
    missing = [
        f"{path.name}:{node.lineno} needs ready(...) around {ast.unparse(kind)}"
        for path in sorted(_CODE.rglob("*.py"))
        if path.stem != "decodable" and "msgspec" in (text := path.read_text(encoding="utf-8"))
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Call) and (kind := _type_in(node)) is not None
        if not _is_prepared(kind)
    ]
    assert not missing


def _type_in(call: ast.Call) -> ast.expr | None:
    place = _FIRST_USES.get(ast.unparse(call.func))
    if place is None:
        return None
    named = next((one.value for one in call.keywords if one.arg == "type"), None)
    return named or (call.args[place] if len(call.args) > place else None)


def _is_prepared(kind: ast.expr) -> bool:
    """Return whether a type is prepared, or has no class that msgspec stores anything with."""
    if isinstance(kind, ast.Call):
        return ast.unparse(kind.func) == "ready"
    named = {one.id for one in ast.walk(kind) if isinstance(one, ast.Name)}
    plain = {"dict", "list", "tuple", "str", "int", "float", "bool", "Any"}
    return ast.unparse(kind) == "msgspec.Raw" or named <= plain
