"""Seeded faults: a wrong sign, frame, factor, a transposition, a dropped term, in every formalism and below them all.

A table of :mod:`.tables` lists the :class:`~mbconcord.validation.faults.injection.Fault` values of a formalism. They
are injected into private copies of its modules in memory; the claims must catch every one of them, and the score
stands in the report. What all formalisms are built on cannot be replaced in a running process: its faults are tried
in processes of their own (:mod:`.processes`), where ``check`` must notice them. :mod:`.mutants` makes random ones.
"""
