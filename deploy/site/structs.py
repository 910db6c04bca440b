"""Signatures of structs: their fields are the parameters, as griffe itself does for dataclasses."""

from __future__ import annotations

from typing import Any

import griffe

_KIND = griffe.ParameterKind.positional_or_keyword


def default_of(value: Any) -> Any:
    """The default of a field as an expression: the call of its factory, if it has one."""
    if isinstance(value, griffe.ExprCall) and str(value.function) == "msgspec.field":
        for given in value.arguments:
            if isinstance(given, griffe.ExprKeyword) and given.name == "default_factory":
                return griffe.ExprCall(given.value, [])
    return value


def parameters_of(cls: griffe.Class) -> griffe.Parameters:
    """The fields of a struct in their order, after `self`."""
    fields = [
        griffe.Parameter(
            one.name, annotation=one.annotation, kind=_KIND, default=default_of(one.value)
        )
        for one in cls.members.values()
        if isinstance(one, griffe.Attribute)
        and one.annotation is not None
        and "property" not in one.labels
        and not str(one.annotation).startswith(("ClassVar", "typing.ClassVar"))
    ]
    return griffe.Parameters(griffe.Parameter("self", kind=_KIND), *fields)


class StructSignatures(griffe.Extension):
    """Gives each struct without an `__init__` of its own the one that it has when it runs."""

    def on_class_members(self, *, cls: griffe.Class, **_: Any) -> None:
        if "__init__" in cls.members or "msgspec.Struct" not in map(str, cls.bases):
            return
        made = griffe.Function("__init__", parameters=parameters_of(cls), returns="None")
        cls.set_member("__init__", made)
