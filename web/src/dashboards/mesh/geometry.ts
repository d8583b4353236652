// Decodes and measures the binary response for a mesh. Pure.

import { Blocks } from "../../api/blocks";
import type { components } from "../../api/types.gen";
import type { Sphere, Vector } from "./pose";
import { formatCount } from "../../base/count";

export interface MeshGeometry {
  readonly step: number;
  readonly batches: number;
  /** JSON as logged. */
  readonly config: string;
  /** As logged; fewer may be here. */
  readonly totalPoints: number;
  readonly totalFaces: number;
  readonly facesStep: number | null;
  readonly colorsStep: number | null;
  readonly problems: readonly string[];
  /** Around `bounds.center`: large coordinates keep their small differences on the way to the screen. */
  readonly vertices: Float32Array;
  /** Null for a cloud of points. */
  readonly faces: Uint32Array | null;
  readonly colors: Uint8Array | null;
  readonly bounds: Sphere;
}

type Head = Omit<components["schemas"]["Mesh"], "vertices" | "faces" | "colors"> & {
  readonly version: number;
  readonly points: number;
  readonly faces: number | null;
  readonly has_colors: boolean;
};

export function decodeGeometry(body: ArrayBuffer): MeshGeometry {
  const blocks = new Blocks<Head>(body);
  const { head } = blocks;
  const vertices = blocks.float32(head.points * 3, "the vertices");
  const faces = head.faces === null ? null : blocks.uint32(head.faces * 3, "the faces");
  const colors = head.has_colors ? blocks.bytes(head.points * 3, "the colours") : null;
  return {
    step: head.step,
    batches: head.batches,
    config: head.config,
    totalPoints: head.total_points,
    totalFaces: head.total_faces,
    facesStep: head.faces_step,
    colorsStep: head.colors_step,
    problems: head.problems,
    vertices,
    // Faces that were all left out leave points, which is more than nothing.
    faces: faces && faces.length > 0 ? faces : null,
    colors,
    bounds: centerAll(vertices),
  };
}

/** Moves vertices so that the middle of their box is at zero; returns where it was, and how far they reach from it. */
export function centerAll(vertices: Float32Array): Sphere {
  const low: [number, number, number] = [Infinity, Infinity, Infinity];
  const high: [number, number, number] = [-Infinity, -Infinity, -Infinity];
  for (let i = 0; i < vertices.length; i += 3) {
    for (let axis = 0; axis < 3; axis++) {
      const value = vertices[i + axis] as number;
      if (value < (low[axis] as number)) low[axis] = value;
      if (value > (high[axis] as number)) high[axis] = value;
    }
  }
  if (vertices.length === 0) return { center: [0, 0, 0], radius: 1 };
  const center = low.map((value, axis) => (value + (high[axis] as number)) / 2) as unknown as Vector;
  let radius = 0;
  for (let i = 0; i < vertices.length; i += 3) {
    const x = (vertices[i] as number) - center[0];
    const y = (vertices[i + 1] as number) - center[1];
    const z = (vertices[i + 2] as number) - center[2];
    vertices[i] = x;
    vertices[i + 1] = y;
    vertices[i + 2] = z;
    radius = Math.max(radius, x * x + y * y + z * z);
  }
  return { center, radius: Math.sqrt(radius) || 1 };
}

/** "4 vertices · 4 faces", and what of it is from another step. */
export function describe({ totalPoints, totalFaces, faces, step, facesStep, colorsStep }: MeshGeometry): string {
  const count = (n: number, one: string, many: string): string => `${formatCount(n)} ${n === 1 ? one : many}`;
  const parts = faces
    ? [count(totalPoints, "vertex", "vertices"), count(totalFaces, "face", "faces")]
    : [count(totalPoints, "point", "points")];
  if (faces && facesStep !== null && facesStep !== step) parts.push(`faces of step ${formatCount(facesStep)}`);
  if (colorsStep !== null && colorsStep !== step) parts.push(`colours of step ${formatCount(colorsStep)}`);
  return parts.join(" · ");
}
