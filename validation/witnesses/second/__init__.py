"""The second reading: texts of MBSD, ТП, Universal Mechanism, URDF, SDF, MJCF and OpenUSD straight to numbers at one
state.

Deliberately naive and independent: it imports nothing of converters, of the model, of formalisms, of kernels or of any
other room of validation. No graph, no grammar, no formula is kept: a text is split by its signs and every number is
computed in place, so that a fault of a reader, or of the model's construction, shows as another number. It never
guesses: unknown content is refused by :class:`~mbconcord.validation.witnesses.second.machine.UnreadError`.
"""
