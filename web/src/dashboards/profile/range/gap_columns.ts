// Idle times of devices as a file has them. Pure.

import type { Gap } from "../answer";
import { type Column, number, text, time } from "../tables/columns";

export const GAP_COLUMNS: readonly Column<Gap>[] = [
  number("start", "Start ps", ({ start_ps }) => start_ps, time),
  number("duration", "Duration ps", ({ duration_ps }) => duration_ps, time),
  number("device", "Device", ({ device }) => device, String),
  text("host", "Host", 200, ({ host }) => host?.name ?? ""),
  number("share", "Share of it", ({ host }) => host?.share, String),
  text("before", "Before", 200, ({ before }) => before?.name ?? ""),
  text("after", "After", 200, ({ after }) => after?.name ?? ""),
];
