// A file that the user drops or chooses: a model, which the server parses and keeps for this page, or values of nodes.

import { ApiError } from "../../../api/http";
import { formatBytes } from "../../../base/format";
import { countOf } from "../../../base/count";
import { sendFile } from "../ask";
import type { Coloring } from "../coloring.svelte";
import type { GraphsPage } from "../graphs_page.svelte";
import { readValues, ValuesError } from "./read_values";

const MAX_BYTES = 512_000_000;
const MAX_VALUES_BYTES = 50_000_000;

/** JSON may be either: a model that the server does not know is tried as values. */
export async function openFile(page: GraphsPage, coloring: Coloring, file: File): Promise<void> {
  const { messages } = page.session;
  const fail = (text: string): void => messages.say(`Could not open ${file.name}. ${text}`, { isError: true });
  const isTable = /\.(csv|tsv)$/i.test(file.name);
  const isJson = /\.json$/i.test(file.name);
  try {
    if (isTable) return await openValues(page, coloring, file);
    if (file.size > MAX_BYTES)
      return fail(
        `It has ${formatBytes(file.size)}; up to ${formatBytes(MAX_BYTES)} can be opened. Put it beside the logs.`,
      );
    const { file: token, format, nodes } = await sendFile(page.session.client, file);
    page.addFile({ file: token, name: file.name, format });
    page.show({ file: token });
    messages.say(`${file.name}: ${countOf(nodes, "node")}. Only this page has it.`);
  } catch (cause) {
    if (isJson && cause instanceof ApiError && cause.code !== "unreachable") {
      try {
        return await openValues(page, coloring, file);
      } catch (other) {
        if (!(other instanceof ValuesError)) throw other;
      }
    }
    fail(cause instanceof Error ? cause.message : String(cause));
  }
}

async function openValues(page: GraphsPage, coloring: Coloring, file: File): Promise<void> {
  if (file.size > MAX_VALUES_BYTES)
    throw new ValuesError(
      `It has ${formatBytes(file.size)}; up to ${formatBytes(MAX_VALUES_BYTES)} of values can be read.`,
    );
  page.given.values = { name: file.name, values: readValues(await file.text()) };
  coloring.choose({ kind: "values" });
}
