"""The version of the messages between client and daemon, and the constants of their connection.
They must be quick to import, because `daemon.client.json_exchange` needs them."""

from __future__ import annotations

from struct import Struct

#: The fingerprint of all messages, by version number. Old numbers and fingerprints stay. `python -m
#: pincite.daemon.wire.fingerprint` prints the next line.
SHAPES = {
    2: "a90b58556096e505",
    3: "4d9081cdfc3a824e",
    4: "2ed4f891ee2dda5f",
    5: "63800d487023391a",
    6: "15fa1addc923686c",
    7: "f469e6b6d9b5b177",
    8: "ff0bbaf56a059201",
    9: "1fd430b4b86dcda9",
    10: "3c89c6299378710d",
    11: "a83192585a94a7d2",
    12: "d7a07efe0a805126",
    13: "3db74923949596a2",
    14: "01ebefc057f74c50",
    15: "c55a9963fb41825e",
    16: "fe578dea099afca1",
    17: "887594f3f75e4ea5",
    18: "0455362ebfcecdae",
    19: "a28e63426c255929",
    20: "80ffeeefd17bb4e6",
    21: "40dfe780bfa8c119",
}
PROTOCOL = max(SHAPES)
SHAPE = SHAPES[PROTOCOL]
SOCKET = "owner.sock"  #: in the folder of the index
LENGTH = Struct(">I")  #: of a message, before it
LONGEST_ADDRESS = 100  #: bytes of a socket's path; the kernel accepts 107
