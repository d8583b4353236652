// Where the lists are that a page begins with. Alone in this file: it is the first thing that is asked for.

import type { Kind } from "./types";

export const listsPath = (kinds: readonly Kind[]): string =>
  kinds.length > 0 ? `lists?${kinds.map((kind) => `kind=${kind}`).join("&")}` : "lists";
