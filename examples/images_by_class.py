"""One picture of every class under the name of its class, and twenty pictures as one batch."""

from __future__ import annotations

import argparse

from digits import NAMES, make_digits

from runglass import summary


def main(logdir: str) -> None:
    images, labels = make_digits(200)
    # Pictures, rows, columns, one channel.
    batch = images[..., None]
    with summary.create_file_writer(logdir).as_default(step=0):
        for label, name in enumerate(NAMES):
            summary.image(f"class/{name}", batch[labels == label][:1])
        summary.image(
            "twenty digits", batch[:20], max_outputs=20, description="The first twenty of the data."
        )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--logdir", default="logs/images_by_class")
    logdir = parser.parse_args().logdir
    main(logdir)
    print(f"Show it: runglass {logdir}")
