// The colours of the scene in both themes, and how large and how opaque points are. A canvas knows no custom
// properties, and an exported picture has no page.

export type Theme = "light" | "dark";

export interface Palette {
  readonly stage: string;
  readonly text: string;
  readonly muted: string;
  readonly faint: string;
  readonly accent: string;
  readonly border: string;
  /** Lines of equal density: the outermost, then the others. */
  readonly contours: readonly [string, string];
  /** Of a point that is neither selected nor greyed. */
  readonly opacity: number;
}

export const PALETTES: Readonly<Record<Theme, Palette>> = {
  light: {
    stage: "#ffffff",
    text: "#1a2030",
    muted: "#566173",
    faint: "#7b8699",
    accent: "#2f5bd8",
    border: "#e2e5ea",
    contours: ["rgba(40,56,92,0.2)", "rgba(40,56,92,0.14)"],
    opacity: 0.58,
  },
  dark: {
    stage: "#0e1117",
    text: "#e7eaf0",
    muted: "#98a3b5",
    faint: "#77839a",
    accent: "#7b9bff",
    border: "#252c38",
    contours: ["rgba(190,205,235,0.2)", "rgba(190,205,235,0.15)"],
    opacity: 0.62,
  },
};

export const hexNumber = (color: string): number => Number.parseInt(color.slice(1), 16);
export const hexColor = (color: number): string => `#${(color & 0xffffff).toString(16).padStart(6, "0")}`;

export interface PointStyle {
  readonly radiusPx: number;
  readonly opacity: number;
  readonly selectedPx: number;
  readonly greyedPx: number;
  readonly greyedOpacity: number;
  readonly ringPx: number;
}

const clamp = (value: number, low: number, high: number): number => Math.min(Math.max(value, low), high);

/** Many points are small and let others through; nearer ones are larger and more opaque. */
export function pointStyle(count: number, zoom: number, pointScale: number, { opacity }: Palette): PointStyle {
  const crowd = Math.log10(Math.max(count, 10));
  const near = Math.log2(Math.max(zoom, 0.25));
  const radiusPx = clamp(clamp(5.15 - 0.9 * crowd, 0.75, 3.6) * 2 ** (0.32 * near), 0.6, 7) * pointScale;
  return {
    radiusPx,
    opacity: clamp(opacity * clamp(1.75 - 0.2 * crowd, 0.55, 1.5) * 2 ** (0.14 * near), 0.2, 0.92),
    selectedPx: Math.max(radiusPx * 1.26, radiusPx + 0.4),
    greyedPx: radiusPx * 0.75,
    greyedOpacity: 0.32,
    ringPx: Math.max(radiusPx * 1.5 + 1.3, 3.4),
  };
}
