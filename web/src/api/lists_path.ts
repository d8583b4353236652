// The path of the lists that a page starts with. In a file of its own, because it is the first request.

import type { Kind } from "./types";

export const listsPath = (kinds: readonly Kind[]): string =>
  kinds.length > 0 ? `lists?${kinds.map((kind) => `kind=${kind}`).join("&")}` : "lists";
