"""The graph of a TensorFlow function, traced while it runs (inputs, matmul, relu and output), and a profile of the run."""

from __future__ import annotations

import argparse

import tensorflow as tf

from runglass import summary


@tf.function
def layer(inputs: tf.Tensor, weights: tf.Tensor, bias: tf.Tensor) -> tf.Tensor:
    return tf.nn.relu(tf.matmul(inputs, weights) + bias)


def main(logdir: str) -> None:
    with summary.create_file_writer(logdir).as_default():
        summary.trace_on(graph=True, profiler=True)
        layer(tf.random.uniform((3, 4)), tf.random.uniform((4, 2)), tf.zeros(2))
        summary.trace_export("layer", step=0, profiler_outdir=logdir)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--logdir", default="logs/trace_graph")
    logdir = parser.parse_args().logdir
    main(logdir)
    print(f"Show it: runglass {logdir}")
