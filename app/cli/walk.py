"""Write the static moments of a walking machine, and follow its margin of static stability.

The hull is the fixed frame of the model and each branch a leg, whose last body is the foot; or the model is one leg,
and --legs says of how many the machine is. Without a gait the machine stands on all legs, and on all but each in turn.
The margin is the distance of the mass centre's plumb line from the nearest edge of the polygon of standing feet, in m,
negative outside: there the machine falls. First moments are compared with a sum over the bodies; exit code 1 where they
disagree.
"""

from __future__ import annotations

import argparse
import math
import re
from functools import partial
from typing import Any
from unicodedata import normalize

import numpy as np

from mbconcord.api import walk as walking
from mbconcord.api.gaits import read_gait
from mbconcord.api.interpreted import not_compared
from mbconcord.api.printed import value_of
from mbconcord.api.source import locate_errors
from mbconcord.api.typeset import TypesetError
from mbconcord.api.walk import HullWeight, Triple
from mbconcord.converters.floats import NumeralError, exact
from mbconcord.model.diagnostics import NumbersError, error
from mbconcord.model.expressions import evaluate, unknowns
from mbconcord.model.limits import count as counted
from mbconcord.model.notation.listing import Walker
from mbconcord.model.state import State
from mbconcord.model.system import System
from mbconcord.reports.plots.motion import margin_plot, support_plot
from mbconcord.reports.table import short, table
from mbconcord.validation.judge.comparison import contradict
from mbconcord.validation.judge.evidence import Comparison
from mbconcord.validation.judge.tolerances import RUN
from mbconcord.validation.witnesses.screen import PRINTED, conclude, read_json
from mbconcord.witnessed import with_evidence

from . import DISAGREEMENT, SUCCESS
from .io.json_files import read_state, text_of
from .numbers import add_parameters, add_state
from .options.accepted import add_accepted, exit_code, find_left_out, say_left_out
from .output import (
    add_detail,
    add_force,
    capture,
    least,
    print_json,
    require_other,
    require_writable,
    say,
    say_head,
    tell,
    write_file,
)
from .source import add_file, load
from .tables.expected import expect_walk, read_walk

# Options of walking machines: how many legs, masses at points of the hull, a point of the foot.


def counts(text: str) -> list[int | None]:
    """Parse the numbers of legs of the machines to write: ``4,6``."""
    found: list[int | None] = []
    for word in text.split(","):
        if not re.fullmatch(r"[1-9]\d{0,2}", word.strip()):
            raise NumbersError(
                error("--legs", f"{word.strip()!r:.40} is no number of legs", "from 1 to 999, for example 4,6")
            )
        found.append(int(word))
    return found


def _numbers(option: str, text: str, count: int | None = None) -> list[float]:
    """Parse numbers separated by commas; ``count`` of them if given."""
    try:
        found = [float(exact(word.strip())) for word in text.split(",")]
    except NumeralError as problem:
        raise NumbersError(error(option, str(problem), problem.remedy or "numbers apart by commas")) from None
    if count is not None and len(found) != count:
        raise NumbersError(error(option, f"{counted(len(found), 'number')}, expected {count}", "x,y,z in m"))
    return found


def _read_triple(option: str, text: str) -> Triple:
    x, y, z = _numbers(option, text, 3)
    return x, y, z


def foot(text: str | None) -> Triple:
    """Parse the foot's point on a leg's last body: ``0,-0.4,0``; by default the origin of the body."""
    return _read_triple("--foot", text) if text else (0.0, 0.0, 0.0)


def hull(text: str | None) -> HullWeight:
    """Parse one mass at a point: ``30@0,0.05,0``; no mass if the text is None."""
    found = _weights("--hull", text)
    if len(found) != 1:
        raise NumbersError(error("--hull", f"{len(found)} masses, expected one", "for example 30@0,0.05,0"))
    return found[0]


def payloads(text: str | None) -> list[HullWeight]:
    """Parse alternative masses at one point: ``0,5,10@0,0.2,0``."""
    return _weights("--payload", text)


def _weights(option: str, text: str | None) -> list[HullWeight]:
    """Parse masses at one point: ``0,5,10@0,0.2,0``; without a text, return a single mass of zero."""
    if text is None:
        return [HullWeight(0.0)]
    masses, at, place = text.partition("@")
    where = _read_triple(option, place) if at else (0.0, 0.0, 0.0)
    found = [HullWeight(mass, where) for mass in _numbers(option, masses)]
    if any(w.mass < 0 for w in found):
        raise NumbersError(error(option, "a mass is negative", "kg, zero or more"))
    return found


#: Options that ask for numbers.
NUMBERS = ("gait", "payload", "hull", "foot", "plot", "state")


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add arguments: file, legs, gait, weights, plot."""
    add_file(parser)
    for option, metavar, help in (
        ("--legs", "N,N", "the model is one leg: write machines of so many, such as 4,6"),
        (
            "--gait", "CSV", "a row for each position: t, support (legs that stand: 1 2 4), coordinates (m, rad) or "
            "foot2.x, foot2.y, foot2.z in the hull's axes (m)",
        ),
        ("--hull", "KG@X,Y,Z", "mass of the hull, and its centre in m (default: no mass)"),
        ("--payload", "KG,KG@X,Y,Z", "payloads to try, and where they are on the hull in m (default: none)"),
        ("--foot", "X,Y,Z", "where a leg's last body touches, in its axes, m (default: its origin)"),
        ("--plot", "OUT.svg", "draw the margin over the gait; without a gait the feet from above"),
    ):  # fmt: skip
        parser.add_argument(option, metavar=metavar, help=help)
    parser.add_argument("--output", choices=("text", "latex"), default="text", help="notation of the moments")
    add_state(parser)
    add_force(parser)
    add_detail(parser, "no warnings", "the reader's notes, too")
    add_accepted(parser)
    add_parameters(parser)


def run(arguments: argparse.Namespace) -> int:
    """Print the static moments of a walking machine and its margins; return the exit code."""
    machines = counts(arguments.legs) if arguments.legs else [None]
    asked = [name for name in NUMBERS if getattr(arguments, name) is not None]
    if arguments.legs and asked:
        remedy = "give the machine whole, each leg with the place where it hangs"
        raise NumbersError(error("--legs", f"it goes without --{asked[0]}: where the legs hang is not told", remedy))
    weights = hull(arguments.hull), payloads(arguments.payload), foot(arguments.foot)
    if arguments.plot:
        require_writable(arguments.plot)
        require_other(arguments.plot, [arguments.file, arguments.gait, arguments.state], arguments.force)
    source = load(arguments, arguments.file)
    with locate_errors(source):
        written = [(count, *walking.walker(source.system, count)) for count in machines]
        _, name, made = written[0]
        follow = asked or (not arguments.legs and _numeric(made))
        found = _follow(arguments, source.system, name, made, *weights) if follow else None
    tell(map(source.locate, source.diagnostics), least(arguments))
    left_out = find_left_out(arguments, source.system, ("gravity",))  # as first moments: masses and places
    if arguments.json:
        shown = [{"legs": count or len(w.legs), "lines": _lines(w, arguments.output)} for count, _, w in written]
        told = {"machines": shown, **(_to_json(found) if found else {}), **left_out.head()}
        text = print_json(with_evidence("walk", told))
        read = [read_json("walk", text, {"machines": shown, **expect_walk(found)})] if found else []
    else:
        read = []
        say_left_out(left_out)
        print("\n\n".join("\n".join(_lines(one, arguments.output)) for _, _, one in written))
        if found:
            say(text := capture(partial(_print, found)))
            read = [read_walk(found, text)]
    if found and arguments.plot:
        write_file(arguments.plot, _draw(found, bool(arguments.gait)))
    judged = [_evaluate_lines(made, arguments.output) for _, _, made in written]
    if found is not None:
        judged += [found.comparison, *found.witnesses, *read, _read_again(arguments, *weights)]
    tell([*contradict(judged, "walk"), *(not_compared(c.explanation) for c in judged if c.verdict == "not checked")])
    disagrees = any(c.verdict == "disagrees" for c in judged)
    return exit_code(DISAGREEMENT if disagrees else SUCCESS, left_out, judged)


def _follow(
    arguments: argparse.Namespace, system: System, name: str, made: Walker,
    body: walking.HullWeight, loads: list[walking.HullWeight], at: walking.Triple,
) -> walking.Walk:  # fmt: skip
    """Return the walk that the options request: over a gait, or with the machine standing."""
    state = read_state(arguments.state).to_state(system) if arguments.state else State()
    if arguments.gait:
        gait = read_gait(text_of(arguments.gait), arguments.gait, system.coordinate_names, made.legs)
        steps = walking.steps_of_gait(system, made, gait, at, state)
        return walking.walk(system, made, name, steps, body, loads, at, gait)
    return walking.walk(system, made, name, walking.steps_of(system, made, state), body, loads, at)


def _read_again(
    arguments: argparse.Namespace, body: HullWeight, loads: list[HullWeight], at: Triple
) -> Comparison:  # fmt: skip
    """Compare masses and points that were read with the texts of their options; without a text they must be zero."""
    wrong = []
    for option, own in (
        ("hull", (body.mass, *body.at)), ("payload", (*(w.mass for w in loads), *loads[0].at)), ("foot", at),
    ):  # fmt: skip
        told = [float(exact(word)) for word in re.findall("[^@,]+", getattr(arguments, option) or "")]
        if [*own] != told + [0.0] * (len(own) - len(told)):
            wrong.append(f"--{option} was read as {own}")
    return conclude("walk", "options", wrong)


def _numeric(made: Walker) -> bool:
    """Return True if the first moments depend on coordinates alone, not on parameters without value."""
    names = {name for leg in made.legs for name in leg.coordinates}
    return all(node.data in names for node in unknowns([made.mass, *made.moment]))


def _lines(made: Walker, output: str) -> list[str]:
    return [line.text if output == "text" else line.latex for line in made.lines]


def _evaluate_lines(made: Walker, output: str) -> Comparison:
    """Evaluate the written lines with numbers for all symbols, and compare them with the derived moments."""
    symbols = unknowns(x for own in made.meanings.values() for x in own)
    given = {str(node.data): 0.5 + 0.4 * math.sin(3.0 + 7.0 * i) for i, node in enumerate(symbols)}
    values: dict[str, Any] = dict(given)
    found: dict[str, Any] = {}
    try:
        values |= {_write_plain(name): np.array(evaluate(own, given)) for name, own in made.meanings.items()}
        for line in map(_write_plain, reversed(_lines(made, output))):
            for part in line[6:].split(", ") if line.startswith("where ") else [line]:
                name, *_, formula = part.split(" = ")
                if name in values and not re.fullmatch(r"[^\W\d]_\w+(\*[^\W\d]_\w+)?", formula):
                    found[name] = value_of(formula, values | found)
    except (TypesetError, ValueError) as problem:
        plain = all(re.fullmatch(r"[^\W\d][\w\u0304:]*", name) for name in values)
        if plain and isinstance(problem, TypesetError) and "\\" not in str(problem):
            return conclude("walk", "written moments", [str(problem)])
        return Comparison("walk", "", "written moments", "not checked", explanation=str(problem), claim=PRINTED)
    room = RUN * max(1.0, *(float(np.abs(x).max()) for x in values.values()))
    wrong = [name for name, x in found.items() if not np.allclose(x, values[name], RUN, room, equal_nan=True)]
    wrong += [name for name in values if name.startswith("m\u0304") and name not in found]
    return conclude("walk", "written moments", [f"{name} has another value as written" for name in wrong])


def _write_plain(line: str) -> str:
    """Return a written line or name in a plain notation, without LaTeX, that can be evaluated."""
    plain = normalize("NFD", line).replace(r"\text{where }", "where ")
    for pattern, sign in (
        (r"\\bar\{(\w)\}", "\\1\u0304"), (r"\\frac\{((?:[^{}]|\{\w*\})*)\}\{(\d+)\}", r"(\1)/\2"), (r" \\, |·", "*"),
        (r"\\mathrm|[{}&]", ""), (r"\[", "("), (r"\]", ")"), (r"(?<=\d),(?=\d)", ":"),
    ):  # fmt: skip
        plain = re.sub(pattern, sign, plain)
    return plain


def _to_json(found: walking.Walk) -> dict[str, Any]:
    """Convert the margins to the form of --json."""
    stances = [
        {
            "step": s.step.name, "t": s.step.t, "standing": list(s.step.standing), "payload": s.payload, "mass": s.mass,
            "mass_centre": list(s.centre), "plumb": list(s.plumb), "margin": s.margin, "stands": s.margin > 0,
        }
        for s in found.stances
    ]  # fmt: skip
    compared = [
        {"a": c.a, "b": c.b, "quantity": c.quantity, "verdict": c.verdict, "discrepancy": c.discrepancy}
        for c in (found.comparison, *found.witnesses)
    ]
    return {"axes": list(found.axes), "stances": stances, "comparisons": compared}


def _print(found: walking.Walk) -> None:
    """Print the table of margins, the least margin, and the verdict on the first moments."""
    first, second = found.axes
    timed = any(s.step.t is not None for s in found.stances)
    rows = []
    for s in found.stances:
        time = [f"{s.step.t:g}" if s.step.t is not None else "-"] if timed else []
        numbers = (f"{x:.6g}" for x in (s.payload, *s.plumb, s.margin))
        standing = " ".join(map(str, s.step.standing)) or "-"
        rows.append((s.step.name, *time, standing, *numbers, "" if s.margin > 0 else "falls"))
    heads = ("step", *(["t, s"] if timed else []), "standing", "payload, kg", f"centre {first}, m", f"{second}, m")
    print()
    say_head("walk", (*heads, "margin, m"), found.witnesses)
    print()
    say(table((*heads, "margin, m", ""), rows))
    worst, c = found.least, found.comparison
    print(f"\nleast margin {worst.margin:.6g} m: {worst.step.name}, payload {worst.payload:g} kg")
    size = f"{short(c.discrepancy)} of what they are made of"
    say(f"first moments by {c.a} and by the {c.b}: {c.verdict}, {size}")
    agreed = ", ".join(w.quantity for w in found.witnesses if w.verdict == "agrees")
    say(f"witnessed by the model's fields: {agreed or 'nothing'}")


def _draw(found: walking.Walk, gait: bool) -> str:
    """Draw the margin over the gait, or the feet of the first stance."""
    if not gait:
        first = found.stances[0]
        labels = (f"{found.axes[0]}, m", f"{found.axes[1]}, m")
        return support_plot(first.plumb, first.feet, first.polygon, first.margin, labels)
    loads = dict.fromkeys(s.payload for s in found.stances)
    series = {f"{p:g} kg": [s for s in found.stances if s.payload == p] for p in loads}
    steps = [s.step for s in next(iter(series.values()))]
    times = [s.t for s in steps if s.t is not None]
    timed = len(times) == len(steps)
    places = times if timed else [float(i) for i in range(1, len(steps) + 1)]
    margins = {name: [s.margin for s in own] for name, own in series.items()}
    return margin_plot(places, margins, "t, s" if timed else "row of the gait")
