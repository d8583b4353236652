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

words = keras.Sequential(
    [keras.Input((4,)), keras.layers.Embedding(30, 5), keras.layers.Flatten(), keras.layers.Dense(1)]
)
words.compile(optimizer="adam", loss="mse")
(out / "words").mkdir(parents=True)
(out / "words/labels.tsv").write_text("".join(f"word {number}\n" for number in range(30)))


class Remember(keras.callbacks.Callback):
    """After the callback that writes them."""

    def on_epoch_end(self, epoch: int, logs: object = None) -> None:
        truth.embedding(
            "words",
            "layer_with_weights-0/embeddings/.ATTRIBUTES/VARIABLE_VALUE",
            np.array(words.layers[0].get_weights()[0]),
            step=epoch,
            metadata={"label": [f"word {number}" for number in range(30)]},
        )


writing = keras.callbacks.TensorBoard(str(out / "words"), embeddings_freq=1, embeddings_metadata="labels.tsv")
words.fit(rng.integers(0, 30, (64, 4)), rng.random(64), epochs=3, verbose=0, callbacks=[writing, Remember()])

table = rng.normal(size=(12, 3))
(out / "saved").mkdir(parents=True)
for step in (1, 2):
    tf.train.Checkpoint(emb=tf.Variable(table + step)).write(str(out / f"saved/ckpt-{step}"))
    truth.embedding("saved", "emb/.ATTRIBUTES/VARIABLE_VALUE", (table + step).astype("f4"), step=step)
(out / "saved/projector_config.pbtxt").write_text(
    'embeddings { tensor_name: "emb/.ATTRIBUTES/VARIABLE_VALUE" }'
)
for version, name in ((tf.compat.v1.train.SaverDef.V1, "first"), (tf.compat.v1.train.SaverDef.V2, "second")):
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        parts = tf.compat.v1.fixed_size_partitioner(3)
        variable = tf.compat.v1.get_variable("emb", table.shape, partitioner=parts, use_resource=False)
        session.run(tf.compat.v1.global_variables_initializer())
        for number, part in enumerate(variable):
            part.load(table[number * 4 : number * 4 + 4], session)
        (out / name).mkdir(parents=True)
        saver = tf.compat.v1.train.Saver(write_version=version)
        saver.save(session, str(out / name / "model.ckpt"), global_step=9, write_meta_graph=False)
    (out / name / "projector_config.pbtxt").write_text('embeddings { tensor_name: "emb:0" }')
    truth.embedding(name, "emb", table.astype("f4"), step=9)

with tf.compat.v1.Graph().as_default():
    writer = tf.compat.v1.summary.FileWriter(str(out / "tf1"), graph=tf.compat.v1.get_default_graph())
    for step in range(20):
        summary = tf.compat.v1.Summary(value=[tf.compat.v1.Summary.Value(tag="old", simple_value=step * 0.5)])
        writer.add_summary(summary, step)
        truth.scalar("tf1", "old", step, step * 0.5)
    writer.close()

truth.save(out)
