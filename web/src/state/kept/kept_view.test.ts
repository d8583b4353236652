// @vitest-environment jsdom
import { beforeEach, describe, expect, it } from "vitest";
import { DEFAULT_VIEW } from "../view/view";
import { Settings } from "../view/settings.svelte";
import { decodeView } from "../view/url";
import { KeptView } from "./kept_view.svelte";

const LOGS = ["/logs"];
const nameOf = (): undefined => undefined;

function visit(locations = LOGS): { kept: KeptView; settings: Settings } {
  const kept = new KeptView();
  kept.open(locations);
  const settings = new Settings();
  settings.kept = kept;
  settings.view = { ...DEFAULT_VIEW, ...kept.fields() };
  return { kept, settings };
}

const leave = (): void => void dispatchEvent(new Event("pagehide"));

describe("what the browser keeps of the view", () => {
  beforeEach(() => localStorage.clear());

  it("is what the next visit begins with", () => {
    const { settings } = visit();
    settings.set({ smoothing: { kind: "gaussian", amount: 3 }, tagFilter: "loss" });
    settings.togglePin("loss");
    settings.setOption("text.mode", "raw", "markdown");
    settings.setOption("mesh.up", "z");
    leave();
    const next = visit().settings;
    expect(next.smoothing).toEqual({ kind: "gaussian", amount: 3 });
    expect(next.pinned).toEqual(["loss"]);
    expect([...next.options]).toEqual([["text.mode", "raw"]]);
    expect(next.tagFilter).toBe("");
    // Pins are tags, which other logs do not have.
    expect(visit(["/other"]).settings.pinned).toEqual([]);
    expect(visit(["/other"]).settings.smoothing.amount).toBe(3);
  });

  it("does not learn from links, only from changes", () => {
    const { settings, kept } = visit();
    settings.view = decodeView("#/scalars?smoothing=0.9&pin=acc&option=text.mode;raw");
    expect(kept.view).toEqual(DEFAULT_VIEW);
    settings.set({ isTree: false });
    settings.setOption("mesh.up", "z");
    expect(kept.view).toEqual({ ...DEFAULT_VIEW, isTree: false });
  });

  it("is in the address where the view differs from it", () => {
    const { settings } = visit();
    settings.set({ smoothing: { kind: "ema", amount: 0.9 } });
    settings.togglePin("loss");
    settings.setOption("text.wrap", "off", "on");
    settings.view = { ...DEFAULT_VIEW, dashboard: "scalars" };
    const address = settings.address([], nameOf);
    expect(address).toBe("#/scalars?pin=&smoothing=0.6&option=text.wrap;on");
    expect({ ...decodeView(address), options: new Map() }).toEqual(settings.view);
    expect(settings.address([], nameOf, {}, { isShared: true })).toBe("#/scalars");
  });

  it("is reset with the view", () => {
    const { settings } = visit();
    settings.togglePin("loss");
    settings.reset();
    expect(visit().settings.pinned).toEqual([]);
    expect(settings.address([], nameOf)).toBe("");
  });
});
