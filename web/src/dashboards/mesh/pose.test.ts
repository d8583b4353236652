import { describe, expect, it } from "vitest";
import {
  axesOnScreen,
  FIRST_POSE,
  panned,
  poseAt,
  readPose,
  cameraViewOf,
  turned,
  unite,
  type Up,
  type Vector,
  writePose,
  zoomed,
} from "./pose";

const TARGET = { center: [10, 20, 30], radius: 2 } as const;
const FRONT = { ...FIRST_POSE, yaw: 0, pitch: 0 };
const near = (got: readonly number[], wanted: readonly number[]): void =>
  got.forEach((value, i) => expect(value).toBeCloseTo(wanted[i] as number, 6));
const dot = (a: Vector, b: Vector): number => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];

describe("a pose", () => {
  it("looks at the middle from the front, with all of it in sight", () => {
    const { eye, target, up, distance } = cameraViewOf(FRONT, TARGET, "y", 90, 1);
    near(target, TARGET.center);
    near(eye, [10, 20, 30 + distance]);
    near(up, [0, 1, 0]);
    expect(distance).toBeGreaterThan(2 * Math.SQRT2);
    expect(cameraViewOf(FRONT, TARGET, "y", 90, 0.5).distance).toBeGreaterThan(distance);
    expect(cameraViewOf(zoomed(FRONT, 2), TARGET, "y", 90, 1).distance).toBeCloseTo(distance / 2);
  });

  it("has z upward where the mesh has", () => {
    const { eye, up, distance } = cameraViewOf(FRONT, TARGET, "z", 90, 1);
    near(eye, [10, 20 - distance, 30]);
    near(up, [0, 0, 1]);
  });

  it.each<Up>(["y", "z"])("comes back from where its eye is (%s up)", (up) => {
    const pose = { yaw: 1.1, pitch: -0.4, zoom: 3, shift: [0.5, -0.25, 1] } as const;
    const { eye, target } = cameraViewOf(pose, TARGET, up, 40, 1.5);
    const back = poseAt(eye, target, TARGET, up, 40, 1.5);
    near([back.yaw, back.pitch, back.zoom, ...back.shift], [1.1, -0.4, 3, 0.5, -0.25, 1]);
  });

  it("stops at the poles and never turns over", () => {
    const steep = turned(FRONT, 0, 10);
    expect(steep.pitch).toBeLessThan(Math.PI / 2);
    expect(cameraViewOf(steep, TARGET, "y", 50, 1).up.every(Number.isFinite)).toBe(true);
    expect(turned(FRONT, 2 * Math.PI + 0.5, 0).yaw).toBeCloseTo(0.5);
  });

  it.each<Up>(["y", "z"])("is panned along the screen (%s up)", (up) => {
    const before = cameraViewOf(FIRST_POSE, TARGET, up, 60, 1.5);
    const after = cameraViewOf(panned(FIRST_POSE, 0, 0.5, up, 60, 1.5), TARGET, up, 60, 1.5);
    const moved: Vector = [
      after.target[0] - before.target[0],
      after.target[1] - before.target[1],
      after.target[2] - before.target[2],
    ];
    // Half the height of what is seen at that distance, upward: what is looked at goes down on the screen by as much.
    expect(dot(moved, before.up)).toBeCloseTo(before.distance * Math.tan(Math.PI / 6));
    expect(after.distance).toBeCloseTo(before.distance);
  });

  it("shows which way the axes point", () => {
    const seen = axesOnScreen(FRONT, "z");
    expect(seen.map(({ name }) => name)).toEqual(["y", "x", "z"]);
    expect(seen.find(({ name }) => name === "y")).toMatchObject({ toward: -1 });
    expect(seen.find(({ name }) => name === "z")).toMatchObject({ above: 1 });
  });

  it("is written and read", () => {
    const pose = { yaw: 1.25, pitch: -0.5, zoom: 2, shift: [0.5, 0, -1] } as const;
    expect(writePose(pose)).toBe("1.25,-0.5,2,0.5,0,-1");
    expect(readPose(writePose(pose))).toEqual(pose);
    for (const bad of ["", "1,2,3", "a,b,c,d,e,f", "1,1,Infinity,0,0,0"]) expect(readPose(bad)).toBeNull();
    expect(readPose("0,99,1e30,0,0,0")).toMatchObject({ zoom: 500 });
  });
});

describe("several meshes", () => {
  it("are united by a sphere that holds them all", () => {
    expect(unite([])).toBeNull();
    expect(unite([TARGET])).toBe(TARGET);
    const both = unite([
      { center: [-5, 0, 0], radius: 1 },
      { center: [5, 0, 0], radius: 3 },
    ]);
    expect(both?.center).toEqual([1, 0, 0]);
    expect(both?.radius).toBe(7);
  });
});
