"""Devices are idle because the next batch is not there."""

from __future__ import annotations

from runglass.query.profiles.analysis.facts import Facts, show_share, show_time
from runglass.query.profiles.analysis.model import Finding

WORTH = 0.05
SINGLE_PROCESS = "_SingleProcessDataLoaderIter"


def find(facts: Facts) -> list[Finding]:
    trace = facts.trace
    events = facts.input_events
    if not len(events) or not facts.step_ps:
        return []
    wait = facts.idle_during(events)
    if wait < WORTH * facts.step_ps:
        return []
    longest = int(events[trace.duration_ps[events].argmax()])
    name = trace.name_of(longest)
    if SINGLE_PROCESS in name:
        action = (
            "Load in other processes: DataLoader(num_workers=4 or more, pin_memory=True, persistent_workers=True). "
            "Now the training process itself makes every batch."
        )
    elif "DataLoader" in name:
        action = (
            "More workers (num_workers), a larger prefetch_factor, or less work for each sample: "
            "move it to the device, or store what it gives."
        )
    else:
        tf_data = "cache() what repeats, map(num_parallel_calls=tf.data.AUTOTUNE), prefetch(tf.data.AUTOTUNE) at the end."
        action = facts.words(
            torch="Load ahead in other processes: DataLoader(num_workers=4 or more, pin_memory=True, prefetch_factor=4).",
            jax="Load the next batch in a thread or process while this one is computed, and jax.device_put it ahead. With tf.data: "
            + tf_data,
            tensorflow=f"tf.data: {tf_data}",
        )
    return [
        Finding(
            id="waiting_for_input",
            title="The device waits for input",
            evidence=f"In an average step of {show_time(facts.step_ps)} the device is idle for {show_time(wait)} "
            f"({show_share(wait / facts.step_ps)}) while the host is in {name}.",
            action=action,
            gain_ps=wait,
            gain_share=wait / facts.step_ps,
            where=facts.where(longest),
            framework=facts.framework,
            source=facts.source(longest),
        )
    ]
