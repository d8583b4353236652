// Draws a cloud on three canvases, one above the other: what lies beneath the points, the points, and what is over
// them. Draws when something changed and at no other time; while the view moves, only as many points as a frame has
// time for. Created in an effect and ends with it.

import { untrack } from "svelte";
import { textWidthPx } from "../../../base/text_width";
import type { View } from "./camera";
import { project } from "./camera";
import { CanvasPoints } from "./canvas_points";
import type { Cloud } from "./cloud.svelte";
import { ContourClient } from "./contour_client";
import { drawOrder, type DrawOrder, placesInOrder } from "./draw_order";
import { type ContourPath, contourPaths, paintGround } from "./ground";
import { type Group, groupsBetween, groupsOf, namePlaces } from "./groups";
import {
  candidates,
  DETAIL_PX,
  keepApart,
  LABEL_PX,
  NAME_PX,
  placeLabels,
  type PlacedLabel,
  type PlacedName,
  placeNames,
  placeTexts,
  Taken,
  type Wanted,
} from "./labels";
import { type Mark, paintMarks } from "./marks";
import { type Area, overlayMarks } from "./overlay";
import { hexColor, hexNumber, type Palette, PALETTES, pointStyle, type PointStyle, type Theme } from "./palette";
import { paintPictures, pictureSize, type ShownPicture } from "./pictures";
import { type Reachable, rowsInView } from "./reach";
import type { PointFrame, PointRenderer } from "./renderer";
import { RowPictures, RowTexts } from "./row_texts";
import { openContext, WebGlPoints } from "./webgl/webgl_points";

export interface Canvases {
  readonly ground: HTMLCanvasElement;
  readonly points: HTMLCanvasElement;
  readonly over: HTMLCanvasElement;
}

/** What the next frame has to draw anew. */
const OVER = 1;
const POINTS = 2;

const STILL_MS = 130;
/** What drawing points may take of a frame. */
const FRAME_MS = 26;
const FIRST_BUDGET = 150_000;
const LEAST_BUDGET = 8_000;
const MAX_RATIO = 2;
const LABEL_LOOK = 20_000;
const MAX_TEXTS = 1_200;
const MAX_PICTURES = 3_000;
const TURN_PER_MS = 0.00025;
/** Lists of rows that are labelled before others. */
const MAX_IMPORTANT = 12;

const NO_WEBGL = "This browser has no WebGL 2: points are drawn on a plain canvas, which takes longer.";

function hasWebGl(): boolean {
  const gl = document.createElement("canvas").getContext("webgl2");
  gl?.getExtension("WEBGL_lose_context")?.loseContext();
  return gl !== null;
}

export class Stage {
  readonly isWebGl: boolean;
  #renderer: PointRenderer;
  readonly #ground: CanvasRenderingContext2D;
  readonly #over: CanvasRenderingContext2D;
  #order: DrawOrder = { rows: new Uint32Array(), greyedEnd: 0, selectedFrom: 0 };
  #frame = 0;
  #dirty = 0;
  /** Where the next part of the points begins; everything is drawn when it is at the end. */
  #drawnTo = 0;
  #budget = FIRST_BUDGET;
  #movedAt = -Infinity;
  #lastFrameAt = 0;
  #still: ReturnType<typeof setTimeout> | undefined;
  #hasEnded = false;
  #groups: readonly Group[] = [];
  #groupsBefore: ReadonlyMap<string, Group> = new Map();
  #contours: readonly ContourPath[] = [];
  #labels: readonly PlacedLabel[] = [];
  #names: readonly PlacedName[] = [];
  #pictureRows: readonly number[] = [];
  #picturePx = 24;
  #font = "sans-serif";
  /** The user holds the view and may go on to move it. */
  isHeld = false;
  /** Being drawn, or what was last selected by drawing it. */
  area: Area | null = null;
  #isByArea = false;
  readonly texts = new RowTexts(() => this.#settle());
  readonly pictures = new RowPictures(() => this.#invalidate(OVER));
  readonly #contourClient = new ContourClient((contours) => {
    this.#contours = contourPaths(contours);
    this.#invalidate(POINTS);
  });
  readonly #lost = new AbortController();

  constructor(
    private readonly cloud: Cloud,
    private readonly canvases: Canvases,
    private readonly theme: () => Theme,
    renderer: "auto" | "webgl" | "canvas" = "auto",
  ) {
    const { ground, over, points } = canvases;
    this.#font = getComputedStyle(ground).fontFamily || this.#font;
    const gl = renderer === "canvas" ? null : openContext(points, renderer === "webgl");
    this.isWebGl = gl !== null;
    cloud.notice = gl || renderer === "canvas" || hasWebGl() ? null : NO_WEBGL;
    const context = ground.getContext("2d", { alpha: false, willReadFrequently: gl === null });
    const overContext = over.getContext("2d");
    if (!context || !overContext) throw new Error("This browser could not make a canvas.");
    this.#ground = context;
    this.#over = overContext;
    this.#renderer = gl ? new WebGlPoints(gl) : new CanvasPoints(context);
    if (gl) this.#watchContext(points);
    cloud.draw = this;
    this.#watch();
  }

  #watch(): void {
    const { cloud } = this;
    $effect(() => {
      const { placed } = cloud;
      this.#renderer.setPlaces(placed);
      if (placed.from) this.#movedAt = performance.now();
      this.#invalidate(POINTS);
      untrack(() => this.#later());
    });
    $effect(() => {
      const { hidden, greyed, selected } = cloud;
      this.#order = drawOrder({ positions: cloud.placed.positions, hidden, greyed, selected });
      this.#renderer.setOrder(this.#order);
      this.#invalidate(POINTS);
      untrack(() => this.#later());
    });
    $effect(() => {
      this.#renderer.setColors(cloud.colors, hexNumber(this.palette.accent));
      this.#invalidate(POINTS);
    });
    $effect(() => {
      this.#renderer.setMatches(cloud.matches.filter((row) => !cloud.hidden?.[row]));
      this.#invalidate(POINTS);
    });
    $effect(() => {
      this.#renderer.setSequences(cloud.sequences);
      this.#invalidate(POINTS);
    });
    $effect(() => {
      const { placed, clusters, hidden, greyed } = cloud;
      this.#groupsBefore = new Map(this.#groups.map((group) => [group.name, group]));
      this.#groups = clusters ? groupsOf(clusters, placed, hidden, greyed) : [];
      untrack(() => this.#later());
    });
    $effect(() => {
      const { placed } = cloud;
      // Only this, of what changes the order of drawing, changes which points there are.
      void cloud.hidden;
      if (cloud.hasContours && placed.dimensions === 2 && placed.count > 0) {
        this.#contourClient.ask(placed.positions, this.#order.rows);
        return;
      }
      this.#contourClient.forget();
      this.#contours = [];
      this.#invalidate(POINTS);
    });
    $effect(() => {
      void [cloud.view, cloud.pointScale, cloud.isRotating];
      this.#movedAt = performance.now();
      if (cloud.dimensions === 3 && this.area) this.area = null;
      this.#invalidate(POINTS);
      untrack(() => this.#later());
    });
    $effect(() => {
      void [cloud.hovered, cloud.focused, cloud.links, cloud.trails];
      this.#invalidate(OVER);
    });
    $effect(() => {
      void [cloud.mode, cloud.hasNames, cloud.focused, cloud.links, cloud.matches, cloud.selected];
      this.texts.use(cloud.labelsOf);
      this.pictures.use(cloud.thumbnailsOf);
      this.#invalidate(POINTS);
      untrack(() => this.#later());
    });
    $effect(() => {
      const isByArea = cloud.selected !== null && this.#isByArea;
      this.#isByArea = false;
      if (isByArea) return;
      // It shows what was selected before.
      this.area = null;
      this.#invalidate(OVER);
    });
  }

  /** The graphics card may go away and come back. */
  #watchContext(points: HTMLCanvasElement): void {
    const { signal } = this.#lost;
    points.addEventListener("webglcontextlost", (event) => event.preventDefault(), { signal });
    points.addEventListener(
      "webglcontextrestored",
      () => {
        const gl = openContext(points, true);
        if (!gl) return;
        const { cloud } = this;
        this.#renderer = new WebGlPoints(gl);
        this.#renderer.setPlaces(cloud.placed);
        this.#renderer.setColors(cloud.colors, hexNumber(this.palette.accent));
        this.#renderer.setOrder(this.#order);
        this.#renderer.setMatches(cloud.matches);
        this.#renderer.setSequences(cloud.sequences);
        this.#invalidate(POINTS);
      },
      { signal },
    );
  }

  get palette(): Palette {
    return PALETTES[this.theme()];
  }

  get style(): PointStyle {
    const { cloud } = this;
    const style = pointStyle(cloud.placed.count, cloud.view.camera.zoom, cloud.pointScale, this.palette);
    // Half-covered points in front of others look like fog.
    const opacity = cloud.dimensions === 3 ? Math.min(style.opacity * 1.3, 0.95) : style.opacity;
    const isSmall = this.#isPictures || cloud.mode === "text";
    return { ...style, opacity, radiusPx: isSmall ? Math.min(style.radiusPx, 1.4) : style.radiusPx };
  }

  get #isPictures(): boolean {
    return this.cloud.mode === "pictures" && this.pictures.isThere;
  }

  /** Points under the pointer, at these pixels. */
  pick(xPx: number, yPx: number, reachPx: number): number | null {
    if (this.cloud.placed.count === 0) return null;
    const reach = this.#isPictures ? Math.max(reachPx, this.#picturePx / 2) : reachPx;
    return this.#renderer.pick(this.#frameOf(0, 0, 1), xPx, yPx, reach);
  }

  /** Rows that can be found, in the order of drawing. */
  get reachable(): Reachable {
    const { rows, greyedEnd } = this.#order;
    return { places: placesInOrder(this.cloud.placed.positions, rows), rows, greyedEnd };
  }

  showArea(area: Area | null): void {
    this.area = area;
    this.#invalidate(OVER);
  }

  /** The area that is shown stays when the selection changes next. */
  keepArea(): void {
    this.#isByArea = true;
  }

  #frameOf(from: number, to: number, part: number): PointFrame {
    const { view } = this.cloud;
    return { view, ratio: this.#ratio, part, style: this.style, palette: this.palette, from, to };
  }

  get #ratio(): number {
    return Math.min(devicePixelRatio || 1, MAX_RATIO);
  }

  #invalidate(what: number): void {
    this.#dirty |= what;
    if (this.#frame === 0 && !this.#hasEnded) this.#frame = requestAnimationFrame(this.#draw);
  }

  /** Chooses labels and draws the rest once nothing moves. */
  #later(): void {
    clearTimeout(this.#still);
    this.#still = setTimeout(() => this.#settle(), STILL_MS);
  }

  readonly #draw = (now: number): void => {
    this.#frame = 0;
    const { cloud, canvases } = this;
    const { widthPx, heightPx } = cloud.viewport;
    if (widthPx === 0 || heightPx === 0) return;
    const ratio = this.#ratio;
    const [width, height] = [Math.round(widthPx * ratio), Math.round(heightPx * ratio)];
    for (const canvas of [canvases.ground, canvases.points, canvases.over])
      if (canvas.width !== width || canvas.height !== height) {
        // The points' canvas has a context only where it is used.
        if (canvas === canvases.points && !this.isWebGl) continue;
        [canvas.width, canvas.height] = [width, height];
        this.#dirty |= POINTS;
      }
    const part = cloud.partNow(now);
    const isRotating = cloud.isRotating && cloud.dimensions === 3;
    const isMoving = part < 1 || isRotating || this.isHeld || now - this.#movedAt < STILL_MS;
    if (this.#dirty & POINTS) this.#drawnTo = 0;
    this.#drawPoints(part, isMoving, now);
    this.#dirty = 0;
    this.#paintOver();
    if (cloud.placed.count > 0) cloud.isDrawn = true;
    if (isRotating) {
      const { camera } = cloud.view;
      cloud.camera = { ...camera, yaw: camera.yaw + TURN_PER_MS * Math.min(now - this.#lastFrameAt, 100) };
    }
    this.#lastFrameAt = now;
    if (part < 1) this.#invalidate(POINTS);
    else if (this.isWebGl && this.#drawnTo < this.#order.selectedFrom) this.#invalidate(0);
  };

  #drawPoints(part: number, isMoving: boolean, now: number): void {
    const total = this.#order.selectedFrom;
    const from = this.#drawnTo;
    if (from > 0 && from >= total) return;
    if (from === 0 && !(this.#dirty & POINTS)) return;
    const ratio = this.#ratio;
    const { cloud } = this;
    if (from === 0) paintGround(this.#ground, cloud.view, ratio, this.palette, this.#contours, cloud.bounds.radius);
    if (this.isWebGl) {
      // Frames follow each other only as fast as the graphics card draws them.
      const took = now - this.#lastFrameAt;
      if (took < 20) this.#budget = Math.min(this.#budget * 1.3, 4_000_000);
      else if (took > 50 && took < 1000) this.#budget = Math.max(this.#budget * 0.75, LEAST_BUDGET);
    }
    const isPart = this.isWebGl || isMoving;
    const to = isPart ? Math.min(from + Math.round(this.#budget), Math.max(total, 1)) : Math.max(total, 1);
    const start = performance.now();
    this.#renderer.draw(this.#frameOf(from, to, part));
    this.#drawnTo = to;
    const took = performance.now() - start;
    const drawn = to - from + this.#order.rows.length - total;
    if (!this.isWebGl && drawn > LEAST_BUDGET)
      this.#budget = Math.max((this.#budget + (FRAME_MS / took) * drawn) / 2, LEAST_BUDGET);
  }

  #settle(): void {
    const { cloud } = this;
    if (this.#hasEnded || cloud.viewport.widthPx === 0) return;
    if (cloud.partNow() < 1 || this.isHeld || (cloud.isRotating && cloud.dimensions === 3)) {
      this.#later();
      return;
    }
    if (!this.isWebGl && this.#drawnTo < this.#order.selectedFrom) this.#invalidate(POINTS);
    this.#choosePictures();
    this.#chooseLabels();
    this.#invalidate(OVER);
  }

  #choosePictures(): void {
    if (!this.#isPictures) {
      this.#pictureRows = [];
      return;
    }
    const { view } = this.cloud;
    const { rows, seen } = rowsInView(view, this.reachable, MAX_PICTURES, 200_000);
    this.#picturePx = pictureSize(view, seen);
    this.#pictureRows = rows;
    this.pictures.want(rows);
  }

  #chooseLabels(): void {
    const { cloud } = this;
    const { view, mode } = cloud;
    const isText = mode === "text";
    this.#labels = this.#names = [];
    if (!cloud.hasNames && !isText) return;
    const { places, rows, greyedEnd } = this.reachable;
    const looked = { from: greyedEnd, look: LABEL_LOOK, most: isText ? MAX_TEXTS : 80, isText };
    const { found, crowd } = candidates(view, places, rows, looked);
    const taken = new Taken();
    if (cloud.hasNames) this.#names = placeNames(this.#namePlaces(view), view, taken, isText ? null : crowd);
    const important = this.#importantRows().flatMap((row) => {
      const [x, y, depth] = project(view, ...cloud.placeOf(row));
      return depth > 0 && Number.isFinite(x) ? { row, x, y, isImportant: true } : [];
    });
    const all = [...important, ...found.map((each) => ({ ...each, isImportant: false }))];
    this.texts.want(all.map(({ row }) => row));
    const wanted = all.flatMap((each): Wanted[] => {
      const text = this.texts.get(each.row);
      return text === undefined ? [] : [{ ...each, text, widthPx: textWidthPx(text, LABEL_PX) }];
    });
    const most = Math.min(Math.round((view.widthPx * view.heightPx) / 32_000), 40);
    this.#labels = isText
      ? placeTexts(wanted, view, taken)
      : this.#isPictures
        ? placeLabels(
            wanted.filter((each) => each.isImportant),
            view,
            taken,
            null,
            0,
          )
        : placeLabels(wanted, view, taken, crowd, most);
  }

  #namePlaces(view: View): ReturnType<typeof namePlaces> {
    const groups = groupsBetween(this.#groupsBefore, this.#groups, this.cloud.partNow());
    return namePlaces(groups, view, textWidthPx, { namePx: NAME_PX, detailPx: DETAIL_PX });
  }

  /** The point in the inspector, its neighbours, and a few matches or selected points. */
  #importantRows(): number[] {
    const { focused, links, matches, selected, selectedCount } = this.cloud;
    const rows = focused === null ? [] : [focused];
    if (links) rows.push(...Array.from(links.rows).slice(0, MAX_IMPORTANT));
    if (matches.length <= MAX_IMPORTANT) rows.push(...matches);
    if (selected && selectedCount <= MAX_IMPORTANT) selected.forEach((is, row) => is && rows.push(row));
    return rows.filter((row) => this.cloud.isPickable(row));
  }

  /** Labels and names go with their points while the view moves. */
  #follow(view: View): { labels: PlacedLabel[]; names: PlacedName[] } {
    const { cloud } = this;
    const taken = new Taken();
    const places = this.#names.length > 0 ? this.#namePlaces(view) : [];
    const names = this.#names.flatMap((name) => {
      const [place, last] = [places[name.group], this.#nameOffsets.get(name)];
      if (!place || !last) return [];
      return { ...name, x: place.x + last[0], y: place.y + last[1] };
    });
    const labels = this.#labels.flatMap((label) => {
      const [x, y, depth] = project(view, ...cloud.placeOf(label.row));
      if (!(depth > 0)) return [];
      const away = label.align === "left" ? 7 : label.align === "right" ? -7 : 0;
      return { ...label, x: x + away, y: y + 3.6 };
    });
    return { names: keepApart(names, taken), labels: keepApart(labels, taken) };
  }

  #nameOffsets = new Map<PlacedName, readonly [number, number]>();
  #placedFor: readonly PlacedName[] = [];

  #marks(hovered: number | null): Mark[] {
    const { cloud, palette } = this;
    const { view } = cloud;
    if (this.#placedFor !== this.#names) {
      this.#placedFor = this.#names;
      const places = this.#namePlaces(view);
      this.#nameOffsets = new Map(
        this.#names.map((name) => {
          const place = places[name.group];
          return [name, [name.x - (place?.x ?? 0), name.y - (place?.y ?? 0)]];
        }),
      );
    }
    return overlayMarks({
      ...this.#follow(view),
      view,
      palette,
      style: this.style,
      placeOf: (row) => cloud.placeOf(row),
      colorOf: (row) => (cloud.colors ? hexColor(cloud.colors[row] ?? 0) : palette.accent),
      links: cloud.links,
      trails: cloud.trails,
      area: this.area,
      hovered,
      focused: cloud.focused,
      isText: cloud.mode === "text",
    });
  }

  #shownPictures(): ShownPicture[] {
    const { cloud } = this;
    if (!this.#isPictures) return [];
    return this.#pictureRows.flatMap((row) => {
      const tile = this.pictures.get(row);
      if (!tile || !cloud.isPickable(row)) return [];
      const [x, y, depth] = project(cloud.view, ...cloud.placeOf(row));
      if (!(depth > 0)) return [];
      const color = cloud.colors ? hexColor(cloud.colors[row] ?? 0) : null;
      return { tile, x, y, depth, color, isSelected: cloud.selected?.[row] === 1 };
    });
  }

  #paintOver(): void {
    const ctx = this.#over;
    const ratio = this.#ratio;
    ctx.setTransform(1, 0, 0, 1, 0, 0);
    ctx.clearRect(0, 0, ctx.canvas.width, ctx.canvas.height);
    ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
    paintPictures(ctx, this.#shownPictures(), this.#picturePx, this.palette);
    paintMarks(ctx, this.#marks(this.cloud.hovered), this.#font, this.palette.stage);
  }

  /** Everything that a file needs to look like the screen. */
  get snapshot() {
    const { cloud, palette, style } = this;
    return {
      view: cloud.view,
      palette,
      style,
      order: this.#order,
      contours: this.#contours,
      marks: this.#marks(null),
      pictures: this.#shownPictures(),
      picturePx: this.#picturePx,
      font: this.#font,
      radius: cloud.bounds.radius,
    };
  }

  end(): void {
    this.#hasEnded = true;
    cancelAnimationFrame(this.#frame);
    clearTimeout(this.#still);
    this.cloud.stay();
    this.#lost.abort();
    this.#contourClient.end();
    this.#renderer.end();
    if (this.cloud.draw === this) this.cloud.draw = null;
  }
}
