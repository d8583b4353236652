// The shortest programs that log hyperparameters and their metrics.

import type { HowTo } from "../../cards/dashboards";
import { inside } from "../examples";

export default {
  shows:
    "Which settings made the difference: hyperparameters and metrics of all runs as lines, tables and statistics, linked to curves and pictures.",
  examples: [
    {
      label: "PyTorch",
      code: (folder) => `from torch.utils.tensorboard import SummaryWriter

for lr in (0.1, 0.01):
    writer = SummaryWriter(${inside(folder, "first")} + f"/lr={lr}")
    # accuracy: the result of a training with this lr
    writer.add_hparams({"lr": lr, "optimizer": "adam"}, {"accuracy": accuracy})
    writer.close()`,
    },
    {
      label: "Keras",
      code: (folder) => `from tensorboard.plugins.hparams import api as hp

hparams = {"lr": 0.01, "units": 64}
model.fit(
    x,
    y,
    callbacks=[
        tf.keras.callbacks.TensorBoard(${inside(folder, "first")}),
        hp.KerasCallback(${inside(folder, "first")}, hparams),
    ],
)`,
    },
    {
      label: "Runglass",
      code: (folder) => `from runglass import SummaryWriter

for lr in (0.1, 0.01):
    with SummaryWriter(${inside(folder, "first")} + f"/lr={lr}") as writer:
        # accuracy: the result of a training with this lr
        writer.add_hparams({"lr": lr, "optimizer": "adam"}, {"accuracy": accuracy})`,
    },
  ],
} satisfies HowTo;
