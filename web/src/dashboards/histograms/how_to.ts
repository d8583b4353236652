// The shortest programs that log a histogram.

import type { HowTo } from "../../cards/dashboards";
import { inside, LOG_HISTOGRAMS } from "../examples";

export default {
  shows: "How the numbers of a tensor are spread, and how that changes: weights, gradients, activations.",
  examples: [
    ...LOG_HISTOGRAMS,
    {
      label: "Runglass",
      code: (folder) => `from runglass import SummaryWriter

with SummaryWriter(${inside(folder, "first")}) as writer:
    for step in range(100):
        writer.add_histogram("weights", weights, step, bins=60)`,
    },
    {
      label: "JAX",
      code: (folder) => `from tensorboardX import SummaryWriter
import numpy as np

with SummaryWriter(${inside(folder, "first")}) as writer:
    writer.add_histogram("weights", np.asarray(params["w"]), 0)`,
    },
    {
      label: "TensorFlow",
      code: (folder) => `import tensorflow as tf

writer = tf.summary.create_file_writer(${inside(folder, "first")})
with writer.as_default():
    for step in range(100):
        tf.summary.histogram("weights", weights, step=step)
writer.close()`,
    },
  ],
} satisfies HowTo;
