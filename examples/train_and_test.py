"""A custom training loop with two writers, so that training and test are two runs in one chart."""

from __future__ import annotations

import argparse

import numpy as np
from digits import Network, accuracy, batches, cross_entropy, make_digits

from runglass import summary


def main(logdir: str) -> None:
    train_images, train_labels = make_digits(2000, seed=0)
    test_images, test_labels = make_digits(500, seed=1)
    train_writer = summary.create_file_writer(f"{logdir}/train")
    test_writer = summary.create_file_writer(f"{logdir}/test")
    network = Network()
    for epoch in range(20):
        losses = [network.train(images, labels) for images, labels in batches(train_images, train_labels)]
        with train_writer.as_default():
            summary.scalar("Loss", np.mean(losses), step=epoch)
            summary.scalar("Accuracy", accuracy(network.predict(train_images), train_labels), step=epoch)
            summary.histogram("hidden/weights", network.hidden, step=epoch)
        predicted = network.predict(test_images)
        with test_writer.as_default():
            summary.scalar("Loss", cross_entropy(predicted, test_labels), step=epoch)
            summary.scalar("Accuracy", accuracy(predicted, test_labels), step=epoch)
    train_writer.close()
    test_writer.close()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--logdir", default="logs/train_and_test")
    logdir = parser.parse_args().logdir
    main(logdir)
    print(f"Show it: runglass {logdir}")
