"""The text files of UM as documents: :func:`parse` and :func:`render`, and a document as JSON values."""

from .layout import render
from .syntax import looks_like_um, parse
from .tree import Attribute, Block, Comment, Document, from_json, to_json

__all__ = [
    "Attribute",
    "Block",
    "Comment",
    "Document",
    "from_json",
    "looks_like_um",
    "parse",
    "render",
    "to_json",
]
