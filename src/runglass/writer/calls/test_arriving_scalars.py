"""Scalars whose numbers are still being computed, with stand-ins for arrays of JAX and tensors on a GPU."""

from __future__ import annotations

import sys
import threading
from types import ModuleType, SimpleNamespace

import numpy as np
import pytest
from tests.support.written import logged

import runglass
from runglass.errors import BadArgument
from runglass.writer.calls.summary_writer import SummaryWriter


class ArrayImpl:
    """As jaxlib's: a number that may not be there yet."""

    size = 1
    dtype = np.dtype(np.float32)

    def __init__(self, number, error=None):
        self.number, self.error = number, error
        self.here = threading.Event()

    def platform(self):
        return "gpu"

    def devices(self):
        return {"gpu:0"}

    def copy_to_host_async(self):
        pass

    def is_ready(self):
        return self.here.is_set()

    def __array__(self, dtype=None, copy=None):
        if self.error:
            raise self.error
        # What waits for it is a flush, which the test lets wait until it sets it.
        assert self.here.wait(60)
        return np.array(self.number, np.float32)


ArrayImpl.__module__ = "jaxlib._jax"


def points(directory, tag):
    return [(step, value["simple_value"]) for step, value in logged(directory) if value["tag"] == tag]


def test_the_call_does_not_wait_and_the_order_stays(tmp_path):
    writer = SummaryWriter(tmp_path)
    late = [ArrayImpl(0.5), ArrayImpl(1.5)]
    for step, value in enumerate(late):
        writer.add_scalar("loss", value, step, 5.0)
    writer.add_scalar("lr", 0.25, 0)
    writer.add_scalar("lr", 0.125, 1)
    for value in late:
        value.here.set()
    writer.add_scalar("loss", 2.5, 2)
    writer.close()
    assert points(tmp_path, "loss") == [(0, 0.5), (1, 1.5), (2, 2.5)]
    assert points(tmp_path, "lr") == [(0, 0.25), (1, 0.125)]


def test_a_flush_waits_for_what_is_on_its_way(tmp_path):
    with SummaryWriter(tmp_path) as writer:
        value = ArrayImpl(0.5)
        writer.add_scalar("loss", value, 3)
        threading.Timer(0.05, value.here.set).start()
        writer.flush()
        assert points(tmp_path, "loss") == [(3, 0.5)]


def test_an_error_of_the_device_costs_its_numbers_alone(tmp_path):
    with SummaryWriter(tmp_path) as writer:
        writer.add_scalar("loss", ArrayImpl(0.5, RuntimeError("device-side assert")), 0)
        with pytest.warns(RuntimeWarning, match="could not be fetched.*device-side assert"):
            writer.flush()
        writer.add_scalar("loss", 1.0, 1)
    assert runglass.open(tmp_path).scalars(".", "loss").step.tolist() == [1]


def test_a_wrong_step_is_refused_at_once(tmp_path):
    with SummaryWriter(tmp_path) as writer, pytest.raises(BadArgument, match="Step"):
        writer.add_scalar("loss", ArrayImpl(0.5), 0.5)


class Tensor:
    """As torch's on a GPU: a copy of it is made when its stream comes to it."""

    is_cuda, is_cpu, ndim = True, False, 0
    dtype, layout, device = "float32", "strided", SimpleNamespace(index=0)
    is_quantized = False

    def __init__(self, number):
        self.number = number

    def numel(self):
        return 1

    def is_complex(self):
        return False

    def detach(self):
        return Tensor(self.number)


class Stream:
    def __init__(self):
        self.cuda_stream = 7
        self.queued = []

    def run(self):
        while self.queued:
            self.queued.pop(0)()


@pytest.fixture
def stream(monkeypatch):
    stream = Stream()

    class Slot:
        def __init__(self, numbers, place):
            self.numbers, self.place = numbers, place

        def copy_(self, value, non_blocking):
            assert non_blocking
            stream.queued.append(lambda: self.numbers.__setitem__(self.place, value.number))

    class Pinned(list):
        def unbind(self):
            return [Slot(self, place) for place in range(len(self))]

        def __getitem__(self, place):
            found = super().__getitem__(place)
            return SimpleNamespace(tolist=lambda: found)

    class Event:
        def __init__(self, blocking):
            self.is_reached = False

        def record(self, on):
            on.queued.append(lambda: setattr(self, "is_reached", True))

        def query(self):
            return self.is_reached

        def synchronize(self):
            stream.run()

    torch = ModuleType("torch")
    torch.Tensor, torch.strided = Tensor, "strided"
    torch.nn = SimpleNamespace(Parameter=Tensor)
    torch.empty = lambda n, dtype, pin_memory: Pinned([None] * n)
    torch.cuda = SimpleNamespace(
        Event=Event, current_stream=lambda device: stream, is_current_stream_capturing=lambda: False
    )
    monkeypatch.setitem(sys.modules, "torch", torch)
    return stream


def test_numbers_on_a_gpu_are_copied_by_their_stream(tmp_path, stream):
    with SummaryWriter(tmp_path, flush_secs=1000) as writer:
        for step in range(150):
            value = Tensor(step / 2)
            writer.add_scalar("loss", value, step)
        # Nothing waited for the stream, and nothing is in the file yet.
        assert points(tmp_path, "loss") == []
        assert len(stream.queued) >= 150
        stream.run()
        writer.add_scalar("loss", Tensor(75.0), 150)
        writer.flush()
        assert points(tmp_path, "loss") == [(step, step / 2) for step in range(151)]
