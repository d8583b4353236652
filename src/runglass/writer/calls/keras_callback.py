"""A Keras callback: logs metrics, learning rate, weights, model, embeddings and a profile.

Uses the runs, tags and steps of keras.callbacks.TensorBoard, on every back end.
"""

from __future__ import annotations

import os
import time
import warnings
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack
from functools import cache
from numbers import Integral
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from runglass.errors import BadArgument
from runglass.writer.calls import tensorflow_bridge, tf_style
from runglass.writer.calls.default_writer import FILENAME_SUFFIX, Late, SummaryFileWriter, record_if
from runglass.writer.calls.profilers import (
    PROFILERS,
    Profiler,
    Recorded,
    TensorFlowProfiler,
    batches_to_profile,
)
from runglass.writer.calls.projector import log_embedding
from runglass.writer.files.event_writer import EventWriter
from runglass.writer.files.sinks import local_path
from runglass.writer.graphs.keras_graph import keras_graph
from runglass.writer.values import summaries
from runglass.writer.values.arrays import to_number, to_numpy, to_step

# The model classes of Keras whose JSON shows a graph.
GRAPH_MODELS = ("Functional", "Sequential")


class TrainingHooks:
    """Logs a Keras training into `log_dir`, with the runs, tags and arguments of keras.callbacks.TensorBoard.

        model.fit(x, y, callbacks=[RunglassCallback("logs/first", histogram_freq=1)])

    `histogram_freq`: epochs between histograms of all weights, with `write_images` also as pictures; 0 for none. `write_graph`: the
    layers of the model. `update_freq`: "epoch", "batch" or a number of batches between values of batches. `profile_batch`: the
    batch, or first and last batch, to profile. `embeddings_freq`: epochs between copies of embedding layers for the projector,
    `embeddings_metadata` the file with their labels. `write_steps_per_second`: how fast it trains.
    """

    # A mixin for keras.callbacks.Callback, which sets this.

    model: Any

    def __init__(
        self,
        log_dir: str | os.PathLike[str] = "logs",
        histogram_freq: int = 0,
        write_graph: bool = True,
        write_images: bool = False,
        write_steps_per_second: bool = False,
        update_freq: int | Literal["batch", "epoch"] = "epoch",
        profile_batch: int | tuple[int, int] | str = 0,
        embeddings_freq: int = 0,
        embeddings_metadata: str | Mapping[str, str] | None = None,
    ) -> None:
        super().__init__()
        if update_freq != "epoch" and update_freq != "batch" and not is_positive(update_freq):
            raise BadArgument(
                f"update_freq must be 'epoch', 'batch' or a number of batches, got {update_freq!r}.",
                where="update_freq",
            )
        for name, value in (("histogram_freq", histogram_freq), ("embeddings_freq", embeddings_freq)):
            if not isinstance(value, Integral) or int(value) < 0:
                raise BadArgument(
                    f"{name} must be a number of epochs, or 0 for never, got {value!r}.", where=name
                )
        self.log_dir = os.fspath(log_dir)
        self.histogram_freq = histogram_freq
        self.write_graph = write_graph
        self.write_images = write_images
        self.write_steps_per_second = write_steps_per_second
        self.update_freq = 1 if update_freq == "batch" else update_freq
        # Log batch values every so many batches; 0 for never.
        self._every = 0 if self.update_freq == "epoch" else int(self.update_freq)
        self._first_profiled, self._last_profiled = batches_to_profile(profile_batch)
        # Lets Keras start the next batch before it knows the values of the last one, which we do not need then.
        self.async_safe = not self._every and not self._first_profiled
        self.embeddings_freq = embeddings_freq
        self.embeddings_metadata = embeddings_metadata
        # The model whose training has begun and, as far as we know, not ended.
        self._in_training: Any = None
        self._writers: dict[str, SummaryFileWriter] = {}
        # The contexts in which summaries inside the model find their writer.
        self._defaults: list[ExitStack] = []
        self._batches = {"train": 0, "validation": 0}
        self._is_train_graph_due = False
        self._profiler: Profiler | None = None
        self._profiled_batch: AbstractContextManager[Any] | None = None

    def set_model(self, model: Any) -> None:
        super().set_model(model)  # type: ignore[misc]
        self._leave_defaults()
        # Either an evaluation during training, or an interrupted training; on_train_begin tells them apart.
        if self._in_training is not model:
            self._begin()

    def on_train_begin(self, logs: Any = None) -> None:
        if self._in_training is not None:
            # A leftover of an interrupted training.
            self._begin()
        self._in_training = self.model
        self._batches["train"] = 0
        self._enter_default("train")

    def on_train_end(self, logs: Any = None) -> None:
        self._in_training = None
        self._leave_defaults()
        self._stop_profiler()
        self._close_writers()

    def on_test_begin(self, logs: Any = None) -> None:
        self._enter_default("validation")

    def on_test_end(self, logs: Any = None) -> None:
        iterations = getattr(self.model.optimizer, "iterations", None)
        if iterations is not None and logs:
            step = to_step(iterations)
            self._add_scalars(
                "validation",
                {f"evaluation_{name}_vs_iterations": value for name, value in logs.items()},
                step,
            )
        self._leave_default()
        # An evaluation outside training ends here.
        if self._in_training is None:
            self._close_writers()
        elif not self._defaults:
            self._flush_writers()

    def on_train_batch_begin(self, batch: int, logs: Any = None) -> None:
        if not self._defaults:
            # The training goes on after an evaluation of the same model.
            self._enter_default("train")
        if self._batches["train"]:
            self._write_train_graph()
        self._batches["train"] += 1
        self._batch_start_s = time.perf_counter()
        if self._batches["train"] == self._first_profiled:
            self._start_profiler()
        if self._profiler is not None:
            self._profiled_batch = self._profiler.step("Profiled batch", self._batches["train"])
            self._profiled_batch.__enter__()

    def on_train_batch_end(self, batch: int, logs: Any = None) -> None:
        step = self._batches["train"]
        if self._every and step % self._every == 0:
            values = {}
            if self.write_steps_per_second:
                values["batch_steps_per_second"] = 1 / max(time.perf_counter() - self._batch_start_s, 1e-9)
            if isinstance(logs, dict):
                values.update({f"batch_{name}": value for name, value in logs.items()})
            self._add_scalars("train", values, step)
        if self._profiled_batch is not None:
            self._profiled_batch.__exit__(None, None, None)
            self._profiled_batch = None
        if self._profiler is not None and step >= self._last_profiled:
            self._stop_profiler()

    def on_test_batch_begin(self, batch: int, logs: Any = None) -> None:
        self._batches["validation"] += 1

    def on_epoch_begin(self, epoch: int, logs: Any = None) -> None:
        if self.write_steps_per_second:
            self._epoch_iterations = to_step(self.model.optimizer.iterations)
            self._epoch_start_s = time.perf_counter()

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        self._write_train_graph()
        self._add_epoch(epoch, logs or {})
        if self.histogram_freq and epoch % self.histogram_freq == 0:
            self._add_weights(epoch)
        if self.embeddings_freq and epoch % self.embeddings_freq == 0:
            self._write_embeddings(epoch)

    def _begin(self) -> None:
        self._in_training = None
        self._close_writers()
        # Only TensorFlow has one, and other back ends would spend time on the question.
        self._is_train_graph_due = self.write_graph and tensorflow_bridge.loaded_tensorflow() is not None
        if self.write_graph:
            self._write_model()
        if self.embeddings_freq:
            self._check_embeddings()

    # Writers

    def _writer(self, run: str) -> SummaryFileWriter:
        """Opens on first use, so that a training without validation has no such directory."""
        if run not in self._writers:
            self._writers[run] = SummaryFileWriter(
                EventWriter(
                    os.path.join(self.log_dir, run),
                    filename_suffix=FILENAME_SUFFIX,
                    is_amid_training=bool(self._writers),
                )
            )
        return self._writers[run]

    def _flush_writers(self) -> None:
        for writer in self._writers.values():
            writer.flush()

    def _close_writers(self) -> None:
        for writer in self._writers.values():
            writer.close()
        self._writers = {}

    def _enter_default(self, run: str) -> None:
        """Lets calls of runglass.summary inside the model write to this run, at the current batch."""
        stack = ExitStack()
        if self._every:
            stack.enter_context(self._writer(run).as_default(Late(lambda: self._batches[run])))
            stack.enter_context(record_if(Late(lambda: self._batches[run] % self._every == 0)))
        self._defaults.append(stack)

    def _leave_default(self) -> None:
        # Empty if an inner evaluation left it.
        if self._defaults:
            self._defaults.pop().close()

    def _leave_defaults(self) -> None:
        while self._defaults:
            self._leave_default()

    # Values

    def _add_scalars(self, run: str, values: Mapping[str, Any], step: int) -> None:
        if values:
            events = self._writer(run).events
            for tag, value in values.items():
                tf_style.add_scalar(events, tag, value, step)

    def _add_epoch(self, epoch: int, logs: Mapping[str, Any]) -> None:
        # Differs from keras.callbacks.TensorBoard, which skips epochs if update_freq is above 1.
        if not logs:
            return
        train = {f"epoch_{name}": value for name, value in logs.items() if not name.startswith("val_")}
        train.update({f"epoch_{name}": value for name, value in self._learning_rates()})
        if self.write_steps_per_second:
            iterations = to_step(self.model.optimizer.iterations) - self._epoch_iterations
            duration_s = max(time.perf_counter() - self._epoch_start_s, 1e-9)
            train["epoch_steps_per_second"] = iterations / duration_s
        validation = {
            f"epoch_{name.removeprefix('val_')}": value
            for name, value in logs.items()
            if name.startswith("val_")
        }
        self._add_scalars("train", train, epoch)
        self._add_scalars("validation", validation, epoch)

    def _learning_rates(self) -> Iterator[tuple[str, float]]:
        optimizer = getattr(self.model.optimizer, "inner_optimizer", self.model.optimizer)
        if hasattr(optimizer, "optimizers"):
            for each in optimizer.optimizers:
                yield f"learning_rate_{each.name}", float(to_number(each.learning_rate, "Learning rate"))
        elif hasattr(optimizer, "learning_rate"):
            yield "learning_rate", float(to_number(optimizer.learning_rate, "Learning rate"))

    def _add_weights(self, epoch: int) -> None:
        import keras

        channels_last = keras.config.image_data_format() == "channels_last"
        events = self._writer("train").events
        for layer in self.model.layers:
            for weight in layer.weights:
                name = weight.path.replace(":", "_")
                values = to_numpy(weight, f"Weight {name!r}")
                events.add_values([summaries.histogram(f"{name}/histogram", values)], epoch)
                pictures = weight_pictures(values, channels_last=channels_last)
                if self.write_images and pictures is not None:
                    tf_style.add_images(events, f"{name}/image", pictures, epoch)

    # Model

    def _write_model(self) -> None:
        if type(self.model).__name__ not in GRAPH_MODELS:
            return
        try:
            values = keras_graph(self.model).values
        except BadArgument as error:
            warnings.warn(f"The graph of the model is not logged. {error.message}", stacklevel=2)
            return
        self._writer("train").events.add_values(values, 0)

    def _write_train_graph(self) -> None:
        """The graph of a training step, after the first one, on TensorFlow only."""
        if not self._is_train_graph_due:
            return
        self._is_train_graph_due = False
        for function in functions_inside(getattr(self.model, "train_function", None)):
            concrete = getattr(function, "_concrete_variable_creation_fn", None)
            if concrete is not None:
                graph_def = concrete.graph.as_graph_def(add_shapes=True).SerializeToString()
                self._writer("train").events.add_event({"graph_def": graph_def})
                return

    # Profile

    def _start_profiler(self) -> None:
        import keras

        backend = keras.config.backend()
        run_dir = os.path.join(self.log_dir, "train")
        try:
            profiler = PROFILERS[backend](local_path(run_dir) or run_dir, Recorded(shapes=True))
            profiler.start()
            self._profiler = profiler
            if backend == "tensorflow":
                tensorflow_bridge.trace_on(graph=True)
        except BadArgument as error:
            warnings.warn(error.message, stacklevel=2)
        except Exception as error:
            # Another profiler may run already; training goes on without this one.
            warnings.warn(f"The {backend} profiler did not start: {error!r}", stacklevel=2)

    def _stop_profiler(self) -> None:
        profiler, self._profiler = self._profiler, None
        if profiler is None:
            return
        try:
            if isinstance(profiler, TensorFlowProfiler):
                with self._writer("train").as_default(), record_if(True):
                    tf_style.trace_export(f"batch_{self._last_profiled}", step=self._last_profiled)
            profiler.stop()
        except Exception as error:
            warnings.warn(f"The profile could not be written: {error!r}", stacklevel=2)

    # Embeddings

    def _embedding_layers(self) -> list[Any]:
        import keras

        return [layer for layer in self.model.layers if isinstance(layer, keras.layers.Embedding)]

    def _check_embeddings(self) -> None:
        if isinstance(self.embeddings_metadata, Mapping):
            names = [layer.name for layer in self._embedding_layers()]
            unknown = [name for name in self.embeddings_metadata if name not in names]
            if unknown:
                raise BadArgument(
                    f"embeddings_metadata names {unknown}, but the embedding layers of the model are {names}.",
                    where="embeddings_metadata",
                )

    def _write_embeddings(self, epoch: int) -> None:
        # Differs from keras.callbacks.TensorBoard, whose config names checkpoint variables that no reader loads.
        labels = self.embeddings_metadata
        for layer in self._embedding_layers():
            path = labels.get(layer.name) if isinstance(labels, Mapping) else labels
            vectors = to_numpy(layer.embeddings, f"Embedding {layer.name!r}")
            try:
                log_embedding(self.log_dir, vectors, name=layer.name, step=epoch, metadata_path=path)
            except OSError as error:
                warnings.warn(f"The embedding {layer.name!r} could not be written: {error}", stacklevel=2)


def weight_pictures(values: NDArray[Any], *, channels_last: bool) -> NDArray[Any] | None:
    """A weight as pictures [k, height, width, channels]; None for other shapes."""
    squeezed = np.squeeze(values).astype(np.float32)
    if squeezed.ndim == 1:
        return squeezed.reshape(1, -1, 1, 1)
    if squeezed.ndim == 2:
        wide = squeezed.T if squeezed.shape[0] > squeezed.shape[1] else squeezed
        return wide[np.newaxis, :, :, np.newaxis]
    if squeezed.ndim == 3:
        # Each kernel of a convolution is one picture.
        kernels = np.transpose(squeezed, (2, 0, 1)) if channels_last else squeezed
        return kernels[..., np.newaxis]
    return squeezed if squeezed.ndim == 4 and squeezed.shape[-1] in (1, 3, 4) else None


def functions_inside(function: Any) -> Iterator[Any]:
    """A function and the functions it closes over: Keras wraps its tf.function in a plain one."""
    yield function
    for cell in getattr(function, "__closure__", None) or ():
        yield cell.cell_contents


def is_positive(value: object) -> bool:
    return isinstance(value, Integral) and int(value) > 0


@cache
def callback_class() -> type:
    """A subclass of keras.callbacks.Callback; imports Keras."""
    import keras

    return type(
        "RunglassCallback",
        (TrainingHooks, keras.callbacks.Callback),
        {"__module__": "runglass.keras", "__doc__": TrainingHooks.__doc__},
    )
