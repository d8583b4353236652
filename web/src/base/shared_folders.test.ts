import { expect, test } from "vitest";
import { sharedFolders } from "./shared_folders";

test.each([
  [["denoise/plain", "denoise/clipped"], "denoise/"],
  [["a/b/x", "a/b/y", "a/c"], "a/"],
  [["a/b/x", "a/b"], "a/"],
  [["plain", "clipped"], ""],
  [["ab/x", "ac/x"], ""],
  [["only/one"], "only/"],
])("%j share the folders %j", (names, folders) =>
  expect((names[0] as string).slice(0, sharedFolders(names))).toBe(folders),
);
