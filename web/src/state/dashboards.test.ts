import { describe, expect, it } from "vitest";
import { chooseTab, type DashboardModule, makeTabs } from "./dashboards";

const module: DashboardModule = { load: () => Promise.reject(new Error("not loaded here")) };
const info = (name: string, isActive: boolean) => ({ name, title: name, kinds: [], is_active: isActive });

describe("tabs", () => {
  const modules = { "./dashboards/alpha/index.ts": module, "./dashboards/beta/index.ts": module };

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
});
