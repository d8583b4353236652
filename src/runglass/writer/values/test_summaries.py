from __future__ import annotations

import io
import zlib

import numpy as np
import pytest
from PIL import Image

from runglass.errors import BadArgument
from runglass.media.formats import parse_audio, parse_image
from runglass.native.pixels import unit_to_bytes
from runglass.native.wire import decode
from runglass.schema.hparams import HPARAMS_PLUGIN, SessionOutcome
from runglass.schema.summary import VALUE
from runglass.schema.tensor import DataType
from runglass.schema.tensor_values import tensor_array
from runglass.writer.values import hparams, summaries
from runglass.writer.values.histograms import histogram
from runglass.writer.values.png import encode_png
from runglass.writer.values.pr_curves import pr_curve_rows
from runglass.writer.values.wav import encode_wav


def parts(value):
    """Plugin, content, data class and array of a Summary.Value."""
    found = decode(VALUE, value)
    meta = found["metadata"]
    plugin = meta["plugin_data"]
    return (
        plugin["plugin_name"],
        plugin.get("content", b""),
        meta.get("data_class", 0),
        tensor_array(found["tensor"]),
    )


def test_scalars_are_float32_unless_asked():
    plugin, content, data_class, array = parts(summaries.scalar("loss", np.float64(0.1)))
    assert (plugin, content, data_class) == ("scalars", b"", 1)
    assert array.dtype == np.float32
    assert decode(VALUE, summaries.scalar("loss", 0.1, form="float64"))["tensor"]["dtype"] == DataType.DOUBLE
    assert parts(summaries.scalar("loss", 0.1, form="float64"))[3] == 0.1
    assert np.isinf(parts(summaries.scalar("loss", 1e300))[3])
    assert parts(summaries.scalar("loss", np.array([[3]])))[3] == 3.0


def test_a_scalar_is_one_number():
    with pytest.raises(BadArgument, match=r"'loss'.*\(2,\)"):
        summaries.scalar("loss", [1, 2])  # type: ignore[arg-type]


def test_names_and_descriptions_are_kept():
    meta = decode(VALUE, summaries.scalar("t", 1, display_name="n", description="*d*"))["metadata"]
    assert (meta["display_name"], meta["summary_description"]) == ("n", "*d*")


def decode_png(data):
    """Undo `encode_png` by the definition of PNG: inflate, then add the row above."""
    parsed = parse_image(data)
    at = data.index(b"IDAT")
    size = int.from_bytes(data[at - 4 : at], "big")
    assert int.from_bytes(data[at + 4 + size : at + 8 + size], "big") == zlib.crc32(data[at : at + 4 + size])
    raw = np.frombuffer(zlib.decompress(data[at + 4 : at + 4 + size]), dtype=np.uint8).reshape(
        parsed.height, -1
    )
    assert (raw[:, 0] == 2).all()
    return np.cumsum(raw[:, 1:], axis=0, dtype=np.uint8).reshape(parsed.height, parsed.width, -1)


@pytest.mark.parametrize("shape", [(2, 3), (2, 3, 1), (4, 1, 2), (5, 7, 3), (1, 1, 4)])
def test_pictures_are_read_back_from_png(shape):
    pixels = np.random.default_rng(0).integers(0, 256, shape, dtype=np.uint8)
    np.testing.assert_array_equal(decode_png(encode_png(pixels)).reshape(shape), pixels)


def test_pictures_in_any_order_of_memory():
    planes = np.random.default_rng(0).integers(0, 256, (3, 5, 7), dtype=np.uint8)
    for pixels in (
        planes.transpose(1, 2, 0),
        planes.transpose(2, 1, 0)[::2],
        planes[:1, ::-1].transpose(1, 2, 0),
    ):
        np.testing.assert_array_equal(decode_png(encode_png(pixels)), pixels)
        floats = (pixels.astype(np.float32) + 0.25) / 255.5
        np.testing.assert_array_equal(decode_png(encode_png(floats)), pixels)
        np.testing.assert_array_equal(
            decode_png(encode_png(floats.astype(np.float64)[..., :1])), pixels[..., :1]
        )


def test_sixteen_bits_stay_sixteen():
    pixels = np.random.default_rng(0).integers(0, 65536, (5, 7, 3), dtype=np.uint16)
    found = decode_png(encode_png(pixels)).reshape(5, 7, 3, 2).view(">u2")[..., 0]
    np.testing.assert_array_equal(found, pixels)
    picture = Image.open(io.BytesIO(encode_png(pixels[..., 0])))
    np.testing.assert_array_equal(np.asarray(picture), pixels[..., 0])


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("count", [0, 1, 64, 65, 5000])
def test_bytes_of_unit_floats_are_those_of_numpy(dtype, count):
    rng = np.random.default_rng(count)
    values = rng.uniform(-0.2, 1.2, count).astype(dtype)
    odd = [np.nan, np.inf, -np.inf, -0.0, 1e30, -1e30, 1.0, 254.99 / 255.5, 255 / 255.5, 5e-324]
    values[:: max(1, count // 300)] = rng.choice(np.array(odd, dtype), len(values[:: max(1, count // 300)]))
    with np.errstate(invalid="ignore", over="ignore"):
        expected = np.clip(np.nan_to_num(values * dtype(255.5), nan=0.0), 0, 255).astype(np.uint8)
    turned = np.empty(count, np.uint8)
    limits = unit_to_bytes(values, turned)
    np.testing.assert_array_equal(turned, expected)
    assert limits == (np.fmin.reduce(values, initial=0.0), np.fmax.reduce(values, initial=1.0))
    with pytest.raises(ValueError, match="do not fill"):
        unit_to_bytes(values, np.empty(count + 1, np.uint8))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("odd", [None, np.nan, 1e30, -1e30, np.inf, -np.inf, 1.01, -0.01])
def test_one_pixel_outside_of_many_is_cut_and_seen(dtype, odd):
    values = np.linspace(0, 1, 3 * 4096).astype(dtype)
    if odd is not None:
        values[5000] = odd
    turned = np.empty(values.size, np.uint8)
    limits = unit_to_bytes(values, turned)
    cut = np.clip(np.nan_to_num(values, nan=0.0), 0, 1)
    np.testing.assert_array_equal(turned, (cut * dtype(255.5)).astype(np.uint8))
    assert limits == (np.fmin.reduce(values, initial=0.0), np.fmax.reduce(values, initial=1.0))


def test_float_pixels_are_scaled_and_clipped():
    pixels = np.array([[0.0, 1.0, 0.5, 2.0, -1.0, np.nan]])
    assert decode_png(encode_png(pixels)).ravel().tolist() == [0, 255, 127, 255, 0, 0]
    assert decode_png(encode_png(np.array([[True, False]]))).ravel().tolist() == [255, 0]


@pytest.mark.parametrize(
    "pixels", [np.zeros((2, 2, 5)), np.zeros(4), np.zeros((0, 2)), np.zeros((2, 2), dtype=int)]
)
def test_values_that_are_not_pictures_are_refused(pixels):
    with pytest.raises(BadArgument):
        summaries.image("i", pixels)


def test_images_carry_their_size_in_front():
    plugin, _, data_class, array = parts(summaries.image("i", np.zeros((4, 6, 3), dtype=np.uint8)))
    assert (plugin, data_class) == ("images", 3)
    assert array[:2].tolist() == [b"6", b"4"]
    batch = parts(summaries.image("i", np.zeros((5, 4, 6, 3)), max_outputs=2))[3]
    assert batch.shape == (4,)


def test_encoded_images_are_written_as_they_are():
    png = encode_png(np.zeros((4, 6)))
    assert parts(summaries.image("i", png))[3].tolist() == [b"6", b"4", png]
    with pytest.raises(BadArgument, match="are not a PNG"):
        summaries.image("i", b"text")


def test_audio_is_wav_with_a_label_column():
    plugin, content, data_class, array = parts(summaries.audio("a", np.zeros(100), 8000))
    assert (plugin, content.hex(), data_class, array.shape) == ("audio", "100b", 0, (1, 2))
    clip = parse_audio(array[0, 0])
    assert (clip.sample_rate, clip.channels, clip.frames) == (8000.0, 1, 100)
    assert parts(summaries.audio("a", np.zeros((5, 10, 2)), 8000))[3].shape == (3, 2)


def test_samples_are_scaled_and_clipped():
    wav = encode_wav(np.array([0.0, 1.0, -1.0, 9.0, np.nan]), 8000)
    assert np.frombuffer(wav[44:], dtype="<i2").tolist() == [0, 32767, -32767, 32767, 0]
    stereo = np.array([[1, -2], [3, 4]], dtype=np.int16)
    assert np.frombuffer(encode_wav(stereo, 8000)[44:], dtype="<i2").tolist() == [1, -2, 3, 4]
    with pytest.raises(BadArgument, match="int64"):
        encode_wav(np.zeros(3, dtype=np.int64), 8000)


def test_text_keeps_its_shape():
    plugin, _, data_class, array = parts(summaries.text("t", "# é"))
    assert (plugin, data_class, array.shape, array.item()) == ("text", 2, (), "# é".encode())
    assert parts(summaries.text("t", [["a", "b"]]))[3].tolist() == [[b"a", b"b"]]
    with pytest.raises(BadArgument, match="needs a str"):
        summaries.text("t", [1])


def test_histograms_of_known_data():
    assert histogram([0, 1, 1, 2, 4], 4).rows.tolist() == [[0, 1, 1], [1, 2, 2], [2, 3, 1], [3, 4, 1]]
    assert histogram([], 2).rows.tolist() == [[0, 0, 0], [0, 0, 0]]
    assert histogram([5, 5], 3).rows.tolist() == [[5, 5, 0], [5, 5, 0], [5, 5, 2]]
    assert histogram([np.nan, 1, np.inf, 3], 2).rows.tolist() == [[1, 2, 1], [2, 3, 1]]


@pytest.mark.parametrize("values", [[-1.7e308, 1.7e308], [0.0, 5e-324], [1.0, np.nextafter(1, 2)]])
def test_histograms_of_extreme_ranges_count_everything(values):
    rows = histogram(values).rows
    assert rows[:, 2].sum() == 2
    assert np.isfinite(rows).all()
    assert (rows[0, 0], rows[-1, 1]) == (values[0], values[-1])


def test_a_histogram_is_float64_rows():
    plugin, _, data_class, array = parts(summaries.histogram("h", np.arange(10)))
    assert (plugin, data_class, array.shape, array.dtype) == ("histograms", 2, (30, 3), np.float64)
    with pytest.raises(BadArgument, match="number of buckets must be a whole number"):
        summaries.histogram("h", [1], buckets=0)


def test_pr_curves_of_known_data():
    rows = pr_curve_rows([0, 1, 0, 1, 1], [0.1, 0.4, 0.6, 0.9, 1.0], thresholds=5)
    assert rows[:4].tolist() == [[3, 3, 2, 2, 1], [2, 1, 1, 0, 0], [0, 1, 1, 2, 2], [0, 0, 1, 1, 2]]
    np.testing.assert_allclose(rows[4], [0.6, 0.75, 2 / 3, 1, 1], rtol=1e-6)
    np.testing.assert_allclose(rows[5], [1, 1, 2 / 3, 2 / 3, 1 / 3], rtol=1e-6)
    assert parts(summaries.pr_curve("p", [1], [0.5], thresholds=5))[1].hex() == "1005"
    with pytest.raises(BadArgument, match="from 0 to 1"):
        pr_curve_rows([1], [1.5])
    with pytest.raises(BadArgument, match="as many"):
        pr_curve_rows([1, 0], [0.5])


def test_hparams_of_known_bytes():
    values = {"bn": True, "lr": 0.1, "opt": "adam"}
    plugin, content, data_class, array = parts(
        hparams.session_start(values, start_time_s=1700000000, group_name="g1")
    )
    assert (plugin, data_class, array.shape) == ("hparams", 2, (0,))
    assert content.hex() == (
        "1a370a080a02626e120220010a0f0a026c72120911"
        "9a9999999999b93f0a0d0a036f707412061a046164616d220267312900000040fc54d941"
    )
    _, content, _, _ = parts(hparams.session_end(SessionOutcome.SUCCESS, end_time_s=1700000060))
    assert content.hex() == "220b0801110000004ffc54d941"


def test_equal_hparams_form_one_group():
    expected = "c00f378bfe22692aaeba48676bd5ff74966478944818f16f6db992facb470194"
    for values in (
        {"bn": True, "lr": 0.1, "opt": "adam"},
        {"opt": "adam", "lr": np.float64(0.1), "bn": np.bool_(True)},
    ):
        content = parts(hparams.session_start(values, start_time_s=0.0))[1]
        assert decode(HPARAMS_PLUGIN, content)["session_start_info"]["group_name"] == expected
    with pytest.raises(BadArgument, match=r"'layers'.*list"):
        hparams.session_start({"layers": [1]}, start_time_s=0.0)  # type: ignore[dict-item]


def test_an_experiment_names_domains_and_metrics():
    content = parts(
        hparams.experiment({"lr": (0.01, 1.0), "opt": ["adam"], "bn": [True], "n": [1, 2]}, ["accuracy"])
    )[1]
    found = decode(HPARAMS_PLUGIN, content)["experiment"]
    assert [(info["name"], info["type"]) for info in found["hparam_infos"]] == [
        ("lr", 3),
        ("opt", 1),
        ("bn", 2),
        ("n", 3),
    ]
    assert found["hparam_infos"][0]["domain_interval"] == {"min_value": 0.01, "max_value": 1.0}
    assert found["metric_infos"] == [{"name": {"tag": "accuracy"}}]
