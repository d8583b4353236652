// From a slider's notches to the values of a series and back. Pure.

/** With more values than this, a slider's way is logarithmic: the first ones can be told apart as well as the last. */
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
