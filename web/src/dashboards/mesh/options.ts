// Options of all mesh cards, kept in the address. Knows nothing of drawing.

import type { Settings } from "../../state/view/settings.svelte";
import { type Pose, readPose, type Up, writePose } from "./pose";

export const SHADINGS = ["smooth", "flat", "wireframe", "points"] as const;
export type Shading = (typeof SHADINGS)[number];
/** Which cameras move together. */
export const LINKS = ["tag", "all", "none"] as const;
export type Link = (typeof LINKS)[number];

export interface MeshOptions {
  readonly shading: Shading;
  /** A factor. */
  readonly pointSize: number;
  readonly hasAxes: boolean;
  readonly up: Up;
}

export const POINT_SIZES = [0.2, 10] as const;
export const OPTIONS = {
  shading: { name: "mesh.shading", fallback: "smooth" },
  pointSize: { name: "mesh.points", fallback: "1" },
  hasAxes: { name: "mesh.axes", fallback: "1" },
  up: { name: "mesh.up", fallback: "y" },
  link: { name: "mesh.link", fallback: "tag" },
} as const;
const POSE = "mesh.pose";
const BATCH = "mesh.batch";

const optionOf = (settings: Settings, option: keyof typeof OPTIONS): string =>
  settings.option(OPTIONS[option].name, OPTIONS[option].fallback);

export function setOption(settings: Settings, option: keyof typeof OPTIONS, value: string): void {
  settings.setOption(OPTIONS[option].name, value, OPTIONS[option].fallback);
}

export function readOptions(settings: Settings): MeshOptions {
  const size = Number(optionOf(settings, "pointSize"));
  const shading = optionOf(settings, "shading");
  return {
    shading: SHADINGS.find((each) => each === shading) ?? "smooth",
    pointSize: Number.isFinite(size) && size > 0 ? Math.min(Math.max(size, POINT_SIZES[0]), POINT_SIZES[1]) : 1,
    hasAxes: optionOf(settings, "hasAxes") === "1",
    up: optionOf(settings, "up") === "z" ? "z" : "y",
  };
}

export const linkOf = (settings: Settings): Link => LINKS.find((each) => each === optionOf(settings, "link")) ?? "tag";

/** The option that keeps a card's camera. */
export function poseOption(settings: Settings, tag: string, id: string): string {
  const link = linkOf(settings);
  return link === "all" ? POSE : `${POSE}.${link === "tag" ? tag : id}`;
}

export const poseOf = (settings: Settings, tag: string, id: string): Pose | null =>
  readPose(settings.option(poseOption(settings, tag, id)));
export const setPose = (settings: Settings, tag: string, id: string, pose: Pose | null): void =>
  settings.setOption(poseOption(settings, tag, id), pose ? writePose(pose) : "");

export function forgetPoses(settings: Settings): void {
  settings.set({
    options: new Map([...settings.options].filter(([name]) => name !== POSE && !name.startsWith(`${POSE}.`))),
  });
}

/** The index in the batch; the same for all runs, so that like compares with like. */
export function batchOf(settings: Settings, tag: string): number {
  const batch = Number(settings.option(`${BATCH}.${tag}`, "0"));
  return Number.isInteger(batch) && batch >= 0 && batch < 2 ** 31 ? batch : 0;
}

export const setBatch = (settings: Settings, tag: string, batch: number): void =>
  settings.setOption(`${BATCH}.${tag}`, String(batch), "0");
