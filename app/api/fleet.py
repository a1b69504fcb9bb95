"""Comparison of many pairs of models, each in a process and with a row in a table, as ``compare --pairs`` does."""

from __future__ import annotations

import filecmp
import gc
import tempfile
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from mbconcord.converters import registry
from mbconcord.model.checks.physics import Policy
from mbconcord.model.diagnostics import MbconcordError, ReadError, error
from mbconcord.model.limits import cores, count, format_names
from mbconcord.reports.campaign.fleet import list_rows
from mbconcord.validation.explain import Causes
from mbconcord.validation.judge.evidence import ROUNDING
from mbconcord.validation.many.campaign.apart import SECONDS
from mbconcord.validation.many.campaign.corpus import (
    CorpusModel,
    Fleet,
    FleetPair,
    FleetRequest,
    describe_end,
    model,
    say_errors,
    to_row,
)
from mbconcord.validation.many.campaign.parts import working_alone
from mbconcord.validation.many.campaign.row import CampaignRun, TaskRunner
from mbconcord.validation.many.campaign.subject import crash
from mbconcord.validation.many.campaign.survey import prepare, survey

from .compare import CompareRequest, Comparison, compare, comparison_code, list_warnings
from .pairs import NamedPair, Pairs, find_pairs
from .source import Source, accepted_kinds, source

if TYPE_CHECKING:
    from pandas import DataFrame

#: Seconds after which the search for causes stops.
WHY_SECONDS: Final = 60.0


def compare_pairs(
    pairs: Pairs,
    b: str | PathLike[str] | None = None,
    *,
    states: int = 10,
    seed: int = 0,
    simulate: float | None = None,
    why_seconds: float = WHY_SECONDS,
    accept_omissions: Mapping[str, int] | None = None,
    physics: Policy | None = None,
    jobs: int | None = None,
) -> DataFrame:
    """Compare many pairs of models; return a row for each, with the columns of ``compare --pairs``.

    The columns are robot, verdict, largest (difference, as a part of its scale), cause, exit (the exit code of
    ``compare``), and converter if the table of pairs names one. A pair that cannot be read has a row with the reason.

    Parameters
    ----------
    pairs : path of a table with the columns robot, a, b; ``{robot: (a, b)}``; or rows ``(robot, a, b)`` and ``(a, b)``
    b : second folder, if ``pairs`` is a folder: files of both are paired by names without suffixes
    states, seed, simulate, accept_omissions, physics : as for :func:`mbconcord.compare`, for every pair
    why_seconds : seconds after which the search for the cause of a difference stops
    jobs : number of processes; None: one for each processor

    Raises
    ------
    ReadError
        The table or a folder cannot be read, or there is no pair.
    MbconcordError
        A kind of omissions does not exist, or the operating system cannot fork processes.

    Examples
    --------
    >>> import mbconcord
    >>> mbconcord.compare_pairs({"arm": ("arm.urdf", "gone.xml")}, jobs=1)["exit"].tolist()
    [2]
    """
    accepted_kinds(accept_omissions)
    named = find_pairs(pairs, b)
    if not named:
        raise ReadError(error("pairs", "found none", "name a table, two folders, or {robot: (a, b)}"))

    def read(name: str) -> FleetPair:
        return read_files(named[name], lambda *files: [source(f, None, physics) for f in files], accept_omissions)

    wanted = FleetRequest(states, seed, simulate, why_seconds)
    with tempfile.TemporaryDirectory() as folder:
        fleet = Fleet(Path(folder) / "rows", wanted, label_rows(named))
        try:
            done = compare_rows(fleet, [*named], read, jobs or cores())
        finally:
            gc.unfreeze()  # the caller's process lives on
        if done.stopped:
            raise KeyboardInterrupt
        table = list_rows(fleet.list_checked())
    from pandas import DataFrame  # not before: tables alone load it

    return DataFrame(table.rows, columns=list(table.heads)).astype({"exit": int})


def label_rows(pairs: Mapping[str, NamedPair]) -> dict[str, tuple[str, str]]:
    """Map the name of each row to the pair's robot and converter."""
    return {name: (pair.robot, pair.converter) for name, pair in pairs.items()}


def read_files(
    pair: NamedPair,
    read: Callable[[str, str], Sequence[Source]],
    known: Mapping[str, int] | None,
    wrote: str = "A and B are one text",
) -> FleetPair:
    """Read both files of a pair; if they have the same bytes, ``wrote`` describes how that came about."""
    if pair.refused:
        raise ReadError(error("", pair.refused))
    sources = read(pair.a, pair.b)
    first, second = (model(s.file, s.format, s.text, s.system, s.physics, known, s.changed) for s in sources)
    warnings = tuple(str(d) for d in list_warnings(*sources))
    same = Path(pair.a).is_file() and Path(pair.b).is_file() and filecmp.cmp(pair.a, pair.b, shallow=False)
    return FleetPair(pair.name, first, second, warnings, f"{wrote}, byte for byte" if same else "")


def compare_rows(
    fleet: Fleet, names: Sequence[str], read: Callable[[str], FleetPair], jobs: int, seconds: int = 0,
    workers: Callable[[], AbstractContextManager[TaskRunner | None]] = nullcontext,
) -> CampaignRun:  # fmt: skip
    """Compare the pairs without a row in the fleet's folder; reading a pair may take ``seconds`` beyond the limit."""
    with working_alone(fleet.path):
        left = fleet.take(prepare(read, names, jobs, FleetPair.from_json, SECONDS + seconds))
    if not left:
        return CampaignRun(0.0, 0)
    with workers() as cluster:
        return survey(fleet, left, jobs, cluster)


def judge(wanted: Mapping[str, Any], of: Mapping[str, Any]) -> dict[str, Any]:
    """Compare a pair, search for causes if it differs, and return its row; workers find this function by its name."""
    asked, pair, begin = FleetRequest.from_json(wanted), FleetPair.from_json(of), time.process_time()
    try:
        a, b = (_restore(one) for one in (pair.a, pair.b))
        request = CompareRequest(
            states=asked.states, seed=asked.seed, simulate=asked.simulate, accept_omissions=pair.a.accepted
        )
        found = compare(a, b, request)
        answer = describe(found, found.why(asked.seconds) if found.verdict == "disagrees" else None, pair)
    except MbconcordError as problem:
        answer = {"verdict": "refused", "exit": 2, "cause": say_errors(str(problem))}
    except MemoryError:
        raise
    except Exception as problem:  # a fault of the program, whatever it is
        answer = describe_end(crash(problem, "compare").words)
    return to_row(pair.file, answer, time.process_time() - begin)


def _restore(of: CorpusModel) -> Source:
    system = registry.read_text(of.native, of.file, "native", "ignore").system
    return Source(of.file, system, (), {}, of.physics, of.format, of.text, frozenset(of.changed))


def describe(found: Comparison, why: Causes | None, pair: FleetPair) -> dict[str, Any]:
    """Return a pair's row as a mapping: verdict, exit code, largest difference, cause, all that ``compare`` prints."""
    largest = max(found.largest, key=lambda d: d.of_scale, default=None)
    a, b = found.sources
    head = {"a": a.file, "b": b.file, "seed": found.request.seed, "warnings": list(pair.warnings)}
    return {
        "verdict": found.verdict,
        "exit": comparison_code(found),
        "largest": str(largest) if largest else "",
        "cause": "; ".join(_list_causes(found, why, pair)),
        "found": head | found.to_json() | ({"why": why.to_json()} if why else {}),
    }


def _list_causes(found: Comparison, why: Causes | None, pair: FleetPair) -> Iterable[str]:
    """Yield phrases for the column ``cause``: qualified headline, omissions, limits, causes, number of warnings."""
    if pair.unchanged:
        yield pair.unchanged
    if found.headline not in ("the same machine", "not the same machine", "not checked"):
        yield found.headline
    if not found.left_out.stands:
        yield f"left out: {format_names(o.place for o in found.left_out.touching)}"
    if found.limits:
        yield found.limits[0] + (f" and {len(found.limits) - 1} more" if found.limits[1:] else "")
    acting = [str(d) for d in found.differences if d.acts]
    if acting:
        more = f" and {len(acting) - 1} more" if len(acting) > 1 else ""
        yield f"not the same is left out of the two: {acting[0]}{more}"
    if found.verdict == "not checked" and found.worst.explanation:
        yield found.worst.explanation
    if why is not None:
        worst, seen = found.worst, any(d.of_scale >= ROUNDING for d in found.largest)
        brief = why.brief or "no cause was found"
        yield brief if seen else f"{worst.quantity}: {worst.explanation or 'differs'}; {brief}"
    if pair.warnings:
        yield f"{count(len(pair.warnings), 'warning')} of the readers"


def warm_up() -> None:
    """Run a comparison once, so that processes forked later share the imported modules."""
    from mbconcord.validation.many.campaign.survey import warm_up as warm

    one, other = (registry.read_text(f"z j-2 ${m} g", "", "mbsd").system for m in (3, 4))
    compare(one, other, CompareRequest(states=1)).why(1.0)
    warm()
