"""One server and several people: marks that all share, a token that is revoked, and the list of projects."""

from __future__ import annotations

import time

import numpy as np
from playwright.sync_api import expect
from tests.support.page import card, wait_ready
from tests.support.run_table import choose_for, row, runs

from runglass.query.memory import MemorySource
from runglass.server.projects import Plan
from runglass.server.tokens import create_token, revoke_token


def test_two_pages_share_stars_notes_and_views(open_page, context, tmp_path):
    page = open_page(runs("a", "b"), shared_overlay=tmp_path / "marks.json")
    other = context.new_page()
    other.goto(page.url)
    wait_ready(other)
    row(page, "a").hover()
    page.get_by_role("button", name="Star a").click()
    expect(other.get_by_role("button", name="Star a")).to_have_attribute("aria-pressed", "true")

    # Both have the dialog open: the second one to save learns what it has replaced.
    choose_for(other, "a", "Note…")
    theirs = other.get_by_role("dialog", name="Edit run")
    choose_for(page, "a", "Note…")
    mine = page.get_by_role("dialog", name="Edit run")
    mine.get_by_label("Note").fill("diverges")
    mine.get_by_role("button", name="Save").click()
    expect(row(other, "a").get_by_role("img", name="Note: diverges")).to_be_visible()
    theirs.get_by_label("Display name").fill("the first")
    theirs.get_by_label("Note").fill("fine")
    theirs.get_by_role("button", name="Save").click()
    told = other.get_by_role("log", name="Messages")
    expect(told).to_contain_text("had changed the note of a to “diverges” meanwhile. Yours has replaced it.")
    expect(row(page, "a").get_by_role("img", name="Note: fine")).to_be_visible()
    told.get_by_role("button", name="Put theirs back").click()
    expect(row(page, "a").get_by_role("img", name="Note: diverges")).to_be_visible()
    expect(row(page, "a")).to_contain_text("the first")

    page.keyboard.press("s")
    page.get_by_role("textbox", name="View name").fill("ours")
    page.get_by_role("dialog").get_by_role("button", name="Save").click()
    other.get_by_role("button", name="Views", exact=True).click()
    expect(other.get_by_role("menuitemcheckbox", name="ours")).to_be_visible()


def test_marks_wait_in_the_browser_while_the_file_is_damaged(open_page, problems, tmp_path):
    path = tmp_path / "marks.json"
    page = open_page(runs("a"), shared_overlay=path)
    path.write_text("{")
    row(page, "a").hover()
    page.get_by_role("button", name="Star a").click()
    updates = page.get_by_role("status", name="Updates")
    expect(updates).to_contain_text("marks not saved")
    expect(page.get_by_role("button", name="Star a")).to_have_attribute("aria-pressed", "true")
    assert path.read_text() == "{"
    path.unlink()
    expect(updates).to_contain_text("live")
    assert '"isStarred"' in path.read_text()
    assert all("503" in problem for problem in problems)
    problems.clear()


def test_a_revoked_token_takes_the_data_off_the_page(page, serve, problems, tmp_path):
    tokens = tmp_path / "tokens.json"
    token = create_token(tokens, "ann")
    server = serve(runs("a", "b"), tokens=tokens, shared_overlay=tmp_path / "marks.json")
    page.goto(f"{server.url}?token={token}#/scalars")
    wait_ready(page)
    assert token not in page.url
    expect(page.get_by_text("ann", exact=True)).to_be_visible()
    row(page, "a").hover()
    page.get_by_role("button", name="Star a").click()
    expect(page.get_by_role("log", name="Messages")).to_contain_text("but not change them")
    expect(page.get_by_role("button", name="Star a")).to_have_attribute("aria-pressed", "false")
    expect(card(page, "loss")).to_be_visible()
    revoke_token(tokens, "ann")
    gone = page.get_by_role("alert")
    expect(gone).to_contain_text("You have no access any more")
    expect(gone).to_contain_text("The token “ann” was revoked.")
    expect(card(page, "loss")).to_have_count(0)
    assert page.get_by_role("treegrid").count() == 0
    assert all("403" in problem for problem in problems)
    problems.clear()


def test_a_limited_page_waits_and_goes_on(page, serve, problems):
    server = serve(runs("a"), rate_limit=1.0)
    page.goto(server.url + "#/scalars")
    wait_ready(page)
    page.evaluate("Promise.all(Array.from({ length: 12 }, () => fetch('api/status')))")
    page.get_by_role("button", name="Pause updates").click()
    page.keyboard.press("r")
    updates = page.get_by_role("status", name="Updates")
    expect(updates).to_contain_text("waiting")
    expect(updates).to_contain_text("paused")
    assert all("429" in problem for problem in problems)
    problems.clear()


def test_projects_are_listed_and_opened(page, serve):
    def plan(name: str, *, wall_time: float) -> Plan:
        source = MemorySource(locations=[f"/data/{name}"])
        for run in ("a", "b"):
            times = wall_time + np.arange(20.0)
            source.add_scalars(run, f"{name}/loss", step=range(20), value=np.ones(20), wall_time=times)
        return Plan(name, (f"/data/{name}",), lambda: (source, lambda: None))

    server = serve([plan("speech", wall_time=time.time() - 60), plan("vision", wall_time=time.time() - 9e5)])
    page.goto(server.url)
    wait_ready(page)
    speech = page.get_by_role("link", name="speech")
    expect(speech).to_contain_text("2 runs")
    expect(speech).to_contain_text("2 active")
    vision = page.get_by_role("link", name="vision")
    expect(vision).to_contain_text("newest value 10 d ago")
    expect(vision).not_to_contain_text("active")
    vision.click()
    wait_ready(page)
    assert page.url.startswith(f"{server.url}p/vision/")
    page.goto(f"{server.url}p/vision/#/scalars")
    expect(card(page, "vision/loss")).to_have_attribute("data-ready", "true")
    page.get_by_role("button", name="Project vision: open another one").click()
    page.get_by_role("menuitemcheckbox", name="speech · 2 runs").click()
    page.wait_for_url("**/p/speech/**")
    page.goto(f"{server.url}p/speech/#/scalars")
    expect(card(page, "speech/loss")).to_have_attribute("data-ready", "true")
    page.get_by_role("button", name="Project speech: open another one").click()
    page.get_by_role("menuitem", name="All projects").click()
    expect(page.get_by_role("heading", name="Projects")).to_be_visible()
