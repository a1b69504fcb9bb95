"""The second reading, which computes a machine's numbers at one state directly from a text of MBSD, ТП, Universal
Mechanism, URDF, SDF, MJCF or OpenUSD.

Deliberately naive and independent: it imports nothing of converters, of the model, of formalisms, of kernels or of any
other room of validation. It keeps no graph, grammar or formula: it splits a text into tokens and computes every number
at once, so that a fault of a reader, or of the model's construction, shows as another number. It never guesses:
it refuses unknown content by :class:`~mbconcord.validation.witnesses.second.machine.UnreadError`.
"""
