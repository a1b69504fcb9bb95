"""Nobody makes linearize say "stable" of a motion that simulate shows growing: drawn machines on a turning shaft."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

import mbconcord
from mbconcord.model import State

from .machines import mbsd

#: A shift of this size is followed for so many seconds; a stable motion makes it no larger than so many times.
SHIFT, UNTIL, TIMES = 1e-5, 8.0, 100.0
numbers = st.integers(-12, 12)


@st.composite
def machines(draw: st.DrawFn) -> tuple[str, State]:
    """Draw a bead on a shaft that turns freely or is driven, by springs, dampers, circulatory and cubic forces."""
    k, stiffer, d, twist, cubic = draw(numbers), draw(numbers), draw(st.integers(-2, 2)), draw(numbers), draw(numbers)
    spin = draw(st.integers(-5, 5))
    along = f"-({k})*x-({d})*x'+({twist})*y+({cubic})*x^3"
    across = f"-({stiffer})*y-({d})*y'-({twist})*x"
    if draw(st.booleans()):  # forces along axes of the shaft, which turns freely
        return f'z(c) $0 [1,1,5] > u(x)"({along}) v(y)"({across}) $1', State(v={"c": float(spin)})
    return f'x(x)"({along}) y(y)"({across}) z(c) $1 [2,2,0.5]', State(v={"c": 3.0 * spin})


def find_growth(text: str, state: State) -> float:
    """Return how many times a shift grows along x and y."""
    off = State(q={"x": SHIFT, "y": -0.7 * SHIFT}, v=state.v)
    table = mbconcord.simulate(mbsd(text), UNTIL, q=off, witness=False).to_frame()
    return float(max(table["x"].abs().max(), table["y"].abs().max())) / SHIFT


@settings(max_examples=6, deadline=None)
@given(machines())
def test_what_grows_is_not_called_stable(drawn: tuple[str, State]) -> None:
    text, state = drawn
    found = mbconcord.linearize(mbsd(text), state, witness=False)
    if found.stable:
        assert find_growth(text, state) < TIMES, (text, state, found.stability)


def test_growth_is_seen() -> None:
    """The measure can fail: a bead on a soft spring leaves a fast shaft, and stays on a slow one."""
    text = 'z(c) $0 [1,1,5] > u(x)"(-10*x) v(y)"(-30*y) $1'
    assert find_growth(text, State(v={"c": 4.0})) > TIMES > find_growth(text, State(v={"c": 1.0}))
    assert mbconcord.linearize(mbsd(text), State(v={"c": 4.0}), witness=False).stable is False
