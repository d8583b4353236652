"""How the page shows logs that are read over a network: how often they are looked at, what that takes, and what is wrong."""

from __future__ import annotations

from msgspec.structs import replace
from playwright.sync_api import expect
from tests.support.frame import status
from tests.support.page import wait_ready

from runglass.query.memory import MemorySource
from runglass.store.model import RemoteStatus


def test_the_state_of_a_store(open_page):
    source = MemorySource(locations=["s3://bucket/logs"]).add_scalars(
        "a", "train/loss", step=[0], value=[1.0]
    )
    remote = RemoteStatus(
        location="s3://bucket/logs",
        state="current",
        reason="",
        advice="",
        interval_s=30.0,
        looked_at=1.7e9,
        requests=12,
        fetched_bytes=3_100_000,
        cost_usd=0.00042,
    )
    told = [remote]
    source.list_remote = lambda: told
    page = open_page(source)
    wait_ready(page)
    expect(status(page)).to_contain_text("not live: looks every 30 s")
    page.get_by_role("button", name="About updates").click()
    panel = page.get_by_role("dialog", name="About updates")
    expect(panel).to_contain_text("s3://bucket/logs up to date")
    expect(panel).to_contain_text("12 requests, 3.1 MB, about $0.0004")

    told[:] = [
        replace(
            remote, state="lost", reason="the connection is lost", advice="Runglass tries again by itself."
        )
    ]
    source.add_scalars("c", "train/loss", step=[0], value=[1.0])
    expect(status(page)).to_contain_text("s3: connection lost")
    expect(panel).to_contain_text("the connection is lost. Runglass tries again by itself.")
    expect(page.get_by_role("checkbox", name="a", exact=True)).to_be_visible()

    told[:] = [replace(remote, interval_s=5.0)]
    source.add_scalars("d", "train/loss", step=[0], value=[1.0])
    expect(status(page)).to_contain_text("not live: looks every 5 s")
