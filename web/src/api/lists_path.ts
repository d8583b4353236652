// The lists that a page starts with. In a file of its own, because they are the first request.

import { type CardKind, isAssetKind } from "./asset_kind";

/** Assets have a request of their own. */
export function listsPath(kinds: readonly CardKind[]): string {
  const ofSeries = kinds.filter((kind) => !isAssetKind(kind));
  return ofSeries.length > 0 ? `lists?${ofSeries.map((kind) => `kind=${kind}`).join("&")}` : "lists";
}

/** Before there is a client, which takes the answer over. */
export const askEarly = (path: string): Promise<Response> => fetch(`api/${path}`);
