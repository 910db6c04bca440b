"""The number of what client and daemon say to each other, which whoever asks must know at once."""

from __future__ import annotations

#: The fingerprint of all messages, by the number that stands for them. Numbers and fingerprints of
#: the past stay. `python -m pincite.daemon.shape` prints the next line.
SHAPES = {
    2: "a90b58556096e505",
    3: "4d9081cdfc3a824e",
    4: "2ed4f891ee2dda5f",
    5: "63800d487023391a",
    6: "15fa1addc923686c",
}
PROTOCOL = max(SHAPES)
