// The worker's side of painter.ts.

import type { Message } from "./frame";
import { Renderer } from "./renderer";

const renderer = new Renderer((drawn) => postMessage(drawn));

addEventListener("message", ({ data }: MessageEvent<Message>) => {
  if (data.type === "canvas") renderer.attach(data.canvas);
  else renderer.take(data);
});
