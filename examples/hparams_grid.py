"""A grid over units, dropout and learning rate: one run each, with its hyperparameters and the accuracy it reached."""

from __future__ import annotations

import argparse
from itertools import product

from digits import Network, accuracy, batches, make_digits

from runglass import hparams as hp
from runglass import summary

UNITS = hp.HParam("units", hp.Discrete([32, 64, 128]))
DROPOUT = hp.HParam("dropout", hp.RealInterval(0.1, 0.5))
LEARNING_RATE = hp.HParam("learning_rate", hp.Discrete([1e-3, 1e-4, 1e-5]))
ACCURACY = "accuracy"


TRAIN = make_digits(2000)
TEST_IMAGES, TEST_LABELS = make_digits(500, seed=1)


def train(units: int, dropout: float, learning_rate: float) -> float:
    network = Network(units=units, dropout=dropout, uses_rmsprop=True)
    for _ in range(5):
        for images, labels in batches(*TRAIN):
            network.train(images, labels, learning_rate)
    return accuracy(network.predict(TEST_IMAGES), TEST_LABELS)


def main(logdir: str) -> None:
    with summary.create_file_writer(logdir).as_default():
        hp.hparams_config(
            hparams=[UNITS, DROPOUT, LEARNING_RATE], metrics=[hp.Metric(ACCURACY, display_name="Accuracy")]
        )
    rates = (DROPOUT.domain.min_value, 0.3, DROPOUT.domain.max_value)
    for number, chosen in enumerate(product(UNITS.domain.values, rates, LEARNING_RATE.domain.values)):
        units, dropout, learning_rate = chosen
        with summary.create_file_writer(f"{logdir}/run-{number:02}").as_default():
            hp.hparams({UNITS: units, DROPOUT: dropout, LEARNING_RATE: learning_rate})
            summary.scalar(ACCURACY, train(units, dropout, learning_rate), step=1)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--logdir", default="logs/hparams_grid")
    logdir = parser.parse_args().logdir
    main(logdir)
    print(f"Show it: runglass {logdir}")
