"""Dashboards that show assets; what the other lists hold is in server/test_app.py."""

from __future__ import annotations

import msgspec

from runglass.api.dashboard import Dashboard
from runglass.api.lists import About, make_routes
from runglass.api.route import NoParameters
from runglass.query.memory import MemorySource
from runglass.store.model import Family, Kind

ABOUT = About(version="1", window_title="", live=False, token_required=False)
DASHBOARDS = (
    Dashboard("profile", "Profile", families=(Family.PROFILE,)),
    Dashboard("graphs", "Graphs", kinds=(Kind.GRAPH,), families=(Family.GRAPH,), files=("*.hlo.pb",)),
    Dashboard("text", "Text", kinds=(Kind.TEXT,)),
)


def active(source: MemorySource) -> list[str]:
    (route,) = [each for each in make_routes(ABOUT, DASHBOARDS) if each.path == "/api/dashboards"]
    listed = msgspec.json.decode(route.handler(source, NoParameters()).body)["dashboards"]
    assert [each["families"] for each in listed] == [["profile"], ["graph"], []]
    return [each["name"] for each in listed if each["is_active"]]


def test_a_series_or_an_asset_makes_a_dashboard_active():
    source = MemorySource().add_run("a")
    assert active(source) == []
    source.add_asset("a", Family.PROFILE, "plugins/profile/s/h.xplane.pb", b"")
    assert active(source) == ["profile"]
    source.add_values("b", "g", Kind.GRAPH, step=[0], values=[b""])
    assert active(source) == ["profile", "graphs"]
    source.remove_run("b").add_asset("a", Family.GRAPH, "model.onnx", b"")
    assert active(source) == ["profile", "graphs"]
    source.remove_asset("a", "plugins/profile/s/h.xplane.pb")
    assert active(source) == ["graphs"]
    source.remove_asset("a", "model.onnx").add_asset("a", Family.PROFILE, "plugins/profile/s/h.hlo.pb", b"")
    assert active(source) == ["profile", "graphs"]
