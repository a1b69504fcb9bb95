"""What a worker of a cluster does for a campaign: the same processes with the same limits as on this machine."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any, Final

from mbconcord.model.diagnostics import MbconcordError, error

from ..cluster.worker import children
from . import apart
from .campaign import MOST_SHRUNK, Settled, settled
from .subject import SHRINKING, checked
from .survey import SECONDS as OF_A_FILE
from .survey import judged

#: What is imported and done once, before a worker's process forks.
WARM: Final = (f"{__package__}.campaign:warmed",)
WARM_FOR_FILES: Final = (f"{__package__}.survey:warmed",)
#: Seconds of the processor of who waits for the processes with limits; it does next to nothing itself.
SECONDS: Final = MOST_SHRUNK * 2 * SHRINKING


def explored(context: Mapping[str, Any], number: int, room: int) -> Settled:
    """A random model, checked; what is found is made smaller here, too."""
    answer = children(WARM, SECONDS).run(None, f"{__name__}:explore_one", context["seed"], number, room)
    if answer.failure:
        raise MbconcordError(error("explore", f"model {number}: {answer.failure}"))
    found: Settled = answer.value
    return found


def explore_one(seed: int, number: int, room: int) -> Settled:
    """The same in the process that has forked for it."""
    return settled(seed, number, apart.apart(partial(checked, seed, number)), room)


def judged_apart(wanted: Mapping[str, Any], number: int, model: Mapping[str, Any]) -> dict[str, Any] | str:
    """A model of a corpus, checked; :class:`str` where its process gave nothing: how it ended."""
    answer = children(WARM_FOR_FILES, SECONDS).run(None, f"{__name__}:judge_one", wanted, model)
    if answer.failure:  # who waits for the process was ended himself: that says nothing of the model
        raise MbconcordError(error("check", f"{model['file']}: {answer.failure}"))
    found: dict[str, Any] | str = answer.value
    return found


def judge_one(wanted: Mapping[str, Any], model: Mapping[str, Any]) -> dict[str, Any] | str:
    """The same in the process that has forked for it."""
    found: dict[str, Any] | str = apart.apart(partial(judged, wanted, model), OF_A_FILE)
    return found
