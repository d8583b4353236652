// Maps slider positions to values of a series and back. Pure.

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
