// What the Workers view shows: parts of a worker's step, columns of its tables, and the map of who is late. Pure.

import type { components } from "../../../api/types.gen";
import { formatCount } from "../../../base/count";
import { formatBytes } from "../../../base/format";
import type { Workers } from "../answer";
import { type Column, number, percent, rate, text, time } from "../tables/columns";
import type { Meaning } from "../trace/colors";

export type WorkerRow = components["schemas"]["WorkerRow"];
export type CollectiveRow = components["schemas"]["CollectiveRow"];

interface WorkerPart {
  readonly key: "computation_ps" | "overlap_ps" | "communication_ps" | "other_ps";
  readonly label: string;
  readonly meaning: Meaning;
}
/** In the order of the bar. They add up to the step. */
export const WORKER_PARTS: readonly WorkerPart[] = [
  { key: "computation_ps", label: "Computation", meaning: "device" },
  { key: "overlap_ps", label: "Both at once", meaning: "reduction" },
  { key: "communication_ps", label: "Communication alone", meaning: "communication" },
  { key: "other_ps", label: "Neither", meaning: "other" },
];

const share = (part: number | null | undefined, all: number): number | null =>
  part === null || part === undefined || all <= 0 ? null : part / all;
export const WORKER_COLUMNS: readonly Column<WorkerRow>[] = [
  text("worker", "Worker", 110, ({ host }) => host),
  number("steps", "Steps", ({ steps }) => steps, formatCount),
  number("time", "Step time", ({ step_ps }) => step_ps, time, "In an average step, as all times here"),
  number("computation", "Computation", ({ computation_ps }) => computation_ps, time, "Devices work, no data moves"),
  number("overlap", "Both", ({ overlap_ps }) => overlap_ps, time, "Devices work while data moves"),
  number(
    "communication",
    "Moving data",
    ({ communication_ps }) => communication_ps,
    time,
    "Data moves, no device works",
  ),
  number("other", "Neither", ({ other_ps }) => other_ps, time),
  number("waiting", "Waiting", ({ waiting_ps }) => waiting_ps, time, "In collectives, until the last worker has come"),
  number("transfer", "Transfer", ({ transfer_ps }) => transfer_ps, time, "In collectives, after the last has come"),
  number("share", "Waits", ({ waiting_ps, step_ps }) => share(waiting_ps, step_ps), percent, "Of a step"),
];

export const COLLECTIVE_COLUMNS: readonly Column<CollectiveRow>[] = [
  text("name", "Collective", 200, ({ name }) => name),
  number("bytes", "Size", ({ bytes }) => bytes, formatBytes, "Of one call"),
  number("calls", "Calls", ({ calls }) => calls, formatCount, "Of each worker"),
  number("total", "Total", ({ total_ps }) => total_ps, time, "Of all workers"),
  number("waiting", "Waiting", ({ waiting_ps }) => waiting_ps, time, "Until the last worker has come"),
  number("transfer", "Transfer", ({ transfer_ps }) => transfer_ps, time, "After the last has come"),
  number("share", "Waits", ({ waiting_ps, total_ps }) => share(waiting_ps, total_ps), percent, "Of the total"),
  number(
    "bandwidth",
    "Bandwidth",
    ({ bandwidth }) => bandwidth,
    rate("B"),
    "What a call moves over its time of transfer",
  ),
  text("last", "Comes last", 120, ({ last, last_times, calls }) => `${last}, ${last_times} of ${calls}`),
];

export interface HeatCell {
  readonly step: number;
  readonly took: number | null;
  /** Without waiting for others. */
  readonly own: number | null;
  /** From 0 to 1: how far it is from the quickest worker in this step to the slowest of all steps. */
  readonly heat: number;
}
/** A row for each worker. All take equally long for a step: what one takes without waiting tells who is late. */
export function heatRows({ workers, steps, step_ps: took, step_waiting_ps: waited }: Workers): readonly {
  readonly host: string;
  readonly cells: readonly HeatCell[];
}[] {
  const own = took.map((row, w) => row.map((ps, s) => (ps === null ? null : Math.max(0, ps - (waited[w]?.[s] ?? 0)))));
  const quickest = steps.map((_, s) =>
    own.reduce((least, row) => Math.min(least, row[s] ?? Number.POSITIVE_INFINITY), Number.POSITIVE_INFINITY),
  );
  const late = (w: number, s: number): number => (own[w]?.[s] ?? quickest[s] ?? 0) - (quickest[s] ?? 0);
  // Differences below this are noise: a map of equal workers stays pale.
  const LEAST = 0.05;
  let most = 0;
  own.forEach((row, w) => {
    row.forEach((ps, s) => {
      most = Math.max(most, late(w, s), (ps ?? 0) * LEAST);
    });
  });
  return workers.map(({ host }, w) => ({
    host,
    cells: steps.map((step, s) => ({
      step,
      took: took[w]?.[s] ?? null,
      own: own[w]?.[s] ?? null,
      heat: most > 0 ? late(w, s) / most : 0,
    })),
  }));
}
