"""The tune to denoise, as samples from -1 to 1."""

from __future__ import annotations

import numpy as np

from runglass.demo.training import Floats

SAMPLE_RATE = 8000
# Semitones above A, and the length of each note in beats.
TUNE = ((0, 1), (3, 1), (7, 1), (12, 2), (10, 1), (7, 2))
BEAT_S = 0.16


def tune(rng: np.random.Generator) -> Floats:
    """Plucked notes with two slightly detuned overtones."""
    notes = []
    for half_tones, beats in TUNE:
        time = np.arange(int(beats * BEAT_S * SAMPLE_RATE)) / SAMPLE_RATE
        pitch_hz = 220 * 2 ** (half_tones / 12) * rng.uniform(0.997, 1.003)
        tones = [np.sin(2 * np.pi * pitch_hz * k * time) / k**1.5 for k in (1, 2, 3)]
        notes.append(0.35 * np.sum(tones, axis=0) * np.exp(-3.0 * time) * np.minimum(1, 80 * time))
    return np.concatenate(notes).astype(np.float32)
