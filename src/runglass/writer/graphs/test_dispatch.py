from __future__ import annotations

from collections import UserDict, namedtuple

import pytest

from runglass.errors import BadArgument
from runglass.writer.graphs import model_graph
from runglass.writer.graphs.arguments import BY_PLACE, call_arguments, parameter_names


@pytest.mark.parametrize("model", [3, None, object(), [1, 2], b"bytes"])
def test_values_that_are_not_models(model: object):
    with pytest.raises(BadArgument, match=f"cannot make a graph of {type(model).__name__}.*torch.nn.Module"):
        model_graph(model, (1,))


def test_a_missing_onnx_file():
    with pytest.raises(BadArgument, match=r"nowhere\.onnx"):
        model_graph("nowhere.onnx")


def test_how_inputs_become_arguments():
    def forward(x: int, y: int = 0, *rest: int, **others: int) -> None: ...

    pair = namedtuple("pair", "x y")(1, 2)
    assert call_arguments(forward, (1, 2)) == ((1, 2), {})
    assert call_arguments(forward, [1, 2]) == ((1, 2), {})
    assert call_arguments(forward, 5) == ((5,), {})
    assert call_arguments(forward, pair) == ((pair,), {})
    assert call_arguments(forward, {"y": 1, "x": 2}) == ((), {"y": 1, "x": 2})
    assert call_arguments(forward, UserDict(x=2)) == ((), {"x": 2})
    assert call_arguments(forward, {"image": 1}) == (({"image": 1},), {})
    assert call_arguments(lambda x, /: x, {"x": 1}) == (({"x": 1},), {})
    assert call_arguments(max, {"a": 1}) == (({"a": 1},), {})


def test_the_names_of_arguments_by_place():
    def forward(a: int, /, b: int, *rest: int, key: int) -> None: ...

    assert parameter_names(forward, BY_PLACE) == ["a", "b"]
    assert parameter_names(max, BY_PLACE) == []
