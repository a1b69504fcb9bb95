"""Profiles of a campaign: number and features of models, and whether the seed is fixed."""

from __future__ import annotations

from random import SystemRandom
from typing import Final

from mbconcord.model.diagnostics import MbconcordError, among, error
from mbconcord.model.limits import SEED
from mbconcord.records import dataclass

from ...strategies.machines import Features

#: States of every model.
STATES: Final = 10
#: Numbers of bodies of which one is drawn: the simplest first, the frequent ones repeated.
SIZES: Final = (1, 2, 3, 4, 5, 6, 6, 6, 6, 6, 6, 7, 8)
#: Features by the number of a model, over and over: 7 of 20 are closed, 3 elastic.
MIX: Final = (
    Features(), Features(closed=True), Features(mixed=True), Features(closed=True, springs=True),
    Features(elastic=True), Features(), Features(closed=True), Features(springs=True),
    Features(flywheels=True), Features(closed=True, armatures=True), Features(armatures=True, mixed=True),
    Features(), Features(closed=True, elastic=True), Features(added_inertia=True), Features(closed=True),
    Features(elastic=True, mixed=True), Features(), Features(closed=True, flywheels=True, added_inertia=True),
    Features(flywheels=True, added_inertia=True, springs=True), Features(),
)  # fmt: skip

#: Of every so many models the last has its axes and points where people put them: :class:`..models.choices.Aligned`.
ALIGNED: Final = 3


@dataclass(frozen=True)
class Profile:
    """Default settings of a campaign.

    Attributes
    ----------
    name, title : str
    count : number of models; None: as many as the time allows
    seconds : duration; None: until the number is reached
    seed : the seed of every run; None: a new one every time
    """

    name: str
    title: str
    count: int | None
    seconds: float | None
    seed: int | None

    def new_seed(self) -> int:
        """Choose the seed of a new campaign."""
        return SystemRandom().randrange(min(SEED, 10**9)) if self.seed is None else self.seed


PROFILES: Final = (
    Profile("ci", "the same 100 models every time", 100, None, 0),
    Profile("nightly", "other models every time, for an hour", None, 3600.0, None),
)


def profile(name: str) -> Profile:
    """Return the profile of a name.

    Raises
    ------
    MbconcordError
        It does not exist.
    """
    for found in PROFILES:
        if found.name == name:
            return found
    known = [p.name for p in PROFILES]
    raise MbconcordError(error("--profile", f"there is no profile {name!r}", among(name, known)))
