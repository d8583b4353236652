"""Numbers that are still being computed on a device: fetched without waiting for it, and read when they have arrived.

A number of torch on a GPU is copied into pinned memory by its own stream, which costs that stream a microsecond and the program no
wait, and which comes before whatever changes the tensor next. A number of JAX never changes, so it is only held. Imports no
framework: a value whose framework is not loaded is none of its values.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Sequence
from typing import Any, Generic, Protocol, TypeVar

import numpy as np

# Numbers that share a piece of pinned memory, and one event that says that they are there.
SLOTS = 64
LOCK_WAIT_S = 1.0
Label = TypeVar("Label")
Label_co = TypeVar("Label_co", covariant=True)


class Arrival(Protocol[Label_co]):
    """Something on its way, which has a number for each of its labels when it is here."""

    @property
    def is_complete(self) -> bool:
        """Whether nothing will be added to it."""
        ...

    def complete(self) -> None: ...

    def is_here(self, *, wait: bool) -> bool: ...

    def numbers(self) -> Sequence[tuple[Label_co, float]]: ...


class Batch(Generic[Label]):
    """Numbers of one type on one stream. Filled until it is full or asked for; then it is complete."""

    def __init__(self, torch: Any, dtype: Any, stream: Any) -> None:
        self._torch = torch
        self._stream = stream
        self._numbers = torch.empty(SLOTS, dtype=dtype, pin_memory=True)
        self._slots = self._numbers.unbind()
        self._event: Any = None
        self.labels: list[Label] = []

    def add(self, value: Any, label: Label) -> None:
        value = value.detach()
        self._slots[len(self.labels)].copy_(value.reshape(()) if value.ndim else value, non_blocking=True)
        self.labels.append(label)
        if len(self.labels) == SLOTS:
            self.complete()

    @property
    def is_complete(self) -> bool:
        return self._event is not None

    def complete(self) -> None:
        if self._event is None:
            # Blocking: a thread that waits for it sleeps.
            self._event = self._torch.cuda.Event(blocking=True)
            self._event.record(self._stream)

    def is_here(self, *, wait: bool) -> bool:
        if wait:
            self._event.synchronize()
        return bool(self._event.query())

    def numbers(self) -> list[tuple[Label, float]]:
        return list(zip(self.labels, map(float, self._numbers[: len(self.labels)].tolist()), strict=True))


class Held(Generic[Label]):
    """One number of JAX, which computes in the background on a CPU too."""

    is_complete = True

    def __init__(self, value: Any, label: Label) -> None:
        self._value = value
        self._label = label
        if value.platform() != "cpu":
            value.copy_to_host_async()

    def complete(self) -> None:
        pass

    def is_here(self, *, wait: bool) -> bool:
        return wait or bool(self._value.is_ready())

    def numbers(self) -> list[tuple[Label, float]]:
        return [(self._label, float(np.asarray(self._value).item()))]


class Arriving(Generic[Label]):
    """The numbers of one writer that are on their way, each with a label that says where it belongs, in the order they were added."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._waiting: list[Arrival[Label]] = []
        self._open: dict[Any, Batch[Label]] = {}

    def __bool__(self) -> bool:
        return bool(self._waiting)

    def add(self, value: Any, label: Label) -> bool:
        """False for a value that is here already, or that has to be asked for as any other."""
        if is_jax_number(value):
            with self._lock:
                self._waiting.append(Held(value, label))
            return True
        if not is_cuda_number(value):
            return False
        torch = sys.modules["torch"]
        stream = torch.cuda.current_stream(value.device)
        key = value.dtype, value.device.index, stream.cuda_stream
        with self._lock:
            batch = self._open.get(key)
            if batch is None or batch.is_complete:
                batch = self._open[key] = Batch(torch, value.dtype, stream)
                self._waiting.append(batch)
            batch.add(value, label)
        return True

    def hold(self, arrival: Arrival[Label]) -> None:
        with self._lock:
            self._waiting.append(arrival)

    def is_full(self) -> bool:
        """Whether taking is worth its while."""
        first = self._waiting[0] if self._waiting else None
        return first is not None and first.is_complete

    def take(self, *, wait: bool, use: Callable[[Label, float], None]) -> None:
        """Uses the numbers that have arrived, in order; all of them with `wait`."""
        # With a timeout: a signal handler may have interrupted the thread that holds it.
        if not self._lock.acquire(timeout=LOCK_WAIT_S):
            return
        try:
            while self._waiting:
                first = self._waiting[0]
                first.complete()
                if not first.is_here(wait=wait):
                    break
                self._waiting.pop(0)
                for label, number in first.numbers():
                    use(label, number)
        except BaseException:
            # After an error of the device no other number can be fetched.
            self._waiting.clear()
            self._open.clear()
            raise
        finally:
            self._lock.release()


def is_on_device(value: Any) -> bool:
    return is_jax_number(value) or is_cuda_number(value)


def is_cuda_number(value: Any) -> bool:
    torch = sys.modules.get("torch")
    return (
        torch is not None
        and isinstance(value, torch.Tensor)
        and type(value) in (torch.Tensor, torch.nn.Parameter)
        and value.is_cuda
        and value.numel() == 1
        and value.layout is torch.strided
        and not value.is_complex()
        and not value.is_quantized
        # What is captured runs later, and again and again.
        and not torch.cuda.is_current_stream_capturing()
    )


def is_jax_number(value: Any) -> bool:
    kind = type(value)
    return (
        kind.__name__ == "ArrayImpl"
        and kind.__module__.startswith("jaxlib")
        and value.size == 1
        and value.dtype.kind in "biuf"
        and (len(value.devices()) == 1 or value.is_fully_addressable)
    )
