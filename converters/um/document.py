"""The text files of UM as documents: :func:`parse` and :func:`render`."""

from .layout import render
from .syntax import looks_like_um, parse
from .tree import Attribute, Block, Comment, Document

__all__ = [
    "Attribute",
    "Block",
    "Comment",
    "Document",
    "looks_like_um",
    "parse",
    "render",
]
