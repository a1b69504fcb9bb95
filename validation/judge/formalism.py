"""A formalism as a witness: its equations derived and evaluated with bounds, its constrained motion solved twice.

Each formalism solves its equations with constraints in a way of its own. Where it gives them as expressions they are
solved here too, with bounds: these solutions are compared, and its own one with that of its equations.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import ClassVar, TypeVar

from mbconcord.formalisms.interface import Formalism
from mbconcord.model.derivation import Derivation, Obstacle
from mbconcord.model.diagnostics import Diagnostic, FormalismError, error
from mbconcord.model.evaluation import Evaluation
from mbconcord.model.expressions import RangeError
from mbconcord.model.numbers import bind_states
from mbconcord.model.system import System
from mbconcord.records import dataclass, replace

from .bounds import BoundedEquations
from .evidence import WitnessRecord
from .floats import evaluate_measured
from .uncertainty import inputs
from .witness import Answer, Question, SilentError

T = TypeVar("T")


@dataclass(frozen=True)
class FormalismWitness:
    """A formalism as a witness: of an open tree for the canonical quantities, of an assembly for its motion."""

    formalism: Formalism
    shares: ClassVar[frozenset[str]] = frozenset({
        "reader", "model", "functions", "graph", "float evaluation",
    })  # fmt: skip

    @property
    def name(self) -> str:
        """The formalism's name."""
        return self.formalism.name

    def obstacles(self, model: System) -> tuple[Obstacle, ...]:
        """Return the features of an open tree, or of a model with constraints, that the formalism does not take."""
        asked = self.formalism.constraint_obstacles if model.constraints else self.formalism.obstacles
        return asked(model)

    def answer(self, question: Question) -> Answer:
        """Return the formalism's numbers, equations, and motion with constraints if there is an assembly."""
        record, found = self.ask(question)
        if question.assembly is not None:
            record, found, _ = self.ask_motion(question, record)
        if found is None:
            said = (*record.obstacles, *record.constraint_obstacles, *record.diagnostics)
            raise SilentError("; ".join(map(str, said)))
        return found

    def ask(self, question: Question, count: bool = False, told: bool = True) -> tuple[WitnessRecord, Answer | None]:
        """Return the record of the open tree's derivation, and the numbers; None if there are none.

        Parameters
        ----------
        count : whether to count operations per quantity
        told : whether to use a formalism's own numbers at these states
        """
        by, system, form = self.formalism, question.system, self.formalism.form
        title = f"{by.title}, form {form}" if form else by.title
        record = WitnessRecord(by.name, title, by.reference, form=form, by=by)
        derived: list[Derivation] = []

        def make() -> tuple[WitnessRecord, Answer | None]:
            if obstacles := by.obstacles(system):
                return replace(record, obstacles=obstacles), None
            start = time.perf_counter()
            derived.append(_own(by.derive(system), by.name))
            derived[0].outputs()  # what is made when it is asked for is part of deriving
            made = time.perf_counter()
            equations, at = BoundedEquations(derived[0]), bind_states(system, question.states)
            numbers = evaluate_measured(equations, at, question.given or inputs(system, at))
            evaluated = time.perf_counter()
            own = by.evaluate(system, at) if told and has_numbers(by) else None
            said = (*numbers.diagnostics, *(own.diagnostics if own else ()))
            spent = replace(
                record, derivation=derived[0], operations=equations.operations() if count else {},
                seconds=made - start, evaluation_seconds=evaluated - made,
                diagnostics=tuple(dict.fromkeys(said)) if told else said,
            )  # fmt: skip
            return spent, Answer(numbers, equations, own)

        found, failure = attempt(by.name, make)
        if found is None:
            return replace(record, derivation=next(iter(derived), None), diagnostics=failure), None
        return found

    def ask_motion(
        self, question: Question, record: WitnessRecord
    ) -> tuple[WitnessRecord, Answer | None, tuple[Diagnostic, ...]]:
        """Return the record with the constrained motion, that motion or None, and the reason if there is none."""
        from .closed.motion import (
            closed_inputs,  # not before: most models have no constraints
            motion_of,  # not before: most models have no constraints
        )

        by, system, assembly = self.formalism, question.original, question.assembly
        assert assembly is not None
        obstacles = by.constraint_obstacles(system)
        if obstacles:
            return replace(record, constraint_obstacles=obstacles), None, ()

        def make() -> Answer:
            given = question.given or closed_inputs(system, assembly)
            motion = motion_of(by, system, assembly.states, given, question.room, record.derivation)
            return Answer(Evaluation(by.name, {}), motion.equations, motion=motion)

        found, failure = attempt(by.name, make)
        said = failure
        if found is not None and found.motion is not None:
            said = tuple(d for d in found.motion.own.diagnostics if d.severity == "error")
        diagnostics = tuple(dict.fromkeys((*record.diagnostics, *said)))
        return replace(record, constraint_obstacles=(), diagnostics=diagnostics), found, failure


def attempt(name: str, make: Callable[[], T]) -> tuple[T | None, tuple[Diagnostic, ...]]:
    """Return the result of ``make``, which calls a formalism; if it raises, None and a diagnostic with the reason.

    Numbers beyond the range of floats are the model's fault: a warning; any other error speaks against the formalism.
    """
    try:
        return make(), ()
    except RangeError as problem:
        return None, (Diagnostic("warning", name, str(problem)),)
    except Exception as problem:
        return None, (error(name, f"{type(problem).__name__}: {problem}"),)


def _own(derivation: Derivation, name: str) -> Derivation:
    """Return a derivation; raise :class:`FormalismError` where another formalism made it."""
    if derivation.formalism != name:
        message = f"it derives as {derivation.formalism!r}"
        raise FormalismError(error(name, message, f"give Derivation(formalism={name!r}, …)"))
    return derivation


def has_numbers(formalism: Formalism) -> bool:
    """Return whether a formalism computes numbers without its equations."""
    return type(formalism).evaluate is not Formalism.evaluate
