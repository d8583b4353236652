"""A confusion matrix as a picture after every epoch: move the step slider and watch it sharpen."""

from __future__ import annotations

import argparse

import numpy as np
from digits import NAMES, Network, accuracy, batches, make_digits
from matplotlib.figure import Figure

from runglass import SummaryWriter


def count_confusions(predicted: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """Counts of true digits by row and predicted digits by column."""
    counts = np.zeros((10, 10), int)
    np.add.at(counts, (labels, predicted), 1)
    return counts


def draw_matrix(counts: np.ndarray) -> Figure:
    figure = Figure(figsize=(6, 6), layout="tight")
    axes = figure.subplots()
    axes.imshow(counts, cmap="Blues")
    axes.set_xticks(range(10), NAMES, rotation=45)
    axes.set_yticks(range(10), NAMES)
    axes.set_xlabel("Predicted")
    axes.set_ylabel("Digit")
    for (row, column), count in np.ndenumerate(counts):
        color = "white" if count > counts.max() / 2 else "black"
        axes.text(column, row, count, ha="center", va="center", color=color)
    return figure


def main(logdir: str) -> None:
    train, (test_images, test_labels) = make_digits(1000), make_digits(500, seed=1)
    network = Network()
    with SummaryWriter(logdir) as writer:
        for epoch in range(10):
            for images, labels in batches(*train):
                network.train(images, labels, learning_rate=0.2)
            probabilities = network.predict(test_images)
            counts = count_confusions(probabilities.argmax(axis=1), test_labels)
            writer.add_figure("Confusion matrix", draw_matrix(counts), epoch)
            writer.add_scalar("Accuracy", accuracy(probabilities, test_labels), epoch)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--logdir", default="logs/confusion_matrix")
    logdir = parser.parse_args().logdir
    main(logdir)
    print(f"Show it: runglass {logdir}")
