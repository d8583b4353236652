// The selected points, one set for the whole tab: a mask, a list of rows, and their number.

import { maskOf, rowsOf } from "./row_sets";

export interface SelectHow {
  readonly add?: boolean;
  readonly subtract?: boolean;
}

const NONE = new Int32Array();

export class Selection {
  /** Raw: replaced, never edited. Null: nothing is selected. */
  mask = $state.raw<Uint8Array | null>(null);
  readonly rows = $derived.by((): Int32Array => (this.mask ? rowsOf(this.mask) : NONE));
  readonly count = $derived.by(() => this.rows.length);

  /** `mask`: 1 for every row. */
  set(mask: Uint8Array | null, { add = false, subtract = false }: SelectHow = {}): void {
    const before = this.mask;
    let next = mask;
    if (subtract) next = before && mask && before.map((was, row) => (was && !mask[row] ? 1 : 0));
    else if (add && before && mask) next = before.map((was, row) => (was || mask[row] ? 1 : 0));
    this.mask = next?.some((is) => is !== 0) ? next : null;
  }

  setRows(rows: ArrayLike<number>, count: number, how: SelectHow = {}): void {
    this.set(maskOf(rows, count), how);
  }

  has(row: number): boolean {
    return this.mask?.[row] === 1;
  }

  /** All that could be selected and are not; `isOut`: rows that are not shown. */
  invert(count: number, isOut: (row: number) => boolean): void {
    const { mask } = this;
    const next = new Uint8Array(count);
    for (let row = 0; row < count; row++) next[row] = mask?.[row] || isOut(row) ? 0 : 1;
    this.set(next);
  }

  clear(): void {
    this.mask = null;
  }
}
