// The shortest programs that log embeddings.

import type { HowTo } from "../../cards/dashboards";
import { inside } from "../examples";

export default {
  shows:
    "Vectors as points: clusters, neighbours and mistakes, by PCA, t-SNE or UMAP on all of them, and how they move during training.",
  examples: [
    {
      label: "PyTorch",
      code: (folder) => `from torch.utils.tensorboard import SummaryWriter

with SummaryWriter(${inside(folder, "first")}) as writer:
    # One row per point; labels and pictures are optional. Log it at several steps to see the points move.
    writer.add_embedding(features, metadata=labels, label_img=images, global_step=step, tag="features")`,
    },
    {
      label: "Runglass",
      code: (folder) => `import runglass

with SummaryWriter(${inside(folder, "first")}) as writer:
    writer.add_embedding(
        vectors,
        metadata=[[word, count] for word, count in words],
        metadata_header=["word", "count"],
        tag="words",
        global_step=step,
    )`,
    },
    {
      label: "Keras",
      code: (folder) => `model.fit(
    x,
    y,
    callbacks=[
        tf.keras.callbacks.TensorBoard(
            ${inside(folder, "first")},
            embeddings_freq=1,
            # A table with one row per row of the layer's weights.
            embeddings_metadata={"embedding": "metadata.tsv"},
        )
    ],
)`,
    },
    {
      label: "Files",
      code: (
        folder,
      ) => `# projector_config.pbtxt in ${inside(folder, "first")}: vectors as TSV, .npy, .npz, safetensors, Parquet or a checkpoint.
embeddings {
  tensor_name: "words"
  tensor_path: "vectors.npy"
  metadata_path: "metadata.tsv"
}
# Or drop the files on this page.`,
    },
  ],
} satisfies HowTo;
