"""Host names and addresses as text: which of them are loopback, and how a Host header is split. Opens no socket."""

from __future__ import annotations

from typing import TYPE_CHECKING

from runglass.errors import BadArgument

if TYPE_CHECKING:
    from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network

LOOPBACK_NAMES = frozenset({"localhost", "127.0.0.1", "::1"})
WILDCARDS = frozenset({"0.0.0.0", "::", ""})


def is_loopback(host: str) -> bool:
    if host in LOOPBACK_NAMES:
        return True
    address = parse_address(host)
    # A dual-stack socket reports an IPv4 client as ::ffff:127.0.0.1.
    address = getattr(address, "ipv4_mapped", None) or address
    return address is not None and address.is_loopback


def split_host(host: str) -> tuple[str, str]:
    """Name and port of a Host header or the authority of a URL; the port is "" where none is given."""
    name, colon, port = host.strip().lower().rpartition(":")
    if not colon or "]" in port:
        name, port = host.strip().lower(), ""
    return name.removeprefix("[").removesuffix("]").removesuffix("."), port


def parse_address(name: str) -> IPv4Address | IPv6Address | None:
    from ipaddress import ip_address

    try:
        return ip_address(name)
    except ValueError:
        return None


def parse_network(text: str) -> IPv4Network | IPv6Network:
    """An address, or a network such as 10.0.0.0/8. Raises BadArgument."""
    from ipaddress import ip_network

    try:
        return ip_network(text)
    except ValueError as error:
        raise BadArgument(
            f"The trusted proxy {text!r} is neither an address nor a network such as 10.0.0.0/8: {error}.",
            where="trusted_proxy",
        ) from None
