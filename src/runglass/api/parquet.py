"""Parquet files need a package that Runglass does not depend on."""

from __future__ import annotations

from runglass.errors import RunglassError


class NeedsPyarrow(RunglassError):
    code = "needs_pyarrow"
    http_status = 400


def check_format(format: str) -> None:
    if format == "parquet":
        try:
            import pyarrow.parquet  # noqa: F401
        except ImportError:
            raise NeedsPyarrow(
                "Parquet files need the pyarrow package on the server: pip install pyarrow. The other formats do not.",
                where="format",
            ) from None
