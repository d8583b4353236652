// The shortest programs that log a clip.

import type { HowTo } from "../../cards/dashboards";
import { inside } from "../examples";

export default {
  shows: "Every logged clip with its waveform and spectrogram, to compare by ear across runs.",
  examples: [
    {
      label: "PyTorch",
      code: (folder) => `import torch
from torch.utils.tensorboard import SummaryWriter

writer = SummaryWriter(${inside(folder, "first")})
tone = torch.sin(torch.arange(16_000) * 440 * 6.2832 / 16_000)
writer.add_audio("tone", tone, global_step=0, sample_rate=16_000)
writer.close()`,
    },
    {
      label: "TensorFlow",
      code: (folder) => `import tensorflow as tf

writer = tf.summary.create_file_writer(${inside(folder, "first")})
tone = tf.sin(tf.range(16_000.0) * 440 * 6.2832 / 16_000)
with writer.as_default():
    # Clips, frames, channels.
    tf.summary.audio("tone", tf.reshape(tone, [1, -1, 1]), 16_000, step=0)
writer.close()`,
    },
    {
      label: "JAX",
      code: (folder) => `import numpy as np
from tensorboardX import SummaryWriter

with SummaryWriter(${inside(folder, "first")}) as writer:
    tone = np.sin(np.arange(16_000) * 440 * 6.2832 / 16_000)
    writer.add_audio("tone", tone, 0, sample_rate=16_000)`,
    },
  ],
} satisfies HowTo;
