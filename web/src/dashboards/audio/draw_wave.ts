// Draws the waveform of some frames: a lane for each channel, a column of pixels from its least to its greatest sample.

import { outline } from "./peaks";
import type { Ear, Sound } from "./sound";

export interface WaveLook {
  readonly color: string;
  /** The line of silence. */
  readonly lineColor: string;
  /** What a lane's edge stands for. */
  readonly scale: number;
  readonly ear: Ear;
}

const LANE_GAP = 2;
const DEAF = 0.3;
// Fewer frames than this to a column, and a line through the samples says more.
const LINE_FRAMES = 2;

/** Sizes are in pixels of the canvas. */
export function drawWave(
  context: CanvasRenderingContext2D,
  sound: Sound,
  from: number,
  to: number,
  width: number,
  height: number,
  look: WaveLook,
): void {
  context.clearRect(0, 0, width, height);
  const lane = height / sound.channels.length;
  sound.channels.forEach((samples, i) => {
    const middle = lane * (i + 0.5);
    const reach = Math.max((lane - LANE_GAP) / 2, 1) / look.scale;
    context.globalAlpha = 1;
    context.fillStyle = look.lineColor;
    context.fillRect(0, Math.round(middle), width, 1);
    context.globalAlpha = look.ear === "all" || look.ear === i ? 1 : DEAF;
    context.fillStyle = context.strokeStyle = look.color;
    if ((to - from) / width < LINE_FRAMES) drawLine(context, samples, from, to, width, middle, reach);
    else
      drawColumns(
        context,
        outline(samples, sound.peaks[i] ?? { min: samples, max: samples }, from, to, width),
        middle,
        reach,
      );
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
  samples: Float32Array,
  from: number,
  to: number,
  width: number,
  middle: number,
  reach: number,
): void {
  const perFrame = width / (to - from);
  const [first, last] = [Math.max(Math.floor(from), 0), Math.min(Math.ceil(to), samples.length - 1)];
  context.lineWidth = Math.max(1, devicePixelRatio);
  context.beginPath();
  for (let i = first; i <= last; i++) context.lineTo((i - from) * perFrame, middle - (samples[i] as number) * reach);
  context.stroke();
}
