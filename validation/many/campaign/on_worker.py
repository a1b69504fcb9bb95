"""Work of a cluster's worker for a campaign, done in the same processes with the same limits as on this machine."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any, Final

from mbconcord.model.diagnostics import MbconcordError, error

from ..cluster.worker import children
from . import apart
from .campaign import MOST_SHRUNK, Settled, settle
from .subject import SHRINKING, check_row
from .survey import SECONDS as OF_A_FILE
from .survey import judge_by_name

#: What is imported and done once, before a worker's process forks.
WARM: Final = (f"{__package__}.campaign:warm_up",)
#: Seconds of the processor of who waits for the processes with limits; it does next to nothing itself.
SECONDS: Final = MOST_SHRUNK * 2 * SHRINKING


def explore(context: Mapping[str, Any], number: int, room: int) -> Settled:
    """Check a random model in a process, and shrink its findings on this worker, too."""
    answer = children(WARM, SECONDS).run(f"{__name__}:explore_one", context["seed"], number, room)
    if answer.failure:
        raise MbconcordError(error("explore", f"model {number}: {answer.failure}"))
    found: Settled = answer.value
    return found


def explore_one(seed: int, number: int, room: int) -> Settled:
    """Explore one drawn model in a process of its own."""
    return settle(seed, number, apart.apart(partial(check_row, seed, number)), room)


def judged_apart(how: Mapping[str, Any], number: int, model: Mapping[str, Any]) -> dict[str, Any] | str:
    """Check a model of a corpus, or compare a pair; :class:`str` says how its process ended without a result."""
    answer = children((how["warm"],), SECONDS).run(f"{__name__}:judge_one", how, model)
    if answer.failure:  # who waits for the process was ended himself: that says nothing of the model
        raise MbconcordError(error("check", f"{model['file']}: {answer.failure}"))
    found: dict[str, Any] | str = answer.value
    return found


def judge_one(how: Mapping[str, Any], model: Mapping[str, Any]) -> dict[str, Any] | str:
    """Judge one model of a corpus, or one pair, in a process of its own."""
    found: dict[str, Any] | str = apart.apart(partial(judge_by_name, how, model), OF_A_FILE)
    return found
