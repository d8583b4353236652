"""What each kind of notebook shows."""

from __future__ import annotations

import json
import re
import sys
from html.parser import HTMLParser
from types import ModuleType, SimpleNamespace

import pytest

from runglass.instances import Instance
from runglass.notebook.frame import frame_ancestors, frame_html, show


def make(**changed) -> Instance:
    values = {
        "version": "1",
        "start_time": 10.0,
        "pid": 5,
        "host": "localhost",
        "port": 6007,
        "path_prefix": "",
        "logdir": ["logs"],
        "key": "k",
        "token": "secret",
    }
    return Instance(**{**values, **changed})


class Parts(HTMLParser):
    """The elements of a piece of HTML with their attributes, and the script."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.script = ""
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.elements.append((tag, dict(attributes)))

    def handle_data(self, data):
        self.script += data

    @property
    def frame(self) -> dict[str, str | None]:
        return next(attributes for tag, attributes in self.elements if tag == "iframe")

    @property
    def asked(self):
        return json.loads(re.search(r"\)\((\{.*\})\);$", self.script)[1])


@pytest.fixture
def ipython(monkeypatch):
    """A fake IPython; get_ipython() returns `.shell`, and `.shown` holds what was displayed."""
    fake = SimpleNamespace(shell=SimpleNamespace(kernel=object()), shown=[])
    module, displays = ModuleType("IPython"), ModuleType("IPython.display")
    module.get_ipython = lambda: fake.shell
    displays.display = lambda data, raw: fake.shown.append(data)
    monkeypatch.setitem(sys.modules, "IPython", module)
    monkeypatch.setitem(sys.modules, "IPython.display", displays)
    return fake


@pytest.fixture
def colab(monkeypatch):
    """A fake google.colab that keeps the calls for frames."""
    calls = []
    package, module, output = (ModuleType(name) for name in ("google", "google.colab", "google.colab.output"))
    output.serve_kernel_port_as_iframe = lambda port, **more: calls.append((port, more))
    module.output = output
    for each in (package, module, output):
        monkeypatch.setitem(sys.modules, each.__name__, each)
    return calls


def test_jupyter_gets_a_frame_whose_address_the_browser_finds(ipython, capsys):
    show(make(), 640, {})
    (shown,) = ipython.shown
    parts = Parts(shown["text/html"])
    assert (parts.frame["height"], "src" in parts.frame) == ("640", False)
    assert parts.asked == {
        "id": parts.frame["id"],
        "host": "",
        "port": 6007,
        "prefix": "",
        "path": "/~secret/",
        "base": "",
        "isFramed": True,
    }
    assert shown["text/plain"] == "Runglass of logs on port 6007"
    assert capsys.readouterr().out == ""


def test_every_frame_has_its_own_id():
    assert Parts(frame_html(make(), 1, {})).frame["id"] != Parts(frame_html(make(), 1, {})).frame["id"]


@pytest.mark.parametrize("variable", ["JUPYTERHUB_SERVICE_PREFIX", "NB_PREFIX"])
def test_behind_a_hub_the_script_knows_the_prefix(variable):
    assert Parts(frame_html(make(), 800, {variable: "/user/ann/"})).asked["base"] == "/user/ann/"


@pytest.mark.parametrize(
    ("address", "base"),
    [
        ("https://x.example/proxy/{{port}}/", "/"),
        ("https://x.example/ann/code/proxy/{{port}}/", "/ann/code/"),
        ("https://{{port}}.x.example", ""),
        ("https://x.example/ports?n={{port}}", ""),
        ("", ""),
    ],
)
def test_an_editor_in_the_browser_gives_its_prefix(address, base):
    assert Parts(frame_html(make(), 800, {"VSCODE_PROXY_URI": address})).asked["base"] == base


@pytest.mark.parametrize(
    ("variable", "address", "source"),
    [
        ("RUNGLASS_PROXY_URL", "https://x.example/proxy/%PORT%/", "https://x.example/proxy/6007/p/~secret/"),
        ("TENSORBOARD_PROXY_URL", "/user/ann/proxy/%PORT%", "/user/ann/proxy/6007/p/~secret/"),
        ("RUNGLASS_PROXY_URL", 'https://x.example/"><script>', 'https://x.example/"><script>/p/~secret/'),
    ],
)
def test_the_users_own_proxy(variable, address, source):
    parts = Parts(frame_html(make(path_prefix="/p"), 800, {variable: address}))
    assert parts.frame["src"] == source
    assert [tag for tag, _ in parts.elements] == ["div", "iframe", "p"]


def test_nothing_from_outside_becomes_markup():
    evil = '</script><script>alert(1)</script>"\u2028&'
    text = frame_html(make(logdir=[evil], path_prefix="/" + evil), 800, {"NB_PREFIX": evil})
    parts = Parts(text)
    assert [tag for tag, _ in parts.elements] == ["div", "iframe", "p", "script"]
    assert parts.frame["title"] == f"Runglass: {evil}"
    assert parts.asked["base"] == evil
    assert "\u2028" not in parts.script


def test_the_script_knows_the_host_if_the_server_listens_on_one_address():
    assert Parts(frame_html(make(host="10.0.0.5"), 800, {})).asked["host"] == "10.0.0.5"
    assert Parts(frame_html(make(host="fe80::1"), 800, {})).asked["host"] == "[fe80::1]"
    assert Parts(frame_html(make(host="0.0.0.0"), 800, {})).asked["host"] == ""


def test_a_server_from_a_terminal_is_not_in_a_frame():
    assert Parts(frame_html(make(key=""), 800, {})).asked["isFramed"] is False


def test_colab_shows_the_port_itself(ipython, colab):
    show(make(), 640, {})
    assert colab == [(6007, {"path": "/~secret/", "height": "640"})]
    assert ipython.shown == []


def test_a_terminal_gets_the_address(ipython, capsys):
    ipython.shell = SimpleNamespace()
    show(make(), 640, {})
    ipython.shell = None
    show(make(token=""), 640, {})
    assert capsys.readouterr().out.splitlines() == [
        "Runglass at http://localhost:6007/?token=secret",
        "Runglass at http://localhost:6007/",
    ]
    assert ipython.shown == []


def test_plain_python_gets_the_address_without_ipython(capsys, monkeypatch):
    monkeypatch.delitem(sys.modules, "IPython", raising=False)
    show(make(), 640, {})
    assert "http://localhost:6007/" in capsys.readouterr().out
    assert "IPython" not in sys.modules


def test_which_pages_may_frame_the_page():
    sources = frame_ancestors({}, ["box.example:443", "bad; script-src *"]).split(" ")
    assert sources[0] == "'self'"
    assert {"http://localhost:*", "http://127.0.0.1:*", "https://box.example:*", "vscode-webview:"} <= set(
        sources
    )
    assert not any(";" in source or source == "*" for source in sources)
    assert not any("google" in source or "vscode-cdn" in source for source in sources)
    assert "https://*.vscode-cdn.net" in frame_ancestors({"VSCODE_CWD": "/"}).split(" ")


def test_a_hub_and_colab_may_show_the_page(colab):
    environ = {"JUPYTERHUB_PUBLIC_URL": "https://hub.example/user/ann/", "JUPYTERHUB_HOST": "https://x'; *"}
    sources = frame_ancestors(environ).split(" ")
    assert {"https://hub.example", "https://*.google.com"} <= set(sources)
    assert not any("'" in source for source in sources[1:])
