"""Names of a text: formulas that it gives them, values that a state has, what it leaves open."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from .formula import FUNCTIONS, Number, compute, number
from .machine import At, UnreadError

#: Rates in time are differences over so much, in 40 digits: what is left out is 1e-24 of the third rate.
STEP: Final = "1e-12"
#: Formulas of formulas: deeper ones are defined by themselves.
DEEPEST: Final = 60


class Names:
    """Values of names at a state.

    Attributes
    ----------
    formulas : what the text says a name is
    functions : arguments and formula of each function
    """

    def __init__(self, at: At) -> None:
        self.at = at
        self.formulas: dict[str, str] = {}
        self.functions: dict[str, tuple[list[str], str]] = {}
        self._known: dict[str, tuple[Number, bool]] = {}
        self._t, self._timed, self._depth = number(at.t), False, 0

    def of(self, text: str, own: Mapping[str, Number] | None = None) -> Number:
        """The value of a formula; ``own`` are names that it has beside the text's."""
        local = own or {}

        def value(name: str) -> Number:
            return local[name] if name in local else self.name(name)

        return compute(text, value, self.call, FUNCTIONS, self.functions)

    def real(self, text: str, own: Mapping[str, Number] | None = None) -> float:
        """The value of a formula as a float."""
        return float(self.of(text, own))

    def moving(self, text: str, own: Mapping[str, Number] | None = None) -> tuple[float, float, float]:
        """The value of a formula, its rate and second rate in time."""
        self._timed = False
        value = self.of(text, own)
        if not self._timed:
            return float(value), 0.0, 0.0
        t, h = self._t, number(STEP)
        after, before = (self._later(text, own, t + s * h) for s in (1, -1))
        self._later(text, own, t)
        return float(value), float((after - before) / (2 * h)), float((after - 2 * value + before) / (h * h))

    def _later(self, text: str, own: Mapping[str, Number] | None, t: Number) -> Number:
        self._t = t
        self._known.clear()
        return self.of(text, own)

    def name(self, name: str, otherwise: Number | None = None) -> Number:
        """The value of a name; ``otherwise`` where the text gives it none."""
        if name == "t":
            self._timed = True
            return self._t
        if name == "pi":
            return FUNCTIONS["acos"](number(-1))
        if name not in self._known:
            outside, self._timed = self._timed, False
            found = self._find(name, otherwise)
            self._known[name], self._timed = (found, self._timed), outside
        found, timed = self._known[name]
        self._timed = self._timed or timed
        return found

    def _find(self, name: str, otherwise: Number | None) -> Number:
        if name in self.at.set:
            return number(self.at.set[name])
        if name in self.formulas:
            self._depth += 1
            if self._depth > DEEPEST:
                raise UnreadError(f"{name}, which is defined by itself or by too many others")
            found = self.of(self.formulas[name])
            self._depth -= 1
            return found
        if otherwise is not None:
            return otherwise
        if name in self.at.open:
            return number(self.at.open[name])
        raise UnreadError(f"the name {name}, which the text does not say")

    def call(self, name: str, arguments: Sequence[Number]) -> Number:
        """The value of a function, the text's own or a known one; a prime is its derivative."""
        if name.endswith("'"):
            return self._slope(name[:-1], *arguments)
        if name in self.functions:
            names, text = self.functions[name]
            if len(names) != len(arguments):
                raise UnreadError(f"{name} with {len(arguments)} arguments")
            return self.of(text, dict(zip(names, arguments, strict=True)))
        if name in FUNCTIONS:
            return FUNCTIONS[name](*arguments)
        raise UnreadError(f"the function {name}, which the text does not define")

    def _slope(self, name: str, *arguments: Number) -> Number:
        """The derivative of a function of one argument: a difference in 40 digits."""
        if len(arguments) != 1 or name.endswith("'"):
            raise UnreadError(f"the derivative {name}'")
        (x,), h = arguments, number(STEP)
        return (self.call(name, (x + h,)) - self.call(name, (x - h,))) / (2 * h)
