// Draws the waveform of some frames: a lane per channel, a bar from minimum to maximum per pixel column.

import { outline } from "./peaks";
import type { ChannelChoice, Sound } from "./sound";

export interface WaveStyle {
  readonly color: string;
  /** Of the line at zero. */
  readonly lineColor: string;
  /** The value at a lane's edge. */
  readonly scale: number;
  readonly channel: ChannelChoice;
}

const LANE_GAP = 2;
const MUTED_ALPHA = 0.3;
// With fewer frames per column than this, draw a line through the values instead.
const LINE_FRAMES = 2;

/** Sizes are in canvas pixels. */
export function drawWave(
  context: CanvasRenderingContext2D,
  sound: Sound,
  from: number,
  to: number,
  width: number,
  height: number,
  style: WaveStyle,
): void {
  context.clearRect(0, 0, width, height);
  const lane = height / sound.channels.length;
  sound.channels.forEach((pcm, i) => {
    const middle = lane * (i + 0.5);
    const reach = Math.max((lane - LANE_GAP) / 2, 1) / style.scale;
    context.globalAlpha = 1;
    context.fillStyle = style.lineColor;
    context.fillRect(0, Math.round(middle), width, 1);
    context.globalAlpha = style.channel === "all" || style.channel === i ? 1 : MUTED_ALPHA;
    context.fillStyle = context.strokeStyle = style.color;
    if ((to - from) / width < LINE_FRAMES) drawLine(context, pcm, from, to, width, middle, reach);
    else drawColumns(context, outline(pcm, sound.peaks[i] ?? { min: pcm, max: pcm }, from, to, width), middle, reach);
  });
  context.globalAlpha = 1;
}

function drawColumns(
  context: CanvasRenderingContext2D,
  { min, max }: { min: Float32Array; max: Float32Array },
  middle: number,
  reach: number,
): void {
  for (let x = 0; x < min.length; x++) {
    const top = middle - (max[x] as number) * reach;
    const bottom = middle - (min[x] as number) * reach;
    context.fillRect(x, top, 1, Math.max(bottom - top, 1));
  }
}

function drawLine(
  context: CanvasRenderingContext2D,
  pcm: Float32Array,
  from: number,
  to: number,
  width: number,
  middle: number,
  reach: number,
): void {
  const perFrame = width / (to - from);
  const [first, last] = [Math.max(Math.floor(from), 0), Math.min(Math.ceil(to), pcm.length - 1)];
  context.lineWidth = Math.max(1, devicePixelRatio);
  context.beginPath();
  for (let i = first; i <= last; i++) context.lineTo((i - from) * perFrame, middle - (pcm[i] as number) * reach);
  context.stroke();
}
