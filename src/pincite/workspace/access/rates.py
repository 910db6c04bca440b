"""Rate limits of keys, counted across all processes.

Each key has a bucket: a request takes one token, and tokens come back at an even pace until the
bucket is full. The database stores when the bucket will be full again (the generic cell rate
algorithm), in whole microseconds, so that nothing is lost to rounding. A process takes several
tokens at once and spends them within `LIFE_S`; unspent tokens expire. So all processes together
allow, in any `t` seconds, at most

    burst + per_minute * (t + LIFE_S) / 60

requests of one key, however many processes there are. The clock is that of the database.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

from pincite.errors import ConfigError
from pincite.support.arguments import require_count
from pincite.workspace.checks import require_id
from pincite.workspace.database.transaction import Transaction

#: Seconds in which a process may spend the tokens that it took. With two seconds the limit can be
#: exceeded by a thirtieth of a minute's requests, and a busy key queries the database every other
#: second.
LIFE_S: Final = 2.0
_MINUTE_US: Final = 60_000_000
#: A bucket that is overfull by more than this was filled before the clock was set back. It is
#: reset; otherwise it would refuse requests until the clock catches up. Guess, unmeasured.
_AHEAD_US: Final = 5_000_000
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MOST: Final = 1_000_000  # in a minute: a token is 60 microseconds

_FULL: Final = "SELECT full_us FROM key_rates WHERE key_id = :key FOR UPDATE"
_NEW: Final = "INSERT INTO key_rates (key_id, full_us) VALUES (:key, 0) ON CONFLICT DO NOTHING"
_TAKE: Final = "UPDATE key_rates SET full_us = :full WHERE key_id = :key"


@dataclass(frozen=True, slots=True)
class Rate:
    """The limit of one key: `per_minute` tokens come back in a minute, `burst` may be spent at
    once."""

    per_minute: int
    burst: int

    def __post_init__(self) -> None:
        for name in ("per_minute", "burst"):
            if not 1 <= getattr(self, name) <= _MOST:
                raise ConfigError(f"the rate limit {name} is not between 1 and {_MOST:,}")

    @property
    def each_us(self) -> int:
        """Return the microseconds until the next token, rounded up so that the rate never exceeds
        `per_minute`."""
        return -(-_MINUTE_US // self.per_minute)

    @property
    def block(self) -> int:
        """Return how many tokens a process may take at once: those that come back while it spends
        them."""
        return min(self.burst, max(1, int(LIFE_S * 1e6) // self.each_us))


@dataclass(frozen=True, slots=True)
class Taken:
    """The number of requests that may be sent. If it is 0, the next one may be sent after `wait_s`
    seconds."""

    count: int
    wait_s: float = 0.0


async def take_requests(transaction: Transaction, key_id: str, wanted: int, rate: Rate) -> Taken:
    """See `Administration.take_requests`."""
    require_count("wanted", wanted, least=1, most=rate.block)
    key = require_id("key", key_id)
    rows = await transaction.rows(_FULL, key=key)
    if not rows:
        await transaction.run(_NEW, key=key)
        rows = await transaction.rows(_FULL, key=key)
    now = _microseconds(await transaction.now())  # read after the lock is held
    full, whole = max(int(rows[0][0]), now), rate.burst * rate.each_us
    if full > now + whole + _AHEAD_US:
        full = now
    count = min(wanted, (now + whole - full) // rate.each_us)
    if count < 1:
        return Taken(0, (full + rate.each_us - now - whole) / 1e6)
    await transaction.run(_TAKE, key=key, full=full + count * rate.each_us)
    return Taken(count)


def _microseconds(time: datetime) -> int:
    past = time - _EPOCH
    return (past.days * 86_400 + past.seconds) * 1_000_000 + past.microseconds
