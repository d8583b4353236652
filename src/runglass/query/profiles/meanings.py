"""What events do, as their category, name and place tell: convolution, copy, input, … Looked at once for each name, not for each event."""

from __future__ import annotations

import re

import numpy as np

from runglass.native.trace_view import pick
from runglass.query.profiles.model import Category, Int32, Mask, Meaning, Place, Strings

# The first that matches wins. Names are lower case.
KERNELS: tuple[tuple[Meaning, str], ...] = (
    (
        "communication",
        r"nccl|rccl|all.?reduce|all.?gather|reduce.?scatter|all.?to.?all|collective.?permute|broadcast_kernel",
    ),
    ("copy", r"^memcpy|^memset|^copy|\bcopy-|copy_device_to_device|host2device|infeed|outfeed|transfer"),
    ("attention", r"attention|flash|fmha|sdpa"),
    (
        "convolution",
        r"conv|fprop|dgrad|wgrad|implicit_gemm|im2col|winograd|nchwtonhwc|nhwctonchw|nchw2nhwc|nhwc2nchw",
    ),
    ("matmul", r"gemm|matmul|\bdot\b|dot_|cublas|cutlass|gemv|splitk|einsum|addmm|\bmm\b|\bbmm\b|linear"),
    ("normalisation", r"norm|bn_fw|bn_bw|batchnorm"),
    ("optimizer", r"adam|sgd|multi_tensor|multitensor|fused_optimizer|lamb|rmsprop"),
    ("reduction", r"reduce|reduction|softmax|sum_|argmax|cumsum|scan_|nll_loss|sort|topk"),
    (
        "elementwise",
        r"elementwise|pointwise|vectorized|unrolled|relu|gelu|dropout|fill|catarray|fusion|cast|add|mul|pool",
    ),
)
OPERATIONS: tuple[tuple[Meaning, str], ...] = (
    ("step", r"^profilerstep#|^profiled batch|^traincontext"),
    ("optimizer", r"optimizer\.|^optimizer|adamw?\b|sgd\.step|zero_grad"),
    (
        "input",
        r"dataloader|datapipe|iterator|prefetch|^infeed|batchv2|parallelmap|generator|tf_data|tensorslice|getnext",
    ),
    (
        "communication",
        r"nccl|gloo|c10d|all_?reduce|all_?gather|reduce_?scatter|collective|distributeddataparallel",
    ),
    (
        "compile",
        r"compil|dynamo|inductor|xla_?build|lower|trace_to_jaxpr|autotun|backend_compile|codegen|mlir",
    ),
    ("copy", r"memcpy|aten::copy_|aten::to\b|aten::_to_copy|pin_memory|transfer|bufferfromhost|device_put"),
    ("sync", r"synchroni[sz]e|block_?until|await|blockhostuntildone|local_scalar_dense|aten::item|wait"),
    ("launch", r"launch|executehelper|execute on|enqueue"),
    ("memory", r"malloc|memoryalloc|memorydealloc|\balloc|dealloc|cudafree|empty_cache"),
)
CATEGORIES: dict[str, Meaning] = {
    "cuda_runtime": "launch",
    "cuda_driver": "launch",
    "runtime": "launch",
    "cuda_sync": "sync",
    "cuda_event": "sync",
    "gpu_memcpy": "copy",
    "gpu_memset": "copy",
    "memcpy": "copy",
    "memset": "copy",
    "python_function": "python",
    "python": "python",
    "cpu_op": "op",
    "operator": "op",
    "user_annotation": "module",
    "gpu_user_annotation": "module",
    "cpu_instant_event": "memory",
    "collective_comm": "communication",
    "overhead": "other",
}
_kernels = [(meaning, re.compile(pattern)) for meaning, pattern in KERNELS]
_operations = [(meaning, re.compile(pattern)) for meaning, pattern in OPERATIONS]
RUNTIME = re.compile(r"(?:cu|cuda|hip|rocm)[A-Z]")
FRAMEWORK_OP = re.compile(r"(?:aten|torch|prim|c10)::|autograd::|[A-Za-z0-9_./-]+:[A-Z][A-Za-z0-9_]*$")


def meaning_of(category: str, name: str, place: Place) -> Meaning:
    kind = category.lower()
    text = name[:500].lower()
    if place == "device":
        if kind in ("gpu_user_annotation", "user_annotation", "steps", "xla modules", "framework name scope"):
            return "step" if kind == "steps" or text.startswith("profilerstep#") else "module"
        if kind in ("gpu_memcpy", "gpu_memset", "cuda_sync"):
            return CATEGORIES[kind]
        return next((meaning for meaning, pattern in _kernels if pattern.search(text)), "device")
    if text.startswith("nn.module: "):
        return "module"
    if kind in ("cuda_runtime", "cuda_driver", "runtime") or RUNTIME.match(name):
        if "synchronize" in text:
            return "sync"
        if "launch" in text or (kind == "" and "exec" in text):
            return "launch"
        if "memcpy" in text or "memset" in text:
            return "copy"
        if "malloc" in text or "free" in text:
            return "memory"
        return "launch"
    if kind == "python_function" or name.startswith("$"):
        # Frames of Python: the loader's are worth a colour, all others are one thing.
        return "input" if "dataloader" in text else "python"
    found = next((meaning for meaning, pattern in _operations if pattern.search(text)), None)
    if found is not None:
        return found
    if kind in CATEGORIES:
        return CATEGORIES[kind]
    return "op" if FRAMEWORK_OP.match(name) else "other"


def values_at(values: Int32, places: Int32) -> Int32:
    if places.min(initial=0) < 0:
        # Events without a name.
        return values[places]
    found = np.empty(len(places), np.int32)
    pick(values, places, found)
    return found


def categorize(
    name: Int32, category: Int32, on_device: Mask, strings: Strings
) -> tuple[list[Category], Int32]:
    """The categories of all events, and for each event which of them it has. `category` is the number of the file's own text."""
    count = max(2 * len(strings), 1)
    pair: Int32 = name << 1
    pair += on_device
    # Nearly always, events of one name have one category: those are found without sorting.
    usual = np.full(count, -1, np.int32)
    usual[pair] = category
    found: dict[tuple[str, Meaning, Place], int] = {}
    numbers = np.zeros(count, np.int32)

    def number_of(which: int, own: int) -> int:
        place: Place = "device" if which % 2 else "host"
        text = strings.get(own)
        key = text, meaning_of(text, strings.get(which // 2), place), place
        return found.setdefault(key, len(found))

    used = np.zeros(count, np.bool_)
    used[pair] = True
    for which in np.flatnonzero(used).tolist():
        numbers[which] = number_of(which, int(usual[which]))
    of_event = values_at(numbers, pair)
    odd = np.flatnonzero(values_at(usual, pair) != category)
    if len(odd):
        texts = len(strings) + 1
        keys, where = np.unique(pair[odd].astype(np.int64) * texts + category[odd] + 1, return_inverse=True)
        listed = [number_of(key // texts, key % texts - 1) for key in keys.tolist()]
        of_event[odd] = np.array(listed, np.int32)[where]
    counts = np.bincount(of_event, minlength=len(found))
    categories = [
        Category(name=text, meaning=meaning, place=place, events=int(events))
        for (text, meaning, place), events in zip(found, counts, strict=True)
    ]
    return categories, of_event
