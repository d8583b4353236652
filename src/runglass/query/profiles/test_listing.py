"""Which profiles there are, from names of files alone."""

from __future__ import annotations

from runglass.query.profiles.listing import find_sessions
from runglass.store.model import Asset, Family


def sessions(*names, size=100):
    assets = [
        Asset("run", Family.PROFILE, name, size, float(number), number + 1)
        for number, name in enumerate(names)
    ]
    return {
        info.session: (info.kind, [name.rpartition("/")[2] for name in info.files], list(info.workers))
        for info in find_sessions(assets)
    }


def test_a_folder_is_a_session_of_all_hosts():
    found = sessions(
        "plugins/profile/2026_01/a.xplane.pb",
        "plugins/profile/2026_01/b.c_8080.xplane.pb",
        "plugins/profile/2026_01/a.trace.json.gz",
        "plugins/profile/2026_01/jit.hlo_proto.pb",
        "plugins/profile/2026_02/host.trace.json.gz",
        "plugins/profile/2026_02/perfetto_trace.json.gz",
        "plugins/profile/2026_03/jit.hlo_proto.pb",
    )
    assert found == {
        "2026_01": ("xplane", ["a.xplane.pb", "b.c_8080.xplane.pb"], ["a", "b.c_8080"]),
        "2026_02": ("chrome", ["host.trace.json.gz"], ["host"]),
    }


def test_a_cycle_of_torch_is_a_session_of_all_workers():
    found = sessions(
        "rank0.1000.pt.trace.json",
        "rank0.2000.pt.trace.json.gz",
        "rank1.1003.pt.trace.json",
        "rank1.2001.pt.trace.json",
        "rank2.1990.pt.trace.json",
    )
    assert found == {
        "1000": ("torch", ["rank0.1000.pt.trace.json", "rank1.1003.pt.trace.json"], ["rank0", "rank1"]),
        "2000": (
            "torch",
            ["rank0.2000.pt.trace.json.gz", "rank1.2001.pt.trace.json", "rank2.1990.pt.trace.json"],
            ["rank0", "rank1", "rank2"],
        ),
    }


def test_other_files_are_named_without_their_endings():
    found = sessions(
        "trace.json", "a.trace.json.gz", "a.xplane.pb", "memory.prof", "my_snapshot.pickle", "w.pt.trace.json"
    )
    assert {name: kind for name, (kind, _, _) in found.items()} == {
        "trace": "chrome",
        "a": "xplane",
        "memory": "pprof",
        "my_snapshot": "memory snapshot",
        "w": "torch",
    }


def test_sessions_of_one_name_stay_apart():
    found = sessions("a.xplane.pb", "a.prof")
    assert {name: kind for name, (kind, _, _) in found.items()} == {"a": "xplane", "a (2)": "pprof"}


def test_empty_files_say_so():
    (info,) = find_sessions([Asset("run", Family.PROFILE, "a.xplane.pb", 0, 1.0, 1)])
    assert info.problem == "The file is empty."
