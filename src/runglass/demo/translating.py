"""A small transformer that learns to turn words around, in two versions; logs its graph and where its gradients are."""

from __future__ import annotations

import itertools
import math
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from runglass.demo.recording import Recorder
from runglass.demo.tape import Tape, Value
from runglass.demo.training import Floats, rate_at
from runglass.schema.hparams import SessionOutcome
from runglass.writer.files.record_file import EventFileWriter
from runglass.writer.graphs.node import graph_event
from runglass.writer.values import hparams, summaries
from runglass.writer.watch.tree_watch import measure

FOLDER = "translate"
# With LayerNorm everywhere, and with RMSNorm and normalised queries and keys.
VERSIONS = ("baseline", "qk-norm")
LAYERS, HEADS, WIDTH, INNER = 3, 2, 16, 32
LETTERS = "abcdefghijklmnopqrstuvwxyz"
LENGTH, BATCH = 6, 24
# Of the target: a mark before its first letter.
START = len(LETTERS)
RATE = 0.01
STEPS_PER_NORM = 10
SECONDS_PER_STEP = 0.8
PROFILE = "training.trace.json.gz"


class Transformer:
    """An encoder and a decoder, trained with Adam."""

    def __init__(self, version: str, rng: np.random.Generator) -> None:
        self.is_new = version != VERSIONS[0]
        self.rng = rng
        self.parameters: dict[str, Floats] = {}
        self.moments: dict[str, tuple[Floats, Floats]] = {}
        self.gradients: dict[str, Floats] = {}
        # What the last step added to the parameters.
        self.updates: dict[str, Floats] = {}
        self.steps = 0

    def learn(
        self,
        source: NDArray[np.int64],
        target: NDArray[np.int64],
        rate: float,
        recorder: Recorder | None = None,
    ) -> tuple[Tape, float, float]:
        """One step on one batch; returns what was computed, the loss and the share of right letters."""
        span = recorder.span if recorder else lambda _: nullcontext()
        tape = Tape(self.parameters, self.rng, recorder)
        with span("forward"):
            logits = self.forward(tape, source, target)
            loss = tape.cross_entropy(logits, tape.placeholder("wanted", target))
        if recorder:
            recorder.count("activations", bytes=sum(each.data.nbytes for each in tape.values))
        with span("backward"):
            self.gradients = tape.gradients(loss)
        with span("optimizer"):
            self.update(rate)
        return tape, float(loss.data), float((logits.data.argmax(axis=-1) == target).mean())

    def update(self, rate: float) -> None:
        self.steps += 1
        for name, gradient in self.gradients.items():
            first, second = self.moments.setdefault(name, (np.zeros_like(gradient), np.zeros_like(gradient)))
            first += 0.1 * (gradient - first)
            second += 0.01 * (gradient * gradient - second)
            mean, square = first / (1 - 0.9**self.steps), second / (1 - 0.99**self.steps)
            self.updates[name] = -np.float32(rate) * mean / (np.sqrt(square) + np.float32(1e-8))
            self.parameters[name] += self.updates[name]

    def forward(self, tape: Tape, source: NDArray[np.int64], target: NDArray[np.int64]) -> Value:
        before = np.concatenate([np.full((len(target), 1), START), target[:, :-1]], axis=1)
        src, tgt = tape.placeholder("src_letters", source), tape.placeholder("tgt_letters", before)
        mask = tape.constant("causal_mask", np.triu(np.full((LENGTH, LENGTH), -1e9, np.float32), 1))
        with tape.scope("src_embed"):
            x = self.embedded(tape, src)
        with tape.scope("encoder"):
            for i in range(LAYERS):
                with tape.scope(f"layers.{i}"):
                    x = self.residual(
                        tape, x, "norm1", lambda x: self.attention(tape, "self_attn", x, x, None)
                    )
                    x = self.residual(tape, x, "norm2", lambda x: self.ffn(tape, x))
            memory = self.norm(tape, x, "norm")
        with tape.scope("tgt_embed"):
            y = self.embedded(tape, tgt)
        with tape.scope("decoder"):
            for i in range(LAYERS):
                with tape.scope(f"layers.{i}"):
                    y = self.residual(
                        tape, y, "norm1", lambda y: self.attention(tape, "self_attn", y, y, mask)
                    )
                    y = self.residual(
                        tape, y, "norm2", lambda y: self.attention(tape, "cross_attn", y, memory, None)
                    )
                    y = self.residual(tape, y, "norm3", lambda y: self.ffn(tape, y))
            y = self.norm(tape, y, "norm")
        return self.linear(tape, "lm_head", y, len(LETTERS))

    def embedded(self, tape: Tape, letters: Value) -> Value:
        table = tape.parameter("table", (len(LETTERS) + 1, WIDTH), scale=1.0)
        places = tape.parameter("positions", (LENGTH, WIDTH), scale=1.0)
        return tape.add(tape.embed(table, letters), places)

    def residual(self, tape: Tape, x: Value, name: str, part: Any) -> Value:
        return tape.add(x, part(self.norm(tape, x, name)))

    def norm(self, tape: Tape, x: Value, name: str) -> Value:
        with tape.scope(name):
            gain = tape.parameter("gain", (x.data.shape[-1],), scale=0)
            return tape.multiply(tape.rescale(x, is_centred=not self.is_new), gain)

    def linear(self, tape: Tape, name: str, x: Value, width: int) -> Value:
        with tape.scope(name):
            return tape.matmul(x, tape.parameter("weight", (x.data.shape[-1], width)))

    def ffn(self, tape: Tape, x: Value) -> Value:
        with tape.scope("ffn"):
            return self.linear(tape, "linear2", tape.relu(self.linear(tape, "linear1", x, INNER)), WIDTH)

    def attention(self, tape: Tape, name: str, x: Value, memory: Value, mask: Value | None) -> Value:
        with tape.scope(name):
            q, k, v = (
                tape.split_heads(self.linear(tape, part, of, WIDTH), HEADS)
                for part, of in (("q_proj", x), ("k_proj", memory), ("v_proj", memory))
            )
            if self.is_new:
                q, k = self.norm(tape, q, "q_norm"), self.norm(tape, k, "k_norm")
            scores = tape.matmul(q, tape.turned(k), "scores")
            if not self.is_new:
                scale = tape.constant("scale/factor", np.array(1 / math.sqrt(WIDTH // HEADS), np.float32))
                scores = tape.multiply(scores, scale, "scale")
            if mask:
                scores = tape.add(scores, mask, "mask")
            mixed = tape.matmul(tape.softmax(scores), v, "context")
            return self.linear(tape, "out_proj", tape.join_heads(mixed), WIDTH)


def write_translating(logdir: Path, start: float, steps: int, seed: int) -> None:
    for number, version in enumerate(VERSIONS):
        began = start + 3 * number
        rng = np.random.default_rng(seed)
        model = Transformer(version, rng)
        with EventFileWriter(logdir / FOLDER / version, clock=itertools.repeat(began).__next__) as writer:
            settings: dict[str, hparams.HParam] = {"task": "translate", "version": version, "lr": RATE}
            writer.write(0, values=[hparams.session_start(settings, start_time_s=began)])
            recorder = Recorder()
            for step in range(steps):
                source = rng.integers(0, len(LETTERS), (BATCH, LENGTH))
                rate, target = rate_at(step, RATE, steps), source[:, ::-1].copy()
                if step in profiled_steps(steps):
                    # Its times are of this machine, and differ each time.
                    if step == profiled_steps(steps).start:
                        recorder = Recorder()
                    with recorder.span(f"ProfilerStep#{step}"):
                        tape, loss, accuracy = model.learn(source, target, rate, recorder)
                else:
                    tape, loss, accuracy = model.learn(source, target, rate)
                if step == 0:
                    writer.write_fields(0, graph_event(tape.nodes))
                values = [summaries.scalar("loss", loss), summaries.scalar("accuracy", accuracy)]
                if step % STEPS_PER_NORM == 0 or step == steps - 1:
                    found = measure(model.parameters, model.gradients, updates=model.updates)
                    values += [summaries.scalar(tag, number) for tag, number in found.items()]
                writer.write(step, wall_time=began + (step + 1) * SECONDS_PER_STEP, values=values)
            profiled = began + profiled_steps(steps).start * SECONDS_PER_STEP
            file = logdir / FOLDER / version / PROFILE
            recorder.write(file, wall_time=profiled, process=f"translate {version}")
            end = began + steps * SECONDS_PER_STEP
            ended = hparams.session_end(SessionOutcome.SUCCESS, end_time_s=end)
            writer.write(0, wall_time=end, values=[ended])


def profiled_steps(steps: int) -> range:
    """Three in the second half."""
    return range(steps * 2 // 3, min(steps, steps * 2 // 3 + 3))
