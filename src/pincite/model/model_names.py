"""Names of models in fingerprints, with their owners: models of two owners may share a name."""

from __future__ import annotations

import re
from typing import Final

_SIZE: Final = re.compile(r"@\d+\Z")


def name_in_fingerprint(model: str) -> str:
    """Return the name of a model with its owner: `OWNER/NAME`. For the path of a file, which begins
    with `/` or `.`, return only the last part, because a file may be moved."""
    return model.rsplit("/", 1)[-1] if model.startswith(("/", ".")) else model


def with_owner(fingerprint: str, model: str) -> str:
    """Return the fingerprint of a dense encoder with the owner of its model, which earlier versions
    left out. `model` is the name that opens it: `vllm:http://gpu:8000#OWNER/NAME@512`."""
    provider, _, rest = model.partition(":")
    name = _SIZE.sub("", rest.partition("#")[2] if "://" in rest else rest)
    full, last = name_in_fingerprint(name), name.rsplit("/", 1)[-1]
    before = f"{provider}/{last}@"
    if full == last or not fingerprint.startswith(before):
        return fingerprint
    return f"{provider}/{full}@{fingerprint.removeprefix(before)}"
