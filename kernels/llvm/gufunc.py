"""A generalised ufunc of NumPy over an address: broadcasting, strides, casts, ``out=``, and the GIL released.

``PyUFunc_FromFuncAndDataAndSignature`` of NumPy's table of C functions is called through ctypes, so nothing is
compiled when this program is installed. NumPy keeps pointers into the arrays that are made here: they, and the
machine code, must outlive the function (:class:`Gufunc` holds them).
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from functools import cache
from importlib import import_module
from typing import Any, Final

import numpy as np

#: Place of the function in NumPy's table; it is part of NumPy's binary interface.
_FROM_FUNCTION: Final = 31
_NONE: Final = -1  # PyUFunc_None: no identity


def _table() -> Any:
    """The module that holds NumPy's tables: below ``numpy.core`` until NumPy 2."""
    try:
        return import_module("numpy._core._multiarray_umath")
    except ModuleNotFoundError:
        return import_module("numpy.core._multiarray_umath")


@cache
def _maker() -> Any:
    table = _table()
    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    functions = ctypes.cast(pointer(table._UFUNC_API, None), ctypes.POINTER(ctypes.c_void_p))
    text, whole, address = ctypes.c_char_p, ctypes.c_int, ctypes.c_void_p
    kind = ctypes.PYFUNCTYPE(
        ctypes.py_object, address, address, address, whole, whole, whole, whole, text, text, whole, text
    )
    return kind(functions[_FROM_FUNCTION])


def signature(inputs: Sequence[int], outputs: Sequence[int]) -> str:
    """Such as ``(6),(6),()->(36)``; 0: one number without an axis."""
    sides = (",".join(f"({n})" if n else "()" for n in side) for side in (inputs, outputs))
    return "->".join(sides)


class Gufunc:
    """A ufunc and what it stands on.

    Parameters
    ----------
    code : what has the address
    inputs, outputs : lengths of the operands' axes; 0: without an axis
    dtype : of all operands
    """

    def __init__(
        self, code: Any, address: int, inputs: Sequence[int], outputs: Sequence[int], dtype: Any, name: str
    ) -> None:
        count = len(inputs) + len(outputs)
        self._code = code
        self._functions = (ctypes.c_void_p * 1)(address)
        self._data = (ctypes.c_void_p * 1)(None)
        self._types = (ctypes.c_char * count)(*[np.dtype(dtype).num] * count)
        self._texts = [text.encode() for text in (name, "", signature(inputs, outputs))]
        self.call = _maker()(
            ctypes.addressof(self._functions), ctypes.addressof(self._data), ctypes.addressof(self._types),
            1, len(inputs), len(outputs), _NONE, self._texts[0], self._texts[1], 0, self._texts[2],
        )  # fmt: skip
