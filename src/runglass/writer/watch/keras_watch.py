"""A Keras model on any back end, from a callback: the weights around batches that are logged, and the outputs of layers.

Gradients exist only inside the compiled training step, where no callback sees them.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from runglass.writer.watch.choice import Choice, Schedule
from runglass.writer.watch.tree_watch import TreeWatched


class KerasWatched(TreeWatched):
    def __init__(self, model: Any, writer: Any, choice: Choice, schedule: Schedule, first_step: int) -> None:
        super().__init__(writer, choice, schedule, first_step)
        self._model = model
        self._then: dict[str, Any] | None = None

    def begin_batch(self) -> None:
        self._then = self._weights() if self.is_due and "update_ratio" in self.choice.what else None

    def end_batch(self) -> None:
        if not self.is_due:
            self._end_step()
            return
        now = self._weights()
        then, self._then = self._then, None
        if then is None:
            self.step(now)
        else:
            # The change belongs to the weights before it.
            self.step(then, updates={name: now[name] - then[name] for name in then if name in now})

    def _weights(self) -> dict[str, Any]:
        """Trainable weights by the path of their layer."""
        import keras

        return {
            weight.path.replace("/", "."): keras.ops.convert_to_numpy(weight)
            for weight in self._model.trainable_weights
        }


@cache
def callback_class() -> Any:
    """Made on first use: it is a subclass of what Keras checks for."""
    import keras

    class WatchCallback(keras.callbacks.Callback):  # type: ignore[misc]
        """What runglass.watch returns for a Keras model; `watched` is the same without Keras."""

        def __init__(self, watched: KerasWatched) -> None:
            super().__init__()
            self.watched = watched
            self.is_removed = False

        def on_train_batch_begin(self, batch: int, logs: Any = None) -> None:
            if not self.is_removed:
                self.watched.begin_batch()

        def on_train_batch_end(self, batch: int, logs: Any = None) -> None:
            if not self.is_removed:
                self.watched.end_batch()

        def remove(self) -> None:
            """Stops watching; the callback may stay where it is."""
            self.is_removed = True

    return WatchCallback
