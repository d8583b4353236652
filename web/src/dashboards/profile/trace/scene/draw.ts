// Draws a picture of the timeline: rows of slices and counters, what lies across them, and the ruler above.

import { formatStep } from "../../../../base/format";
import type { Slices } from "../answer";
import type { Meaning } from "../colors";
import { mix } from "../colors";
import { fitName } from "../names";
import type { Span } from "../span";
import { formatTime, tickFormat, tickStep } from "../time_format";
import { firstAfter } from "../windows";
import { drawCounter } from "./draw_counter";
import {
  type Frame,
  type Kept,
  type KeptSlices,
  type MarkedEvent,
  type RowFrame,
  RULER_PX,
  TRACK_TOP_PX,
} from "./frame";
import { type Context, type Paint, Paints } from "./paints";

const FONT_PX = 11;
const RADIUS_PX = 2;
/** Narrower slices have square corners, and no seam to their neighbours. */
const ROUND_PX = 6;
const SEAM_PX = 3;
const LEAST_TEXT_PX = 16;
const TICK_PX = 90;
const MOST_WIDTHS = 8_000;

const WORDS: Partial<Record<Meaning, string>> = {
  op: "ops",
  launch: "launches",
  python: "calls",
  copy: "copies",
  step: "steps",
};

/** What one picture needs at hand; kept from picture to picture. */
export class Drawer {
  #paints: Paints | null = null;
  #key = "";
  readonly #widths = new Map<string, number>();
  #font = "";

  constructor(private readonly ctx: Context) {}

  draw(frame: Frame, kept: Kept): void {
    const { ctx } = this;
    const key = `${frame.theme} ${frame.colorBy}`;
    if (!this.#paints || key !== this.#key) this.#paints = new Paints(frame.theme, frame.colorBy);
    this.#key = key;
    if (frame.font !== this.#font) this.#widths.clear();
    this.#font = frame.font;
    new Picture(ctx, frame, kept, this.#paints, (text, isBold) => this.#measure(text, isBold)).draw();
  }

  #measure(text: string, isBold: boolean): number {
    const key = isBold ? `b${text}` : text;
    let width = this.#widths.get(key);
    if (width === undefined) {
      if (this.#widths.size >= MOST_WIDTHS) this.#widths.clear();
      this.#widths.set(key, (width = this.ctx.measureText(text).width));
    }
    return width;
  }
}

class Picture {
  readonly #perPs: number;
  readonly #measurePlain: (text: string) => number;

  constructor(
    private readonly ctx: Context,
    private readonly frame: Frame,
    private readonly kept: Kept,
    private readonly paints: Paints,
    private readonly measure: (text: string, isBold: boolean) => number,
  ) {
    this.#perPs = frame.widthPx / (frame.view.to - frame.view.from);
    this.#measurePlain = (text) => measure(text, false);
  }

  #x(time: number): number {
    return (time - this.frame.view.from) * this.#perPs;
  }

  draw(): void {
    const { ctx, frame } = this;
    const { palette } = this.paints;
    ctx.setTransform(frame.ratio, 0, 0, frame.ratio, 0, 0);
    ctx.textBaseline = "middle";
    ctx.lineWidth = 1;
    this.#font(false);
    ctx.fillStyle = palette.surface;
    ctx.fillRect(0, 0, frame.widthPx, frame.heightPx);
    const pinnedEnd = RULER_PX + frame.pinnedPx;
    this.#area(frame.rows, pinnedEnd, frame.heightPx);
    if (frame.pinned.length > 0) {
      ctx.fillStyle = palette.surface;
      ctx.fillRect(0, RULER_PX, frame.widthPx, frame.pinnedPx);
      this.#area(frame.pinned, RULER_PX, pinnedEnd);
      ctx.fillStyle = palette.borderStrong;
      ctx.fillRect(0, pinnedEnd - 1, frame.widthPx, 1);
    }
    this.#clipped(RULER_PX, frame.heightPx, () => this.#across());
    this.#ruler();
  }

  #font(isBold: boolean): void {
    this.ctx.font = `${isBold ? 600 : 400} ${FONT_PX}px ${this.frame.font}`;
  }

  #clipped(top: number, bottom: number, draw: () => void): void {
    const { ctx } = this;
    ctx.save();
    ctx.beginPath();
    ctx.rect(0, top, this.frame.widthPx, bottom - top);
    ctx.clip();
    draw();
    ctx.restore();
  }

  #area(rows: readonly RowFrame[], top: number, bottom: number): void {
    this.#clipped(top, bottom, () => {
      const { ctx, frame } = this;
      const { palette } = this.paints;
      for (const { kind, y, height } of rows) {
        if (kind === "group") {
          ctx.fillStyle = palette.background;
          ctx.fillRect(0, y, frame.widthPx, height);
        }
        ctx.fillStyle = kind === "group" ? palette.border : palette.grid;
        ctx.fillRect(0, y + height - 1, frame.widthPx, 1);
      }
      this.#grid(top, bottom);
      for (const row of rows) this.#row(row);
    });
  }

  #grid(top: number, bottom: number): void {
    const { ctx, frame } = this;
    const { palette } = this.paints;
    ctx.fillStyle = palette.grid;
    for (const time of this.#ticks()) ctx.fillRect(Math.round(this.#x(time)), top, 1, bottom - top);
    const shade = (range: Span | null, color: string): void => {
      if (!range) return;
      const [left, right] = [this.#x(range.from), this.#x(range.to)];
      ctx.globalAlpha = 0.07;
      ctx.fillStyle = color;
      ctx.fillRect(left, top, right - left, bottom - top);
      ctx.globalAlpha = 1;
    };
    shade(frame.range, palette.accent);
    shade(frame.secondRange, palette.warn);
  }

  #tickStep(): number {
    const { view, widthPx, unit } = this.frame;
    return tickStep(view.to - view.from, widthPx / TICK_PX, unit);
  }

  *#ticks(): Iterable<number> {
    const { view, zero } = this.frame;
    const step = this.#tickStep();
    for (let n = Math.ceil((view.from - zero) / step); zero + n * step <= view.to; n++) yield zero + n * step;
  }

  #row(row: RowFrame): void {
    if (row.kind === "track") for (const piece of row.pieces) this.#slices(row, piece.key, piece, piece.window);
    else if (row.kind === "counter" && row.counters)
      drawCounter(this.ctx, row, this.kept, {
        x: (time) => this.#x(time),
        palette: this.paints.palette,
        measure: this.#measurePlain,
        widthPx: this.frame.widthPx,
        isPeakShown: row.counters.unit === "bytes",
      });
    else this.#density(row);
  }

  /** All events of these tracks as one line of small marks. */
  #density(row: RowFrame): void {
    const { ctx } = this;
    ctx.fillStyle = this.paints.palette.meanings.step;
    ctx.globalAlpha = row.pieces.length > 4 ? 0.35 : 0.5;
    const y = row.y + (row.height - 5) / 2;
    for (const piece of row.pieces) {
      const kept = this.kept.slices.get(piece.window);
      const starts = kept?.rows.get(piece.key)?.starts;
      if (!kept || !starts) continue;
      const { start, duration } = kept.slices;
      const end = starts[1] as number;
      for (let i = firstAfter(kept.slices, starts[0] as number, end, piece.from - kept.from); i < end; i++) {
        if ((start[i] as number) + kept.from > piece.to) break;
        const left = Math.max(-1, this.#x(kept.from + (start[i] as number)));
        const right = Math.min(
          this.frame.widthPx + 1,
          this.#x(kept.from + (start[i] as number) + (duration[i] as number)),
        );
        ctx.fillRect(left, y, Math.max(1.5, right - left), 5);
      }
    }
    ctx.globalAlpha = 1;
  }

  #slices(row: RowFrame, track: number, part: Span, window: number): void {
    const kept = this.kept.slices.get(window);
    const starts = kept?.rows.get(track)?.starts;
    if (!kept || !starts) return;
    const depths = Math.min(row.depths, starts.length - 1);
    const seam = row.slicePx >= 10 ? 1 : 0;
    const { widthPx } = this.frame;
    const isCut = part.from > this.frame.view.from || part.to < this.frame.view.to;
    const { ctx } = this;
    if (isCut) {
      ctx.save();
      ctx.beginPath();
      ctx.rect(this.#x(part.from), row.y, (part.to - part.from) * this.#perPs, row.height);
      ctx.clip();
    }
    for (let depth = 0; depth < depths; depth++) {
      const y = row.y + TRACK_TOP_PX + depth * row.slicePx;
      if (y > this.frame.heightPx || y + row.slicePx < 0) continue;
      this.#line(kept, starts[depth] as number, starts[depth + 1] as number, part, {
        y,
        height: Math.max(1, row.slicePx - seam),
        isDevice: row.isDevice,
        widthPx,
      });
    }
    if (isCut) ctx.restore();
  }

  #line(kept: KeptSlices, begin: number, end: number, part: Span, at: Line): void {
    const { ctx } = this;
    const { slices, from } = kept;
    const { start, duration, count, matches } = slices;
    const { y, height, widthPx } = at;
    const offset = from - this.frame.view.from;
    const perPs = this.#perPs;
    const last = part.to - from;
    const hasText = height >= 12;
    let drawn = -Infinity;
    let color = "";
    for (let i = firstAfter(slices, begin, end, part.from - from); i < end; i++) {
      const time = start[i] as number;
      if (time > last) break;
      const length = duration[i] as number;
      const x0 = Math.max(-4, (time + offset) * perPs);
      const x1 = Math.min(widthPx + 4, (time + length + offset) * perPs);
      const isMatch = (matches[i] as number) > 0;
      // What would lie under a pixel that is drawn already.
      if (x1 < drawn + 0.3 && !isMatch) continue;
      drawn = Math.max(drawn, x1);
      const wide = x1 - x0;
      const paint = this.#paint(slices, i);
      const isMany = (count[i] as number) > 1;
      const width = wide > SEAM_PX ? wide - 0.8 : Math.max(0.8, wide);
      if (isMany && wide > SEAM_PX) {
        this.#block(slices, i, x0, width, paint, at);
        color = "";
      } else {
        const fill = isMany ? paint.stripe : paint.fill;
        if (fill !== color) ctx.fillStyle = color = fill;
        if (wide > ROUND_PX && hasText) fillRound(ctx, x0, y, width, height);
        else ctx.fillRect(length === 0 ? x0 - 0.8 : x0, y, length === 0 ? Math.max(1.6, width) : width, height);
        const label = slices.label[i] as number;
        if (hasText && label >= 0 && wide > LEAST_TEXT_PX) {
          this.#label(
            slices.labels[label] as string,
            x0,
            x0 + width,
            y + height / 2,
            this.paints.palette.sliceText,
            false,
          );
          color = "";
        }
      }
      if (isMatch) {
        this.#match(x0, y, Math.max(2, width), height, isMany && wide > SEAM_PX);
        color = "";
      }
    }
  }

  #paint(slices: Slices, i: number): Paint {
    return this.paints.of({
      hash: slices.hash[i] as number,
      meaning: this.kept.meanings[slices.category[i] as number] ?? "other",
      step: slices.step[i] as number,
      module: slices.module[i] as number,
      track: slices.track[i] as number,
    });
  }

  /** Many thin events: stripes, and how many there are. */
  #block(slices: Slices, i: number, x: number, width: number, paint: Paint, { y, height, isDevice }: Line): void {
    const { ctx } = this;
    const share = (slices.busy[i] as number) / Math.max(1, slices.duration[i] as number);
    const pattern = height >= 8 ? this.paints.stripes(ctx, paint, share) : null;
    if (pattern) {
      // The stripes move with their block.
      pattern.setTransform(new DOMMatrix([1, 0, 0, 1, ((slices.start[i] as number) * this.#perPs) % 12, 0]));
      ctx.fillStyle = pattern;
    } else ctx.fillStyle = share > 0.5 ? paint.fill : paint.pale;
    ctx.fillRect(x, y, width, height);
    if (height < 12) return;
    const meaning = this.kept.meanings[slices.category[i] as number] ?? "other";
    const word =
      isDevice && meaning !== "copy" && meaning !== "step" && meaning !== "module"
        ? "kernels"
        : (WORDS[meaning] ?? "events");
    const text = `${formatStep(slices.count[i] as number)} ${word}`;
    const need = this.#measurePlain(text);
    const [left, right] = [Math.max(0, x), Math.min(this.frame.widthPx, x + width)];
    if (right - left < need + 12) return;
    const middle = (left + right) / 2;
    ctx.fillStyle = paint.pale;
    ctx.fillRect(middle - need / 2 - 5, y, need + 10, height);
    ctx.fillStyle = this.paints.palette.text;
    ctx.textAlign = "left";
    ctx.fillText(text, middle - need / 2, y + height / 2 + 0.5);
  }

  #match(x: number, y: number, width: number, height: number, isMany: boolean): void {
    const { ctx } = this;
    const color = this.paints.palette.match;
    if (isMany || width < 5 || height < 8) {
      ctx.fillStyle = color;
      ctx.fillRect(x, y + height - 3, Math.max(2, width), 3);
      return;
    }
    ctx.strokeStyle = color;
    ctx.lineWidth = 2;
    strokeRound(ctx, x + 1, y + 1, width - 2, height - 2);
    ctx.lineWidth = 1;
  }

  /** In the visible part of a slice: at its left, or in the middle where there is little room. */
  #label(name: string, x0: number, x1: number, middle: number, color: string, isBold: boolean): void {
    const [left, right] = [Math.max(0, x0), Math.min(this.frame.widthPx, x1)];
    const room = right - left - 6;
    if (room < LEAST_TEXT_PX - 6) return;
    const measure = isBold ? (text: string): number => this.measure(text, true) : this.#measurePlain;
    const text = fitName(name, room, measure);
    if (text === "") return;
    const { ctx } = this;
    const need = measure(text);
    ctx.fillStyle = color;
    ctx.textAlign = "left";
    ctx.fillText(text, room - need > 12 ? left + 5 : (left + right - need) / 2, middle + 0.5);
  }

  #across(): void {
    const { ctx, frame } = this;
    const { palette } = this.paints;
    for (const idle of frame.idle) this.#idle(idle.from, idle.to, idle);
    ctx.strokeStyle = mix(palette.text, palette.surface, 0.7);
    ctx.setLineDash([4, 3]);
    ctx.beginPath();
    for (const { start } of frame.steps) {
      const x = Math.round(this.#x(start)) + 0.5;
      ctx.moveTo(x, RULER_PX);
      ctx.lineTo(x, frame.heightPx);
    }
    ctx.stroke();
    ctx.setLineDash([]);
    for (const [range, color] of [
      [frame.range, palette.accent],
      [frame.secondRange, palette.warn],
    ] as const)
      if (range) for (const time of [range.from, range.to]) this.#upright(time, color, 0.7);
    for (const time of frame.marks) this.#upright(time, palette.warn, 1);
    if (frame.hovered) this.#outline(frame.hovered, mix(palette.text, palette.surface, 0.75), 1.2);
    for (const each of frame.related) this.#outline(each, palette.accent, 1.8);
    if (frame.selected) this.#select(frame.selected);
    this.#arrows();
    if (frame.box) {
      const [left, right] = [this.#x(frame.box.from), this.#x(frame.box.to)];
      ctx.globalAlpha = 0.12;
      ctx.fillStyle = palette.text;
      ctx.fillRect(left, RULER_PX, right - left, frame.heightPx);
      ctx.globalAlpha = 1;
      for (const time of [frame.box.from, frame.box.to]) this.#upright(time, palette.text, 0.6);
    }
  }

  #upright(time: number, color: string, alpha: number): void {
    const { ctx } = this;
    ctx.globalAlpha = alpha;
    ctx.fillStyle = color;
    ctx.fillRect(Math.round(this.#x(time)), RULER_PX, 1, this.frame.heightPx);
    ctx.globalAlpha = 1;
  }

  #idle(from: number, to: number, { y, height, text, isWarning }: Frame["idle"][number]): void {
    const { ctx } = this;
    const { palette } = this.paints;
    const [left, right] = [Math.max(-4, this.#x(from)), Math.min(this.frame.widthPx + 4, this.#x(to))];
    if (right - left < 2) return;
    ctx.fillStyle = this.paints.hatch(ctx);
    fillRound(ctx, left + 0.5, y, right - left - 1, height);
    const room = Math.min(right, this.frame.widthPx) - Math.max(left, 0) - 16;
    const parts = [text, text.replace(/^idle [^:]*: /, ""), text.replace(/:.*$/, "")];
    const shown = parts.find((part) => this.#measurePlain(part) <= room);
    if (shown === undefined || height < 12) return;
    const need = this.#measurePlain(shown);
    const middle = (Math.max(left, 0) + Math.min(right, this.frame.widthPx)) / 2;
    ctx.fillStyle = palette.surface;
    fillRound(ctx, middle - need / 2 - 6, y + 1.5, need + 12, height - 3);
    ctx.fillStyle = isWarning ? palette.warn : palette.muted;
    ctx.textAlign = "left";
    ctx.fillText(shown, middle - need / 2, y + height / 2 + 0.5);
  }

  #box(
    { from, to, y, height }: MarkedEvent,
    least: number,
  ): { x: number; y: number; width: number; height: number } | null {
    const [left, right] = [Math.max(-6, this.#x(from)), Math.min(this.frame.widthPx + 6, this.#x(to))];
    if (right < -3 || left > this.frame.widthPx + 3) return null;
    const width = Math.max(least, right - left);
    return { x: Math.min(left, (left + right - width) / 2), y, width, height };
  }

  #outline(event: MarkedEvent, color: string, lineWidth: number): void {
    const box = this.#box(event, 3);
    if (!box) return;
    const { ctx } = this;
    ctx.strokeStyle = color;
    ctx.lineWidth = lineWidth;
    strokeRound(ctx, box.x - 0.5, box.y - 0.5, box.width + 1, box.height + 1);
    ctx.lineWidth = 1;
  }

  #select(event: MarkedEvent): void {
    const box = this.#box(event, 3);
    if (!box) return;
    const { ctx } = this;
    const { palette } = this.paints;
    ctx.fillStyle = palette.accent;
    fillRound(ctx, box.x - 0.5, box.y - 0.5, box.width + 1, box.height + 1, 3);
    if (box.height < 12) return;
    this.#font(true);
    this.#label(event.name, box.x, box.x + box.width, box.y + box.height / 2, palette.onAccent, true);
    this.#font(false);
  }

  #arrows(): void {
    const { ctx, frame } = this;
    const { palette } = this.paints;
    if (frame.arrows.length === 0) return;
    const paths = new Path2D();
    const heads = new Path2D();
    for (const { fromTime, fromY, toTime, toY } of frame.arrows) {
      const [x0, x1] = [this.#x(fromTime), this.#x(toTime)];
      if (Math.max(x0, x1) < -200 || Math.min(x0, x1) > frame.widthPx + 200) continue;
      const isDown = toY >= fromY;
      const bend = Math.min(120, Math.max(18, Math.abs(toY - fromY) * 0.5));
      paths.moveTo(x0, fromY);
      paths.bezierCurveTo(x0, fromY + (isDown ? bend : -bend), x1, toY + (isDown ? -bend : bend), x1, toY);
      const back = isDown ? -7 : 7;
      heads.moveTo(x1, toY);
      heads.lineTo(x1 - 4, toY + back);
      heads.lineTo(x1 + 4, toY + back);
      heads.closePath();
    }
    const alpha = frame.isManyArrows ? 0.4 : 1;
    if (!frame.isManyArrows) {
      ctx.globalAlpha = 0.7;
      ctx.strokeStyle = palette.surface;
      ctx.lineWidth = 4;
      ctx.stroke(paths);
    }
    ctx.globalAlpha = alpha;
    ctx.strokeStyle = ctx.fillStyle = palette.accent;
    ctx.lineWidth = frame.isManyArrows ? 1 : 1.6;
    ctx.stroke(paths);
    ctx.fill(heads);
    ctx.globalAlpha = 1;
    ctx.lineWidth = 1;
  }

  #ruler(): void {
    const { ctx, frame } = this;
    const { palette } = this.paints;
    ctx.fillStyle = palette.surface;
    ctx.fillRect(0, 0, frame.widthPx, RULER_PX);
    ctx.fillStyle = palette.border;
    ctx.fillRect(0, RULER_PX - 1, frame.widthPx, 1);
    const taken: [number, number][] = [];
    const isFree = (left: number, right: number): boolean => taken.every(([a, b]) => right < a || left > b);
    this.#rangeBar(frame.range, palette.accent, palette.accentSoft, "range", taken);
    this.#rangeBar(frame.secondRange, palette.warn, mix(palette.warn, palette.surface, 0.14), "compared", taken);
    for (const { start, text } of frame.steps) {
      const x = this.#x(start);
      const width = this.#measurePlain(text) + 14;
      ctx.fillStyle = palette.text;
      ctx.fillRect(Math.round(x), 4, 1, RULER_PX - 4);
      if (x + width < 0 || !isFree(x, x + width)) continue;
      fillRound(ctx, x, 4, width, 17, 3);
      ctx.fillStyle = palette.surface;
      ctx.textAlign = "left";
      ctx.fillText(text, x + 7, 13);
      taken.push([x - 4, x + width + 4]);
    }
    const step = this.#tickStep();
    const format = tickFormat(
      step,
      Math.max(Math.abs(frame.view.from - frame.zero), Math.abs(frame.view.to - frame.zero)),
      frame.unit,
    );
    ctx.textAlign = "center";
    for (const time of this.#ticks()) {
      const x = this.#x(time);
      ctx.fillStyle = palette.borderStrong;
      ctx.fillRect(Math.round(x), RULER_PX - 7, 1, 7);
      const text = format(time - frame.zero);
      const half = this.#measurePlain(text) / 2;
      if (x - half < 2 || x + half > frame.widthPx - 2 || !isFree(x - half - 4, x + half + 4)) continue;
      ctx.fillStyle = palette.faint;
      ctx.fillText(text, x, 13);
    }
    for (const time of frame.marks) {
      const x = this.#x(time);
      ctx.fillStyle = palette.warn;
      ctx.beginPath();
      ctx.moveTo(x - 5, RULER_PX - 12);
      ctx.lineTo(x + 5, RULER_PX - 12);
      ctx.lineTo(x, RULER_PX - 3);
      ctx.fill();
    }
    this.#pointer();
  }

  #rangeBar(range: Span | null, color: string, soft: string, word: string, taken: [number, number][]): void {
    if (!range) return;
    const { ctx, frame } = this;
    const [a, b] = [this.#x(range.from), this.#x(range.to)];
    if (b < 0 || a > frame.widthPx) return;
    ctx.fillStyle = color;
    ctx.fillRect(Math.max(a, 0), 12.5, Math.min(b, frame.widthPx) - Math.max(a, 0), 1.5);
    for (const x of [a, b]) fillRound(ctx, x - 2.5, 6, 5, 14, 2);
    const text = `${word} ${formatTime(range.to - range.from, frame.unit)}`;
    const need = this.#measurePlain(text) + 18;
    const middle = (Math.max(a, 0) + Math.min(b, frame.widthPx)) / 2;
    const isInside = Math.min(b, frame.widthPx) - Math.max(a, 0) > need + 12;
    const left = isInside ? middle - need / 2 : b + 8;
    ctx.fillStyle = soft;
    fillRound(ctx, left, 4, need, 18, 9);
    ctx.globalAlpha = 0.4;
    ctx.strokeStyle = color;
    strokeRound(ctx, left, 4, need, 18, 9);
    ctx.globalAlpha = 1;
    ctx.fillStyle = color;
    ctx.textAlign = "left";
    ctx.fillText(text, left + 9, 13.5);
    taken.push([Math.min(a, left) - 4, Math.max(b, left + need) + 4]);
  }

  /** The moment under the pointer, in full. */
  #pointer(): void {
    const { ctx, frame } = this;
    if (frame.pointer === null) return;
    const { palette } = this.paints;
    const x = this.#x(frame.pointer);
    ctx.fillStyle = palette.faint;
    ctx.fillRect(Math.round(x), RULER_PX - 6, 1, 6);
  }
}

interface Line {
  readonly y: number;
  readonly height: number;
  readonly isDevice: boolean;
  readonly widthPx: number;
}

function fillRound(ctx: Context, x: number, y: number, width: number, height: number, radius = RADIUS_PX): void {
  ctx.beginPath();
  ctx.roundRect(x, y, width, height, radius);
  ctx.fill();
}

function strokeRound(ctx: Context, x: number, y: number, width: number, height: number, radius = RADIUS_PX): void {
  ctx.beginPath();
  ctx.roundRect(x, y, width, height, radius);
  ctx.stroke();
}
