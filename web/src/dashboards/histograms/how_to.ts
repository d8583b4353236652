// The shortest programs that log a histogram.

import type { HowTo } from "../../cards/dashboards";
import { inside } from "../../state/run_folder";

export default {
  shows: "How the numbers of a tensor are spread, and how that changes: weights, gradients, activations.",
  examples: [
    {
      label: "PyTorch",
      code: (folder) => `from torch.utils.tensorboard import SummaryWriter

writer = SummaryWriter(${inside(folder, "first")})
for step in range(100):
    for name, weights in model.named_parameters():
        writer.add_histogram(name, weights, step)
writer.close()`,
    },
    {
      label: "Keras",
      code: (folder) => `import keras

model.fit(
    x, y,
    epochs=10,
    callbacks=[keras.callbacks.TensorBoard(${inside(folder, "first")}, histogram_freq=1)],
)`,
    },
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
