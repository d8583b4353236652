"""Two small networks that learn to denoise pictures and tones, with one bad batch in the middle that was not scaled.

Three runs see the same batches: the bad one derails `plain` and hardly affects `clipped`, which limits its gradients;
`narrow` has two hidden units and learns more slowly. At the bad step every run logs all kinds of values, to show the effect.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from runglass.demo import pictures, shapes, sounds, texts
from runglass.demo.training import Floats, norm, rate_at
from runglass.schema.hparams import SessionOutcome
from runglass.writer.files.record_file import EventFileWriter
from runglass.writer.values import hparams, summaries
from runglass.writer.values.mesh import mesh

# Side of the patch, and length of the stretch, whose centre the network predicts.
PATCH = 7
STRETCH = 41
BATCH = 128
RATE = 0.05
NOISE = 0.22
# The factor of the bad batch, which was not divided by the largest value.
UNSCALED = 24.0
SECONDS_PER_STEP = 0.25
# How many times a run logs all kinds of values; meshes are large, and come every fourth time.
LOGGED_TIMES = 40
SHAPES_EVERY = 4
# Larger products start BLAS threads, which then spin for longer than the product takes.
SLICE = 128


@dataclass(frozen=True)
class Setup:
    name: str
    hidden: int
    max_norm: float | None


SETUPS = (Setup("plain", 24, None), Setup("clipped", 24, 1.0), Setup("narrow", 2, 1.0))


@dataclass
class Denoiser:
    """Predicts a number from its surroundings: one hidden layer with tanh, squared error."""

    inner: Floats
    outer: Floats
    velocity: list[Floats] = field(default_factory=list)
    gradients: list[Floats] = field(default_factory=list)

    @classmethod
    def random(cls, inputs: int, hidden: int, rng: np.random.Generator) -> Denoiser:
        # The last row of each is the bias.
        inner = rng.normal(0, inputs**-0.5, (inputs + 1, hidden)).astype(np.float32)
        return cls(inner, rng.normal(0, 0.3, hidden + 1).astype(np.float32))

    def hidden(self, x: Floats) -> Floats:
        layer: Floats = np.tanh(x @ self.inner[:-1] + self.inner[-1])
        return layer

    def guess(self, x: Floats) -> Floats:
        parts = [self.hidden(x[i : i + SLICE]) @ self.outer[:-1] for i in range(0, len(x), SLICE)]
        guessed: Floats = np.concatenate(parts) + self.outer[-1]
        return guessed

    def learn(self, x: Floats, y: Floats, rate: float, max_norm: float | None) -> tuple[float, float]:
        """One step on one batch; returns its loss, and the norm of its gradient before clipping."""
        layer = self.hidden(x)
        wrong = layer @ self.outer[:-1] + self.outer[-1] - y
        pull = 2 * wrong / len(y)
        back = np.outer(pull, self.outer[:-1]) * (1 - layer**2)
        inner_gradient = np.concatenate([x.T @ back, back.sum(axis=0, keepdims=True)])
        outer_gradient = np.append(layer.T @ pull, pull.sum())
        self.gradients = [inner_gradient, outer_gradient]
        gradient_norm = norm(self.gradients)
        if max_norm is not None and gradient_norm > max_norm:
            self.gradients = [gradient * np.float32(max_norm / gradient_norm) for gradient in self.gradients]
        self.velocity = self.velocity or [np.zeros_like(gradient) for gradient in self.gradients]
        for parameter, speed, gradient in zip(
            (self.inner, self.outer), self.velocity, self.gradients, strict=True
        ):
            speed *= np.float32(0.9)
            speed -= np.float32(rate) * gradient
            parameter += speed
        return float((wrong**2).mean()), gradient_norm


def around_pixels(picture: Floats) -> Floats:
    """The patch around every pixel, with the edges repeated outside."""
    padded = np.pad(picture, PATCH // 2, mode="edge")
    return sliding_window_view(padded, (PATCH, PATCH)).reshape(-1, PATCH * PATCH)


def around_samples(wave: Floats) -> Floats:
    return sliding_window_view(np.pad(wave, STRETCH // 2), STRETCH)


@dataclass(frozen=True)
class Material:
    """The clean and noisy data, the same for every run."""

    pictures: Floats
    noisy_pictures: Floats
    tune: Floats
    noisy_tune: Floats

    @classmethod
    def make(cls, rng: np.random.Generator) -> Material:
        clean, tune = pictures.scenes(rng, 4), sounds.tune(rng)

        def spoiled(values: Floats, noise: float) -> Floats:
            return (values + rng.normal(0, noise, values.shape)).astype(np.float32)

        return cls(clean, spoiled(clean, NOISE), tune, spoiled(tune, NOISE / 2))


@dataclass
class Job:
    setup: Setup
    material: Material
    rng: np.random.Generator
    steps: int
    writer: EventFileWriter

    def __post_init__(self) -> None:
        self.picture_network = Denoiser.random(PATCH * PATCH, self.setup.hidden, self.rng)
        self.tune_network = Denoiser.random(STRETCH, self.setup.hidden, self.rng)
        # The last picture is held out; there is only one tune.
        self.patches = np.concatenate([around_pixels(each) for each in self.material.noisy_pictures[:-1]])
        self.pixels = self.material.pictures[:-1].reshape(-1)
        self.stretches = around_samples(self.material.noisy_tune)

    @property
    def every(self) -> int:
        return max(1, self.steps // LOGGED_TIMES)

    @property
    def bad_step(self) -> int:
        """In the middle, at a step that logs everything."""
        return self.steps // 2 // self.every * self.every

    def run(self, start: float) -> float:
        wall_time = start
        for step in range(self.steps):
            is_bad = step == self.bad_step
            values = self.learn(step, np.float32(UNSCALED if is_bad else 1.0))
            wall_time += SECONDS_PER_STEP * float(self.rng.uniform(0.9, 1.1))
            if step % self.every == 0 or step == self.steps - 1:
                values += self.look(step, is_bad=is_bad)
            self.writer.write(step, wall_time=wall_time, values=values)
        return wall_time

    def learn(self, step: int, scale: np.float32) -> list[bytes]:
        rate = rate_at(step, RATE, self.steps)
        values = [summaries.scalar("optimizer/lr", rate)]
        for name, network, inputs, targets in (
            ("pictures", self.picture_network, self.patches, self.pixels),
            ("tune", self.tune_network, self.stretches, self.material.tune),
        ):
            picked = self.rng.integers(0, len(targets), BATCH)
            loss, gradient_norm = network.learn(
                inputs[picked] * scale, targets[picked] * scale, rate, self.setup.max_norm
            )
            values.append(summaries.scalar(f"{name}/loss", loss))
            values.append(summaries.scalar(f"{name}/grad_norm", gradient_norm))
        return values

    def look(self, step: int, *, is_bad: bool) -> list[bytes]:
        """A value of every kind."""
        material = self.material
        cleaned = np.stack(
            [
                self.picture_network.guess(around_pixels(each)).reshape(each.shape)
                for each in material.noisy_pictures[1:]
            ]
        )
        cleaned = np.nan_to_num(np.clip(cleaned, 0, 1))
        tune = np.nan_to_num(np.clip(self.tune_network.guess(self.stretches), -1, 1))
        errors = np.abs(cleaned - material.pictures[1:])
        quality = {
            "pictures/quality_db": decibels(errors),
            "tune/quality_db": decibels(tune - material.tune),
        }
        values = [summaries.scalar(tag, value) for tag, value in quality.items()]
        values.append(
            summaries.image(
                "pictures/cleaned",
                pictures.enlarged_batch(cleaned, 3),
                description="What the network makes of three noisy pictures; it has not seen the last one.",
            )
        )
        values.append(
            summaries.image(
                "pictures/error",
                pictures.sixteen_bits(errors[-1]),
                description="How far the last picture is from what it should be, in 16 bits.",
            )
        )
        values.append(summaries.audio("tune/cleaned", tune, sounds.SAMPLE_RATE))
        values.append(summaries.text("report", texts.report(step, quality, self.setup.name, is_bad=is_bad)))
        layers = {
            "weights/pictures": self.picture_network.inner,
            "weights/tune": self.tune_network.inner,
            "gradients/pictures": self.picture_network.gradients[0],
            "activations/pictures": self.picture_network.hidden(self.patches[:: len(self.patches) // 200]),
        }
        values += [summaries.histogram(tag, layer) for tag, layer in layers.items()]
        if step // self.every % SHAPES_EVERY == 0 or is_bad or step == self.steps - 1:
            values += mesh("pictures/relief", *shapes.relief(cleaned[-1], errors[-1]), config=shapes.VIEW)
        return values


def decibels(error: Floats) -> float:
    """The signal-to-noise ratio for a signal of power one and this error."""
    return float(-10 * np.log10(max(float(np.mean(np.square(error, dtype=np.float64))), 1e-12)))


def write_denoising(logdir: Path, start: float, steps: int, seed: int) -> None:
    material = Material.make(np.random.default_rng(seed))
    for number, setup in enumerate(SETUPS):
        folder = logdir / "denoise" / setup.name
        began = start + 5 * number
        clock = itertools.repeat(began).__next__
        settings: dict[str, hparams.HParam] = {
            "task": "denoise",
            "hidden": setup.hidden,
            "lr": RATE,
            "max_norm": 0.0 if setup.max_norm is None else setup.max_norm,
        }
        with EventFileWriter(folder, clock=clock) as writer:
            job = Job(setup, material, np.random.default_rng(seed + 1), steps, writer)
            writer.write(0, values=opening(job))
            writer.write(0, values=[hparams.session_start(settings, start_time_s=began)])
            end = job.run(began)
            writer.write(
                0,
                wall_time=end,
                values=[hparams.session_end(SessionOutcome.SUCCESS, end_time_s=end)],
            )


def opening(job: Job) -> list[bytes]:
    """Values that do not change, once."""
    material = job.material
    return [
        summaries.text("about", texts.about_denoising(job.setup.hidden, job.setup.max_norm, PATCH)),
        summaries.image(
            "pictures/noisy", pictures.enlarged_batch(np.clip(material.noisy_pictures[1:], 0, 1), 3)
        ),
        summaries.image("pictures/clean", pictures.enlarged_batch(material.pictures[1:], 3)),
        summaries.audio("tune/noisy", np.clip(material.noisy_tune, -1, 1), sounds.SAMPLE_RATE),
        summaries.audio("tune/clean", material.tune, sounds.SAMPLE_RATE),
    ]
