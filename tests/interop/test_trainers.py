"""The Lightning logger and the transformers callback in real trainings, beside those of TensorBoard."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import runglass

pytestmark = [pytest.mark.interop, pytest.mark.filterwarnings("ignore")]

# Speeds differ between runs.
SPEEDS = ("runtime", "per_second")
# Only the training and its log.
QUIET: dict[str, Any] = {
    "accelerator": "cpu",
    "enable_progress_bar": False,
    "enable_model_summary": False,
    "enable_checkpointing": False,
}


def scalars(logdir: Path, run: str) -> dict[str, tuple[list[int], list[float]]]:
    log = runglass.open(logdir)
    series = {tag: log.scalars(run, tag) for tag, kind in log.tags(run).items() if kind == "scalar"}
    return {tag: (each.step.tolist(), each.value.tolist()) for tag, each in series.items()}


def assert_same(ours: dict[str, Any], theirs: dict[str, Any]) -> None:
    assert {*ours} == {*theirs}
    for tag, (steps, values) in theirs.items():
        assert ours[tag][0] == steps, tag
        if not tag.endswith(SPEEDS):
            np.testing.assert_allclose(ours[tag][1], values, rtol=1e-6, err_msg=tag)


@pytest.fixture(scope="module")
def lightning_logs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    lightning = pytest.importorskip("lightning.pytorch")
    import torch
    from lightning.pytorch.loggers import Logger, TensorBoardLogger

    from runglass.lightning import RunglassLogger

    class Module(lightning.LightningModule):
        def __init__(self, lr: float = 0.1, sizes: dict[str, int] | None = None) -> None:
            super().__init__()
            self.save_hyperparameters()
            self.layer = torch.nn.Linear(4, 1)
            self.example_input_array = torch.zeros(2, 4)

        def forward(self, x: Any) -> Any:
            return self.layer(x)

        def training_step(self, batch: Any, _: int) -> Any:
            loss = self(batch[0]).square().mean()
            self.log("train/loss", loss, on_step=True, on_epoch=True)
            return loss

        def validation_step(self, batch: Any, _: int) -> None:
            self.log("val_loss", self(batch[0]).square().mean())

        def configure_optimizers(self) -> Any:
            return torch.optim.SGD(self.parameters(), lr=self.hparams["lr"])

    out = tmp_path_factory.mktemp("lightning")
    lightning.seed_everything(0)
    data = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(torch.randn(32, 4)), batch_size=8)
    ours = RunglassLogger(out / "ours", log_graph=True)
    assert isinstance(ours, Logger)
    trainer = lightning.Trainer(
        max_epochs=3,
        log_every_n_steps=2,
        logger=[ours, TensorBoardLogger(out / "theirs", log_graph=True)],
        **QUIET,
    )
    trainer.fit(Module(sizes={"hidden": 3}), data, data)
    assert type(ours.experiment).__name__ == "SummaryWriter"
    return out


def test_lightning_writes_what_its_own_logger_writes(lightning_logs: Path) -> None:
    ours, theirs = (
        scalars(lightning_logs / name / "lightning_logs", "version_0") for name in ("ours", "theirs")
    )
    assert {"train/loss_step", "train/loss_epoch", "val_loss", "epoch", "hp_metric"} <= {*ours}
    assert_same(ours, theirs)


def test_lightning_keeps_hyperparameters_and_graph(lightning_logs: Path) -> None:
    version = "lightning_logs/version_0"
    ours, theirs = (lightning_logs / name / version for name in ("ours", "theirs"))
    assert (ours / "hparams.yaml").read_text() == (theirs / "hparams.yaml").read_text()
    tags = runglass.open(ours).tags(".")
    assert "__run_graph__" in tags
    assert "_hparams_/session_start_info" in tags


@pytest.mark.parametrize("has_example", [True, False])
def test_lightning_trains_whatever_the_graph(tmp_path: Path, has_example: bool) -> None:
    """The example must be moved like a batch, and the inner module has no trainer; without an example it warns."""
    lightning = pytest.importorskip("lightning.pytorch")
    import torch

    from runglass.lightning import RunglassLogger

    class Inner(lightning.LightningModule):
        def __init__(self) -> None:
            super().__init__()
            self.layer = torch.nn.Linear(4, 1)

        def forward(self, x: Any) -> Any:
            return self.layer(x)

    class Module(lightning.LightningModule):
        def __init__(self) -> None:
            super().__init__()
            self.layers = torch.nn.Sequential(Inner())
            if has_example:
                self.example_input_array = torch.zeros(2, 4, dtype=torch.float64)

        def forward(self, x: Any) -> Any:
            return self.layers(x)

        def transfer_batch_to_device(self, batch: Any, *_: Any) -> Any:
            """Acts as a move to another device, where a model accepts no input from the CPU."""
            return batch.float() if isinstance(batch, torch.Tensor) else [each.float() for each in batch]

        def training_step(self, batch: Any, _: int) -> Any:
            loss = self(batch[0]).square().mean()
            self.log("loss", loss)
            return loss

        def configure_optimizers(self) -> Any:
            return torch.optim.SGD(self.parameters(), lr=0.1)

    logger = RunglassLogger(tmp_path, name="", log_graph=True)
    trainer = lightning.Trainer(max_epochs=1, log_every_n_steps=1, logger=logger, **QUIET)
    data = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(torch.randn(8, 4)), batch_size=4)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        trainer.fit(Module(), data)
    assert [str(each.message) for each in told if "graph of the model" in str(each.message)] == (
        []
        if has_example
        else [
            "The graph of the model is not logged. Tracing it needs an input: set "
            "example_input_array on the LightningModule."
        ]
    )
    assert runglass.open(tmp_path).scalars("version_0", "loss").step.tolist() == [0, 1]
    assert ("__run_graph__" in runglass.open(tmp_path).tags("version_0")) is has_example


def test_lightning_logs_to_a_url() -> None:
    pytest.importorskip("lightning.pytorch")
    import fsspec
    from lightning.pytorch.core.saving import load_hparams_from_yaml

    from runglass.lightning import RunglassLogger

    for version in range(2):
        logger = RunglassLogger("memory://lightning", name="n")
        assert logger.version == version
        logger.log_hyperparams({"lr": version})
        logger.finalize("success")
        assert load_hparams_from_yaml(f"{logger.log_dir}/hparams.yaml") == {"lr": version}
    assert len(fsspec.filesystem("memory").find("/lightning/n")) == 4


def test_transformers_writes_what_its_own_callback_writes(tmp_path: Path, monkeypatch: Any) -> None:
    pytest.importorskip("transformers")
    import torch
    from transformers import (
        BertConfig,
        BertForSequenceClassification,
        Trainer,
        TrainerCallback,
        TrainingArguments,
    )
    from transformers.integrations import TensorBoardCallback

    from runglass.huggingface import RunglassCallback

    monkeypatch.setenv("TENSORBOARD_LOGGING_DIR", str(tmp_path / "theirs"))
    theirs = TensorBoardCallback()
    monkeypatch.setenv("TENSORBOARD_LOGGING_DIR", str(tmp_path / "ours"))
    ours = RunglassCallback()
    assert isinstance(ours, TrainerCallback)
    config = BertConfig(
        vocab_size=20, hidden_size=8, num_hidden_layers=1, num_attention_heads=2, intermediate_size=8
    )
    rows = [
        {"input_ids": torch.randint(0, 20, (6,)), "labels": torch.tensor(index % 2)} for index in range(16)
    ]
    trainer = Trainer(
        model=BertForSequenceClassification(config),
        args=TrainingArguments(
            output_dir=str(tmp_path / "out"),
            num_train_epochs=2,
            per_device_train_batch_size=4,
            logging_steps=2,
            eval_strategy="epoch",
            save_strategy="no",
            report_to=[],
            use_cpu=True,
            disable_tqdm=True,
        ),
        train_dataset=rows,
        eval_dataset=rows,
        callbacks=[ours, theirs],
    )
    trainer.train()
    found = scalars(tmp_path / "ours", ".")
    assert {"train/loss", "train/learning_rate", "eval/loss"} <= {*found}
    assert_same(found, scalars(tmp_path / "theirs", "."))
    texts = {tag for tag, kind in runglass.open(tmp_path / "ours").tags(".").items() if kind == "text"}
    assert texts == {"args", "model_config"}
