"""A text classifier in Keras whose embedding layer is logged with its vocabulary as labels."""

from __future__ import annotations

import argparse
from pathlib import Path

import keras
import numpy as np

from runglass.keras import RunglassCallback

GOOD = ["fine", "great", "lovely", "funny", "warm", "clever"]
BAD = ["dull", "awful", "boring", "cold", "stupid", "weak"]
OTHER = ["the", "film", "was", "plot", "acting", "a", "and", "with", "its", "story"]
VOCABULARY = [*GOOD, *BAD, *OTHER]


def make_reviews(count: int, words: int = 8) -> tuple[np.ndarray, np.ndarray]:
    """Rows of word indices, and whether most of their opinion words are good."""
    reviews = np.random.default_rng(0).integers(0, len(VOCABULARY), (count, words))
    good = (reviews < len(GOOD)).sum(axis=1)
    bad = ((reviews >= len(GOOD)) & (reviews < len(GOOD) + len(BAD))).sum(axis=1)
    return reviews, (good > bad).astype(int)


def main(logdir: str) -> None:
    keras.utils.set_random_seed(0)
    model = keras.Sequential(
        [
            keras.Input((None,), dtype="int32"),
            keras.layers.Embedding(len(VOCABULARY), 8, name="words"),
            keras.layers.GlobalAveragePooling1D(),
            keras.layers.Dense(1, activation="sigmoid"),
        ]
    )
    model.compile(optimizer=keras.optimizers.Adam(0.05), loss="binary_crossentropy", metrics=["accuracy"])
    Path(logdir).mkdir(parents=True, exist_ok=True)
    Path(logdir, "vocabulary.tsv").write_text("\n".join(VOCABULARY) + "\n")
    callback = RunglassCallback(
        log_dir=logdir, embeddings_freq=1, embeddings_metadata={"words": "vocabulary.tsv"}
    )
    model.fit(*make_reviews(1000), validation_split=0.2, epochs=5, verbose=0, callbacks=[callback])


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--logdir", default="logs/keras_text_embedding")
    logdir = parser.parse_args().logdir
    main(logdir)
    print(f"Show it: runglass {logdir}")
