"""Step programs as machine code of vectors of states, by LLVM: what the extra ``jit`` adds.

The way of a program: :mod:`.lowering` resolves its numbers and fuses its products, :mod:`.emitter` writes it as text
of LLVM over vectors of W states, :mod:`.layouts` and :mod:`.entry` bring arrays of any strides to it and back,
:mod:`.engine` makes machine code of the text, :mod:`.cache` keeps that code on disk, :mod:`.gufunc` makes a function
of NumPy of its address. :mod:`.build` goes this way.
"""
