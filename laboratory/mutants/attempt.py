"""Work in a process with a change: results of models that reach it are compared, others judged."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from itertools import islice
from typing import Any

from mbconcord.converters import registry as formats
from mbconcord.formalisms import registry
from mbconcord.model import System
from mbconcord.model.diagnostics import ModelError
from mbconcord.testing import catches
from mbconcord.validation.check import REREADS, check
from mbconcord.validation.claims import BY_NAME, DEFAULT
from mbconcord.validation.compare import same_machine
from mbconcord.validation.judge.exact.proof import Mode
from mbconcord.validation.judge.trial import plausible
from mbconcord.validation.witnesses.links.link_by_link import check_links

from .machines import SEED, STATES, in_words, load_model, machine, original, pose
from .places import NUMBERED
from .results import LINKED, SAID, Results, differing, numbers, reading, residues, verdicts

#: How many models on which a result is another are checked in full before a mutant is given up.
MOST = 5
#: And on how many the claims are asked that a check does not ask by itself.
CLAIMED = 2

#: Kinds that make the model: one that is impossible is refused, and no number of it is given.
MAKING = ("readers", "builders")


class _NothingSaidError(Exception):
    """Error of a check that ended without a verdict about any number."""


#: How an attempt ended, by whom or on what, and the models on which a result was another.
Ending = dict[str, Any]


def attempt(kind: str, names: Sequence[str], honest: Mapping[str, Results], exact: Mapping[str, Results]) -> Ending:
    """Try the models one after another until a check disagrees.

    ``kind``: a name of :data:`.places.KINDS`; ``names``: formalisms to run; ``honest``: results of the unchanged
    source, by model, in the order of trials; ``exact``: its residues, if numbers are equal. The result has ``how``:
    ``check``, ``claims``, ``missed``, ``raised`` (no number changes, some are missing; a refused model has none),
    ``said`` (only names and words about the model change), ``same``; ``by``, ``model``, ``proved`` (by residues).
    """
    other: list[str] = []
    said: list[str] = []
    none = ""
    for model, before in honest.items():
        try:
            after = _results(kind, model, names)
        except Exception as problem:
            none = none or in_words(problem)
            continue
        changed, gone = differing(after, before)
        none = none or (f"{gone[0]} is none" if gone else "")
        if not changed:
            continue
        if changed == [SAID]:
            said.append(model)
            continue
        refused = _find_refusal(model) if kind in MAKING else ""
        if refused:
            none = none or refused
            continue
        try:
            if len(other) >= MOST:
                by = ""
            else:
                others = (f"the verdict on {n}" for n in before if before[n]["verdict"] != after[n]["verdict"])
                by = next(others, "") if kind == "judges" else _check(kind, model, changed)
        except _NothingSaidError as problem:
            none = none or f"check: {problem}"
            continue
        if by:
            return {"how": "check", "by": by, "model": model}
        other.append(model)
    if other:
        by = next(filter(None, (_check_claims(kind, model, names) for model in other[:CLAIMED])), "")
        return {"how": "claims" if by else "missed", "by": by, "model": ", ".join(other[:4])}
    if none:
        return {"how": "raised", "by": none[:200], "model": ""}
    if said:
        return {"how": SAID, "by": "only what is said of the model", "model": ", ".join(said[:4])}
    return _same(names, exact) if kind in NUMBERED else {"how": "same", "by": "", "model": ""}


def failing(tests: Sequence[str], root: str) -> str:
    """Return the first test that fails or cannot be imported, as pytest names it; empty if all pass, or none is run."""
    import pytest

    failed: list[str] = []

    class Names:
        def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
            failed.extend([report.nodeid] if report.failed else ())

        def pytest_collectreport(self, report: pytest.CollectReport) -> None:
            failed.extend([report.nodeid] if report.failed else ())

    os.chdir(root)
    options = ["-x", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", f"--rootdir={root}"]
    pytest.main([*options, *tests], plugins=[Names()])
    return next(iter(failed), "")


def _results(kind: str, model: str, names: Sequence[str]) -> Results:
    match kind:
        case "readers" | "builders":
            return reading(machine(model))
        case "judges":
            return verdicts(model, machine(model))
        case _:
            return numbers(load_model(model), names)


def _find_refusal(model: str) -> str:
    """Say why all evaluating commands refuse the model: no body has such masses and inertias."""
    at = pose(machine(model))
    try:
        plausible(at.system, at.states, "error")
    except ModelError as problem:
        return in_words(problem)
    return ""


def _same(names: Sequence[str], exact: Mapping[str, Results]) -> Ending:
    """Decide whether functions agree, too, when numbers do."""
    for model, before in exact.items():
        changed, _ = differing(residues(machine(model), names), before)
        if changed:
            try:
                said = _disagreement(machine(model), model, None, DEFAULT)
            except _NothingSaidError as problem:
                return {"how": "raised", "by": f"check: {problem}"[:200], "model": ""}
            if said:
                return {"how": "check", "by": said, "model": model}
            return {"how": "missed", "by": f"{changed[0]} in prime fields only", "model": model}
    return {"how": "same", "by": "", "model": "", "proved": bool(exact)}


def _check(kind: str, model: str, changed: Sequence[str]) -> str:
    """Return the result of a check, first comparing the floats of a formalism and one other.

    ``changed``: names of the changed results. A form is requested by its name.
    """
    if any(result.endswith(LINKED) for result in changed):
        first = _by_links(machine(model), model)
        if first:
            return first
    if kind != "formalisms":
        return _disagreement(machine(model), model, None, DEFAULT)
    system = load_model(model).given
    for name in dict.fromkeys(result.partition(" ")[0] for result in changed):
        with suppress(_NothingSaidError):
            first = _disagreement(system, model, _pair(system, name), (), "off")
            if first:
                return first
    return _disagreement(system, model, None, DEFAULT)


def _check_claims(kind: str, model: str, names: Sequence[str]) -> str:
    """Return the result of the requested claims, or of the round-trip through a format."""
    if kind == "judges":
        return ""
    system = machine(model)
    if kind in MAKING:
        return _round_trip(names[0], system)
    with suppress(_NothingSaidError):
        return _disagreement(system, model, None, ("all", *BY_NAME))
    return ""


def _pair(system: System, name: str) -> list[str]:
    """Pair the formalism with the first other one that takes the model."""
    tree, own = system.open_loops() if system.constraints else system, name.partition(":")[0]
    able = (p for p in registry.names() if p != own and not registry.formalism(p).obstacles(tree))
    return [name, *islice(able, 1)]


def _disagreement(
    system: System, model: str, asked: Sequence[str] | None, claims: Sequence[str], exact: Mode = "auto"
) -> str:
    """Return the largest numerical disagreement, in words; empty if there is none.

    Different coordinates, bodies or constraints of the text count too, although there are no numbers to compare.
    """
    try:
        text = original(model) if claims else None
        evidence = check(system, model, asked, STATES, SEED, claims=claims, exact=exact, count=False, original=text)
    except Exception as problem:
        raise _NothingSaidError(in_words(problem)) from None
    found = catches(evidence.comparisons)
    if found:
        return f"{found[0].claim}, {found[0].quantity}, {found[0].discrepancy:.1e}"
    proved = [c for c in evidence.comparisons if c.exact is not None and c.exact.kind == "differs"]
    if proved:
        return f"exact, {proved[0].quantity}"
    apart = [c for c in evidence.comparisons if c.claim == REREADS and c.verdict == "disagrees"]
    return f"{REREADS}, {apart[0].quantity}: {apart[0].explanation}" if apart else ""


def _by_links(system: System, model: str) -> str:
    """Return the largest disagreement of recursions, as in a check of a large tree."""
    asked = [f for f in map(registry.formalism, registry.names()) if f.steps]
    try:
        found = catches(check_links(system, model, asked, STATES, SEED).comparisons)
    except Exception:
        return ""
    return f"{LINKED}, {found[0].quantity}, {found[0].discrepancy:.1e}" if found else ""


def _round_trip(format: str, system: System) -> str:
    """Report if a model written in the format is read back as another machine."""
    if formats.format_named(format).write is None:
        return ""
    try:
        text = formats.write(system, format, physics="ignore").text
        again = formats.read_text(text, "written", format).system
        found = same_machine(system, again, STATES, SEED)
    except Exception:
        return ""
    return "convert --verify" if found.verdict == "disagrees" else ""
