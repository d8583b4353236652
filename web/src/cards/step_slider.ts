// Maps slider positions and keys to values of a series, and values to positions. Pure.

/** With more values than this the slider is logarithmic. */
export const MANY = 1_000;
const NOTCHES = 1_000;

export const notchesOf = (count: number): number => (count > MANY ? NOTCHES : Math.max(0, count - 1));

export function indexAt(notch: number, count: number): number {
  if (count <= MANY) return notch;
  return Math.round(Math.expm1((notch / NOTCHES) * Math.log(count)));
}

export function notchOf(index: number, count: number): number {
  if (count <= MANY) return index;
  return Math.round((Math.log1p(index) / Math.log(count)) * NOTCHES);
}

/** The value that a key goes to, possibly beyond the ends; undefined for keys that do not move. */
export function indexOfKey(key: string, index: number, last: number): number | undefined {
  const targets: Readonly<Record<string, number>> = {
    ArrowLeft: index - 1,
    ArrowRight: index + 1,
    ArrowDown: index - 1,
    ArrowUp: index + 1,
    PageDown: index - 10,
    PageUp: index + 10,
    Home: 0,
    End: last,
  };
  return Object.hasOwn(targets, key) ? targets[key] : undefined;
}
