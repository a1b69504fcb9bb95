"""One model of a campaign: drawn, checked with all claims, and made smaller where it shows something."""

from __future__ import annotations

import gc
import time
import traceback
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from mbconcord.converters import registry
from mbconcord.model.diagnostics import MbconcordError
from mbconcord.model.expressions.node import forget_nodes
from mbconcord.model.system import System

from ..check import check
from ..claims import EVERY
from ..exact.agreement import Mode
from . import apart
from .drawing import drawn, shrunk
from .profiles import STATES
from .row import Finding, Row, described, measured, same

#: Seconds in which a finding is made smaller, and what one attempt may take of the processor.
SHRINKING, ATTEMPT = 120, 20
CLAIMS: Final = EVERY
#: Of every so many models the equations are proved to be the same functions, too.
PROVED: Final = 7


def checked(seed: int, number: int) -> dict[str, Any]:
    """The row of a model as JSON."""
    begin = time.process_time()
    try:
        system = drawn(seed, number)
    except MemoryError:
        raise
    except Exception as problem:
        return Row(number, "failed", findings=(crash(problem, "drawing"),)).to_json()
    return _row(number, system, seed, begin).to_json()


def exactness(number: int) -> Mode:
    """Whether exact agreement of the model of a number is looked at."""
    return "off" if number % PROVED else "auto"


def _row(number: int, system: System, seed: int, begin: float) -> Row:
    row = described(number, system)
    try:
        evidence = check(
            system, states=STATES, seed=seed, claims=CLAIMS, exact=exactness(number), count=False
        )
    except MbconcordError as problem:
        return replace(row, verdict="refused", silent=(str(problem),), seconds=time.process_time() - begin)
    except MemoryError:
        raise
    except Exception as problem:  # a fault of the program, whatever it is
        return replace(row, findings=(crash(problem, "check"),), seconds=time.process_time() - begin)
    return measured(row, evidence, time.process_time() - begin)


def ended(number: int, how: str) -> dict[str, Any]:
    """The row of a model whose process gave none."""
    return Row(number, "failed", findings=(limit(how),)).to_json()


def limit(how: str) -> Finding:
    """What a process shows that ended so: a limit that was passed, whatever the seconds, or the signal."""
    return Finding("limit", how, how, (how.partition(" more than ")[0],))


def smallest(seed: int, number: int, finding: Finding) -> dict[str, str]:
    """The smallest model found that shows the same, as a native file."""

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
    """The model as it was drawn."""
    return _text(drawn(seed, number))


def _text(system: System) -> dict[str, str]:
    return {"text": registry.write(system, "native").text}


def crash(problem: Exception, where: str) -> Finding:
    """Which error was raised and in which line."""
    *_, last = traceback.extract_tb(problem.__traceback__)
    place = f"{'/'.join(Path(last.filename).parts[-3:])}, line {last.lineno}"
    kind = type(problem).__name__
    words = " ".join(str(problem).split())[:300]
    return Finding("crash", f"{kind} in {place}", f"{where}: {kind}: {words}", (kind, place))
