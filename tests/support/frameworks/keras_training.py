"""Trains a small Keras model with our callbacks and Keras's own, into the directory given. KERAS_BACKEND says with what."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
import keras
import numpy as np

from runglass import hparams, summary
from runglass.keras import RunglassCallback

out = Path(sys.argv[1])
rng = np.random.default_rng(0)
keras.utils.set_random_seed(0)
OPTIONS = {"histogram_freq": 2, "write_images": True, "write_steps_per_second": True}


def picture_model() -> keras.Model:
    model = keras.Sequential(
        [
            keras.Input((6, 6, 1)),
            keras.layers.Conv2D(3, 3),
            keras.layers.Flatten(),
            keras.layers.Dense(4),
            keras.layers.Dense(1),
        ]
    )
    model.compile(optimizer="sgd", loss="mse", metrics=["mae"])
    return model


x = rng.normal(size=(64, 6, 6, 1)).astype("f4")
y = x.sum((1, 2, 3))
model = picture_model()
ours = RunglassCallback(out / "ours", update_freq=1, **OPTIONS)
assert isinstance(ours, keras.callbacks.Callback)
session = hparams.KerasCallback(str(out / "ours"), {hparams.HParam("lr"): 0.01}, trial_id="one")
assert isinstance(session, keras.callbacks.Callback)
theirs = keras.callbacks.TensorBoard(out / "theirs", update_freq=1, **OPTIONS)
history = model.fit(
    x, y, epochs=3, batch_size=8, validation_split=0.25, verbose=0, callbacks=[ours, session, theirs]
)
model.evaluate(x, y, verbose=0, callbacks=[RunglassCallback(out / "evaluated", write_graph=False)])

# A training whose model is evaluated, and predicts, with the callback of the training.
amid = RunglassCallback(out / "amid", update_freq="batch")


def evaluate(epoch: int, logs: object) -> None:
    model.evaluate(x, y, verbose=0, callbacks=[amid])
    model.predict(x, verbose=0, callbacks=[amid])


model.fit(
    x,
    y,
    epochs=2,
    batch_size=16,
    verbose=0,
    callbacks=[amid, keras.callbacks.LambdaCallback(on_epoch_end=evaluate)],
)

# Values of a Python step, and of the model itself while it trains.
words = keras.Sequential(
    [keras.layers.Embedding(7, 3, name="words"), keras.layers.Flatten(), keras.layers.Dense(1)]
)
words.compile(optimizer="adam", loss="mse", run_eagerly=keras.config.backend() != "tensorflow")
labels = out / "words"
labels.mkdir(parents=True)
(labels / "labels.tsv").write_text("\n".join("abcdefg"))


class Logged(keras.layers.Layer):
    def call(self, inputs):
        summary.scalar("mean", keras.ops.stop_gradient(keras.ops.mean(inputs)))
        return inputs


words.add(Logged())
words.fit(
    rng.integers(0, 7, (32, 5)),
    rng.normal(size=32),
    epochs=3,
    batch_size=8,
    verbose=0,
    callbacks=[
        RunglassCallback(
            labels,
            update_freq=2,
            profile_batch=(3, 4),
            embeddings_freq=2,
            embeddings_metadata={"words": "labels.tsv"},
        )
    ],
)
vectors = keras.ops.convert_to_numpy(words.layers[0].embeddings)
truth = {"history": history.history, "vectors": vectors.tolist()}
(out / "truth.json").write_text(json.dumps(truth))
