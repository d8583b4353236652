import { describe, expect, it } from "vitest";
import { visibleText } from "./visible_text";

describe("visibleText", () => {
  it("marks what draws nothing or reverses the text", () => {
    expect(visibleText("safe\u202egnp.exe")).toBe("safe⟨202E⟩gnp.exe");
    expect(visibleText("a\nb\tc\u007f")).toBe("a␊b␉c␡");
    expect(visibleText("\ufeffrun\u200b")).toBe("⟨FEFF⟩run⟨200B⟩");
  });

  it("keeps ordinary names, joiners and other scripts", () => {
    for (const name of ["train/loss", "épreuve 3", "נסיון", "👩‍💻", "می‌خواهم"]) expect(visibleText(name)).toBe(name);
  });
});
