"""Only what is asked is derived: no other passes are gone through, and names are those that there are among all."""

from __future__ import annotations

import pytest

from mbconcord.converters.registry import read, read_text
from mbconcord.fixtures import folder
from mbconcord.formalisms.newton_euler import NewtonEuler
from mbconcord.formalisms.newton_euler.equations import Equations
from mbconcord.formalisms.newton_euler.stages import PASSES
from mbconcord.model.derivation import flatten
from mbconcord.model.system import System
from mbconcord.reports import equations

FORMALISM = NewtonEuler()
#: What each quantity does without.
WITHOUT = {
    "inverse_dynamics": ("mass_matrix", "forward", "coasting", "falling"),
    "h": ("mass_matrix", "forward", "falling"),
    "gravity": ("mass_matrix", "forward"),
    "M": ("forward",),
}
MODELS = ("robots/ur5.mbsd", "mbsd/driven_arm.mbsd")


def model(file: str) -> System:
    return read(folder() / file).system


@pytest.mark.parametrize("quantity", WITHOUT)
def test_other_passes_are_not_gone_through(monkeypatch: pytest.MonkeyPatch, quantity: str) -> None:
    def never(self: Equations) -> None:
        raise AssertionError("derived, and not asked for")

    for name in WITHOUT[quantity]:
        monkeypatch.setattr(Equations, name, property(never))
    derivation = FORMALISM.derive_asked(read_text("zi > zig", format="mbsd").system, [quantity])
    assert [*derivation.quantities] == [quantity]
    assert equations.render(derivation, [quantity], "text").count(f"\n# {quantity}\n") == 1


@pytest.mark.parametrize("file", MODELS)
def test_what_is_asked_is_what_it_is_among_all(file: str) -> None:
    """The same expressions, and intermediates of the same names."""
    system = model(file)
    whole = FORMALISM.derive_whole(system)
    for names in (*([name] for name in PASSES if name in whole.quantities), ["gravity", "h"]):
        asked = FORMALISM.derive_asked(system, names)
        assert {name: asked.quantities[name] for name in names} == {name: whole.quantities[name] for name in names}
        assert {*asked.assignments} <= {*whole.assignments}


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("zi > zig", ["M", "r"]),
        ("zi#a ; g-y \\ #a :(2) {3,0} < #0", ["M"]),
        ("zi > zig", ["equations"]),
        ("zi > zig", []),
    ],
)
def test_what_needs_all_has_all(text: str, names: list[str]) -> None:
    """Own quantities, constraints, the equations themselves, and what is not narrowed."""
    system = read_text(text, format="mbsd").system
    asked, whole = (make(system) for make in (lambda s: FORMALISM.derive_asked(s, names), FORMALISM.derive_whole))
    assert [*asked.quantities] == [*whole.quantities]
    for name, value in whole.quantities.items():
        assert [*flatten(asked.quantities[name])] == [*flatten(value)]
