// The worker's end of painter.ts.

import { type Message, Studio } from "./studio";

const studio = new Studio((drawn) => postMessage(drawn));

addEventListener("message", ({ data }: MessageEvent<Message>) => {
  switch (data.type) {
    case "attach":
      return studio.attach(data.id, data.canvas);
    case "series":
      return studio.setSeries(data.id, data.series);
    case "draw":
      return studio.draw(data.id, data.number, data.frame);
    case "detach":
      return studio.detach(data.id);
    default:
      return data satisfies never;
  }
});
