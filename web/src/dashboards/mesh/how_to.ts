// The shortest programs that log a mesh.

import type { HowTo } from "../../cards/dashboards";
import { inside } from "../examples";

export default {
  shows: "A 3D view of every logged mesh and point cloud.",
  examples: [
    {
      label: "PyTorch",
      code: (folder) => `import torch
from torch.utils.tensorboard import SummaryWriter

writer = SummaryWriter(${inside(folder, "first")})
points = torch.randn(1, 2000, 3)
colors = torch.randint(0, 256, (1, 2000, 3))
writer.add_mesh("cloud", vertices=points, colors=colors, global_step=0)
writer.close()`,
    },
    {
      label: "Runglass",
      code: (folder) => `import numpy as np
from runglass import SummaryWriter

with SummaryWriter(${inside(folder, "first")}) as writer:
    corners = np.array([[[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]])
    sides = np.array([[[0, 1, 2], [0, 1, 3], [0, 2, 3], [1, 2, 3]]])
    writer.add_mesh("solid", vertices=corners, faces=sides, global_step=0)`,
    },
    {
      label: "TensorFlow",
      code: (folder) => `import tensorflow as tf
from tensorboard.plugins.mesh import summary_v2 as mesh_summary

writer = tf.summary.create_file_writer(${inside(folder, "first")})
with writer.as_default():
    mesh_summary.mesh("cloud", vertices=tf.random.normal((1, 2000, 3)), step=0)
writer.close()`,
    },
  ],
} satisfies HowTo;
