"""Results of ``check`` on models of the fixtures, as values that can travel between processes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import asdict
from typing import Any

import numpy as np

from mbconcord.converters import registry as formats
from mbconcord.fixtures import folder
from mbconcord.model.evaluation import evaluate_derivation
from mbconcord.model.state import State
from mbconcord.testing import Catch, catches
from mbconcord.validation.check import check
from mbconcord.validation.judge.evidence import Evidence
from mbconcord.validation.witnesses.peers import Original

SEED = 0


def check_until_noticed(models: Iterable[str], states: int, numbers: bool = False) -> list[dict[str, Any]]:
    """Check models one after another until one disagrees in a number.

    The result has ``found``, the numerical disagreements, the largest first; ``crash``, the error raised by the check
    or a formalism; and, if nothing was found, all ``numbers`` on request.
    """
    said = []
    for model in models:
        try:
            reading = formats.read(folder() / model)
            given = None if states else [State()]
            text = Original(reading.text, reading.format, ())
            evidence = check(reading.system, model, states=states, seed=SEED, given=given, original=text)
        except Exception as problem:
            said.append(_summarize(model, [], f"{type(problem).__name__}: {problem}", {}))
            continue
        found = catches(evidence.comparisons)
        wrong = [c for c in evidence.comparisons if c.verdict == "disagrees" and c.discrepancy is None]
        crash = "; ".join(c.explanation for c in wrong)
        said.append(_summarize(model, found, crash, dict(_numbers(evidence)) if numbers and not found else {}))
        if found:
            break
    return said


def _summarize(model: str, found: list[Catch], crash: str, numbers: dict[str, list[float]]) -> dict[str, Any]:
    return {"model": model, "found": [asdict(c) for c in found], "crash": crash, "numbers": numbers}


def _numbers(evidence: Evidence) -> Iterator[tuple[str, list[float]]]:
    """Yield every quantity of every formalism at the states; uncomputable ones are left out."""
    for w in evidence.witnesses:
        with suppress(Exception):
            if w.derivation:
                quantities = evaluate_derivation(w.derivation, evidence.states).quantities
                yield from ((f"{w.name} {name}", np.ravel(values).tolist()) for name, values in quantities.items())
        with suppress(Exception):
            if w.by and evidence.system.constraints and not w.constraint_obstacles:
                motion = w.by.constrained_motion(evidence.system, evidence.states)
                if motion is not None:
                    yield f"{w.name} constrained", np.ravel(motion.acceleration).tolist()
                    yield f"{w.name} reactions", np.ravel(motion.reactions).tolist()
