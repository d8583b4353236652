// Ways out of the page: a file to save, a text for the clipboard. Knows nothing of what is in them.

import { mount, unmount } from "svelte";
import type { Session } from "../../../state/session.svelte";
import TextDialog from "../../../ui/TextDialog.svelte";

export function saveBlob(blob: Blob, name: string): void {
  const url = URL.createObjectURL(blob);
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  // The browser has begun to read it by then; a revoked address would cut that short.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

export function saveText(text: string, name: string, type: string): void {
  saveBlob(new Blob([text], { type: `${type};charset=utf-8` }), name);
}

/** Where the clipboard is closed to the page, the text is shown for the user to copy. */
export async function copyText(session: Session, text: string, what: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    session.messages.say(`${what} copied.`);
  } catch {
    showText(what, text);
  }
}

function showText(title: string, text: string): void {
  const dialog = mount(TextDialog, {
    target: document.body,
    props: {
      title,
      text,
      hint: "This page may not write to the clipboard here. The text is selected: copy it with Ctrl-C.",
      onclose: () => void unmount(dialog),
    },
  });
}
