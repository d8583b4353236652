"""Rows about loading: CPU seconds of `runglass.open` beside the Rust data server and the C floor, and memory after it."""

from __future__ import annotations

import os
from collections.abc import Iterator

from bench import ours
from bench.measure import Samples, memory_bytes
from bench.peers import load_floor
from bench.setting import Setting, attempt
from bench.table import Row
from bench.workloads import Workload, workload

CPU_SHARE_OF_PEER = 0.1
FLOOR_SPEED_SHARE = 0.6
CORES_USED = 1.5
BLOB_LIMIT_CPU_S = {"H": 0.15, "I512": 0.05}
BYTES_A_POINT, BYTES_FIXED = 26, 90_000_000


def seconds(samples: Samples) -> str:
    return f"{samples.best:.3f} s (median {samples.median:.3f})"


def measure_load(setting: Setting, made: Workload) -> tuple[Row, dict[str, Samples]]:
    """All sides in turn, round after round, so that a busy spell of the machine meets all of them."""
    size = f"{made.points / 1e6:g} M points" if made.kind == "scalars" else f"{made.points:,} {made.kind}"
    row = Row(f"load {made.name} {made.form}: {size}, {made.size_bytes / 1e6:.0f} MB: CPU")
    taken: dict[str, list[float]] = {}

    def note(name: str, value: float) -> None:
        taken.setdefault(name, []).append(value)

    def measure_peer() -> None:
        assert setting.peer
        note("peer", setting.peer.load(made, keep_all=False).cpu_s)
        note("peer_all_kept", setting.peer.load(made, keep_all=True).cpu_s)

    def measure_floor() -> None:
        assert setting.floor
        note("floor", load_floor(setting.floor, made).cpu_s)

    def measure_ours() -> None:
        load = ours.load_once(made)
        note("ours", load.cpu_s)
        note("ours_process", load.process_cpu_s)
        note("ours_cores_used", load.cpu_s / load.wall_s)
        note("ours_wall", load.wall_s)

    plan = [("ours", measure_ours, setting.repeat)]
    if setting.floor and made.kind == "scalars":
        plan.append(("floor", measure_floor, setting.repeat))
    if setting.peer:
        plan.append(("peer", measure_peer, setting.peer_repeat))
    failed: set[str] = set()
    for turn in range(max(count for _, _, count in plan)):
        for side, measure, count in plan:
            if turn < count and side not in failed and not attempt(row, side, measure):
                failed.add(side)
    samples = {name: Samples(tuple(values)) for name, values in taken.items()}
    if "peer_all_kept" in samples and "peer" not in failed:
        row.peer = f"{seconds(samples['peer'])}, all kept {samples['peer_all_kept'].best:.3f}"
    if "floor" in samples and "floor" not in failed:
        row.floor = seconds(samples["floor"])
    if "ours_wall" in samples and "ours" not in failed:
        row.ours = f"{seconds(samples['ours'])}, whole process {samples['ours_process'].best:.3f}"
    row.raw = dict(taken)
    return row, {name: found for name, found in samples.items() if name.split("_")[0] not in failed}


def load_rows(setting: Setting) -> Iterator[Row]:
    for name in ("S", "W", "L"):
        for form in ("simple", "tensor"):
            made = workload(name, form, scale=setting.scale)
            row, samples = measure_load(setting, made)
            own = samples["ours"].best if "ours_wall" in samples else None
            limits_s, must_be, seen = [], [], []
            if "peer_all_kept" in samples:
                best = min(samples["peer"].best, samples["peer_all_kept"].best)
                limits_s.append(best * CPU_SHARE_OF_PEER)
                must_be.append(f"≤ {limits_s[-1]:.3f} s (peer / 10)")
                seen.append(f"peer / {best / own:.1f}" if own else "")
            if "floor" in samples:
                best = samples["floor"].best
                limits_s.append(best / FLOOR_SPEED_SHARE)
                must_be.append(f"≤ {limits_s[-1]:.3f} s (60 % of the floor's speed)")
                seen.append(f"{best / own:.0%} of the floor's speed" if own else "")
            row.must_be = ", ".join(must_be) or "–"
            if own:
                row.ours = ", ".join([row.ours, *seen])
                row.ok = all(own <= limit for limit in limits_s) if len(limits_s) == 2 else None
            yield row
            if name == "L":
                yield cores_row(form, samples)


def cores_row(form: str, samples: dict[str, Samples]) -> Row:
    """One file must keep two cores busy. The most cores used counts: a busy machine can only lower it."""
    row = Row(f"load L {form}: cores used (CPU / wall)", must_be=f"two cores: ≥ {CORES_USED}")
    if "ours_wall" in samples:
        used = max(samples["ours_cores_used"].values)
        row.ours = f"{used:.2f}, wall {samples['ours_wall'].best:.3f} s"
        row.raw = {"cores_used": used}
        load = os.getloadavg()[0]
        if used < CORES_USED and load > (os.cpu_count() or 1) + 0.5:
            row.ours += f", not judged: others use this machine (load {load:.1f})"
        else:
            row.ok = used >= CORES_USED
    return row


def blob_rows(setting: Setting) -> Iterator[Row]:
    for name, form in (("H", "tensor"), ("I512", "simple")):
        row, samples = measure_load(setting, workload(name, form, scale=setting.scale))
        limit_s = BLOB_LIMIT_CPU_S[name]
        row.must_be = f"≤ {limit_s} s"
        if "ours_wall" in samples:
            row.ok = samples["ours"].best <= limit_s
        yield row


def memory_rows(setting: Setting) -> Iterator[Row]:
    for name in ("W", "L"):
        made = workload(name, scale=setting.scale)
        limit_bytes = BYTES_A_POINT * made.points + BYTES_FIXED
        rows = [
            Row(
                f"memory after {name}, {made.points / 1e6:g} M points: {which}",
                must_be=f"≤ {limit_bytes / 1e6:.0f} MB",
            )
            for which in ("resident (VmRSS)", "peak (VmHWM)")
        ]
        found: dict[str, tuple[int, int]] = {}

        def measure_ours(made: Workload = made, found: dict[str, tuple[int, int]] = found) -> None:
            with ours.server(made.path) as running:
                running.wait_until(lambda: ours.is_complete(running, made), "everything loaded")
                found["ours"] = memory_bytes(running.pid)

        def measure_peer(made: Workload = made, found: dict[str, tuple[int, int]] = found) -> None:
            assert setting.peer
            process = setting.peer.start_data_server(made, keep_all=True)
            found["peer"] = memory_bytes(process.pid)
            process.communicate(timeout=30)  # closes its stdin, which ends it

        attempt(rows[0], "ours", measure_ours)
        if setting.peer:
            attempt(rows[0], "peer", measure_peer)
        for i, row in enumerate(rows):
            for side, pair in found.items():
                text = f"{pair[i] / 1e6:.0f} MB ({pair[i] / made.points:.1f} bytes a point)"
                setattr(row, side, text + (", all kept" if side == "peer" else ""))
                row.raw[side] = pair[i]
            row.ok = found["ours"][i] <= limit_bytes if "ours" in found else None
            yield row
