"""The direct witness: the canonical quantities from the fields of the model alone, in plain NumPy.

Nothing that all formalisms share (how a joint is read, the direction of gravity, the meaning of a force law, how a
graph is differentiated and evaluated) has a witness among them. None of it is used here: the fields of a
:class:`~mbconcord.model.system.System` are taken directly, formulas are evaluated node by node as truncated Taylor
series in time, poses are multiplied out, and motions are the series' coefficients.
"""
