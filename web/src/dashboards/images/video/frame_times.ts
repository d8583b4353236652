// When each frame of an MP4 or WebM is shown, read from the file itself: browsers play videos but do not say where
// their frames are. Decodes nothing.

const MAX_FRAMES = 250_000;

/** Seconds, ascending, the first one at 0; empty where the file does not say. */
export function frameTimes(bytes: Uint8Array): Float64Array {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  try {
    const times = bytes.length > 8 && view.getUint32(0) === EBML ? webmTimes(view) : mp4Times(view);
    const first = times.reduce((least, time) => Math.min(least, time), Number.POSITIVE_INFINITY);
    return Float64Array.from(times, (time) => time - first).sort();
  } catch (cause) {
    // What is cut short is the player's to complain about; without times it steps by guess.
    if (cause instanceof RangeError) return new Float64Array();
    throw cause;
  }
}

interface Box {
  readonly name: string;
  readonly start: number;
  readonly end: number;
}

function* boxes(view: DataView, start: number, end: number): Generator<Box> {
  for (let at = start; at + 8 <= end;) {
    let size = view.getUint32(at);
    let head = 8;
    if (size === 1) {
      size = Number(view.getBigUint64(at + 8));
      head = 16;
    } else if (size === 0) size = end - at;
    if (size < head) return;
    const name = String.fromCharCode(...[4, 5, 6, 7].map((offset) => view.getUint8(at + offset)));
    yield { name, start: at + head, end: Math.min(at + size, end) };
    at += size;
  }
}

function inside(view: DataView, box: Box, ...path: readonly string[]): Box | null {
  const [name, ...rest] = path;
  if (name === undefined) return box;
  for (const each of boxes(view, box.start, box.end)) if (each.name === name) return inside(view, each, ...rest);
  return null;
}

interface Track {
  readonly id: number;
  readonly ticksPerS: number;
  /** Of a frame in a fragment that does not say it itself. */
  readonly frameTicks: number;
}

function mp4Times(view: DataView): number[] {
  const times: number[] = [];
  let track: Track | null = null;
  for (const box of boxes(view, 0, view.byteLength)) {
    if (box.name === "moov") {
      track = videoTrack(view, box, times);
    } else if (box.name === "moof" && track) {
      for (const part of boxes(view, box.start, box.end))
        if (part.name === "traf") fragmentTimes(view, part, track, times);
    }
  }
  return times;
}

/** The first track of pictures; the times of its frames that stand in the table are added. */
function videoTrack(view: DataView, moov: Box, times: number[]): Track | null {
  for (const trak of boxes(view, moov.start, moov.end)) {
    const handler = inside(view, trak, "mdia", "hdlr");
    const header = inside(view, trak, "mdia", "mdhd");
    const tkhd = inside(view, trak, "tkhd");
    if (trak.name !== "trak" || !handler || !header || !tkhd || view.getUint32(handler.start + 8) !== VIDE) continue;
    const ticksPerS = view.getUint32(header.start + (view.getUint8(header.start) === 1 ? 20 : 12)) || 1;
    const table = inside(view, trak, "mdia", "minf", "stbl");
    if (table) tableTimes(view, table, ticksPerS, times);
    const id = view.getUint32(tkhd.start + (view.getUint8(tkhd.start) === 1 ? 20 : 12));
    const defaults = inside(view, moov, "mvex", "trex");
    return { id, ticksPerS, frameTicks: defaults ? view.getUint32(defaults.start + 12) : 0 };
  }
  return null;
}

function tableTimes(view: DataView, table: Box, ticksPerS: number, times: number[]): void {
  const durations = inside(view, table, "stts");
  if (!durations) return;
  let tick = 0;
  for (const [count, ticks] of runs(view, durations)) {
    for (let i = 0; i < count && times.length < MAX_FRAMES; i++, tick += ticks) times.push(tick / ticksPerS);
  }
  const offsets = inside(view, table, "ctts");
  if (!offsets) return;
  let frame = 0;
  // Frames are stored in the order of decoding; this is how much later each is shown.
  for (const [count, ticks] of runs(view, offsets)) {
    for (let i = 0; i < count && frame < times.length; i++, frame++)
      times[frame] = (times[frame] as number) + (ticks | 0) / ticksPerS;
  }
}

function* runs(view: DataView, { start, end }: Box): Generator<[count: number, ticks: number]> {
  const entries = view.getUint32(start + 4);
  for (let i = 0, at = start + 8; i < entries && at + 8 <= end; i++, at += 8)
    yield [view.getUint32(at), view.getUint32(at + 4)];
}

function fragmentTimes(view: DataView, traf: Box, track: Track, times: number[]): void {
  const header = inside(view, traf, "tfhd");
  if (!header || view.getUint32(header.start + 4) !== track.id) return;
  const flags = view.getUint32(header.start);
  // Optional fields before the duration: where the data is, and which description.
  const durationAt = header.start + 8 + (flags & 1 ? 8 : 0) + (flags & 2 ? 4 : 0);
  const frameTicks = flags & 8 ? view.getUint32(durationAt) : track.frameTicks;
  const begin = inside(view, traf, "tfdt");
  let tick = begin
    ? view.getUint8(begin.start) === 1
      ? Number(view.getBigUint64(begin.start + 4))
      : view.getUint32(begin.start + 4)
    : 0;
  for (const run of boxes(view, traf.start, traf.end)) {
    if (run.name !== "trun") continue;
    const has = view.getUint32(run.start);
    const count = view.getUint32(run.start + 4);
    let at = run.start + 8 + (has & 1 ? 4 : 0) + (has & 4 ? 4 : 0);
    for (let i = 0; i < count && times.length < MAX_FRAMES; i++) {
      const ticks = has & 0x100 ? view.getUint32(at) : frameTicks;
      at += [0x100, 0x200, 0x400].reduce((sum, field) => sum + (has & field ? 4 : 0), 0);
      const later = has & 0x800 ? view.getInt32(at) : 0;
      if (has & 0x800) at += 4;
      times.push((tick + later) / track.ticksPerS);
      tick += ticks;
    }
  }
}

const VIDE = 0x76696465;

// Elements of Matroska, each by the bytes of its number.
const EBML = 0x1a45dfa3;
const [SEGMENT, INFO, TRACKS, TRACK, CLUSTER, GROUP] = [0x18538067, 0x1549a966, 0x1654ae6b, 0xae, 0x1f43b675, 0xa0];
const [SCALE, NUMBER, TYPE, CLUSTER_TIME, BLOCK, SIMPLE_BLOCK] = [0x2ad7b1, 0xd7, 0x83, 0xe7, 0xa1, 0xa3];
const CONTAINERS = new Set([SEGMENT, INFO, TRACKS, TRACK, CLUSTER, GROUP]);

/** What is inside a container simply follows it, so no end has to be known: those of a stream have none. */
function webmTimes(view: DataView): number[] {
  const times: number[] = [];
  let tickS = 1e-3;
  let clusterTicks = 0;
  let number = 0;
  let videoTrackNumber = -1;
  let at = 0;
  const variable = (keepsMark: boolean): number => {
    const first = view.getUint8(at);
    const length = Math.clz32(first) - 23;
    if (length > 8) throw new RangeError("no number of EBML");
    let value = keepsMark ? first : first & (0xff >> length);
    let isUnknown = (first & (0xff >> length)) === 0xff >> length;
    for (let i = 1; i < length; i++) {
      const byte = view.getUint8(at + i);
      value = value * 256 + byte;
      isUnknown &&= byte === 0xff;
    }
    at += length;
    return isUnknown && !keepsMark ? Number.POSITIVE_INFINITY : value;
  };
  const whole = (sizeBytes: number): number => {
    let value = 0;
    for (let i = 0; i < sizeBytes; i++) value = value * 256 + view.getUint8(at + i);
    return value;
  };
  while (at + 2 <= view.byteLength && times.length < MAX_FRAMES) {
    const element = variable(true);
    const sizeBytes = variable(false);
    if (CONTAINERS.has(element)) continue;
    const end = at + sizeBytes;
    if (end > view.byteLength) break;
    if (element === SCALE) tickS = whole(sizeBytes) / 1e9;
    else if (element === CLUSTER_TIME) clusterTicks = whole(sizeBytes);
    else if (element === NUMBER) number = whole(sizeBytes);
    // 1: pictures.
    else if (element === TYPE && whole(sizeBytes) === 1 && videoTrackNumber < 0) videoTrackNumber = number;
    else if (element === SIMPLE_BLOCK || element === BLOCK) {
      if (variable(false) === videoTrackNumber) times.push((clusterTicks + view.getInt16(at)) * tickS);
    }
    at = end;
  }
  return times;
}
