"""Build the profile of a search from its caller's arguments."""

from __future__ import annotations

from typing import get_args

from pincite.asking.options import SearchOptions
from pincite.errors import UsageError
from pincite.profile import Profile
from pincite.settings.load import Settings
from pincite.stages.context import Around
from pincite.stages.retrieve import SearchMode
from pincite.support.arguments import require_choice, require_count, require_kind
from pincite.support.fields import replace
from pincite.support.memoize import memoize_last

#: More results are of no use to a reader, and each side is searched for several times as many.
MOST_RESULTS = 1_000


def profile_of(asked: SearchOptions, settings: Settings) -> Profile:
    """Return the profile that the search runs with. If no argument changes it, this is the same
    object each time. Raises UsageError, whose message has the name of the argument, its value, and
    the values that it takes."""
    profile = _shown(_base(asked, settings))
    if asked.limit is not None:
        require_count("limit", asked.limit, most=MOST_RESULTS)
        profile = profile.showing(asked.limit)
    if asked.corpus and not profile.corpus.name:
        profile = replace(profile, corpus=asked.corpus)
    if asked.show_all:
        profile = replace(profile, select=replace(profile.select, on_none="keep"))
    if asked.optimise and not profile.optimise.enabled:
        profile = replace(profile, optimise=replace(profile.optimise, enabled=True))
    if asked.by is not None:
        require_choice("by", asked.by, get_args(SearchMode))
        profile = replace(profile, retrieve=replace(profile.retrieve, mode=asked.by))
    if asked.context is not None:
        require_choice("context", asked.context, get_args(Around))
        profile = replace(profile, context=replace(profile.context, around=asked.context))
    return profile


def _base(asked: SearchOptions, settings: Settings) -> Profile:
    if asked.profile is not None and asked.preset is not None:
        raise UsageError(
            "profile= and preset= exclude each other: a preset is a profile with a name",
            hint="give one of them",
        )
    if asked.profile is not None:
        require_kind("profile", asked.profile, Profile, "a Profile")
        return asked.profile
    return settings.profile if asked.preset is None else settings.preset(asked.preset)


@memoize_last
def _shown(profile: Profile) -> Profile:
    """Return the profile with limits that are large enough for its own number of results."""
    return profile.showing(profile.select.results)
