// What the time of a step goes to: names, colours and order of its parts. One colour for one meaning, as on the
// timeline.

import { PALETTES, type Meaning, type Theme } from "../trace/colors";

interface Part {
  readonly label: string;
  readonly meaning: Meaning;
}

/** In the order in which bars are stacked. */
export const PARTS: Readonly<Record<string, Part>> = {
  device_compute: { label: "Device compute", meaning: "device" },
  input: { label: "Input", meaning: "input" },
  kernel_launch: { label: "Kernel launch", meaning: "launch" },
  host_to_device: { label: "Host to device", meaning: "copy" },
  device_to_device: { label: "Device to device", meaning: "reduction" },
  collectives: { label: "Collectives", meaning: "communication" },
  host_compute: { label: "Host compute", meaning: "op" },
  compilation: { label: "Compilation", meaning: "compile" },
  output: { label: "Output", meaning: "memory" },
  other: { label: "Other", meaning: "other" },
};
export const partColor = (part: string, theme: Theme): string =>
  PALETTES[theme].meanings[PARTS[part]?.meaning ?? "other"];

/** Below this share of a step, a part is not worth an entry. */
const LEAST = 0.004;

/** Names of the parts that take time, in the order of the stack. */
export function partsPresent(parts: Readonly<Record<string, number>>): readonly string[] {
  const all = Object.values(parts).reduce((sum, ps) => sum + ps, 0);
  return Object.keys(PARTS).filter((part) => (parts[part] ?? 0) > all * LEAST);
}

interface Lasting {
  readonly host: string;
  readonly start_ps: number;
  readonly end_ps: number;
}

/** Of every `size` steps of a worker that follow each other the longest: what stands out is seen where there is no room
 * for all. */
export function longestOfEach<S extends Lasting>(steps: readonly S[], size: number): readonly S[] {
  const lasts = ({ start_ps, end_ps }: Lasting): number => end_ps - start_ps;
  const longest: S[] = [];
  let first = 0;
  steps.forEach((step, i) => {
    const last = longest.at(-1);
    if (!last || last.host !== step.host || i - first >= size) {
      longest.push(step);
      first = i;
    } else if (lasts(step) > lasts(last)) longest[longest.length - 1] = step;
  });
  return longest;
}

/** 56 %, 3.2 %, 0 %: two digits. */
export const percentText = (share: number): string =>
  `${share > 0 && share < 0.0995 ? (share * 100).toFixed(1) : Math.round(share * 100)} %`;

/** What a step would take if these gains were all made: they may overlap, so never less than the device computes. */
export function stepAfter(stepPs: number, gains: readonly (number | null)[]): number {
  return Math.max(0, stepPs - gains.reduce<number>((sum, gain) => sum + (gain ?? 0), 0));
}

/** The part of a step that a finding is about, by its id. */
const OF_FINDINGS: Readonly<Record<string, string>> = {
  waiting_for_input: "input",
  pageable_memory: "host_to_device",
  copies_to_host: "host_to_device",
  launch_bound: "kernel_launch",
  synchronisation: "host_compute",
  host_code: "host_compute",
  host_bound: "host_compute",
  eager_ops: "host_compute",
  recompilation: "compilation",
  straggler: "collectives",
  memory_grows: "output",
  memory_full: "output",
};
export const findingPart = (id: string): string => OF_FINDINGS[id] ?? "device_compute";

export interface EnvironmentRow {
  readonly label: string;
  readonly text: string;
}

/** What the profile tells of where it was recorded; nothing of what it leaves empty. */
export const environmentRows = (environment: Readonly<Record<string, unknown>>): readonly EnvironmentRow[] =>
  Object.entries(environment).flatMap(([key, value]) => {
    const text = Array.isArray(value) ? value.join(", ") : String(value ?? "");
    return text === "" ? [] : [{ label: key.replaceAll("_", " "), text }];
  });
