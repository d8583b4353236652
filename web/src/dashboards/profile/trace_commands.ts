// The commands of a trace, for the palette and the list of keys. Keys that move and zoom are handled by the timeline.

import type { Command } from "../../state/commands.svelte";
import type { Matches } from "./bar/matches.svelte";
import { COLORINGS } from "./options";
import type { ProfilePage } from "./profile_page.svelte";
import type { Timeline } from "./trace/timeline.svelte";

export function traceCommands(
  page: ProfilePage,
  timeline: Timeline,
  matches: Matches,
  focusSearch: () => void,
): Command[] {
  const command = (id: string, title: string, run: () => void, keys?: string): Command => ({
    id: `trace.${id}`,
    title,
    group: "Trace",
    run,
    ...(keys !== undefined && { keys }),
  });
  return [
    command("search", "Search events", focusSearch, "/"),
    command("next", "Next match", () => void matches.step(1), "n"),
    command("previous", "Previous match", () => void matches.step(-1), "N"),
    command("whole", "Show the whole trace", () => timeline.fit(), "0"),
    command("arrows", "Arrows of all events, or of the selected one", () => {
      timeline.arrows = timeline.arrows === "all" ? "selected" : "all";
    }),
    command("compare", "Compare the range with another", () => {
      if (!timeline.range) return page.session.messages.say("Choose a range first: drag over the ruler.");
      timeline.secondRange = timeline.range;
      timeline.range = null;
    }),
    command("step", "Show this step in all dashboards", () => {
      if (page.step !== null) page.goToStep(page.step, "overview");
      else page.session.messages.say("This profile has no steps.");
    }),
    ...COLORINGS.map(({ value, label }) =>
      command(`color.${value}`, `Colour by ${label.toLowerCase()}`, () => (timeline.colorBy = value)),
    ),
  ];
}
