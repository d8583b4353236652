// The critical path of a time as a table shows it: how long each name is on it. Pure.

import type { components } from "../../../api/types.gen";
import { formatCount } from "../../../base/count";
import { type Column, number, text, time } from "../tables/columns";
import type { Span } from "../trace/span";

export type Path = components["schemas"]["PathAnswer"];
type Segment = Path["segments"][number];

export interface PathRow {
  /** "": nothing ran. */
  readonly name: string;
  readonly place: Segment["place"];
  readonly count: number;
  readonly total_ps: number;
  /** Its longest part. */
  readonly longest: Segment;
}

/** The longest first. */
export function pathRows(segments: readonly Segment[]): readonly PathRow[] {
  const rows = new Map<
    string,
    { name: string; place: Segment["place"]; count: number; total_ps: number; longest: Segment }
  >();
  for (const segment of segments) {
    const key = `${segment.place} ${segment.name}`;
    const row = rows.get(key);
    if (!row) {
      rows.set(key, {
        name: segment.name,
        place: segment.place,
        count: 1,
        total_ps: segment.duration_ps,
        longest: segment,
      });
      continue;
    }
    row.count++;
    row.total_ps += segment.duration_ps;
    if (segment.duration_ps > row.longest.duration_ps) row.longest = segment;
  }
  return [...rows.values()].toSorted((a, b) => b.total_ps - a.total_ps);
}

/** Of which time the path is: the range, else from the first mark to the last, else what is visible. */
export function pathSpan(
  range: Span | null,
  marks: readonly number[],
  view: Span,
): { readonly span: Span; readonly of: string } {
  if (range) return { span: range, of: "of the range" };
  const [first, last] = [marks[0], marks.at(-1)];
  if (first !== undefined && last !== undefined && last > first)
    return { span: { from: first, to: last }, of: "between the marks" };
  return { span: view, of: "of what is visible" };
}

export const PATH_COLUMNS: readonly Column<Segment>[] = [
  number("start", "Start ps", ({ start_ps }) => start_ps, time),
  number("duration", "Duration ps", ({ duration_ps }) => duration_ps, time),
  text("place", "On", 70, ({ place }) => place ?? "nothing"),
  text("name", "Name", 200, ({ name }) => name),
  number("event", "Event", ({ event }) => event, formatCount),
];
