"""A model of PyTorch: hooks around the steps of its optimizer, and around the calls of its modules in steps that are logged.

All sums are made on the device (`torch_sums`, `torch_fused`); one copy per device and logged step brings the numbers to the host, and
nothing waits for it. Imports PyTorch only when it is called with a model of it.
"""

from __future__ import annotations

import warnings
import weakref
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import numpy as np
from numpy.typing import NDArray

from runglass.errors import BadArgument
from runglass.writer.values.arrays import type_name
from runglass.writer.watch.choice import Choice, Schedule
from runglass.writer.watch.report import BUCKETS, Numbers, stretches
from runglass.writer.watch.torch_parts import (
    Tree,
    dense,
    first_tensor,
    is_shard,
    local,
    plain_name,
    unwrapped,
)
from runglass.writer.watch.torch_sums import Sums
from runglass.writer.watch.watched import Watched

# Modules whose output says nothing that the one before did not say.
PASSING = (
    "Dropout",
    "Dropout1d",
    "Dropout2d",
    "Dropout3d",
    "AlphaDropout",
    "Identity",
    "Flatten",
    "Unflatten",
)


class TorchWatched(Watched):
    def __init__(
        self, model: Any, writer: Any, choice: Choice, schedule: Schedule, first_step: int, optimizer: Any
    ) -> None:
        import torch
        from torch.optim import optimizer as optimizers

        super().__init__(writer, choice, schedule, first_step)
        self._torch = torch
        self._model, is_compiled = unwrapped(model)
        self._root = type(self._model).__name__
        self._sees_calls = "activations" in choice.what
        if self._sees_calls and is_compiled:
            self._sees_calls = False
            warnings.warn(
                "runglass.watch does not see activations of a model that torch.compile has compiled; watch it before you compile "
                "it for a few steps, or leave them out of what=.",
                stacklevel=4,
            )
        if any(is_shard(each) for each in self._model.parameters()):
            warnings.warn(
                "runglass.watch: parameters of this model are divided among processes; the values are those of the part of this "
                "process.",
                stacklevel=4,
            )
        if optimizer is not None and not isinstance(optimizer, torch.optim.Optimizer):
            raise BadArgument(
                f"watch: optimizer must be a torch.optim.Optimizer, got {type_name(optimizer)}.",
                where="optimizer",
            )
        # The optimizer whose steps count: the one given, or the first that steps and has a parameter of this model.
        self._optimizer = None if optimizer is None else weakref.ref(optimizer)
        self._names = Numbers()
        self._sums = Sums(torch)
        self._sums_device: Any = None
        # Full name, module and parameter, of those that can be watched.
        self._parts: list[tuple[str, str, Any]] = []
        self._tree: Tree | None = None
        # From before a step of the optimizer to after it.
        self._gathered: list[Any] = []
        self._updated: list[tuple[Any, Any]] = []
        self._before: list[Any] = []
        self._copy: Any = None
        self._counts: list[Any] = []
        self._drawn: list[Any] = []
        self._hooks: list[Any] = []
        self._step_hooks = [
            optimizers.register_optimizer_step_pre_hook(self._before_step),
            optimizers.register_optimizer_step_post_hook(self._after_step),
        ]
        self._prepare()

    def remove(self) -> None:
        self._remove_hooks()
        for hook in self._step_hooks:
            hook.remove()
        self._step_hooks, self._parts, self._tree = [], [], None
        self._forget()

    # ---- hooks

    def _prepare(self) -> None:
        """Before the first call of a step: only steps that are logged have hooks in the modules."""
        self._names = Numbers()
        self._sums.take_calls()
        if not self._is_due:
            self._remove_hooks()
            return
        if self._find_parts() or (self._sees_calls and not self._hooks):
            self._remove_hooks()
            self._add_hooks()
        self._choose_sums()

    def _find_parts(self) -> bool:
        """Whether the model has other modules or parameters than before."""
        if self._tree is not None and self._tree.is_current():
            return False
        self._tree = Tree(self._model)
        self._parts = list(self._parameters())
        return True

    def _add_hooks(self) -> None:
        if not self._sees_calls:
            return
        for name, module in self._modules():
            if not any(module.children()) and type(module).__name__ not in PASSING:
                self._hooks.append(module.register_forward_hook(CallHook(self, name)))

    def _remove_hooks(self) -> None:
        for hook in self._hooks:
            hook.remove()
        self._hooks = []

    def _choose_sums(self) -> None:
        """Where the model is may change until it is trained."""
        devices = {each.device for _, _, each in self._parts}
        device = devices.pop() if len(devices) == 1 else None
        if device == self._sums_device:
            return
        self._sums, self._sums_device = Sums(self._torch), device
        if device is not None and device.type == "cuda" and self._torch.version.hip is None:
            with suppress(ImportError):
                from runglass.writer.watch.torch_fused import fused_sums

                self._sums = fused_sums(device) or self._sums

    def see_call(self, name: str, output: Any) -> None:
        torch = self._torch
        if not torch.is_grad_enabled() or torch.jit.is_tracing() or torch.compiler.is_compiling():
            return
        tensor = first_tensor(torch, output)
        if tensor is None or not tensor.is_floating_point() or not tensor.numel():
            return
        values = tensor.detach()
        self._names.calls.append((name, values.numel()))
        self._sums.add_call(values)

    def _is_ours(self, optimizer: Any) -> bool:
        if self._optimizer is None:
            ours = {id(parameter) for parameter in self._model.parameters()}
            if not any(id(each) in ours for group in optimizer.param_groups for each in group["params"]):
                return False
            self._optimizer = weakref.ref(optimizer)
        return self._optimizer() is optimizer

    def _before_step(self, optimizer: Any, args: Any, kwargs: Any) -> None:
        if self._is_due and self._step_hooks and self._is_ours(optimizer):
            try:
                with self._torch.no_grad():
                    self._gather(optimizer)
            except Exception as error:
                self._give_up(error)

    def _after_step(self, optimizer: Any, args: Any, kwargs: Any) -> None:
        if not self._step_hooks or not self._is_ours(optimizer):
            return
        try:
            if self._is_due:
                with self._torch.no_grad():
                    self._finish()
            self._end_step()
            self._prepare()
        except Exception as error:
            self._give_up(error)

    # ---- on the device

    def _gather(self, optimizer: Any) -> None:
        """Everything but the change, which is not made yet."""
        names, what = self._names, self.choice.what
        if self._find_parts():
            self._remove_hooks()
        trained = [part for part in self._parts if part[2].requires_grad and part[2].grad is not None]
        modules = [module for _, module, _ in trained]
        grads = [dense(each.grad) for _, _, each in trained]
        weights = [local(each) for _, _, each in trained]
        self._gathered, self._counts, self._drawn = [], [], []
        if {"grad_norm", "not_finite"} & what:
            norms, counts = self._sums.gradients(grads, counts="not_finite" in what)
            if "grad_norm" in what:
                names.grads = modules
                # Fused optimizers of AMP divide by the scale themselves.
                scale = getattr(optimizer, "grad_scale", None)
                self._gathered += norms if scale is None else [norm / scale for norm in norms]
            if "not_finite" in what:
                names.counts = modules
                self._counts = counts
        self._updated, self._before = [], []
        if {"param_norm", "update_ratio"} & what:
            norms, self._copy = self._sums.weights(weights, copies="update_ratio" in what)
            if "param_norm" in what:
                names.params = modules
                self._gathered += norms
            if "update_ratio" in what:
                names.updates = modules
                self._before = norms
                self._updated = [(each, each.shape) for _, _, each in trained]
        for family, tensors in (("weights", weights), ("gradients", grads)):
            if family in what:
                names.histograms += [f"{family}/{full}" for full, _, _ in trained]
                self._drawn += [part for tensor in tensors for part in self._buckets(tensor)]

    def _finish(self) -> None:
        changes: list[Any] = []
        if any(each.shape != shape for each, shape in self._updated):
            # What changed its shape has no change to speak of.
            self._names.updates, self._before = [], []
        elif self._updated:
            changes = self._sums.changes([local(each) for each, _ in self._updated], self._copy)
        calls = self._sums.take_calls()
        self._send_tensors([*self._gathered, *self._before, *changes, *self._counts, *calls, *self._drawn])
        self._forget()

    def _forget(self) -> None:
        self._sums.take_calls()
        self._copy = None
        self._updated, self._before, self._gathered, self._counts, self._drawn = [], [], [], [], []

    def _send_tensors(self, tensors: list[Any]) -> None:
        """One vector for each device, copied to the host as its stream comes to it."""
        torch = self._torch
        parts: list[tuple[list[int], Any]] = []
        for _, places in stretches(tensors, lambda tensor: tensor.device):
            pieces = [tensors[place] for place in places]
            if len({piece.dtype for piece in pieces}) > 1:
                pieces = [piece.to(torch.float64) for piece in pieces]
            if all(piece.dim() == 0 for piece in pieces):
                parts.append((places, torch.stack(pieces)))
            else:
                parts.append((places, torch.cat([piece.reshape(-1) for piece in pieces])))
        sizes = [tensor.numel() for tensor in tensors]
        fetched: list[tuple[list[int], Any]] = []
        events = []
        for places, vector in parts:
            if vector.is_cuda:
                host = torch.empty(vector.shape, dtype=vector.dtype, pin_memory=True)
                host.copy_(vector, non_blocking=True)
                event = torch.cuda.Event(blocking=True)
                event.record(torch.cuda.current_stream(vector.device))
                events.append(event)
                vector = host
            fetched.append((places, vector))

        def is_here(wait: bool) -> bool:
            if wait:
                for event in events:
                    event.synchronize()
            return all(event.query() for event in events)

        def fetch() -> NDArray[np.float64]:
            starts = np.concatenate([[0], np.cumsum(sizes)]).astype(int)
            flat = np.empty(starts[-1])
            for places, vector in fetched:
                numbers = vector.cpu().numpy()
                at = 0
                for place in places:
                    flat[starts[place] : starts[place + 1]] = numbers[at : at + sizes[place]]
                    at += sizes[place]
            return flat

        self._send(self._names, fetch, is_here)

    def _buckets(self, tensor: Any) -> list[Any]:
        """The ends of its finite numbers, and how many lie in each of equal buckets between them; without a wait."""
        torch = self._torch
        values = tensor.reshape(-1).to(torch.float32)
        is_finite = torch.isfinite(values)
        low = torch.where(is_finite, values, torch.inf).amin()
        high = torch.where(is_finite, values, -torch.inf).amax()
        width = torch.clamp((high - low) / BUCKETS, min=1e-38)
        place = torch.nan_to_num((values - low) / width, nan=0.0, posinf=0.0, neginf=0.0)
        place = place.clamp(0, BUCKETS - 1).to(torch.int64)
        counts = torch.zeros(BUCKETS, dtype=torch.float32, device=values.device)
        counts.scatter_add_(0, place, is_finite.to(torch.float32))
        return [low, high, counts]

    # ---- names

    def _modules(self) -> Iterator[tuple[str, Any]]:
        for name, module in self._model.named_modules():
            plain = plain_name(name) or self._root
            if self.choice.has_module(plain):
                yield plain, module

    def _parameters(self) -> Iterator[tuple[str, str, Any]]:
        """Trainable parameters with their names and modules; a shared one has the first of its names."""
        for name, parameter in self._model.named_parameters():
            full = plain_name(name)
            module = full.rpartition(".")[0] or self._root
            # Quantised and sparse ones have no norm that means anything, those of the device "meta" no numbers.
            is_plain = parameter.is_floating_point() and not parameter.is_sparse and not parameter.is_meta
            if is_plain and self.choice.has_module(module):
                yield full, module, parameter


class CallHook:
    """A forward hook. A copy of the model, and a file it is saved to, gets one that does nothing."""

    def __init__(self, watched: TorchWatched, name: str) -> None:
        self._watched = watched
        self._name = name

    def __call__(self, module: Any, args: Any, output: Any) -> None:
        try:
            self._watched.see_call(self._name, output)
        except Exception as error:
            self._watched._give_up(error)

    def __reduce__(self) -> tuple[Any, ...]:
        return no_hook, ()


def no_hook() -> Any:
    return see_nothing


def see_nothing(module: Any, args: Any, output: Any) -> None:
    pass


def is_torch_model(model: Any) -> bool:
    with suppress(Exception):
        return any(each.__module__ == "torch.nn.modules.module" for each in type(model).__mro__)
    return False
