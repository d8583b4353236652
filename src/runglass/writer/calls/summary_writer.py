"""`runglass.SummaryWriter`: the calls of torch.utils.tensorboard and tensorboardX, written by Runglass.

Checks and prepares what the caller gives, here and now; encoding and writing are the EventWriter's, elsewhere.
"""

from __future__ import annotations

import os
import socket
import threading
import time
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from types import TracebackType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from runglass.errors import BadArgument
from runglass.schema.event import SessionStatus
from runglass.schema.hparams import SessionOutcome
from runglass.schema.tensor_values import TensorError
from runglass.writer import RUN_DIR_VARIABLE
from runglass.writer.files.event_writer import FLUSH_S, MAX_QUEUE, EventWriter, to_logdir
from runglass.writer.files.past_steps import last_steps
from runglass.writer.files.record_buffer import WriterClosed
from runglass.writer.values import histograms, hparams, layouts, mesh, pictures, summaries, video
from runglass.writer.values.arrays import (
    TAG_LIMIT,
    check_folder,
    clean_tag,
    clean_text,
    is_float64,
    to_number,
    to_numpy,
    to_real,
    to_step,
    to_wall_time,
)
from runglass.writer.values.png import as_uint8, encode_png
from runglass.writer.values.wav import MOST_SAMPLES_PER_S, clip_trouble, to_clip

TORCH_THRESHOLDS = 127
OPENING_WAIT_S = 1.0
# What one event may take, by the rules of its format.
EVENT_LIMIT_BYTES = 2**31


class SummaryWriter:
    """Logs one run into `log_dir`; by default a new directory under runs/.

    `global_step` may be anything that is one whole number; None counts as 0. Arrays may be of NumPy, torch on any device,
    TensorFlow, JAX or CuPy, or lists. Every call checks its arguments at once and returns before anything is written;
    flush() and close() wait for that. After close() the next call opens a new file.
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
        """`comet_config` is accepted and without effect; `logdir` and `write_to_disk` are tensorboardX's as well."""
        if log_dir is not None and logdir is not None:
            raise BadArgument("log_dir and logdir are two names of one argument; pass one.", where="logdir")
        given = logdir if log_dir is None else log_dir
        self.log_dir = to_logdir(given) if given else default_log_dir(comment)
        # Training may change its working directory; the run stays where it began.
        self._place = self.log_dir if "://" in self.log_dir else os.path.abspath(self.log_dir)
        self.purge_step = None if purge_step is None else to_step(purge_step)
        self.max_queue = max_queue
        self.flush_secs = flush_secs
        self.filename_suffix = filename_suffix
        self._writes = write_to_disk
        self._start_time_s = time.time()
        # By directory: this run's own writer, and those of the runs that add_scalars makes.
        self._writers: dict[str, EventWriter | SilentWriter] = {}
        # So that threads that find no writer make one, not one each.
        self._opening = threading.RLock()
        # Bound once, for the call that is made most; close() puts one here that opens a new file.
        self._add_scalar: Callable[..., None]
        # What calls without a step or wall time of their own get, inside use_metadata().
        self._step: Any = None
        self._wall_time: float | None = None
        self._layout: dict[str, dict[str, layouts.Chart]] = {}
        self._warned: set[str] = set()
        # A directory that cannot be written to is said so here and now; later on training goes on without it.
        self._is_amid_training = False
        self._open()
        self._is_amid_training = True

    def get_logdir(self) -> str:
        return self.log_dir

    @property
    def logdir(self) -> str:
        return self.log_dir

    def add_scalar(
        self,
        tag: str,
        scalar_value: Any,
        global_step: Any = None,
        walltime: float | None = None,
        new_style: bool | str = False,
        double_precision: bool | str | None = None,
        display_name: str = "",
        summary_description: str = "",
    ) -> None:
        """One number. NumPy's and tensors' float64 is kept whole, Python's floats become float32 as in every stock writer.

        `double_precision` forces one of the two. `new_style` is accepted and always on; tensorboardX has the two texts in these
        places.
        """
        # The one call that training loops make thousands of times a second; what it takes is looked at in order of likelihood.
        if (
            (type(scalar_value) is float or type(scalar_value) is int)
            and type(global_step) is int
            and type(tag) is str
            and 0 < len(tag) <= TAG_LIMIT
            and double_precision is None
            and walltime is None
            and self._wall_time is None
            and not summary_description
            and not display_name
            and new_style is False
        ):
            try:
                self._add_scalar(tag, scalar_value, global_step)
            except UnicodeEncodeError:
                self._add_scalar(clean_tag(tag), scalar_value, global_step)
            except WriterClosed:
                self._reopen_and_add_scalar(tag, scalar_value, global_step)
            return
        tag = clean_tag(tag)
        if isinstance(new_style, str):
            display_name = new_style
        if isinstance(double_precision, str):
            summary_description, double_precision = double_precision, None
        step, wall_time = self._when(global_step, walltime)
        number = to_number(scalar_value, f"Scalar {tag!r}")
        if double_precision is None:
            double_precision = is_float64(scalar_value)
        precision = "float64" if double_precision else "float32"
        if display_name or summary_description:
            value = summaries.scalar(
                tag,
                number,
                precision=precision,  # type: ignore[arg-type]
                display_name=display_name,
                description=summary_description,
            )
            self._write(lambda own: own.add_values([value], step, wall_time, are_scalars=True))
        else:
            self._reopen_and_add_scalar(tag, number, step, wall_time, precision=precision)

    def add_scalars(
        self,
        main_tag: str,
        tag_scalar_dict: Mapping[str, Any],
        global_step: Any = None,
        walltime: float | None = None,
    ) -> None:
        """Numbers to be drawn in one chart: each becomes a run of its own, `<log_dir>/<main_tag>_<name>`."""
        if not isinstance(tag_scalar_dict, Mapping):
            raise BadArgument(
                f"add_scalars needs a dict of names and numbers, got {type(tag_scalar_dict).__name__}.",
                where="tag_scalar_dict",
            )
        main_tag = clean_tag(main_tag)
        step, wall_time = self._when(global_step, walltime)
        # One moment for all of them.
        wall_time = time.time() if wall_time is None else wall_time
        stem = main_tag.replace("/", "_")
        numbers = {
            f"{stem}_{clean_text(str(name))}": (
                to_number(value, f"Scalar {main_tag!r}[{name!r}]"),
                is_float64(value),
            )
            for name, value in tag_scalar_dict.items()
        }
        for run in numbers:
            check_folder(run, "Each of tag_scalar_dict with the main tag before it", "tag_scalar_dict")
        for run, (number, is_double) in numbers.items():
            writer = self._writer(f"{self._place}/{run}")
            writer.add_scalar(
                main_tag, number, step, wall_time, precision="float64" if is_double else "float32"
            )

    def add_tensor(
        self, tag: str, tensor: Any, global_step: Any = None, walltime: float | None = None
    ) -> None:
        array = to_numpy(tensor, f"Tensor {tag!r}")
        if array.nbytes >= EVENT_LIMIT_BYTES:
            raise BadArgument(
                f"Tensor {tag!r} has {array.nbytes:,} bytes; one value holds less than 2 GiB. Log a part of it.",
                where="tensor",
            )
        tag, copy = clean_tag(tag), array.copy()
        try:
            summaries.tensor(tag, copy[:0] if copy.ndim else copy)
        except TensorError as error:
            raise BadArgument(f"Tensor {tag!r}: {error}. Convert it to float32.", where="tensor") from error
        self._add_later(lambda: [summaries.tensor(tag, copy)], copy, global_step, walltime)

    def add_histogram(
        self,
        tag: str,
        values: Any,
        global_step: Any = None,
        bins: Any = histograms.BUCKETS,
        walltime: float | None = None,
        max_bins: int | None = None,
    ) -> None:
        """How `values` are spread, in 30 buckets of one width unless `bins` says otherwise.

        `bins` may be a number, edges, a rule of numpy.histogram ("auto", "fd", …) or "tensorflow" for edges that grow away
        from zero. NaN and infinities are counted apart.
        """
        tag = clean_tag(tag)
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
        """A histogram that is counted already, by the right edge of each bucket. `num`, `sum` and `sum_squares` are not kept."""
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
        """One picture: uint8, uint16 (kept at 16 bits), bool, or floats from 0 to 1; 1 to 4 channels; or a PIL image.

        Bytes are taken for an encoded file (PNG, JPEG, GIF, …) and logged as they are. A batch is logged as add_images does.
        """
        tag = clean_tag(tag)
        if isinstance(img_tensor, bytes | bytearray):
            self._add_values([summaries.image(tag, bytes(img_tensor))], global_step, walltime)
            return
        self._add_pixels(tag, self._pixels(tag, img_tensor, dataformats), global_step, walltime)

    def add_images(
        self,
        tag: str,
        img_tensor: Any,
        global_step: Any = None,
        walltime: float | None = None,
        dataformats: str = "NCHW",
        as_grid: bool = False,
    ) -> None:
        """A batch of pictures of one size, each a sample of its own; `as_grid` tiles them into one, eight to a row."""
        tag = clean_tag(tag)
        pixels = self._pixels(tag, img_tensor, dataformats)
        if as_grid and pixels.ndim == 4:
            pixels = pictures.tiled(pixels)
        self._add_pixels(tag, pixels, global_step, walltime)

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
        """A picture with boxes x1, y1, x2, y2 in pixels drawn on it; their labels need PIL."""
        factor: Any = rescale
        if isinstance(rescale, str) and set(rescale) <= set("NCHW"):
            # The places of tensorboardX: no factor before these two.
            labels = labels if dataformats == "CHW" else [*dataformats]
            factor, dataformats = 1, rescale
        tag = clean_tag(tag)
        what = f"Image {tag!r}"
        pixels = self._pixels(tag, img_tensor, dataformats)
        if pixels.ndim == 4:
            raise BadArgument(f"{what} needs one picture, got a batch of {len(pixels)}.", where="img_tensor")
        factor = to_number(factor, f"{what}: rescale")
        if not 0 < factor <= 100:
            raise BadArgument(f"{what}: rescale={factor}, expected a factor above 0.", where="rescale")
        boxes, names = pictures.to_boxes(box_tensor, labels, what)
        copy = own_pixels(pixels)

        def values() -> list[bytes]:
            return [summaries.image(tag, pictures.with_boxes(copy, boxes, names, factor))]

        self._add_later(values, copy, global_step, walltime)

    def add_figure(
        self,
        tag: str,
        figure: Any,
        global_step: Any = None,
        close: bool = True,
        walltime: float | None = None,
    ) -> None:
        """A matplotlib figure, or a list of them as samples of one value. They are closed afterwards unless `close` is false."""
        tag = clean_tag(tag)
        figures = figure if isinstance(figure, list | tuple) else [figure]
        drawn = [pictures.figure_pixels(each, close=close, what=f"Figure {tag!r}") for each in figures]
        if not drawn:
            raise BadArgument(f"Figure {tag!r}: the list of figures is empty.", where="figure")
        size_bytes = sum(each.nbytes for each in drawn)
        when = self._when(global_step, walltime)
        self._write(
            lambda own: own.add_later(
                lambda: [summaries.images(tag, [encode_png(each) for each in drawn])],
                *when,
                size_bytes=size_bytes,
            )
        )

    def add_video(
        self,
        tag: str,
        vid_tensor: Any,
        global_step: Any = None,
        fps: float = 4,
        walltime: float | None = None,
        dataformats: str = "NTCHW",
    ) -> None:
        """Videos as animated GIFs, one sample for each of the batch. Pixels as in add_image.

        Bytes or a path, or a list of them, are taken for films that are encoded already (GIF, MP4, WebM) and logged as they are;
        `fps` says nothing then. TensorBoard shows the GIFs among them only.
        """
        tag = clean_tag(tag)
        what = f"Video {tag!r}"
        films = video.encoded_films(vid_tensor, what)
        if films is not None:
            self._add_values([summaries.images(tag, films)], global_step, walltime)
            return
        frames = video.to_frames(vid_tensor, dataformats, what)
        fps = to_number(fps, f"{what}: fps")
        if not fps > 0:
            raise BadArgument(f"{what}: fps={fps}, expected more than 0.", where="fps")
        self._warn_once(what, pictures.range_trouble(frames))
        copy = own_pixels(frames)
        self._add_later(
            lambda: [summaries.images(tag, [video.encode_gif(each, fps) for each in copy])],
            copy,
            global_step,
            walltime,
        )

    def add_audio(
        self,
        tag: str,
        snd_tensor: Any,
        global_step: Any = None,
        sample_rate: int = 44100,
        walltime: float | None = None,
    ) -> None:
        """A clip of 1 to 8 channels; int16, or floats from -1 to 1. Of two axes the shorter one is that of the channels."""
        tag = clean_tag(tag)
        what = f"Audio {tag!r}"
        samples = to_clip(snd_tensor, what)
        rate = to_number(sample_rate, f"{what}: sample_rate")
        if not 1 <= rate <= MOST_SAMPLES_PER_S:
            raise BadArgument(
                f"{what}: sample_rate={rate}, expected samples per second, such as 44100.",
                where="sample_rate",
            )
        self._warn_once(what, clip_trouble(samples))
        copy = samples.copy(order="K")
        self._add_later(lambda: [summaries.audio(tag, copy, int(rate))], copy, global_step, walltime)

    def add_text(
        self, tag: str, text_string: Any, global_step: Any = None, walltime: float | None = None
    ) -> None:
        """Markdown; a list of it is shown as a column, a list of rows as a table."""
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
        """Precision and recall of predictions from 0 to 1 against labels that are true or false."""
        tag = clean_tag(tag)
        if to_numpy(predictions, f"PR curve {tag!r}").size == 0:
            raise BadArgument(f"PR curve {tag!r}: there are no predictions.", where="predictions")
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
        """The same from counts, one per threshold; their number is that of the thresholds. `weights` are in the counts already."""
        tag = clean_tag(tag)
        given = {
            "true_positive_counts": true_positive_counts,
            "false_positive_counts": false_positive_counts,
            "true_negative_counts": true_negative_counts,
            "false_negative_counts": false_negative_counts,
            "precision": precision,
            "recall": recall,
        }
        rows = {name: to_real(value, f"PR curve {tag!r}: {name}").ravel() for name, value in given.items()}
        sizes = {name: row.size for name, row in rows.items()}
        if len(set(sizes.values())) != 1 or 0 in sizes.values():
            raise BadArgument(f"PR curve {tag!r} needs as many of each, one per threshold, got {sizes}.")
        stacked = np.stack(list(rows.values())).astype(np.float32)
        self._add_values([summaries.pr_curve_counted(tag, stacked)], global_step, walltime)

    def add_custom_scalars(self, layout: layouts.Layout) -> None:
        """`{category: {chart: ["Multiline", [tag, …]]}}`, or `["Margin", [value, lower, upper]]` for a band around a line."""
        value = layouts.layout_value(layout)
        self._layout = {category: dict(charts) for category, charts in layout.items()}
        self._add_values([value], 0, None)

    def add_custom_scalars_multilinechart(
        self, tags: Sequence[str], category: str = "default", title: str = "untitled"
    ) -> None:
        """One more chart with a line for each tag that begins like one of `tags`, which are regular expressions."""
        self._add_chart(category, title, ["Multiline", tags])

    def add_custom_scalars_marginchart(
        self, tags: Sequence[str], category: str = "default", title: str = "untitled"
    ) -> None:
        """One more chart with a line and the band around it, of three tags: value, lower and upper."""
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
        """A mesh, or a point cloud without `faces`. Colours count to 255; floats that are all at most 1 count to 1."""
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
        """Hyperparameters and results of this run. With `run_name` (or `name`) they go to a run below it, as torch does.

        Without `global_step` a result stands where its tag ended in this run, so that it ends the curve and does not restart it.
        """
        if isinstance(hparam_domain_discrete, str):
            # tensorboardX has the name in this place.
            hparam_domain_discrete, name = None, hparam_domain_discrete
        domains = {} if hparam_domain_discrete is None else hparam_domain_discrete
        for argument, given in {
            "hparam_dict": hparam_dict,
            "metric_dict": metric_dict,
            "hparam_domain_discrete": domains,
        }.items():
            if not isinstance(given, Mapping):
                raise BadArgument(f"{argument} must be a dict, got {type(given).__name__}.", where=argument)
        below = name if run_name is None else run_name
        if not isinstance(below, str | None):
            raise BadArgument(f"run_name must be a str, got {type(below).__name__}.", where="run_name")
        wall_time, now = to_wall_time(self._wall_time), time.time()
        step = self._step if global_step is None else global_step
        # Sessions that torch writes belong to no group.
        start = hparams.session_start(
            hparam_dict, start_time_s=self._start_time_s, group_name="" if below else None
        )
        # torch says what is tuned in every run. In the run itself it is left to the reader, which looks at all runs, unless the
        # caller knows the values to come.
        experiment = (
            hparams.torch_experiment(hparam_dict, list(metric_dict), domains) if below or domains else None
        )
        metrics = [
            (clean_tag(tag), to_number(value, f"Metric {tag!r}"), is_float64(value))
            for tag, value in metric_dict.items()
        ]
        if step is not None or below:
            steps = dict.fromkeys((tag for tag, _, _ in metrics), to_step(step))
        else:
            steps = self._last_steps([tag for tag, _, _ in metrics])
        writer = self._writer(os.path.join(self._place, below)) if below else self._own
        if experiment:
            writer.add_values([experiment], 0)
        writer.add_values([start], 0)
        for tag, number, is_double in metrics:
            writer.add_scalar(
                tag, number, steps.get(tag, 0), wall_time, precision="float64" if is_double else "float32"
            )
        writer.add_values([hparams.session_end(SessionOutcome.SUCCESS, end_time_s=now)], 0)

    def add_graph(
        self, model: Any, input_to_model: Any = None, verbose: bool = False, use_strict_trace: bool = True
    ) -> None:
        """The graph of a torch module or JAX function, traced with example inputs, of a Keras model, or of an ONNX file."""
        from runglass.writer.graphs import model_graph

        graph = model_graph(model, input_to_model, is_verbose=verbose, uses_strict_trace=use_strict_trace)
        self._add_graph(graph.events, graph.values)

    def add_onnx_graph(self, prototxt: Any = None, *, onnx_model_file: Any = None) -> None:
        """The graph in an ONNX file: its path, its bytes or its ModelProto. The onnx package is not needed.

        `onnx_model_file` is tensorboardX's name of the argument.
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
        """Vectors for the projector: tensors, labels and a sprite beside the event files."""
        from runglass.writer.calls.projector import add_embedding

        step, _ = self._when(global_step, None)
        if self._writes:
            add_embedding(self._place, mat, metadata, label_img, step, clean_tag(tag), metadata_header)

    @contextmanager
    def use_metadata(
        self, *, global_step: Any = None, walltime: float | None = None
    ) -> Iterator[SummaryWriter]:
        """Inside `with writer.use_metadata(global_step=10):` calls may leave their step or wall time out."""
        before = self._step, self._wall_time
        self._step = before[0] if global_step is None else to_step(global_step)
        self._wall_time = before[1] if walltime is None else to_wall_time(walltime)
        try:
            yield self
        finally:
            self._step, self._wall_time = before

    def flush(self) -> None:
        """Everything logged so far is on disk when this returns."""
        for writer in list(self._writers.values()):
            writer.flush()

    def close(self) -> None:
        """Writes everything and closes the files; what is logged afterwards goes to a new one."""
        writers, self._writers = self._writers, {}
        self._add_scalar = self._reopen_and_add_scalar
        for writer in writers.values():
            writer.close()

    def __enter__(self) -> SummaryWriter:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __getstate__(self) -> dict[str, Any]:
        """A copy, and what another process gets, is like a closed writer: its first call opens a file of its own."""
        return {**self.__dict__, "_writers": {}, "_add_scalar": None, "_opening": None}

    def __setstate__(self, state: Mapping[str, Any]) -> None:
        self.__dict__.update(state)
        self._opening = threading.RLock()
        self._add_scalar = self._reopen_and_add_scalar

    def _open(self) -> EventWriter | SilentWriter:
        own = self._writer(self._place)
        self._add_scalar = own.add_scalar
        if self.purge_step is not None:
            own.add_event({"session_log": {"status": SessionStatus.START}}, self.purge_step)
            # Only what was there before is void.
            self.purge_step = None
        return own

    def _reopen_and_add_scalar(self, *arguments: Any, **named: Any) -> None:
        self._write(lambda own: own.add_scalar(*arguments, **named))

    def _write(self, log: Callable[[EventWriter | SilentWriter], None]) -> None:
        while True:
            # Another thread may close it at any moment; what is logged meanwhile goes to a new file.
            with suppress(WriterClosed):
                return log(self._own)

    @property
    def _own(self) -> EventWriter | SilentWriter:
        own = self._writers.get(self._place)
        return self._open() if own is None or own.is_closed else own

    @property
    def events(self) -> EventWriter | SilentWriter:
        """Where its values go, for what else writes into this run: runglass.hparams."""
        return self._own

    def _writer(self, directory: str) -> EventWriter | SilentWriter:
        writer = self._writers.get(directory)
        if writer is not None and not writer.is_closed:
            return writer
        # Not for ever: in a forked child the thread that has it may not be there.
        is_first = self._opening.acquire(timeout=OPENING_WAIT_S)
        try:
            writer = self._writers.get(directory)
            if writer is None or writer.is_closed:
                writer = self._writers[directory] = self._new_writer(directory)
            return writer
        finally:
            if is_first:
                self._opening.release()

    def _new_writer(self, directory: str) -> EventWriter | SilentWriter:
        if not self._writes:
            return SilentWriter()
        return EventWriter(
            directory,
            max_queue=self.max_queue,
            flush_secs=self.flush_secs,
            filename_suffix=self.filename_suffix,
            is_amid_training=self._is_amid_training,
        )

    def _last_steps(self, tags: Sequence[str]) -> dict[str, int]:
        own = {tag: step for tag in tags if (step := self._own.last_step(tag)) is not None}
        others = [tag for tag in tags if tag not in own]
        if not others or not self._writes:
            return own
        self._own.flush()
        return last_steps(self._place, others) | own

    def _when(self, step: Any, walltime: float | None) -> tuple[int, float | None]:
        return (
            to_step(self._step if step is None else step),
            to_wall_time(self._wall_time if walltime is None else walltime),
        )

    def _add_graph(self, events: Sequence[Mapping[str, Any]], values: Sequence[bytes]) -> None:
        for fields in events:
            self._own.add_event(fields)
        if values:
            self._own.add_values(values, 0)

    def _add_values(self, values: Sequence[bytes], step: Any, walltime: float | None) -> None:
        when = self._when(step, walltime)
        self._write(lambda own: own.add_values(values, *when))

    def _add_later(
        self, make_values: Callable[[], list[bytes]], held: NDArray[Any], step: Any, walltime: float | None
    ) -> None:
        when = self._when(step, walltime)
        self._write(lambda own: own.add_later(make_values, *when, size_bytes=held.nbytes))

    def _add_pixels(self, tag: str, pixels: NDArray[Any], step: Any, walltime: float | None) -> None:
        copy = own_pixels(pixels)
        most = len(copy) if copy.ndim == 4 else 1
        self._add_later(lambda: [summaries.image(tag, copy, max_outputs=most)], copy, step, walltime)

    def _pixels(self, tag: str, value: Any, dataformats: str) -> NDArray[Any]:
        what = f"Image {tag!r}"
        pixels = pictures.to_pictures(value, dataformats, what)
        self._warn_once(what, pictures.range_trouble(pixels), stacklevel=4)
        return pixels

    def _warn_once(self, what: str, trouble: str, stacklevel: int = 3) -> None:
        if trouble and what not in self._warned:
            self._warned.add(what)
            warnings.warn(f"{what}: {trouble}", stacklevel=stacklevel)

    def _add_chart(self, category: str, title: str, chart: layouts.Chart) -> None:
        layout = {name: dict(charts) for name, charts in self._layout.items()}
        layout.setdefault(category, {})[title] = chart
        self.add_custom_scalars(layout)


class SilentWriter:
    """Takes what an EventWriter takes and writes nothing: for processes that only the first of should log."""

    is_closed = False

    def add_scalar(self, *arguments: Any, **named: Any) -> None:
        pass

    def add_values(self, *arguments: Any, **named: Any) -> None:
        pass

    def last_step(self, tag: str) -> int | None:
        return None

    def add_later(self, *arguments: Any, **named: Any) -> None:
        pass

    def add_event(self, *arguments: Any, **named: Any) -> None:
        pass

    def flush(self) -> None:
        pass

    def close(self) -> None:
        pass


def default_log_dir(comment: str) -> str:
    """`runs/Nov15_09-30-00_host<comment>`; inside `runglass run` the directory of that run."""
    around = os.environ.get(RUN_DIR_VARIABLE)
    if around:
        return around
    return os.path.join("runs", f"{time.strftime('%b%d_%H-%M-%S')}_{socket.gethostname()}{comment}")


def own_pixels(pixels: NDArray[Any]) -> NDArray[Any]:
    """Pixels that the caller may change from now on. In the source's order of memory, which is quickest; the encoder turns them."""
    # Floats are no smaller to copy than to turn into bytes.
    return as_uint8(pixels) if pixels.dtype.kind == "f" else pixels.copy(order="K")
