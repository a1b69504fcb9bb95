"""Mass and inertia that UM computed from an image with parameters: they follow these, or the model says they do not."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from mbconcord.api.parameters import ParameterValues, with_parameters
from mbconcord.converters import registry
from mbconcord.model import System
from mbconcord.model.expressions import evaluate, number
from mbconcord.model.numbers import parameter_values

from .um_files import REAL, real

DENSITY = 7800.0


def prism(points: np.ndarray, height: float) -> tuple[float, np.ndarray, np.ndarray]:
    """Mass, centre and central tensor of a prism on a polygon, by triangles about its middle, exact to quadratics."""
    mass, first, second = 0.0, np.zeros(3), np.zeros((3, 3))
    nodes, weights = np.polynomial.legendre.leggauss(2)
    for a, b in zip(points, np.roll(points, -1, axis=0), strict=True):
        area = 0.5 * (a[0] * b[1] - a[1] * b[0])
        for middle in (a / 2, b / 2, (a + b) / 2):
            for node, weight in zip(nodes, weights, strict=True):
                x = np.array([*middle, height * (1 + node) / 2])
                dm = DENSITY * area / 3 * height * weight / 2
                mass, first, second = mass + dm, first + dm * x, second + dm * np.outer(x, x)
    centre = first / mass
    about = second - mass * np.outer(centre, centre)
    return mass, centre, np.trace(about) * np.eye(3) - about


def polygon(n: int, r: float) -> np.ndarray:
    angles = 2 * np.pi * np.arange(n) / n
    return r * np.column_stack([np.cos(angles), np.sin(angles)])


def rectangle(a: float, b: float) -> np.ndarray:
    return np.array([[a, b], [-a, b], [-a, -b], [a, -b]]) / 2


def turned(axis: int, degrees: float) -> np.ndarray:
    c, s = np.cos(np.radians(degrees)), np.sin(np.radians(degrees))
    matrix = np.eye(3)
    i, j = (axis + 1) % 3, (axis + 2) % 3
    matrix[np.ix_([i, j], [i, j])] = [[c, -s], [s, c]]
    return matrix


#: Text of the element, and its polygon and height as functions of p.
SHAPES = {
    "bar": ("type=BAR; box=p,2*p,0.3;", lambda p: (rectangle(p, 2 * p), 0.3)),
    "high bar": ("type=BAR; box=0.1,0.2,p;", lambda p: (rectangle(0.1, 0.2), p)),
    "cylinder": ("type=CYLINDER; h=p; r1=0.06; r2=0.06; npc=20; npl=2;", lambda p: (polygon(20, 0.06), p)),
    "disc": ("type=CYLINDER; h=0.02; r1=p/2; r2=p/2; npc=6; npl=2;", lambda p: (polygon(6, p / 2), 0.02)),
}
TURNS = [None, *((axis, angle) for axis in range(3) for angle in (90, -90, 180, 270))]


def numbers(shape: str, p: float, turn: tuple[int, float] | None) -> tuple[float, np.ndarray, np.ndarray]:
    """Mass, centre and tensor of the shape in the body's axes."""
    mass, centre, tensor = prism(*SHAPES[shape][1](p))
    turning = turned(*turn) if turn else np.eye(3)
    return mass, turning @ centre, turning @ tensor @ turning.T


def text(shape: str, turn: tuple[int, float] | None, p: str = "0.5", **changes: str) -> str:
    """A file whose body has the numbers of its image at p, with UM's digits."""
    mass, centre, tensor = numbers(shape, 0.5, turn)
    fields = {
        "m": f"{mass:.4g}", **{f"i{x}{x}": f"{tensor[i, i]:.8g}" for i, x in enumerate("xyz")},
        **{f"rc{x}": f"{centre[i]:.4g}" for i, x in enumerate("xyz")}, "igrobj": "1", "AutoCalcInertia": "true",
    }  # fmt: skip
    element = SHAPES[shape][0]
    placed = f"axis1={turn[0] + 1}; angle1={turn[1]};" if turn else ""
    for key, value in changes.items():
        fields |= {key: value} if key in fields else {}
        placed += "" if key in fields or key == "element" else f"{key}={value};"
    body = " ".join(f"{key}={value};" for key, value in fields.items())
    return (
        f"with main; autogravity=true;\nwith const;\ncnst=(p# {p});\ncnst=(q# 2*p);\nwith egravity; gravityz=-1;\n"
        f'with go; name="G";\nwith ge; {changes.get("element", element)} {placed} Density=7800;\n'
        f'with body1; name="B"; {body}\n'
        'with joint1; name="j"; type=comm; bd1="Base0"; bd2="B";\n'
        "with et; type=rv; ex=0; ey=0; ez=1; coord0=0;\nwith end;\n"
    )


def at(system: System, **values: float) -> tuple[float, np.ndarray, np.ndarray]:
    """Mass, centre and moments of the body."""
    inertia = system.bodies[0].inertia
    known = parameter_values(system, values)
    mass, *rest = map(float, evaluate([inertia.mass, *inertia.centre, *inertia.tensor], known))
    return mass, np.array(rest[:3]), np.array(rest[3:6])


@pytest.mark.parametrize("turn", TURNS, ids=str)
@pytest.mark.parametrize("shape", SHAPES)
def test_the_inertia_follows_the_parameters_of_a_known_shape(shape, turn):
    """To the digits that the file has, and exactly the file's numbers at its own values."""
    made = registry.read_text(text(shape, turn), "-", "um")
    assert not [o for o in made.system.omissions if o.kind == "computed-inertia"]
    for p in (0.5, 0.3, 1.7):
        mass, centre, tensor = numbers(shape, p, turn)
        found = at(made.system, p=p)
        assert found[0] == pytest.approx(mass, rel=2e-4)
        assert found[1] == pytest.approx(centre, abs=1e-12)
        assert found[2] == pytest.approx(np.diag(tensor), rel=1e-7)
    plain = registry.read_text(text(shape, turn, AutoCalcInertia="false"), "-", "um").system
    for ours, theirs in zip(at(made.system), at(plain), strict=True):
        assert ours == pytest.approx(theirs, rel=1e-15)


UNKNOWN = {
    "cone": {"element": "type=CYLINDER; h=p; r1=0.06; r2=0.05; npc=20; npl=2;"},
    "ellipsoid": {"element": "type=ELLIPSOID; abc=p,p,p; nm=40; nl=25;"},
    "hollow": {"SolidType": "Caved"},
    "shifted": {"p1x": "0.1"},
    "oblique": {"axis1": "2", "angle1": "30"},
    "other mass": {"m": "12"},
    "other moment": {"ixx": "1.5"},
    "other centre": {"rcx": "0.02"},
    "turned twice": {"axis2": "1", "angle2": "90"},
    "two solids": {"element": f"{SHAPES['cylinder'][0]} Density=7800;\nwith ge; type=BAR; box=p,p,p;"},
}


@pytest.mark.parametrize("changes", UNKNOWN.values(), ids=UNKNOWN)
def test_numbers_of_an_unknown_shape_stay_and_act_once_the_parameter_changes(changes):
    source = registry.read_text(text("cylinder", None, **changes), "-", "um")
    (left,) = (o for o in source.system.omissions if o.kind == "computed-inertia")
    assert (left.place, left.effect, left.parameters) == ("computed-inertia/B", "none", ("p",))
    same, nothing = with_parameters(source.system, ParameterValues({"p": number("0.5").value}))
    assert same == source.system
    assert nothing == ()
    for name in ("p",):
        changed, said = with_parameters(source.system, ParameterValues({name: number("0.6").value}))
        assert [o.effect for o in changed.omissions if o.kind == "computed-inertia"] == ["inertia"]
        (warning,) = said
        assert (warning.severity, warning.place) == ("warning", "bodies/B/inertia")
        assert replace(changed, omissions=source.system.omissions, parameters=source.system.parameters) == source.system
    other, said = with_parameters(source.system, ParameterValues({"q": number(3).value}))
    assert said == ()
    assert other.omissions == source.system.omissions


def test_an_identifier_that_another_is_a_formula_of():
    source = registry.read_text(text("cylinder", None, element="type=ELLIPSOID; abc=q,q,q;"), "-", "um")
    changed, said = with_parameters(source.system, ParameterValues({"p": number(3).value}))
    assert len(said) == 1
    assert [o.acts for o in changed.omissions if o.kind == "computed-inertia"] == [True]


def test_the_numbers_are_written_in_their_places_when_the_parameter_changes():
    source = registry.read_text(text("cylinder", (1, 90)), "-", "um").system
    longer, _ = with_parameters(source, ParameterValues({"p": number("0.75").value}))
    writing = registry.write(longer, "um")
    assert writing.losses == ()
    before, after = text("cylinder", (1, 90)).splitlines(), writing.text.splitlines()
    assert [i for i, (a, b) in enumerate(zip(before, after, strict=True)) if a != b] == [2, 7]
    again = registry.read_text(writing.text, "-", "um").system
    for p in (0.75, 0.4):
        for ours, theirs in zip(at(again, p=p), at(longer, p=p), strict=True):
            assert ours == pytest.approx(theirs, rel=1e-14)
    assert registry.write(again, "um").text == writing.text


def test_an_image_without_parameters_is_a_number():
    system = registry.read_text(text("bar", None, element="type=BAR; box=1,2,3;", m="5"), "-", "um").system
    assert system.bodies[0].inertia.mass is number(5)
    assert not [o for o in system.omissions if o.kind == "computed-inertia"]


@real
def test_the_bars_and_cylinders_of_a_real_machine():
    """UM's own numbers, to its own digits: so the shapes are known."""
    system = registry.read(REAL / "test_hexapod").system
    assert not [o for o in system.omissions if o.kind == "computed-inertia"]
    legs = [body for body in system.bodies if "leg_seg" in body.name]
    assert len(legs) == 18
    values = parameter_values(system)
    for body in legs:
        assert not body.inertia.mass.constant
        (mass,) = evaluate([body.inertia.mass], values)
        assert mass == pytest.approx(0.04339, rel=1e-15)
