import { describe, expect, it } from "vitest";
import { type Command, Commands } from "./commands.svelte";

const command = (id: string, keys: string): Command => ({ id, title: id, group: "G", keys, run: () => undefined });
const keysOf = ({ all }: Commands): string[] => all.map(({ id, keys = "" }) => `${id} ${keys}`);

describe("commands", () => {
  it("of the open dashboard win over those around it, whichever came first", () => {
    const commands = new Commands();
    const around = { isAroundDashboard: true };
    commands.add([command("runs.columns", "c"), command("runs.all", "a")], around);
    const remove = commands.add([command("histograms.compare", "c")]);
    commands.add([command("page.reload", "c")], around);
    expect(keysOf(commands)).toEqual(["runs.columns ", "runs.all a", "histograms.compare c", "page.reload "]);
    remove();
    expect(keysOf(commands)).toEqual(["runs.columns c", "runs.all a", "page.reload c"]);
  });

  it("pause until a dialog has loaded or failed to", async () => {
    const commands = new Commands();
    commands.pauseUntil(Promise.resolve());
    commands.pauseUntil(Promise.reject(new Error("offline")));
    expect(commands.isPaused).toBe(true);
    await new Promise((done) => setTimeout(done));
    expect(commands.isPaused).toBe(false);
  });
});
