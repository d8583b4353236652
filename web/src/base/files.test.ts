import { describe, expect, it } from "vitest";
import { fileName } from "./files";

describe("fileName", () => {
  it("keeps characters that every system accepts", () => {
    expect(fileName(["lr=1e-3", "val/loss"], "csv")).toBe("lr=1e-3-val_loss.csv");
    expect(fileName(["épreuve 1", "損失"], "svg")).toBe("épreuve_1-損失.svg");
  });

  it("is safe for any tag", () => {
    expect(fileName(["../../etc/passwd"], "csv")).toBe("etc_passwd.csv");
    expect(fileName(['<b>"x"</b>\n'], "csv")).toBe("b_x_b.csv");
    expect(fileName(["CON"], "csv")).toBe("_CON.csv");
    expect(fileName(["/", "💥"], "csv")).toBe("runglass.csv");
    expect(fileName(["x".repeat(10_000)], "csv")).toHaveLength(124);
  });
});
