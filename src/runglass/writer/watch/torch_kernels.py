# mypy: disable-error-code="no-untyped-def, untyped-decorator"
"""The kernels of `torch_fused`, in Triton's dialect of Python. Imported only where a model is on a CUDA device."""

from __future__ import annotations

import triton
import triton.language as tl


@triton.jit
def sum_call(values, count, sums, BLOCK: tl.constexpr):
    part = tl.program_id(0)
    total = tl.zeros((BLOCK,), tl.float32)
    squares = tl.zeros((BLOCK,), tl.float32)
    nonzero = tl.zeros((BLOCK,), tl.float32)
    for start in range(part * BLOCK, count, tl.num_programs(0) * BLOCK):
        at = start + tl.arange(0, BLOCK)
        x = tl.load(values + at, mask=at < count, other=0.0).to(tl.float32)
        total += x
        squares += x * x
        nonzero += (x != 0.0).to(tl.float32)
    to = sums + part * 3
    tl.store(to, tl.sum(total))
    tl.store(to + 1, tl.sum(squares))
    tl.store(to + 2, tl.sum(nonzero))


@triton.jit
def sum_chunks(
    addresses,
    chunks,
    sizes,
    places,
    copy,
    sums,
    KIND: tl.constexpr,
    COPIES: tl.constexpr,
    COMPARES: tl.constexpr,
    CHUNK: tl.constexpr,
    BLOCK: tl.constexpr,
):
    """One chunk of one tensor: the sum of squares, of its numbers or of the difference to the copy, and how many are not finite."""
    chunk = tl.program_id(0)
    tensor = tl.load(chunks + chunk * 2)
    first = tl.load(chunks + chunk * 2 + 1)
    values = tl.multiple_of(tl.load(addresses + tensor), 16).to(tl.pointer_type(KIND))
    size = tl.load(sizes + tensor)
    kept = copy + tl.multiple_of(tl.load(places + tensor), 16)
    squares = tl.zeros((BLOCK,), tl.float32)
    odd = tl.zeros((BLOCK,), tl.float32)
    for start in range(0, CHUNK, BLOCK):
        at = first + start + tl.arange(0, BLOCK)
        is_inside = at < size
        x = tl.load(values + at, mask=is_inside, other=0.0)
        if COPIES:
            tl.store(kept + at, x, mask=is_inside)
        x = x.to(tl.float32)
        if COMPARES:
            x -= tl.load(kept + at, mask=is_inside, other=0.0).to(tl.float32)
        squares += x * x
        # NaN and infinite numbers are those whose difference to themselves is not 0.
        odd += ((x - x) != 0.0).to(tl.float32)
    tl.store(sums + chunk * 2, tl.sum(squares))
    tl.store(sums + chunk * 2 + 1, tl.sum(odd))


@triton.jit
def add_chunks(sums, starts, totals, BLOCK: tl.constexpr):
    """All chunks of one tensor: the norm, and how many numbers are not finite."""
    tensor = tl.program_id(0)
    end = tl.load(starts + tensor + 1)
    squares = tl.zeros((BLOCK,), tl.float64)
    odd = tl.zeros((BLOCK,), tl.float64)
    for start in range(tl.load(starts + tensor), end, BLOCK):
        at = start + tl.arange(0, BLOCK)
        squares += tl.load(sums + at * 2, mask=at < end, other=0.0).to(tl.float64)
        odd += tl.load(sums + at * 2 + 1, mask=at < end, other=0.0).to(tl.float64)
    tl.store(totals + tensor, tl.sqrt(tl.sum(squares)))
    tl.store(totals + tl.num_programs(0) + tensor, tl.sum(odd))
