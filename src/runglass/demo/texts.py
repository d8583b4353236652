"""Descriptions of runs, as Markdown and as JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

GOOD_DB = 20.0


def table(settings: Mapping[str, Any]) -> str:
    rows = "".join(f"| {name} | `{value}` |\n" for name, value in settings.items())
    return f"| setting | value |\n|---|---|\n{rows}"


def about_denoising(hidden: int, max_norm: float | None, patch: int) -> str:
    clipping = "not limited" if max_norm is None else f"cut to a norm of {max_norm:g}"
    return f"""\
# Cleaning pictures and tones

A network sees the {patch} × {patch} pixels around one and guesses what that one was before the noise came:

$$\\hat y = b + \\sum_{{j=1}}^{{{hidden}}} v_j \\tanh\\Big(c_j + \\sum_i w_{{ij}} x_i\\Big)$$

Another one does the same with a tune. Gradients are **{clipping}**.

```python
wrong = layer @ outer - y
back = np.outer(2 * wrong / len(y), outer) * (1 - layer**2)
```
"""


def report(step: int, quality: Mapping[str, float], name: str, *, is_bad: bool) -> str:
    rows = "".join(
        f"| {tag.partition('/')[0]} | {value:.1f} dB | {'good' if value > GOOD_DB else 'poor'} |\n"
        for tag, value in quality.items()
    )
    text = f"### {name}, step {step}\n\n| what | quality | verdict |\n|---|---:|---|\n{rows}"
    if is_bad:
        text += (
            "\n> **Bad batch.** Its numbers reach far beyond 1: somebody has not divided by the largest.\n\n"
            "```\nexpected 0 … 1, got 0 … 24\n```\n"
        )
    return text


def summary(**facts: Any) -> str:
    return json.dumps(facts, indent=1)
