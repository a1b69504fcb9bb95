"""The direct witness: the canonical quantities from the fields of the model alone, in plain NumPy.

What all formalisms share (how a joint is read, which way gravity points, what a force law means, how a graph is
differentiated and evaluated) has no witness among them. Here nothing of it is used: the fields of a
:class:`~mbconcord.model.system.System` are taken as they stand, formulas are evaluated node by node as truncated
Taylor series in time, poses are multiplied out, and motions are the series' coefficients.
"""
