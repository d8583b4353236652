// The requests that a page starts with. In a file of its own, because they are sent before most code is there.

import { type CardKind, isAssetKind } from "./asset_kind";

/** Assets have a request of their own. */
export function listsPath(kinds: readonly CardKind[]): string {
  const ofSeries = kinds.filter((kind) => !isAssetKind(kind));
  return ofSeries.length > 0 ? `lists?${ofSeries.map((kind) => `kind=${kind}`).join("&")}` : "lists";
}

/** A request by POST if it has a body. */
export interface EarlyRequest {
  readonly path: string;
  readonly body?: string;
}

/** Names an early answer; a request that differs in anything is sent anew. */
export const earlyKey = (path: string, body: BodyInit | null | undefined): string =>
  typeof body === "string" ? `${path} ${body}` : path;

/** Before there is a client, which takes the answer over. */
export const askEarly = ({ path, body }: EarlyRequest): Promise<Response> =>
  fetch(
    `api/${path}`,
    body === undefined ? {} : { method: "POST", headers: { "content-type": "application/json" }, body },
  );
