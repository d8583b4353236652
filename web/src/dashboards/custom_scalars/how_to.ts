// The shortest programs that log a layout.

import type { HowTo } from "../../cards/dashboards";
import { inside } from "../examples";

const LAYOUT = `writer.add_custom_scalars({
    "Loss": {
        "train and validation": ["Multiline", ["loss/train", "loss/validation"]],
        "spread": ["Margin", ["loss/mean", "loss/low", "loss/high"]],
    },
})`;

export default {
  shows:
    "Charts of several scalars together, as a layout describes them: lines of all tags that match a pattern, and lines with a margin around them.",
  examples: [
    {
      label: "PyTorch",
      code: (folder) => `from torch.utils.tensorboard import SummaryWriter

writer = SummaryWriter(${inside(folder, "first")})
${LAYOUT}
writer.add_scalar("loss/train", 0.5, step)`,
    },
    {
      label: "Runglass",
      code: (folder) => `from runglass import SummaryWriter

writer = SummaryWriter(${inside(folder, "first")})
${LAYOUT}
writer.add_scalar("loss/train", 0.5, step)`,
    },
  ],
} satisfies HowTo;
