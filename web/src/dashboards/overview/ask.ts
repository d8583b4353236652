// Requests of the overview: how the runs are doing, which texts they share, and the newest pictures.

import type { Client } from "../../api/client";
import type { NewestValue, OverviewQuery, OverviewSummary, SameTexts } from "../../api/types";

export const readSummary = (client: Client, query: OverviewQuery): Promise<OverviewSummary> =>
  client.askBody("overview/summary", query);

/** `runs`: null for all. */
export async function listSameTexts(client: Client, runs: string[] | null): Promise<SameTexts["texts"]> {
  return (await client.askBody<SameTexts>("overview/same_texts", { runs })).texts;
}

export const pictureAddress = (client: Client, { run, tag, row, step, wall_time }: NewestValue): string =>
  client.address("images/blob", { run, tag, row, step, wall_time, sample: 0 });
