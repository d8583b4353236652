// The shortest programs that log a graph.

import type { HowTo } from "../../cards/dashboards";
import { inside } from "../examples";

export default {
  shows:
    "The model as a graph: groups that open, shapes, what costs time and memory, values of a training on the nodes, and the difference of two models.",
  examples: [
    {
      label: "PyTorch",
      code: (folder) => `from torch.utils.tensorboard import SummaryWriter

with SummaryWriter(${inside(folder, "first")}) as writer:
    writer.add_graph(model, batch)`,
    },
    {
      label: "Keras",
      code: (folder) => `model.fit(
    x,
    y,
    # The layers, and the operations of the first step.
    callbacks=[tf.keras.callbacks.TensorBoard(${inside(folder, "first")}, write_graph=True)],
)`,
    },
    {
      label: "ONNX or torch.export",
      code: (folder) => `# Files of a run are found beside its logs: .onnx, .pt2, .pb, .pbtxt, saved_model.pb
program = torch.export.export(model, (batch,))
torch.export.save(program, ${inside(folder, "first")} + "/model.pt2")`,
    },
    {
      label: "Runglass",
      code: (folder) => `from runglass import SummaryWriter

with SummaryWriter(${inside(folder, "first")}) as writer:
    writer.add_graph(model, batch)`,
    },
  ],
} satisfies HowTo;
