"""Trains with JAX, logging through tensorboardX as JAX users do, and says what must be read. Runs without Runglass."""

from __future__ import annotations

import sys
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
from tensorboardX import SummaryWriter
from truth import Truth

out = Path(sys.argv[1])
truth = Truth()
target = jnp.arange(4.0)


@jax.jit
def loss(weights: jax.Array) -> jax.Array:
    return jnp.mean((weights - target) ** 2)


weights = jnp.zeros(4)
with SummaryWriter(str(out / "run")) as writer:
    for step in range(30):
        value, gradient = jax.value_and_grad(loss)(weights)
        weights = weights - 0.3 * gradient
        writer.add_scalar("loss", np.asarray(value), step)
        truth.scalar("run", "loss", step, float(np.float32(value)))

truth.save(out)
