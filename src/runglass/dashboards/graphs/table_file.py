"""The table of nodes as CSV."""

from __future__ import annotations

import io

from runglass.csv_lines import csv_writer
from runglass.query.graphs.node_table import NodeTable, to_rows


def encode_table_csv(table: NodeTable) -> bytes:
    header, rows = to_rows(table)
    file = io.StringIO()
    writer = csv_writer(file)
    writer.writerow(header)
    writer.writerows([["" if value is None else value for value in row] for row in rows])
    return file.getvalue().encode("utf-8", "replace")
