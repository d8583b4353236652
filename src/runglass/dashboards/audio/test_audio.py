"""The audio routes over a MemorySource: descriptions of clips, their bytes, and values that are not clips."""

from __future__ import annotations

import struct

import numpy as np
import pytest

from runglass.media.formats import parse_audio
from runglass.query.memory import MemorySource
from runglass.server.app import App
from runglass.server.in_process import InProcess
from runglass.store.model import Kind


def wav(frames=100, rate=8000, *, data_size=None):
    samples = np.arange(frames, dtype="<i2").tobytes()
    shape = struct.pack("<HHIIHH", 1, 1, rate, rate * 2, 2, 16)
    size = len(samples) if data_size is None else data_size
    body = b"fmt " + struct.pack("<I", 16) + shape + b"data" + struct.pack("<I", size) + samples
    return b"RIFF" + struct.pack("<I", len(body) + 4) + b"WAVE" + body


PAGE = b"<script>alert(1)</script>"
VALUES = [
    [parse_audio(wav(100), label="**one**"), parse_audio(wav(50))],
    [parse_audio(wav(data_size=10**9))],
    [parse_audio(PAGE)],
    np.zeros((2, 3), np.float32),
    [],
]


@pytest.fixture
def client():
    source = MemorySource()
    source.add_values("a", "voice/x", Kind.AUDIO, step=range(len(VALUES)), values=VALUES)
    source.add_scalars("a", "loss", step=[0], value=[1.0])
    return InProcess(App(source))


def test_clips_are_described(client):
    one, two = client.get("/api/audio/list?run=a&tag=voice/x&row=0").json["clips"]
    assert one == {
        "format": "wav",
        "media_type": "audio/wav",
        "sample_rate": 8000.0,
        "channels": 1,
        "frames": 100,
        "duration_s": 0.0125,
        "label": "**one**",
        "size_bytes": 244,
        "layout": {"encoding": "s16", "start_byte": 44, "frame_bytes": 2},
        "problem": "",
    }
    assert (two["frames"], two["label"]) == (50, "")


def test_a_wrong_header_is_reported_and_the_bytes_are_as_logged(client):
    (clip,) = client.get("/api/audio/list?run=a&tag=voice/x&step=1").json["clips"]
    assert clip["frames"] == 100
    assert clip["problem"] == "The WAV's header says 500,000,000 frames where there are 100."
    assert client.get("/api/audio/blob?run=a&tag=voice/x&step=1").body == wav(data_size=10**9)


def test_bytes_of_each_clip(client):
    answer = client.get("/api/audio/blob?run=a&tag=voice/x&row=0&sample=1")
    assert answer.body == wav(50)
    assert answer.headers["content-type"] == "audio/wav"
    assert "sandbox" in answer.headers["content-security-policy"]
    saved = client.get("/api/audio/blob?run=a&tag=voice/x&row=0&step=0&sample=1&download=1")
    assert saved.headers["content-disposition"] == 'attachment; filename="a_voice_x_0_1.wav"'
    assert client.get("/api/audio/blob?run=a&tag=voice/x&row=0&sample=2").status == 404


def test_a_file_that_is_not_sound_can_only_be_saved(client):
    (clip,) = client.get("/api/audio/list?run=a&tag=voice/x&row=2").json["clips"]
    assert (clip["format"], clip["media_type"]) == ("", "application/octet-stream")
    assert "not a WAV" in clip["problem"]
    answer = client.get("/api/audio/blob?run=a&tag=voice/x&row=2")
    assert answer.body == PAGE
    assert answer.headers["content-type"] == "application/octet-stream"
    assert answer.headers["content-disposition"].startswith("attachment")


def test_a_value_that_is_not_a_clip_is_reported(client):
    answer = client.get("/api/audio/list?run=a&tag=voice/x&row=3")
    assert (answer.status, answer.json["error"]["code"]) == (422, "value_damaged")
    assert "shape [2, 3]" in answer.json["error"]["message"]
    assert client.get("/api/audio/list?run=a&tag=voice/x&row=4").json == {"clips": []}


def test_other_kinds_are_not_clips(client):
    assert client.get("/api/audio/list?run=a&tag=loss").status == 404
