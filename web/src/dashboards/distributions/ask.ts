// Requests of the distributions dashboard: the percentiles of some series, to draw or as a file.

import type { Client } from "../../api/client";
import { type AllBands, decodeBands } from "./bands";

export interface BandsQuery {
  readonly series: readonly { readonly run: string; readonly tag: string }[];
  readonly percentiles: readonly number[];
  readonly x: "step" | "wall";
  /** Number of visible pixel columns. */
  readonly width: number;
  readonly x_range?: readonly [number, number];
}

const PATH = "distributions/bands";

export const loadBands = async (client: Client, query: BandsQuery, signal: AbortSignal): Promise<AllBands> =>
  decodeBands(await client.binary(PATH, { ...query, format: "columns" }, signal));

/** Contains every step of one series. */
export async function loadBandsFile(client: Client, { width: _width, ...query }: BandsQuery): Promise<Blob> {
  return (await client.post(PATH, { ...query, format: "csv" })).blob();
}
