// Lays out one level of a graph as the page's worker does, once, in a process of its own: nothing is compiled yet, as in a page that
// was just opened. Prints seconds. `node layout.mjs NODES EDGES`

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const [nodes, edges] = process.argv.slice(2).map(Number);
const web = fileURLToPath(new URL("../../web/", import.meta.url));
const { build } = await import(pathToFileURL(createRequire(join(web, "package.json")).resolve("rolldown")).href);

const folder = mkdtempSync(join(tmpdir(), "runglass-layout-"));
try {
  const layout = join(web, "src/dashboards/graphs/layout");
  writeFileSync(
    join(folder, "entry.ts"),
    `export { Composer } from ${JSON.stringify(join(layout, "compose.ts"))};
export { modelShape } from ${JSON.stringify(join(layout, "sample_shape.ts"))};`,
  );
  const file = join(folder, "layout.mjs");
  await build({ input: join(folder, "entry.ts"), output: { file }, logLevel: "silent" });
  const { Composer, modelShape } = await import(pathToFileURL(file).href);
  const shape = modelShape(nodes, edges);
  const from = performance.now();
  const composer = new Composer();
  composer.add(shape);
  const picture = composer.compose(new Set());
  const tookMs = performance.now() - from;
  if (picture.edges.from.length !== edges) throw new Error(`${picture.edges.from.length} edges of ${edges} were drawn`);
  console.log(tookMs / 1000);
} finally {
  rmSync(folder, { recursive: true });
}
