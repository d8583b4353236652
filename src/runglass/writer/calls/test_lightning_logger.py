from __future__ import annotations

from argparse import Namespace
from contextlib import contextmanager

import numpy as np
import pytest

import runglass
from runglass.writer.calls.lightning_logger import LoggerHooks, flat_params


class Hooks(LoggerHooks):
    """Saves YAML without Lightning."""

    def _save_yaml(self, path, hparams):
        with open(path, "w") as file:
            file.write(repr(hparams))


@pytest.fixture
def logger(tmp_path):
    made = Hooks(tmp_path, name="n", prefix="p")
    yield made
    made.finalize("success")


def test_versions_count_up(tmp_path):
    for name in ("version_0", "version_7", "version_x", "other"):
        (tmp_path / "n" / name).mkdir(parents=True)
    assert Hooks(tmp_path, name="n").version == 8
    assert Hooks(tmp_path, name="n").log_dir == str(tmp_path / "n" / "version_8")
    assert Hooks(tmp_path, name="m").version == 0
    assert Hooks(tmp_path, name="n", version="mine", sub_dir="s").log_dir == str(
        tmp_path / "n" / "mine" / "s"
    )
    assert Hooks(tmp_path, name=None, version=3).log_dir == str(tmp_path / "version_3")


def test_home_and_environment_variables_in_paths(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("JOB", "17")
    for given in ("~/logs", "$HOME/logs"):
        logger = Hooks(given, name="n", version=0, sub_dir="job $JOB")
        assert (logger.save_dir, logger.sub_dir) == (str(tmp_path / "logs"), "job $JOB")
        assert logger.log_dir == str(tmp_path / "logs/n/version_0/job 17")
    logger.log_metrics({"loss": 1.0}, 0)
    logger.finalize("success")
    assert (tmp_path / "logs/n/version_0/job 17/hparams.yaml").is_file()


def test_versions_and_hyperparameters_below_a_file_url(tmp_path):
    for version in range(2):
        logger = Hooks(f"{tmp_path.as_uri()}/a%20b", name="n")
        assert logger.version == version
        logger.log_hyperparams({"lr": version})
        logger.finalize("success")
        assert (tmp_path / f"a b/n/version_{version}/hparams.yaml").read_text() == f"{{'lr': {version}}}"


def test_versions_and_hyperparameters_in_an_object_store():
    fsspec = pytest.importorskip("fsspec")

    class Remote(LoggerHooks):
        def _save_yaml(self, path, hparams):
            with fsspec.open(path, "w") as file:
                file.write(repr(hparams))

    for version in range(2):
        logger = Remote("memory://lightning", name="n")
        assert logger.version == version
        logger.log_hyperparams({"lr": version})
        logger.save()
        logger.log_hyperparams({"lr": "later"})
        logger.finalize("success")
        path = f"/lightning/n/version_{version}/hparams.yaml"
        assert fsspec.filesystem("memory").cat_file(path) == f"{{'lr': {version}}}".encode()


def test_metrics(logger, tmp_path):
    logger.log_metrics({"loss": np.array([0.5]), "both": {"a": 1.0, "b": 2.0}}, step=4)
    logger.save()
    log = runglass.open(tmp_path / "n")
    assert log.scalars("version_0", "p-loss").value.tolist() == [0.5]
    assert log.scalars("version_0/p-both_a", "p-both").step.tolist() == [4]


def test_hyperparameters_go_to_the_run_and_to_yaml(logger, tmp_path):
    logger.log_hyperparams(Namespace(lr=0.1, model={"width": 3}))
    logger.save()
    log = runglass.open(tmp_path / "n")
    assert log.runs == ["version_0"]
    assert log.scalars("version_0", "hp_metric").value.tolist() == [-1]
    assert "_hparams_/session_start_info" in log.tags("version_0")
    assert (tmp_path / "n/version_0/hparams.yaml").read_text() == "{'lr': 0.1, 'model': {'width': 3}}"


@pytest.mark.parametrize(
    ("metrics", "default", "expected"),
    [(None, False, None), (0.5, True, ("hp_metric", 0.5)), ({"val": 0.25}, True, ("val", 0.25))],
)
def test_metrics_of_a_session(tmp_path, metrics, default, expected):
    logger = Hooks(tmp_path, name="", version="", default_hp_metric=default)
    logger.log_hyperparams({"lr": 0.1}, metrics)
    logger.log_metrics({"any": 1}, 0)
    logger.finalize("success")
    log = runglass.open(tmp_path)
    scalars = {tag: kind for tag, kind in log.tags(".").items() if kind == "scalar" and tag != "any"}
    assert [*scalars] == ([expected[0]] if expected else [])
    if expected:
        assert log.scalars(".", expected[0]).value.tolist() == [expected[1]]


def test_a_graph_that_cannot_be_traced_warns(tmp_path):
    Hooks(tmp_path).log_graph(object())
    logger = Hooks(tmp_path, log_graph=True)
    with pytest.warns(UserWarning, match="not logged.*example_input_array"):
        logger.log_graph(object())
    with pytest.warns(UserWarning, match="not logged.*cannot make a graph of object"):
        logger.log_graph(object(), [1.0])
    logger.finalize("success")


def test_an_example_is_moved_as_a_batch_is(tmp_path):
    class Module:
        example_input_array = 1

        def _on_before_batch_transfer(self, batch):
            return batch + 1

        def _apply_batch_transfer_handler(self, batch):
            return batch * 10

    class Writer:
        def add_graph(self, model, inputs):
            graphs.append((model, inputs, depth))

    graphs = []
    depth = 0

    class Tracing(Hooks):
        @contextmanager
        def _tracing(self):
            nonlocal depth
            depth += 1
            yield
            depth -= 1

    module, logger = Module(), Tracing(tmp_path, log_graph=True)
    logger._writer = Writer()
    logger.log_graph(module)
    assert graphs == [(module, 20, 1)]


def test_flat_params():
    given = {"a": {"b": 1, "c": Namespace(d=True)}, "e": None, "f": np.float32(0.5), "g": [1, 2], 3: "x"}
    assert dict(flat_params(given)) == {
        "a/b": 1,
        "a/c/d": True,
        "e": "None",
        "f": 0.5,
        "g": "[1, 2]",
        "3": "x",
    }
