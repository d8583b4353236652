// A text for the clipboard, and what is done where the page may not write to it. Knows nothing of what is in it.

import { mount, unmount } from "svelte";
import type { Session } from "../../../state/session.svelte";
import TextDialog from "../../../ui/TextDialog.svelte";

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
