// The shortest programs that log something; they log more than numbers where that takes no extra code.

import type { HowTo } from "../../cards/dashboards";
import { inside, LOG_WITH_LIGHTNING, LOG_WITH_PYTHON } from "../examples";

export default {
  shows: "Everything a run has logged on one page: charts, images, texts, sounds and distributions, all at one step.",
  examples: [
    LOG_WITH_PYTHON,
    {
      label: "PyTorch",
      code: (folder) => `from torch.utils.tensorboard import SummaryWriter

writer = SummaryWriter(${inside(folder, "first")})
for step in range(100):
    writer.add_scalar("train/loss", 1 / (step + 1), step)
    writer.add_histogram("layer/weight", model[0].weight, step)
writer.close()`,
    },
    {
      label: "Keras",
      code: (folder) => `import keras

board = keras.callbacks.TensorBoard(${inside(folder, "first")}, histogram_freq=1)
model.fit(x, y, epochs=10, callbacks=[board])`,
    },
    LOG_WITH_LIGHTNING,
    {
      label: "JAX",
      code: (folder) => `from runglass import SummaryWriter

with SummaryWriter(${inside(folder, "first")}) as writer:
    for step in range(100):
        writer.add_scalar("train/loss", loss, step)
        writer.add_text("train/note", f"**step {step}** is done", step)`,
    },
    {
      label: "TensorFlow",
      code: (folder) => `import tensorflow as tf

writer = tf.summary.create_file_writer(${inside(folder, "first")})
with writer.as_default():
    for step in range(100):
        tf.summary.scalar("train/loss", 1 / (step + 1), step=step)
        tf.summary.text("train/note", f"**step {step}** is done", step=step)
writer.close()`,
    },
  ],
} satisfies HowTo;
