"""The page inside a real JupyterLab: shown, found again, ended; directly and through a proxy."""

from __future__ import annotations

import re
from collections.abc import Callable

from playwright.sync_api import expect
from tests.notebook.conftest import Lab, Notebook

CELLS = (
    "%load_ext runglass",
    "%runglass --logdir logs",
    "%runglass --logdir=./logs  # again",
    "%tensorboard --logdir 'more logs'",
    "import runglass; runglass.notebook.list()",
    "runglass.notebook.stop(); runglass.notebook.stop(); runglass.notebook.list()",
)
MANY = "import runglass\nfor _ in range(8): runglass.notebook.display(height=600)"


def test_the_page_is_shown_found_again_and_ended(
    lab: Callable[..., Lab], open_notebook: Callable[[str], Notebook]
) -> None:
    notebook = open_notebook(lab(has_proxy=False).write(*CELLS))
    notebook.run(0)
    output = notebook.run(1)
    shown = notebook.runglass_page(output)
    expect(shown.get_by_role("article", name="loss", exact=True)).to_be_visible()
    source = output.locator("iframe").get_attribute("src")
    assert re.fullmatch(r"http://(localhost|127\.0\.0\.1):\d+/~[\w-]+/", source or "")

    again = notebook.run(2)
    expect(again).to_contain_text(re.compile(r"Reusing Runglass of logs on port \d+"))
    notebook.runglass_page(again)
    assert again.locator("iframe").get_attribute("src") == source

    other = notebook.run(3)
    shown = notebook.runglass_page(other)
    expect(shown.get_by_role("article", name="accuracy", exact=True)).to_be_visible()
    assert other.locator("iframe").get_attribute("src") != source

    listed = notebook.run(4)
    expect(listed).to_contain_text(re.compile(r"Runglass of logs on port .*\sRunglass of more logs on port "))
    ended = notebook.run(5)
    expect(ended).to_contain_text("Stopped Runglass of more logs")
    expect(ended).to_contain_text("Stopped Runglass of logs")
    expect(ended).to_contain_text("No Runglass server is running.")


def test_the_page_is_shown_through_a_proxy_under_a_prefix(
    lab: Callable[..., Lab], open_notebook: Callable[[str], Notebook]
) -> None:
    jupyter = lab(has_proxy=True, base_url="/user/ann/")
    notebook = open_notebook(jupyter.write(*CELLS[:2], MANY, "runglass.notebook.stop()"))
    notebook.run(0)
    output = notebook.run(1)
    shown = notebook.runglass_page(output)
    expect(shown.get_by_role("article", name="loss", exact=True)).to_be_visible()
    source = output.locator("iframe").get_attribute("src") or ""
    assert re.fullmatch(re.escape(jupyter.url) + r"proxy/\d+/~[\w-]+/", source)

    # A browser has six connections to a host, and Jupyter needs them too: pages out of sight hold none.
    many = notebook.run(2).locator("iframe")
    expect(many).to_have_count(8)
    for number in range(8):
        many.nth(number).scroll_into_view_if_needed()
        expect(many.nth(number).content_frame.locator("html")).to_have_attribute("data-ready", "true")
    expect(notebook.run(3)).to_contain_text("Stopped Runglass of logs")


def test_what_to_do_is_said_when_the_browser_does_not_reach_the_server(
    lab: Callable[..., Lab], open_notebook: Callable[[str], Notebook]
) -> None:
    notebook = open_notebook(
        lab(has_proxy=False).write(*CELLS[:2], "import runglass; runglass.notebook.stop()")
    )
    notebook.page.route(re.compile(r":\d+/~"), lambda route: route.abort())
    notebook.run(0)
    output = notebook.run(1)
    expect(output).to_contain_text("jupyter-server-proxy")
    expect(output.locator("iframe")).to_be_hidden()
    # A link to click on, not the secret to read.
    expect(output.get_by_role("link")).to_have_text(re.compile(r"^http://[\w.]+:\d+/$"))
    expect(notebook.run(2)).to_contain_text("Stopped Runglass of logs")
