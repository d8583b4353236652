"""What stores charge for reading, to estimate the cost of a session.

List prices in US dollars, standard storage in a US region, read over the internet, as published in 2025. Reading from the same
region has no transfer charge, so the estimate is an upper bound there.
"""

from __future__ import annotations

from msgspec import Struct

GB = 1e9


class Price(Struct, frozen=True):
    list_usd: float
    read_usd: float
    gb_usd: float


PRICES = {
    "s3": Price(0.005 / 1000, 0.0004 / 1000, 0.09),
    "gs": Price(0.005 / 1000, 0.0004 / 1000, 0.12),
    "az": Price(0.05 / 10_000, 0.004 / 10_000, 0.087),
}
ALIASES = {"s3a": "s3", "gcs": "gs", "abfs": "az", "abfss": "az"}


def estimate_usd(scheme: str, *, lists: int, reads: int, read_bytes: int) -> float | None:
    """None where nothing is charged by request, as far as is known."""
    price = PRICES.get(ALIASES.get(scheme, scheme))
    if price is None:
        return None
    return lists * price.list_usd + reads * price.read_usd + read_bytes / GB * price.gb_usd
