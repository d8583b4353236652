"""A network that learns to spell: it predicts the next letter from the last ones, and now and then writes a text."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from runglass.demo import texts
from runglass.demo.training import BATCH, Floats, Network, rate_at
from runglass.schema.hparams import SessionOutcome
from runglass.writer.files.record_file import EventFileWriter
from runglass.writer.values import hparams, summaries

LETTERS = " abcdefghijklmnopqrstuvwxyz.,"
CONTEXTS = (1, 5)
# Larger products start BLAS threads, which then spin for longer than this takes.
HIDDEN = 24
RATE = 0.4
SECONDS_PER_STEP = 0.2
SAMPLE_LETTERS = 140
# The sampling temperature; below one favours likely letters.
TEMPERATURE = 0.6
READER = """\
every morning the keeper of the lighthouse climbs the stair and wipes the salt from the glass. the lamp is small, but the glass
around it is cut so well that ships can see it from the edge of the sea. when the wind is high the tower hums, and the
keeper writes the hour, the wind and the ships into a long book. some nights no ship goes by, and still the lamp is lit,
and still the page is filled. once a year a boat brings bread, oil and letters, and takes the old book away. nobody knows who
reads it. the keeper thinks that somewhere there is a room with all the books of all the lights, and in it someone who
turns the pages and sees how the storms went round the world. so every line is written with care, as if it were a letter.
the light goes round, the sea comes in, the glass is wiped again, and the book grows by a page. that is the work, and it is
good work, for the light that is seen by one ship in the dark is worth more than the sun that is seen by all.
"""


def one_hot(numbers: NDArray[np.int64], context: int) -> Floats:
    """Letter indices (n, context) as one-hot rows."""
    rows: Floats = np.eye(len(LETTERS), dtype=np.float32)[numbers].reshape(-1, context * len(LETTERS))
    return rows


def write_spelling(logdir: Path, start: float, steps: int, seed: int) -> None:
    letters = np.array([LETTERS.index(letter) for letter in READER.replace("\n", " ").strip()])
    for number, context in enumerate(CONTEXTS):
        began = start + 4 * number
        clock = itertools.repeat(began).__next__
        rng = np.random.default_rng(seed)
        windows = np.lib.stride_tricks.sliding_window_view(letters, context + 1)
        network = Network.random([context * len(LETTERS), HIDDEN, len(LETTERS)], rng)
        with EventFileWriter(logdir / "spelling" / f"context={context}", clock=clock) as writer:
            settings: dict[str, hparams.HParam] = {"task": "spelling", "context": context, "lr": RATE}
            writer.write(0, values=[summaries.text("reader", READER, description="What it learns from.")])
            writer.write(0, values=[hparams.session_start(settings, start_time_s=began)])
            for step in range(steps):
                batch = windows[rng.integers(0, len(windows), BATCH)]
                found = network.learn(
                    one_hot(batch[:, :-1], context), batch[:, -1], rate_at(step, RATE, steps)
                )
                values = [summaries.scalar(tag, found[tag]) for tag in ("loss", "accuracy")]
                if step % 100 == 0 or step == steps - 1:
                    values += written(network, letters[:context], context, step, found, rng)
                writer.write(step, wall_time=began + (step + 1) * SECONDS_PER_STEP, values=values)
            end = began + steps * SECONDS_PER_STEP
            ended = hparams.session_end(SessionOutcome.SUCCESS, end_time_s=end)
            writer.write(0, wall_time=end, values=[ended])


def written(
    network: Network,
    first: NDArray[np.int64],
    context: int,
    step: int,
    found: dict[str, float],
    rng: np.random.Generator,
) -> list[bytes]:
    seen = list(first)
    for _ in range(SAMPLE_LETTERS):
        scores = network.forward(one_hot(np.array([seen[-context:]]), context))[-1][0].astype(np.float64)
        scores **= 1 / TEMPERATURE
        seen.append(int(rng.choice(len(LETTERS), p=scores / scores.sum())))
    sample = "".join(LETTERS[letter] for letter in seen)
    known = set(READER.replace(",", " ").replace(".", " ").split())
    words = sample.replace(",", " ").replace(".", " ").split()
    share = sum(word in known for word in words) / max(1, len(words))
    facts = texts.summary(
        step=step,
        loss=round(found["loss"], 4),
        accuracy=round(found["accuracy"], 4),
        words={"written": len(words), "known": round(share, 3)},
        sample=sample,
    )
    return [
        summaries.text("sample", f"> {sample}\n"),
        summaries.text("summary", facts, description="The same as JSON."),
        summaries.text("next letters", next_letters(network, context)),
        summaries.scalar("spelling/known words", share),
    ]


def next_letters(network: Network, context: int) -> NDArray[Any]:
    """A table of continuations of some beginnings, the most likely first."""
    rows = [["after", "first", "second", "third"]]
    for beginning in ("the", "and", " sh", "ing"):
        padded = beginning.rjust(context)[-context:]
        numbers = np.array([[LETTERS.index(letter) for letter in padded]])
        scores = network.forward(one_hot(numbers, context))[-1][0]
        best = scores.argsort()[::-1][:3]
        rows.append([f"`{padded}`", *(f"`{LETTERS[i]}` {scores[i]:.0%}" for i in best)])
    return np.array(rows, dtype=object)
