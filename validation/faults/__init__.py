"""Seeded physical faults: a wrong sign, frame, factor, a transposition, a dropped term, in every formalism.

Each table ``faults/tables/<formalism>.py`` lists :class:`~mbconcord.validation.faults.injection.Fault` values. They are
injected into private copies of the formalism's modules in memory; the claims must catch every one of them, and
the score stands in the report.
"""
