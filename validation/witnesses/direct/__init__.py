"""The direct witness: the canonical quantities from the fields of the model alone, in plain NumPy.

All formalisms share how a joint is read, the direction of gravity, the meaning of a force law, and how a graph is
differentiated and evaluated; so they cannot test it on each other. The direct witness uses none of it: it takes the
fields of a :class:`~mbconcord.model.system.System`, evaluates formulas node by node as truncated Taylor series in
time, and multiplies poses out; motions are the series' coefficients.
"""
