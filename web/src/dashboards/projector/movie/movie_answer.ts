// All steps of an embedding, aligned: what the job answers, and what it has so far.

import { readBlocks } from "../../named_blocks";
import type { StepPositions } from "./motion";

export interface MovieData extends StepPositions {
  /** Ascending. */
  readonly steps: readonly number[];
  /** 1 for those that have positions: of a job that is fast, not every step is sent while it runs. */
  readonly isThere: Uint8Array;
  /** Mean way of a point to each step; empty until all steps are there. */
  readonly movement: Float64Array;
  /** Way of each point over all steps. */
  readonly moved: Float32Array;
  /** Part of the neighbours of each point that changed, mean over steps. */
  readonly changed: Float32Array;
  readonly notes: readonly string[];
}

interface MovieHead {
  readonly steps?: readonly number[];
  readonly dimensions: number;
  readonly count: number;
  readonly step_index?: number;
  readonly notes?: readonly string[];
  readonly problems?: readonly string[];
}

const NONE = { movement: new Float64Array(), moved: new Float32Array(), changed: new Float32Array() };

export function readMovie(body: ArrayBuffer): MovieData {
  const blocks = readBlocks<MovieHead>(body);
  const { head } = blocks;
  const steps = head.steps ?? [];
  return {
    steps,
    isThere: new Uint8Array(steps.length).fill(1),
    count: head.count,
    dimensions: head.dimensions,
    rows: blocks.has("rows") ? blocks.ints("rows") : null,
    positions: blocks.floats32("positions"),
    movement: blocks.floats64("movement"),
    moved: blocks.floats32("moved"),
    changed: blocks.floats32("changed"),
    notes: [...(head.notes ?? []), ...(head.problems ?? [])],
  };
}

/** With the positions of one more step. */
export function addStep(data: MovieData | null, steps: readonly number[], body: ArrayBuffer): MovieData {
  const blocks = readBlocks<MovieHead>(body);
  const { head } = blocks;
  const here = blocks.floats32("positions");
  const size = here.length;
  const index = head.step_index ?? 0;
  const known = data?.positions.length === size * steps.length ? data : null;
  const positions = known?.positions ?? new Float32Array(size * steps.length);
  positions.set(here, index * size);
  const isThere = known?.isThere.slice() ?? new Uint8Array(steps.length);
  isThere[index] = 1;
  return {
    ...NONE,
    steps,
    isThere,
    count: Math.round(size / head.dimensions),
    dimensions: head.dimensions,
    rows: blocks.has("rows") ? blocks.ints("rows") : null,
    positions,
    notes: [],
  };
}
