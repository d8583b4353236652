import { expect, it } from "vitest";
import { nextSort } from "./table_sort";

it("sorts numbers from the largest, texts from the first, then the other way, then not", () => {
  const loss = nextSort(null, "loss", true);
  expect(loss).toEqual({ column: "loss", isDescending: true });
  expect(nextSort(loss, "loss", true)).toEqual({ column: "loss", isDescending: false });
  expect(nextSort(nextSort(loss, "loss", true), "loss", true)).toBeNull();

  const name = nextSort(loss, "name", false);
  expect(name).toEqual({ column: "name", isDescending: false });
  expect(nextSort(name, "name", false)).toEqual({ column: "name", isDescending: true });
  expect(nextSort(nextSort(name, "name", false), "name", false)).toBeNull();
});
