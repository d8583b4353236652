import { describe, expect, it } from "vitest";
import type { Clock } from "../../api/stops";
import type { Moment, TimeAxis } from "../view/view";
import { placeOn, readMoment, writeMoment } from "./moment";

const clock: Clock = {
  run: "a",
  startTime: 1000,
  step: Float64Array.of(0, 10, 20),
  wallTime: Float64Array.of(1001, 1011, 1041),
};
const at = (axis: TimeAxis, position: number): Moment => ({ axis, at: position });

describe("a moment", () => {
  it("is the same moment on every axis", () => {
    expect(placeOn("relative", at("step", 10), clock)).toBe(11);
    expect(placeOn("wall", at("step", 20), clock)).toBe(1041);
    expect(placeOn("step", at("wall", 1041), clock)).toBe(20);
    expect(placeOn("step", at("relative", 1), clock)).toBe(0);
    expect(placeOn("wall", at("relative", 5), clock)).toBe(1005);
    expect(placeOn("relative", at("wall", 1005), clock)).toBe(5);
  });

  it("lies between the clock's points in proportion, and beyond them at the average pace", () => {
    expect(placeOn("wall", at("step", 15), clock)).toBe(1026);
    expect(placeOn("step", at("wall", 1026), clock)).toBe(15);
    expect(placeOn("wall", at("step", 30), clock)).toBe(1061);
    expect(placeOn("wall", at("step", -10), clock)).toBe(981);
    expect(placeOn("step", at("wall", 1061), clock)).toBe(30);
  });

  it("is exact on its own axis, with and without a clock", () => {
    expect(placeOn("step", at("step", 0.1), clock)).toBe(0.1);
    expect(placeOn("wall", at("wall", 7), null)).toBe(7);
    expect(placeOn("wall", at("step", 7), null)).toBeNull();
  });

  it("has a clock with one point", () => {
    const one = { ...clock, step: Float64Array.of(5), wallTime: Float64Array.of(1003) };
    expect(placeOn("wall", at("step", 99), one)).toBe(1003);
    expect(placeOn("step", at("relative", 0), one)).toBe(5);
  });

  it("is in the address with its axis", () => {
    for (const moment of [at("step", 6400), at("step", -3), at("relative", 200.5), at("wall", 1_731_754_124.25)])
      expect(readMoment(writeMoment(moment))).toEqual(moment);
    expect(writeMoment(at("step", 6400))).toBe("6400");
    expect(["", "r", "soon", "w1x"].map(readMoment)).toEqual([undefined, undefined, undefined, undefined]);
  });
});
