import { describe, expect, it } from "vitest";
import { Settings } from "../../state/view/settings.svelte";
import { batchOf, forgetPoses, linkOf, readOptions, poseOption, setBatch, setOption } from "./options";

describe("what is set for meshes", () => {
  it("is the usual where an address makes no sense", () => {
    const settings = new Settings();
    const usual = { shading: "smooth", pointSize: 1, hasAxes: true, up: "y" };
    expect(readOptions(settings)).toEqual(usual);
    for (const option of ["shading", "pointSize", "up", "link"] as const) setOption(settings, option, "constructor");
    expect(readOptions(settings)).toEqual(usual);
    expect(linkOf(settings)).toBe("tag");
    setOption(settings, "pointSize", "1e9");
    expect(readOptions(settings).pointSize).toBe(10);
    settings.setOption("mesh.batch.t", "-3");
    expect(batchOf(settings, "t")).toBe(0);
  });

  it("names only what differs", () => {
    const settings = new Settings();
    setOption(settings, "shading", "flat");
    setBatch(settings, "t", 2);
    expect([...settings.options.keys()]).toEqual(["mesh.shading", "mesh.batch.t"]);
    setOption(settings, "shading", "smooth");
    setBatch(settings, "t", 0);
    expect(settings.options.size).toBe(0);
  });

  it("keeps a camera for a tag, for all or for a card, and forgets all of them", () => {
    const settings = new Settings();
    for (const [link, name] of [
      ["tag", "mesh.pose.tag"],
      ["all", "mesh.pose"],
      ["none", "mesh.pose.id"],
    ] as const) {
      setOption(settings, "link", link);
      expect(poseOption(settings, "tag", "id")).toBe(name);
      settings.setOption(name, "0,0,1,0,0,0");
    }
    settings.setOption("mesh.poses", "not a camera");
    forgetPoses(settings);
    expect([...settings.options.keys()]).toEqual(["mesh.link", "mesh.poses"]);
  });
});
