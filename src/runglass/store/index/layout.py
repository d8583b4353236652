"""How a pack is laid out: one file with the columns of many event files, tables that say what is where, and a footer.

    header   which format this is
    columns  of one series after the other, each beginning at a multiple of 8; behind many points their pyramid
    tables   see TABLES
    footer   where the tables are, with a checksum of each, and one of itself

Nothing in it is changed once it has its name.
"""

from __future__ import annotations

import struct
import sys

import numpy as np

# The number changes with anything below. Packs with another one are not read.
VERSION = 2
MAGIC = f"runglass index {VERSION} {sys.byteorder}\n".encode().ljust(32, b"\0")
SUFFIX = f".{VERSION}.pack"
ALIGNED_BYTES = 8
# First bytes of an event file, and last bytes of what was read of it.
EDGE_BYTES = 64

FILE = np.dtype(
    [
        ("path", "i4"),
        # Identity.
        ("device", "u8"),
        ("inode", "u8"),
        ("size", "i8"),
        ("modified_ns", "i8"),
        ("changed_ns", "i8"),
        ("head_size", "i4"),
        ("last_size", "i4"),
        ("head", f"V{EDGE_BYTES}"),
        ("last", f"V{EDGE_BYTES}"),
        # How the last scan ended, by its place in STOPS.
        ("stop", "i4"),
        ("lost", "i8"),
        ("first_lost", "i8"),
        # EventScanner.state
        ("offset", "i8"),
        ("records", "i8"),
        ("skipped", "i8"),
        ("first_skipped", "i8"),
        ("first_skip", "i4"),
        ("found_checksum", "u4"),
        ("expected_checksum", "u4"),
        ("found_length", "u8"),
        ("read_errno", "i4"),
        ("session_starts", "i4"),
        ("min_start_step", "i8"),
        ("last_start_step", "i8"),
        ("min_wall_time", "f8"),
        ("max_wall_time", "f8"),
        # Rows of other tables.
        ("first_tag", "i8"),
        ("tag_count", "i8"),
        ("first_extra", "i8"),
        ("extra_count", "i8"),
        # Of its columns.
        ("column_bytes", "i8"),
    ]
)
# As native/stored.pyx has them.
TAG = np.dtype(
    [
        ("name", "i4"),
        ("meta", "i4"),
        ("points", "i4"),
        ("blobs", "i4"),
        ("first_start", "i4"),
        ("start_count", "i4"),
        ("first_field", "u1"),
        ("blob_field", "u1"),
        ("blobs_first", "u1"),
        ("unused", "V5"),
    ]
)
PART = np.dtype(
    [
        ("steps_at", "i8"),
        ("times_at", "i8"),
        ("rest_at", "i8"),
        ("count", "i8"),
        ("first_check", "i8"),
        ("max_step", "i8"),
        ("last_value", "f8"),
        ("kind", "i8"),
    ]
)
# As native/pack_rows.pyx writes it: what a summary says of the points of one part; where a step stands for "none", the count before it is 0.
SUMMARY = np.dtype(
    [
        ("first", "f8"),
        ("last", "f8"),
        ("first_step", "i8"),
        ("last_step", "i8"),
        ("last_wall_time", "f8"),
        ("has_finite", "i8"),
        ("min", "f8"),
        ("min_step", "i8"),
        ("max", "f8"),
        ("max_step", "i8"),
        ("mean", "f8"),
        ("nan_count", "i8"),
        ("nan_first_step", "i8"),
        ("pos_inf_count", "i8"),
        ("pos_inf_first_step", "i8"),
        ("neg_inf_count", "i8"),
        ("neg_inf_first_step", "i8"),
    ]
)
# Of parts with many points, in the order of the parts; as native/pack_rows.pyx writes them.
PYRAMID = np.dtype(
    [("part", "i8"), ("at", "i8"), ("size", "i8"), ("checksum", "u4"), ("unused", "V4")],
)
START = np.dtype([("points", "i8"), ("blobs", "i8"), ("step", "i8")])
EXTRA = np.dtype(
    [
        ("field", "i4"),
        ("tag", "i4"),
        ("step", "i8"),
        ("wall_time", "f8"),
        ("record", "i8"),
        ("at", "u4"),
        ("size", "u4"),
    ]
)
CHECK = np.dtype("u4")
END = np.dtype("i8")
BYTE = np.dtype("u1")

# By name, in the order of the footer. `ends` and `texts` are three lists of strings, one after the other: paths, tags, metadata.
TABLES = {
    "about": BYTE,
    "files": FILE,
    "tags": TAG,
    "parts": PART,
    "checks": CHECK,
    "starts": START,
    "extras": EXTRA,
    "path_ends": END,
    "paths": BYTE,
    "name_ends": END,
    "names": BYTE,
    "meta_ends": END,
    "metas": BYTE,
    "summaries": SUMMARY,
    "pyramids": PYRAMID,
}
# Read only when one of them is asked for, so checked then.
LATE = frozenset({"summaries", "pyramids"})

TABLE_PLACE = struct.Struct("<QQQ")
FOOTER_END = struct.Struct("<QI")
FOOTER_BYTES = len(TABLES) * TABLE_PLACE.size + FOOTER_END.size + len(MAGIC)
