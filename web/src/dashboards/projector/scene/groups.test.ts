import { expect, test } from "vitest";
import { boundsOf } from "./camera";
import { type Group, groupsBetween, groupsOf } from "./groups";

test("the name of a group that lies in two places goes to the denser one, not between them", () => {
  const places: number[] = [];
  const codes: number[] = [];
  for (let i = 0; i < 300; i++) {
    const [isFar, isOther] = [i % 3 === 0, i % 5 === 0];
    places.push((isOther ? 0 : isFar ? 10 : -10) + Math.sin(i), Math.cos(i * 7), 0);
    codes.push(isOther ? 1 : 0);
  }
  const positions = Float32Array.from(places);
  const placed = { positions, dimensions: 2, bounds: boundsOf(positions) } as const;
  const names = [{ name: "two", detail: "digit" }, { name: "one" }, { name: "none" }];
  const [first, second, ...rest] = groupsOf({ codes, names }, placed, null, Uint8Array.from(codes));
  expect(rest).toEqual([]);
  expect(first).toMatchObject({ name: "two", detail: "digit", count: 240, isGreyed: false });
  expect(Math.abs((first?.middle[0] as number) + 10)).toBeLessThan(0.5);
  expect(first?.spread[0]).toBeLessThan(1);
  expect(second).toMatchObject({ name: "one", count: 60, isGreyed: true });
  const hidden = Uint8Array.from(codes, (code) => (code === 0 ? 1 : 0));
  expect(groupsOf({ codes, names }, placed, hidden, null).map(({ name }) => name)).toEqual(["one"]);
});

test("names move with their groups, and those of new groups are where they belong", () => {
  const group = (name: string, x: number): Group => {
    return { name, detail: "", middle: [x, 0, 0], spread: [1, 1, 0], count: 1, isGreyed: false };
  };
  const before = new Map([["old", group("old", 0)]]);
  const groups = [group("old", 10), group("new", 4)];
  const placesAt = (part: number): number[] => groupsBetween(before, groups, part).map(({ middle }) => middle[0]);
  expect(placesAt(0)).toEqual([0, 4]);
  expect(placesAt(0.25)).toEqual([2.5, 4]);
  expect(placesAt(1)).toEqual([10, 4]);
});
