"""Parameters and gradients as trees of arrays (JAX, Flax, NumPy), given at each step. Imports JAX only for arrays of JAX.

A tree is arrays in nested dicts, lists, tuples and dataclasses. The path to an array without its last part is the module.
"""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from runglass.errors import BadArgument
from runglass.writer.values.arrays import to_step, type_name
from runglass.writer.watch.choice import DEFAULT, Choice, Schedule
from runglass.writer.watch.report import Numbers, read_numbers
from runglass.writer.watch.watched import Watched

# The outermost parts of the variables of Flax, which no module is named after.
COLLECTIONS = ("params",)
ROOT = "model"


class TreeWatched(Watched):
    def __init__(self, writer: Any, choice: Choice, schedule: Schedule, first_step: int) -> None:
        super().__init__(writer, choice, schedule, first_step)
        self._reduce: Any = None

    @property
    def is_due(self) -> bool:
        """Whether the next call of step() logs; nothing else has to be computed for others."""
        return self._is_due

    def step(
        self,
        params: Any,
        grads: Any = None,
        activations: Any = None,
        *,
        updates: Any = None,
        step: Any = None,
    ) -> None:
        """After a step of the training: the parameters, and what is known of the step.

        `updates` is what the optimizer added to the parameters, as Optax returns it. `activations` is a tree of outputs, by module.
        """
        if step is not None:
            self.next_step = to_step(step)
            self._is_due = self._schedule.is_due(self.next_step)
        if self._is_due:
            self._log(*collected(self.choice, params, grads, updates, activations))
        self._end_step()

    def _log(self, names: Numbers, tensors: dict[str, list[Any]]) -> None:
        jax = sys.modules.get("jax")
        if jax is None or not any(isinstance(each, jax.Array) for some in tensors.values() for each in some):
            flat = reduced(np, tensors)
            self._send(names, lambda: np.asarray(flat, np.float64))
        else:
            if self._reduce is None:
                # Compiled once for the shapes of the model: all reductions are one program on the device.
                self._reduce = jax.jit(lambda tensors: reduced(jax.numpy, tensors))
            vector = self._reduce(tensors)
            vector.copy_to_host_async()
            self._send(
                names, lambda: np.asarray(vector, np.float64), lambda wait: wait or bool(vector.is_ready())
            )


def measure(params: Any, grads: Any = None, *, updates: Any = None) -> dict[str, float]:
    """What step() logs, by tag, for trees of NumPy arrays."""
    names, tensors = collected(Choice(DEFAULT, (), ()), params, grads, updates, None)
    return read_numbers(names, np.asarray(reduced(np, tensors), np.float64), counts_not_finite=True).scalars


def collected(
    choice: Choice, params: Any, grads: Any, updates: Any, activations: Any
) -> tuple[Numbers, dict[str, list[Any]]]:
    """Which numbers are wanted, and of which arrays."""
    weights, slopes, changes = (named_leaves(choice, tree) for tree in (params, grads, updates))
    names = Numbers()
    tensors: dict[str, list[Any]] = {"norms": [], "counts": [], "outputs": []}
    if "grad_norm" in choice.what:
        names.grads = modules(slopes)
        tensors["norms"] += slopes.values()
    if "param_norm" in choice.what:
        names.params = modules(weights)
        tensors["norms"] += weights.values()
    if "update_ratio" in choice.what and changes:
        changed = {name: change for name, change in changes.items() if name in weights}
        names.updates = modules(changed)
        tensors["norms"] += [weights[name] for name in changed]
        tensors["norms"] += changed.values()
    if "not_finite" in choice.what:
        names.counts = modules(slopes)
        tensors["counts"] += slopes.values()
    if "activations" in choice.what:
        outputs = named_leaves(choice, activations, is_module=True)
        names.calls = [(name, int(each.size)) for name, each in outputs.items()]
        tensors["outputs"] += outputs.values()
    return names, tensors


def named_leaves(choice: Choice, tree: Any, *, is_module: bool = False) -> dict[str, Any]:
    """Arrays of real numbers by their path."""
    found = {}
    for path, leaf in leaves(tree):
        parts = path[1:] if len(path) > 1 and path[0] in COLLECTIONS else path
        name = ".".join(parts).replace("/", ".") or ROOT
        if choice.has_module(name if is_module else module_of(name)):
            found[name] = leaf
    return found


def reduced(xp: Any, tensors: Mapping[str, list[Any]]) -> Any:
    """One vector: norms, counts of what is not finite, and of outputs the sums, the norms and how many are not zero."""
    wide = [
        xp.asarray(each).astype(xp.float32 if xp is not np else np.float64) for each in tensors["outputs"]
    ]
    numbers = [norm(xp, each) for each in tensors["norms"]]
    numbers += [xp.sum(~xp.isfinite(xp.asarray(each))) for each in tensors["counts"]]
    numbers += [xp.sum(each) for each in wide]
    numbers += [xp.sqrt(xp.sum(each * each)) for each in wide]
    numbers += [xp.sum(each != 0) for each in wide]
    return (
        xp.stack([each.astype(xp.float32) if xp is not np else each for each in numbers])
        if numbers
        else xp.zeros(0)
    )


def norm(xp: Any, array: Any) -> Any:
    wide = xp.asarray(array).astype(xp.float32 if xp is not np else np.float64)
    return xp.sqrt(xp.sum(wide * wide))


def leaves(tree: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    if tree is None:
        return
    if is_numbers(tree):
        yield path, tree
    elif isinstance(tree, Mapping):
        for key in tree:
            yield from leaves(tree[key], (*path, str(key)))
    elif hasattr(tree, "_fields"):
        for key in tree._fields:
            yield from leaves(getattr(tree, key), (*path, key))
    elif isinstance(tree, list | tuple):
        for place, item in enumerate(tree):
            yield from leaves(item, (*path, str(place)))
    elif dataclasses.is_dataclass(tree) and not isinstance(tree, type):
        for each in dataclasses.fields(tree):
            yield from leaves(getattr(tree, each.name), (*path, each.name))
    elif hasattr(tree, "value") and is_numbers(tree.value):
        # Variables of Flax hold their array there.
        yield path, tree.value
    elif hasattr(tree, "to_pure_dict"):
        # A State of Flax NNX.
        yield from leaves(tree.to_pure_dict(), path)


def is_numbers(value: Any) -> bool:
    kind = getattr(getattr(value, "dtype", None), "kind", "")
    # Types that JAX adds to NumPy, such as bfloat16, have the kind V.
    is_array = hasattr(value, "shape") and hasattr(value, "astype")
    return is_array and (kind == "f" or "float" in str(getattr(value, "dtype", "")))


def modules(arrays: Mapping[str, Any]) -> list[str]:
    return [module_of(name) for name in arrays]


def module_of(name: str) -> str:
    return name.rpartition(".")[0] or name


def check_tree(model: Any) -> None:
    if next(leaves(model), None) is None:
        without = " without arrays" if isinstance(model, Mapping | list | tuple) else ""
        raise BadArgument(
            f"watch cannot watch a {type_name(model)}{without}. It takes a torch.nn.Module, a Keras model, or parameters as nested dicts or "
            "lists of arrays (JAX, Flax, NumPy), which are then given to step() of what it returns.",
            where="model",
        )
