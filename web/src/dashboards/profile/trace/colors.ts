// The colours of a trace. One meaning has one colour in every view of a profile, in both themes. A canvas knows no
// custom properties, so they are here and not in the style sheet.

export type Theme = "light" | "dark";
export const COLORINGS = ["category", "name", "step", "module", "stream"] as const;
export type ColorBy = (typeof COLORINGS)[number];

/** What events are, as far as their category and name tell. */
export const MEANINGS = {
  input: "Input",
  step: "Step",
  module: "Module",
  op: "Host op",
  python: "Python",
  launch: "Device call",
  sync: "Synchronisation",
  copy: "Copy",
  convolution: "Convolution",
  matmul: "Matrix product",
  attention: "Attention",
  normalisation: "Normalisation",
  elementwise: "Elementwise",
  reduction: "Reduction",
  optimizer: "Optimizer",
  communication: "Communication",
  memory: "Memory",
  compile: "Compilation",
  device: "Device compute",
  other: "Other",
} as const;
export type Meaning = keyof typeof MEANINGS;

export const isMeaning = (text: string): text is Meaning => Object.hasOwn(MEANINGS, text);

type Colors = Readonly<Record<Meaning, string>>;
const LIGHT: Colors = {
  input: "#de8b1d",
  step: "#8a95a8",
  module: "#b0bac9",
  op: "#7b6bd9",
  python: "#a39a82",
  launch: "#d25a92",
  sync: "#d2414f",
  copy: "#0f9f95",
  convolution: "#3a70e2",
  matmul: "#3457c4",
  attention: "#6b4fd0",
  normalisation: "#43a053",
  elementwise: "#48a6d8",
  reduction: "#2f9fb8",
  optimizer: "#a65fce",
  communication: "#c9622b",
  memory: "#6f8f2f",
  compile: "#9a7b56",
  device: "#3a70e2",
  other: "#a7b0bf",
};
const DARK: Colors = {
  input: "#e39a35",
  step: "#8e9aae",
  module: "#66728a",
  op: "#9184ea",
  python: "#857d6b",
  launch: "#e06ea5",
  sync: "#f06472",
  copy: "#26b3a7",
  convolution: "#5b8bf5",
  matmul: "#4f74e8",
  attention: "#8a72f0",
  normalisation: "#57b568",
  elementwise: "#5ab3e2",
  reduction: "#43b3cc",
  optimizer: "#bb7de0",
  communication: "#e08348",
  memory: "#8fb04a",
  compile: "#b8976e",
  device: "#5b8bf5",
  other: "#6f7b90",
};

/** Of the page in both themes, as far as the scene needs them. */
export interface Palette {
  readonly meanings: Colors;
  readonly background: string;
  readonly surface: string;
  readonly sunken: string;
  readonly border: string;
  readonly borderStrong: string;
  readonly grid: string;
  readonly text: string;
  readonly muted: string;
  readonly faint: string;
  readonly accent: string;
  readonly accentSoft: string;
  readonly onAccent: string;
  readonly warn: string;
  readonly sliceText: string;
  readonly match: string;
  /** How much of a slice is its colour; the rest is the surface. */
  readonly mix: number;
}

export const PALETTES: Readonly<Record<Theme, Palette>> = {
  light: {
    meanings: LIGHT,
    background: "#f6f7f9",
    surface: "#ffffff",
    sunken: "#f0f2f5",
    border: "#e2e5ea",
    borderStrong: "#c9ced8",
    grid: "#edf0f4",
    text: "#1a2030",
    muted: "#566173",
    faint: "#7b8699",
    accent: "#2f5bd8",
    accentSoft: "#e8eefc",
    onAccent: "#ffffff",
    warn: "#a35607",
    sliceText: "#121827",
    match: "#f0b400",
    mix: 0.56,
  },
  dark: {
    meanings: DARK,
    background: "#0e1117",
    surface: "#151a22",
    sunken: "#0b0e13",
    border: "#252c38",
    borderStrong: "#3a4353",
    grid: "#1f2631",
    text: "#e7eaf0",
    muted: "#98a3b5",
    faint: "#77839a",
    accent: "#7b9bff",
    accentSoft: "#1b2744",
    onAccent: "#0e1117",
    warn: "#e7a04b",
    sliceText: "#f3f6fb",
    match: "#ffd24a",
    mix: 0.54,
  },
};

/** Hues for what has no meaning of its own: names, steps, modules, streams. Neighbours in the list are far apart. */
const HUES: Readonly<Record<Theme, readonly string[]>> = {
  light: [
    "#3a70e2",
    "#de8b1d",
    "#43a053",
    "#d25a92",
    "#0f9f95",
    "#7b6bd9",
    "#c9622b",
    "#48a6d8",
    "#a65fce",
    "#8d9c4e",
    "#d2414f",
    "#2f9fb8",
    "#9a7b56",
    "#3457c4",
    "#6f8f2f",
    "#b0538f",
  ],
  dark: [
    "#5b8bf5",
    "#e39a35",
    "#57b568",
    "#e06ea5",
    "#26b3a7",
    "#9184ea",
    "#e08348",
    "#5ab3e2",
    "#bb7de0",
    "#a3b364",
    "#f06472",
    "#43b3cc",
    "#b8976e",
    "#4f74e8",
    "#8fb04a",
    "#c974b0",
  ],
};

/** What an event is coloured by. */
export interface Colored {
  readonly hash: number;
  readonly meaning: Meaning;
  readonly step: number;
  readonly module: number;
  readonly track: number;
}

/** The full colour, as in the legend; slices show it mixed with the surface. */
export function colorOf(event: Colored, by: ColorBy, theme: Theme): string {
  switch (by) {
    case "category":
      return PALETTES[theme].meanings[event.meaning];
    case "name":
      return hueOf(event.hash, theme);
    case "step":
      return stepColor(event.step, theme);
    case "module":
      return event.module < 0 ? PALETTES[theme].meanings.other : hueOf(scatter(event.module), theme);
    case "stream":
      return trackColor(event.track, theme);
  }
}

/** -1: of no step. */
export const stepColor = (step: number, theme: Theme): string =>
  step < 0 ? PALETTES[theme].meanings.other : hueOf(step, theme);
/** Of a name that has no number: equal names have equal colours. */
export function nameColor(name: string, theme: Theme): string {
  let hash = 0;
  for (let i = 0; i < name.length; i++) hash = (Math.imul(hash, 31) + name.charCodeAt(i)) | 0;
  return hueOf(scatter(hash >>> 1), theme);
}
export const trackColor = (track: number, theme: Theme): string => hueOf(track, theme);

const hueOf = (number: number, theme: Theme): string => {
  const hues = HUES[theme];
  return hues[number % hues.length] as string;
};

/** Numbers that follow each other get hues that do not. */
const scatter = (number: number): number => Math.imul(number + 1, 0x9e3779b1) >>> 8;

/** Two colours as #rrggbb, the first with this share. */
export function mix(color: string, other: string, share: number): string {
  const [a, b] = [parseInt(color.slice(1), 16), parseInt(other.slice(1), 16)];
  let mixed = 0;
  for (const shift of [16, 8, 0]) {
    const channel = ((a >> shift) & 255) * share + ((b >> shift) & 255) * (1 - share);
    mixed |= Math.round(channel) << shift;
  }
  return `#${mixed.toString(16).padStart(6, "0")}`;
}
