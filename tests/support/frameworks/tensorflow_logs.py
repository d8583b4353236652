"""Writes logs with TensorFlow and Keras, and what they must read as, into the directory given. Runs without Runglass."""

from __future__ import annotations

import os
import sys
from pathlib import Path

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
import keras
import numpy as np
import tensorflow as tf
from truth import Truth

out = Path(sys.argv[1])
truth = Truth()
rng = np.random.default_rng(0)

with tf.summary.create_file_writer(str(out / "tf2")).as_default():
    for step in range(50):
        truth.scalar("tf2", "loss", step, float(np.float32(1 / (step + 1))))
        tf.summary.scalar("loss", 1 / (step + 1), step=step)
    values = rng.normal(size=500)
    tf.summary.histogram("weights", values, step=3)
    truth.total("tf2", "weights", "histogram", count=1, sum_of_counts=500)
    tf.summary.text("note", "# hello\n\nworld", step=0)
    truth.text("tf2", "note", "# hello\n\nworld")
    tf.summary.image("noise", rng.random((2, 8, 9, 3)), step=1)
    truth.images("tf2", "noise", samples=2, width=9, height=8)
    tf.summary.audio(
        "tone", np.sin(np.arange(800) / 9).reshape(1, 800, 1).astype("f4"), sample_rate=8000, step=1
    )
    truth.audio("tf2", "tone", sample_rate=8000, frames=800)

keras.utils.set_random_seed(0)
model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(8, activation="relu"), keras.layers.Dense(1)])
model.compile(optimizer="sgd", loss="mse")
x = rng.normal(size=(64, 4)).astype("f4")
history = model.fit(
    x,
    x.sum(1),
    epochs=3,
    validation_split=0.25,
    verbose=0,
    callbacks=[keras.callbacks.TensorBoard(str(out / "keras"), histogram_freq=1, update_freq="epoch")],
)
for epoch, (loss, val_loss) in enumerate(
    zip(history.history["loss"], history.history["val_loss"], strict=True)
):
    truth.scalar("keras/train", "epoch_loss", epoch, float(np.float32(loss)))
    truth.scalar("keras/validation", "epoch_loss", epoch, float(np.float32(val_loss)))

with tf.compat.v1.Graph().as_default():
    writer = tf.compat.v1.summary.FileWriter(str(out / "tf1"), graph=tf.compat.v1.get_default_graph())
    for step in range(20):
        summary = tf.compat.v1.Summary(value=[tf.compat.v1.Summary.Value(tag="old", simple_value=step * 0.5)])
        writer.add_summary(summary, step)
        truth.scalar("tf1", "old", step, step * 0.5)
    writer.close()

truth.save(out)
