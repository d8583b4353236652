// @vitest-environment jsdom
import { afterEach, describe, expect, it, vi } from "vitest";
import { Commands } from "../state/commands.svelte";
import { typeAhead } from "./typed_ahead";

describe("letters typed before a dialog is there", () => {
  afterEach(() => {
    document.body.replaceChildren();
    vi.useRealTimers();
  });

  it("go into its field, in place of what is selected there", async () => {
    vi.useFakeTimers();
    const commands = new Commands();
    let load = (): void => {};
    commands.pauseUntil(new Promise<void>((done) => (load = done)));
    const kept = ["n", "X", "Backspace", "e", "Shift", "Escape"].map((key) =>
      typeAhead(commands, new KeyboardEvent("keydown", { key })),
    );
    expect(kept).toEqual([true, true, true, true, false, false]);
    expect(typeAhead(commands, new KeyboardEvent("keydown", { key: "r", ctrlKey: true }))).toBe(false);
    await vi.advanceTimersByTimeAsync(100);
    const field = document.createElement("input");
    field.value = "old name";
    document.body.append(field);
    field.focus();
    field.select();
    const heard = vi.fn();
    field.addEventListener("input", heard);
    load();
    await vi.advanceTimersByTimeAsync(100);
    expect([field.value, heard.mock.calls.length, commands.typed]).toEqual(["ne", 1, ""]);
  });

  it("are forgotten where there is no field", async () => {
    vi.useFakeTimers();
    const commands = new Commands();
    commands.pauseUntil(Promise.reject(new Error("offline")));
    typeAhead(commands, new KeyboardEvent("keydown", { key: "n" }));
    await vi.advanceTimersByTimeAsync(100);
    expect(commands.typed).toBe("");
  });
});
