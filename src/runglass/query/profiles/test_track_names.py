from __future__ import annotations

from runglass.query.profiles.model import Track
from runglass.query.profiles.track_names import name_tracks


def track(number: int, thread: str, thread_id: str, process: str = "/host:CPU", **more) -> Track:
    made = {"kind": "thread", "place": "host", "process_id": process, **more}
    return Track(id=number, process=process, thread=thread, thread_id=thread_id, **made)


def names(*threads: tuple[str, str]) -> list[str]:
    return name_tracks([track(number, *each) for number, each in enumerate(threads)])


def test_a_hash_gives_way_to_the_role_of_the_thread():
    found = names(
        ("python", "-2338362292583569955"),
        ("tf_XLAPjRtCpuClient/-8052472004597701547", "-8052472004597701547"),
        ("tf_XLAPjRtCpuClient/-9005598182646069820", "-9005598182646069820"),
        ("tf_xla-cpu-codegen/5355781022884624587", "5355781022884624587"),
        ("Host Threads/671", "671"),
    )
    assert found == [
        "python",
        "tf_XLAPjRtCpuClient 1",
        "tf_XLAPjRtCpuClient 2",
        "tf_xla-cpu-codegen",
        "Host Threads",
    ]


def test_threads_without_a_name_are_counted():
    assert names(("", "-8052472004597701547"), ("", "3474142927714788426")) == ["thread 1", "thread 2"]
    assert names(("3474142927714788426", "3474142927714788426")) == ["thread 1"]
    assert names(("", "77"), ("", "loader"), ("", "")) == ["thread 77", "loader", "thread"]


def test_names_that_say_who_they_are_stay():
    assert names(("thread 3322 (pt_autograd_0)", "3322"), ("stream 7", "7")) == ["pt_autograd_0", "stream 7"]
    # Their ids tell them apart, where they are shown.
    assert names(("worker", "1"), ("worker", "2")) == ["worker", "worker"]


def test_tracks_of_one_thread_share_its_number_and_processes_count_for_themselves():
    ids = "3474142927714788426", "-9005598182646069820"
    tracks = [
        track(0, f"pool/{ids[0]}", ids[0]),
        track(1, f"pool/{ids[1]}", ids[1]),
        track(2, f"pool/{ids[1]}", ids[1], kind="python"),
        track(3, f"pool/{ids[0]}", ids[0], process="other"),
    ]
    assert name_tracks(tracks) == ["pool 1", "pool 2", "pool 2", "pool"]
