from __future__ import annotations

import contextlib
import warnings

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runglass.schema.projector import PROJECTOR_CONFIG
from runglass.schema.text_proto import TextProtoError, format_text, parse_text

with warnings.catch_warnings():
    warnings.simplefilter("ignore", DeprecationWarning)
    from google.protobuf import text_format
    from tensorboard.plugins.projector.projector_config_pb2 import ProjectorConfig

CONFIG = {
    "model_checkpoint_path": 'a "b"\\c',
    "embeddings": [
        {
            "tensor_name": "emb:00001",
            "metadata_path": "tab\there\nline",
            "tensor_shape": [3, 4],
            "sprite": {"image_path": "s.png", "single_image_dim": [28, 30]},
            "tensor_path": "größe/\x01\x7f.tsv",
        },
        {"tensor_name": "second"},
    ],
}


def by_protobuf(text: str) -> dict:
    config = text_format.Parse(text, ProjectorConfig())
    return {
        "model_checkpoint_path": config.model_checkpoint_path,
        "embeddings": [
            {
                name: (
                    {"image_path": value.image_path, "single_image_dim": list(value.single_image_dim)}
                    if name == "sprite"
                    else list(value)
                    if name == "tensor_shape"
                    else value
                )
                for name, value in ((field.name, value) for field, value in info.ListFields())
            }
            for info in config.embeddings
        ],
    }


def test_protobuf_reads_what_we_write() -> None:
    assert by_protobuf(format_text(PROJECTOR_CONFIG, CONFIG)) == CONFIG


def test_we_read_what_protobuf_writes() -> None:
    config = text_format.Parse(format_text(PROJECTOR_CONFIG, CONFIG), ProjectorConfig())
    for options in (
        {},
        {"as_one_line": True},
        {"as_utf8": True},
        {"pointy_brackets": True},
        {"use_short_repeated_primitives": True},
    ):
        assert parse_text(PROJECTOR_CONFIG, text_format.MessageToString(config, **options)) == CONFIG


@given(st.text())
def test_any_name_is_read_back(name: str) -> None:
    text = format_text(PROJECTOR_CONFIG, {"model_checkpoint_path": name})
    assert text_format.Parse(text, ProjectorConfig()).model_checkpoint_path == name
    assert parse_text(PROJECTOR_CONFIG, text) == {"model_checkpoint_path": name}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", {}),
        ("# only a comment", {}),
        ("model_checkpoint_path: 'it''s'", {"model_checkpoint_path": "its"}),
        (r"model_checkpoint_path: '\x41\102\'\u00e9\303\251'", {"model_checkpoint_path": "AB'éé"}),
        (
            "embeddings < tensor_name: 'a' >; embeddings: { tensor_name: 'b' },",
            {"embeddings": [{"tensor_name": "a"}, {"tensor_name": "b"}]},
        ),
        (
            "embeddings { tensor_shape: [1, 0x10] tensor_shape: 3 }",
            {"embeddings": [{"tensor_shape": [1, 16, 3]}]},
        ),
        ("embeddings [{tensor_name: 'a'}, {}]", {"embeddings": [{"tensor_name": "a"}, {}]}),
        (
            "future { deep: 1.5 [x.y]: yes list: [1, 'b'] } model_checkpoint_dir: 'd'",
            {"model_checkpoint_dir": "d"},
        ),
    ],
)
def test_every_notation_is_read(text: str, expected: dict) -> None:
    assert parse_text(PROJECTOR_CONFIG, text) == expected


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("embeddings {", 1),
        ("}", 1),
        ("\nmodel_checkpoint_path 'x'", 2),
        ("model_checkpoint_path: 3", 1),
        ("embeddings: 'x'", 1),
        ("model_checkpoint_path { }", 1),
        ("embeddings { tensor_shape: 'x' }", 1),
        ("embeddings { tensor_shape: 1.5 }", 1),
        ("\n\nmodel_checkpoint_path: 'open", 3),
        ("embeddings [{}", 1),
        ("x {" * 100, 1),
    ],
)
def test_an_invalid_text_proto_is_refused_with_its_line(text: str, line: int) -> None:
    with pytest.raises(TextProtoError) as refused:
        parse_text(PROJECTOR_CONFIG, text)
    assert refused.value.line == line


@given(st.text(alphabet="ab:{}<>[]'\"\\#\n 1,;"))
def test_any_text_is_read_or_refused(text: str) -> None:
    with contextlib.suppress(TextProtoError):
        parse_text(PROJECTOR_CONFIG, text)
