"""A PyTorch classifier: a grid of its pictures, its graph, loss and accuracy while it learns, and a PR curve per class.

Two learning rates make two runs; the second appears while the page is open.
"""

from __future__ import annotations

import argparse

import torch
from digits import SIZE_PX, make_digits
from torch import nn

from runglass import SummaryWriter

BATCH = 50
EVERY = 100


def make_tensors(count: int, seed: int) -> tuple[torch.Tensor, torch.Tensor]:
    images, labels = make_digits(count, seed)
    return torch.from_numpy(images).unsqueeze(1), torch.from_numpy(labels)


def train(logdir: str, learning_rate: float) -> None:
    torch.manual_seed(0)
    images, labels = make_tensors(2000, seed=0)
    model = nn.Sequential(nn.Flatten(), nn.Linear(SIZE_PX**2, 64), nn.ReLU(), nn.Linear(64, 10))
    optimizer = torch.optim.Adam(model.parameters(), lr=learning_rate)
    with SummaryWriter(logdir) as writer:
        writer.add_images("digits", images[:64], as_grid=True)
        writer.add_graph(model, images[:BATCH])

        running_loss = running_right = 0.0
        for step in range(1, 601):
            chosen = torch.randint(len(images), (BATCH,))
            scores = model(images[chosen])
            loss = nn.functional.cross_entropy(scores, labels[chosen])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            running_loss += loss.item()
            running_right += (scores.argmax(1) == labels[chosen]).float().mean().item()
            if step % EVERY == 0:
                writer.add_scalar("training loss", running_loss / EVERY, step)
                writer.add_scalar("accuracy", running_right / EVERY, step)
                running_loss = running_right = 0.0

        test_images, test_labels = make_tensors(500, seed=1)
        with torch.no_grad():
            probabilities = model(test_images).softmax(1)
        for digit in range(10):
            writer.add_pr_curve(str(digit), test_labels == digit, probabilities[:, digit], global_step=0)


def main(logdir: str) -> None:
    train(f"{logdir}/digits1", learning_rate=0.001)
    train(f"{logdir}/digits2", learning_rate=0.01)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--logdir", default="logs/pytorch_digits")
    logdir = parser.parse_args().logdir
    main(logdir)
    print(f"Show it: runglass {logdir}")
