"""`runglass.watch` on small models of real frameworks, against the same numbers computed with plain NumPy."""

from __future__ import annotations

import copy
import math
import pickle
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import runglass
from runglass.errors import BadArgument
from runglass.writer.watch.choice import DEFAULT

pytestmark = [pytest.mark.interop]


def scalars(directory: Path) -> dict[str, dict[int, float]]:
    log = runglass.open(directory)
    return {
        tag: dict(zip(found.step.tolist(), found.value.tolist(), strict=True))
        for tag, kind in log.tags(".").items()
        if kind == "scalar"
        for found in [log.scalars(".", tag)]
    }


def norm(*arrays: Any) -> float:
    return math.sqrt(sum(float(np.square(np.asarray(each, np.float64)).sum()) for each in arrays))


@pytest.fixture
def torch() -> Any:
    torch = pytest.importorskip("torch")
    torch.manual_seed(0)
    return torch


def small(torch: Any) -> Any:
    nn = torch.nn
    return nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Dropout(0.0), nn.Linear(8, 2))


def train(torch: Any, model: Any, steps: int = 1, *, optimizer: Any = None) -> None:
    optimizer = optimizer or torch.optim.SGD(model.parameters(), 0.1)
    for _ in range(steps):
        optimizer.zero_grad()
        (model(torch.randn(16, 4)) ** 2).mean().backward()
        optimizer.step()


def hooks_of(model: Any) -> list[Any]:
    return [hook for module in model.modules() for hook in module._forward_hooks.values()]


def test_torch_values_are_those_of_numpy(torch: Any, tmp_path: Path) -> None:
    model = small(torch)
    optimizer = torch.optim.Adam(model.parameters(), 0.01)
    x = torch.randn(16, 4)
    with runglass.SummaryWriter(tmp_path) as writer:
        watched = runglass.watch(
            model,
            writer,
            every=2,
            what=("grad_norm", "param_norm", "update_ratio", "activations", "not_finite", "weights"),
        )
        expected: dict[str, float] = {}
        for step in range(3):
            before = [each.detach().numpy().copy() for each in model.parameters()]
            hidden = before[0] @ x.numpy().T + before[1][:, None]
            outputs = {"0": hidden, "1": hidden.clip(0)}
            outputs["3"] = before[2] @ outputs["1"] + before[3][:, None]
            optimizer.zero_grad()
            # Two passes make one step; each module is called twice.
            for _ in range(2):
                ((model(x) - 1) ** 2).mean().backward()
            grads = [each.grad.numpy().copy() for each in model.parameters()]
            optimizer.step()
            changed = [
                each.detach().numpy() - then for each, then in zip(model.parameters(), before, strict=True)
            ]
            if step == 2:
                for name, places in (("0", (0, 1)), ("3", (2, 3)), ("total", (0, 1, 2, 3))):
                    expected[f"grad_norm/{name}"] = norm(*(grads[i] for i in places))
                    expected[f"param_norm/{name}"] = norm(*(before[i] for i in places))
                    expected[f"update_ratio/{name}"] = norm(*(changed[i] for i in places)) / norm(
                        *(before[i] for i in places)
                    )
                for name, output in outputs.items():
                    expected[f"activation_mean/{name}"] = float(output.mean())
                    expected[f"activation_std/{name}"] = float(output.std())
                    expected[f"activation_zeros/{name}"] = float((output == 0).mean())
                expected |= {"not_finite/0": 0.0, "not_finite/3": 0.0}
        assert watched.first_not_finite is None
        watched.remove()
    found = scalars(tmp_path)
    assert set(found) == set(expected)
    for tag, value in expected.items():
        assert set(found[tag]) == {0, 2}
        assert found[tag][2] == pytest.approx(value, rel=1e-4, abs=1e-6), tag
    rows = runglass.open(tmp_path).read(".", "weights/0.weight").value[-1]
    assert rows[:, 2].sum() == 32


def test_removing_it_leaves_the_model_as_it_was(torch: Any, tmp_path: Path) -> None:
    from torch.optim import optimizer as optimizers

    model = small(torch)
    before = len(optimizers._global_optimizer_pre_hooks), len(optimizers._global_optimizer_post_hooks)
    with runglass.SummaryWriter(tmp_path) as writer, runglass.watch(model, writer, every=1):
        train(torch, model)
        assert len(hooks_of(model)) == 3
        # A copy and a file have hooks that do nothing.
        for other in (copy.deepcopy(model), pickle.loads(pickle.dumps(model))):
            other(torch.zeros(1, 4))
    assert hooks_of(model) == []
    assert (
        len(optimizers._global_optimizer_pre_hooks),
        len(optimizers._global_optimizer_post_hooks),
    ) == before
    train(torch, model)
    assert set(scalars(tmp_path)["grad_norm/0"]) == {0}


def test_the_first_module_that_is_not_finite(torch: Any, tmp_path: Path) -> None:
    model = small(torch)
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    with runglass.SummaryWriter(tmp_path) as writer:
        watched = runglass.watch(model, writer, every=1)
        train(torch, model, 2, optimizer=optimizer)
        with torch.no_grad():
            model[3].weight[0, 0] = math.nan
        train(torch, model, 1, optimizer=optimizer)
        watched.remove()
    assert watched.first_not_finite == (2, "3", "weights")
    found = scalars(tmp_path)
    assert [found["not_finite/3"][step] for step in range(3)] == [0, 0, pytest.approx(9, abs=9)]
    assert found["not_finite/3"][2] > 0
    assert math.isnan(found["activation_mean/3"][2])
    assert "first_not_finite" in runglass.open(tmp_path).tags(".")


def test_wrapped_shared_frozen_sparse_and_lazy_models(torch: Any, tmp_path: Path) -> None:
    nn = torch.nn

    class Odd(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.words = nn.Embedding(10, 4, sparse=True)
            self.first, self.second = nn.Linear(4, 4, bias=False), nn.Linear(4, 4, bias=False)
            self.second.weight = self.first.weight
            self.frozen = nn.Linear(4, 4).requires_grad_(False)
            self.lazy = nn.LazyLinear(2)
            self.scale = nn.Parameter(torch.ones(4))
            self.wide = nn.Linear(2, 2).double()

        def forward(self, ids: Any) -> Any:
            x = self.frozen(self.second(self.first(self.words(ids)))) * self.scale
            return {"out": (self.wide(self.lazy(x).double()),)}

    model = Odd()
    # Moves the model to a GPU, where there is one.
    wrapped = nn.DataParallel(model)
    ids = torch.arange(3, device=model.words.weight.device)
    with runglass.SummaryWriter(tmp_path) as writer, runglass.watch(wrapped, writer, every=1):
        model(ids)
        optimizer = torch.optim.SGD(model.parameters(), 0.1)
        for _ in range(2):
            optimizer.zero_grad()
            wrapped(ids)["out"][0].sum().backward()
            optimizer.step()
    found = scalars(tmp_path)
    modules = {tag.partition("/")[2] for tag in found if tag.startswith("grad_norm/")}
    assert modules == {"words", "first", "lazy", "Odd", "wide", "total"}
    assert found["activation_mean/frozen"].keys() == {0, 1}
    grad = model.words.weight.grad.coalesce().cpu()
    assert found["grad_norm/words"][1] == pytest.approx(norm(grad.values().numpy()), rel=1e-5)


def test_a_model_that_raises_and_a_step_without_gradients(torch: Any, tmp_path: Path) -> None:
    model = small(torch)
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    with runglass.SummaryWriter(tmp_path) as writer, runglass.watch(model, writer, every=1):
        with pytest.raises(RuntimeError):
            model(torch.zeros(1, 5))
        optimizer.step()
        train(torch, model, optimizer=optimizer)
        # An evaluation is no part of the step after it.
        with torch.no_grad():
            model(torch.full((1, 4), 1e6))
        train(torch, model, optimizer=optimizer)
        # Another optimizer, of another model, is none of ours.
        train(torch, small(torch))
    found = scalars(tmp_path)
    assert set(found["grad_norm/0"]) == {1, 2}
    assert abs(found["activation_mean/0"][2]) < 10


def test_a_changed_shape_costs_no_step(torch: Any, tmp_path: Path) -> None:
    model = torch.nn.Linear(4, 2)
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    with runglass.SummaryWriter(tmp_path) as writer, runglass.watch(model, writer, every=1):
        train(torch, model, optimizer=optimizer)
        model.weight = torch.nn.Parameter(torch.ones(3, 4))
        model.bias = torch.nn.Parameter(torch.ones(3))
        optimizer.param_groups[0]["params"] = list(model.parameters())
        train(torch, model, optimizer=optimizer)
    assert set(scalars(tmp_path)["param_norm/Linear"]) == {0, 1}
    assert scalars(tmp_path)["param_norm/Linear"][1] == pytest.approx(math.sqrt(15))


@pytest.mark.filterwarnings("ignore:torch.quantize_per_tensor")
def test_quantised_parameters_and_outputs_are_left_out(torch: Any, tmp_path: Path) -> None:
    nn = torch.nn

    class Codes(nn.Module):
        def forward(self, x: Any) -> Any:
            return torch.quantize_per_tensor(x, 0.1, 0, torch.qint8)

    class Adapted(nn.Module):
        """A quantised layer that is frozen, as numbers of PyTorch's own type and as plain bytes, and an adapter that is trained."""

        def __init__(self) -> None:
            super().__init__()
            codes = torch.quantize_per_tensor(torch.randn(4, 4), 0.1, 0, torch.qint8)
            self.base = nn.Parameter(codes, requires_grad=False)
            self.packed = nn.Parameter(torch.ones(4, 2, dtype=torch.uint8), requires_grad=False)
            self.codes, self.adapter = Codes(), nn.Linear(4, 4)

        def forward(self, x: Any) -> Any:
            fixed = self.codes(x @ self.base.dequantize()).dequantize()
            return fixed + self.adapter(x) * self.packed.float().mean()

    model = Adapted()
    optimizer = torch.optim.SGD([each for each in model.parameters() if each.requires_grad], 0.1)
    everything = ("weights", "gradients", *DEFAULT)
    with runglass.SummaryWriter(tmp_path) as writer, runglass.watch(model, writer, every=1, what=everything):
        train(torch, model, 2, optimizer=optimizer)
    found = scalars(tmp_path)
    assert {tag.partition("/")[2] for tag in found} == {"adapter", "total"}
    assert set(found["param_norm/adapter"]) == {0, 1}
    grads = [each.grad.numpy() for each in model.adapter.parameters()]
    assert found["grad_norm/total"][1] == pytest.approx(norm(*grads), rel=1e-5)
    histograms = {tag for tag, kind in runglass.open(tmp_path).tags(".").items() if kind == "histogram"}
    assert histograms == {f"{what}/adapter.{name}" for what in everything[:2] for name in ("weight", "bias")}


def test_tensors_without_numbers_are_left_out(torch: Any, tmp_path: Path) -> None:
    """A part of the model is on the device "meta", as one whose weights are loaded elsewhere."""
    model = torch.nn.ModuleDict(
        {"here": torch.nn.Linear(4, 2), "there": torch.nn.Linear(4, 2, device="meta")}
    )
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    with runglass.SummaryWriter(tmp_path) as writer, runglass.watch(model, writer, every=1):
        for _ in range(2):
            optimizer.zero_grad()
            model["there"](torch.empty(16, 4, device="meta")).sum().backward()
            (model["here"](torch.randn(16, 4)) ** 2).mean().backward()
            optimizer.step()
    assert model["there"].weight.grad.is_meta
    found = scalars(tmp_path)
    assert {tag.partition("/")[2] for tag in found} == {"here", "total"}
    assert set(found["update_ratio/here"]) == set(found["activation_mean/here"]) == {0, 1}


DYING = """
import sys, torch, runglass
model = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.ReLU(), torch.nn.Linear(8, 2))
optimizer = torch.optim.SGD(model.parameters(), 0.01)
writer = runglass.SummaryWriter(sys.argv[1])
watched = runglass.watch(model, writer, every=1, what=("weights", "grad_norm", "activations"))
for step in range(10**9):
    optimizer.zero_grad()
    (model(torch.randn(16, 4)) ** 2).mean().backward()
    optimizer.step()
    if step == 20:
        writer.flush()
        # With the hooks in it.
        torch.save(model, sys.argv[1] + "/model.pt")
        print("trained", flush=True)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL")
def test_hooks_left_when_the_process_dies_break_nothing(torch: Any, tmp_path: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", DYING, str(tmp_path)], stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "trained\n"
        process.kill()
        assert process.wait(timeout=60) == -signal.SIGKILL
    log = runglass.open(tmp_path)
    assert [file.state for file in log.health] in (["ok"], ["cut_short"])
    steps = log.scalars(".", "grad_norm/0").step.tolist()
    assert steps == list(range(len(steps)))
    assert len(steps) > 20
    assert len(log.read(".", "weights/0.weight").value) > 20
    # The model that was saved is free of them, and can be watched again.
    model = torch.load(tmp_path / "model.pt", weights_only=False)
    later = tmp_path / "later"
    with runglass.SummaryWriter(later) as writer, runglass.watch(model, writer, every=1, first_step=21):
        train(torch, model, 2)
    assert scalars(later)["grad_norm/0"].keys() == {21, 22}
    assert "weights/0.weight" not in runglass.open(later).tags(".")


def test_compiled_models_say_what_is_not_seen(torch: Any, tmp_path: Path) -> None:
    model = torch.compile(small(torch), backend="eager")
    with runglass.SummaryWriter(tmp_path) as writer:
        with pytest.warns(UserWarning, match="does not see activations"):
            watched = runglass.watch(model, writer, every=1)
        train(torch, model)
        watched.remove()
    found = scalars(tmp_path)
    assert {"grad_norm/0", "grad_norm/3", "update_ratio/total"} <= set(found)
    assert not any(tag.startswith("activation") for tag in found)


def test_scaled_gradients_are_logged_as_they_are(torch: Any, tmp_path: Path) -> None:
    model = small(torch)
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    scaler = torch.amp.GradScaler("cpu", init_scale=1024.0)
    with runglass.SummaryWriter(tmp_path) as writer, runglass.watch(model, writer, every=1):
        x = torch.randn(8, 4)
        with torch.autocast("cpu", torch.bfloat16):
            loss = (model(x) ** 2).mean()
        scaler.scale(loss).backward()
        scaled = norm(*(each.grad.numpy() for each in model.parameters()))
        scaler.step(optimizer)
    assert scalars(tmp_path)["grad_norm/total"][0] == pytest.approx(scaled / 1024, rel=1e-4)


@pytest.fixture
def cuda(torch: Any) -> Any:
    if not torch.cuda.is_available():
        pytest.skip("needs a CUDA device")
    return torch.device("cuda", 0)


@pytest.mark.parametrize("kind", ["float32", "bfloat16", "float16"])
def test_sums_of_one_pass_are_those_of_many(torch: Any, cuda: Any, kind: str) -> None:
    from runglass.writer.watch.torch_fused import fused_sums
    from runglass.writer.watch.torch_sums import Sums

    def joined(tensors: list[Any]) -> Any:
        return torch.cat([each.reshape(-1).double() for each in tensors])

    def random(*shape: int) -> Any:
        return torch.randn(shape, device=cuda).to(getattr(torch, kind))

    many, one = Sums(torch), fused_sums(cuda)
    assert one is not None
    tensors = [random(size) for size in (1, 7, 16, 65536, 65537, 300001)]
    tensors.append(random(4, 8, 5, 6).to(memory_format=torch.channels_last))
    odd = [each.clone() for each in tensors]
    odd[2][3], odd[4][65536], odd[5][1] = math.nan, math.inf, -math.inf
    for found, expected in zip(
        one.gradients(odd, counts=True), many.gradients(odd, counts=True), strict=True
    ):
        torch.testing.assert_close(joined(found), joined(expected), rtol=1e-5, atol=0, equal_nan=True)
    norms, copy = one.weights(tensors, copies=True)
    expected, before = many.weights(tensors, copies=True)
    assert torch.is_tensor(copy)
    torch.testing.assert_close(joined(norms), joined(expected), rtol=1e-5, atol=0)
    for each in tensors:
        each.add_(torch.randn_like(each), alpha=0.1)
    torch.testing.assert_close(
        joined(one.changes(tensors, copy)),
        torch.stack(
            [(now.double() - then.double()).norm() for now, then in zip(tensors, before, strict=True)]
        ),
        rtol=1e-4,
        atol=0,
    )
    outputs = [*odd, random(30, 40).t(), random(5000, 999).relu(), random(10).double(), random(10).cpu()]
    for output in outputs * 8:
        one.add_call(output)
        many.add_call(output.to(cuda))
    torch.testing.assert_close(
        joined(one.take_calls()), joined(many.take_calls()), rtol=1e-4, atol=1e-2, equal_nan=True
    )


def test_a_model_on_a_gpu_logs_what_it_logs_on_a_cpu(torch: Any, cuda: Any, tmp_path: Path) -> None:
    start, x = small(torch), torch.randn(16, 4)
    for device in ("cpu", "cuda"):
        model = copy.deepcopy(start).to(device)
        optimizer = torch.optim.SGD(model.parameters(), 0.1)
        with (
            runglass.SummaryWriter(tmp_path / device) as writer,
            runglass.watch(model, writer, every=1, what=("weights", *DEFAULT)),
        ):
            for _ in range(3):
                optimizer.zero_grad()
                (model(x.to(device)) ** 2).mean().backward()
                optimizer.step()
    expected, found = scalars(tmp_path / "cpu"), scalars(tmp_path / "cuda")
    assert set(found) == set(expected)
    for tag, values in expected.items():
        assert found[tag] == pytest.approx(values, rel=1e-3, abs=1e-5), tag


def test_a_model_on_two_devices_logs_what_it_logs_on_one(torch: Any, cuda: Any, tmp_path: Path) -> None:
    nn = torch.nn

    class Moved(nn.Module):
        def __init__(self, inner: Any, device: Any) -> None:
            super().__init__()
            self.inner, self.device = inner.to(device), device

        def forward(self, x: Any) -> Any:
            return self.inner(x.to(self.device))

    start, x = small(torch), torch.randn(16, 4)
    for name, second in (("one", torch.device("cpu")), ("two", cuda)):
        model = copy.deepcopy(start)
        model[3] = Moved(model[3], second)
        optimizer = torch.optim.SGD(model.parameters(), 0.1)
        with (
            runglass.SummaryWriter(tmp_path / name) as writer,
            runglass.watch(model, writer, every=1, what=("weights", *DEFAULT)),
        ):
            for _ in range(3):
                optimizer.zero_grad()
                (model(x) ** 2).mean().backward()
                optimizer.step()
    expected, found = scalars(tmp_path / "one"), scalars(tmp_path / "two")
    assert set(found) == set(expected)
    assert "grad_norm/3.inner" in found
    for tag, values in expected.items():
        assert found[tag] == pytest.approx(values, rel=1e-3, abs=1e-5), tag


def test_wrong_optimizers(torch: Any, tmp_path: Path) -> None:
    with (
        runglass.SummaryWriter(tmp_path) as writer,
        pytest.raises(BadArgument, match=r"torch\.optim\.Optimizer"),
    ):
        runglass.watch(small(torch), writer, optimizer="sgd")


def test_jax_values_are_those_of_numpy(tmp_path: Path) -> None:
    jax = pytest.importorskip("jax")
    rng = np.random.default_rng(0)
    params = {
        "dense": {"kernel": rng.normal(size=(3, 2)).astype(np.float32), "bias": np.zeros(2, np.float32)}
    }
    x = rng.normal(size=(5, 3)).astype(np.float32)
    held = jax.tree_util.tree_map(jax.numpy.asarray, params)

    def loss(params: Any) -> Any:
        return jax.numpy.sum((x @ params["dense"]["kernel"] + params["dense"]["bias"]) ** 2)

    grads = jax.grad(loss)(held)
    updates = jax.tree_util.tree_map(lambda grad: -0.1 * grad, grads)
    with runglass.SummaryWriter(tmp_path) as writer:
        watched = runglass.watch(held, writer, every=1)
        watched.step(held, grads, {"dense": held["dense"]["kernel"].astype("bfloat16")}, updates=updates)
    out = x @ params["dense"]["kernel"]
    truth = norm(2 * x.T @ out, 2 * out.sum(axis=0))
    found = {tag: points[0] for tag, points in scalars(tmp_path).items()}
    assert found["grad_norm/dense"] == pytest.approx(truth, rel=1e-5)
    assert found["param_norm/dense"] == pytest.approx(norm(params["dense"]["kernel"]), rel=1e-5)
    assert found["update_ratio/dense"] == pytest.approx(
        0.1 * truth / norm(params["dense"]["kernel"]), rel=1e-5
    )
    assert found["activation_mean/dense"] == pytest.approx(params["dense"]["kernel"].mean(), rel=1e-2)
    assert found["not_finite/dense"] == 0


@pytest.mark.filterwarnings("ignore:__array__ implementation")
def test_keras_values_are_those_of_numpy(tmp_path: Path) -> None:
    keras = pytest.importorskip("keras")
    model = keras.Sequential(
        [keras.Input((3,)), keras.layers.Dense(4, name="hidden"), keras.layers.Dense(1, name="out")]
    )
    model.compile("sgd", "mse")
    before = [np.array(each) for each in model.get_weights()]
    rng = np.random.default_rng(0)
    with runglass.SummaryWriter(tmp_path) as writer:
        watched = runglass.watch(model, writer, every=2)
        x, y = rng.normal(size=(8, 3)), rng.normal(size=(8, 1))
        model.fit(x, y, batch_size=8, epochs=1, verbose=0, callbacks=[watched])
        after = model.get_weights()
        model.fit(x, y, batch_size=8, epochs=3, verbose=0, callbacks=[watched])
        watched.remove()
        model.fit(x, y, batch_size=8, epochs=2, verbose=0, callbacks=[watched])
    found = scalars(tmp_path)
    changed = [now - then for now, then in zip(after, before, strict=True)]
    assert set(found["param_norm/hidden"]) == {0, 2}
    assert found["param_norm/hidden"][0] == pytest.approx(norm(*before[:2]), rel=1e-5)
    assert found["update_ratio/total"][0] == pytest.approx(norm(*changed) / norm(*before), rel=1e-4)
