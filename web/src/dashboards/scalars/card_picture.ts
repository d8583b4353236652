// Pictures of cards for papers and slides.

import type { CardDrawing } from "./export_drawings";

export interface PictureOptions {
  readonly title: (run: string) => string;
  readonly hasLegend: boolean;
}

export function drawSvg(_drawings: readonly CardDrawing[], _options: PictureOptions): string {
  throw new Error("Pictures are not there yet.");
}

export function drawPng(_drawings: readonly CardDrawing[], _options: PictureOptions, _scale: number): Promise<Blob> {
  throw new Error("Pictures are not there yet.");
}
