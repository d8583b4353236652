"""Word vectors with files and a config written by hand, as for TensorBoard: a table of vectors, a table of labels, and the config."""

from __future__ import annotations

import argparse
from itertools import product
from pathlib import Path

import numpy as np

from runglass import projector

PEOPLE = ("fred", "larry", "maria", "olga", "tom", "wu")
PLACES = {
    ("swims in", "sails on", "looks at"): ("sea", "lake", "river", "ocean"),
    ("walks to", "sits at", "sleeps at"): ("beach", "harbour", "shore"),
    ("laughs at", "buys tickets for", "reads about"): ("comedy", "theater", "concert", "opera"),
}


def word_vectors(sentences: list[list[str]], dimensions: int = 10) -> tuple[list[str], np.ndarray]:
    """Words with the same neighbours get similar vectors."""
    words = sorted({word for sentence in sentences for word in sentence})
    number = {word: i for i, word in enumerate(words)}
    together = np.zeros((len(words), len(words)))
    for sentence in sentences:
        for one, other in product(sentence, sentence):
            together[number[one], number[other]] += one != other
    vectors, weights, _ = np.linalg.svd(np.log1p(together))
    return words, (vectors * weights)[:, :dimensions].astype(np.float32)


def main(logdir: str) -> None:
    sentences = [
        [person, *verb.split(), "the", place]
        for verbs, places in PLACES.items()
        for person, verb, place in product(PEOPLE, verbs, places)
    ]
    words, vectors = word_vectors(sentences)
    folder = Path(logdir)
    folder.mkdir(parents=True, exist_ok=True)
    np.savetxt(folder / "vectors.tsv", vectors, fmt="%.9g", delimiter="\t")
    rows = "".join(f"{word}\t{number}\n" for number, word in enumerate(words))
    (folder / "words.tsv").write_text(f"word\tid\n{rows}")

    config = projector.ProjectorConfig()
    embedding = config.embeddings.add()
    embedding.tensor_name = "words"
    embedding.tensor_path = "vectors.tsv"
    embedding.metadata_path = "words.tsv"
    projector.visualize_embeddings(logdir, config)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--logdir", default="logs/word_embeddings")
    logdir = parser.parse_args().logdir
    main(logdir)
    print(f"Show it: runglass {logdir}")
