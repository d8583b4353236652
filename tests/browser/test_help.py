import re

from playwright.sync_api import expect

from runglass.query.memory import MemorySource


def test_the_guide_is_searched_without_a_network(open_page):
    page = open_page(MemorySource().add_scalars("train", "loss", step=[0], value=[1.0]))
    page.goto(page.url.partition("#")[0].partition("?")[0] + "help/")
    page.keyboard.press("/")
    page.get_by_label("Search the guide").fill("memory_budget")
    expect(page.get_by_role("status")).to_contain_text("found")
    found = page.get_by_role("list", name="Found").get_by_role("link")
    expect(found.filter(has_text="Command line: Loading")).to_be_visible()
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(r"/help/.*#"))
    page.get_by_label("Search the guide").fill("xyzzy plugh")
    expect(page.get_by_role("status")).to_have_text("Nothing found")
