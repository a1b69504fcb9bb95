"""Hypothesis strategies of models, states and texts; :mod:`mbconcord.strategies` publishes them.

The constructions are those of :mod:`.machines`, which need only choices, by a seed or by Hypothesis. Texts are as
people type them, values left out or given, names mixed with default names, items in any order that the grammar allows,
or as the writer of the format writes them. Every text can be read; the numbers are plausible physics.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

from hypothesis import reject
from hypothesis import strategies as st

from mbconcord.converters import registry
from mbconcord.converters.format import Buildable, Reading, find_system
from mbconcord.model import State, System
from mbconcord.model.diagnostics import WriteError, error

from ..judge.states import DEFLECTIONS, RATES, SHIFTS, TIMES, TURNS, DrawnModel, draw
from .choices import Aligned, Choices
from .machines import Features, machine
from .trees import random_system

__all__ = ["mbsd_texts", "random_system", "states", "systems", "systems_and_states", "texts"]


class _HypothesisSource:
    """Whole numbers from Hypothesis."""

    def __init__(self, draw_from: Callable[[Any], Any]) -> None:
        self._draw = draw_from

    def integer(self, low: int, high: int) -> int:
        return int(self._draw(_whole(low, high)))


@cache
def _whole(low: int, high: int) -> st.SearchStrategy[int]:
    return st.integers(low, high)


@st.composite
def systems(
    draw_from: Any,
    max_bodies: int = 10,
    min_bodies: int = 1,
    flywheels: bool = False,
    added_inertia: bool = False,
    *,
    closed: bool = False,
    elastic: bool = False,
    mixed: bool = False,
    springs: bool = False,
    armatures: bool = False,
    aligned: bool = False,
) -> System:
    """Draw models of a number of bodies; open trees of rigid bodies by default.

    They use all features of trees (:mod:`mbconcord.validation.strategies.trees`), and shrink to few bodies and simple
    numbers.

    Parameters
    ----------
    max_bodies, min_bodies : int
    flywheels, added_inertia : whether the last body has them, and others at random
    closed : whether there are constraints: rods, coinciding points, cut joints, rows of formulas; they hold at the
        initial position
    elastic : whether some bodies are elastic
    mixed : whether drives impose accelerations along some coordinates; left out of closed models
    springs : whether there is a bushing or a torsion
    armatures : whether there are rotors along coordinates
    aligned : whether most axes are those of frames, turned by right angles, and most points at origins or on axes
    """
    bodies = draw_from(st.integers(min_bodies, max_bodies))
    asked = Features(closed, elastic, mixed, flywheels, added_inertia, springs, armatures)
    return _make(draw_from, bodies, asked, aligned)


@st.composite
def of_features(draw_from: Any, bodies: int, features: Features, aligned: bool) -> System:
    """Draw models of exactly so many bodies."""
    return _make(draw_from, bodies, features, aligned)


def _make(draw_from: Any, bodies: int, features: Features, aligned: bool) -> System:
    made = machine((Aligned if aligned else Choices)(_HypothesisSource(draw_from)), bodies, features)
    if features.closed and not made.constraints:
        reject()
    return made


@st.composite
def states(draw_from: Any, model: System | Reading | Buildable) -> State:
    """Draw a state of a model: magnitudes spread over five decades, and values for its parameters without one."""
    system = find_system(model)
    turning = system.angles
    modal = {name for body in system.bodies for name in body.modal}
    names = system.coordinate_names
    q = {
        name: draw_from(
            _spread_numbers(*DEFLECTIONS)
            if name in modal
            else _spread_numbers(SHIFTS[0], TURNS if name in turning else SHIFTS[1])
        )
        for name in names
    }
    v = {name: draw_from(_spread_numbers(*RATES)) for name in names}
    a = {name: draw_from(_spread_numbers(*RATES)) for name in names}
    parameters = draw(system, 1, draw_from(st.integers(0, 99))).states[0].parameters
    return State(abs(draw_from(_spread_numbers(*TIMES))), q, v, a, parameters)


@st.composite
def systems_and_states(
    draw_from: Any,
    max_bodies: int = 10,
    count: int = 3,
    min_bodies: int = 1,
    flywheels: bool = False,
    added_inertia: bool = False,
) -> DrawnModel:
    """Draw a model with all functions defined, and ``count`` states of it."""
    system = draw_from(systems(max_bodies, min_bodies, flywheels, added_inertia))
    drawn = draw(system, 0, draw_from(st.integers(0, 99)))
    return DrawnModel(drawn.system, tuple(draw_from(states(drawn.system)) for _ in range(count)), drawn.diagnostics)


@cache
def _spread_numbers(smallest: float, largest: float) -> st.SearchStrategy[float]:
    """Draw three-digit numbers of both signs, logarithmically spread in magnitude; the simplest is 1."""
    decades = sorted((10.0**e for e in range(-4, 3) if smallest <= 10.0**e < largest), key=lambda x: abs(x - 1.0))

    def decode(code: int) -> float:
        decade, digits = divmod(abs(code), 900)
        size = min(decades[decade] * (100 + digits) / 100, largest)
        return round(-size if code < 0 else size, 6)

    last = 900 * len(decades) - 1
    return st.integers(-last, last).map(decode)


NUMBERS = ("0.5", "2", "1.25", "3e-1", ".75", "0")
VALUES = ("(L)", "(a+b)", "(2 a)", "(a/3)", "(sqrt(2))", "(-b)", "(pi/7)")
TIMED = ("(f(t))", "(a sin w_1 t)", "(b t^2)")
TENSORS = ("[]", "[9,9,9]", "[9,10,11,0.1,-0.2,0.3]", "[J,J,J]", "[a+9, 9, 9 b, 0, 0.01, 0]")
CENTRES = ("", "{}", "{0.1,0.2}", "{0.1,-0.2,0.3}", "{c_1, 0, 0}")
EFFORTS = ('"2', "\"(-c_2 {q} - d {q}')", '"(a sin w_1 t - {q}^3)', "\"(f({q}) + g_1({q}, {q}'))", '"(-c_2 {l})')
Draw = Callable[[Any], Any]


def _shift(draw: Draw, values: tuple[str, ...]) -> str:
    letter = draw(st.sampled_from("ijklmn"))
    sign = draw(st.sampled_from(("", "", "-", "2*", "-0.5*")))
    value: str = draw(st.sampled_from(("", "", *values)))
    return f"{sign}{letter}{value}"


def _degree(draw: Draw, names: list[str]) -> str:
    letter = draw(st.sampled_from("uvwxyz"))
    name = ""
    if draw(st.integers(0, 3)) == 0:
        names.append(f"q_{len(names)}")
        name = names[-1]
    suffixes = []
    if draw(st.booleans()):
        suffixes.append(draw(st.sampled_from(("°", "°30", "@-45", "°(a)", "°12.5", "°(180/pi)"))))
    if draw(st.booleans()):
        suffixes.append("'" + draw(st.sampled_from(("", "0.2", "(-b)"))))
    if draw(st.booleans()):
        effort = draw(st.sampled_from(EFFORTS))
        suffixes.append(effort.format(q=name or letter, l=letter))
    suffixes = draw(st.permutations(suffixes))
    sign = draw(st.sampled_from(("", "", "-")))
    return f"{sign}{letter}{f'({name})' if name else ''}{''.join(suffixes)}"


def _segment(draw: Draw, names: list[str], body: str) -> str:
    items = []
    for _ in range(draw(st.integers(1, 4))):
        kind = draw(st.integers(0, 4))
        if kind < 2:
            items.append(_degree(draw, names))
        elif kind < 4:
            items.append(_shift(draw, (*NUMBERS, *VALUES, *TIMED)))
        else:
            items.append(draw(st.sampled_from(("{1,2}", "{a,0,-b}", "{0, 0.3, f(t)}", "{0,0,L}"))))
    inertia = []
    if draw(st.booleans()):
        inertia.append("$" + draw(st.sampled_from(("2", "0.25", "(J)", "(m_0 + a)"))))
    if draw(st.booleans()):
        inertia.append(draw(st.sampled_from(TENSORS)))
    inertia = draw(st.permutations(inertia))
    if inertia and draw(st.booleans()):
        inertia.append(draw(st.sampled_from(CENTRES)))
    return " ".join([*items, *inertia, *([f"#{body}"] if body else [])])


def _offset(draw: Draw) -> str:
    items = [
        draw(st.sampled_from(("i", "-j", "k0.5", "{a, b}", "{0.1, 0, L}", "j(L)")))
        for _ in range(draw(st.integers(0, 2)))
    ]
    return " ".join(items)


def _connector(draw: Draw, bodies: list[str]) -> str:
    places = ["0", *(bodies or ["body1"])]
    left = draw(st.sampled_from(places))
    right = draw(st.sampled_from([place for place in places if place != left]))
    end = draw(st.sampled_from((" < #0", ""))) if right == "0" else f" < #{right}"
    kind = draw(st.integers(0, 2))
    if kind == 0:
        sign = draw(st.sampled_from((":(L)", ":(L, 0.5)", ":(sqrt(a^2 + 1), m_0)")))
    elif kind == 1:
        sign = draw(st.sampled_from((":\"(c_2 (L - @) - d @')", ":\"(h(t,@,@'), 0.2)", ':"(5)')))
    else:
        joint = [_shift(draw, NUMBERS + VALUES) for _ in range(draw(st.integers(0, 2)))]
        joint += [draw(st.sampled_from("xyzuvw")) for _ in range(draw(st.integers(0, 2)))]
        return f"\\ #{left} {' '.join(joint)} = {_shift(draw, VALUES)}{end}"
    return f"\\ #{left} {_offset(draw)} {sign} {_offset(draw)}{end}"


@st.composite
def mbsd_texts(draw: Draw) -> str:
    """Draw a valid MBSD text."""
    names: list[str] = []
    bodies: list[str] = []
    parts: list[str] = []
    linked = False
    for number in range(draw(st.integers(1, 6))):
        body = draw(st.sampled_from(("", f"B{number}", f"body{number + 7}")))
        segment = _segment(draw, names, body)
        if number and not linked and draw(st.booleans()):
            parts[-1] += f" > {segment}"
        elif number:
            root = draw(st.sampled_from(["", "#0 ", *(f"#{b} " for b in bodies)]))
            parts.append(f"\\ {root}{segment}")
        else:
            parts.append(segment)
        bodies += [body] * bool(body)
        linked = draw(st.integers(0, 3)) == 0
        if linked:
            parts.append(_connector(draw, bodies))
    if draw(st.integers(0, 4)) == 0:
        times = draw(st.integers(1, 3))
        parts.append(f"\\ (z°5 i $0.5 >)^{times} x j")
    gravity = draw(st.sampled_from(("", "", "g", "g-y", "g9.8{0,3,-4}", "g(G)u", "g 1.62 -z")))
    common = draw(st.sampled_from(("", "[]", "[]{}", "$3", "$(m_0)[9,9,9]{0.1,0,0}")))
    sections = [" ".join(filter(None, (gravity, common)))]
    assigned = [
        name for name in ("a = 1.5", "b = a/2", "f(t) = 0.1 t + sin(t)", "i1 = 0.4", "m1 = 2") if draw(st.booleans())
    ]
    sections.append(", ".join(draw(st.permutations(assigned))))
    text = "\n".join(parts)
    return text + "".join(f"\n; {section}" for section in sections if section or draw(st.booleans()))


#: Formats with texts that no writer would write.
TYPED = {"mbsd": mbsd_texts}


def texts(format: str, models: st.SearchStrategy[System] | None = None) -> st.SearchStrategy[str]:
    """Draw texts that ``mbconcord.read(text=text, format=…)`` reads.

    Parameters
    ----------
    format : name of a format that can be written
    models : models to write as texts; None: MBSD as people type it, for other formats trees of up to four bodies

    Raises
    ------
    MbconcordError
        There is no such format, or nothing reads or writes it.
    """
    record = registry.format_named(format)
    if models is None and format in TYPED:
        return TYPED[format]()
    if record.write is None or record.read is None:
        raise WriteError(error("format", f"{format} is not read and written", "name a format that is"))
    return _write(format, systems(max_bodies=4) if models is None else models)


@st.composite
def _write(draw: Any, format: str, models: st.SearchStrategy[System]) -> str:
    """Write a model without what the format cannot hold; reject models that cannot be written."""
    try:
        return registry.write(draw(models), format).text
    except WriteError:
        reject()
