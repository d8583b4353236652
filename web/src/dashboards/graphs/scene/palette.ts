// The colours of the scene in both themes. A canvas knows no custom properties, and an exported picture has no page.

export type Theme = "light" | "dark";

export interface Palette {
  readonly background: string;
  readonly surface: string;
  readonly border: string;
  readonly borderStrong: string;
  readonly text: string;
  readonly muted: string;
  readonly faint: string;
  readonly accent: string;
  readonly accentSoft: string;
  readonly added: string;
  readonly removed: string;
  readonly changed: string;
  readonly mark: string;
  readonly onMark: string;
  /** Open groups, by depth. */
  readonly panels: readonly [string, string, string];
  /** Borders of painted nodes are their colour, mixed with this. */
  readonly edgeMix: string;
}

export const PALETTES: Readonly<Record<Theme, Palette>> = {
  light: {
    background: "#f6f7f9",
    surface: "#fff",
    border: "#e2e5ea",
    borderStrong: "#c9ced8",
    text: "#1a2030",
    muted: "#566173",
    faint: "#7b8699",
    accent: "#2f5bd8",
    accentSoft: "#e8eefc",
    added: "#12805c",
    removed: "#c2293f",
    changed: "#7c4fd8",
    mark: "#ffe27a",
    onMark: "#3a2c00",
    panels: ["#fbfcfd", "#f1f3f7", "#fafbfc"],
    edgeMix: "#41230a",
  },
  dark: {
    background: "#0e1117",
    surface: "#151a22",
    border: "#252c38",
    borderStrong: "#3a4353",
    text: "#e7eaf0",
    muted: "#98a3b5",
    faint: "#77839a",
    accent: "#7b9bff",
    accentSoft: "#1b2744",
    added: "#3cc693",
    removed: "#ff6b81",
    changed: "#b79bff",
    mark: "#f2cf57",
    onMark: "#221a00",
    panels: ["#131820", "#181e28", "#12171f"],
    edgeMix: "#ffffff",
  },
};

const mixed = new Map<string, string>();

/** The border of a painted node. Only colours as #rrggbb and rgb(r, g, b) are mixed; others stay as they are. */
export function borderOf(color: string, mix: string): string {
  const key = `${color} ${mix}`;
  let border = mixed.get(key);
  if (border === undefined) {
    const [from, to] = [channels(color), channels(mix)];
    border =
      from && to
        ? `rgb(${from.map((value, i) => Math.round(value * 0.78 + (to[i] as number) * 0.22)).join(" ")})`
        : color;
    if (mixed.size > 2_000) mixed.clear();
    mixed.set(key, border);
  }
  return border;
}

function channels(color: string): readonly number[] | null {
  const hex = /^#([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})$/i.exec(color);
  if (hex) return hex.slice(1).map((pair) => parseInt(pair, 16));
  const short = /^#([0-9a-f])([0-9a-f])([0-9a-f])$/i.exec(color);
  if (short) return short.slice(1).map((digit) => parseInt(digit + digit, 16));
  const rgb = /^rgb\(\s*(\d+)[ ,]+(\d+)[ ,]+(\d+)\s*\)$/.exec(color);
  return rgb ? rgb.slice(1).map(Number) : null;
}
