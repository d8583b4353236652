// The worker's side of matcher.ts.

import { matchTags } from "./tag_match";

let tags: readonly string[] = [];

addEventListener("message", ({ data }: MessageEvent<{ tags: readonly string[] } | { pattern: string }>) => {
  if ("tags" in data) {
    ({ tags } = data);
    postMessage("ready");
  } else postMessage(matchTags(data.pattern, tags));
});
