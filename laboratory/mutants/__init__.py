"""The mutation score: every small change of a source that is tried, and what detects it.

Its changes are those of :mod:`..faults.mutants`. A :mod:`.survey` records which lines each model of a fixed set runs,
and its results; :mod:`.attempt` runs in processes with a changed source; a :mod:`.campaign` draws changes, tests their
effect on results, and keeps outcomes in a :mod:`.record`, which :mod:`.score` counts.
"""
