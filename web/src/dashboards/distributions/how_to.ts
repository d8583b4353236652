// The shortest programs that log a histogram.

import type { HowTo } from "../../cards/dashboards";
import { inside } from "../../state/run_folder";

export default {
  shows:
    "For every histogram that is logged at steps, how its values spread over time: smallest, median, largest and what lies between.",
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
      label: "TensorFlow",
      code: (folder) => `import tensorflow as tf

writer = tf.summary.create_file_writer(${inside(folder, "first")})
with writer.as_default():
    for step in range(100):
        tf.summary.histogram("weights", tf.random.normal([1000]), step=step)
writer.close()`,
    },
  ],
} satisfies HowTo;
