"""`runglass.SummaryWriter`: the calls of torch.utils.tensorboard and tensorboardX.

A call checks and copies what it gets; an EventWriter encodes and writes it later.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Mapping, Sequence
from typing import Any

from runglass.errors import BadArgument
from runglass.writer.calls.torch_hparams import Trials, add_hparams
from runglass.writer.calls.writer_base import WriterBase
from runglass.writer.files.event_writer import FLUSH_S, MAX_QUEUE, to_logdir
from runglass.writer.files.run_writers import RunWriters, default_log_dir
from runglass.writer.values import deferred, histograms, layouts, mesh, pr_curves, summaries, video
from runglass.writer.values.arrays import (
    check_folder,
    clean_tag,
    clean_text,
    to_number,
    to_step,
)
from runglass.writer.values.summaries import ScalarForm

TORCH_THRESHOLDS = 127


class SummaryWriter(WriterBase):
    """Logs one run into `log_dir`; by default a new directory under runs/.

    `global_step` is a whole number of any type; None counts as 0. Arrays come from NumPy, torch on any device, TensorFlow,
    JAX, CuPy or lists. Every call checks its arguments and returns before anything is written; flush() and close() wait
    until it is. After close() the next call opens a new file.

    >>> with runglass.SummaryWriter("logs/first") as writer:
    ...     writer.add_scalar("loss", 0.5, 0)
    """

    def __init__(
        self,
        log_dir: str | os.PathLike[str] | None = None,
        comment: str = "",
        purge_step: int | None = None,
        max_queue: int = MAX_QUEUE,
        flush_secs: float = FLUSH_S,
        filename_suffix: str = "",
        write_to_disk: bool = True,
        logdir: str | os.PathLike[str] | None = None,
        comet_config: Mapping[str, Any] | None = None,
    ) -> None:
        """`comet_config` has no effect; `logdir` and `write_to_disk` are arguments of tensorboardX."""
        if log_dir is not None and logdir is not None:
            raise BadArgument("log_dir and logdir are two names of one argument; pass one.", where="logdir")
        given = logdir if log_dir is None else log_dir
        self.log_dir = to_logdir(given) if given else default_log_dir(comment)
        self.max_queue = max_queue
        self.flush_secs = flush_secs
        self.filename_suffix = filename_suffix
        super().__init__(
            RunWriters(
                self.log_dir,
                purge_step=None if purge_step is None else to_step(purge_step),
                is_silent=not write_to_disk,
                max_queue=max_queue,
                flush_secs=flush_secs,
                filename_suffix=filename_suffix,
            )
        )
        # As in torch: None once it is in the file.
        self.purge_step = None
        self._start_time_s = time.time()
        self._layout: dict[str, dict[str, layouts.Chart]] = {}
        self._trials = Trials()
        self._default_bins: list[float] | None = None
        # The runs that add_scalars made, and the tag in each.
        self._grouped: dict[str, str] = {}

    def get_logdir(self) -> str:
        """The directory of the run, as it was given.

        >>> writer.get_logdir()
        """
        return self.log_dir

    @property
    def default_bins(self) -> list[float]:
        """The edges of histograms with `bins="tensorflow"`; others may be set.

        >>> writer.default_bins = [-1.0, 0.0, 1.0]
        """
        if self._default_bins is None:
            return list(histograms.exponential_edges().tolist())
        return self._default_bins

    @default_bins.setter
    def default_bins(self, edges: Sequence[float]) -> None:
        self._default_bins = list(edges)

    @property
    def logdir(self) -> str:
        """The directory of the run, as tensorboardX calls it.

        >>> writer.logdir
        """
        return self.log_dir

    def add_scalar(
        self,
        tag: str,
        scalar_value: Any,
        global_step: Any = None,
        walltime: float | None = None,
        new_style: bool | str = False,
        double_precision: bool | str = False,
        display_name: str = "",
        summary_description: str = "",
    ) -> None:
        """One number, stored as torch stores it: with 32 bits, whatever type it has.

        `double_precision` keeps all its digits; in torch that needs `new_style` too, which alone stores a float32 tensor.
        tensorboardX has `display_name` and `summary_description` in their places.

            writer.add_scalar("train/loss", loss, step)
            writer.add_scalar("time/s", time.time(), step, double_precision=True)
        """
        # Training loops make this call thousands of times a second: nothing here that costs a fast call anything.
        try_scalar = self._try_scalar
        if (
            walltime is not None
            or new_style
            or double_precision
            or display_name
            or summary_description
            or not try_scalar(tag, scalar_value, global_step, "simple_value")
        ):
            self._add_any_scalar(
                tag,
                scalar_value,
                global_step,
                walltime,
                new_style,
                double_precision,
                display_name,
                summary_description,
            )

    def _add_any_scalar(
        self,
        tag: str,
        scalar_value: Any,
        global_step: Any,
        walltime: float | None,
        new_style: bool | str,
        double_precision: bool | str,
        display_name: str,
        summary_description: str,
    ) -> None:
        tag = clean_tag(tag)
        if isinstance(new_style, str):
            display_name, new_style = new_style, False
        if isinstance(double_precision, str):
            summary_description, double_precision = double_precision, False
        step, wall_time = self._when(global_step, walltime)
        form: ScalarForm = (
            "torch_float64" if double_precision else "torch_float32" if new_style else "simple_value"
        )
        is_named = bool(display_name or summary_description)
        if not is_named and self._is_arriving(tag, scalar_value, step, wall_time, form):
            return
        number = to_number(scalar_value, f"Scalar {tag!r}")
        if is_named:
            value = summaries.scalar(
                tag, number, form=form, display_name=display_name, description=summary_description
            )
            self._run.write(lambda own: own.add_values([value], step, wall_time, are_scalars=True))
        else:
            self._write_scalar(tag, number, step, wall_time, form)

    def add_scalars(
        self,
        main_tag: str,
        tag_scalar_dict: Mapping[str, Any],
        global_step: Any = None,
        walltime: float | None = None,
    ) -> None:
        """Numbers for one chart. Each goes to its own run, `<log_dir>/<main_tag>_<name>`.

        >>> writer.add_scalars("loss", {"train": 0.5, "val": 0.6}, step)
        """
        if not isinstance(tag_scalar_dict, Mapping):
            raise BadArgument(
                f"add_scalars needs a dict of names and numbers, got {type(tag_scalar_dict).__name__}.",
                where="tag_scalar_dict",
            )
        main_tag = clean_tag(main_tag)
        step, wall_time = self._when(global_step, walltime)
        # The same time for all of them.
        wall_time = time.time() if wall_time is None else wall_time
        stem = main_tag.replace("/", "_")
        numbers = {
            f"{stem}_{clean_text(str(name))}": to_number(value, f"Scalar {main_tag!r}[{name!r}]")
            for name, value in tag_scalar_dict.items()
        }
        for run in numbers:
            check_folder(run, "A name in tag_scalar_dict, after the main tag,", "tag_scalar_dict")
        for run, number in numbers.items():
            writer = self._run.writer(f"{self._run.run_dir}/{run}")
            writer.add_scalar(main_tag, number, step, wall_time, form="simple_value")
            self._grouped[run] = main_tag

    def export_scalars_to_json(self, path: str | os.PathLike[str]) -> None:
        """What add_scalars logged, as `{directory: [[wall time, step, value], …]}`, as in tensorboardX.

        `runglass.open(logdir).table().to_csv(path)` writes every scalar of every run.

        >>> writer.export_scalars_to_json("scalars.json")
        """
        found = {
            f"{self.log_dir}/{run}/{tag}": self._run.past_points(run, tag)
            for run, tag in self._grouped.items()
        }
        with open(path, "w", encoding="utf-8") as file:
            json.dump(found, file)

    def add_tensor(
        self, tag: str, tensor: Any, global_step: Any = None, walltime: float | None = None
    ) -> None:
        """Any array, as it is.

        >>> writer.add_tensor("gate", np.eye(3), step)
        """
        self._add_later(deferred.tensor(clean_tag(tag), tensor), global_step, walltime)

    def add_histogram(
        self,
        tag: str,
        values: Any,
        global_step: Any = None,
        bins: Any = histograms.EXPONENTIAL,
        walltime: float | None = None,
        max_bins: int | None = None,
    ) -> None:
        """The distribution of `values`, by default in buckets that grow by 10 % away from zero, as in torch.

        `bins` is a number of buckets of one width, edges, or a rule of numpy.histogram ("auto", "fd", …). NaN and infinities
        are counted separately.

            writer.add_histogram("layer1/weights", model.layer1.weight, step)
        """
        tag = clean_tag(tag)
        if isinstance(bins, str) and bins == histograms.EXPONENTIAL and self._default_bins is not None:
            bins = self._default_bins
        later = deferred.histogram(tag, values, buckets=bins, max_bins=max_bins)
        if later is not None:
            self._add_later(later, global_step, walltime)
        else:
            value = summaries.histogram(tag, values, buckets=bins, max_bins=max_bins)
            self._add_values([value], global_step, walltime)

    def add_histogram_raw(
        self,
        tag: str,
        min: Any,
        max: Any,
        num: Any,
        sum: Any,
        sum_squares: Any,
        bucket_limits: Any,
        bucket_counts: Any,
        global_step: Any = None,
        walltime: float | None = None,
    ) -> None:
        """A histogram from counts and right edges of buckets. `num`, `sum` and `sum_squares` are not stored.

        >>> writer.add_histogram_raw("weights", 0.0, 1.0, 3, 1.5, 0.9, [0.5, 1.0], [1, 2], step)
        """
        tag = clean_tag(tag)
        what = f"Histogram {tag!r}"
        low, high = to_number(min, f"{what}: min"), to_number(max, f"{what}: max")
        rows = histograms.raw_buckets(bucket_limits, bucket_counts, low, high, what)
        self._add_values([summaries.histogram_rows(tag, rows)], global_step, walltime)

    def add_image(
        self,
        tag: str,
        img_tensor: Any,
        global_step: Any = None,
        walltime: float | None = None,
        dataformats: str = "CHW",
    ) -> None:
        """One picture: uint8, uint16 (stored with 16 bits), bool or floats from 0 to 1, with 1 to 4 channels; or a PIL image.

        Bytes are an encoded file (PNG, JPEG, GIF, …), which is logged unchanged. A batch is logged as in add_images.

        >>> writer.add_image("digit", pixels, step, dataformats="HWC")
        """
        tag = clean_tag(tag)
        if isinstance(img_tensor, bytes | bytearray):
            self._add_values([summaries.image(tag, bytes(img_tensor))], global_step, walltime)
        else:
            self._add_later(deferred.image(tag, img_tensor, dataformats), global_step, walltime)

    def add_images(
        self,
        tag: str,
        img_tensor: Any,
        global_step: Any = None,
        walltime: float | None = None,
        dataformats: str = "NCHW",
        as_grid: bool = False,
    ) -> None:
        """A batch of pictures of one size, one sample each; `as_grid` tiles them into one picture, eight per row.

        A list of pictures has the `dataformats` of one, or N before them.

        >>> writer.add_images("batch", pixels, step, dataformats="NHWC")
        """
        if (
            isinstance(img_tensor, list | tuple)
            and isinstance(dataformats, str)
            and "N" not in dataformats.upper()
        ):
            dataformats = f"N{dataformats}"
        value = deferred.image(clean_tag(tag), img_tensor, dataformats, as_grid=as_grid)
        self._add_later(value, global_step, walltime)

    def add_image_with_boxes(
        self,
        tag: str,
        img_tensor: Any,
        box_tensor: Any,
        global_step: Any = None,
        walltime: float | None = None,
        rescale: float | str = 1,
        dataformats: str = "CHW",
        labels: Sequence[str] | None = None,
    ) -> None:
        """A picture with boxes (x1, y1, x2, y2 in pixels) drawn on it; labels need PIL.

        >>> writer.add_image_with_boxes("found", pixels, [[10, 10, 40, 40]], step, labels=["cat"])
        """
        factor: Any = rescale
        if isinstance(rescale, str) and set(rescale) <= set("NCHW"):
            # Called as in tensorboardX, which has no factor before these two arguments.
            labels = labels if dataformats == "CHW" else [*dataformats]
            factor, dataformats = 1, rescale
        value = deferred.image_with_boxes(
            clean_tag(tag), img_tensor, dataformats, boxes=box_tensor, labels=labels, rescale=factor
        )
        self._add_later(value, global_step, walltime)

    def add_figure(
        self,
        tag: str,
        figure: Any,
        global_step: Any = None,
        close: bool = True,
        walltime: float | None = None,
    ) -> None:
        """A matplotlib figure, or a list of them as samples of one value. Closes them unless `close` is false.

        >>> writer.add_figure("confusion", figure, epoch)
        """
        self._add_later(deferred.figures(clean_tag(tag), figure, close=close), global_step, walltime)

    def add_video(
        self,
        tag: str,
        vid_tensor: Any,
        global_step: Any = None,
        fps: float = 4,
        walltime: float | None = None,
        dataformats: str = "NTCHW",
    ) -> None:
        """Videos as animated GIFs, one sample per video of the batch. Pixels as in add_image.

        Bytes or a path, or a list of them, are encoded videos (GIF, MP4, WebM), which are logged unchanged; `fps` has no
        effect then. TensorBoard shows only GIFs.

        >>> writer.add_video("game", frames, step, fps=8)
        """
        tag = clean_tag(tag)
        encoded = video.encoded_videos(vid_tensor, f"Video {tag!r}")
        if encoded is not None:
            self._add_values([summaries.images(tag, encoded)], global_step, walltime)
        else:
            self._add_later(deferred.videos(tag, vid_tensor, dataformats, fps=fps), global_step, walltime)

    def add_audio(
        self,
        tag: str,
        snd_tensor: Any,
        global_step: Any = None,
        sample_rate: int = 44100,
        walltime: float | None = None,
    ) -> None:
        """A clip of 1 to 8 channels, int16 or floats from -1 to 1. Of two axes the shorter one holds the channels.

        >>> writer.add_audio("speech", waveform, step, sample_rate=16_000)
        """
        self._add_later(deferred.audio(clean_tag(tag), snd_tensor, sample_rate), global_step, walltime)

    def add_text(
        self, tag: str, text_string: Any, global_step: Any = None, walltime: float | None = None
    ) -> None:
        """Markdown. A list shows as a column, a list of rows as a table.

        >>> writer.add_text("note", "**warm-up** ends here", step)
        """
        tag = clean_tag(tag)
        self._add_values([summaries.text(tag, text_string)], global_step, walltime)

    def add_pr_curve(
        self,
        tag: str,
        labels: Any,
        predictions: Any,
        global_step: Any = None,
        num_thresholds: int = TORCH_THRESHOLDS,
        weights: Any = None,
        walltime: float | None = None,
    ) -> None:
        """Precision and recall of predictions from 0 to 1 against labels that are true or false.

        >>> writer.add_pr_curve("cat", labels, predictions, step)
        """
        tag = clean_tag(tag)
        pr_curves.check_not_empty(predictions, f"PR curve {tag!r}")
        value = summaries.pr_curve(tag, labels, predictions, thresholds=num_thresholds, weights=weights)
        self._add_values([value], global_step, walltime)

    def add_pr_curve_raw(
        self,
        tag: str,
        true_positive_counts: Any,
        false_positive_counts: Any,
        true_negative_counts: Any,
        false_negative_counts: Any,
        precision: Any,
        recall: Any,
        global_step: Any = None,
        num_thresholds: int = TORCH_THRESHOLDS,
        weights: Any = None,
        walltime: float | None = None,
    ) -> None:
        """The same from counts, one per threshold. `num_thresholds` and `weights` have no effect: the counts imply them.

        >>> writer.add_pr_curve_raw("cat", tp, fp, tn, fn, precision, recall, step, num_thresholds=127)
        """
        tag = clean_tag(tag)
        given = {
            "true_positive_counts": true_positive_counts,
            "false_positive_counts": false_positive_counts,
            "true_negative_counts": true_negative_counts,
            "false_negative_counts": false_negative_counts,
            "precision": precision,
            "recall": recall,
        }
        rows = pr_curves.counted_rows(given, f"PR curve {tag!r}")
        self._add_values([summaries.pr_curve_counted(tag, rows)], global_step, walltime)

    def add_custom_scalars(self, layout: layouts.Layout) -> None:
        """`{category: {chart: ["Multiline", [tag, …]]}}`, or `["Margin", [value, lower, upper]]` for a band around a line.

        >>> writer.add_custom_scalars({"losses": {"both": ["Multiline", ["train/loss", "val/loss"]]}})
        """
        value = layouts.layout_value(layout)
        self._layout = {category: dict(charts) for category, charts in layout.items()}
        self._add_values([value], 0, None)

    def add_custom_scalars_multilinechart(
        self, tags: Sequence[str], category: str = "default", title: str = "untitled"
    ) -> None:
        """One more chart: a line for each tag whose start matches one of the regular expressions in `tags`.

        >>> writer.add_custom_scalars_multilinechart(["train/loss", "val/loss"])
        """
        self._add_chart(category, title, ["Multiline", tags])

    def add_custom_scalars_marginchart(
        self, tags: Sequence[str], category: str = "default", title: str = "untitled"
    ) -> None:
        """One more chart: a line with a band around it, from three tags: value, lower and upper.

        >>> writer.add_custom_scalars_marginchart(["loss/mean", "loss/low", "loss/high"])
        """
        self._add_chart(category, title, ["Margin", tags])

    def add_mesh(
        self,
        tag: str,
        vertices: Any,
        colors: Any = None,
        faces: Any = None,
        config_dict: Mapping[str, Any] | None = None,
        global_step: Any = None,
        walltime: float | None = None,
    ) -> None:
        """A mesh, or a point cloud without `faces`. Colours range to 255, or to 1 if they are floats and none is above 1.

        >>> writer.add_mesh("scan", vertices, faces=faces, global_step=step)
        """
        tag = clean_tag(tag)
        self._add_values(mesh.mesh(tag, vertices, colors, faces, config_dict), global_step, walltime)

    def add_hparams(
        self,
        hparam_dict: Mapping[str, Any],
        metric_dict: Mapping[str, Any],
        hparam_domain_discrete: Mapping[str, Sequence[Any]] | None = None,
        run_name: str | None = None,
        global_step: Any = None,
        name: str | None = None,
    ) -> None:
        """Hyperparameters and results of this run. With `run_name` (or `name`) they go to a run below it, as in torch.

        Called again with other values it logs another trial, in a run below that is named after the time. `run_name=""` is this
        run in any case. Without `global_step` each result ends the curve of its tag.

        >>> writer.add_hparams({"lr": 0.1, "layers": 2}, {"accuracy": 0.9})
        """
        if isinstance(hparam_domain_discrete, str):
            # Called as in tensorboardX, which has the name in this place.
            hparam_domain_discrete, name = None, hparam_domain_discrete
        add_hparams(
            self._run,
            self._trials,
            hparam_dict,
            metric_dict,
            {} if hparam_domain_discrete is None else hparam_domain_discrete,
            run_name=name if run_name is None else run_name,
            step=self._step if global_step is None else global_step,
            wall_time=self._wall_time,
            start_time_s=self._start_time_s,
        )

    def add_graph(
        self, model: Any, input_to_model: Any = None, verbose: bool = False, use_strict_trace: bool = True
    ) -> None:
        """The graph of a torch module or JAX function, traced with example inputs, of a Keras model or of an ONNX file.

        >>> writer.add_graph(model, example_input)
        """
        from runglass.writer.graphs import model_graph

        graph = model_graph(model, input_to_model, is_verbose=verbose, uses_strict_trace=use_strict_trace)
        self._add_graph(graph.events, graph.values)

    def add_onnx_graph(self, prototxt: Any = None, *, onnx_model_file: Any = None) -> None:
        """The graph in an ONNX file: its path, its bytes or its ModelProto. Does not need the onnx package.

        tensorboardX calls the argument `onnx_model_file`.

        >>> writer.add_onnx_graph("model.onnx")
        """
        from runglass.writer.graphs import onnx_graph

        graph = onnx_graph(onnx_model_file if prototxt is None else prototxt)
        self._add_graph(graph.events, graph.values)

    def add_embedding(
        self,
        mat: Any,
        metadata: Any = None,
        label_img: Any = None,
        global_step: Any = None,
        tag: str = "default",
        metadata_header: Any = None,
    ) -> None:
        """Vectors for the projector: writes vectors, labels and a sprite beside the event files.

        >>> writer.add_embedding(vectors, metadata=words, tag="words")
        """
        from runglass.writer.calls.projector import add_embedding

        step, _ = self._when(global_step, None)
        if not self._run.is_silent:
            add_embedding(self._run.run_dir, mat, metadata, label_img, step, clean_tag(tag), metadata_header)

    def _add_chart(self, category: str, title: str, chart: layouts.Chart) -> None:
        layout = {name: dict(charts) for name, charts in self._layout.items()}
        layout.setdefault(category, {})[title] = chart
        self.add_custom_scalars(layout)
