"""Summary of evidence for all forms of report: the closest comparison, the command, the versions.

Diagnostics as lines, with equal notes on several things merged into one.
"""

from __future__ import annotations

import platform
import shlex
from collections.abc import Iterable, Sequence
from html import unescape
from math import inf
from typing import Final

import numpy

from mbconcord.model import Diagnostic
from mbconcord.model.derivation import Obstacle
from mbconcord.model.diagnostics import DisagreementError, error
from mbconcord.model.limits import cut, format_names
from mbconcord.model.omission import Omission, acting, find_assumed, find_laws, format_counts
from mbconcord.validation.judge.evidence import Evidence
from mbconcord.validation.judge.left_out import LeftOut


def remarks(findings: Iterable[Diagnostic]) -> list[str]:
    """Return one line per finding; notes with the same words about items of one kind share a line.

    ``a.mbsd:1:1: note: coordinates z1, z2: initial position and velocity 0 by default``
    """
    groups: dict[object, list[Diagnostic]] = {}
    for number, finding in enumerate(found := [*findings]):
        kind, _, name = finding.place.rpartition("/")
        alike = finding.severity == "note" and kind and name
        groups.setdefault((kind, finding.message, finding.remedy) if alike else number, []).append(finding)
    return _require_said([_line(group) for group in groups.values()], [("", d) for d in found])


def _line(group: list[Diagnostic]) -> str:
    first = group[0]
    if len(group) == 1:
        return str(first)
    kind = first.place.rpartition("/")[0]
    names = format_names(finding.place.rpartition("/")[2] for finding in group)
    head = f"{first.location}: " if first.location else ""
    tail = f" ({cut(first.remedy)})" if first.remedy else ""
    return f"{head}note: {kind} {cut(names)}: {cut(first.message)}{tail}"


def _require_said(lines: list[str], findings: Sequence[tuple[str, Diagnostic]]) -> list[str]:
    """Return lines that have all findings, with who makes each, and are no more than these; else raise."""
    lost = _find_unsaid(lines, findings)
    if lost or len(lines) > len(findings):
        raise _disagree("notes", str(lost[0]) if lost else lines[-1])
    return lines


def _find_unsaid(lines: Sequence[str], findings: Sequence[tuple[str, Diagnostic]]) -> list[Diagnostic]:
    """Return the findings that no line has."""
    having = {words: [x for x in lines if words in x] for words in {cut(d.message) for _, d in findings}}
    return [d for who, d in findings if not any(_has(line, who, d) for line in having[cut(d.message)])]


def _has(line: str, who: str, d: Diagnostic) -> bool:
    """Return True if a line has who made a finding, its severity, its remedy, and its place, or its name in a list."""
    kind, _, name = d.place.rpartition("/")
    names = line.partition(f"{kind} ")[2].rpartition(f": {cut(d.message)}")[0]
    listed = name in names or " more" in names or "… (" in names
    severe = d.severity == "note" or f"{d.severity}: " in line
    placed = not d.place or f"{cut(d.place)}: " in line or (bool(kind) and listed)
    return who in line and severe and placed and cut(d.remedy) in line


def _disagree(what: str, line: str) -> DisagreementError:
    """Return the error that a line is in a report or in its check only."""
    remedy = "do not trust it; please report the model and the command"
    return DisagreementError(error(what, f"only the report or the check has {line}", remedy))


def read_back(text: str, evidence: Evidence, options: Sequence[str], more: Iterable[str] = ()) -> str:
    """Return a report that has the notes, obstacles and omissions of a check, its command, and ``more`` lines.

    Raises
    ------
    DisagreementError
        A line is not in it, however its form escapes characters and breaks lines.
    """
    told = _fold(text)
    for line in (*notes(evidence), *left_out(evidence), *obstacles(evidence), reproduction(evidence, options), *more):
        if _fold(line) not in told:
            raise _disagree("report", line)
    return text


def _fold(text: str) -> str:
    return " ".join(unescape(unescape(text)).split())


def format_notes(notes: Iterable[Diagnostic]) -> list[str]:
    """Return notes of a formalism as lines: ``bodies a, b: joint taken as one native pair``."""
    return [line.replace("note: ", "", 1) for line in remarks(notes)]


#: So many of what is left out are named.
MOST_NAMES = 20


def defaults(evidence: Evidence) -> str:
    """List the parameters with default values, shortened: ``i1 = 1, g = 9.81``."""
    return format_names(f"{p.name} = {p.value}" for p in evidence.system.parameters if p.origin == "default")


def notes(evidence: Evidence) -> list[str]:
    """List remarks of the reader and the formalisms; defaults of parameters are in :func:`defaults`."""
    places = {f"parameters/{p.name}" for p in evidence.system.parameters if p.origin == "default"}
    found = remarks(d for d in evidence.diagnostics if d.severity != "note" or d.place not in places)
    found += said_by((w.name, line) for w in evidence.witnesses for line in remarks(w.diagnostics))
    hidden, told = {*_find_unsaid(found, [("", d) for d in evidence.diagnostics])}, f", {defaults(evidence)}"
    for d in evidence.diagnostics:
        listed = f", {d.place.removeprefix('parameters/')} = " in told or (" more" in told and d in hidden)
        if (d in hidden) != (d.severity == "note" and d.place.startswith("parameters/") and listed):
            raise _disagree("notes", str(d))
    said = [("", d) for d in evidence.diagnostics if d not in hidden]
    return _require_said(found, [*said, *((w.name, d) for w in evidence.witnesses for d in w.diagnostics)])


def left_out(evidence: Evidence) -> list[str]:
    """List the omissions that act, or may act, on the motion, by kind, and whether they were accepted."""
    return list_omissions(evidence.left_out)


def list_omissions(left_out: LeftOut) -> list[str]:
    """Return a line for each kind of omissions that act on its quantities, and a line on their acceptance."""
    touching = left_out.touching
    lines = []
    for kind, count in acting(touching).items():
        own = sorted((o for o in touching if o.kind == kind), key=lambda o: left_out.since.get(o.place, inf) or 0.0)
        names = [
            omission.place.partition("/")[2] + _describe_since(left_out, omission) for omission in own[:MOST_NAMES]
        ]
        more = [f"and {count - MOST_NAMES} more"] if count > MOST_NAMES else []
        effects = ", ".join(dict.fromkeys(omission.effect for omission in own))
        lines.append(f"{format_counts({kind: count})}, effect on the motion {effects}: {', '.join(names + more)}")
    said = left_out.describe_acceptance() if lines or not left_out.stands else ""
    return [*lines, said] if said else lines


def _describe_since(left_out: LeftOut, omission: Omission) -> str:
    """Return the time at which the states reach an omission, as a text: `` (reached at t = 0.2712 s)``."""
    if omission.place not in left_out.since:
        return ""
    t = left_out.since[omission.place]
    return " (reached)" if t is None else f" (reached at t = {t:.6g} s)"


def list_conditions(left_out: LeftOut) -> list[str]:
    """Return the lines of :func:`list_omissions`, and one on omissions that act only if the motion reaches them."""
    return [*list_omissions(left_out), *filter(None, (left_out.condition,))]


#: Notation -> what begins and ends a comment in it.
COMMENTS: Final = {
    "text": ("# ", ""), "python": ("# ", ""), "latex": ("% ", ""), "c": ("/* ", " */"), "mathml": ("<!-- ", " -->"),
}  # fmt: skip


def comment(left_out: LeftOut, notation: str, head: Sequence[str] = ()) -> str:
    """Return the comments above printed equations: the omissions that act on them, then the lines of ``head``."""
    begin, end = COMMENTS[notation]
    return "".join(f"{begin}{line}{end}\n" for line in (left_out.sentence, *head) if line)


def describe_choices(evidence: Evidence) -> list[str]:
    """List the choices that formalisms made in treating the model."""
    said = said_by(
        (w.name, line) for w in evidence.witnesses if w.derivation for line in format_notes(w.derivation.notes)
    )
    made = ((w.name, w.derivation) for w in evidence.witnesses)
    return _require_said(said, [(name, d) for name, derivation in made if derivation for d in derivation.notes])


def obstacles(evidence: Evidence) -> list[str]:
    """List the reasons why formalisms cannot take the model, or the open tree of a model with constraints."""
    said = said_by((w.name, line) for w in evidence.witnesses for line in refusals(w.name, w.obstacles))
    return _confirm(said, ((w.name, str(o)) for w in evidence.witnesses for o in w.obstacles))


def open_tree_only(evidence: Evidence) -> list[str]:
    """List the reasons why formalisms take only the open tree of a model with constraints."""
    taking = (w for w in evidence.witnesses if not w.obstacles)
    said = said_by((w.name, line) for w in taking for line in refusals(w.name, w.constraint_obstacles))
    found = [(w, str(o)) for w in evidence.witnesses for o in w.constraint_obstacles]
    return _confirm(said, ((w.name, why) for w, why in found if not w.obstacles))


def _confirm(said: list[str], own: Iterable[tuple[str, str]]) -> list[str]:
    """Return lines ``names: place: reason`` if they say the obstacles of witnesses, and nothing else."""
    names: dict[str, str] = {}
    for name, why in own:
        line = why.replace(f": {name} does not take ", ": ", 1)
        names[line] = f"{names[line]}, {name}" if line in names else name
    if other := {*said} ^ {f"{name}: {line}" for line, name in names.items()}:
        raise _disagree("obstacles", min(other))
    return said


def refusals(name: str, found: Iterable[Obstacle]) -> list[str]:
    """List a formalism's obstacles as place and reason, without the name of the formalism."""
    return [f"{o.place}: {o.reason.removeprefix(f'{name} does not take ')}" for o in found]


def said_by(lines: Iterable[tuple[str, str]]) -> list[str]:
    """Join pairs (name, line) to lines ``name: line``; names with the same line are joined: ``one, other: …``."""
    groups: dict[str, list[str]] = {}
    for name, line in lines:
        groups.setdefault(line, []).append(name)
    return [f"{', '.join(names)}: {line}" for line, names in groups.items()]


def reproduction(evidence: Evidence, options: Sequence[str] = ()) -> str:
    """Write the command that repeats the check; ``options`` are its options that set numbers."""
    other = evidence.against.witness if evidence.against else ""
    names = ",".join(w.full_name for w in evidence.witnesses if w.name != other)
    file = f"./{evidence.file}" if evidence.file.startswith("-") and evidence.file != "-" else evidence.file
    words = ["mbconcord", "check", file, *(["--formalisms", names] if names else [])]
    assumed = [*find_assumed(evidence.system.omissions), *find_laws(evidence.system.omissions)]
    given = {word.partition("=")[0] for word in options}
    words += ["--assume", ",".join(assumed)] if assumed and "assume" not in given else []
    words += [] if "--state" in given else ["--states", str(len(evidence.states))]
    words += ["--seed", str(evidence.seed), *options]
    return shlex.join(words)


def versions() -> dict[str, str]:
    """List the versions of the software behind the numbers."""
    from importlib.metadata import version  # not before: it is seldom asked for

    return {
        "mbconcord": version("mbconcord"),
        "Python": platform.python_version(),
        "NumPy": numpy.__version__,
        "machine": f"{platform.system()} {platform.machine()}",
    }
