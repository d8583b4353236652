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
  /** Those of this kind: 0 plain, 1 greyed, 2 selected. */
  const put = (kind: number): number => {
    for (let i = 0; i < all.length; i++) {
      const row = all[i] as number;
      const x = positions[3 * row] as number;
      if (x !== x || (hidden !== null && hidden[row] === 1)) continue;
      const own = greyed !== null && greyed[row] === 1 ? 1 : selected !== null && selected[row] === 1 ? 2 : 0;
      if (own === kind) rows[end++] = row;
    }
    return end;
  };
  const greyedEnd = greyed ? put(1) : 0;
  const selectedFrom = put(0);
  if (selected) put(2);
  return { rows: rows.subarray(0, end), greyedEnd, selectedFrom };
}

const ordered = new WeakMap<Uint32Array, { readonly positions: Float32Array; readonly places: Float32Array }>();

/** Places in the order of drawing: memory is read many times faster in its own order. Made once for both. */
export function placesInOrder(positions: Float32Array, rows: Uint32Array): Float32Array {
  const known = ordered.get(rows);
  if (known?.positions === positions) return known.places;
  const places = inOrder(positions, rows, null);
  ordered.set(rows, { positions, places });
  return places;
}

/** `instead`: for those that had no place yet. */
export function inOrder(positions: Float32Array, rows: Uint32Array, instead: Float32Array | null): Float32Array {
  const places = new Float32Array(3 * rows.length);
  for (let i = 0; i < rows.length; i++) {
    const at = 3 * (rows[i] as number);
    const from = instead && Number.isNaN(positions[at]) ? instead : positions;
    places[3 * i] = from[at] as number;
    places[3 * i + 1] = from[at + 1] as number;
    places[3 * i + 2] = from[at + 2] as number;
  }
  return places;
}
