"""Exact agreement: derivations evaluated at random points of large prime fields, where equal functions are equal.

Equations that agree there are proved identical for all states and all values of the parameters, up to a chance of error
that is computed and printed (:mod:`mbconcord.model.expressions.field`). No tolerance is needed.
"""
