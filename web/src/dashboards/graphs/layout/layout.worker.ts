// The worker's side of layout_client.ts.

import { Composer } from "./compose";
import type { Composed } from "./composed";
import type { LayoutMessage, LayoutReply } from "./layout_client";

const composers = new Map<number, Composer>();

addEventListener("message", ({ data }: MessageEvent<LayoutMessage>) => {
  if ("forget" in data) {
    composers.delete(data.view);
    return;
  }
  const { view, turn, shapes, open } = data;
  let composer = composers.get(view);
  if (!composer) composers.set(view, (composer = new Composer()));
  for (const shape of shapes) composer.add(shape);
  let reply: LayoutReply;
  try {
    reply = { view, turn, picture: composer.compose(new Set(open)) };
  } catch (cause) {
    reply = { view, turn, problem: String(cause) };
  }
  postMessage(reply, { transfer: reply.picture ? buffersOf(reply.picture) : [] });
});

function buffersOf({ edges, ...nodes }: Composed): Transferable[] {
  return [...Object.values(nodes), ...Object.values(edges)].flatMap((part) =>
    ArrayBuffer.isView(part) ? [part.buffer as ArrayBuffer] : [],
  );
}
