// Requests of the images dashboard: the files of a value as a list, by address and as a zip.

import type { Client, Parameters } from "../../api/client";
import type { ImageSample } from "../../api/types";
import type { Sample } from "../../state/cursor/step_cursor";

export type { ImageSample };

/** A file of a value. */
export interface FileRef {
  readonly value: Sample;
  /** Its number within the value. */
  readonly file: number;
}

const named = ({ run, tag, row, step, wallTime }: Sample): Parameters => ({ run, tag, row, step, wall_time: wallTime });

export const keyOf = ({ run, tag, row, wallTime }: Sample): string => `${run}\n${tag}\n${row}\n${wallTime}`;

export const addressOf = (client: Client, { value, file }: FileRef): string =>
  client.address("images/blob", { ...named(value), sample: file });

export const downloadOf = (client: Client, { value, file }: FileRef): string =>
  client.address("images/blob", { ...named(value), sample: file, download: 1 });

export async function listFiles(client: Client, value: Sample, signal: AbortSignal): Promise<readonly ImageSample[]> {
  return (await client.ask<{ samples: ImageSample[] }>("images/list", named(value), signal)).samples;
}

export async function loadZip(client: Client, files: readonly FileRef[], signal: AbortSignal): Promise<Blob> {
  const samples = files.map(({ value, file }) => ({ ...named(value), sample: file }));
  return (await client.post("images/zip", { samples }, signal)).blob();
}
