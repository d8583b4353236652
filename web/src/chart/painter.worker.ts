// The worker's side of painter.ts.

import { unpackLines, unpackStrokes } from "./line_buffer";
import { type Message, CanvasRenderer } from "./canvas_renderer";

const renderer = new CanvasRenderer((drawn) => postMessage(drawn));

addEventListener("message", ({ data }: MessageEvent<readonly Message[]>) => {
  for (const message of data) take(message);
});

function take(data: Message): void {
  switch (data.type) {
    case "attach":
      return renderer.attach(data.id, data.canvas);
    case "draw":
      return renderer.draw(
        data.id,
        data.number,
        data.frame,
        {
          ...(data.series && { series: unpackLines(data.series) }),
          ...(data.strokes && { strokes: unpackStrokes(data.strokes) }),
          ...(data.areas && { areas: data.areas }),
        },
        data.kept,
      );
    case "detach":
      return renderer.detach(data.id);
    default:
      return data satisfies never;
  }
}
