// The worker's end of painter.ts.

import { unpackSeries, unpackStrokes } from "./parcel";
import { type Message, Studio } from "./studio";

const studio = new Studio((drawn) => postMessage(drawn));

addEventListener("message", ({ data }: MessageEvent<readonly Message[]>) => {
  for (const message of data) take(message);
});

function take(data: Message): void {
  switch (data.type) {
    case "attach":
      return studio.attach(data.id, data.canvas);
    case "draw":
      return studio.draw(
        data.id,
        data.number,
        data.frame,
        {
          ...(data.series && { series: unpackSeries(data.series) }),
          ...(data.strokes && { strokes: unpackStrokes(data.strokes) }),
          ...(data.areas && { areas: data.areas }),
        },
        data.kept,
      );
    case "detach":
      return studio.detach(data.id);
    default:
      return data satisfies never;
  }
}
