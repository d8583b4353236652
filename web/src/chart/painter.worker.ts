// The worker's end of painter.ts.

import { unpackSeries, unpackStrokes } from "./parcel";
import { type Message, Studio } from "./studio";

const studio = new Studio((drawn) => postMessage(drawn));

addEventListener("message", ({ data }: MessageEvent<Message>) => {
  switch (data.type) {
    case "attach":
      return studio.attach(data.id, data.canvas);
    case "series":
      return studio.set(data.id, { series: unpackSeries(data.parcel) });
    case "areas":
      return studio.set(data.id, { areas: data.areas });
    case "strokes":
      return studio.set(data.id, { strokes: unpackStrokes(data.parcel) });
    case "draw":
      return studio.draw(data.id, data.number, data.frame);
    case "detach":
      return studio.detach(data.id);
    default:
      return data satisfies never;
  }
});
