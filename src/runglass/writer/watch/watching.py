"""`runglass.watch`. Finds out which framework a model is of; imports none."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from runglass.errors import BadArgument
from runglass.writer.graphs.keras_graph import is_keras
from runglass.writer.watch.choice import DEFAULT, EVERY, Choice, Schedule, What
from runglass.writer.watch.keras_watch import make_callback
from runglass.writer.watch.torch_watch import TorchWatched, is_torch_model
from runglass.writer.watch.tree_watch import TreeWatched, check_tree


def watch(
    model: Any,
    writer: Any,
    every: int = EVERY,
    *,
    what: Iterable[What] | What = DEFAULT,
    include: str | Sequence[str] = (),
    exclude: str | Sequence[str] = (),
    seconds: float | None = None,
    optimizer: Any = None,
    first_step: int = 0,
) -> Any:
    """Logs what is worth knowing of every module of a model while it trains, every so many steps.

    `what` is any of "grad_norm", "param_norm", "update_ratio" (the norm of a change over that of the weights), "activations" (mean,
    standard deviation and share of zeros), "not_finite" (how many numbers of a gradient are NaN or infinite; the first module and
    step are logged as a text), and on request "weights" and "gradients" (histograms). `include` and `exclude` are regular
    expressions for names of modules. With `seconds` it logs when so much time has passed.

    A torch.nn.Module needs nothing else: the steps of its optimizer count. Returns what ends it:

        watched = runglass.watch(model, writer, every=100)
        train(batch)
        watched.remove()

    A Keras model: returns a callback for fit(), which logs "param_norm" and "update_ratio".

        model.fit(x, y, callbacks=[runglass.watch(model, writer)])

    Parameters of JAX, Flax or NumPy, as nested dicts or lists: give those of each step, and what else is known of it.

        watched = runglass.watch(params, writer, every=10)
        watched.step(params, grads, updates=updates)
    """
    choice, schedule = Choice(what, include, exclude), Schedule(every, seconds)
    # Keras first: on its PyTorch back end a model is a torch module as well.
    if is_keras(model):
        return make_callback(model, writer, choice, schedule, first_step, what is DEFAULT)
    if is_torch_model(model):
        return TorchWatched(model, writer, choice, schedule, first_step, optimizer)
    check_tree(model)
    if optimizer is not None:
        raise BadArgument("watch: optimizer is for models of PyTorch.", where="optimizer")
    return TreeWatched(writer, choice, schedule, first_step)
