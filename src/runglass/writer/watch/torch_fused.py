"""Sums over the tensors of a PyTorch model on one CUDA device: each tensor is read once.

A training that is watched at every step would otherwise spend a fifth of its time in sums. The kernels are Triton's, which PyTorch
brings along for CUDA.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
import triton.language as tl

from runglass.writer.watch.torch_kernels import add_chunks, sum_call, sum_chunks
from runglass.writer.watch.torch_sums import Sums, call_numbers

# Programs that share one tensor of a call.
PARTS = 264
CALL_BLOCK = 8192
CALL_WARPS = 16
# Calls whose sums share one allocation.
CALLS = 64
# Numbers of a parameter that one program reads.
CHUNK = 65536
# The types that kernels read, and their names there.
KINDS = {torch.float32: tl.float32, torch.bfloat16: tl.bfloat16, torch.float16: tl.float16}
# Kernels count in 32 bits.
MAX_NUMBERS = 2**31 - PARTS * CALL_BLOCK


class FusedSums(Sums):
    def __init__(self, device: Any) -> None:
        super().__init__(torch)
        self._device = device
        self._blocks: list[Any] = []
        # Where the sums of the next calls go.
        self._free: list[Any] = []
        self._call_count = 0
        self._layouts: dict[tuple[int, ...], Layout] = {}

    # ---- calls

    def add_call(self, values: Any) -> None:
        if not self._free:
            block = torch.empty((CALLS, PARTS, 3), dtype=torch.float32, device=self._device)
            self._blocks.append(block)
            self._free = list(block.unbind()[::-1])
        sums = self._free.pop()
        self._call_count += 1
        if values.dtype in KINDS and values.device == self._device and is_dense(values):
            self._launch(
                sum_call, PARTS, values, values.numel(), sums, BLOCK=CALL_BLOCK, num_warps=CALL_WARPS
            )
            return
        total, norm, nonzero = call_numbers(torch, values)
        sums.zero_()
        sums[0] = torch.stack([total, norm * norm, nonzero]).to(self._device)

    def take_calls(self) -> list[Any]:
        blocks, count = self._blocks, self._call_count
        self._blocks, self._free, self._call_count = [], [], 0
        if not count:
            return []
        total, squares, nonzero = torch.cat(blocks)[:count].sum(1, dtype=torch.float64).unbind(1)
        return [total, squares.sqrt(), nonzero]

    # ---- parameters

    def gradients(self, tensors: Sequence[Any], *, counts: bool) -> tuple[list[Any], list[Any]]:
        if not are_alike(tensors, self._device):
            return super().gradients(tensors, counts=counts)
        norms, odd = self._sum(tensors)
        return [norms], [odd] if counts else []

    def weights(self, tensors: Sequence[Any], *, copies: bool) -> tuple[list[Any], Any]:
        if not are_alike(tensors, self._device):
            return super().weights(tensors, copies=copies)
        copy = None
        if copies:
            copy = torch.empty(self._layout(tensors).room, dtype=tensors[0].dtype, device=self._device)
        norms, _ = self._sum(tensors, copy=copy, copies=copies)
        return [norms], copy

    def changes(self, tensors: Sequence[Any], copy: Any) -> list[Any]:
        if isinstance(copy, list):
            return super().changes(tensors, copy)
        norms, _ = self._sum(tensors, copy=copy, compares=True)
        return [norms]

    def _sum(
        self, tensors: Sequence[Any], *, copy: Any = None, copies: bool = False, compares: bool = False
    ) -> Any:
        layout = self._layout(tensors)
        addresses = torch.tensor([each.data_ptr() for each in tensors], dtype=torch.int64, pin_memory=True)
        sums = torch.empty((layout.chunk_count, 2), dtype=torch.float32, device=self._device)
        totals = torch.empty((2, len(tensors)), dtype=torch.float64, device=self._device)
        self._launch(
            sum_chunks,
            layout.chunk_count,
            addresses.to(self._device, non_blocking=True),
            layout.chunks,
            layout.sizes,
            layout.places,
            sums if copy is None else copy,
            sums,
            KIND=KINDS[tensors[0].dtype],
            COPIES=copies,
            COMPARES=compares,
            CHUNK=CHUNK,
            BLOCK=4096,
            num_warps=8,
        )
        self._launch(add_chunks, len(tensors), sums, layout.starts, totals, BLOCK=128, num_warps=1)
        return totals

    def _launch(self, kernel: Any, programs: int, *arguments: Any, **constants: Any) -> None:
        if torch.cuda.current_device() == self._device.index:
            kernel[(programs,)](*arguments, **constants)
        else:
            with torch.cuda.device(self._device):
                kernel[(programs,)](*arguments, **constants)

    def _layout(self, tensors: Sequence[Any]) -> Layout:
        key = tuple(tensor.numel() for tensor in tensors)
        if key not in self._layouts:
            self._layouts = {key: Layout(key, self._device)}
        return self._layouts[key]


class Layout:
    """How tensors of these sizes are divided into chunks, and where a copy of each lies in one buffer."""

    def __init__(self, sizes: Sequence[int], device: Any) -> None:
        chunks, starts, places, room = [], [0], [], 0
        for tensor, size in enumerate(sizes):
            chunks += [(tensor, first) for first in range(0, size, CHUNK)]
            starts.append(len(chunks))
            places.append(room)
            room += -(-size // 16) * 16
        self.room = room
        self.chunk_count = len(chunks)
        self.chunks, self.starts, self.places, self.sizes = (
            torch.tensor(each, dtype=torch.int64, device=device)
            for each in (chunks, starts, places, list(sizes))
        )


def are_alike(tensors: Sequence[Any], device: Any) -> bool:
    """Whether one kernel can read them all: one type, whole 16-byte words, numbers without gaps."""
    kind = tensors[0].dtype if tensors else None
    return kind in KINDS and all(
        tensor.dtype is kind
        and tensor.get_device() == device.index
        and not tensor.data_ptr() & 15
        and tensor.numel()
        and is_dense(tensor)
        for tensor in tensors
    )


def is_dense(tensor: Any) -> bool:
    """Whether its numbers lie one after another, in whatever order."""
    return bool(
        tensor.numel() < MAX_NUMBERS
        and (
            tensor.is_contiguous()
            or (tensor.dim() == 4 and tensor.is_contiguous(memory_format=torch.channels_last))
            or (tensor.dim() == 5 and tensor.is_contiguous(memory_format=torch.channels_last_3d))
        )
    )


def fused_sums(device: Any) -> FusedSums | None:
    """None where the kernels cannot be compiled or do not run."""
    try:
        sums = FusedSums(device)
        sums.add_call(torch.ones(8, dtype=torch.float32, device=device))
        return sums if sums.take_calls()[0].item() == 8.0 else None
    except Exception:
        return None
