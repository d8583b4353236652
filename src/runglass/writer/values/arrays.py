"""Arrays, numbers, steps and times of any framework as plain ones. Imports no framework: it checks which methods a value has."""

from __future__ import annotations

import math
import numbers
from typing import Any

import numpy as np
from numpy.typing import NDArray

from runglass.errors import BadArgument

# A longer tag is probably a text in the wrong argument.
TAG_LIMIT = 10_000
# The limit of common file systems.
NAME_LIMIT_BYTES = 255
NUMBERS = (bool, int, float, complex, np.generic)


def to_numpy(value: object, what: str) -> NDArray[Any]:
    """An array of numbers from NumPy, torch, TensorFlow, JAX, CuPy, DLPack, PIL, pandas or nested lists.

    It may share memory with `value`. bfloat16 and float8 become float32. Error messages begin with `what`:
    "Histogram 'weights'".
    """
    try:
        array = as_array(value, what)
    except BadArgument:
        raise
    except Exception as error:
        # Frameworks raise many types for a value that has no numbers: a tracer, a symbolic or meta tensor, a ragged list.
        reason = str(error).strip().partition("\n")[0]
        raise BadArgument(
            f"{what} needs an array of numbers, got {type_name(value)} that cannot be turned into one: {reason}"
        ) from error
    # A type that another package added to NumPy, such as bfloat16 of JAX and TensorFlow.
    if array.dtype.isbuiltin == 2:
        array = array.astype(np.float32)
    if array.dtype.kind not in "biufc":
        found = f"an array of {array.dtype}" if isinstance(value, np.ndarray) else type_name(value)
        raise BadArgument(
            f"{what} needs an array of numbers, got {found}. Pass an array, a tensor or a list of numbers."
        )
    return array


def to_real(value: object, what: str) -> NDArray[Any]:
    array = to_numpy(value, what)
    if array.dtype.kind == "c":
        raise BadArgument(f"{what} needs real numbers, got {array.dtype}. Log .real, .imag or abs().")
    return array


def as_array(value: Any, what: str) -> NDArray[Any]:
    if type(value) is np.ndarray:
        return value
    # Not isinstance: NumPy imports numpy.ma on first use, and a fork during that import would break it.
    if isinstance(value, np.ndarray) and type(value) is not np.ndarray and hasattr(value, "filled"):
        return unmasked(value, what)
    if isinstance(value, np.ndarray | bool | int | float | complex | np.generic):
        return np.asarray(value)
    if isinstance(value, list | tuple):
        if all(isinstance(item, NUMBERS) for item in value):
            return np.asarray(value)
        return np.asarray([to_numpy(item, what) for item in value])
    if hasattr(value, "getbands") and hasattr(value, "convert"):
        return pil_pixels(value)
    if hasattr(value, "detach") and hasattr(value, "numpy"):
        return torch_array(value)
    if hasattr(value, "__cuda_array_interface__") and hasattr(value, "get"):
        # CuPy copies to the host only on request.
        return np.asarray(value.get())
    if callable(getattr(value, "numpy", None)):
        return np.asarray(value.numpy())
    if hasattr(value, "__array__") or not hasattr(value, "__dlpack__"):
        return np.asarray(value)
    return np.from_dlpack(value)


def unmasked(array: Any, what: str) -> NDArray[Any]:
    """Masked elements become NaN, which only floats have."""
    if not np.any(array.mask):
        return np.asarray(array)
    if array.dtype.kind not in "fc":
        raise BadArgument(
            f"{what} has masked elements of {array.dtype}. Fill them in, or leave them out with .compressed()."
        )
    return np.asarray(array.filled(np.nan))


def torch_array(tensor: Any) -> NDArray[Any]:
    if str(getattr(tensor, "layout", "torch.strided")) != "torch.strided":
        tensor = tensor.to_dense()
    if getattr(tensor, "is_quantized", False):
        tensor = tensor.dequantize()
    try:
        return np.asarray(tensor.numpy(force=True))
    except TypeError:
        # bfloat16 and float8 have no NumPy type.
        return np.asarray(tensor.float().numpy(force=True))


def pil_pixels(picture: Any) -> NDArray[Any]:
    if picture.mode in ("P", "PA"):
        picture = picture.convert("RGBA" if "transparency" in picture.info or picture.mode == "PA" else "RGB")
    elif picture.mode in ("CMYK", "YCbCr", "LAB", "HSV"):
        picture = picture.convert("RGB")
    return np.asarray(picture)


def to_number(value: object, what: str) -> bool | int | float:
    """The one real number in a value of any type, tensors on a GPU included."""
    if isinstance(value, bool | int | float):
        return value
    if value is None or isinstance(value, str | bytes):
        raise BadArgument(f"{what} needs one number, got {value!r}.")
    if type(value).__module__ in ("decimal", "fractions") and isinstance(value, numbers.Number):
        try:
            return float(value)  # type: ignore[arg-type]
        except (OverflowError, ValueError) as error:
            raise BadArgument(f"{what} needs a number that fits a float, got {value!r}.") from error
    array = to_numpy(value, what)
    if array.size != 1:
        raise BadArgument(
            f"{what} needs one number, got an array of shape {array.shape}. Log its mean or one element."
        )
    if array.dtype.kind == "c":
        raise BadArgument(f"{what} needs a real number, got {array.item()}. Log .real or .imag.")
    number: bool | int | float = array.item()
    return number


def clean_tag(tag: object) -> str:
    """The tag; characters that UTF-8 cannot encode are replaced."""
    if not isinstance(tag, str):
        raise BadArgument(f"tag must be a str, got {type(tag).__name__}.", where="tag")
    if not tag:
        raise BadArgument("tag is empty. Give the series a name, such as 'train/loss'.", where="tag")
    if len(tag) > TAG_LIMIT:
        raise BadArgument(
            f"tag has {len(tag):,} characters, expected at most {TAG_LIMIT:,}: {tag[:40]!r}… Did you pass the text as the tag?",
            where="tag",
        )
    return clean_text(tag)


def clean_text(text: str) -> str:
    """Characters that UTF-8 cannot encode are replaced."""
    return text.encode("utf-8", "replace").decode()


def check_folder(name: str, what: str, where: str) -> None:
    """Raises if a name cannot be a directory, or several."""
    if "\0" in name or any(len(part.encode()) > NAME_LIMIT_BYTES for part in name.split("/")):
        raise BadArgument(
            f"{what} becomes a directory, so it needs at most {NAME_LIMIT_BYTES} bytes and no zero byte: {name[:40]!r}…",
            where=where,
        )


def to_count(value: object, what: str, *, least: int, most: int) -> int:
    number = to_number(value, what)
    if not least <= number <= most or number != int(number):
        raise BadArgument(f"{what} must be a whole number from {least} to {most:,}, got {number}.")
    return int(number)


def to_step(step: object) -> int:
    """None counts as 0; whole floats, NumPy integers and tensors of one number are fine."""
    if step is None:
        return 0
    if isinstance(step, str | bytes):
        raise BadArgument(f"Step must be a whole number, got {step!r}. Pass an int.", where="global_step")
    number = to_number(step, "Step")
    if isinstance(number, float) and not (math.isfinite(number) and number.is_integer()):
        raise BadArgument(
            f"Step must be a whole number, got {number}. Pass an int, such as the batch count.",
            where="global_step",
        )
    whole = int(number)
    if not -(2**63) <= whole < 2**63:
        raise BadArgument(f"Step {whole} does not fit a signed 64-bit integer.", where="global_step")
    return whole


def to_wall_time(wall_time: object) -> float | None:
    """Seconds since 1970; None stands for now."""
    if wall_time is None:
        return None
    number = float(to_number(wall_time, "walltime"))
    if not math.isfinite(number):
        raise BadArgument(
            f"walltime must be seconds since 1970, got {number}, which is not finite.", where="walltime"
        )
    return number


def type_name(value: object) -> str:
    kind = type(value)
    return kind.__name__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__name__}"
