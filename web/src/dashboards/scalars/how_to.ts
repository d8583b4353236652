// The shortest programs that log a scalar.

import type { HowTo } from "../../cards/dashboards";
import { inside, LOG_WITH_LIGHTNING, LOG_WITH_PYTHON } from "../examples";

export default {
  shows: "A chart for every number that is logged at steps: loss, accuracy, learning rate.",
  examples: [
    LOG_WITH_PYTHON,
    {
      label: "PyTorch",
      code: (folder) => `from torch.utils.tensorboard import SummaryWriter

writer = SummaryWriter(${inside(folder, "first")})
for step in range(100):
    writer.add_scalar("train/loss", 1 / (step + 1), step)
writer.close()`,
    },
    {
      label: "Keras",
      code: (folder) => `import keras

model.fit(
    x, y,
    epochs=10,
    callbacks=[keras.callbacks.TensorBoard(${inside(folder, "first")})],
)`,
    },
    LOG_WITH_LIGHTNING,
    {
      label: "JAX",
      code: (folder) => `from tensorboardX import SummaryWriter

with SummaryWriter(${inside(folder, "first")}) as writer:
    for step in range(100):
        writer.add_scalar("train/loss", float(loss), step)`,
    },
    {
      label: "TensorFlow",
      code: (folder) => `import tensorflow as tf

writer = tf.summary.create_file_writer(${inside(folder, "first")})
with writer.as_default():
    for step in range(100):
        tf.summary.scalar("train/loss", 1 / (step + 1), step=step)
writer.close()`,
    },
  ],
} satisfies HowTo;
