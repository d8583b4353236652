// From the strength of a frequency to a colour: silence is the card itself, so that either theme stays what it is.
// Lightness goes one way only, so the picture reads the same without colours.

type Stop = readonly [red: number, green: number, blue: number];

const STOPS: Readonly<Record<"light" | "dark", readonly Stop[]>> = {
  light: [
    [255, 255, 255],
    [253, 232, 205],
    [248, 178, 128],
    [227, 100, 96],
    [164, 46, 112],
    [88, 24, 110],
    [20, 8, 50],
  ],
  dark: [
    [21, 26, 34],
    [44, 30, 84],
    [106, 34, 121],
    [176, 50, 114],
    [233, 94, 84],
    [251, 167, 98],
    [254, 246, 190],
  ],
};

const tables = new Map<string, Uint8Array>();

/** Red, green and blue for each of 256 strengths. */
export function colorTable(theme: "light" | "dark"): Uint8Array {
  const known = tables.get(theme);
  if (known) return known;
  const stops = STOPS[theme];
  const table = new Uint8Array(256 * 3);
  for (let level = 0; level < 256; level++) {
    const place = (level / 255) * (stops.length - 1);
    const i = Math.min(Math.floor(place), stops.length - 2);
    const [low, high] = [stops[i] as Stop, stops[i + 1] as Stop];
    for (let part = 0; part < 3; part++)
      table[level * 3 + part] = Math.round(
        (low[part] as number) + ((high[part] as number) - (low[part] as number)) * (place - i),
      );
  }
  tables.set(theme, table);
  return table;
}

export function colorLevels(
  levels: Uint8ClampedArray,
  width: number,
  height: number,
  theme: "light" | "dark",
): ImageData {
  const table = colorTable(theme);
  const image = new ImageData(width, height);
  for (let i = 0; i < levels.length; i++) {
    const from = (levels[i] as number) * 3;
    image.data[4 * i] = table[from] as number;
    image.data[4 * i + 1] = table[from + 1] as number;
    image.data[4 * i + 2] = table[from + 2] as number;
    image.data[4 * i + 3] = 255;
  }
  return image;
}
