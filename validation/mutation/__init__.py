"""The mutation score: every small change of a source that is tried, and who notices it.

Its changes are those of :mod:`..faults.mutants`. A :mod:`.survey` tells which lines each model of a
fixed set runs, and what it gives; :mod:`.attempt` is done in processes that have a change; a :mod:`.campaign` draws
changes, asks of each what it does to results, keeps what it learned in a :mod:`.record`, and :mod:`.score` counts it.
"""
