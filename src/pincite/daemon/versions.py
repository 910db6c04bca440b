"""What a client does about an owner of another version.

The newer one wins, and only then, so that programs of two versions never take an index from each
other in turns. A newer client asks an older owner to leave once nobody uses it; an older client
never does, and says what to do. Of two that have one version and number and other messages, which
happens while Pincite is being changed, the client takes the place of an owner that nobody uses.
"""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from pincite import version
from pincite.daemon import protocol as wire
from pincite.errors import OwnerOfAnotherVersion

#: How long nobody must have asked an older owner for anything before it is asked to leave.
UNUSED_S = 1.0
#: How long a newer client waits for that.
PATIENCE_S = 5.0


def compare(owner: wire.Identity) -> Literal["same", "older", "newer"]:
    """How an owner's version stands to ours. One that cannot be read counts as newer; one with our
    number and other messages as older."""
    ours, theirs = (version.VERSION, wire.PROTOCOL), (owner.version, owner.protocol)
    if ours == theirs:
        return "same" if owner.shape == wire.SHAPES[wire.PROTOCOL] else "older"
    from packaging.version import InvalidVersion, Version  # hardly ever needed

    try:
        known = (Version(owner.version), owner.protocol)
    except InvalidVersion:
        return "newer"
    return "older" if known < (Version(version.VERSION), wire.PROTOCOL) else "newer"


def refusal(root: Path, owner: wire.Identity | None) -> OwnerOfAnotherVersion:
    """What to say of an owner that cannot be used: a newer one, or an older one that is busy."""
    if owner is None:
        return OwnerOfAnotherVersion(
            f"the owner of {root} is of a version that this one, {_name()}, does not understand",
            hint="pincite stop, and run one version of Pincite at a time",
        )
    found = f"the owner of {root} (process {owner.pid}) is of {_name(owner)}"
    if compare(owner) == "older":
        return OwnerOfAnotherVersion(
            f"{found}, older than this {_name()}, and in use",
            hint="wait for the programs that use it or end them, or: pincite stop;"
            " start this program again if an older version was installed meanwhile",
        )
    return OwnerOfAnotherVersion(
        f"{found}, newer than this {_name()}",
        hint=f"pip install 'pincite=={owner.version}' and start this program again;"
        " or to go on with this one: pincite stop",
    )


def _name(owner: wire.Identity | None = None) -> str:
    number, protocol = version.VERSION, wire.PROTOCOL
    if owner is None:
        return f"version {number}"
    same = owner.version == number
    return f"version {owner.version}{f' (protocol {owner.protocol}, not {protocol})' * same}"
