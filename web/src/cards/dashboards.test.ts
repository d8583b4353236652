import { describe, expect, it } from "vitest";
import { chooseTab, type DashboardModule, guessModule, makeTabs } from "./dashboards";

const fail = () => Promise.reject(new Error("not loaded here"));
const module: DashboardModule = { load: fail, howTo: fail, lists: [] };
const info = (name: string, isActive: boolean) => ({ name, title: name, kinds: [], families: [], is_active: isActive });

describe("tabs", () => {
  const usual = { ...module, isUsual: true };
  const modules = { "./dashboards/alpha/index.ts": module, "./dashboards/beta/index.ts": usual };

  it("follow the server's order and leave out what the page does not have", () => {
    const tabs = makeTabs([info("gamma", true), info("beta", false), info("alpha", true)], modules);
    expect(tabs.map((tab) => tab.name)).toEqual(["beta", "alpha"]);
  });

  it("open as asked, else where there is data", () => {
    const tabs = makeTabs([info("beta", false), info("alpha", true)], modules);
    expect(chooseTab(tabs, "beta")?.name).toBe("beta");
    expect(chooseTab(tabs, "")?.name).toBe("alpha");
    expect(chooseTab(tabs, "gone")?.name).toBe("alpha");
    expect(chooseTab([], "")).toBeNull();
  });

  it("are guessed before the server lists them", () => {
    expect(guessModule(modules, "alpha")).toBe(module);
    expect(guessModule(modules, "")).toBe(usual);
    expect(guessModule({}, "alpha")).toBeUndefined();
  });
});
