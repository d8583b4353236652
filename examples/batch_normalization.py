"""The effect of batch normalisation on a layer: mean and standard deviation of its weights at every step, for two PyTorch models."""

from __future__ import annotations

import argparse

import torch
from digits import SIZE_PX, make_digits
from torch import nn

from runglass import SummaryWriter


def train(logdir: str, middle: list[nn.Module]) -> None:
    torch.manual_seed(0)
    first = nn.Linear(SIZE_PX**2, 64)
    model = nn.Sequential(nn.Flatten(), first, *middle, nn.ReLU(), nn.Linear(64, 10))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
    images, labels = map(torch.from_numpy, make_digits(2000))
    with SummaryWriter(logdir) as writer:
        for step in range(200):
            chosen = torch.randint(len(images), (50,))
            loss = nn.functional.cross_entropy(model(images[chosen]), labels[chosen])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            writer.add_scalar("loss", loss, step)
            writer.add_scalar("first/mean", first.weight.mean(), step)
            writer.add_scalar("first/std", first.weight.std(), step)


def main(logdir: str) -> None:
    train(f"{logdir}/plain", [])
    train(f"{logdir}/normalised", [nn.BatchNorm1d(64)])


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--logdir", default="logs/batch_normalization")
    logdir = parser.parse_args().logdir
    main(logdir)
    print(f"Show it: runglass {logdir}")
