"""Five learning rates, each with a run for training and one for test, logged at every batch.

On the page: type `train` into the run filter, raise the smoothing, and see which rate is best.
"""

from __future__ import annotations

import argparse

from digits import Network, accuracy, batches, cross_entropy, make_digits

from runglass import summary

RATES = (0.01, 0.1, 1.0, 10.0, 30.0)


def train(logdir: str, rate: float) -> None:
    train_writer = summary.create_file_writer(f"{logdir}/lr={rate}/train")
    test_writer = summary.create_file_writer(f"{logdir}/lr={rate}/test")
    test_images, test_labels = make_digits(200, seed=1)
    network = Network()
    for step, (images, labels) in enumerate(batches(*make_digits(5000))):
        with train_writer.as_default(step):
            summary.scalar("Accuracy", accuracy(network.predict(images), labels))
            summary.scalar("Loss", network.train(images, labels, learning_rate=rate))
        predicted = network.predict(test_images)
        with test_writer.as_default(step):
            summary.scalar("Accuracy", accuracy(predicted, test_labels))
            summary.scalar("Loss", cross_entropy(predicted, test_labels))
    train_writer.close()
    test_writer.close()


def main(logdir: str) -> None:
    for rate in RATES:
        train(logdir, rate)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--logdir", default="logs/learning_rates")
    logdir = parser.parse_args().logdir
    main(logdir)
    print(f"Show it: runglass {logdir}")
