// Copies text to the clipboard, with a fallback if the page cannot write to it. Independent of the content.

import { mount, unmount } from "svelte";
import type { Session } from "../../../state/session.svelte";
import TextDialog from "../../../ui/TextDialog.svelte";

/** If the page cannot write to the clipboard, shows the text for the user to copy. */
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
