// Copies text to the clipboard and tells the user. Independent of the content.

import { mount, unmount } from "svelte";
import { copyText } from "../base/files";
import type { Session } from "../state/session.svelte";
import TextDialog from "../ui/TextDialog.svelte";

/** If the browser does not allow it, shows the text for the user to copy. */
export async function copyOrShow(
  session: Session,
  text: string,
  { title, copied = `${title} copied.` }: { title: string; copied?: string },
): Promise<void> {
  if (await copyText(text)) session.messages.say(copied);
  else showText(title, text);
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
