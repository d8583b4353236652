// The shortest programs that log a picture.

import type { HowTo } from "../../cards/dashboards";
import { inside } from "../examples";

export default {
  shows: "Every logged image: inputs, predictions, masks, attention maps.",
  examples: [
    {
      label: "PyTorch",
      code: (folder) => `import torch
from torch.utils.tensorboard import SummaryWriter

writer = SummaryWriter(${inside(folder, "first")})
for step in range(10):
    # One picture: (channels, height, width), floats from 0 to 1 or uint8.
    writer.add_image("samples/noise", torch.rand(3, 64, 64), step)
    # Several at once.
    writer.add_images("samples/batch", torch.rand(16, 3, 32, 32), step)
writer.close()`,
    },
    {
      label: "JAX",
      code: (folder) => `import numpy as np
from tensorboardX import SummaryWriter

with SummaryWriter(${inside(folder, "first")}) as writer:
    for step in range(10):
        writer.add_image("samples/noise", np.random.rand(64, 64, 3), step, dataformats="HWC")`,
    },
    {
      label: "TensorFlow",
      code: (folder) => `import tensorflow as tf

writer = tf.summary.create_file_writer(${inside(folder, "first")})
with writer.as_default():
    for step in range(10):
        # (count, height, width, channels)
        tf.summary.image("samples/noise", tf.random.uniform((4, 64, 64, 3)), step=step, max_outputs=4)
writer.close()`,
    },
  ],
} satisfies HowTo;
