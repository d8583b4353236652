"""Bit masks over the points of a line, for the layers above the seam, which do not see native code."""

from runglass.native.reduce import pack_mask

__all__ = ["pack_mask"]
