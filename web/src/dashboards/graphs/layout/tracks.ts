// The horizontal parts of edges between two rows: which of them runs above which, so that few lines cross and none lies
// on another one.

/** What leaves one point above and ends at one or more points below. */
export interface Net {
  readonly source: number;
  readonly targets: readonly number[];
  readonly low: number;
  readonly high: number;
}

const NEAR_PX = 6;
/** Lines on top of each other are worse than crossings. */
const OVERLAP_COST = 12;
const MAX_PAIRWISE = 160;

/** The track of each net, from the top, and how many there are. */
export function assignTracks(nets: readonly Net[]): { readonly track: Int32Array; readonly count: number } {
  if (nets.length < 2) return { track: new Int32Array(nets.length), count: nets.length };
  if (nets.length > MAX_PAIRWISE) return packTracks(nets);
  const score = new Float64Array(nets.length);
  nets.forEach((a, i) => {
    for (let j = i + 1; j < nets.length; j++) {
      const b = nets[j] as Net;
      if (!isNear(a, b)) continue;
      const difference = costAbove(b, a) - costAbove(a, b);
      (score[i] as number) += difference;
      (score[j] as number) -= difference;
    }
  });
  const order = nets.map((_, i) => i).sort((i, j) => (score[j] as number) - (score[i] as number) || i - j);
  const track = new Int32Array(nets.length);
  let count = 0;
  order.forEach((i, at) => {
    for (let before = 0; before < at; before++) {
      const j = order[before] as number;
      if (isNear(nets[i] as Net, nets[j] as Net)) track[i] = Math.max(track[i] as number, (track[j] as number) + 1);
    }
    count = Math.max(count, (track[i] as number) + 1);
  });
  return { track, count };
}

const isNear = (a: Net, b: Net): boolean => a.low < b.high + NEAR_PX && b.low < a.high + NEAR_PX;

/** What it costs if a runs above b. */
function costAbove(a: Net, b: Net): number {
  let cost = 0;
  for (const target of a.targets) {
    if (target > b.low && target < b.high) cost++;
    if (Math.abs(target - b.source) < NEAR_PX / 2) cost += OVERLAP_COST;
  }
  if (b.source > a.low && b.source < a.high) cost++;
  return cost;
}

/** For a crowd: each net on the first track that is free. */
function packTracks(nets: readonly Net[]): { readonly track: Int32Array; readonly count: number } {
  const track = new Int32Array(nets.length);
  const ends: number[] = [];
  const order = nets.map((_, i) => i).sort((i, j) => (nets[i] as Net).low - (nets[j] as Net).low || i - j);
  for (const i of order) {
    const net = nets[i] as Net;
    let at = ends.findIndex((end) => end + NEAR_PX <= net.low);
    if (at < 0) at = ends.push(0) - 1;
    ends[at] = net.high;
    track[i] = at;
  }
  return { track, count: ends.length };
}
