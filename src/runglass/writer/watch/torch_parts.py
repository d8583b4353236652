"""The modules, parameters and tensors of a PyTorch model, inside whatever wraps them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

WRAPPERS = ("DistributedDataParallel", "DataParallel", "FullyShardedDataParallel")
# Parts of names that wrappers add.
WRAPPER_PARTS = ("_orig_mod", "_fsdp_wrapped_module", "_checkpoint_wrapped_module")


class Tree:
    """Which modules and parameters a model had; all of them are found again only when some are others."""

    def __init__(self, model: Any) -> None:
        self._modules = list(model.modules())
        self._ids = self._list_ids()

    def is_current(self) -> bool:
        return self._list_ids() == self._ids

    def _list_ids(self) -> list[int]:
        return [
            id(each)
            for module in self._modules
            for each in (*module._modules.values(), *module._parameters.values())
        ]


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
    """Of FSDP, whose flat parameters are plain ones with a mark, or of its successor."""
    return getattr(parameter, "_is_flat_param", False) or hasattr(parameter, "_local_tensor")


def local(tensor: Any) -> Any:
    """The part of this process of a tensor that is divided among several."""
    return tensor.detach().to_local() if hasattr(tensor, "to_local") else tensor


def dense(grad: Any) -> Any:
    grad = local(grad)
    return grad.coalesce().values() if grad.is_sparse else grad


def first_tensor(torch: Any, output: Any) -> Any:
    if isinstance(output, torch.Tensor):
        return None if output.is_sparse or output.is_quantized or output.is_meta else local(output)
    listed: Iterable[Any] = ()
    if isinstance(output, Mapping):
        listed = output.values()
    elif isinstance(output, list | tuple):
        listed = output
    return next((found for each in listed if (found := first_tensor(torch, each)) is not None), None)
