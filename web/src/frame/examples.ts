// The shortest programs that log something, for the page without data.

export type ExampleName = "pytorch" | "keras" | "jax";

interface Example {
  readonly value: ExampleName;
  readonly label: string;
  readonly code: (folder: string) => string;
}

// JSON's quoting of a path is Python's too.
const inside = (folder: string, name: string): string => JSON.stringify(`${folder.replace(/\/+$/, "")}/${name}`);

export const EXAMPLES: readonly Example[] = [
  {
    value: "pytorch",
    label: "PyTorch",
    code: (folder) => `from torch.utils.tensorboard import SummaryWriter

writer = SummaryWriter(${inside(folder, "first")})
for step in range(100):
    writer.add_scalar("train/loss", 1 / (step + 1), step)
writer.close()`,
  },
  {
    value: "keras",
    label: "Keras",
    code: (folder) => `import keras

model.fit(
    x, y,
    epochs=10,
    callbacks=[keras.callbacks.TensorBoard(${inside(folder, "first")})],
)`,
  },
  {
    value: "jax",
    label: "JAX",
    code: (folder) => `from tensorboardX import SummaryWriter

with SummaryWriter(${inside(folder, "first")}) as writer:
    for step in range(100):
        writer.add_scalar("train/loss", float(loss), step)`,
  },
];
