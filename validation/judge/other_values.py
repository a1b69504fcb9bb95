"""Compare two models at other values of the parameters that both name.

If rounding, or rows written differently, leave a proof open, numbers decide. But numbers at one value of a parameter
say nothing about other values: m and m² are equal if m = 1, and a second constraint row that repeats the first if
L = 2 removes a degree of freedom if L = 3.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from fractions import Fraction

from mbconcord.model.diagnostics import MbconcordError
from mbconcord.model.expressions import ExpressionError, as_expression, evaluate
from mbconcord.model.system import System
from mbconcord.records import replace

from .evidence import Comparison, Verdict, verdict
from .pair import NAMES, name_condition
from .uncertainty import Numbers

#: Values are multiplied by these, in place of zero these stand: of each group by the first that is comparable.
FACTORS = ((Fraction(1375, 1000), Fraction(1015, 1000)), (Fraction(-7125, 10000),))
#: So many parameters are tried alone; of more all are named.
MOST_ALONE = 8

Compare = Callable[[System, System], Sequence[Comparison]]


def find_common(first: System, second: System, named: Collection[str], cost: Numbers) -> list[str]:
    """List the parameters named by the authors of both models that have the same number in both, up to rounding."""
    ours, theirs = (_numbers(system) for system in (first, second))
    return sorted(
        name for name in ours.keys() & theirs.keys() & {*named}
        if abs(ours[name] - theirs[name]) <= cost(Fraction(ours[name])) + cost(Fraction(theirs[name]))
    )  # fmt: skip


def _numbers(system: System) -> dict[str, float]:
    given = {p.name: p.value for p in system.parameters if p.value is not None and p.origin != "input"}
    return {name: evaluate([x], {})[0] for name, x in given.items() if x.constant}


def object_elsewhere(first: System, second: System, names: Sequence[str], compare: Compare) -> Iterator[Comparison]:
    """Yield an objection if the models agree only at the parameters' given values, or cannot be compared at others.

    Parameters
    ----------
    first, second : A and B
    names : names of parameters with the same value in both models
    compare : function that compares two models anew
    """
    for factors in FACTORS if names else ():
        tried = ((x, _judge(first, second, names, x, compare)) for x in factors)
        factor, found = next((pair for pair in tried if pair[1] != "not checked"), (factors[0], "not checked"))
        if found == "disagrees":
            alone = names if len(names) <= MOST_ALONE else ()
            deciding = [n for n in alone if _judge(first, second, [n], factor, compare) == found]
            yield name_condition(first, deciding[:1] or names)
            return
        if found == "not checked" and factor > 0:
            why = f"the same at the values of {', '.join(names)}; at others they are not comparable"
            yield Comparison("A", "B", NAMES, "not checked", explanation=why)
            return


def _judge(first: System, second: System, names: Sequence[str], factor: Fraction, compare: Compare) -> Verdict:
    try:
        return verdict(compare(*(_change(system, names, factor) for system in (first, second))))
    except (MbconcordError, ExpressionError):
        return "not checked"


def _change(system: System, names: Sequence[str], factor: Fraction) -> System:
    """Multiply these parameters' values by different factors, so that equal parameters become distinguishable."""
    values = _numbers(system)
    step = (abs(factor) - 1) / (len(names) + 2)
    factors = {name: factor * (1 + k * step) for k, name in enumerate(names)}
    changed = {name: as_expression(x * Fraction(values[name]) if values[name] else x) for name, x in factors.items()}
    parameters = tuple(replace(p, value=changed.get(p.name, p.value)) for p in system.parameters)
    return replace(system, parameters=parameters)
