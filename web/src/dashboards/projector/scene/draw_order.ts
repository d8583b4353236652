// The order in which points are drawn: in the background those that are greyed, then the others, and the selected on
// top. Within these, a random order that stays the same: any beginning of it is a fair sample of all points. Pure.

export interface DrawOrder {
  /** Rows. */
  readonly rows: Uint32Array;
  /** Where the greyed rows end, and where the selected ones begin. */
  readonly greyedEnd: number;
  readonly selectedFrom: number;
}

export interface Masks {
  readonly positions: Float32Array;
  readonly hidden: Uint8Array | null;
  readonly greyed: Uint8Array | null;
  readonly selected: Uint8Array | null;
}

let shuffled: Uint32Array = new Uint32Array();

/** All rows in a random order, the same every time. */
export function shuffledRows(count: number): Uint32Array {
  if (shuffled.length === count) return shuffled;
  const rows = new Uint32Array(count);
  for (let i = 0; i < count; i++) rows[i] = i;
  let state = 0x9e3779b9;
  for (let i = count - 1; i > 0; i--) {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    const j = (state >>> 0) % (i + 1);
    const row = rows[i] as number;
    rows[i] = rows[j] as number;
    rows[j] = row;
  }
  return (shuffled = rows);
}

export function drawOrder({ positions, hidden, greyed, selected }: Masks): DrawOrder {
  const all = shuffledRows(positions.length / 3);
  const rows = new Uint32Array(all.length);
  let end = 0;
  const put = (isWanted: (row: number) => boolean): number => {
    for (let i = 0; i < all.length; i++) {
      const row = all[i] as number;
      if (hidden?.[row] || Number.isNaN(positions[3 * row])) continue;
      if (isWanted(row)) rows[end++] = row;
    }
    return end;
  };
  const greyedEnd = greyed ? put((row) => greyed[row] === 1) : 0;
  const selectedFrom = put((row) => !greyed?.[row] && !selected?.[row]);
  if (selected) put((row) => !greyed?.[row] && selected[row] === 1);
  return { rows: rows.subarray(0, end), greyedEnd, selectedFrom };
}
