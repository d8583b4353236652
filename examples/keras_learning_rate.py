"""A learning rate that falls at epochs 10, 20 and 50, logged by the schedule itself beside the curves of the callback."""

from __future__ import annotations

import argparse

import keras
from digits import SIZE_PX, make_digits

from runglass import summary
from runglass.keras import RunglassCallback


def schedule(epoch: int) -> float:
    rate = 0.2 if epoch < 10 else 0.05 if epoch < 20 else 0.01 if epoch < 50 else 0.001
    summary.scalar("learning rate", rate, step=epoch)
    return rate


def main(logdir: str) -> None:
    keras.utils.set_random_seed(0)
    model = keras.Sequential(
        [
            keras.Input((SIZE_PX, SIZE_PX)),
            keras.layers.Flatten(),
            keras.layers.Dense(10, activation="softmax"),
        ]
    )
    model.compile(optimizer="sgd", loss="sparse_categorical_crossentropy", metrics=["accuracy"])
    with summary.create_file_writer(f"{logdir}/schedule").as_default():
        model.fit(
            *make_digits(500),
            validation_data=make_digits(200, seed=1),
            epochs=60,
            verbose=0,
            callbacks=[keras.callbacks.LearningRateScheduler(schedule), RunglassCallback(log_dir=logdir)],
        )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--logdir", default="logs/keras_learning_rate")
    logdir = parser.parse_args().logdir
    main(logdir)
    print(f"Show it: runglass {logdir}")
