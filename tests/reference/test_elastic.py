"""Elastic bodies against closed forms and published numbers: cantilevers, turning beams, an elastic slider-crank."""

from __future__ import annotations

import numpy as np
import pytest

from mbconcord.converters.registry import read
from mbconcord.fixtures import folder
from mbconcord.formalisms.registry import formalism
from mbconcord.model import Body, Coordinate, Point, PointForce, State, System, rotation
from mbconcord.model.beams import ClampedFree, Mode, ShapeFunction, beam, bending, power, round_section, static
from mbconcord.model.expressions import TIME
from mbconcord.model.transformation import Prescribed

LENGTH, RADIUS, YOUNG, DENSITY = 0.35, 0.003, 2e11, 7800.0
AREA, SECOND = np.pi * RADIUS**2, np.pi * RADIUS**4 / 4
#: √(EI/ρA)/L², the unit of frequencies (rad/s); EI/L³, that of stiffness.
UNIT = np.sqrt(YOUNG * SECOND / (DENSITY * AREA)) / LENGTH**2
STIFFNESS = YOUNG * SECOND / LENGTH**3


def cantilever(
    modes: dict[str, Mode], spin: float | None = None, stiffened: bool = False, force: float = 0.0
) -> System:
    """A beam clamped to the ground, or to a hub that turns about z."""
    inertia, made = beam(
        LENGTH, round_section(RADIUS), modes, young=YOUNG, density=DENSITY, nodes={"tip": LENGTH}, stiffened=stiffened
    )
    joint = () if spin is None else (rotation("z", Prescribed(spin * TIME)),)
    body = Body("beam", None, joint, inertia, modes=made)
    forces = (PointForce("load", Point("beam", (LENGTH, 0, 0)), (0, force, 0)),) if force else ()
    return System("cantilever", tuple(map(Coordinate, modes)), bodies=(body,), forces=forces)


def frequencies(system: System, names: tuple[str, ...]) -> list[float]:
    """Of small vibrations about the undeformed beam (rad/s): M and the slopes of h - applied by differences."""
    n, step = len(names), 1e-7
    states = [State(q={name: sign * step}) for name in names for sign in (1.0, -1.0)]
    found = formalism("lagrange").evaluate(system, [State(), *states]).quantities
    rest = found["h"] - found["applied"]
    slopes = np.array([(rest[1 + 2 * i] - rest[2 + 2 * i]) / (2 * step) for i in range(n)]).T
    back = np.linalg.inv(np.linalg.cholesky(found["M"][0]))
    return np.sqrt(np.linalg.eigvalsh(back @ (slopes + slopes.T) @ back.T / 2)).tolist()


def named(shapes: list[ShapeFunction], along: int = 2) -> dict[str, Mode]:
    return {f"e{i + 1}": bending(along, shape) for i, shape in enumerate(shapes)}


#: Shapes, lowest frequency and static deflection of the tip by the exact ones.
CANTILEVERS = {
    "line of the force": ([static()], 1.0146515494, 1.0),
    "x^2": ([power(2)], 1.2719330303, 0.75),
    "x^2, x^3": ([power(2), power(3)], 1.0047543236, 1.0),
    "one clamped-free": ([ClampedFree(1)], 1.0, 0.9706881801),
    "five clamped-free": ([ClampedFree(k) for k in range(1, 6)], 1.0, 0.9996778413),
}


@pytest.mark.parametrize("name", CANTILEVERS)
def test_a_cantilever_vibrates_and_bends_as_it_should(name: str) -> None:
    """ω_1 = 1.8751² √(EI/ρA)/L², u = FL³/3EI, by what the shapes leave of them."""
    shapes, faster, bends = CANTILEVERS[name]
    modes = named(shapes)
    lowest = frequencies(cantilever(modes), tuple(modes))[0]
    assert lowest / (1.8751040687119611**2 * UNIT) == pytest.approx(faster, rel=1e-7)
    found = formalism("lagrange").evaluate(cantilever(modes, force=2.0), [State()]).quantities["applied"][0]
    at = [State(q={n: 1e-6}) for n in modes]
    rest = formalism("lagrange").evaluate(cantilever(modes), at).quantities["applied"]
    deflection = np.linalg.solve(-rest / 1e-6, found).sum()  # every shape is 1 at the tip
    assert deflection / (2.0 / (3 * STIFFNESS)) == pytest.approx(bends, rel=1e-9)


def test_the_first_frequency_of_the_papers_second_link() -> None:
    modes = named([ClampedFree(1)])
    assert frequencies(cantilever(modes), tuple(modes))[0] / (2 * np.pi) == pytest.approx(34.70, abs=5e-3)


def southwell(f: ShapeFunction) -> float:
    """∫ ½ (1 - ξ²) f′² dξ / ∫ f² dξ: ω² = ω_0² + S Ω² of a beam that flaps across the plane in which it turns."""
    xi = np.linspace(0, 1, 4001)
    pull = np.array([0.5 * (1 - x**2) * float(f.evaluate(x, 1)) ** 2 for x in xi])
    own = np.array([float(f.evaluate(x)) ** 2 for x in xi])

    def simpson(y: np.ndarray) -> float:
        return float((y[0] + y[-1] + 4 * y[1:-1:2].sum() + 2 * y[2:-1:2].sum()) / (3 * (len(y) - 1)))

    return simpson(pull) / simpson(own)


@pytest.mark.slow
@pytest.mark.parametrize("shape", [ClampedFree(1), static(), power(2)], ids=repr)
@pytest.mark.parametrize(("along", "softened"), [(2, 1.0), (3, 0.0)], ids=["in the plane", "across it"])
def test_a_turning_beam_by_its_closed_form(shape: ShapeFunction, along: int, softened: float) -> None:
    """Linear: ω² = ω_0² - Ω² in the plane, ω_0² across it. Stiffened: S Ω² more."""
    modes, spin = named([shape], along), 0.8 * UNIT
    (still,) = frequencies(cantilever(modes), tuple(modes))
    for stiffened in (False, True):
        (found,) = frequencies(cantilever(modes, spin, stiffened), tuple(modes))
        expected = (southwell(shape) if stiffened else 0.0) - softened
        assert (found**2 - still**2) / spin**2 == pytest.approx(expected, abs=1e-5)


@pytest.mark.slow
@pytest.mark.parametrize(("speed", "published"), [(1, 3.6816), (2, 4.1373), (4, 5.5850), (10, 11.2023)])
def test_a_turning_beam_by_published_numbers(speed: float, published: float) -> None:
    """ω √(ρAL⁴/EI) of the first flapping mode (Wright, Smith, Thresher & Wang 1982, hub of radius zero)."""
    modes = named([power(p) for p in range(2, 8)], 3)
    found = frequencies(cantilever(modes, speed * UNIT, True), tuple(modes))[0]
    assert found / UNIT == pytest.approx(published, abs=1e-4)


#: Of the set of test problems for initial value solvers, "crank" (Simeon 1996), at its two starts: accelerations of
#: q1 … q4 and of the slider, and the force on the slider along its way (N).
STARTS = {
    "rigid": (
        State(), (0.0, 0.0, 1.924342105263158e2, 1.273026315789474e3, -3.789473684210526e3), 2.863023157894737e2, 1e-7,
    ),
    "without vibrations": (
        State(
            q={"q3": 0.103339863e-4, "q4": 0.169327969e-4, "slider": 0.450016933},
            v={
                "crank": 150.0, "rod": -224.9957670, "q1": 0.444896105, "q2": 0.463434311e-2, "q3": -0.178591076e-5,
                "q4": -0.268938672e-5, "slider": -0.268938672e-5,
            },
        ),
        (-6.833142732779555e-5, 1.449382650173157e-8, -4.268463211410861, 2.098334687947376e-1, -5.062194923138079e3),
        3.824589508329281e2, 1e-5,
    ),
}  # fmt: skip


@pytest.mark.parametrize("by", ["lagrange", "virtual_work"])
@pytest.mark.parametrize("start", STARTS)
def test_the_elastic_slider_crank_at_its_starts(start: str, by: str) -> None:
    """Positions are published to nine digits, and stiffness makes 1e-5 m/s² of the last of them."""
    state, expected, force, close = STARTS[start]
    system = read(folder() / "elastic/slider_crank.mbs.json").system
    found = formalism(by).constrained_motion(system, [state])
    assert found is not None and not [d for d in found.diagnostics if d.severity == "error"]
    a = dict(zip(system.coordinate_names, found.acceleration[0], strict=True))
    assert a["crank"] == pytest.approx(0.0, abs=1e-9)
    for name, value in zip(("q1", "q2", "q3", "q4", "slider"), expected, strict=True):
        assert a[name] == pytest.approx(value, rel=close, abs=1e-6), name
    assert found.multipliers[0][found.rows.index("pin (x)")] == pytest.approx(force, rel=1e-7)
