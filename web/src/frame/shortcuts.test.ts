// @vitest-environment jsdom
import { describe, expect, it } from "vitest";
import { isTextField, keyCaps, keyName, Shortcuts } from "./shortcuts";

const press = (
  key: string,
  held: { ctrlKey?: boolean; metaKey?: boolean; shiftKey?: boolean; altKey?: boolean } = {},
) => ({
  key,
  ctrlKey: false,
  metaKey: false,
  altKey: false,
  shiftKey: false,
  ...held,
});
const command = (keys: string) => ({ id: keys, title: keys, group: "Page", keys, run: () => undefined });
const COMMANDS = ["Ctrl+k", "?", "g s", "s", "["].map(command);

describe("shortcuts", () => {
  it("have the same names on every system", () => {
    expect(keyName(press("K", { ctrlKey: true }))).toBe("Ctrl+k");
    expect(keyName(press("k", { metaKey: true }))).toBe("Ctrl+k");
    expect(keyName(press("z", { ctrlKey: true, shiftKey: true }))).toBe("Ctrl+Shift+z");
    expect(keyName(press("?", { shiftKey: true }))).toBe("?");
    expect(keyName(press("[", { altKey: true }))).toBe("");
    expect(keyName(press("Shift", { shiftKey: true }))).toBe("");
  });

  it("can be two keys in a row, within a time limit", () => {
    const shortcuts = new Shortcuts();
    expect(shortcuts.press(press("g"), COMMANDS, 0, false)).toBeUndefined();
    expect(shortcuts.press(press("s"), COMMANDS, 500, false)?.keys).toBe("g s");
    expect(shortcuts.press(press("s"), COMMANDS, 600, false)?.keys).toBe("s");
    shortcuts.press(press("g"), COMMANDS, 1_000, false);
    expect(shortcuts.press(press("s"), COMMANDS, 9_000, false)?.keys).toBe("s");
  });

  it("ignore letters in text fields, but not Ctrl with a letter", () => {
    const shortcuts = new Shortcuts();
    expect(shortcuts.press(press("?"), COMMANDS, 0, true)).toBeUndefined();
    expect(shortcuts.press(press("k", { ctrlKey: true }), COMMANDS, 0, true)?.keys).toBe("Ctrl+k");
    const field = (type: string): HTMLInputElement => Object.assign(document.createElement("input"), { type });
    expect([
      isTextField(field("text")),
      isTextField(field("checkbox")),
      isTextField(document.createElement("select")),
      isTextField(document.body),
    ]).toEqual([true, false, true, false]);
  });

  it("are shown key by key", () => {
    expect(keyCaps("Ctrl+k")).toEqual(["Ctrl", "K"]);
    expect(keyCaps("g s")).toEqual(["G", "S"]);
    expect(keyCaps("U")).toEqual(["⇧", "U"]);
    expect(keyCaps("Ctrl++")).toEqual(["Ctrl", "+"]);
    expect(keyCaps("?")).toEqual(["?"]);
  });
});
