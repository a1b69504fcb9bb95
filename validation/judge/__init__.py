"""Judgement: validation's own kinematics, scales and tolerances, comparisons, evidence and the referee."""
