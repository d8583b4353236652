// The options of the overview in the address: the kinds that are off.

import type { Settings } from "../../state/view/settings.svelte";

const OFF = "overview.off";

/** Names of the dashboards whose cards are hidden. */
export const readOff = (settings: Settings): ReadonlySet<string> =>
  new Set(settings.option(OFF).split(",").filter(Boolean));

export function toggleOff(settings: Settings, name: string): void {
  const off = new Set(readOff(settings));
  if (!off.delete(name)) off.add(name);
  settings.setOption(OFF, [...off].sort().join(","));
}
