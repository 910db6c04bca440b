"""Checks of the numbers and words of a section of settings, with the same messages for all."""

from __future__ import annotations

from collections.abc import Collection

from pincite.errors import ConfigError


def require_range(
    config: object,
    section: str,
    *names: str,
    least: float | None = None,
    above: float | None = None,
    most: float | None = None,
    below: float | None = None,
) -> None:
    """Raise ConfigError for the first of these fields of `config` whose number is outside of the
    range: `least` and `most` are in it, `above` and `below` are not. NaN is in no range. `section`
    is the table of `pincite.toml` that has the fields."""
    for name in names:
        value = getattr(config, name)
        if not (
            (least is None or value >= least)
            and (above is None or value > above)
            and (most is None or value <= most)
            and (below is None or value < below)
        ):
            bounds = {"at least": least, "above": above, "at most": most, "below": below}
            told = " and ".join(f"{how} {one}" for how, one in bounds.items() if one is not None)
            raise ConfigError(f"{section}.{name} is {value}; it must be {told}")


def require_one_of(config: object, section: str, **known: Collection[str]) -> None:
    """Raise ConfigError for the first field of `config` whose word is not among the known ones of
    its name. `section` is the table of `pincite.toml` that has the fields."""
    for name, words in known.items():
        value = getattr(config, name)
        if value not in words:
            said = f"{section}.{name} is {value!r}; use one of {', '.join(words)}"
            raise ConfigError(said)
