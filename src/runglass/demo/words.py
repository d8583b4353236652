"""Word vectors, learned from made-up sentences: words that stand in the same places come together.

Skip-gram with negative samples, in NumPy. Some words have two meanings and end up between both; months, days and numbers follow
each other, and their metadata says so.
"""

from __future__ import annotations

import itertools
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from runglass.demo.embeddings import EmbeddingFiles, Table, logged_steps
from runglass.demo.training import Floats
from runglass.schema.hparams import SessionOutcome
from runglass.writer.files.record_file import EventFileWriter
from runglass.writer.values import hparams, summaries

FOLDER = "words"
DIMENSIONS = 24
SENTENCES = 9_000
WINDOW = 3
PAIRS = 512
NEGATIVES = 5
RATE = 0.15
LOGGED_TIMES = 15
SECONDS_PER_STEP = 0.2

KINDS = {
    "animal": "cat dog horse cow sheep goat fox wolf bear mouse rabbit deer owl crow swan duck goose frog trout salmon bass crane",
    "food": "bread butter cheese soup rice apple pear plum cherry orange olive onion carrot potato honey pepper cake pie egg ham",
    "place": "garden kitchen forest harbour market station castle village river meadow island bridge library school tower",
    "person": "anna boris clara david elena felix greta hugo ines jonas karin leo maria noah olive paul rose simon may victor",
    "colour": "red blue green yellow orange violet brown black white grey pink rose",
    "instrument": "violin cello piano flute guitar harp drum trumpet bass horn organ",
    "vehicle": "car bus train boat bicycle tram ship lorry plane sledge",
    "clothing": "coat hat scarf shirt dress boots gloves jacket belt sock",
    "furniture": "table chair bed sofa desk shelf bench stool cupboard lamp",
    "tool": "hammer saw spade rake knife needle brush rope ladder axe",
    "weather": "rain snow wind fog sun hail frost thunder",
    "plant": "oak birch pine rose tulip ivy fern moss reed olive plum cherry pear",
    "month": "january february march april may june july august september october november december",
    "day": "monday tuesday wednesday thursday friday saturday sunday",
    "number": "one two three four five six seven eight nine ten eleven twelve",
}
# A word in braces stands for any of its kind; two of the same kind with a plus follow each other.
TEMPLATES = (
    "{person} ate {food} and {food} in the {place}",
    "{person} bought {number} {food} at the market on {day}",
    "the {animal} ran from the {animal} near the {place}",
    "the {colour} {animal} slept under the {furniture}",
    "{person} plays the {instrument} and {person} the {instrument}",
    "{person} took the {vehicle} to the {place} on {day}",
    "the {vehicle} and the {vehicle} stopped at the {place}",
    "{person} wears a {colour} {clothing} and a {colour} {clothing}",
    "{person} wears a {clothing} because of the {weather}",
    "in {month} there was {weather} and {weather}",
    "{person} was born in {month}",
    "{month} comes before {month+}",
    "{day} comes before {day+}",
    "{number} is less than {number+}",
    "{person} cut the {plant} with a {tool}",
    "the {plant} and the {plant} grow by the {place}",
    "{person} keeps the {tool} and the {tool} on the {furniture}",
    "the {furniture} stands beside the {furniture} in the {place}",
    "{person} painted the {furniture} {colour}",
    "{person} met {person} in {month} at the {place}",
    "{person} cooked {food} with {food} for {number} people",
    "{number} and {number} birds sat in the {plant}",
)
SEQUENCES = ("month", "day", "number")


class Corpus:
    """Sentences as numbers of words."""

    def __init__(self, rng: np.random.Generator) -> None:
        self.members = {kind: words.split() for kind, words in KINDS.items()}
        sentences = [self.say(TEMPLATES[rng.integers(len(TEMPLATES))], rng) for _ in range(SENTENCES)]
        self.words = list(dict.fromkeys(itertools.chain.from_iterable(sentences)))
        self.numbers = {word: number for number, word in enumerate(self.words)}
        self.sentences = [[self.numbers[word] for word in sentence] for sentence in sentences]
        self.counts = np.bincount(
            list(itertools.chain.from_iterable(self.sentences)), minlength=len(self.words)
        )

    def say(self, template: str, rng: np.random.Generator) -> list[str]:
        said = []
        last: dict[str, int] = {}
        for word in template.split():
            if word.startswith("{"):
                kind = word.strip("{+}")
                members = self.members[kind]
                is_next = word.endswith("+}")
                last[kind] = (last[kind] + 1) % len(members) if is_next else int(rng.integers(len(members)))
                word = members[last[kind]]
            said.append(word)
        return said

    def pairs(self, rng: np.random.Generator) -> NDArray[np.int64]:
        """A word and one near it; of those with frequent words, which tell little, only some."""
        found = [
            (word, sentence[other])
            for sentence in self.sentences
            for at, word in enumerate(sentence)
            for other in range(max(0, at - WINDOW), min(len(sentence), at + WINDOW + 1))
            if other != at
        ]
        pairs = np.array(found)
        rare = np.minimum(1, np.sqrt(np.median(self.counts) / self.counts))
        kept: NDArray[np.int64] = pairs[rng.random(len(pairs)) < rare[pairs[:, 0]] * rare[pairs[:, 1]]]
        return kept

    def table(self) -> Table:
        kind_of: dict[str, list[str]] = {}
        follows: dict[str, str] = {}
        for kind, members in self.members.items():
            for word in members:
                kind_of.setdefault(word, []).append(kind)
            if kind in SEQUENCES:
                follows.update(itertools.pairwise(members))
        rows = []
        for word, count in zip(self.words, self.counts.tolist(), strict=True):
            kinds = kind_of.get(word, ["other"])
            following = self.numbers.get(follows.get(word, ""), "")
            rows.append([word, kinds[0], "yes" if len(kinds) > 1 else "no", count, following])
        return Table(["word", "kind", "ambiguous", "count", "__next__"], rows)


class SkipGram:
    def __init__(self, words: int, rng: np.random.Generator) -> None:
        self.vectors: Floats = rng.normal(0, 0.1, (words, DIMENSIONS)).astype(np.float32)
        self.contexts: Floats = np.zeros((words, DIMENSIONS), np.float32)
        # Sums of squares so far: frequent words are moved by smaller steps (Adagrad).
        self.seen = [np.full((words, 1), 1e-6, np.float32) for _ in range(2)]

    def learn(
        self, words: NDArray[np.int64], near: NDArray[np.int64], others: NDArray[np.int64], rate: float
    ) -> float:
        """One step: each word towards the one near it, away from random others. Returns the loss before it."""
        targets = np.concatenate([near[:, np.newaxis], others], axis=1)
        inside, outside = self.vectors[words], self.contexts[targets]
        likely = 1 / (1 + np.exp(-np.einsum("bd,bkd->bk", inside, outside)))
        wanted = np.zeros_like(likely)
        wanted[:, 0] = 1
        wrong = (likely - wanted)[..., np.newaxis]
        chance = np.where(wanted > 0, likely, 1 - likely)
        self.move(0, self.vectors, words, (wrong * outside).sum(axis=1), rate)
        self.move(1, self.contexts, targets, wrong * inside[:, np.newaxis], rate)
        return float(-np.log(np.maximum(chance, 1e-9)).sum(axis=1).mean())

    def move(self, which: int, table: Floats, words: NDArray[np.int64], pull: Floats, rate: float) -> None:
        total = np.zeros_like(table)
        np.add.at(total, words, pull)
        self.seen[which] += (total * total).mean(axis=1, keepdims=True)
        table -= np.float32(rate) * total / np.sqrt(self.seen[which])


def write_words(logdir: Path, start: float, steps: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    corpus = Corpus(rng)
    pairs, table = corpus.pairs(rng), corpus.table()
    chances = corpus.counts**0.75 / (corpus.counts**0.75).sum()
    model = SkipGram(len(corpus.words), rng)
    files = EmbeddingFiles(logdir / FOLDER, "words")
    logged = logged_steps(steps, LOGGED_TIMES)
    with EventFileWriter(logdir / FOLDER, clock=itertools.repeat(start).__next__) as writer:
        settings: dict[str, hparams.HParam] = {"task": "words", "lr": RATE, "dimensions": DIMENSIONS}
        writer.write(0, values=[hparams.session_start(settings, start_time_s=start)])
        for step in range(steps):
            if step in logged:
                files.add(step, model.vectors, table)
            picked = pairs[rng.integers(0, len(pairs), PAIRS)]
            others = rng.choice(len(chances), (PAIRS, NEGATIVES), p=chances)
            loss = model.learn(picked[:, 0], picked[:, 1], others, RATE * (1 - 0.8 * step / steps))
            writer.write(
                step,
                wall_time=start + (step + 1) * SECONDS_PER_STEP,
                values=[summaries.scalar("loss", loss)],
            )
        end = start + steps * SECONDS_PER_STEP
        ended = hparams.session_end(SessionOutcome.SUCCESS, end_time_s=end)
        writer.write(0, wall_time=end, values=[ended])
    files.close()
