from __future__ import annotations

import numpy as np
import pytest

from runglass.errors import ValueDamaged
from runglass.ingest.canonical import KIND_BY_PLUGIN, decode_value, read_metadata
from runglass.native.wire import encode
from runglass.schema.hparams import HPARAMS_PLUGIN
from runglass.schema.layout import LAYOUT
from runglass.schema.struct import wire_value
from runglass.schema.summary import METADATA, VALUE
from runglass.schema.tensor_values import encode_tensor
from runglass.store.model import Kind, SeriesMeta

PNG_START = bytes.fromhex("89504e470d0a1a0a0000000d49484452 00000003 00000002")
WAV = bytes.fromhex(
    "52494646 28000000 57415645 666d7420 10000000 0100 0100 401f0000 803e0000 0200 1000 64617461 04000000 00000100"
)


def metadata(plugin="", content=b"", **more):
    return encode(METADATA, {"plugin_data": {"plugin_name": plugin, "content": content}, **more})


def strings(*items, shape=None):
    array = np.empty(len(items), dtype=object)
    array[:] = items
    return array.reshape(shape or (len(items),))


def decoded(kind, **value):
    if "array" in value:
        value["tensor"] = encode_tensor(np.asarray(value.pop("array")))
    return decode_value(encode(VALUE, {"tag": "t", **value}), SeriesMeta(kind=kind, plugin="p"))


@pytest.mark.parametrize("plugin", KIND_BY_PLUGIN)
def test_the_plugin_of_a_tensor_gives_the_kind(plugin):
    meta = read_metadata(metadata(plugin, b"c", summary_description="d", data_class=2), 8, "tag")
    assert meta == SeriesMeta(KIND_BY_PLUGIN[plugin], plugin, "", "d", b"c")


def test_a_tensor_of_an_unknown_plugin_is_a_tensor():
    assert read_metadata(metadata("mine", display_name="n"), 8, "tag") == SeriesMeta(Kind.TENSOR, "mine", "n")
    assert read_metadata(None, 8, "tag") == SeriesMeta(Kind.TENSOR)
    assert read_metadata(None, 3, "tag") == SeriesMeta(Kind.TENSOR)


@pytest.mark.parametrize(
    ("field", "kind", "plugin"),
    [
        (2, Kind.SCALAR, "scalars"),
        (4, Kind.IMAGE, "images"),
        (5, Kind.HISTOGRAM, "histograms"),
        (6, Kind.AUDIO, "audio"),
    ],
)
def test_old_encodings_say_what_they_are(field, kind, plugin):
    assert read_metadata(None, field, "tag") == SeriesMeta(kind, plugin, "tag")
    # tensorboardX: a display name and no plugin.
    named = encode(METADATA, {"display_name": "Nice", "summary_description": "d"})
    assert read_metadata(named, field, "tag") == SeriesMeta(kind, plugin, "Nice", "d")
    assert read_metadata(metadata("text"), field, "tag").kind is kind


def test_hparams_need_no_value():
    assert read_metadata(metadata("hparams", b"x"), 0, "tag") == SeriesMeta(
        Kind.HPARAMS, "hparams", content=b"x"
    )


def test_an_empty_json_object_as_content_is_no_content():
    assert read_metadata(metadata("text", b"{}"), 8, "tag").content == b""


def test_malformed_metadata_is_damage():
    with pytest.raises(ValueDamaged, match=r"'tag'.*byte 0"):
        read_metadata(b"\xff", 8, "tag")


@pytest.mark.parametrize(
    "value",
    [
        {"simple_value": 0.5},
        {"array": np.float32(0.5)},
        {"array": np.array([0.5])},
        {"array": np.array([[0.5]], dtype=np.float16)},
    ],
)
def test_scalars_are_floats(value):
    found = decoded(Kind.SCALAR, **value)
    assert found == 0.5
    assert type(found) is float


def test_float64_scalars_keep_every_digit():
    assert decoded(Kind.SCALAR, array=0.1) == 0.1


def test_old_and_tensor_images_are_alike():
    old = decoded(Kind.IMAGE, image={"width": 30, "height": 20, "encoded_image_string": PNG_START})
    new = decoded(Kind.IMAGE, array=strings(b"30", b"20", PNG_START))
    assert old == new
    assert (old[0].width, old[0].height, old[0].format, old[0].data) == (3, 2, "png", PNG_START)


def test_an_image_without_a_readable_header_has_the_size_of_the_event():
    found = decoded(Kind.IMAGE, array=strings(b"30", b"20", b"??", b"!!"))
    assert [(i.width, i.height, i.format) for i in found] == [(30, 20, ""), (30, 20, "")]
    assert decoded(Kind.IMAGE, array=strings(b"x", b"-1", b"??"))[0].width == 0


def test_old_and_tensor_audio_are_alike():
    old = decoded(
        Kind.AUDIO, audio={"sample_rate": 1.0, "encoded_audio_string": WAV, "content_type": "audio/wav"}
    )
    assert old == decoded(Kind.AUDIO, array=strings(WAV))
    assert (old[0].sample_rate, old[0].channels, old[0].frames, old[0].format) == (8000.0, 1, 2, "wav")
    labelled = decoded(Kind.AUDIO, array=strings(WAV, b"one", WAV, b"", shape=(2, 2)))
    assert [clip.label for clip in labelled] == ["one", ""]


def test_text_keeps_its_shape():
    assert decoded(Kind.TEXT, array=np.array("é", dtype=object)) == "é"
    table = decoded(Kind.TEXT, array=strings("a", "b", "c", "d", shape=(2, 2)))
    assert table.tolist() == [["a", "b"], ["c", "d"]]
    assert decoded(Kind.TEXT, array=strings(b"a\xff")).tolist() == ["a\ufffd"]


def test_tensor_histograms_are_float64_rows():
    found = decoded(Kind.HISTOGRAM, array=np.array([[0, 1, 2]], dtype=np.float32))
    assert found.dtype == np.float64
    assert found.tolist() == [[0, 1, 2]]


def test_what_is_not_finite_has_rows_of_its_own():
    def rows(*buckets, counts):
        tensor = {"dtype": 2, "tensor_shape": {"dim": [{"size": len(buckets)}, {"size": 3}]}}
        numbers = [number for bucket in buckets for number in bucket]
        return decoded(Kind.HISTOGRAM, tensor={**tensor, "double_val": numbers, "not_finite": counts})

    found = rows((0.0, 1.0, 4.0), counts=[2.0, 0.0, 3.0])
    np.testing.assert_array_equal(found, [[0, 1, 4], [np.nan, np.nan, 2], [np.inf, np.inf, 3]])
    # Nothing finite: the zeros that fill the buckets are no place of anything.
    np.testing.assert_array_equal(rows((0.0, 0.0, 0.0), counts=[0.0, 5.0, 0.0]), [[-np.inf, -np.inf, 5]])
    assert rows((0.0, 1.0, 4.0), counts=[1.0]).tolist() == [[0, 1, 4]]


def test_old_histograms_lose_their_empty_ends():
    found = decoded(
        Kind.HISTOGRAM,
        histo={
            "min": 0.25,
            "max": 3.5,
            "bucket_limit": [-1.0, 0.0, 1.0, 2.0, 4.0, 1.7e308],
            "bucket": [0.0, 0.0, 3.0, 0.0, 2.0, 0.0],
        },
    )
    assert found.tolist() == [[0.25, 1.0, 3.0], [1.0, 2.0, 0.0], [2.0, 3.5, 2.0]]
    assert decoded(Kind.HISTOGRAM, histo={"bucket_limit": [1.0], "bucket": [0.0]}).shape == (0, 3)
    assert decoded(Kind.HISTOGRAM, histo={}).shape == (0, 3)


def test_layouts_are_decoded():
    layout = {"category": [{"title": "A", "chart": [{"title": "c", "multiline": {"tag": ["loss.*"]}}]}]}
    assert decoded(Kind.CUSTOM_SCALARS, array=strings(encode(LAYOUT, layout), shape=())) == layout


def test_hparams_come_from_the_metadata_as_plain_values():
    content = encode(
        HPARAMS_PLUGIN,
        {
            "session_start_info": {
                "hparams": {"lr": wire_value(0.1), "bn": wire_value(True), "opt": wire_value("a")}
            }
        },
    )
    value = encode(VALUE, {"tag": "t"})
    found = decode_value(value, SeriesMeta(Kind.HPARAMS, "hparams", content=content))
    assert found == {"session_start_info": {"hparams": {"lr": 0.1, "bn": True, "opt": "a"}}}
    content = encode(
        HPARAMS_PLUGIN,
        {
            "experiment": {
                "hparam_infos": [{"name": "lr", "domain_discrete": wire_value([0.1, 1.0])["list_value"]}]
            }
        },
    )
    found = decode_value(value, SeriesMeta(Kind.HPARAMS, "hparams", content=content))
    assert found == {"experiment": {"hparam_infos": [{"name": "lr", "domain_discrete": [0.1, 1.0]}]}}


def test_graphs_are_bytes():
    assert decoded(Kind.GRAPH, array=strings(b"graph", shape=())) == b"graph"
    assert decoded(Kind.GRAPH, array=strings(b"graph")) == b"graph"


def test_tensors_come_as_stored():
    assert decoded(Kind.TENSOR, array=np.arange(3, dtype=np.int8)).dtype == np.int8
    assert decoded(Kind.TENSOR, array=strings(b"\xff")).tolist() == [b"\xff"]
    assert decoded(Kind.MESH, array=np.zeros((1, 4, 3), dtype=np.uint8)).shape == (1, 4, 3)


@pytest.mark.parametrize("kind", Kind)
def test_a_value_of_another_kind_than_its_series_keeps_its_own_form(kind):
    if kind is not Kind.HPARAMS:
        numbers = decoded(kind, array=np.array([1.0, 2.0]))
        assert numbers.tolist() == [1.0, 2.0]
    assert decoded(kind, simple_value=2.0) == 2.0
    assert decoded(kind, histo={}).shape == (0, 3)
    assert decoded(kind, image={"encoded_image_string": b"x"})[0].data == b"x"


@pytest.mark.parametrize(
    "value",
    [
        b"\xff",
        encode(VALUE, {"tag": "t"}),
        encode(VALUE, {"tag": "t", "obsolete_old_style_histogram": b"x"}),
        encode(VALUE, {"tensor": {"dtype": 1, "tensor_shape": {"dim": [{"size": 2**40}]}}}),
        encode(VALUE, {"histo": {"bucket_limit": [1.0], "bucket": [1.0, 2.0]}}),
    ],
)
def test_damage_is_said(value):
    with pytest.raises(ValueDamaged):
        decode_value(value, SeriesMeta(Kind.TENSOR))
