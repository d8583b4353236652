"""The audio dashboard in a browser: clips of every framework, compared by ear across runs, and files with wrong headers."""

from __future__ import annotations

import hashlib
import json
import re
import struct
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from playwright.sync_api import Locator, Page, expect
from tests.support.golden_logs import LOGS, open_golden
from tests.support.page import address_has, card, go, read_canvas, reload, run_color, wait_ready

from runglass.media.formats import parse_audio
from runglass.query.memory import MemorySource
from runglass.store.model import Audio, Kind

# Half a second of 440 Hz at 16 kHz.
SOUNDS = Path(__file__).parent.parent / "support" / "sounds"
RATE = 8000


def tone(hz: float, *, seconds: float = 1.0, size: float = 0.5) -> NDArray[np.float64]:
    return size * np.sin(2 * np.pi * hz * np.arange(round(RATE * seconds)) / RATE)


def wav(*channels: NDArray[np.float64], rate: int = RATE, data_size: int | None = None) -> bytes:
    samples = (np.stack(channels, axis=1) * 32767).astype("<i2").tobytes()
    frame = 2 * len(channels)
    shape = struct.pack("<HHIIHH", 1, len(channels), rate, rate * frame, frame, 16)
    size = len(samples) if data_size is None else data_size
    body = b"fmt " + struct.pack("<I", 16) + shape + b"data" + struct.pack("<I", size) + samples
    return b"RIFF" + struct.pack("<I", len(body) + 4) + b"WAVE" + body


def crc(data: bytes, polynomial: int, bits: int) -> int:
    value = 0
    for byte in data:
        value ^= byte << (bits - 8)
        for _ in range(8):
            value = (value << 1) ^ (polynomial if value >> (bits - 1) & 1 else 0)
        value &= (1 << bits) - 1
    return value


def flac(samples: NDArray[np.float64]) -> bytes:
    """One frame of samples as they are: the shortest file that every FLAC decoder reads."""
    count = len(samples)
    numbers = (RATE << 44 | (16 - 1) << 36 | count).to_bytes(8, "big")
    head = b"fLaC\x80\0\0\x22" + struct.pack(">HH", count, count) + bytes(6) + numbers + bytes(16)
    # Blocks of one size, which stands in 16 bits; rate from the file's head; one channel; 16 bits; frame 0.
    frame = b"\xff\xf8\x70\x08\0" + struct.pack(">H", count - 1)
    frame += bytes([crc(frame, 0x07, 8)]) + b"\x02" + (samples * 32767).astype(">i2").tobytes()
    return head + frame + struct.pack(">H", crc(frame, 0x8005, 16))


def clip(data: bytes, label: str = "") -> list[Audio]:
    return [parse_audio(data, label=label)]


def two_runs() -> MemorySource:
    source = MemorySource()
    for run, hz, size in (("low", 500, 0.5), ("high", 2000, 0.05)):
        source.add_values(
            run,
            "voice",
            Kind.AUDIO,
            step=[0, 10, 20],
            values=[clip(wav(tone(hz, seconds=60, size=size)), f"{run} at {step}") for step in (0, 10, 20)],
        )
    return source


def place(owner: Locator) -> Locator:
    return owner.get_by_role("slider", name=re.compile("^Position in"))


def place_s(owner: Locator) -> float:
    return float(place(owner).get_attribute("aria-valuenow") or "nan")


def heard(page: Page, run: str) -> Locator:
    """The card of the tag `voice`, switched to the run."""
    voice = card(page, "voice")
    voice.get_by_role("button", name=f"Switch to {run}").click()
    expect(voice).to_contain_text(f"{run} at ")
    expect(voice).to_have_attribute("data-ready", "true")
    return voice


def hear(owner: Locator) -> None:
    owner.get_by_role("button", name=re.compile("^Play (voice|other)$")).click()


def is_heard(owner: Locator) -> None:
    expect(owner.get_by_role("button", name=re.compile("^Pause "))).to_be_visible()


def is_silent(owner: Locator) -> None:
    expect(owner.get_by_role("button", name=re.compile("^Pause "))).to_have_count(0)


def saved(page: Page, owner: Locator) -> bytes:
    with page.expect_download() as download:
        owner.get_by_role("button", name=re.compile("^Save ")).click()
    return download.value.path().read_bytes()


FRAMEWORKS = (
    ("tf_summary_all", "train", "audio/stereo2", "8 kHz · stereo · 16 bit WAV"),
    ("torch_writer_all", "all", "audio/tone", "8 kHz · mono · 16 bit WAV"),
    ("tensorboardX_writer_all", "all", "audio/tone", "8 kHz · mono · 16 bit WAV"),
    ("tf_v1_legacy", "train", "tone/audio/0", "8 kHz · mono · 16 bit WAV"),
)


def test_shows_what_frameworks_logged(open_page):
    page = open_page(open_golden(*(case for case, *_ in FRAMEWORKS)), "#/audio")
    for case, run, tag, facts in FRAMEWORKS:
        go(page, f"#/audio?tags=^{tag}$&filter=^{case}/{run}$")
        truth = json.loads((LOGS / case / "manifest.json").read_text())["runs"][run]["tensors"][tag]
        shown = card(page, tag)
        expect(shown).to_contain_text(f"{case}/{run}")
        expect(shown).to_have_attribute("data-ready", "true")
        expect(shown).to_contain_text(facts)
        clips = truth["last"]["clips"]
        expect(place(shown)).to_have_attribute("aria-valuemax", str(clips[0]["nframes"] / clips[0]["rate"]))
        assert hashlib.sha256(saved(page, shown)).hexdigest() == clips[0]["sha256"]
        if len(clips) > 1:
            shown.get_by_role("combobox", name=f"Clip of {tag}").select_option("clip 2 of 2")
            wait_ready(page)
            assert hashlib.sha256(saved(page, shown)).hexdigest() == clips[1]["sha256"]


def test_clips_are_drawn_followed_zoomed_and_set(open_page):
    # Waveform and spectrogram are those of the clip
    page = open_page(two_runs(), "#/audio?option=audio.frequency;linear&theme=light")
    shown = heard(page, "low")
    expect(shown).to_contain_text("low at 20")
    expect(shown).to_have_attribute("data-ready", "true")
    wave = read_canvas(shown.locator("canvas.wave"))
    color = np.frombuffer(bytes.fromhex(run_color(page, "low")[1:]), np.uint8)
    inked = (np.abs(wave[..., :3] - color).max(axis=-1) <= 8) & (wave[..., 3] > 200)
    # A tone as loud as the lane is high, all along.
    assert inked.mean() > 0.9
    for run, hz in (("low", 500), ("high", 2000)):
        expect(heard(page, run)).to_contain_text(f"{run} at 20")
        expect(shown).to_have_attribute("data-ready", "true")
        levels = 255 - read_canvas(shown.locator("canvas.spectrum"))[..., :3].mean(axis=-1)
        row = levels.mean(axis=1).argmax()
        assert abs(1 - (row + 0.5) / len(levels) - hz / (RATE / 2)) < 0.03

    # Clips follow the steps
    go(page, "#/audio?smoothing=0.6")
    heard(page, "low").get_by_role("button", name="Previous step of voice").click()
    expect(card(page, "voice")).to_contain_text("low at 10")
    # The cursor is one for all runs.
    expect(heard(page, "high")).to_contain_text("high at 10")

    # A part is zoomed into
    go(page, "#/audio?smoothing=0.6")
    low = heard(page, "low")
    place(low).hover()
    page.keyboard.press("End")
    for _ in range(6):
        page.keyboard.press("+")
    expect(low.get_by_text(re.compile(r"^1:00(\.0)?$"))).to_be_visible()
    expect(low.get_by_text(re.compile(r"^0:00(\.0)?$"))).to_have_count(0)
    # All clips show the same part, and a link does too.
    address_has(page, "audio.zoom")
    reload(page)
    expect(heard(page, "high").get_by_text(re.compile(r"^1:00(\.0)?$"))).to_be_visible()
    heard(page, "low")
    place(low).click(position={"x": 1, "y": 20})
    assert place_s(low) > 50
    place(low).dblclick(position={"x": 1, "y": 20})
    expect(low.get_by_text(re.compile(r"^0:00(\.0)?$"))).to_be_visible()

    # What is set is in the address
    go(page, "#/audio?smoothing=0.6")
    page.get_by_role("checkbox", name="Match loudness").check()
    # A sine of half size is at −9 LUFS, a little less at 500 Hz; one of a twentieth is below the target.
    expect(heard(page, "low")).to_contain_text("−13.5 dB")
    expect(heard(page, "high")).to_contain_text(re.compile(r"\+\d\.\d dB"))
    page.get_by_role("button", name="Loop clips").click()
    page.get_by_role("radio", name="Waveform").check(force=True)
    page.get_by_role("slider", name="Volume").fill("40")
    for option in ("audio.match", "audio.loop", "audio.view;wave", "audio.volume;40"):
        address_has(page, option)
    reload(page)
    expect(page.get_by_role("checkbox", name="Match loudness")).to_be_checked()
    expect(page.locator("canvas.spectrum")).to_have_count(0)


def test_runs_are_switched_while_it_plays_at_the_same_place(open_page):
    source = two_runs()
    source.add_values("low", "other", Kind.AUDIO, step=[0], values=[clip(wav(tone(500)), "the other")])
    page = open_page(source, "#/audio")
    voice, other = heard(page, "low"), card(page, "other")
    place(voice).click(position={"x": 100, "y": 20})
    begun = place_s(voice)
    assert begun > 5
    hear(voice)
    is_heard(voice)
    expect(place(voice)).not_to_have_attribute("aria-valuenow", str(begun))
    chips = voice.get_by_role("group", name="Run to play for voice")
    names = [
        name.removeprefix("Switch to ")
        for name in chips.get_by_role("button").evaluate_all("(all) => all.map((b) => b.ariaLabel)")
    ]
    before = place_s(voice)
    place(voice).hover()
    page.keyboard.press("ab"[names.index("high")])
    expect(chips.get_by_role("button", name="Switch to high")).to_have_attribute("aria-pressed", "true")
    expect(voice).to_contain_text("high at 20")
    is_heard(voice)
    assert before <= place_s(voice) < before + 20
    # One clip at a time, on the whole page.
    hear(other)
    is_heard(other)
    is_silent(voice)
    page.keyboard.press("Escape")
    place(other).hover()
    page.keyboard.press(" ")
    is_silent(other)
    page.keyboard.press("Home")
    expect(place(other)).to_have_attribute("aria-valuenow", "0")
    page.keyboard.press("ArrowRight")
    expect(place(other)).to_have_attribute("aria-valuenow", "1")


def test_what_is_heard_stays_until_it_ends_though_newer_ones_come(open_page):
    source = two_runs()
    page = open_page(source, "#/audio")
    low = heard(page, "low")
    hear(low)
    is_heard(low)
    later = [clip(wav(tone(500, seconds=2)), "low at 30")]
    source.add_values("low", "voice", Kind.AUDIO, step=[30], values=later)
    # The card has heard of it: there is a step to go to.
    expect(low.get_by_role("button", name="Next step of voice")).to_be_enabled()
    expect(low).to_contain_text("low at 20")
    low.get_by_role("button", name="Pause voice").click()
    expect(low).to_contain_text("low at 30")


def test_one_channel_alone(open_page):
    stereo = [clip(wav(tone(500, seconds=5), tone(2000, seconds=5)))]
    source = MemorySource().add_values("run", "voice", Kind.AUDIO, step=[0], values=stereo)
    page = open_page(source, "#/audio?option=audio.frequency;linear&theme=light")
    shown = card(page, "voice")
    for channel, hz in ((1, 500), (2, 2000)):
        shown.get_by_role("button", name="Channels of voice").click()
        page.get_by_role("menuitemcheckbox", name=f"Channel {channel} only").click()
        expect(shown).to_contain_text(f"channel {channel} only")
        expect(shown).to_have_attribute("data-ready", "true")
        levels = 255 - read_canvas(shown.locator("canvas.spectrum"))[..., :3].mean(axis=-1)
        row = levels.mean(axis=1).argmax()
        assert abs(1 - (row + 0.5) / len(levels) - hz / (RATE / 2)) < 0.03


def test_formats_that_the_browser_decodes(open_page):
    said = {"flac": "8 kHz · mono · FLAC", "mp3": "mono · MP3", "ogg": "mono · OGG", "opus": "mono · OGG"}
    source = MemorySource()
    for name in said:
        data = flac(tone(500)) if name == "flac" else (SOUNDS / f"tone.{name}").read_bytes()
        source.add_values("run", name, Kind.AUDIO, step=[0], values=[clip(data)])
    page = open_page(source, "#/audio")
    # One step leaves nothing to slide to.
    cursor = page.get_by_role("group", name="Cursor", exact=True)
    expect(cursor).to_contain_text("Everything was logged at one step.")
    expect(cursor.get_by_role("slider")).to_have_count(0)
    # Little room folds the controls into two rows.
    page.get_by_role("main").evaluate("(main) => (main.style.maxWidth = '640px')")
    rows = "(bar) => new Set([...bar.children].map((each) => each.getBoundingClientRect().top)).size"
    assert page.get_by_role("toolbar", name="Audio").evaluate(rows) == 2
    for name, text in said.items():
        shown = card(page, name)
        shown.scroll_into_view_if_needed()
        expect(shown).to_contain_text(text)
        if name == "flac":
            expect(place(shown)).to_have_attribute("aria-valuemax", "1")
        else:
            # Encoders put a little silence around it.
            length = float(place(shown).get_attribute("aria-valuemax") or 0)
            assert length == pytest.approx(0.5, abs=0.08), name


def test_files_that_lie_or_are_no_sound(open_page, problems):
    source = MemorySource()
    good = tone(500)
    values = {
        "beyond": clip(wav(good, data_size=10**9)),
        "no rate": clip(wav(good, rate=0)),
        "cut": clip(wav(good)[:30]),
        "page": clip(b"<script>document.title = 'taken'</script>"),
        "mp3": clip(b"\xff\xfb\x90\xc4" + bytes(200)),
        "label": clip(wav(good), "<img src=x onerror=alert(1)> **bold**"),
        "none": [],
        "tensor": np.zeros((2, 3), np.float32),
    }
    for tag, value in values.items():
        source.add_values("run", tag, Kind.AUDIO, step=[0], values=[value])
    page = open_page(source, "#/audio")
    said = {
        "beyond": "8 kHz · mono",
        "no rate": "44.1 kHz · mono",
        "cut": "The WAV of 30 bytes has no samples",
        "page": "These bytes are not a WAV, MP3, FLAC or Ogg file.",
        "mp3": "cannot decode this MP3",
        "label": "<img src=x onerror=alert(1)> **bold**",
        "none": "No clip at this step",
        "tensor": "holds an array of float32 with shape [2, 3], expected clips",
    }
    for tag, text in said.items():
        shown = card(page, tag)
        shown.scroll_into_view_if_needed()
        expect(shown).to_contain_text(text)
    lying = card(page, "beyond")
    lying.scroll_into_view_if_needed()
    expect(lying.get_by_title("500,000,000 frames where there are 8,000")).to_have_text("wrong header")
    with page.expect_download() as download:
        card(page, "page").get_by_role("button", name="Save file", exact=True).click()
    assert download.value.path().read_bytes() == b"<script>document.title = 'taken'</script>"
    assert "Runglass" in page.title()
    # The tensor is answered with an error, which the browser notes.
    problems[:] = [problem for problem in problems if "422" not in problem]
