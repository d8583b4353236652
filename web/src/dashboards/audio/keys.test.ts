import { expect, test } from "vitest";
import { clipKeyOf } from "./keys";

const press = (key: string, modifiers = {}) =>
  clipKeyOf({ key, shiftKey: false, ctrlKey: false, metaKey: false, altKey: false, ...modifiers });

test("keys of a clip", () => {
  expect(press(" ")).toBe("play");
  expect(press("ArrowLeft")).toEqual({ seekBy: -1 });
  expect(press("ArrowRight", { shiftKey: true })).toEqual({ seekBy: 0.1 });
  expect(press("Home")).toEqual({ seekTo: "start" });
  expect(press("a")).toEqual({ run: 0 });
  expect(press("b")).toEqual({ run: 1 });
  expect(press("9")).toEqual({ run: 8 });
  expect(press("0")).toBe("unzoom");
});

test("others are left alone", () => {
  expect(press("x")).toBeNull();
  expect(press("a", { ctrlKey: true })).toBeNull();
  expect(press("12")).toBeNull();
});
