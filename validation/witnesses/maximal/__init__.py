"""The maximal-coordinates witness: every body is free, and joints connect the bodies by constraint forces.

No formalism works so: there is no recursion, Jacobian of the tree, or energy. Six equations of Newton and Euler per
body and six rows per joint are solved at once. Poses come from the second reading of the text if it has one, so that
a fault of the reader, of the graph, of differentiation or of a formalism shows.
"""
