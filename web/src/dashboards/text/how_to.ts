// The shortest programs that log a text.

import type { HowTo } from "../../cards/dashboards";
import { inside } from "../examples";

export default {
  shows:
    "Every text that is logged at steps: samples of a model, notes, configurations. Markdown, maths and tables are laid out.",
  examples: [
    {
      label: "PyTorch",
      code: (folder) => `from torch.utils.tensorboard import SummaryWriter

writer = SummaryWriter(${inside(folder, "first")})
for step in range(10):
    writer.add_text("samples", f"**step {step}**: once upon a time", step)
writer.close()`,
    },
    {
      label: "TensorFlow",
      code: (folder) => `import tensorflow as tf

writer = tf.summary.create_file_writer(${inside(folder, "first")})
with writer.as_default():
    tf.summary.text("samples", "once upon a time", step=0)
    tf.summary.text("table", [["prompt", "answer"], ["2 + 2", "4"]], step=0)
writer.close()`,
    },
    {
      label: "JAX",
      code: (folder) => `from tensorboardX import SummaryWriter

with SummaryWriter(${inside(folder, "first")}) as writer:
    writer.add_text("samples", "once upon a time", 0)`,
    },
  ],
} satisfies HowTo;
