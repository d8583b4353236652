// The shortest programs that log a PR curve.

import type { HowTo } from "../../cards/dashboards";
import { inside } from "../examples";

export default {
  shows:
    "Precision and recall at every threshold of a classifier, ROC and F1 from the same counts, at any step and for all runs.",
  examples: [
    {
      label: "PyTorch",
      code: (folder) => `from torch.utils.tensorboard import SummaryWriter

writer = SummaryWriter(${inside(folder, "first")})
# labels: 0 or 1; predictions: from 0 to 1, for instance after a sigmoid
writer.add_pr_curve("validation/cat", labels, predictions, global_step=step)
writer.close()`,
    },
    {
      label: "TensorBoard",
      code: (folder) => `import tensorflow as tf
from tensorboard.plugins.pr_curve import summary as pr_summary

writer = tf.summary.create_file_writer(${inside(folder, "first")})
with writer.as_default():
    value = pr_summary.pb(
        "validation/cat", labels=labels, predictions=predictions, num_thresholds=201
    )
    tf.summary.experimental.write_raw_pb(value.SerializeToString(), step=step)`,
    },
    {
      label: "Runglass",
      code: (folder) => `from runglass import SummaryWriter

with SummaryWriter(${inside(folder, "first")}) as writer:
    writer.add_pr_curve("validation/cat", labels, predictions, global_step=step)`,
    },
  ],
} satisfies HowTo;
