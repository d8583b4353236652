// Gives the scene what the page knows: positions, colours, what is hidden, lit and selected, texts and pictures. What
// the user does in the scene goes back to the page.

import { untrack } from "svelte";
import { formatValue } from "../../base/format";
import type { RowAnswer } from "./answer";
import { loadRow, loadSequences, loadThumbnails, thumbnailAddress } from "./ask";
import { cellText } from "./columns.svelte";
import type { Components } from "./options";
import { cameraOption, drawingOption, hasExtra, setCameraOption, toolOption } from "./options";
import type { ProjectorPage } from "./projector_page.svelte";
import type { Camera } from "./scene/camera";
import type { Cloud, PointTip, Sheet } from "./scene/cloud.svelte";

const MOVE_MS = 500;
/** Partial results of a reduction follow each other faster. */
const STREAM_MS = 120;
const TIP_PX = 64;
const MAX_TIPS = 200;
/** Letters of all labels together that are worth loading before somebody points at their points. */
const MAX_LETTERS = 4_000_000;

/** Some of several numbers per point, as two or three; what is missing is 0. */
export function pickAxes(positions: Float32Array, width: number, axes: readonly number[]): Float32Array<ArrayBuffer> {
  const count = width > 0 ? Math.floor(positions.length / width) : 0;
  const picked = new Float32Array(count * axes.length);
  axes.forEach((axis, to) => {
    if (axis < width)
      for (let i = 0; i < count; i++) picked[i * axes.length + to] = positions[i * width + axis] as number;
  });
  return picked;
}

export interface Positions {
  readonly positions: Float32Array<ArrayBuffer>;
  readonly dimensions: number;
  readonly rows: Int32Array | null;
}

/** PCA has more components than axes. `animateMs`: points move there. */
export function placeIn(
  cloud: Cloud,
  { positions, dimensions, rows }: Positions,
  shown: { readonly components: Components | null; readonly dimensions: 2 | 3; readonly animateMs: number },
): void {
  const wanted = dimensions < 3 ? 2 : shown.dimensions;
  const axes = (shown.components ?? [0, 1, 2]).slice(0, wanted);
  cloud.setPositions(pickAxes(positions, dimensions, axes), wanted, { rows, animateMs: shown.animateMs });
}

export const writeCamera = (camera: Camera | null): string =>
  camera
    ? [camera.x, camera.y, camera.z, camera.zoom, camera.yaw, camera.pitch]
        .map((value) => String(Number(value.toPrecision(5))))
        .join(";")
    : "";
export function readCamera(text: string): Camera | null {
  const numbers = text.split(";").map(Number);
  const [x, y, z, zoom, yaw, pitch] = numbers;
  if (text === "" || numbers.length !== 6 || !numbers.every(Number.isFinite) || (zoom as number) <= 0) return null;
  return { x, y, z, zoom, yaw, pitch } as Camera;
}

export function showIn(page: ProjectorPage): void {
  const { cloud, session, selection, coloring } = page;
  const { settings, client } = session;

  // Outside, as all of these: the scene.
  let started = "";
  $effect.pre(() => {
    const { count } = page;
    const now = `${JSON.stringify(page.series)} ${count}`;
    if (now === started || !page.series) return;
    const isFirst = started === "" || started === `${JSON.stringify(page.series)} 0`;
    started = now;
    untrack(() => {
      cloud.start(count);
      if (isFirst) cloud.camera = readCamera(cameraOption(settings));
    });
  });

  let last: unknown = null;
  $effect.pre(() => {
    const { frame, components, dimensions, count } = page;
    const { shown } = page.results;
    const placed = frame ?? shown?.placed;
    if (!placed || count === 0) return;
    const isStreaming = !frame && shown?.state === "running";
    const isPca = page.recipe?.method === "pca";
    untrack(() => {
      const isFirst = last === null || !cloud.isDrawn;
      last = placed;
      placeIn(cloud, placed, {
        // Frames have the components that are shown, and no others.
        components: isPca && !frame ? components : null,
        dimensions,
        animateMs: isFirst ? 0 : isStreaming ? STREAM_MS : MOVE_MS,
      });
    });
  });
  $effect.pre(() => {
    cloud.colors = coloring.colors;
  });
  $effect.pre(() => {
    cloud.greyed = coloring.filtered;
  });
  $effect.pre(() => {
    cloud.hidden = page.out;
  });
  $effect.pre(() => {
    const { mask } = selection;
    untrack(() => cloud.setSelected(mask));
  });
  $effect.pre(() => {
    cloud.matches = page.search.rows;
  });
  $effect.pre(() => {
    cloud.focused = page.point;
  });
  $effect.pre(() => {
    cloud.mode = drawingOption(settings);
    cloud.tool = toolOption(settings);
    cloud.hasNames = hasExtra(settings, "names");
    cloud.hasContours = hasExtra(settings, "contours");
  });
  $effect.pre(() => {
    cloud.clusters = coloring.clusterNames ?? page.clusters.names;
  });
  $effect(() => {
    const { embedding, about } = page;
    if (!embedding || !about?.has_sequences || !hasExtra(settings, "sequences")) {
      cloud.sequences = null;
      return;
    }
    const abort = new AbortController();
    loadSequences(client, embedding, abort.signal).then(
      (next) => (cloud.sequences = next),
      () => undefined,
    );
    return () => abort.abort();
  });

  $effect.pre(() => {
    // Another function for other texts: what the scene has of the last one is dropped.
    const { label, key } = page;
    const edited = page.columns.edited.get(label ?? "");
    cloud.labelsOf = (rows) => (void key, void edited, page.columns.texts(label, rows));
  });
  $effect.pre(() => {
    const { embedding, about } = page;
    // Another function for other pictures.
    cloud.thumbnailsOf =
      embedding && about?.sprite
        ? async (rows, tilePx): Promise<Sheet> => ({
            image: await createImageBitmap(await loadThumbnails(client, embedding, rows, tilePx)),
            tilePx,
            columns: Math.ceil(Math.sqrt(rows.length)),
          })
        : null;
  });

  const known = new Map<string, Promise<RowAnswer>>();
  cloud.tipOf = async (row, labelled): Promise<PointTip> => {
    const { embedding, about, label } = page;
    if (!embedding || !about) return { title: await labelled, lines: [] };
    const id = `${page.key} ${row}`;
    let asked = known.get(id);
    if (!asked) {
      if (known.size >= MAX_TIPS) known.clear();
      known.set(id, (asked = loadRow(client, embedding, row)));
      asked.catch(() => known.delete(id));
    }
    const title = await labelled;
    // Who points at one point points at others. Numbers would not look as they are written.
    const isText = label !== null && page.columns.info(label)?.type !== "number";
    if (isText && title.length * about.rows <= MAX_LETTERS) page.columns.load(label).catch(() => undefined);
    const { values, has_picture: hasPicture } = await asked;
    const { by } = coloring;
    const lines: { name?: string; text: string; color?: string }[] = [];
    const color = coloring.colorOf(row);
    const level = coloring.levelOf(row)?.name;
    const colored = by.kind === "column" ? by.column : null;
    const text = level ?? (colored === null ? null : cellText(values[colored] ?? null));
    if (text && (text !== title || color)) lines.push({ text, ...(color && { color }) });
    const more = about.columns.find(({ name, type }) => type === "number" && name !== colored && name !== label);
    const value = more && values[more.name];
    if (more && typeof value === "number") lines.push({ name: more.name, text: formatValue(value) });
    const picture = hasPicture ? thumbnailAddress(client, embedding, row, TIP_PX) : null;
    return { title, lines, ...(picture !== null && { picture }) };
  };

  cloud.onpick = (row, { add }) => {
    if (row === null) {
      if (!add) selection.clear();
      page.pick(null);
    } else if (add) selection.setRows([row], page.count, selection.has(row) ? { subtract: true } : { add: true });
    else page.pick(row);
  };
  cloud.onselect = (rows, how) => selection.set(rows, how);
  cloud.oncamera = (camera) => setCameraOption(settings, writeCamera(camera));
  let written = cameraOption(settings);
  $effect(() => {
    const text = cameraOption(settings);
    if (text === written) return;
    written = text;
    untrack(() => {
      if (text !== writeCamera(cloud.camera)) cloud.camera = readCamera(text);
    });
  });
}
