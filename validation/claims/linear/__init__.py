"""Evidence about linearised motions: by several formalisms, by differences, in many digits, as printed."""
