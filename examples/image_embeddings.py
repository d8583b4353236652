"""500 points with a picture and a label each, in one call. You can run it again in the same directory."""

from __future__ import annotations

import argparse

from digits import NAMES, make_digits

from runglass import projector


def main(logdir: str) -> None:
    images, labels = make_digits(500)
    projector.log_embedding(
        logdir,
        images.reshape(len(images), -1),
        metadata=[NAMES[label] for label in labels],
        images=images,
        name="digits",
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--logdir", default="logs/image_embeddings")
    logdir = parser.parse_args().logdir
    main(logdir)
    print(f"Show it: runglass {logdir}")
