"""Hypothesis strategy of valid texts of a format: as people type them, or as the format's writer writes them.

The texts are what a person may type: values left out or given, names mixed with default names, items in any
order that the grammar allows. Every text can be read; the numbers are plausible physics.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hypothesis import reject
from hypothesis import strategies as st

from mbconcord.converters import registry
from mbconcord.model.diagnostics import WriteError, error
from mbconcord.model.system import System

from .strategies import systems

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


def _connector(draw: Draw, names: list[str], bodies: list[str]) -> str:
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
            parts.append(_connector(draw, names, bodies))
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
    models : whose texts they are; None: MBSD as people type it, of other formats trees of up to four bodies

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
