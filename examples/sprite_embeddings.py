"""500 points with pictures, with files and a config written by hand, as for TensorBoard: vectors, labels and one sprite."""

from __future__ import annotations

import argparse
import math
from pathlib import Path

import numpy as np
from digits import NAMES, SIZE_PX, make_digits
from matplotlib.image import imsave

from runglass import projector


def make_sprite(images: np.ndarray) -> np.ndarray:
    """All pictures in a square grid, row by row; unused cells stay black."""
    side = math.ceil(math.sqrt(len(images)))
    tiles = np.zeros((side * side, SIZE_PX, SIZE_PX), np.float32)
    tiles[: len(images)] = images
    rows = tiles.reshape(side, side, SIZE_PX, SIZE_PX).swapaxes(1, 2)
    return rows.reshape(side * SIZE_PX, side * SIZE_PX)


def main(logdir: str) -> None:
    images, labels = make_digits(500)
    folder = Path(logdir)
    folder.mkdir(parents=True, exist_ok=True)
    np.savetxt(folder / "vectors.tsv", images.reshape(len(images), -1), fmt="%.9g", delimiter="\t")
    (folder / "metadata.tsv").write_text("".join(f"{NAMES[label]}\n" for label in labels))
    imsave(folder / "sprite.png", make_sprite(images), cmap="gray", vmin=0, vmax=1)

    config = projector.ProjectorConfig()
    embedding = config.embeddings.add()
    embedding.tensor_name = "digits"
    embedding.tensor_path = "vectors.tsv"
    embedding.metadata_path = "metadata.tsv"
    embedding.sprite.image_path = "sprite.png"
    embedding.sprite.single_image_dim.extend([SIZE_PX, SIZE_PX])
    projector.visualize_embeddings(logdir, config)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--logdir", default="logs/sprite_embeddings")
    logdir = parser.parse_args().logdir
    main(logdir)
    print(f"Show it: runglass {logdir}")
