// The lists that a page starts with. In a file of its own, because they are the first request.

import type { Kind } from "./types";

export const listsPath = (kinds: readonly Kind[]): string =>
  kinds.length > 0 ? `lists?${kinds.map((kind) => `kind=${kind}`).join("&")}` : "lists";

/** Before there is a client, which takes the answer over. */
export const askEarly = (path: string): Promise<Response> => fetch(`api/${path}`);
