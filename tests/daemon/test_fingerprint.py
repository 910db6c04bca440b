"""The messages between client and daemon have a number, which changes when they do."""

from __future__ import annotations

from types import GenericAlias
from typing import Any

import msgspec
import pytest

from pincite.daemon.wire import fingerprint as module
from pincite.daemon.wire import protocol, protocol_versions
from pincite.daemon.wire.fingerprint import fingerprint, line_for


def test_messages_that_have_changed_have_a_new_number() -> None:
    number = protocol.PROTOCOL
    assert protocol.SHAPES[number] == fingerprint(), (
        "the messages are not those of protocol"
        f" {number}: if that has been released, add this line to SHAPES in"
        f" {protocol_versions.__file__}, else replace the last one:\n{line_for(number + 1)}"
    )
    assert list(protocol.SHAPES) == sorted(protocol.SHAPES)
    assert len(set(protocol.SHAPES.values())) == len(protocol.SHAPES)


def fingerprint_with(monkeypatch: pytest.MonkeyPatch, message: Any) -> str:
    """The fingerprint if this message travelled, too."""
    with monkeypatch.context() as context:
        context.setattr(module, "_INSIDE", (*module._INSIDE, message))
        return fingerprint()


def of(*fields: Any, inside: Any = int) -> Any:
    """A message with these fields, and one with another struct inside."""
    inner: Any = msgspec.defstruct("Inner", [("x", inside)])
    return msgspec.defstruct("Message", [("inner", GenericAlias(tuple, (inner, ...))), *fields])


def test_every_change_of_a_message_changes_the_fingerprint(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    a, b = ("a", int), ("b", str)
    messages = [
        of(a, b),
        of(b, a),  # the order of fields
        of(a),  # one is gone
        of(a, b, ("c", int, 0)),  # one is new
        of(a, ("b", str, "")),  # one may be left out
        of(("a", float), b),  # another type
        of(("a", int | None), b),
        of(("other", int), b),  # another name
        of(a, b, inside=float),  # another type, deep inside
        of(a, b, inside=int | None),
    ]
    found = [fingerprint_with(monkeypatch, message) for message in messages]
    assert len({*found, fingerprint()}) == len(messages) + 1
    assert fingerprint_with(monkeypatch, of(a, b)) == found[0]


def test_all_that_travels_is_part_of_it() -> None:
    described = module.description()
    sent = ("Identity", "RemoteSearch", "Question", "SearchableFacts", "Profile")
    for name in (*sent, "Chunk", "EvidencePack", "Filter"):
        assert f"\n{name} = " in described, name
    for operation in protocol.operations():
        assert f"\n{operation} (" in described
