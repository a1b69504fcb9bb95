"""Write the static moments of a walking machine, and follow its margin of static stability.

The hull is the fixed frame of the model and each branch a leg, whose last body is the foot; or the model is one leg,
and --legs says of how many the machine is. Without a gait the machine stands on all legs, and on all but each in turn.
The margin is the distance of the mass centre's plumb line from the nearest edge of the polygon of standing feet, in m,
negative outside: there the machine falls. First moments are compared with a sum over the bodies; exit code 1 where they
disagree.
"""

from __future__ import annotations

import argparse
from typing import Any

from mbconcord.api import walk as walking
from mbconcord.api.given.gaits import read_gait
from mbconcord.api.source import located
from mbconcord.model.diagnostics import NumbersError, error
from mbconcord.model.expressions import unknowns
from mbconcord.model.notation.walker import Walker
from mbconcord.model.state import State
from mbconcord.model.system import System
from mbconcord.reports.plots.support import margin_plot, support_plot
from mbconcord.reports.table import short, table

from . import DISAGREEMENT, SUCCESS
from .io.json_files import text_of
from .io.own_input import add_force, require_other
from .io.state_files import read_state
from .numbers import add_parameters, add_state
from .options.weights import counts, foot, hull, payloads
from .output import add_detail, least, print_json, require_writable, say, tell, write_file
from .source import add_file, load

#: Options that ask for numbers.
NUMBERS = ("gait", "payload", "hull", "foot", "plot", "state")


def arguments(parser: argparse.ArgumentParser) -> None:
    """File, legs, gait, weights, plot."""
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
    add_parameters(parser)


def run(arguments: argparse.Namespace) -> int:
    """Write, follow and print."""
    machines = counts(arguments.legs) if arguments.legs else [None]
    asked = [name for name in NUMBERS if getattr(arguments, name) is not None]
    if arguments.legs and asked:
        remedy = "give the machine whole, each leg with the place where it hangs"
        raise NumbersError(
            error("--legs", f"it goes without --{asked[0]}: where the legs hang is not told", remedy)
        )
    weights = hull(arguments.hull), payloads(arguments.payload), foot(arguments.foot)
    if arguments.plot:
        require_writable(arguments.plot)
        require_other(arguments.plot, [arguments.file, arguments.gait, arguments.state], arguments.force)
    source = load(arguments, arguments.file)
    with located(source):
        written = [(count, *walking.walker(source.system, count)) for count in machines]
        _, name, made = written[0]
        follow = asked or (not arguments.legs and _numeric(made))
        found = _followed(arguments, source.system, name, made, *weights) if follow else None
    tell(map(source.locate, source.diagnostics), least(arguments))
    if arguments.json:
        shown = [
            {"legs": count or len(w.legs), "lines": _lines(w, arguments.output)} for count, _, w in written
        ]
        print_json({"machines": shown, **(_shown(found) if found else {})})
    else:
        print("\n\n".join("\n".join(_lines(one, arguments.output)) for _, _, one in written))
        if found:
            _print(found)
    if found and arguments.plot:
        write_file(arguments.plot, _drawn(found, bool(arguments.gait)))
    return DISAGREEMENT if found and found.comparison.verdict == "disagrees" else SUCCESS


def _followed(
    arguments: argparse.Namespace, system: System, name: str, made: Walker,
    body: walking.Weight, loads: list[walking.Weight], at: walking.Triple,
) -> walking.Walk:  # fmt: skip
    """The margins that the options ask for."""
    state = read_state(arguments.state).of(system) if arguments.state else State()
    if arguments.gait:
        gait = read_gait(text_of(arguments.gait), arguments.gait, system.coordinate_names, made.legs)
        steps = walking.steps_of_gait(system, made, gait, at, state)
    else:
        steps = walking.steps_of(system, made, state)
    return walking.walk(system, made, name, steps, body, loads, at)


def _numeric(made: Walker) -> bool:
    """Whether the first moments need nothing that has no value: no parameter, coordinates alone."""
    names = {name for leg in made.legs for name in leg.coordinates}
    return all(node.data in names for node in unknowns([made.mass, *made.moment]))


def _lines(made: Walker, output: str) -> list[str]:
    return [line.text if output == "text" else line.latex for line in made.lines]


def _shown(found: walking.Walk) -> dict[str, Any]:
    """The margins in the form of --json."""
    stances = [
        {
            "step": s.step.name, "t": s.step.t, "standing": list(s.step.standing), "payload": s.payload, "mass": s.mass,
            "mass_centre": list(s.centre), "plumb": list(s.plumb), "margin": s.margin, "stands": s.margin > 0,
        }
        for s in found.stances
    ]  # fmt: skip
    c = found.comparison
    compared = {"a": c.a, "b": c.b, "verdict": c.verdict, "discrepancy": c.discrepancy}
    return {"axes": list(found.axes), "stances": stances, "comparisons": [compared]}


def _print(found: walking.Walk) -> None:
    """The margins as a table, the least of them, and whether the first moments agree."""
    first, second = found.axes
    timed = any(s.step.t is not None for s in found.stances)
    rows = []
    for s in found.stances:
        time = [f"{s.step.t:g}" if s.step.t is not None else "-"] if timed else []
        numbers = (f"{x:.6g}" for x in (s.payload, *s.plumb, s.margin))
        standing = " ".join(map(str, s.step.standing)) or "-"
        rows.append((s.step.name, *time, standing, *numbers, "" if s.margin > 0 else "falls"))
    heads = (
        "step",
        *(["t, s"] if timed else []),
        "standing",
        "payload, kg",
        f"centre {first}, m",
        f"{second}, m",
    )
    print()
    say(table((*heads, "margin, m", ""), rows))
    worst, c = found.least, found.comparison
    print(f"\nleast margin {worst.margin:.6g} m: {worst.step.name}, payload {worst.payload:g} kg")
    size = f"{short(c.discrepancy)} of what they are made of"
    say(f"first moments by {c.a} and by the {c.b}: {c.verdict}, {size}")


def _drawn(found: walking.Walk, gait: bool) -> str:
    """The margin over the gait, or the feet of the first stance."""
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
