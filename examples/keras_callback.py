"""The Keras callback: loss and accuracy of training and validation, the layers, and a histogram of every weight after every epoch."""

from __future__ import annotations

import argparse

import keras
from digits import SIZE_PX, make_digits

from runglass.keras import RunglassCallback


def main(logdir: str) -> None:
    keras.utils.set_random_seed(0)
    model = keras.Sequential(
        [
            keras.Input((SIZE_PX, SIZE_PX)),
            keras.layers.Flatten(),
            keras.layers.Dense(64, activation="relu"),
            keras.layers.Dense(10, activation="softmax"),
        ]
    )
    model.compile(optimizer="adam", loss="sparse_categorical_crossentropy", metrics=["accuracy"])
    model.fit(
        *make_digits(2000),
        validation_data=make_digits(500, seed=1),
        epochs=5,
        verbose=0,
        callbacks=[RunglassCallback(log_dir=logdir, histogram_freq=1)],
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--logdir", default="logs/keras_callback")
    logdir = parser.parse_args().logdir
    main(logdir)
    print(f"Show it: runglass {logdir}")
