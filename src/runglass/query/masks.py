"""Bit masks over the points of a line, for layers that may not import native code."""

from runglass.native.reduce import pack_mask

__all__ = ["pack_mask"]
