"""Step programs as machine code over vectors of states, by LLVM: the extra ``jit``.

The way of a program: :mod:`.lowering` resolves its numbers and fuses its products, :mod:`.emitter` writes it as text
of LLVM over vectors of W states, :mod:`.layouts` and :mod:`.entry` bring arrays of any strides to it and back,
:mod:`.engine` makes machine code of the text, :mod:`.cache` keeps that code on disk, and :mod:`.build`
goes this way and makes a function of NumPy of the code's address.
"""
