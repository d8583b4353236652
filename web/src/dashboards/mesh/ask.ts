// Requests of the mesh dashboard: the geometry of one value, to draw or as a file.

import type { Client } from "../../api/client";
import type { Sample } from "../../state/cursor/step_cursor";
import { decodeGeometry, type MeshGeometry } from "./geometry";

// More than there are pixels in most cards.
const DRAWN_POINTS = 250_000;
const PATH = "mesh/geometry";

export interface MeshQuery {
  readonly sample: Sample;
  /** The index in the batch. */
  readonly batch: number;
  /** All points, however many there are. */
  readonly isAll: boolean;
}

const named = ({ sample: { run, tag, row, step, wallTime }, batch }: MeshQuery) => ({
  run,
  tag,
  row,
  step,
  wall_time: wallTime,
  batch,
});

export const meshKey = (query: MeshQuery): string => JSON.stringify([named(query), query.isAll]);

export async function loadMesh(client: Client, query: MeshQuery, signal: AbortSignal): Promise<MeshGeometry> {
  const parameters = { ...named(query), points: DRAWN_POINTS, full: query.isAll ? 1 : 0, format: "columns" };
  return decodeGeometry(await client.bytes(PATH, parameters, signal));
}

export const loadMeshFile = async (client: Client, query: MeshQuery): Promise<Blob> =>
  new Blob([await client.bytes(PATH, { ...named(query), full: 1, format: "ply" })]);
