"""The second reading: texts of MBSD, ТП, Universal Mechanism, URDF, SDF and MJCF straight to numbers at one state.

Deliberately naive, and alone: it imports nothing of converters, of the model, of formalisms, of kernels or of any other
room of validation. No graph, no grammar, no formula is kept: a text is taken apart by its signs and every number is
computed where it stands, so that a fault of a reader, or of what it builds a model with, shows as another number.
What it does not know it refuses by :class:`~mbconcord.validation.second.machine.UnreadError`; it never guesses.
"""
