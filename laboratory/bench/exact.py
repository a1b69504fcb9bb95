"""Exact agreement: proofs of the fixtures, detection of seeded faults, and cost."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import combinations, product

from laboratory.machines import fixture
from mbconcord.converters.registry import read
from mbconcord.fixtures import folder
from mbconcord.formalisms.interface import Formalism
from mbconcord.formalisms.registry import BUILT_IN, formalism
from mbconcord.model.derivation import QUANTITIES
from mbconcord.model.system import System
from mbconcord.testing import Fault, inject
from mbconcord.validation.judge.bounds import BoundedEquations
from mbconcord.validation.judge.evidence import Comparison
from mbconcord.validation.judge.exact.equations import ExactEquations, exact_equations
from mbconcord.validation.judge.exact.proof import in_digits
from mbconcord.validation.judge.exactness import Exactness
from mbconcord.validation.judge.states import DrawnModel, draw

from ..faults.models import subjects
from ..faults.score import by_size, faults
from .newton_euler import chain
from .row import BenchmarkRow, least

#: Models that are open trees of rigid bodies, or are taken as such.
MODELS = ("mbsd/*.mbsd", "konoplev/*.mbs.json", "native/*.mbs.json", "robots/*.mbsd", "tp/*.tp.csv", "um/*/input.dat")
#: Seconds on top of derivations and their programs.
LIMITS = {"UR5": 0.1, "Talos": 0.5}
#: Said of the only quantity that is left open: there is none where the mass matrix is singular.
SINGULAR = "singular"


def rows() -> Iterator[BenchmarkRow]:
    """Yield all rows."""
    yield from count_proofs()
    yield from count_seen_faults()
    yield from costs()


def count_proofs() -> Iterator[BenchmarkRow]:
    """Count the proved comparisons of the fixtures' open trees, and how certain they are."""
    found: list[Exactness] = []
    paths = [path for pattern in MODELS for path in sorted(folder().glob(pattern))]
    for path in paths:
        system = draw(read(path).system.open_loops(), 0, 0).system
        found += judge_pairs(exact_equations(equations(system)))
    left = [x for x in found if x.kind != "identical" and SINGULAR not in x.reason]
    note = f"of {len(found)}, in {len(paths)} models; beside accelerations of singular equations"
    yield BenchmarkRow("comparisons not proved to be identical", len(left), "", 0, note=note)
    bounds = [x.log2 for x in found if x.log2 is not None]
    yield BenchmarkRow("log2 of the chance of an error, the largest", max(bounds), "", -80)


def count_seen_faults() -> Iterator[BenchmarkRow]:
    """Count the seeded faults of every formalism that change its equations; those of joint forces do not."""
    for name in BUILT_IN:
        table = faults(name)
        missed = [fault.title for fault in table if not is_seen(fault)]
        note = f"of {len(table)}" + (f"; not: {', '.join(missed)}" if missed else "")
        yield BenchmarkRow(f"{name}: seeded faults that are proved to differ", len(table) - len(missed), "", note=note)


def is_seen(fault: Fault) -> bool:
    """Return True if the faulty formalism's equations differ from another's on one of the models."""
    known = [honest(i) for i in by_size()]
    with inject(fault) as faulty:
        return any(_differs(faulty, subjects()[i], own) for i, own in zip(by_size(), known, strict=True))


def _differs(faulty: Formalism, drawn: DrawnModel, known: Mapping[str, BoundedEquations]) -> bool:
    if faulty.obstacles(drawn.system):
        return False
    others = [name for name in known if name != faulty.name][:2]
    try:
        own = BoundedEquations(faulty.derive(drawn.system))
    except Exception:  # a fault that breaks the derivation is seen
        return True
    both = {name: known[name] for name in others} | {faulty.name: own}
    found, state = exact_equations(both), drawn.states[0]
    for name, quantity in product(others, QUANTITIES):
        x = found.compare(name, faulty.name, quantity)
        if x is not None and x.entry:
            derivations = {each: both[each].derivation for each in (name, faulty.name)}
            pair = Comparison(name, faulty.name, quantity, "agrees", state=state, entry=x.entry)
            if in_digits(derivations, pair, x).kind == "differs":
                return True
    return False


@cache
def honest(number: int) -> dict[str, BoundedEquations]:
    """Derive the equations of one of the models by every formalism that takes it."""
    return equations(subjects()[number].system)


def equations(system: System, names: Sequence[str] = tuple(BUILT_IN)) -> dict[str, BoundedEquations]:
    """Derive the equations of a system by the formalisms that take it."""
    taking = [formalism(name) for name in names if not formalism(name).obstacles(system)]
    return {f.name: BoundedEquations(f.derive(system)) for f in taking}


def judge_pairs(found: ExactEquations) -> list[Exactness]:
    """Judge every quantity of every pair."""
    pairs = combinations(found.quantities, 2)
    every = (found.compare(a, b, quantity) for a, b in pairs for quantity in QUANTITIES)
    return [x for x in every if x is not None]


def costs() -> Iterator[BenchmarkRow]:
    """Measure processor time on top of derivations and their programs: the least of five."""
    for name in ("UR5", "Panda", "chain of 30", "Talos"):
        known = equations(chain(30) if name.startswith("chain") else fixture(f"robots/{name.lower()}.mbsd"))
        found = judge_pairs(exact_equations(known))
        spent = least(lambda known=known: judge_pairs(exact_equations(known)), 5)  # type: ignore[misc]
        steps = sum(len(own.program.steps) for own in known.values())
        kinds = ", ".join(dict.fromkeys(x.kind for x in found))
        note = f"{len(known)} formalisms, {steps:,} steps, {kinds}"
        yield BenchmarkRow(f"exact check of {name}", spent, "s", LIMITS.get(name), note=note)
