// A trace that the user drops or chooses: the server keeps it for this page.

import { formatBytes } from "../../../base/format";
import { sendFile } from "../ask";
import type { ProfilePage } from "../profile_page.svelte";

const MAX_BYTES = 512_000_000;

export async function openFile(page: ProfilePage, file: File): Promise<void> {
  const { client, messages } = page.session;
  const fail = (text: string): void => void messages.say(`Could not open ${file.name}. ${text}`, { isError: true });
  if (file.size > MAX_BYTES)
    return fail(
      `It has ${formatBytes(file.size)}; up to ${formatBytes(MAX_BYTES)} can be opened. Put it beside the logs.`,
    );
  try {
    const { file: token } = await sendFile(client, file);
    page.addFile({ file: token, name: file.name });
    messages.say(`${file.name}: only this page has it.`);
  } catch (cause) {
    fail(cause instanceof Error ? cause.message : String(cause));
  }
}
