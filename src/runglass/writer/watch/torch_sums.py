"""Sums over the tensors of a PyTorch model, on whatever devices they are; many tensors in one kernel where PyTorch has such.

`torch_fused` has the same for one CUDA device, with each tensor read once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from runglass.writer.watch.report import stretches


class Sums:
    """Each answer is a list of tensors whose numbers, one after another, are those of the tensors that were given."""

    def __init__(self, torch: Any) -> None:
        self._torch = torch
        # Of each call: the sum, the norm and how many numbers are not zero.
        self._calls: list[tuple[Any, Any, Any]] = []

    def add_call(self, values: Any) -> None:
        self._calls.append(call_numbers(self._torch, values))

    def take_calls(self) -> list[Any]:
        """The sums of all calls, then their norms, then how many numbers are not zero."""
        calls, self._calls = self._calls, []
        return [numbers[which] for which in range(3) for numbers in calls]

    def gradients(self, tensors: Sequence[Any], *, counts: bool) -> tuple[list[Any], list[Any]]:
        """Norms, and how many numbers are NaN or infinite."""
        return self._norms(tensors), self._not_finite(tensors) if counts else []

    def weights(self, tensors: Sequence[Any], *, copies: bool) -> tuple[list[Any], Any]:
        """Norms, and a copy for `changes`."""
        kept = foreach(lambda group: self._torch._foreach_mul(group, 1.0), tensors) if copies else None
        return self._norms(tensors), kept

    def changes(self, tensors: Sequence[Any], copy: Any) -> list[Any]:
        """Norms of the difference to the copy."""
        return self._norms(foreach(self._torch._foreach_sub, tensors, copy))

    def _norms(self, tensors: Sequence[Any]) -> list[Any]:
        torch = self._torch
        return foreach(lambda group: torch._foreach_norm(group, 2, dtype=sum_type(torch, group[0])), tensors)

    def _not_finite(self, tensors: Sequence[Any]) -> list[Any]:
        """x - x is 0 for all numbers that are finite, and the sign of NaN is 0."""
        torch = self._torch

        def count(group: list[Any]) -> Any:
            odd = torch._foreach_sub(group, group)
            torch._foreach_add_(odd, 1)
            torch._foreach_sign_(odd)
            torch._foreach_mul_(odd, -1)
            torch._foreach_add_(odd, 1)
            return torch._foreach_norm(odd, 1, dtype=sum_type(torch, group[0]))

        return foreach(count, tensors)


def call_numbers(torch: Any, values: Any) -> tuple[Any, Any, Any]:
    norm, kind = torch.linalg.vector_norm, sum_type(torch, values)
    return values.sum(dtype=kind), norm(values, dtype=kind), norm(values, 0, dtype=kind)


def sum_type(torch: Any, tensor: Any) -> Any:
    """float16 and bfloat16 hold neither large norms nor many digits."""
    return torch.float64 if tensor.dtype == torch.float64 else torch.float32


def foreach(work: Callable[..., Sequence[Any]], *lists: Sequence[Any]) -> list[Any]:
    """`work` on groups of tensors that can share kernels; what it returns for each, in order."""
    found: list[Any] = [None] * len(lists[0])
    for _, places in stretches(lists[0], lambda tensor: (tensor.device, tensor.dtype)):
        results = work(*([tensors[place] for place in places] for tensors in lists))
        for place, result in zip(places, results, strict=True):
            found[place] = result
    return found
