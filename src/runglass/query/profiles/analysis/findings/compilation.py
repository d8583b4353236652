"""Steps that compile: shapes or arguments change from step to step."""

from __future__ import annotations

import numpy as np

from runglass.query.profiles.analysis.facts import Facts, show_share, show_time
from runglass.query.profiles.analysis.model import Finding

WORTH = 0.05


def find(facts: Facts) -> list[Finding]:
    trace = facts.trace
    events = facts.in_steps(facts.host_spans("compile"))
    if not len(events):
        return []
    spans = facts.spans(events)
    starts, ends = (np.concatenate(each) for each in zip(*facts.windows.values(), strict=True))
    took = spans.within(starts, ends)
    steps = int((took > WORTH * (ends - starts)).sum())
    gain = float(took.sum()) / facts.count
    # One step that compiles is the first one.
    if steps < 2 or gain < WORTH * facts.step_ps:
        return []
    longest = int(events[trace.duration_ps[events].argmax()])
    line = facts.source(longest)
    return [
        Finding(
            id="recompilation",
            title="The program is compiled again and again",
            evidence=f"{steps} of {facts.count} steps compile; that takes {show_time(gain)} of an average step "
            f"({show_share(gain / facts.step_ps)}), in {trace.name_of(longest)[:80]}{f' from {line}' if line else ''}.",
            action="Keep shapes and Python values the same: pad batches to a few sizes. "
            + facts.words(
                torch="torch.compile(dynamic=True) or torch._dynamo.mark_dynamic lets a size change; TORCH_LOGS=recompiles says what did.",
                jax="Call jax.jit once, outside of the loop, with static_argnums only for what never changes; "
                "jax.config.update('jax_explain_cache_misses', True) says what did.",
                tensorflow="tf.function(input_signature=…) or reduce_retracing=True lets a size change; pass tensors, not Python numbers.",
            ),
            gain_ps=gain,
            gain_share=gain / facts.step_ps,
            where=facts.where(longest),
            framework=facts.framework,
            source=line,
        )
    ]
