// The points of one projection and everything that is shown about them: what the page sets, what the user does to it,
// and where the camera is. Arrays are replaced, never edited; all are indexed by row of the embedding. Knows neither
// the server nor how points are drawn.

import {
  type Bounds,
  boundsOf,
  type Camera,
  type Dimensions,
  fitCamera,
  homeCamera,
  makeView,
  mixCameras,
  NO_BOUNDS,
  pan,
  project,
  type View,
  type Viewport,
} from "./camera";
import type { Stage } from "./stage.svelte";

/** What a drag does: moves the view, or selects. */
export type Tool = "point" | "lasso" | "box" | "sphere";
export type PointMode = "dots" | "pictures" | "text";

/** Where the points are: three numbers per row (the last is 0 in 2-D), NaN where a row has no place. */
export interface Placed {
  readonly positions: Float32Array;
  readonly dimensions: Dimensions;
  /** Points move from here; null: they are where they should be. */
  readonly from: Float32Array | null;
  readonly sinceMs: number;
  readonly lastsMs: number;
  readonly bounds: Bounds;
  /** How many rows have a place. */
  readonly count: number;
}

/** Lines from one point to others. */
export interface Links {
  readonly from: number;
  readonly rows: ArrayLike<number>;
}

/** Where some points were: for each row, `length` places of three numbers, the oldest first, the last one now. */
export interface Trails {
  readonly rows: ArrayLike<number>;
  readonly length: number;
  readonly positions: Float32Array;
}

/** Names for groups of points: clusters, or the categories of a column. */
export interface ClusterNames {
  /** The group of each row; negative: none. */
  readonly codes: ArrayLike<number>;
  readonly names: readonly { readonly name: string; readonly detail?: string }[];
}

/** Pictures of some rows, side by side in the order asked for. */
export interface Sheet {
  readonly image: ImageBitmap;
  readonly tilePx: number;
  readonly columns: number;
}

/** What is known about a point beside the pointer. */
export interface PointTip {
  readonly title: string;
  readonly lines: readonly { readonly name?: string; readonly text: string; readonly color?: string }[];
  /** The address of a picture. */
  readonly picture?: string;
}

/** How a click or a drag changes the selection; both false: it replaces it. */
export interface SelectHow {
  readonly add: boolean;
  readonly subtract: boolean;
}

export interface PlaceOptions {
  /** The rows that the positions are of; without it, all rows in order. */
  readonly rows?: Int32Array | null;
  /** Points that had a place move there within this time. */
  readonly animateMs?: number;
}

const TRAVEL_MS = 350;
const NOWHERE: Placed = {
  positions: new Float32Array(),
  dimensions: 2,
  from: null,
  sinceMs: 0,
  lastsMs: 0,
  bounds: NO_BOUNDS,
  count: 0,
};

export class Cloud {
  /** Rows of the embedding; set by `start`. */
  count = $state(0);
  placed = $state.raw<Placed>(NOWHERE);
  /** 0xRRGGBB per row; null: all in the accent colour. */
  colors = $state.raw<Uint32Array | null>(null);
  /** 1: not drawn at all. */
  hidden = $state.raw<Uint8Array | null>(null);
  /** 1: drawn small and grey, and never picked. */
  greyed = $state.raw<Uint8Array | null>(null);
  /** 1: selected. Null: nothing is. */
  selected = $state.raw<Uint8Array | null>(null);
  selectedCount = $state(0);
  /** Rows with a ring. */
  matches = $state.raw<Int32Array>(new Int32Array());
  /** Under the pointer, here or in a list; null: none. */
  hovered = $state<number | null>(null);
  /** The point that the inspector shows. */
  focused = $state<number | null>(null);
  links = $state.raw<Links | null>(null);
  trails = $state.raw<Trails | null>(null);
  /** The row that follows each row; negative: none. */
  sequences = $state.raw<Int32Array | null>(null);
  clusters = $state.raw<ClusterNames | null>(null);

  mode = $state<PointMode>("dots");
  tool = $state<Tool>("point");
  /** Names of clusters and labels of points. */
  hasNames = $state(true);
  /** Lines of equal density; in 2-D. */
  hasContours = $state(true);
  /** In 3-D, until the user touches it. */
  isRotating = $state(false);
  /** Larger or smaller points than normal. */
  pointScale = $state(1);

  /** Null: home, where everything fits, also while points move. */
  camera = $state.raw<Camera | null>(null);
  viewport = $state.raw<Viewport>({ widthPx: 0, heightPx: 0 });
  /** The first picture with these points is on the screen. */
  isDrawn = $state(false);
  /** What could not be done as asked, such as no WebGL. */
  notice = $state<string | null>(null);

  /** Texts of rows, in their order. */
  labelsOf = $state.raw<((rows: readonly number[]) => Promise<readonly string[]>) | null>(null);
  /** Pictures of up to 1,024 rows; null: there are none. */
  thumbnailsOf = $state.raw<((rows: readonly number[], tilePx: number) => Promise<Sheet>) | null>(null);
  /** For the tip beside the pointer; without it, the label alone. */
  tipOf: ((row: number, label: Promise<string>) => Promise<PointTip>) | null = null;

  /** A point was clicked; null: none was there. `add`: with Shift or Ctrl. */
  onpick: ((row: number | null, how: { readonly add: boolean }) => void) | null = null;
  /** An area was drawn: 1 for every row in it that is visible. Without it, the cloud selects by itself. */
  onselect: ((rows: Uint8Array, how: SelectHow) => void) | null = null;
  onhover: ((row: number | null) => void) | null = null;
  /** The user moved the camera, and let go. */
  oncamera: ((camera: Camera | null) => void) | null = null;

  /** What draws it, while it is on the screen. */
  draw: Stage | null = null;

  #travel = 0;

  readonly dimensions = $derived.by((): Dimensions => this.placed.dimensions);
  readonly bounds = $derived.by((): Bounds => this.placed.bounds);
  readonly view = $derived.by((): View =>
    makeView(this.camera ?? homeCamera(this.bounds), this.bounds, this.viewport, this.dimensions),
  );

  /** Another embedding: nothing has a place any more, and nothing is shown of the last one. */
  start(count: number): void {
    cancelAnimationFrame(this.#travel);
    this.count = count;
    this.placed = NOWHERE;
    this.colors = this.hidden = this.greyed = this.selected = null;
    this.selectedCount = 0;
    this.matches = new Int32Array();
    this.hovered = this.focused = null;
    this.links = this.trails = this.sequences = this.clusters = null;
    this.camera = null;
    this.isDrawn = false;
  }

  /** `positions`: `dimensions` numbers for each point, interleaved. */
  setPositions(
    positions: Float32Array,
    dimensions: Dimensions,
    { rows = null, animateMs = 0 }: PlaceOptions = {},
  ): void {
    const next = new Float32Array(3 * this.count);
    const given = Math.min(rows ? rows.length : this.count, Math.floor(positions.length / dimensions));
    if (given < this.count) next.fill(NaN);
    let count = 0;
    for (let i = 0; i < given; i++) {
      const [to, at] = [3 * (rows ? (rows[i] as number) : i), dimensions * i];
      const [x, y] = [positions[at] as number, positions[at + 1] as number];
      const z = dimensions === 3 ? (positions[at + 2] as number) : 0;
      const isPlaced = Number.isFinite(x + y + z);
      if (isPlaced) count++;
      next[to] = isPlaced ? x : NaN;
      next[to + 1] = isPlaced ? y : NaN;
      next[to + 2] = isPlaced ? z : NaN;
    }
    const last = this.placed;
    const isSame = last.positions.length === next.length && last.count > 0;
    if (last.dimensions !== dimensions) this.camera = null;
    this.placed = {
      positions: next,
      dimensions,
      from: isSame && animateMs > 0 ? this.positionsNow() : null,
      sinceMs: performance.now(),
      lastsMs: animateMs,
      bounds: boundsOf(next),
      count,
    };
  }

  /** A colour for each code; rows with a negative code get `missing`. */
  setCodes(codes: ArrayLike<number>, palette: ArrayLike<number>, missing: number): void {
    const colors = new Uint32Array(this.count);
    const size = palette.length || 1;
    for (let row = 0; row < colors.length; row++) {
      const code = codes[row] ?? -1;
      colors[row] = code < 0 ? missing : (palette[code % size] ?? missing);
    }
    this.colors = colors;
  }

  setSelected(rows: Uint8Array | null): void {
    let count = 0;
    if (rows) for (let row = 0; row < rows.length; row++) count += rows[row] ? 1 : 0;
    this.selected = count > 0 ? rows : null;
    this.selectedCount = count;
  }

  /** What an area does to the selection. */
  select(rows: Uint8Array, { add, subtract }: SelectHow): void {
    const old = this.selected;
    if (!old || !(add || subtract)) return this.setSelected(subtract ? old : rows);
    this.setSelected(old.map((was, row) => (subtract ? was && (rows[row] ? 0 : 1) : was || (rows[row] ?? 0))));
  }

  /** A row that is drawn and can be picked. */
  isPickable(row: number): boolean {
    return !this.hidden?.[row] && !this.greyed?.[row] && !Number.isNaN(this.placed.positions[3 * row] ?? NaN);
  }

  /** Where points are at this moment, while they move. */
  positionsNow(): Float32Array {
    const { positions, from } = this.placed;
    const part = this.partNow();
    if (!from || part >= 1) return positions;
    return positions.map((to, i) => {
      const start = from[i] as number;
      return start === start ? start + (to - start) * part : to;
    });
  }

  placeOf(row: number): [number, number, number] {
    const { positions, from } = this.placed;
    const part = from ? this.partNow() : 1;
    const at = (axis: number): number => {
      const to = positions[3 * row + axis] ?? NaN;
      const start = from?.[3 * row + axis];
      return start === undefined || start !== start ? to : start + (to - start) * part;
    };
    return [at(0), at(1), at(2)];
  }

  /** How much of the movement is done, 0 to 1. */
  partNow(now = performance.now()): number {
    const { from, sinceMs, lastsMs } = this.placed;
    return from ? Math.min((now - sinceMs) / lastsMs, 1) : 1;
  }

  /** Everything fits, and goes on to fit. */
  home(): void {
    this.travelTo(homeCamera(this.bounds), null);
  }

  /** These rows fill the view. */
  fit(rows: ArrayLike<number>): void {
    if (rows.length === 0 || this.viewport.widthPx === 0) return;
    const inner = boundsOf(this.placed.positions, rows);
    this.travelTo(fitCamera(this.view.camera, inner, this.bounds, this.viewport, this.dimensions));
  }

  /** Moves only if the point is outside or at the edge. */
  reveal(row: number): void {
    const { widthPx, heightPx } = this.viewport;
    const [x, y, depth] = project(this.view, ...this.placeOf(row));
    const edge = 0.08;
    const isInside = x > widthPx * edge && x < widthPx * (1 - edge) && y > heightPx * edge && y < heightPx * (1 - edge);
    if (Number.isNaN(x) || widthPx === 0 || (isInside && depth > 0)) return;
    this.travelTo(pan(this.view, widthPx / 2 - x, heightPx / 2 - y));
  }

  /** `last`: the camera after it, if another one means the same. */
  travelTo(camera: Camera, last: Camera | null = camera): void {
    cancelAnimationFrame(this.#travel);
    const from = this.view.camera;
    const start = performance.now();
    const done = (): void => {
      this.camera = last;
      this.oncamera?.(last);
    };
    if (matchMedia("(prefers-reduced-motion: reduce)").matches) return done();
    const step = (now: number): void => {
      const part = Math.min(Math.max((now - start) / TRAVEL_MS, 0), 1);
      if (part >= 1) return done();
      this.camera = mixCameras(from, camera, part * part * (3 - 2 * part));
      this.#travel = requestAnimationFrame(step);
    };
    this.#travel = requestAnimationFrame(step);
  }

  /** Where a travel leads does not matter any more. */
  stay(): void {
    cancelAnimationFrame(this.#travel);
  }

  /** By a gesture. */
  move(camera: Camera): void {
    this.stay();
    this.camera = camera;
  }
}
