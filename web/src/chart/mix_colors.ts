// Colours between two colours, as #rrggbb.

function channels(color: string): readonly [number, number, number] {
  const number = Number.parseInt(color.slice(1), 16);
  return [(number >> 16) & 255, (number >> 8) & 255, number & 255];
}

/** `part`: the share of the second colour, 0 to 1. */
export function mixColors(first: string, second: string, part: number): string {
  const a = channels(first);
  const b = channels(second);
  const mixed = a.map((channel, i) => Math.round(channel + ((b[i] as number) - channel) * part));
  return `#${mixed.map((channel) => channel.toString(16).padStart(2, "0")).join("")}`;
}

const FULL = 0.7;
const ramps = new Map<string, readonly string[]>();

/** 256 colours: from the surface to the colour, and in the last third on towards the ink. */
export function rampOf(surface: string, color: string, ink: string): readonly string[] {
  const key = `${surface}${color}${ink}`;
  let ramp = ramps.get(key);
  if (!ramp) {
    const deep = mixColors(color, ink, 0.55);
    ramp = Array.from({ length: 256 }, (_, i) => {
      const at = i / 255;
      return at <= FULL ? mixColors(surface, color, at / FULL) : mixColors(color, deep, (at - FULL) / (1 - FULL));
    });
    ramps.set(key, ramp);
  }
  return ramp;
}
