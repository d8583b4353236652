"""Sounds as waves from -1 to 1: a tune to be cleaned, and a loss as one hears it."""

from __future__ import annotations

import numpy as np

from runglass.demo.training import Floats

SAMPLE_RATE = 8000
# Half tones above A, and how long each lasts, in beats.
TUNE = ((0, 1), (3, 1), (7, 1), (12, 2), (10, 1), (7, 2))
BEAT_S = 0.16


def tune(rng: np.random.Generator) -> Floats:
    """Plucked notes with two overtones, each out of tune by a hair."""
    notes = []
    for half_tones, beats in TUNE:
        time = np.arange(int(beats * BEAT_S * SAMPLE_RATE)) / SAMPLE_RATE
        pitch_hz = 220 * 2 ** (half_tones / 12) * rng.uniform(0.997, 1.003)
        tones = [np.sin(2 * np.pi * pitch_hz * k * time) / k**1.5 for k in (1, 2, 3)]
        notes.append(0.35 * np.sum(tones, axis=0) * np.exp(-3.0 * time) * np.minimum(1, 80 * time))
    return np.concatenate(notes).astype(np.float32)


def loss_tone(losses: list[float], seconds: float = 1.5) -> Floats:
    """The loss so far as a melody: the higher the pitch, the higher the loss."""
    places = np.linspace(0, len(losses) - 1, int(seconds * SAMPLE_RATE))
    curve = np.interp(places, np.arange(len(losses)), np.nan_to_num(losses, nan=3.0))
    pitch_hz = 180.0 * 2.0 ** np.clip(curve, 0.0, 3.0)
    fade = np.minimum(1.0, np.linspace(0, 20, places.size)) * np.minimum(1.0, np.linspace(20, 0, places.size))
    wave: Floats = 0.4 * fade * np.sin(2 * np.pi * np.cumsum(pitch_hz) / SAMPLE_RATE)
    return wave
