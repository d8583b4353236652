"""A dense and a convolutional network side by side, each run in a directory named after its settings and start time."""

from __future__ import annotations

import argparse
from datetime import datetime

import keras
from digits import SIZE_PX, make_digits

from runglass.keras import RunglassCallback


def make_networks() -> dict[str, list[keras.layers.Layer]]:
    return {
        "dense": [keras.layers.Dense(32, activation="relu")],
        "convolutional": [
            keras.layers.Reshape((SIZE_PX, SIZE_PX, 1)),
            keras.layers.Conv2D(8, 3, activation="relu"),
            keras.layers.MaxPooling2D(),
            keras.layers.Flatten(),
        ],
    }


def main(logdir: str) -> None:
    for rate in (0.01, 0.001):
        for name, layers in make_networks().items():
            keras.utils.set_random_seed(0)
            model = keras.Sequential(
                [keras.Input((SIZE_PX**2,)), *layers, keras.layers.Dense(10, activation="softmax")]
            )
            model.compile(
                optimizer=keras.optimizers.Adam(rate),
                loss="sparse_categorical_crossentropy",
                metrics=["accuracy"],
            )
            images, labels = make_digits(1000)
            began = datetime.now().strftime("%Y-%m-%d-%H-%M-%S")
            model.fit(
                images.reshape(len(images), -1),
                labels,
                validation_split=0.2,
                epochs=5,
                verbose=0,
                callbacks=[RunglassCallback(log_dir=f"{logdir}/{name}/lr={rate}/{began}")],
            )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--logdir", default="logs/keras_two_networks")
    logdir = parser.parse_args().logdir
    main(logdir)
    print(f"Show it: runglass {logdir}")
