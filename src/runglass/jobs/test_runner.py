"""Jobs from question to result: computed once, in order, within limits, paused, cancelled, and failing clearly.

Where code and test must wait for each other they do so through files, because half of the code is in other processes.
"""

from __future__ import annotations

import json
import logging
import sys
import threading

import pytest
from tests.support.waiting import until

from runglass.errors import BadRequest, JobNotDone, JobUnknown, WorkUnknown
from runglass.jobs import test_works as works
from runglass.jobs.cache import ResultCache
from runglass.jobs.context import Encoded
from runglass.jobs.runner import Limits, Runner
from runglass.jobs.test_works import Question, make, note, noted
from runglass.jobs.work import JobState

PATIENCE_S = 30.0
EVERYWHERE = pytest.mark.parametrize("runs_in", ["thread", "process"])


def is_idle(runner):
    with runner._changed:
        return not runner._active and not runner._queue


@pytest.fixture
def run():
    """Makes runners, and ends them: afterwards no thread and no process is left."""
    made = []
    others = set(threading.enumerate())

    def start(*works, source="content", cache=None, **limits):
        made.append(Runner(source, works, limits=Limits(**limits), cache=cache))
        return made[-1]

    yield start
    for runner in made:
        runner.close(wait_s=PATIENCE_S)
    left = [
        each for each in threading.enumerate() if each.name.startswith("runglass-job") and each not in others
    ]
    assert left == []


@pytest.fixture
def question(tmp_path):
    return Question(folder=str(tmp_path))


def ended(job):
    assert job.wait(PATIENCE_S)
    return job.state


@EVERYWHERE
def test_a_question_gets_its_result(run, question, runs_in):
    runner = run(make(works.add_up, runs_in=runs_in))
    job = runner.ask("add_up", question)
    assert ended(job) is JobState.DONE
    assert runner.read_result(job.id) == Encoded(b'{"total":3}', is_json=True)
    first, partials = job.read_partials()
    assert (first, [json.loads(each.data)["total"] for each in partials]) == (0, [0, 1, 3])
    assert job.read_partials(2)[1] == partials[2:]
    told = job.snapshot()
    assert (told.phase, told.total, told.partials, told.error) == ("adding", 3, 3, None)


@EVERYWHERE
def test_slow_loading_delays_no_partial_and_no_cancel(run, question, runs_in):
    runner = run(make(works.add_up, runs_in=runs_in, load=works.load_slowly))
    job = runner.ask("add_up", question)
    until(lambda: job.snapshot().partials == 1)
    assert job.state is JobState.RUNNING
    runner.cancel(job.id)
    until(lambda: is_idle(runner))
    again = runner.ask("add_up", question)
    until(lambda: again.snapshot().partials == 1)
    note(question, "go")
    assert ended(again) is JobState.DONE
    assert [json.loads(each.data)["total"] for each in again.read_partials()[1]] == [0, 1, 3]


@EVERYWHERE
def test_the_last_progress_is_told_however_soon_it_comes(run, question, runs_in):
    runner = run(make(works.progress_at_once, runs_in=runs_in))
    heard = set()
    job = runner.ask("progress_at_once", question)
    job.listen(lambda: heard.add(job._done))
    until(lambda: 3 in heard)
    note(question, "go")
    assert ended(job) is JobState.DONE


@EVERYWHERE
def test_bytes_arrive_as_they_are(run, runs_in):
    runner = run(make(works.send_bytes, runs_in=runs_in))
    job = runner.ask("send_bytes", Question(steps=5, size_bytes=300_000))
    assert ended(job) is JobState.DONE
    assert runner.read_result(job.id) == Encoded(b"\x00\xffend", is_json=False)
    assert [each.data for each in job.read_partials()[1]] == [bytes([step]) * 300_000 for step in range(5)]


@EVERYWHERE
def test_a_job_goes_on_from_another(run, tmp_path, runs_in):
    """From its result, from what a cancelled one had, and not from one that nobody knows."""
    runner = run(
        make(works.send_bytes),
        make(works.add_up, load=works.load_slowly, holds_partials="latest"),
        make(works.join, load=works.load_needed, needs=works.name_job, runs_in=runs_in),
    )
    done = runner.ask("send_bytes", Question())
    assert ended(done) is JobState.DONE
    assert ended(job := runner.ask("join", Question(folder=done.id))) is JobState.DONE
    assert runner.read_result(job.id).data == b"\x00\xffend"

    stopped = runner.ask("add_up", Question(folder=str(tmp_path)))
    until(lambda: stopped.snapshot().partials == 1)
    runner.cancel(stopped.id)
    assert ended(job := runner.ask("join", Question(folder=stopped.id))) is JobState.DONE
    assert runner.read_result(job.id).data == b'{"total":0}'

    assert ended(job := runner.ask("join", Question(folder="0" * 32))) is JobState.FAILED
    assert job.snapshot().error.code == "job_unknown"


@EVERYWHERE
def test_the_newest_partial_is_all_that_is_held_where_the_work_says_so(run, runs_in):
    runner = run(make(works.send_bytes, runs_in=runs_in, holds_partials="latest"))
    job = runner.ask("send_bytes", Question(steps=5, size_bytes=10))
    ended(job)
    assert job.read_partials() == (4, [Encoded(b"\x04" * 10, is_json=False)])
    assert job.snapshot().partials == 5


@EVERYWHERE
def test_asked_twice_it_is_computed_once(run, question, runs_in):
    runner = run(make(works.wait_for_go, runs_in=runs_in))
    asked = []
    threads = [
        threading.Thread(target=lambda: asked.append(runner.ask("wait_for_go", question))) for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len({id(job) for job in asked}) == 1
    note(question, "go")
    assert ended(asked[0]) is JobState.DONE
    # Later, it is still known.
    assert runner.ask("wait_for_go", Question(folder=question.folder)) is asked[0]
    assert noted(question.folder, "started") == 1


def test_other_content_is_another_job(run, question):
    work = make(works.add_up, identify=lambda source, question: source[0])
    source = [1]
    runner = run(work, source=source)
    first = runner.ask("add_up", question)
    source[0] = 2
    second = runner.ask("add_up", question)
    assert (ended(first), ended(second), first.id == second.id) == (JobState.DONE, JobState.DONE, False)
    assert noted(question.folder, "started") == 2


def test_results_outlive_their_jobs(run, question):
    runner = run(make(works.add_up), ended_s=0.0)
    job = runner.ask("add_up", question)
    ended(job)
    until(lambda: not runner.list_jobs(), "the job to be forgotten")
    assert runner.read_result(job.id).data == b'{"total":3}'
    again = runner.ask("add_up", question)
    assert (again.id, again.state, again is job) == (job.id, JobState.DONE, False)
    assert noted(question.folder, "started") == 1


def test_another_server_finds_results_on_disk(run, question, tmp_path):
    folder = tmp_path / "cache"
    kept, unkept = make(works.add_up, on_disk=True), make(works.add_up, name="unkept")
    for turn in (1, 2):
        runner = run(kept, unkept, cache=ResultCache(folder))
        for name in ("add_up", "unkept"):
            assert ended(runner.ask(name, question)) is JobState.DONE
        # `put` comes after the news of the end.
        runner.close(wait_s=PATIENCE_S)
        assert noted(question.folder, "started") == 1 + turn


@EVERYWHERE
def test_a_failed_or_cancelled_job_is_begun_anew(run, question, runs_in):
    runner = run(make(works.wait_for_go, runs_in=runs_in))
    job = runner.ask("wait_for_go", question)
    until(lambda: noted(question.folder, "started") == 1)
    runner.cancel(job.id)
    note(question, "go")
    again = runner.ask("wait_for_go", question)
    assert again is not job
    assert (ended(job), ended(again)) == (JobState.CANCELLED, JobState.DONE)


@EVERYWHERE
@pytest.mark.parametrize("name", ["step_by_step", "watch_flag", "wait_for_go"])
def test_cancel_ends_it(run, question, runs_in, name):
    runner = run(make(getattr(works, name), runs_in=runs_in))
    job = runner.ask(name, question)
    until(lambda: noted(question.folder, "started"))
    assert runner.cancel(job.id).state is JobState.CANCELLED
    until(lambda: is_idle(runner), "the code to end")
    with pytest.raises(JobNotDone, match="cancelled"):
        runner.read_result(job.id)
    if name == "watch_flag":
        assert noted(question.folder, "ended") == 1


def test_a_process_that_sees_it_is_used_again_and_one_that_does_not_is_killed(run, question, tmp_path):
    runner = run(
        make(works.watch_flag, runs_in="process"), make(works.ignore_everything, runs_in="process"), jobs=1
    )
    pids = []
    for turn, name in enumerate(("watch_flag", "ignore_everything", "watch_flag")):
        folder = tmp_path / str(turn)
        folder.mkdir()
        job = runner.ask(name, Question(folder=str(folder)))
        until(lambda folder=folder: noted(folder, "started"))
        (active,) = runner._active.values()
        pids.append(active.worker.pid)
        runner.cancel(job.id)
        until(lambda: is_idle(runner), f"{name} to end")
    assert pids[0] == pids[1] != pids[2]


def test_a_job_that_waits_is_cancelled_before_it_ran(run, question):
    runner = run(make(works.wait_for_go), make(works.add_up), jobs=1)
    runner.ask("wait_for_go", question)
    second = runner.ask("add_up", question)
    assert second.state is JobState.WAITING
    runner.cancel(second.id)
    note(question, "go")
    until(lambda: is_idle(runner))
    assert second.state is JobState.CANCELLED
    assert noted(question.folder, "started") == 1


def test_so_many_run_at_once_and_the_others_in_order(run, tmp_path):
    runner = run(make(works.wait_for_go), jobs=2)
    questions = []
    for number in range(5):
        folder = tmp_path / str(number)
        folder.mkdir()
        questions.append(Question(folder=str(folder)))
    jobs = [runner.ask("wait_for_go", question) for question in questions]
    for number in range(5):
        states = ["done"] * number + ["running", "running", "waiting", "waiting", "waiting"]
        until(lambda states=states: [job.state for job in jobs] == states[:5])
        note(questions[number], "go")
    assert [ended(job) for job in jobs] == ["done"] * 5


def test_memory_that_is_declared_is_not_exceeded(run, tmp_path):
    def needs(source, question):
        return question.size_bytes

    runner = run(make(works.wait_for_go, memory_bytes=needs), jobs=10, memory_bytes=100)
    questions = []
    for number, size_bytes in enumerate((60, 60, 40)):
        folder = tmp_path / str(number)
        folder.mkdir()
        questions.append(Question(folder=str(folder), size_bytes=size_bytes))
    jobs = [runner.ask("wait_for_go", question) for question in questions]
    # The third would fit, and waits its turn.
    assert [job.state for job in jobs] == ["running", "waiting", "waiting"]
    note(questions[0], "go")
    until(lambda: [job.state for job in jobs] == ["done", "running", "running"])
    for question in questions:
        note(question, "go")
    assert [ended(job) for job in jobs] == ["done"] * 3
    too_large = runner.ask("wait_for_go", Question(folder=str(tmp_path), size_bytes=101))
    assert ended(too_large) is JobState.FAILED
    assert too_large.snapshot().error.code == "job_memory"


@EVERYWHERE
def test_pause_lets_others_run(run, question, tmp_path, runs_in):
    runner = run(make(works.wait_for_go, runs_in=runs_in, can_pause=True), make(works.add_up), jobs=1)
    job = runner.ask("wait_for_go", question)
    until(lambda: noted(question.folder, "started"))
    assert runner.pause(job.id).state is JobState.PAUSED
    steps = noted(question.folder, "step")
    assert ended(runner.ask("add_up", question)) is JobState.DONE
    assert job.state is JobState.PAUSED
    # It was perhaps in the middle of one.
    assert noted(question.folder, "step") <= steps + 1
    runner.resume(job.id)
    note(question, "go")
    assert ended(job) is JobState.DONE


@EVERYWHERE
def test_a_paused_job_is_cancelled(run, question, runs_in):
    runner = run(make(works.step_by_step, runs_in=runs_in, can_pause=True))
    job = runner.ask("step_by_step", question)
    until(lambda: noted(question.folder, "step"))
    runner.pause(job.id)
    runner.cancel(job.id)
    until(lambda: is_idle(runner))
    assert job.state is JobState.CANCELLED


def test_what_cannot_be_paused_says_so(run, question):
    runner = run(make(works.wait_for_go))
    job = runner.ask("wait_for_go", question)
    with pytest.raises(BadRequest, match="cannot be paused"):
        runner.pause(job.id)


def test_nobody_listening_ends_it(run, question):
    runner = run(make(works.step_by_step), unwatched_s=0.2)
    heard = runner.ask("step_by_step", question)
    leave = heard.listen(lambda: None)
    unheard = runner.ask("step_by_step", Question(folder=question.folder, salt=1))
    assert ended(unheard) is JobState.CANCELLED
    assert heard.state is JobState.RUNNING
    leave()
    assert ended(heard) is JobState.CANCELLED


def test_leaving_ends_it_unless_others_listen(run, question):
    runner = run(make(works.wait_for_go))
    job = runner.ask("wait_for_go", question)
    leave = job.listen(lambda: None)
    runner.leave(job)
    assert job.state is JobState.RUNNING
    leave()
    runner.leave(job)
    assert job.state is JobState.CANCELLED


def test_listeners_hear_of_every_partial_and_of_the_end(run, question):
    runner = run(make(works.wait_for_go), make(works.add_up), jobs=1)
    runner.ask("wait_for_go", question)
    job = runner.ask("add_up", question)
    heard = []
    job.listen(lambda: heard.append((job._version, job._state)))
    note(question, "go")
    ended(job)
    assert [version for version, _ in heard] == list(range(1, len(heard) + 1))
    assert heard[0][1] == "running"
    assert heard[-1][1] == "done"
    assert len(heard) >= 2 + 3


# --- code that misbehaves


@EVERYWHERE
@pytest.mark.parametrize("name", ["fail", "leave"])
def test_code_that_raises(run, question, runs_in, name, caplog):
    runner = run(make(getattr(works, name), runs_in=runs_in))
    with caplog.at_level(logging.ERROR, "runglass"):
        job = runner.ask(name, question)
        assert ended(job) is JobState.FAILED
    error = job.snapshot().error
    assert (error.code, "secret" in error.message) == ("internal", False)
    assert error.where in error.message
    assert error.where in caplog.text
    assert ("ZeroDivisionError: a secret" if name == "fail" else "SystemExit: 3") in caplog.text


@EVERYWHERE
def test_errors_for_users_reach_them(run, question, runs_in):
    runner = run(make(works.refuse, runs_in=runs_in))
    job = runner.ask("refuse", question)
    assert ended(job) is JobState.FAILED
    error = job.snapshot().error
    assert (error.code, error.message, error.where, error.http_status) == (
        "bad_request",
        "The question makes no sense.",
        "steps",
        400,
    )


@EVERYWHERE
def test_loading_that_fails(run, question, runs_in, caplog):
    runner = run(make(works.add_up, runs_in=runs_in, load=works.load_badly))
    job = runner.ask("add_up", question)
    assert ended(job) is JobState.FAILED
    assert "the disk is gone" in caplog.text


def test_code_that_hangs_in_a_process(run, question):
    work = make(works.ignore_everything, runs_in="process", stall_s=0.5, advice="Try a simpler one.")
    runner = run(work)
    job = runner.ask("ignore_everything", question)
    assert ended(job) is JobState.FAILED
    error = job.snapshot().error
    assert (error.code, error.message) == (
        "job_stalled",
        "A test made no progress for 0.5 s, so it was stopped. Try a simpler one.",
    )
    until(lambda: is_idle(runner), "the process to be killed")


def test_code_that_hangs_in_a_thread_keeps_nobody_waiting_for_ever(run, question, caplog):
    runner = run(make(works.wait_for_go), make(works.watch_flag, stall_s=0.2), jobs=1, abandon_s=0.2)
    gate = threading.Event()

    def hang(context, inputs):
        gate.wait(PATIENCE_S)

    runner.works["hang"] = make(hang, stall_s=0.2)
    stuck = runner.ask("hang", question)
    after = runner.ask("wait_for_go", question)
    note(question, "go")
    assert ended(stuck) is JobState.FAILED
    assert stuck.snapshot().error.code == "job_stalled"
    assert ended(after) is JobState.DONE
    assert "does not stop" in caplog.text
    gate.set()
    until(lambda: is_idle(runner))
    assert stuck.state is JobState.FAILED


@pytest.mark.skipif(sys.platform != "linux", reason="the limit on allocations is Linux's")
def test_code_that_allocates_without_bound(run, question):
    runner = run(make(works.take_memory, runs_in="process", memory_bytes=64 * 2**20, advice="Ask for less."))
    job = runner.ask("take_memory", question)
    assert ended(job) is JobState.FAILED
    error = job.snapshot().error
    assert (error.code, "more than the 64 MiB" in error.message) == ("job_memory", True)
    assert error.message.endswith("Ask for less.")


def test_memory_that_no_limit_on_allocations_sees(run, question):
    runner = run(make(works.take_memory_slowly, runs_in="process", memory_bytes=64 * 2**20))
    job = runner.ask("take_memory_slowly", question)
    assert ended(job) is JobState.FAILED
    assert job.snapshot().error.code == "job_memory"
    until(lambda: is_idle(runner))


@pytest.mark.parametrize(("name", "how"), [("die", "status 7"), ("be_killed", "SIGSEGV")])
def test_code_that_kills_its_process(run, question, name, how):
    runner = run(make(getattr(works, name), runs_in="process"), make(works.add_up, runs_in="process"))
    other = runner.ask("add_up", question)
    job = runner.ask(name, question)
    assert ended(job) is JobState.FAILED
    error = job.snapshot().error
    assert error.code == "job_process_died"
    assert how in error.message
    assert ended(other) is JobState.DONE
    assert ended(runner.ask("add_up", Question(folder=question.folder, salt=1))) is JobState.DONE


def test_what_code_prints_is_no_answer(run, question, capfd):
    runner = run(make(works.print_much, runs_in="process"))
    job = runner.ask("print_much", question)
    assert ended(job) is JobState.DONE
    assert capfd.readouterr().err.count("this is not a frame") == 1000


def test_partials_are_bounded(run, monkeypatch):
    monkeypatch.setattr("runglass.jobs.job.MAX_PARTIAL_BYTES", 1_000)
    for runs_in in ("thread", "process"):
        runner = run(make(works.send_bytes, runs_in=runs_in))
        job = runner.ask("send_bytes", Question(steps=5, size_bytes=300))
        assert ended(job) is JobState.FAILED
        assert job.snapshot().error.code == "job_memory"


def test_a_process_can_be_ready_before_its_job(run, question):
    runner = run(make(works.add_up, runs_in="process"), idle_s=0.2)
    runner.prepare_worker()
    (worker,) = runner._workers._free
    runner.prepare_worker()
    assert runner._workers._free == [worker]
    assert ended(runner.ask("add_up", question)) is JobState.DONE
    until(lambda: is_idle(runner))
    # Unused, it ends by itself.
    until(lambda: not worker.is_alive)
    assert runner._workers._free == []


def test_a_process_that_cannot_be_started(run, question, monkeypatch):
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    runner = run(make(works.add_up, runs_in="process"))
    job = runner.ask("add_up", question)
    assert ended(job) is JobState.FAILED
    assert (job.snapshot().error.code, "No such file" in job.snapshot().error.message) == (
        "job_process_died",
        True,
    )


def test_names_that_are_unknown(run, question):
    runner = run(make(works.add_up))
    with pytest.raises(WorkUnknown, match="add_up"):
        runner.ask("nothing", question)
    for ask in (runner.find, runner.cancel, runner.read_result, runner.pause, runner.resume):
        with pytest.raises(JobUnknown):
            ask("0" * 32)


def test_a_closed_runner_runs_nothing(run, question):
    runner = run(make(works.step_by_step), make(works.add_up))
    job = runner.ask("step_by_step", question)
    until(lambda: noted(question.folder, "step"))
    runner.close(wait_s=PATIENCE_S)
    assert job.state is JobState.CANCELLED
    assert runner.ask("add_up", question).state is JobState.CANCELLED
