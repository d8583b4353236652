// Means, medians and intervals of rows of the table. NaN is no value and is left out everywhere. Pure.

export interface Mean {
  readonly n: number;
  readonly mean: number;
  /** Of a single value: NaN, because one value does not say how much values vary. */
  readonly sd: number;
}

export function meanOf(values: Iterable<number>): Mean {
  let n = 0;
  let mean = 0;
  let squares = 0;
  for (const value of values) {
    if (Number.isNaN(value)) continue;
    n++;
    const from = value - mean;
    mean += from / n;
    squares += from * (value - mean);
  }
  return { n, mean: n > 0 ? mean : Number.NaN, sd: n > 1 ? Math.sqrt(squares / (n - 1)) : Number.NaN };
}

/** Ascending, without NaN. */
export const sortedValues = (values: Iterable<number>): Float64Array =>
  Float64Array.from([...values].filter((value) => !Number.isNaN(value))).sort();

const Z = 1.959963984540054;
const T1 = 12.706204736432095;
const T2 = 4.302652729911275;
const T3 = 3.182446305284263;

/**
 * The factor of a 95 % interval, from Student's distribution. By the expansion in 1/df (Abramowitz and Stegun 26.7.5),
 * which is right to three digits from 4 on; below that, between the exact values.
 */
export function studentFactor(df: number): number {
  if (!(df > 0)) return Number.NaN;
  if (df <= 1) return T1;
  const between = (low: number, high: number, first: number, second: number): number =>
    first + ((second - first) * (1 / df - 1 / low)) / (1 / high - 1 / low);
  if (df < 2) return between(1, 2, T1, T2);
  if (df < 3) return between(2, 3, T2, T3);
  const z2 = Z * Z;
  const terms = [
    (Z * (z2 + 1)) / 4,
    (Z * (5 * z2 ** 2 + 16 * z2 + 3)) / 96,
    (Z * (3 * z2 ** 3 + 19 * z2 ** 2 + 17 * z2 - 15)) / 384,
    (Z * (79 * z2 ** 4 + 776 * z2 ** 3 + 1482 * z2 ** 2 - 1920 * z2 - 945)) / 92160,
  ];
  return terms.reduce((sum, term, i) => sum + term / df ** (i + 1), Z);
}

/** A value with its 95 % interval; the ends are NaN where there are too few values to say. */
export interface Estimate {
  readonly value: number;
  readonly low: number;
  readonly high: number;
}

export function meanInterval({ n, mean, sd }: Mean): Estimate {
  const half = (studentFactor(n - 1) * sd) / Math.sqrt(n);
  return { value: mean, low: mean - half, high: mean + half };
}

/** The difference of two means whose groups may vary by different amounts (Welch). */
export function differenceOfMeans(a: Mean, b: Mean): Estimate {
  const value = a.mean - b.mean;
  const fromA = a.sd ** 2 / a.n;
  const fromB = b.sd ** 2 / b.n;
  const sum = fromA + fromB;
  if (sum === 0) return { value, low: value, high: value };
  const df = sum ** 2 / (fromA ** 2 / (a.n - 1) + fromB ** 2 / (b.n - 1));
  const half = studentFactor(df) * Math.sqrt(sum);
  return { value, low: value - half, high: value + half };
}

/** Spearman's rank correlation over the rows that have both values; NaN with fewer than three. */
export function rankCorrelation(
  a: Float64Array,
  b: Float64Array,
  included: Uint8Array | null = null,
): { readonly value: number; readonly n: number } {
  const rows: number[] = [];
  for (let row = 0; row < a.length; row++)
    if (included?.[row] !== 0 && !Number.isNaN((a[row] as number) + (b[row] as number))) rows.push(row);
  const n = rows.length;
  if (n < 3) return { value: Number.NaN, n };
  const ranks = (numbers: Float64Array): Float64Array =>
    n === numbers.length ? knownRanks(numbers) : ranksOf(Float64Array.from(rows, (row) => numbers[row] as number));
  const [ranksA, ranksB] = [ranks(a), ranks(b)];
  const middle = (n - 1) / 2;
  let product = 0;
  let squareA = 0;
  let squareB = 0;
  for (let i = 0; i < n; i++) {
    const fromA = (ranksA[i] as number) - middle;
    const fromB = (ranksB[i] as number) - middle;
    product += fromA * fromB;
    squareA += fromA * fromA;
    squareB += fromB * fromB;
  }
  return { value: product / Math.sqrt(squareA * squareB), n };
}

const known = new WeakMap<Float64Array, Float64Array>();

/** Of a whole column, which does not change. */
function knownRanks(numbers: Float64Array): Float64Array {
  let ranks = known.get(numbers);
  if (!ranks) known.set(numbers, (ranks = ranksOf(numbers)));
  return ranks;
}

/** Equal values share the middle of their ranks. */
function ranksOf(values: Float64Array): Float64Array {
  // Sorted without a function that compares, which is ten times as fast.
  const sorted = values.toSorted();
  const middles = new Float64Array(sorted.length);
  for (let start = 0; start < sorted.length;) {
    let end = start;
    while (end < sorted.length && sorted[end] === sorted[start]) end++;
    middles.fill((start + end - 1) / 2, start, end);
    start = end;
  }
  return values.map((value) => middles[placeOf(sorted, value)] as number);
}

/** The first place of a value. */
function placeOf(sorted: Float64Array, value: number): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] as number) < value) low = middle + 1;
    else high = middle;
  }
  return low;
}
