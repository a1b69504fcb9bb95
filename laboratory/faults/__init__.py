"""Seeded faults: a wrong sign, frame, factor, a transposition, a dropped term, in every formalism and its foundation.

A table of :mod:`.tables` lists the :class:`~mbconcord.testing.Fault` values of a formalism. They are injected into
private copies of its modules in memory; the claims must catch every one of them, and the report shows the score. The
common foundation of all formalisms cannot be replaced in a running process: its faults are tried in separate processes
(:mod:`laboratory.runner`), where ``check`` must notice them. :mod:`.mutants` makes random ones.
"""
