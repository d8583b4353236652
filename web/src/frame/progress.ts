// Loading progress and "… ago" as text.

import type { Progress } from "../api/types";
import { formatBytes } from "../base/format";
import { countOf, formatCount } from "../base/count";

/** 412 of 900 runs, 3.1 of 5.0 GB */
export function progressText(progress: Progress): string {
  const { runs_found, runs_loaded, bytes_found, bytes_read } = progress;
  if (runs_found === 0) return "looking for runs";
  const runs = `${formatCount(runs_loaded)} of ${countOf(runs_found, "run")}`;
  if (bytes_found === 0) return runs;
  const [read = "", readUnit] = formatBytes(bytes_read).split(" ");
  const [found, unit] = formatBytes(bytes_found).split(" ");
  return `${runs}, ${readUnit === unit ? read : `${read} ${readUnit}`} of ${found} ${unit}`;
}

/** Between 0 and 1, by bytes if they are known. */
export function progressShare({ runs_found, runs_loaded, bytes_found, bytes_read }: Progress): number {
  const share = bytes_found > 0 ? bytes_read / bytes_found : runs_found > 0 ? runs_loaded / runs_found : 0;
  return Math.min(1, Math.max(0, share));
}
