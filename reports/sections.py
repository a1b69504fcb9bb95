"""What formalisms add to a report: a section on each model they derived, and one at the end."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from mbconcord.formalisms.interface import Formalism
from mbconcord.model.derivation import Derivation
from mbconcord.model.notation.section import Section
from mbconcord.validation.judge.evidence import Evidence


def added(evidence: Evidence) -> list[Section]:
    """What the formalisms that derived the model say of it beside its equations."""
    return [
        section
        for formalism, derivation in _authors(evidence)
        for section in _asked(formalism, lambda f=formalism, d=derivation: f.sections(d))  # type: ignore[misc]
    ]


def appendices(evidence: Evidence) -> tuple[tuple[str, tuple[Section, ...]], ...]:
    """What every formalism that derived the model says once in a report, whatever the number of models."""
    return tuple((f.name, _asked(f, f.appendix)) for f, _ in _authors(evidence))


def _authors(evidence: Evidence) -> Iterator[tuple[Formalism, Derivation]]:
    """Formalisms that derived the model, and their derivations."""
    for witness in evidence.witnesses:
        if witness.by is not None and witness.derivation is not None:
            yield witness.by, witness.derivation


def _asked(formalism: Formalism, question: Callable[[], Iterable[Section]]) -> tuple[Section, ...]:
    """The answer; a formalism that fails here says so in its place and spoils no report."""
    try:
        return tuple(question())
    except Exception as problem:
        return (Section(f"Sections of {formalism.name}", note=f"{type(problem).__name__}: {problem}"),)
