"""Arguments of the Keras callback: metrics of every batch, weights as pictures, speed, and a profile of some batches.

For embeddings see keras_text_embedding.py.
"""

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
            keras.layers.Reshape((SIZE_PX, SIZE_PX, 1)),
            keras.layers.Conv2D(8, 3, activation="relu"),
            keras.layers.Flatten(),
            keras.layers.Dense(10, activation="softmax"),
        ]
    )
    model.compile(optimizer="adam", loss="sparse_categorical_crossentropy", metrics=["accuracy"])
    callback = RunglassCallback(
        log_dir=logdir,
        histogram_freq=1,
        write_graph=True,
        write_images=True,
        write_steps_per_second=True,
        update_freq="batch",
        profile_batch=(5, 10),
    )
    model.fit(
        *make_digits(1000),
        validation_data=make_digits(200, seed=1),
        epochs=2,
        verbose=0,
        callbacks=[callback],
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--logdir", default="logs/keras_options")
    logdir = parser.parse_args().logdir
    main(logdir)
    print(f"Show it: runglass {logdir}")
