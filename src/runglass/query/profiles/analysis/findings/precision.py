"""Products and convolutions in 32 bits on a device that does them many times as fast in 16."""

from __future__ import annotations

import re

import numpy as np

from runglass.query.profiles.analysis.facts import Facts, show_share, show_time
from runglass.query.profiles.analysis.model import Finding
from runglass.query.profiles.model import named_like

WORTH = 0.1
MOST = 0.1
HALF = re.compile(
    r"half|bf16|bfloat16|f16|fp16|fp8|f8|e4m3|hgemm|h?16816|h884|h1688|hmma|hgmma|s8|i8816", re.IGNORECASE
)
PRODUCTS = frozenset({"convolution", "matmul", "attention"})
# Devices from this on have tensor cores.
TENSOR_CORES = 7.0


def find(facts: Facts) -> list[Finding]:
    trace = facts.trace
    capabilities = [float(each.capability) for each in trace.info.devices if each.capability]
    if not capabilities or min(capabilities) < TENSOR_CORES:
        return []
    is_product = np.array([each.meaning in PRODUCTS for each in trace.info.categories], np.bool_)
    events = facts.works[is_product[trace.category[facts.works]]]
    if not len(events):
        return []
    is_half = named_like(trace, HALF, events)
    time = trace.duration_ps[events]
    whole, half = float(time.sum()), float(time[is_half].sum())
    slow = (whole - half) / max(facts.count, 1)
    if half > MOST * whole or slow < WORTH * facts.step_ps:
        return []
    longest = int(events[~is_half][time[~is_half].argmax()])
    return [
        Finding(
            id="full_precision",
            title="Products and convolutions run in 32 bits",
            evidence=f"{show_time(slow)} of a step of {show_time(facts.step_ps)} are products and convolutions, and "
            f"{show_share(1 - half / whole)} of that time is in 32-bit kernels such as {trace.name_of(longest)[:80]}.",
            action="Mixed precision: "
            + facts.words(
                torch="torch.autocast('cuda', torch.bfloat16), or TF32: torch.set_float32_matmul_precision('high').",
                jax="parameters and inputs of products in jnp.bfloat16, or TF32: jax.default_matmul_precision('tensorfloat32').",
                tensorflow="keras.mixed_precision.set_global_policy('mixed_bfloat16').",
            ),
            # Twice as fast at least; what is around them stays.
            gain_ps=slow / 2,
            gain_share=slow / 2 / facts.step_ps,
            where=facts.where(longest),
            framework=facts.framework,
        )
    ]
