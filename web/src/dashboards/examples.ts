// Shared parts of the dashboards' examples: the log path as a Python string, and programs that several dashboards show.

import type { Example } from "../cards/dashboards";

/** The path of a run in this folder, as a Python string. JSON quotes a path the same way as Python. */
export const inside = (folder: string, name: string): string => JSON.stringify(`${folder.replace(/\/+$/, "")}/${name}`);

/** Runs as it stands, whatever is installed: the first thing that a newcomer copies. */
export const LOG_WITH_PYTHON: Example = {
  label: "Python",
  code: (folder) => `from runglass import SummaryWriter

with SummaryWriter(${inside(folder, "first")}) as writer:
    for step in range(100):
        writer.add_scalar("train/loss", 1 / (step + 1), step)`,
};

export const LOG_WITH_LIGHTNING: Example = {
  label: "Lightning",
  code: (folder) => `from lightning.pytorch import Trainer
from lightning.pytorch.loggers import TensorBoardLogger

# In the module: self.log("train/loss", loss)
trainer = Trainer(logger=TensorBoardLogger(${JSON.stringify(folder)}))
trainer.fit(model)`,
};

export const LOG_HISTOGRAMS: readonly Example[] = [
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
];
