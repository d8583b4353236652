import { describe, expect, it, vi } from "vitest";
import { tabCommands } from "./commands";

describe("keys of the tabs", () => {
  it("are letters of their titles, each used once", () => {
    const show = vi.fn();
    const titles = ["Scalars", "Images", "Histograms", "Subset", "SSS", "Views"];
    const commands = tabCommands(
      titles.map((title) => ({ name: title.toLowerCase(), title })),
      show,
    );
    expect(commands.map(({ keys }) => keys)).toEqual(["g s", "g i", "g h", "g u", undefined, "g e"]);
    commands[1]?.run();
    expect(show).toHaveBeenCalledWith("images");
  });
});
