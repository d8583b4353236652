// The shortest programs that record a profile.

import type { HowTo } from "../../cards/dashboards";
import { inside } from "../examples";

export default {
  shows:
    "What host and devices did during steps of a training, on one timeline: operations, kernels, copies, memory, and where the device waited.",
  examples: [
    {
      label: "Runglass",
      code: (folder) => `import runglass

# Around torch, JAX or TensorFlow, whichever is there.
with runglass.profile(${inside(folder, "first")}, wait=1, warmup=1, active=3) as profile:
    for batch in batches:
        train_step(batch)
        profile.step()`,
    },
    {
      label: "PyTorch",
      code: (folder) => `from torch.profiler import profile, schedule, tensorboard_trace_handler

with profile(
    schedule=schedule(wait=1, warmup=1, active=3, repeat=1),
    on_trace_ready=tensorboard_trace_handler(${inside(folder, "first")}, use_gzip=True),
    record_shapes=True,
    with_stack=True,
) as profiler:
    for batch in batches:
        train_step(batch)
        profiler.step()`,
    },
    {
      label: "JAX",
      code: (folder) => `with jax.profiler.trace(${inside(folder, "first")}):
    for step, batch in enumerate(batches):
        with jax.profiler.StepTraceAnnotation("train", step_num=step):
            state = train_step(state, batch)
    state.loss.block_until_ready()`,
    },
    {
      label: "Keras",
      code: (folder) => `model.fit(
    x,
    y,
    # Profiles these batches.
    callbacks=[tf.keras.callbacks.TensorBoard(${inside(folder, "first")}, profile_batch=(10, 15))],
)`,
    },
  ],
} satisfies HowTo;
