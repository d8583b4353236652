"""The profile's routes, asked in-process about small traces made in code."""

from __future__ import annotations

import gzip
import json
import time

import pytest

from runglass.api.blocks import decode_blocks
from runglass.query.memory import MemorySource
from runglass.reader import open_log
from runglass.server.app import App
from runglass.server.in_process import InProcess

STEP_US = 1_000.0


def event(name, ts, dur, *, cat="cpu_op", pid=1, tid=1, **arguments):
    return {
        "ph": "X",
        "name": name,
        "cat": cat,
        "ts": ts,
        "dur": dur,
        "pid": pid,
        "tid": tid,
        "args": arguments,
    }


def trace(first_step=7, steps=3):
    """Every step: 400 µs of waiting for data, a convolution that launches a kernel, and a wait for it."""
    events = [
        {"ph": "M", "name": "process_name", "pid": 1, "args": {"name": "python"}},
        {"ph": "M", "name": "process_name", "pid": 0, "args": {"name": "python"}},
        {"ph": "M", "name": "process_labels", "pid": 0, "args": {"labels": "GPU 0"}},
        {"ph": "M", "name": "thread_name", "pid": 1, "tid": 1, "args": {"name": "main"}},
        {"ph": "M", "name": "thread_name", "pid": 0, "tid": 7, "args": {"name": "stream 7"}},
    ]
    for number in range(steps):
        at = number * STEP_US
        step = f"ProfilerStep#{first_step + number}"
        events += [
            event(step, at, STEP_US, cat="user_annotation"),
            event("train.py(12): <module>", at + 1, 990, cat="python_function"),
            event("enumerate(DataLoader)#_SingleProcess.__next__", at + 5, 400, cat="user_annotation"),
            event(
                "aten::conv2d",
                at + 500,
                200,
                **{"Input Dims": [[16, 3, 8, 8], [4, 3, 3, 3]], "Input type": ["float", "float"]},
            ),
            event("cudaLaunchKernel", at + 550, 10, cat="cuda_runtime", correlation=100 + number),
            event("cudaDeviceSynchronize", at + 710, 280, cat="cuda_runtime"),
            event(
                "implicit_convolve_sgemm", at + 600, 300, cat="kernel", pid=0, tid=7, correlation=100 + number
            ),
            {
                "ph": "i",
                "name": "[memory]",
                "cat": "cpu_instant_event",
                "ts": at + 520,
                "pid": 1,
                "tid": 1,
                "args": {
                    "Device Type": 1,
                    "Device Id": 0,
                    "Total Allocated": 1000 + number,
                    "Total Reserved": 4096,
                },
            },
        ]
    return {
        "schemaVersion": 1,
        "traceName": "a",
        "deviceProperties": [{"id": 0, "name": "NVIDIA H200", "totalGlobalMem": 1 << 37, "numSms": 132}],
        "traceEvents": events,
    }


@pytest.fixture
def app(tmp_path):
    run = tmp_path / "run"
    run.mkdir()
    data = json.dumps(trace()).encode()
    (run / "w0.1000.pt.trace.json.gz").write_bytes(gzip.compress(data))
    (run / "bad.trace.json").write_bytes(b"")
    return InProcess(App(open_log(tmp_path).source))


SESSION = {"run": "run", "session": "1000"}
END = 3_000_000_000


def ask(app, path, **body):
    got = app.post(f"/api/profile/{path}", {"session": SESSION, **body})
    assert got.status == 200, got.json
    return got


def blocks(app, path, **body):
    return decode_blocks(ask(app, path, **body).body)


def open_profile(app, session=SESSION):
    job = app.post("/api/jobs", {"work": "profile.open", "question": {"session": session}}).json["id"]
    until = time.monotonic() + 20
    while time.monotonic() < until:
        state = next(each for each in app.get("/api/jobs").json["jobs"] if each["id"] == job)
        if state["state"] in ("done", "failed"):
            break
        time.sleep(0.01)
    assert state["state"] == "done", state
    return app.get(f"/api/jobs/result?id={job}").json


def find(app, text):
    return app.post("/api/profile/match", {"session": SESSION, "q": text, "in": "names"}).json["ref"]


def test_profiles_are_listed_with_their_steps(app):
    listed = {each["session"]: each for each in app.get("/api/profile").json["sessions"]}
    assert listed.keys() == {"1000", "bad"}
    good = listed["1000"]
    assert (good["run"], good["kind"], good["workers"]) == ("run", "torch", ["w0"])
    assert (good["first_step"], good["last_step"], good["problem"]) == (7, 9, None)
    assert listed["bad"]["problem"] == "The file is empty."


def test_a_job_tells_what_is_in_a_profile(app):
    about = open_profile(app)
    assert about["events"] == 24
    assert [step["number"] for step in about["steps"]] == [7, 8, 9]
    assert (about["busy_from_ps"], about["busy_to_ps"], about["end_ps"]) == (0, END, END)
    told = [(track["thread"], track["kind"], track["place"], track["events"]) for track in about["tracks"]]
    assert told == [
        ("main", "thread", "host", 15),
        ("main", "python", "host", 3),
        ("main", "instants", "host", 3),
        ("stream 7", "stream", "device", 3),
        ("Memory", "counter", "device", 0),
        ("Queue", "counter", "device", 0),
    ]
    assert about["devices"][0]["name"] == "NVIDIA H200"
    assert about["flows"] == {"launch": 3}
    meanings = {
        (each["name"], each["meaning"], each["place"]): each["events"] for each in about["categories"]
    }
    assert meanings[("kernel", "convolution", "device")] == 3
    assert meanings[("user_annotation", "step", "host")] == 3
    assert meanings[("user_annotation", "input", "host")] == 3
    assert meanings[("cuda_runtime", "sync", "host")] == 3
    assert about["problems"] == []


def test_slices_join_what_is_thin_and_count_it(app):
    about = open_profile(app)
    tracks = [track["id"] for track in about["tracks"]]
    head, fine = blocks(app, "slices", from_ps=0, to_ps=END, width=4000, tracks=tracks)
    assert fine["count"].sum() == 24
    assert fine["count"].max() == 1
    assert "aten::conv2d" in head["labels"]
    main = fine["track"] == tracks[0]
    named = {head["labels"][label] for label in fine["label"][main].tolist() if label >= 0}
    assert "ProfilerStep#7" in named
    _, coarse = blocks(app, "slices", from_ps=0, to_ps=END, width=2, tracks=tracks, q="conv")
    assert coarse["count"].sum() == 24
    assert coarse["matches"].sum() == 6
    # A range further on: times are relative to it.
    _, later = blocks(app, "slices", from_ps=1e9, to_ps=1.5e9, width=100, tracks=tracks[:1])
    assert later["start"].min() <= 0


def test_counters_flows_and_strip(app):
    about = open_profile(app)
    allocated = next(each for each in about["counters"] if each["name"] == "Memory allocated")
    assert (allocated["unit"], allocated["min"], allocated["max"]) == ("bytes", 1000.0, 1002.0)
    _, samples = blocks(app, "counters", from_ps=0, to_ps=END, width=100, counters=[allocated["id"]])
    assert samples["last"].tolist() == [1000.0, 1001.0, 1002.0]
    tracks = [track["id"] for track in about["tracks"]]
    head, flows = blocks(app, "flows", from_ps=0, to_ps=END, width=1000, tracks=tracks)
    assert (head["count"], head["kinds"][flows["kind"][0]]) == (3, "launch")
    assert flows["to_time"][0] - flows["from_time"][0] == 50e6
    head, strip = blocks(app, "strip", width=30)
    assert head["busy"] == pytest.approx(0.3)
    device = strip["place"] == 1
    assert strip["share"][device].sum() == pytest.approx(9.0)


def test_an_event_tells_launch_kernel_stack_and_others_of_its_name(app):
    open_profile(app)
    kernel = find(app, "implicit_convolve")
    told = ask(app, "event", event=kernel["event"]).json
    assert told["launch"]["name"] == "cudaLaunchKernel"
    assert told["operation"]["name"] == "aten::conv2d"
    assert told["ahead"] == 0
    assert told["shapes"][0] == {"shape": "[16, 3, 8, 8]", "type": "float"}
    assert told["stack"] == [{"file": "train.py", "line": 12, "function": "<module>", "is_framework": False}]
    assert (told["of_name"]["count"], told["of_name"]["per_step"]) == (3, 1.0)
    assert told["of_name"]["share"] == pytest.approx(1.0)
    assert told["of_name"]["previous"] is None
    assert {"key": "correlation", "value": 100} in told["arguments"]
    conv = find(app, "aten::conv2d")
    told = ask(app, "event", event=conv["event"]).json
    assert [each["name"] for each in told["kernels"]] == ["implicit_convolve_sgemm"]
    assert [each["name"] for each in told["ancestors"]] == ["ProfilerStep#7", "train.py(12): <module>"]
    assert told["self_ps"] == 190_000_000
    step = ask(app, "step_event", event=conv["event"], direction="same name next").json["ref"]
    assert step["start_ps"] == conv["start_ps"] + 1_000_000_000
    at = ask(app, "at", track=conv["track"], depth=conv["depth"], time_ps=conv["start_ps"] + 5).json["ref"]
    assert at["event"] == conv["event"]
    assert ask(app, "at", track=conv["track"], depth=90, time_ps=0).json["ref"] is None


def test_search_and_its_matches(app):
    open_profile(app)
    head, marks = blocks(app, "search", q="conv", width=30)
    assert head["count"] == 6
    assert marks["count"].sum() == 6
    assert blocks(app, "search", q="102", **{"in": "arguments"})[0]["count"] == 2
    first = app.post("/api/profile/match", {"session": SESSION, "q": "conv"}).json
    assert (first["index"], first["count"]) == (0, 6)
    again = app.post(
        "/api/profile/match",
        {"session": SESSION, "q": "conv", "event": first["ref"]["event"], "direction": "previous"},
    ).json
    assert again["index"] == 5
    assert blocks(app, "search", q="CONV(2d|olve)", mode="pattern")[0]["count"] == 6
    _, slices = blocks(
        app, "slices", from_ps=-9.2e18, to_ps=9.2e18, width=1, tracks=[0], q="conv.d", mode="pattern"
    )
    assert slices["matches"].sum() == 3
    assert blocks(app, "search", q="9" * 400)[0]["count"] == 0
    bad = app.post("/api/profile/search", {"session": SESSION, "q": "(", "mode": "pattern"})
    assert (bad.status, bad.json["error"]["code"]) == (400, "bad_request")


def test_sums_gaps_and_path_of_a_range(app):
    open_profile(app)
    sums = ask(app, "sums", from_ps=0, to_ps=END, place="device").json
    assert [(each["label"], each["count"], each["total_ps"]) for each in sums["rows"]] == [
        ("implicit_convolve_sgemm", 3, 900_000_000)
    ]
    assert (sums["busy_ps"], sums["range_ps"]) == (900_000_000, END)
    half = ask(app, "sums", from_ps=0, to_ps=700_000_000, place="device").json
    assert half["rows"][0]["total_ps"] == 100_000_000
    text = ask(app, "sums", from_ps=0, to_ps=END, by="category", format="csv").body.decode()
    assert text.splitlines()[0] == "category,count,total_ps,self_ps,min_ps,max_ps"
    gaps = ask(app, "gaps", from_ps=0, to_ps=END).json
    # Between kernels, and before and after them as far as the steps go.
    assert (gaps["count"], gaps["total_ps"]) == (4, 2_100_000_000)
    assert gaps["total_ps"] + sums["busy_ps"] == END
    assert gaps["gaps"][0]["duration_ps"] == 700_000_000
    assert "DataLoader" in gaps["gaps"][0]["host"]["name"]
    path = ask(app, "path", from_ps=0, to_ps=END).json
    assert path["host_ps"] + path["device_ps"] + path["idle_ps"] == END
    assert path["device_ps"] == 900_000_000
    starts = [each["start_ps"] for each in path["segments"]]
    assert starts == sorted(starts)


def test_what_is_said_of_a_profile_as_a_whole(app):
    open_profile(app)
    overview = ask(app, "overview").json
    assert [step["number"] for step in overview["steps"]] == [7, 8, 9]
    for step in overview["steps"]:
        assert sum(step["parts"].values()) == step["end_ps"] - step["start_ps"]
    assert overview["device_names"] == ["NVIDIA H200"]
    kernels = ask(app, "kernels").json["rows"]
    assert [(row["name"], row["occurrences"], row["total_ps"]) for row in kernels] == [
        ("implicit_convolve_sgemm", 3, 900_000_000)
    ]
    part = ask(app, "kernels", from_ps=0, to_ps=1e9, format="csv").body.decode().splitlines()
    assert part[0].startswith("name,op,module,")
    assert len(part) == 2
    ops = {row["name"]: row for row in ask(app, "ops", place="host").json["rows"]}
    assert ops["aten::conv2d"]["occurrences"] == 3
    curves = ask(app, "memory", points=2).json["curves"]
    assert max(max(curve["allocated"]) for curve in curves) == 1002.0
    assert ask(app, "input").json["input_share"] > 0.2
    alone = ask(app, "workers").json
    assert ([row["host"] for row in alone["workers"]], alone["steps"]) == (["w0"], [7, 8, 9])
    same = app.post("/api/profile/compare", {"before": SESSION, "after": SESSION}).json
    assert same["before_ps"] == same["after_ps"]
    steps = app.post(
        "/api/profile/compare", {"before": SESSION, "after": SESSION, "before_step": 7, "after_step": 9}
    )
    assert (len(steps.json["parts"]), steps.json["gone"]) == (10, [])
    missing = app.post("/api/profile/compare", {"before": SESSION, "after": SESSION, "after_step": 6})
    assert "steps from 7 to 9" in missing.json["error"]["message"]
    findings = ask(app, "advice").json["findings"]
    assert any("input" in each["id"] or "input" in each["title"].lower() for each in findings)


def csv_of(app, path, **body):
    got = ask(app, path, format="csv", **body)
    return [line.split(",") for line in got.body.decode().splitlines()]


def test_steps_of_a_range_and_the_longest_of_many(app):
    all_steps = ask(app, "steps").json
    assert [step["number"] for step in all_steps["steps"]] == [7, 8, 9]
    assert (all_steps["step_count"], all_steps["steps_each"]) == (3, 1)
    some = ask(app, "steps", from_ps=STEP_US * 1e6, to_ps=STEP_US * 2e6).json
    assert [step["number"] for step in some["steps"]] == [8]
    few = ask(app, "steps", limit=2).json
    assert (len(few["steps"]), few["step_count"], few["steps_each"]) == (2, 3, 2)
    header, *rows = csv_of(app, "steps", limit=1)
    assert [row[header.index("number")] for row in rows] == ["7", "8", "9"]
    assert {"start_ps", "device_compute", "input", "is_outlier"} <= set(header)


def test_every_table_is_saved_as_csv(app):
    header, first, *_ = csv_of(app, "advice")
    assert first[header.index("id")] == ask(app, "advice").json["findings"][0]["id"]
    assert csv_of(app, "input", table="loaders")[1][2].startswith("enumerate(DataLoader)")
    assert [row[0] for row in csv_of(app, "input", table="stages")[1:]] == [
        "read",
        "preprocess",
        "transfer",
        "wait",
    ]
    assert csv_of(app, "workers")[0][0] == "host"
    assert csv_of(app, "workers", table="steps")[1][0] == "7"
    assert csv_of(app, "memory") == []
    both = {"before": SESSION, "after": SESSION, "format": "csv"}
    parts = app.post("/api/profile/compare", {**both, "table": "parts"}).body.decode().splitlines()
    assert parts[0] == "part,before_ps,after_ps"
    assert len(parts) == 11
    assert app.post("/api/profile/compare", both).body == b""


def test_a_file_that_was_sent(app):
    data = json.dumps(trace(first_step=40, steps=1)).encode()
    token = app.post("/api/profile/file?name=x.pt.trace.json", data).json["file"]
    about = open_profile(app, {"file": token})
    assert [step["number"] for step in about["steps"]] == [40]
    got = app.post("/api/profile/strip", {"session": {"file": "nobody"}, "width": 10})
    assert (got.status, got.json["error"]["code"]) == (404, "profile_unknown")


def test_what_is_not_there(app):
    for session, code in [
        ({"run": "run", "session": "x"}, "profile_unknown"),
        ({"run": "none", "session": "x"}, "run_unknown"),
        ({"run": "run"}, "bad_request"),
    ]:
        got = app.post("/api/profile/strip", {"session": session, "width": 10})
        assert got.json["error"]["code"] == code
    for path, body in [
        ("event", {"event": 99_999}),
        ("slices", {"from_ps": 0, "to_ps": 1, "width": 10, "tracks": [77]}),
        ("counters", {"from_ps": 0, "to_ps": 1, "width": 10, "counters": [77]}),
    ]:
        got = app.post(f"/api/profile/{path}", {"session": SESSION, **body})
        assert (got.status, got.json["error"]["code"]) == (404, "profile_unknown")


def test_a_source_without_profiles():
    assert InProcess(App(MemorySource())).get("/api/profile").json["sessions"] == []


def test_profiles_in_python(tmp_path):
    (tmp_path / "w0.1000.pt.trace.json").write_text(json.dumps(trace()))
    log = open_log(tmp_path)
    assert log.profiles(".") == ["1000"]
    profile = log.profile(".")
    kernels = profile.events(category="kernel")
    assert kernels.name.tolist() == ["implicit_convolve_sgemm"] * 3
    assert kernels.step.tolist() == [7, 8, 9]
    assert kernels.start_ps.tolist() == [600_000_000, 1_600_000_000, 2_600_000_000]
    assert profile.arguments(int(kernels.event[0]))["correlation"] == 100
    assert len(profile.events(track="main", range=(0, 500_000_000))) == 3
    assert kernels["duration_ps"].sum() == 900_000_000
    assert len(profile.events(name="nothing")) == 0
    assert profile.sums("track")[0].count > 0
    assert profile.problems == []
