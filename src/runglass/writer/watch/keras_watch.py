"""A Keras model on any back end, from a callback: its weights before and after the batches that are logged.

Norms are computed on the device; one vector of them comes to the host. Gradients and outputs of layers exist only inside the compiled
training step, where no callback sees them.
"""

from __future__ import annotations

import warnings
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from runglass.writer.watch.choice import Choice, Schedule
from runglass.writer.watch.report import Numbers
from runglass.writer.watch.tree_watch import module_of
from runglass.writer.watch.watched import Watched


class KerasWatched(Watched):
    def __init__(self, model: Any, writer: Any, choice: Choice, schedule: Schedule, first_step: int) -> None:
        super().__init__(writer, choice, schedule, first_step)
        self._model = model
        self._before: dict[str, Any] = {}

    def begin_batch(self) -> None:
        if self._is_due:
            import keras

            # Copies: the training step may change the weights in place.
            self._before = {
                name: keras.ops.copy(keras.ops.convert_to_tensor(each)) for name, each in self._weights()
            }

    def end_batch(self) -> None:
        if self._is_due and self._before:
            self._log(self._before, dict(self._weights()))
        self._before = {}
        self._end_step()

    def _log(self, before: dict[str, Any], after: dict[str, Any]) -> None:
        from keras import ops

        def norm(array: Any) -> Any:
            return ops.norm(ops.reshape(ops.cast(array, "float32"), (-1,)))

        both = [name for name in before if name in after and before[name].shape == after[name].shape]
        modules = [module_of(name) for name in both]
        names, what = Numbers(), self.choice.what
        norms = [norm(before[name]) for name in both]
        numbers = []
        if "param_norm" in what:
            names.params = modules
            numbers += norms
        if "update_ratio" in what:
            names.updates = modules
            numbers += norms
            numbers += [norm(ops.subtract(after[name], before[name])) for name in both]
        if not numbers:
            return
        vector = ops.stack(numbers)

        def fetch() -> NDArray[np.float64]:
            return np.array(ops.convert_to_numpy(vector), np.float64)

        self._send(names, fetch)

    def _weights(self) -> list[tuple[str, Any]]:
        """Trainable weights by the path of their layer, without the name of the model."""
        found = []
        for weight in self._model.trainable_weights:
            name = weight.path.replace("/", ".").removeprefix(f"{self._model.name}.")
            if self.choice.has_module(module_of(name)):
                found.append((name, weight))
        return found


def make_callback(
    model: Any, writer: Any, choice: Choice, schedule: Schedule, first_step: int, is_default: bool
) -> Any:
    unseen = choice.what - {"param_norm", "update_ratio"}
    if unseen and not is_default:
        warnings.warn(
            f"runglass.watch does not see {', '.join(sorted(unseen))} of a Keras model: they exist only inside its compiled training "
            "step. RunglassCallback logs histograms of weights.",
            stacklevel=3,
        )
    return callback_class()(KerasWatched(model, writer, choice, schedule, first_step))


@cache
def callback_class() -> Any:
    """Made on first use: it is a subclass of what Keras checks for."""
    import keras

    class WatchCallback(keras.callbacks.Callback):  # type: ignore[misc]
        """What runglass.watch returns for a Keras model."""

        def __init__(self, watched: KerasWatched) -> None:
            super().__init__()
            self.watched: KerasWatched | None = watched

        def on_train_batch_begin(self, batch: int, logs: Any = None) -> None:
            if self.watched is not None:
                self.watched.begin_batch()

        def on_train_batch_end(self, batch: int, logs: Any = None) -> None:
            if self.watched is not None:
                self.watched.end_batch()

        def remove(self) -> None:
            """Stops watching; the callback may stay where it is."""
            self.watched = None

    return WatchCallback
