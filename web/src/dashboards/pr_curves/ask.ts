// Requests of the PR curves dashboard: the curves of several values, to draw or as a file.

import type { Client } from "../../api/client";
import type { CurvesQuery } from "../../api/types";
import { type Curve, decodeCurves } from "./curves";

const PATH = "pr_curves/curves";

export const loadCurves = async (client: Client, query: CurvesQuery, signal: AbortSignal): Promise<Curve[]> =>
  decodeCurves(await client.binary(PATH, query, signal));

export async function loadCurvesFile(client: Client, query: CurvesQuery, format: "csv" | "json"): Promise<Blob> {
  return (await client.post(PATH, { ...query, format })).blob();
}
