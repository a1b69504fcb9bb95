"""One model of a campaign: drawn, checked with all claims, and shrunk if it has a finding."""

from __future__ import annotations

import gc
import time
import traceback
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from random import Random, SystemRandom
from typing import Any, Final

from hypothesis import HealthCheck, Phase, find, settings
from hypothesis import strategies as st
from hypothesis.errors import HypothesisException

from mbconcord.converters import registry
from mbconcord.model.diagnostics import MbconcordError, among, error
from mbconcord.model.expressions.node import forget_nodes
from mbconcord.model.limits import SEED
from mbconcord.model.system import System
from mbconcord.records import dataclass

from ...check import check
from ...claims import EVERY
from ...judge.exact.proof import Mode
from ...strategies.machines import Features
from ...strategies.strategies import of_features
from . import apart
from .row import CampaignRow, Finding, add_evidence, describe, same

#: Examples of a run of Hypothesis: its simplest one, which is always the first, and one that is drawn.
EXAMPLES: Final = 2


def strategy(number: int) -> st.SearchStrategy[System]:
    """Return the strategy from which the model of a number is drawn."""
    features, aligned = MIX[number % len(MIX)], number % ALIGNED == ALIGNED - 1
    return st.sampled_from(SIZES).flatmap(lambda bodies: of_features(bodies, features, aligned))


def draw_model(seed: int, number: int) -> System:
    """Draw the model of a number: the same for the same seed and version of Hypothesis, whatever was drawn before.

    Raises
    ------
    LookupError
        The strategy gave no model.
    """
    found: list[System] = []

    def keep(system: System) -> bool:
        found.append(system)
        return False

    _run(seed, number, keep, (Phase.generate,))
    if not found:
        raise LookupError("no model could be drawn")
    return found[-1]


def shrunk(seed: int, number: int, shows: Callable[[System], bool], seconds: float) -> System | None:
    """Return the smallest model found within ``seconds`` with the same finding as this number's, or None."""
    end = time.monotonic() + seconds
    smallest: System | None = None

    def is_known(system: System) -> bool:
        nonlocal smallest
        if system == smallest:
            return True
        if time.monotonic() > end or not shows(system):
            return False
        smallest = system
        return True

    found = _run(seed, number, is_known, (Phase.generate, Phase.shrink))
    return smallest if found is None else found


def _run(seed: int, number: int, condition: Callable[[System], bool], phases: Any) -> System | None:
    asked = settings(
        max_examples=EXAMPLES, derandomize=False, database=None, deadline=None, phases=phases,
        suppress_health_check=list(HealthCheck),
    )  # fmt: skip
    with suppress(HypothesisException):  # no such example
        found: System = find(strategy(number), condition, settings=asked, random=Random(f"{seed} {number}"))
        return found
    return None


#: Seconds in which a finding is made smaller, and what one attempt may take of the processor.
SHRINKING, ATTEMPT = 120, 20
CLAIMS: Final = EVERY
#: Of every so many models the equations are proved to be the same functions, too.
PROVED: Final = 7


def check_row(seed: int, number: int) -> dict[str, Any]:
    """Check a model, and return its row as JSON."""
    begin = time.process_time()
    try:
        system = draw_model(seed, number)
    except MemoryError:
        raise
    except Exception as problem:
        return CampaignRow(number, "failed", findings=(crash(problem, "drawing"),)).to_json()
    return _row(number, system, seed, begin).to_json()


def exactness(number: int) -> Mode:
    """Choose whether exact agreement of a numbered model is proved."""
    return "off" if number % PROVED else "auto"


def _row(number: int, system: System, seed: int, begin: float) -> CampaignRow:
    row = describe(number, system)
    try:
        evidence = check(system, states=STATES, seed=seed, claims=CLAIMS, exact=exactness(number), count=False)
    except MbconcordError as problem:
        return replace(row, verdict="refused", silent=(str(problem),), seconds=time.process_time() - begin)
    except MemoryError:
        raise
    except Exception as problem:  # a fault of the program, whatever it is
        return replace(row, findings=(crash(problem, "check"),), seconds=time.process_time() - begin)
    return add_evidence(row, evidence, time.process_time() - begin)


def describe_ended(number: int, how: str) -> dict[str, Any]:
    """Return the row of a model whose process ended without a result."""
    return CampaignRow(number, "failed", findings=(limit(how),)).to_json()


def limit(how: str) -> Finding:
    """Return the finding for a process that ended early: the limit that it exceeded, or the signal that ended it."""
    return Finding("limit", how, how, (how.partition(" more than ")[0],))


def smallest(seed: int, number: int, finding: Finding) -> dict[str, str]:
    """Find the smallest model that shows the same, as a native file."""

    def shows(system: System) -> bool:
        if finding.kind != "limit":
            return same(finding, _row(number, system, seed, time.process_time()).findings)
        how = apart.apart(lambda: _row(number, system, seed, time.process_time()).to_json(), ATTEMPT)
        return isinstance(how, str) and same(finding, [limit(how)])

    gc.enable()  # for many models
    forget_nodes(True)
    system = shrunk(seed, number, shows, SHRINKING)
    return whole(seed, number) if system is None else _text(system)


def whole(seed: int, number: int) -> dict[str, str]:
    """Return the model as it was drawn."""
    return _text(draw_model(seed, number))


def _text(system: System) -> dict[str, str]:
    return {"text": registry.write(system, "native").text}


def crash(problem: Exception, where: str) -> Finding:
    """Report the error that was raised and its line."""
    *_, last = traceback.extract_tb(problem.__traceback__)
    place = f"{'/'.join(Path(last.filename).parts[-3:])}, line {last.lineno}"
    kind = type(problem).__name__
    words = " ".join(str(problem).split())[:300]
    return Finding("crash", f"{kind} in {place}", f"{where}: {kind}: {words}", (kind, place))


# Profiles of a campaign: number and features of models, and whether the seed is fixed.


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
