"""A model of PyTorch: hooks around the steps of its optimizer, and around the calls of its modules in steps that are logged.

All reductions run on the device, many tensors in one kernel where PyTorch has such; one copy per device and logged step brings the
numbers to the host, and nothing waits for it. Imports PyTorch only when it is called with a model of it.
"""

from __future__ import annotations

import warnings
import weakref
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any

import numpy as np
from numpy.typing import NDArray

from runglass.errors import BadArgument
from runglass.writer.values.arrays import type_name
from runglass.writer.watch.choice import Choice, Schedule
from runglass.writer.watch.report import BUCKETS, Numbers, stretches
from runglass.writer.watch.watched import Watched

WRAPPERS = ("DistributedDataParallel", "DataParallel", "FullyShardedDataParallel")
# Parts of names that wrappers add.
WRAPPER_PARTS = ("_orig_mod", "_fsdp_wrapped_module", "_checkpoint_wrapped_module")
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
        # Of each call: the sum, the norm and how many numbers are not zero.
        self._stats: list[tuple[Any, Any, Any]] = []
        # From before a step of the optimizer to after it.
        self._gathered: list[Any] = []
        self._updated: list[Any] = []
        self._before: list[Any] = []
        self._counts: list[Any] = []
        self._drawn: list[Any] = []
        self._hooks: list[Any] = []
        self._step_hooks = [
            optimizers.register_optimizer_step_pre_hook(self._before_step),
            optimizers.register_optimizer_step_post_hook(self._after_step),
        ]
        self._prepare()

    def remove(self) -> None:
        for hook in (*self._hooks, *self._step_hooks):
            hook.remove()
        self._hooks, self._step_hooks = [], []
        self._forget()

    # ---- hooks

    def _prepare(self) -> None:
        """Before the first call of a step: only steps that are logged have hooks in the modules."""
        for hook in self._hooks:
            hook.remove()
        self._hooks, self._stats, self._names = [], [], Numbers()
        if not self._is_due or not self._sees_calls:
            return
        for name, module in self._modules():
            if not any(module.children()) and type(module).__name__ not in PASSING:
                self._hooks.append(module.register_forward_hook(CallHook(self, name)))

    def see_call(self, name: str, output: Any) -> None:
        torch = self._torch
        if not torch.is_grad_enabled() or torch.jit.is_tracing() or torch.compiler.is_compiling():
            return
        tensor = first_tensor(torch, output)
        if tensor is None or not tensor.is_floating_point() or not tensor.numel():
            return
        values = tensor.detach()
        self._names.calls.append((name, values.numel()))
        norm, kind = torch.linalg.vector_norm, norm_type(torch, values)
        self._stats.append((values.sum(dtype=kind), norm(values, dtype=kind), norm(values, 0, dtype=kind)))

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
        trained = [(full, each) for full, each in self._parameters() if each.grad is not None]
        modules = [full.rpartition(".")[0] or self._root for full, _ in trained]
        grads = [dense(each.grad) for _, each in trained]
        weights = [local(each.detach()) for _, each in trained]
        self._gathered, self._counts, self._drawn = [], [], []
        if "grad_norm" in what:
            names.grads = modules
            # Fused optimizers of AMP divide by the scale themselves.
            scale = getattr(optimizer, "grad_scale", None)
            norms = self._norms(grads)
            self._gathered += norms if scale is None else [norm / scale for norm in norms]
        before = self._norms(weights) if {"param_norm", "update_ratio"} & what else []
        if "param_norm" in what:
            names.params = modules
            self._gathered += before
        self._updated, self._before = [], []
        if "update_ratio" in what:
            names.updates = modules
            self._gathered += before
            self._updated = [each for _, each in trained]
            self._before = foreach(lambda group: self._torch._foreach_mul(group, 1.0), weights)
        if "not_finite" in what:
            names.counts = modules
            self._counts = self._not_finite(grads)
        for family, tensors in (("weights", weights), ("gradients", grads)):
            if family in what:
                names.histograms += [f"{family}/{full}" for full, _ in trained]
                self._drawn += [part for tensor in tensors for part in self._buckets(tensor)]

    def _finish(self) -> None:
        after = [local(each.detach()) for each in self._updated]
        if any(now.shape != then.shape for now, then in zip(after, self._before, strict=True)):
            # What changed its shape has no change to speak of.
            del self._gathered[len(self._gathered) - len(self._names.updates) :]
            self._names.updates, after, self._before = [], [], []
        changed = foreach(self._torch._foreach_sub, after, self._before)
        flat = [*self._gathered, *self._norms(changed), *self._counts]
        flat += [stats[which] for which in range(3) for stats in self._stats]
        self._send_tensors(flat + self._drawn)
        self._forget()

    def _forget(self) -> None:
        self._stats = []
        self._updated, self._before, self._gathered, self._counts, self._drawn = [], [], [], [], []

    def _send_tensors(self, tensors: list[Any]) -> None:
        """One vector for each device, copied to the host as its stream comes to it."""
        torch = self._torch
        parts: list[tuple[list[int], Any]] = []
        for _, places in stretches(tensors, lambda tensor: tensor.device):
            pieces = [tensors[place] for place in places]
            if len({piece.dtype for piece in pieces}) > 1:
                pieces = [piece.to(torch.float32) for piece in pieces]
            if self._drawn:
                parts.append((places, torch.cat([piece.reshape(-1) for piece in pieces])))
            else:
                parts.append((places, torch.stack(pieces)))
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

    def _norms(self, tensors: Sequence[Any]) -> list[Any]:
        torch = self._torch
        return foreach(lambda group: torch._foreach_norm(group, 2, dtype=norm_type(torch, group[0])), tensors)

    def _not_finite(self, tensors: Sequence[Any]) -> list[Any]:
        """How many numbers are NaN or infinite: x - x is 0 for all others, and the sign of NaN is 0."""
        torch = self._torch

        def count(group: list[Any]) -> Any:
            odd = torch._foreach_sub(group, group)
            torch._foreach_add_(odd, 1)
            torch._foreach_sign_(odd)
            torch._foreach_mul_(odd, -1)
            torch._foreach_add_(odd, 1)
            return torch._foreach_norm(odd, 1, dtype=norm_type(torch, group[0]))

        return foreach(count, tensors)

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

    def _parameters(self) -> Iterator[tuple[str, Any]]:
        """Trainable parameters; a shared one has the first of its names."""
        for name, parameter in self._model.named_parameters():
            full = plain_name(name)
            # A lazy module has no numbers yet; quantised and sparse ones have no norm that means anything.
            if (
                parameter.requires_grad
                and parameter.is_floating_point()
                and not parameter.is_sparse
                and not type(parameter).__name__.startswith("Uninitialized")
                and self.choice.has_module(full.rpartition(".")[0] or self._root)
            ):
                yield full, parameter


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


def unwrapped(model: Any) -> tuple[Any, bool]:
    """The model inside wrappers, and whether one of them compiles it."""
    is_compiled = False
    while True:
        is_compiled = is_compiled or getattr(model, "_compiled_call_impl", None) is not None
        inner = model.__dict__.get("_modules", {}).get("_orig_mod")
        if inner is not None:
            model, is_compiled = inner, True
        elif type(model).__name__ in WRAPPERS:
            model = model.module
        else:
            return model, is_compiled


def plain_name(name: str) -> str:
    return ".".join(part for part in name.split(".") if part not in WRAPPER_PARTS)


def is_shard(parameter: Any) -> bool:
    return type(parameter).__name__ == "FlatParameter" or hasattr(parameter, "_local_tensor")


def local(tensor: Any) -> Any:
    """The part of this process of a tensor that is divided among several."""
    return tensor.to_local() if hasattr(tensor, "to_local") else tensor


def dense(grad: Any) -> Any:
    grad = local(grad.detach())
    return grad.coalesce().values() if grad.is_sparse else grad


def first_tensor(torch: Any, output: Any) -> Any:
    if isinstance(output, torch.Tensor):
        return None if output.is_sparse or output.is_quantized else local(output)
    listed: Iterable[Any] = ()
    if isinstance(output, Mapping):
        listed = output.values()
    elif isinstance(output, list | tuple):
        listed = output
    return next((found for each in listed if (found := first_tensor(torch, each)) is not None), None)


def norm_type(torch: Any, tensor: Any) -> Any:
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


def is_torch_model(model: Any) -> bool:
    with suppress(Exception):
        return any(each.__module__ == "torch.nn.modules.module" for each in type(model).__mro__)
    return False
