// What the legend names: the meanings of the events that there are, most events first; or the steps, streams and
// modules. Names have too many colours for a legend. Pure.

import type { About } from "../answer";
import { type ColorBy, colorOf, isMeaning, MEANINGS, type Theme } from "../trace/colors";

export interface LegendEntry {
  readonly label: string;
  readonly color: string;
}

const MAX_ENTRIES = 24;
const NOTHING = { hash: 0, meaning: "other", step: -1, module: -1, track: 0 } as const;

export function legendEntries(about: About, by: ColorBy, theme: Theme): readonly LegendEntry[] {
  switch (by) {
    case "category": {
      const counts = new Map<keyof typeof MEANINGS, number>();
      for (const { meaning, events } of about.categories)
        if (isMeaning(meaning) && events > 0) counts.set(meaning, (counts.get(meaning) ?? 0) + events);
      // In the order of the meanings: a legend whose entries move with the profile is hard to read.
      return (Object.keys(MEANINGS) as (keyof typeof MEANINGS)[])
        .filter((meaning) => counts.has(meaning))
        .map((meaning) => ({ label: MEANINGS[meaning], color: colorOf({ ...NOTHING, meaning }, by, theme) }));
    }
    case "step":
      return about.steps
        .slice(0, MAX_ENTRIES)
        .map(({ number }, step) => ({ label: `step ${number}`, color: colorOf({ ...NOTHING, step }, by, theme) }));
    case "stream":
      return about.tracks
        .filter(({ kind, events }) => events > 0 && kind !== "counter" && kind !== "steps")
        .slice(0, MAX_ENTRIES)
        .map(({ id, thread, process }) => ({
          label: thread || process || `track ${id}`,
          color: colorOf({ ...NOTHING, track: id }, by, theme),
        }));
    case "name":
      return [{ label: "Equal names have equal colours", color: "transparent" }];
    case "module":
      return [
        about.has_modules
          ? { label: "Events of one module have one colour", color: "transparent" }
          : { label: "This profile names no modules", color: "transparent" },
      ];
  }
}
