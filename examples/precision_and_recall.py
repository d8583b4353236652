"""Precision and recall of a classifier for one digit, and its whole PR curve after every epoch."""

from __future__ import annotations

import argparse

from digits import Network, batches, make_digits

from runglass import SummaryWriter

WANTED = 8


def main(logdir: str) -> None:
    train, (test_images, test_labels) = make_digits(1000), make_digits(1000, seed=1)
    is_wanted = test_labels == WANTED
    network = Network()
    with SummaryWriter(logdir) as writer:
        for epoch in range(8):
            for images, labels in batches(*train):
                network.train(images, labels)
            probability = network.predict(test_images)[:, WANTED]
            is_found = probability > 0.5
            is_right = (is_found & is_wanted).sum()
            writer.add_scalar("precision", is_right / max(1, is_found.sum()), epoch)
            writer.add_scalar("recall", is_right / is_wanted.sum(), epoch)
            writer.add_pr_curve("eight", is_wanted, probability, epoch)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--logdir", default="logs/precision_and_recall")
    logdir = parser.parse_args().logdir
    main(logdir)
    print(f"Show it: runglass {logdir}")
